package main

import (
	"context"
	"fmt"
	"net/url"

	"gatehouse/scripts/rest"
)

// site is Gatehouse, over its REST API.
type site struct{ rest.Client }

// receiver is a project that one of Alertmanager's receivers posts to.
type receiver struct {
	name      string
	maxAlerts int // the most alerts in a webhook; zero means no limit
	projectID int64
	path      string // of the integration's address
	key       string
}

// authorizations are the ways in which Alertmanager sends the key.
var authorizations = []string{"bearer", "basic", "url"}

// arrange makes a project with an integration for each receiver.
func (s *site) arrange(ctx context.Context) ([]*receiver, error) {
	receivers := []*receiver{{name: "truncating", maxAlerts: 60}}
	for _, name := range authorizations {
		receivers = append(receivers, &receiver{name: name})
	}
	for _, r := range receivers {
		var project struct{ ID int64 }
		if err := s.API(ctx, "POST", "/projects", map[string]any{"path": "by-" + r.name, "name": r.name}, &project); err != nil {
			return nil, err
		}
		var made struct {
			URL string
			Key string `json:"authorization_key"`
		}
		draft := map[string]any{"name": "Alertmanager", "type": "metrics", "active": true, "api_url": "http://metrics.example"}
		if err := s.API(ctx, "POST", fmt.Sprintf("/projects/%d/monitor/integrations", project.ID), draft, &made); err != nil {
			return nil, err
		}
		address, err := url.Parse(made.URL)
		if err != nil {
			return nil, err
		}
		r.projectID, r.path, r.key = project.ID, address.Path, made.Key
	}
	return receivers, nil
}

// alert is an alert in an answer of the REST API.
type alert struct {
	Title, Status string
	Events        int
}

// alerts returns every alert of the receiver's project, by title.
func (s *site) alerts(ctx context.Context, r *receiver) (map[string]alert, error) {
	all := map[string]alert{}
	for page := 1; ; page++ {
		var some []alert
		path := fmt.Sprintf("/projects/%d/monitor/alerts?per_page=100&page=%d", r.projectID, page)
		if err := s.API(ctx, "GET", path, nil, &some); err != nil {
			return nil, err
		}
		for _, a := range some {
			if before, twice := all[a.Title]; twice && before.Status != "resolved" && a.Status != "resolved" {
				return nil, fmt.Errorf("two open alerts are called %q", a.Title)
			} else if !twice || before.Status == "resolved" {
				all[a.Title] = a
			}
		}
		if len(some) < 100 {
			return all, nil
		}
	}
}

// truncated returns how many alerts the integration reports as left out.
func (s *site) truncated(ctx context.Context, r *receiver) (int, error) {
	var all []struct {
		Health struct {
			Truncated int `json:"truncated_alerts"`
		}
	}
	err := s.API(ctx, "GET", fmt.Sprintf("/projects/%d/monitor/integrations", r.projectID), nil, &all)
	if err != nil || len(all) != 1 {
		return 0, fmt.Errorf("%d integrations, want 1: %w", len(all), err)
	}
	return all[0].Health.Truncated, nil
}
