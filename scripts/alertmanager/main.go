// Command alertmanager drives Gatehouse by a real Alertmanager with a receiver
// for each way to authorize: alerts fire, repeat and resolve, alone, mixed and
// a hundred at once, and one request is refused. What is open afterwards must
// be what Alertmanager says is firing.
//
// GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's
// token. It needs prometheus-alertmanager.
package main

import (
	"context"
	"fmt"
	"os"

	"gatehouse/scripts/rest"
)

func main() { rest.Main("alertmanager", run) }

func run(ctx context.Context, admin rest.Client) error {
	dir, err := os.MkdirTemp("", "gatehouse-alertmanager-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	gate, err := newGate(admin.Base)
	if err != nil {
		return err
	}
	defer gate.Close()
	s := &site{admin}
	receivers, err := s.arrange(ctx)
	if err != nil {
		return fmt.Errorf("arrange projects and integrations: %w", err)
	}
	manager, err := startManager(ctx, dir, gate.URL, receivers)
	if err != nil {
		return err
	}
	defer manager.stop()
	w := &world{site: s, manager: manager, gate: gate, receivers: receivers}
	for _, c := range checks {
		if err := c.check(ctx, w); err != nil {
			return fmt.Errorf("%s: %w\nAlertmanager says:\n%s", c.promise, err, manager.log())
		}
		fmt.Println("alertmanager:", c.promise)
	}
	return nil
}
