package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// intake is a project's integrations under load.
type intake struct {
	base           *url.URL
	plain, metrics address
}

// address is where an integration receives alerts.
type address struct{ path, header string }

// intake makes a project with an integration of each format.
func (s *subject) intake() (*intake, error) {
	project, err := s.create("/projects", map[string]any{"path": fmt.Sprintf("load%d", time.Now().UnixNano())})
	if err != nil {
		return nil, err
	}
	integrations := fmt.Sprintf("/projects/%.0f/monitor/integrations", project["id"])
	in := &intake{base: s.base}
	for kind, to := range map[string]*address{"http": &in.plain, "metrics": &in.metrics} {
		made, err := s.create(integrations, map[string]any{"name": "Load", "type": kind, "active": true, "api_url": "http://metrics.example"})
		if err != nil {
			return nil, err
		}
		there, err := url.Parse(made["url"].(string))
		if err != nil {
			return nil, err
		}
		*to = address{there.Path, fmt.Sprintf("Authorization: Bearer %s\r\nContent-Type: application/json\r\n", made["authorization_key"])}
	}
	return in, nil
}

// repeat sends the same alert each time, each client its own.
func (in *intake) repeat() operation {
	return func(c *conn, client, _ int) error {
		return in.post(c, in.plain, fmt.Sprintf(payload, "repeat", client))
	}
}

// open sends a new alert each time.
func (in *intake) open() operation {
	return func(c *conn, _, n int) error { return in.post(c, in.plain, fmt.Sprintf(payload, "new", n)) }
}

const payload = `{"title":"Disk almost full","severity":"high","service":"db","hosts":["db-1.example.com"],"fingerprint":"%s-%d",` +
	`"description":"The data volume is at 93 percent.","runbook":"https://runbooks.example.com/disk","usage":{"percent":93,"mount":"/var/lib"}}`

// webhook sends a hundred alerts in one request, always the same.
func (in *intake) webhook() operation {
	const item = `{"status":"firing","labels":{"alertname":"Test","instance":"node-%d","severity":"warning"},` +
		`"annotations":{"summary":"Instance node-%[1]d is down"},"startsAt":"2026-11-21T10:00:00Z","endsAt":"0001-01-01T00:00:00Z",` +
		`"generatorURL":"http://metrics.example/graph?g0.expr=up","fingerprint":"%016[1]x"}`
	var items []string
	for n := range 100 {
		items = append(items, fmt.Sprintf(item, n))
	}
	body := `{"version":"4","groupKey":"{}","status":"firing","receiver":"load","groupLabels":{},"commonLabels":{},` +
		`"commonAnnotations":{},"externalURL":"http://alerts.example","truncatedAlerts":0,"alerts":[` + strings.Join(items, ",") + `]}`
	return func(c *conn, _, _ int) error { return in.post(c, in.metrics, body) }
}

func (in *intake) post(c *conn, to address, body string) error {
	r, err := c.send(in.base, http.MethodPost, to.path, to.header, body)
	return r.expect(http.StatusOK, err)
}
