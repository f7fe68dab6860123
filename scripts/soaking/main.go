// Command soaking calls a Gatehouse from eight threads while it is killed, or while its
// DynamoDB fails, and checks that what was acknowledged is true. See functions/docs/soak.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// options are what one types.
type options struct {
	minutes, rate float64
	seed          uint64
	program       string
}

func main() {
	var o options
	flag.Float64Var(&o.minutes, "minutes", 5, "how long to run")
	flag.Float64Var(&o.rate, "rate", 0.12, "faults: which part of the requests to DynamoDB fails")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "decides what happens when, as far as threads let it")
	flag.StringVar(&o.program, "server", ".cache/bin/gatehouse", "the server's `program`")
	flag.Parse()
	if err := run(flag.Arg(0), o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(what string, o options) error {
	data, err := os.MkdirTemp("", "soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	fmt.Printf("%s for %.1f minutes with --seed %d\n", what, o.minutes, o.seed)
	switch what {
	case "kills":
		return kills(data, o)
	case "faults":
		return faults(data, o)
	}
	return fmt.Errorf("what is %q? It is kills or faults", what)
}

// kills ends the server again and again, and checks after each start.
func kills(data string, o options) error {
	server, err := newServer(o.program, data, "GATEHOUSE_STORE=sqlite")
	if err != nil {
		return err
	}
	random, count := rand.New(rand.NewPCG(o.seed, 2)), 0
	return soak(server, o, func(turn *sync.RWMutex, s *site) error {
		time.Sleep(time.Second + time.Duration(random.Int64N(int64(4*time.Second))))
		if err := errors.Join(server.kill(), server.start()); err != nil {
			return err
		}
		count++
		turn.Lock()
		defer turn.Unlock()
		return s.check(false)
	}, func() { fmt.Printf("killed %d times\n", count) })
}

// faults has a part of the requests to DynamoDB fail, and checks every few seconds without
// faults.
func faults(data string, o options) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	p := newProxy(os.Getenv("AWS_ENDPOINT_URL_DYNAMODB"), o.rate, o.seed)
	url, err := listen(ctx, p)
	if err != nil {
		return err
	}
	server, err := newServer(o.program, data, "GATEHOUSE_STORE=dynamodb", "AWS_ENDPOINT_URL_DYNAMODB="+url, fmt.Sprintf("GATEHOUSE_TABLE_PREFIX=soak%d", o.seed))
	if err != nil {
		return err
	}
	return soak(server, o, func(turn *sync.RWMutex, s *site) error {
		p.on.Store(true)
		time.Sleep(15 * time.Second)
		turn.Lock()
		defer turn.Unlock()
		p.on.Store(false)
		return s.check(false)
	}, func() {
		for f, name := range names {
			fmt.Printf("%s: %d\n", name, p.injected[fault(f)])
		}
	})
}

// soak lets workers call the server and takes steps meanwhile, until the time is over or a
// check fails. Then it checks everything.
func soak(server *server, o options, step func(*sync.RWMutex, *site) error, tell func()) error {
	defer server.kill()
	s, err := newSite(server.url(), o.seed)
	if err != nil {
		return err
	}
	var turn sync.RWMutex
	var stopped atomic.Bool
	var working sync.WaitGroup
	working.Go(func() { s.work(o.seed, &turn, &stopped) })
	for end := time.Now().Add(time.Duration(o.minutes * float64(time.Minute))); err == nil && time.Now().Before(end); {
		err = step(&turn, s)
		if s.violated() {
			break
		}
	}
	stopped.Store(true)
	working.Wait()
	if err == nil {
		err = s.check(true)
	}
	tell()
	return errors.Join(err, s.verdict())
}
