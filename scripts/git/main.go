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

	"gatehouse/scripts/rest"
)

func main() { rest.Main("git", run) }

func run(ctx context.Context, admin rest.Client) error {
	dir, err := os.MkdirTemp("", "gatehouse-git-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := startServer(ctx, dir, admin.Base)
	if err != nil {
		return err
	}
	defer s.stop()
	world, err := arrange(ctx, &caller{Client: admin}, s)
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
