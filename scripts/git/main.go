// Command git clones, fetches and pushes with real Git through nginx, which
// asks Gatehouse about every request. nginx.conf beside it is the
// configuration that the documentation shows.
//
// GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's
// token. It needs nginx, fcgiwrap and git.
package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

func main() {
	if err := run(os.Getenv("GATEHOUSE_URL"), os.Getenv("GATEHOUSE_ROOT_TOKEN")); err != nil {
		fmt.Fprintln(os.Stderr, "git:", err)
		os.Exit(1)
	}
}

func run(gatehouse, rootToken string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "gatehouse-git-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := startServer(ctx, dir, gatehouse)
	if err != nil {
		return err
	}
	defer s.stop()
	world, err := arrange(ctx, &rest{base: gatehouse, adminToken: rootToken}, s)
	if err != nil {
		return fmt.Errorf("arrange users, projects and tokens: %w", err)
	}
	for _, c := range checks {
		if err := c.check(ctx, world); err != nil {
			return fmt.Errorf("%s: %w\nnginx says:\n%s", c.promise, err, s.errors())
		}
		fmt.Println("git:", c.promise)
	}
	return nil
}
