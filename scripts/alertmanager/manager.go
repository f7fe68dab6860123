package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"text/template"
	"time"

	"gatehouse/scripts/rest"
)

// manager is a running Alertmanager.
type manager struct {
	rest.Client
	logFile string
	process *exec.Cmd
	started map[string]time.Time // when each alert began to fire, by its title
}

// configuration makes Alertmanager send everything to every receiver, and repeat it
// every few seconds.
var configuration = template.Must(template.New("").Parse(`
route:
  receiver: {{(index . 0).Name}}
  group_by: [group]
  group_wait: 200ms
  group_interval: 1s
  repeat_interval: 3s
  routes:
{{- range .}}
    - receiver: {{.Name}}
      continue: true
{{- end}}
receivers:
{{- range .}}
  - name: {{.Name}}
    webhook_configs:
      - url: {{.URL}}
        send_resolved: true
        max_alerts: {{.MaxAlerts}}
        http_config: {{.Authorization}}
{{- end}}
`))

// configured is a receiver in the configuration.
type configured struct {
	Name, URL, Authorization string
	MaxAlerts                int
}

// configure returns how a receiver posts through the gate at this address.
func (r *receiver) configure(gate string) configured {
	c := configured{Name: r.name, URL: gate + r.path, Authorization: "{}", MaxAlerts: r.maxAlerts}
	switch r.name {
	case "basic":
		c.Authorization = fmt.Sprintf(`{basic_auth: {username: "", password: %s}}`, r.key)
	case "url":
		c.URL = strings.Replace(c.URL, "://", "://:"+r.key+"@", 1)
	default:
		c.Authorization = fmt.Sprintf(`{authorization: {type: Bearer, credentials: %s}}`, r.key)
	}
	return c
}

// startManager starts Alertmanager and waits until it is ready.
func startManager(ctx context.Context, dir, gate string, receivers []*receiver) (*manager, error) {
	var all []configured
	for _, r := range receivers {
		all = append(all, r.configure(gate))
	}
	var text bytes.Buffer
	if err := configuration.Execute(&text, all); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "alertmanager.yml")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		return nil, err
	}
	address, err := rest.FreeAddress()
	if err != nil {
		return nil, err
	}
	m := &manager{Client: rest.Client{Base: "http://" + address}, logFile: filepath.Join(dir, "log"), started: map[string]time.Time{}}
	m.process = exec.CommandContext(ctx, "prometheus-alertmanager", "--config.file="+file, "--storage.path="+dir,
		"--web.listen-address="+address, "--cluster.listen-address=")
	log, err := os.Create(m.logFile)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	m.process.Stdout, m.process.Stderr = log, log
	if err := m.process.Start(); err != nil {
		return nil, err
	}
	err = eventually(ctx, func() error { return m.Call(ctx, "GET", "/-/ready", nil, nil) })
	if err != nil {
		m.stop()
		return nil, fmt.Errorf("start Alertmanager: %w\n%s", err, m.log())
	}
	return m, nil
}

func (m *manager) stop() {
	_ = m.process.Process.Signal(syscall.SIGTERM)
	_ = m.process.Wait()
}

// log returns the end of what Alertmanager logged.
func (m *manager) log() string {
	text, err := os.ReadFile(m.logFile)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}

// fire starts alerts of a group, and resolve ends them.
func (m *manager) fire(ctx context.Context, group string, names ...string) error {
	for _, name := range names {
		m.started[title(group, name)] = time.Now()
	}
	return m.post(ctx, group, names, time.Now().Add(time.Hour))
}

func (m *manager) resolve(ctx context.Context, group string, names ...string) error {
	return m.post(ctx, group, names, time.Now())
}

func (m *manager) post(ctx context.Context, group string, names []string, end time.Time) error {
	var alerts []map[string]any
	for _, name := range names {
		alerts = append(alerts, map[string]any{
			"labels":      map[string]string{"alertname": "Test", "group": group, "instance": name, "severity": "warning"},
			"annotations": map[string]string{"summary": title(group, name)},
			"startsAt":    m.started[title(group, name)].UTC().Format(time.RFC3339Nano),
			"endsAt":      end.UTC().Format(time.RFC3339Nano), "generatorURL": "http://metrics.example/graph?g0.expr=up",
		})
	}
	return m.Call(ctx, "POST", "/api/v2/alerts", alerts, nil)
}

func title(group, name string) string { return group + " " + name }

// firing returns the titles of the alerts that fire according to Alertmanager.
func (m *manager) firing(ctx context.Context) (map[string]bool, error) {
	var alerts []struct{ Annotations map[string]string }
	if err := m.Call(ctx, "GET", "/api/v2/alerts?active=true", nil, &alerts); err != nil {
		return nil, err
	}
	titles := map[string]bool{}
	for _, a := range alerts {
		titles[a.Annotations["summary"]] = true
	}
	return titles, nil
}

// eventually tries until there is no error, and returns the last one after a while.
func eventually(ctx context.Context, try func() error) error {
	deadline := time.Now().Add(30 * time.Second)
	for {
		err := try()
		if err == nil || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
