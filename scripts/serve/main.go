// Command serve runs the whole of Gatehouse in one process. Each request goes
// through the event that API Gateway would make of it and the handler that
// Lambda would run, so what works here is what is deployed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"gatehouse/functions"
	"gatehouse/scripts/backend"
	"gatehouse/shared/app"
	"gatehouse/shared/boot"
	"gatehouse/shared/boot/dispatching"
	"gatehouse/shared/secret"
)

// gcPercent lets the heap grow to five times the live data before a collection. The
// live data is a few megabytes, so by default the collector would run hundreds of
// times a second under load and take a fifth of the throughput.
const gcPercent = 400

// softLimit is from how many bytes on the collector runs as often as it must to stay below,
// so that large bodies do not let the heap grow five times as well.
const softLimit = 256 << 20

// memoryLimit is the limit for so many processors: each may be hashing a password, and that
// memory is no reason to run.
func memoryLimit(processors int) int64 {
	return softLimit + int64(processors)*int64(secret.DefaultPasswords.Memory)<<10
}

func main() {
	if before := debug.SetMemoryLimit(memoryLimit(runtime.GOMAXPROCS(0))); before != math.MaxInt64 {
		debug.SetMemoryLimit(before) // GOMEMLIMIT is set
	}
	if before := debug.SetGCPercent(gcPercent); before != 100 {
		debug.SetGCPercent(before) // GOGC is set
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "gatehouse:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	demo := flag.Bool("demo", false, "load a small believable data set")
	var sam samOptions
	flag.StringVar(&sam.envVars, "beside-sam", "", "serve not Gatehouse but what its functions in sam local need, write this `file` for its option --env-vars, and run the command in the arguments")
	flag.StringVar(&sam.bridge, "bridge", "docker0", "with -beside-sam: the network `interface` of the containers; if there is none of the name, loopback")
	template := flag.String("template", "template.yaml", "the template that defines the DynamoDB tables")
	flag.Parse()
	if flag.NArg() > 0 && sam.envVars == "" {
		return fmt.Errorf("what is %q? The only words are options; see -help", flag.Arg(0))
	}

	env, err := boot.ReadEnv(os.Getenv)
	if err != nil {
		return err
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: env.LogLevel})))
	boot.WarnOfUnknown(os.Environ())
	if sam.envVars != "" {
		sam.template, sam.demo, sam.command = *template, *demo, flag.Args()
		return besideSAM(ctx, env, sam)
	}
	opened, err := backend.Open(ctx, env, *template)
	if err != nil {
		return err
	}
	defer opened.Close()
	if env.KeySecretARN == "" {
		running, err := backend.Running(env)
		if err != nil {
			return err
		}
		defer running.Close()
	}

	listener, err := listen(env)
	if err != nil {
		return err
	}
	defer listener.Close()
	if env.BaseURL == "" {
		env.BaseURL = boot.ListenURL(listener.Addr())
	}
	a := boot.New(env, opened.Store, opened.Keys)
	if err := prepare(ctx, a, env, *demo, os.Stdout); err != nil {
		return err
	}
	go opened.Sweep(ctx)
	go dispatching.New(env, a, opened.Store, opened.Keys).Run(ctx, opened.DispatchEvery)
	return serve(ctx, listener, functions.Gateway(a))
}

// prepare makes the first administrator and the demonstration's data, and prints what
// to try.
func prepare(ctx context.Context, a *app.App, env boot.Env, demo bool, out io.Writer) error {
	root, made, err := backend.FirstStart(ctx, a, env)
	if err != nil {
		return err
	}
	var account *demoAccount
	if demo {
		if account, err = loadDemo(ctx, a); err != nil {
			return fmt.Errorf("load the demonstration: %w", err)
		}
	}
	welcome(out, a.BaseURL, root, made, env, account)
	return nil
}

// listen listens on the configured address.
func listen(env boot.Env) (net.Listener, error) {
	listener, err := net.Listen("tcp", env.Listen)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is taken by another program; stop that, or choose another address with GATEHOUSE_LISTEN=127.0.0.1:3001", env.Listen)
	case err != nil:
		return nil, fmt.Errorf("listen on %s (GATEHOUSE_LISTEN): %w", env.Listen, err)
	}
	return listener, nil
}

// drainLimit is how long the server waits for requests in progress when it ends. API
// Gateway allows no request more.
const drainLimit = 30 * time.Second

// serve answers requests until ctx ends, and then finishes those in progress.
func serve(ctx context.Context, listener net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainLimit)
	defer cancel()
	return server.Shutdown(ctx)
}
