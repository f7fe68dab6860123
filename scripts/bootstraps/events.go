package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gatehouse/shared/route"
)

// event is a recorded event and what its function answers when the store is
// empty.
type event struct {
	name    string
	payload []byte
	want    answer
}

// answer is the part of an answer that is checked. A wanted Body is a part of
// the body.
type answer struct {
	StatusCode int    `json:"statusCode"`
	Body       string `json:"body"`
	Failures   []any  `json:"batchItemFailures"` // of an event of the stream
}

var wanted = map[string]answer{
	"health":                {StatusCode: 200, Body: `{"status":"ok"}`},
	"token-info":            {StatusCode: 401, Body: `"invalid_token"`},
	"token":                 {StatusCode: 401, Body: `"invalid_client"`},
	"openid-configuration":  {StatusCode: 200, Body: `"jwks_uri"`},
	"project":               {StatusCode: 401, Body: `"401 Unauthorized"`},
	"create-application":    {StatusCode: 401, Body: `"401 Unauthorized"`},
	"switch-error-tracking": {StatusCode: 401, Body: `"401 Unauthorized"`},
	"alert":                 {StatusCode: 404, Body: `"404 Project Not Found"`},
	"create-integration":    {StatusCode: 401, Body: `"401 Unauthorized"`},
	"sign-in":               {StatusCode: 200, Body: `<form`},
	"project-settings":      {StatusCode: 302},
	"messages":              {Failures: []any{}},
}

// readEvents returns the events in the directory by the name of the function
// that their route leads to.
func readEvents(dir string) (map[string][]event, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	all := map[string][]event{}
	for _, path := range paths {
		e := event{name: strings.TrimSuffix(filepath.Base(path), ".json")}
		e.want = wanted[e.name]
		if e.payload, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		function, err := functionOf(e.payload)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all[function] = append(all[function], e)
	}
	return all, nil
}

func functionOf(payload []byte) (string, error) {
	var e struct {
		RouteKey string `json:"routeKey"`
		Records  []any  // of a stream
	}
	if err := json.Unmarshal(payload, &e); err != nil {
		return "", err
	}
	if e.Records != nil {
		return route.Dispatcher, nil
	}
	for _, r := range route.Table {
		if e.RouteKey == r.Key() {
			return r.Function, nil
		}
	}
	return "", fmt.Errorf("no route %q", e.RouteKey)
}

// check compares a function's answer with the wanted one.
func (e event) check(out []byte) error {
	var got answer
	if err := json.Unmarshal(out, &got); err != nil {
		return err
	}
	if (got.Failures == nil) != (e.want.Failures == nil) || len(got.Failures) > 0 {
		return fmt.Errorf("answered %.200q, want no failures", out)
	}
	if got.StatusCode != e.want.StatusCode || !strings.Contains(got.Body, e.want.Body) {
		return fmt.Errorf("answered %d %.200q, want %d with %q", got.StatusCode, got.Body, e.want.StatusCode, e.want.Body)
	}
	return nil
}
