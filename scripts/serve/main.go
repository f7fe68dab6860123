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
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"gatehouse/functions"
	"gatehouse/shared/app"
	"gatehouse/shared/boot"
	"gatehouse/shared/boot/dispatching"
)

// gcPercent lets the heap grow to five times the live data before a collection. The
// live data is a few megabytes, so by default the collector would run hundreds of
// times a second under load and take a fifth of the throughput.
const gcPercent = 400

func main() {
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
	adminOnly := flag.Bool("create-admin", false, "make the first administrator and exit")
	resealOnly := flag.Bool("reseal", false, "encrypt what is kept encrypted under the instance key in use and exit")
	relistOnly := flag.Bool("relist", false, "list anew what an earlier release stored on DynamoDB and exit")
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
	if sam.envVars != "" {
		sam.template, sam.demo, sam.command = *template, *demo, flag.Args()
		return besideSAM(ctx, env, sam)
	}
	backend, err := open(ctx, env, *template)
	if err != nil {
		return err
	}
	defer backend.close()

	if *adminOnly {
		return createAdmin(ctx, boot.New(env, backend.store, backend.keys), env)
	}
	if *resealOnly {
		return reseal(ctx, boot.New(env, backend.store, backend.keys), os.Stdout)
	}
	if *relistOnly {
		return relist(ctx, backend.store, time.Now(), os.Stdout)
	}
	listener, err := listen(env)
	if err != nil {
		return err
	}
	defer listener.Close()
	if env.BaseURL == "" {
		env.BaseURL = boot.ListenURL(listener.Addr())
	}
	a := boot.New(env, backend.store, backend.keys)
	if err := prepare(ctx, a, env, *demo, os.Stdout); err != nil {
		return err
	}
	go backend.sweep(ctx)
	go dispatching.New(env, a, backend.store, backend.keys).Run(ctx, backend.dispatchEvery)
	return serve(ctx, listener, functions.Gateway(a))
}

// prepare makes the first administrator and the demonstration's data, and prints what
// to try.
func prepare(ctx context.Context, a *app.App, env boot.Env, demo bool, out io.Writer) error {
	root, made, err := boot.FirstStart(ctx, a, env)
	if err != nil {
		return fmt.Errorf("make the first administrator: %w", err)
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

// createAdmin makes the first administrator of a deployment that runs elsewhere.
func createAdmin(ctx context.Context, a *app.App, env boot.Env) error {
	root, made, err := boot.FirstStart(ctx, a, env)
	switch {
	case err != nil:
		return fmt.Errorf("make the first administrator: %w", err)
	case !made:
		fmt.Println("There are users already, so nothing was made.")
	default:
		showRoot(os.Stdout, root, env)
	}
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
