package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/scripts/backend"
	"gatehouse/shared/boot"
	"gatehouse/shared/boot/dispatching"
)

// samOptions are the options for `sam local`.
type samOptions struct {
	envVars  string   // the file for its option --env-vars
	bridge   string   // the network interface of its containers
	command  []string // starts it; empty if it is started elsewhere
	template string
	demo     bool
}

// besideSAM runs what `sam local` needs on this machine: tables, the first administrator
// and the stand-in for AWS. It handles messages itself, because `sam local` calls no
// function by a stream or on a schedule.
func besideSAM(ctx context.Context, env boot.Env, o samOptions) error {
	env, err := withBaseURL(env)
	if err != nil {
		return err
	}
	if err := mayListen(env, o.command); err != nil {
		return err
	}
	opened, err := openForSAM(ctx, env, o.template)
	if err != nil {
		return err
	}
	defer opened.Close()
	listener, network, err := listenForContainers(o.bridge)
	if err != nil {
		return err
	}
	defer listener.Close()
	aws, err := newStandIn(env, network)
	if err != nil {
		return err
	}
	if err := writeEnvVars(o.envVars, env, listener.Addr()); err != nil {
		return err
	}
	defer os.Remove(o.envVars)
	a := boot.New(env, opened.Store, opened.Keys)
	var hello bytes.Buffer
	if err := prepare(ctx, a, env, o.demo, &hello); err != nil {
		return err
	}
	all, ctx := errgroup.WithContext(ctx)
	all.Go(func() error { return serve(ctx, listener, aws) })
	all.Go(func() error { return runSAM(ctx, o.command, env.Listen, hello.String()) })
	go dispatching.New(env, a, opened.Store, opened.Keys).Run(ctx, opened.DispatchEvery)
	return all.Wait()
}

// samPatience is how long `sam local` may take to remove its containers.
const samPatience = 30 * time.Second

// runSAM runs the command until ctx ends, and prints the welcome when it listens. The
// command has a process group of its own, so that Ctrl-C reaches this process alone and
// the command gets one signal.
func runSAM(ctx context.Context, command []string, listen, hello string) error {
	if len(command) == 0 {
		fmt.Print(hello, "It answers when `sam local start-api` runs in another terminal.\n\n")
		return nil
	}
	sam := exec.CommandContext(ctx, command[0], command[1:]...)
	sam.Stdout, sam.Stderr = os.Stdout, os.Stderr
	sam.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	sam.Cancel = func() error { return sam.Process.Signal(syscall.SIGTERM) }
	sam.WaitDelay = samPatience
	if err := sam.Start(); err != nil {
		return err
	}
	running, end := context.WithCancel(ctx)
	var greeting sync.WaitGroup
	greeting.Go(func() {
		awaitListener(running, listen)
		fmt.Print(hello) // even if the command failed: the credentials are shown only once
	})
	err := sam.Wait()
	end()
	greeting.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("%s ended: %v", strings.Join(command, " "), err)
}

// awaitListener waits until something listens on the address, or ctx ends.
func awaitListener(ctx context.Context, address string) {
	for ctx.Err() == nil {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// withBaseURL adds the address of `sam local start-api`, which listens where the local
// server would.
func withBaseURL(env boot.Env) (boot.Env, error) {
	if env.BaseURL != "" {
		return env, nil
	}
	address, err := net.ResolveTCPAddr("tcp", env.Listen)
	if err != nil {
		return env, fmt.Errorf("GATEHOUSE_LISTEN: %w", err)
	}
	env.BaseURL = boot.ListenURL(address)
	return env, nil
}

// mayListen returns the error of the local server if the command cannot listen, before
// anything is made.
func mayListen(env boot.Env, command []string) error {
	if len(command) == 0 {
		return nil
	}
	listener, err := listen(env)
	if err != nil {
		return err
	}
	return listener.Close()
}

// openForSAM opens the store on an emulator, with the key of this machine: the stand-in
// never hands out the key of a deployment.
func openForSAM(ctx context.Context, env boot.Env, template string) (*backend.Backend, error) {
	if env.DynamoDBEndpoint == "" {
		return nil, errors.New("AWS_ENDPOINT_URL_DYNAMODB has to name an emulator of DynamoDB")
	}
	env.Store, env.KeySecretARN = "dynamodb", ""
	return backend.Open(ctx, env, template)
}

// listenForContainers listens where containers reach this machine: at the address of
// the Docker bridge or, where Docker runs in a virtual machine and there is no such
// interface, on loopback. It returns the network that callers come from.
func listenForContainers(bridge string) (net.Listener, *net.IPNet, error) {
	at := &net.IPNet{IP: net.IPv4(127, 0, 0, 1), Mask: net.CIDRMask(8, 32)}
	if i, err := net.InterfaceByName(bridge); err == nil {
		if at, err = ipv4(i); err != nil {
			return nil, nil, err
		}
	}
	listener, err := net.Listen("tcp4", net.JoinHostPort(at.IP.String(), "0"))
	if err != nil {
		return nil, nil, fmt.Errorf("listen for containers: %w", err)
	}
	return listener, at, nil
}

// ipv4 returns the address of an interface with its network.
func ipv4(i *net.Interface) (*net.IPNet, error) {
	addresses, err := i.Addrs()
	if err != nil {
		return nil, err
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil {
			return n, nil
		}
	}
	return nil, fmt.Errorf("the interface %s has no address", i.Name)
}

// writeEnvVars writes what the functions in `sam local` need to know, for its option
// --env-vars.
func writeEnvVars(path string, env boot.Env, at net.Addr) error {
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return err
	}
	endpoint := "http://" + net.JoinHostPort(containerHost, port)
	text, err := json.MarshalIndent(map[string]map[string]string{"Parameters": {
		"GATEHOUSE_BASE_URL":               env.BaseURL,
		"GATEHOUSE_TABLE_PREFIX":           env.TablePrefix,
		"GATEHOUSE_KEY_SECRET_ARN":         "the key of this machine",
		"AWS_ENDPOINT_URL_DYNAMODB":        endpoint,
		"AWS_ENDPOINT_URL_SECRETS_MANAGER": endpoint,
	}}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}
