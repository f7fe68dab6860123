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
}

var wanted = map[string]answer{
	"health":                {200, `{"status":"ok"}`},
	"token-info":            {401, `"invalid_token"`},
	"token":                 {401, `"invalid_client"`},
	"openid-configuration":  {200, `"jwks_uri"`},
	"project":               {401, `"401 Unauthorized"`},
	"create-application":    {401, `"401 Unauthorized"`},
	"switch-error-tracking": {401, `"401 Unauthorized"`},
	"alert":                 {404, `"404 Project Not Found"`},
	"create-integration":    {401, `"401 Unauthorized"`},
	"sign-in":               {200, `<form`},
	"project-settings":      {302, ""},
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
	}
	if err := json.Unmarshal(payload, &e); err != nil {
		return "", err
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
	if got.StatusCode != e.want.StatusCode || !strings.Contains(got.Body, e.want.Body) {
		return fmt.Errorf("answered %d %.200q, want %d with %q", got.StatusCode, got.Body, e.want.StatusCode, e.want.Body)
	}
	return nil
}
