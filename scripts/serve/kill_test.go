package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// integration makes a project with an integration, and returns the project's
// id, the path of the integration's address and its key.
func (p *process) integration(t *testing.T) (projectID int64, path, key string) {
	t.Helper()
	var project struct{ ID int64 }
	p.create(t, "/projects", map[string]any{"path": "web"}, &project)
	var made struct {
		URL string
		Key string `json:"authorization_key"`
	}
	p.create(t, fmt.Sprintf("/projects/%d/monitor/integrations", project.ID), map[string]any{"name": "Test", "type": "http", "active": true}, &made)
	return project.ID, strings.TrimPrefix(made.URL, p.url), made.Key
}

func (p *process) create(t *testing.T, path string, params, into any) {
	t.Helper()
	status, answer, err := p.call("POST", "/api/v4"+path, params)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("POST %s: %d %s, %v", path, status, answer, err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		t.Fatal(err)
	}
}

// notify sends an alert and reports whether it was acknowledged.
func (p *process) notify(path, key, title string) bool {
	r, err := http.NewRequest("POST", p.url+path, strings.NewReader(fmt.Sprintf(`{"title":%q}`, title)))
	if err != nil {
		return false
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err == nil && answer.StatusCode == http.StatusOK
}

// titles returns how many alerts the project has, by their titles.
func (p *process) titles(t *testing.T, projectID int64) map[string]int {
	t.Helper()
	titles := map[string]int{}
	for page := 1; ; page++ {
		var alerts []struct{ Title string }
		status, answer, err := p.call("GET", fmt.Sprintf("/api/v4/projects/%d/monitor/alerts?per_page=100&page=%d", projectID, page), nil)
		if err != nil || status != http.StatusOK || json.Unmarshal(answer, &alerts) != nil {
			t.Fatalf("list alerts: %d %s, %v", status, answer, err)
		}
		for _, a := range alerts {
			titles[a.Title]++
		}
		if len(alerts) < 100 {
			return titles
		}
	}
}

// Ten times over, every alert that was answered with 200 before the process
// was killed is there, once, when it runs again.
func TestKillLosesNoAcknowledgedAlert(t *testing.T) {
	data := t.TempDir()
	p := start(t, data)
	projectID, path, key := p.integration(t)
	var acknowledged sync.Map
	for round := range 10 {
		var count atomic.Int32
		var stopped atomic.Bool
		var senders sync.WaitGroup
		for sender := range 4 {
			senders.Go(func() {
				for i := 0; !stopped.Load(); i++ {
					if title := fmt.Sprintf("%d-%d-%d", round, sender, i); p.notify(path, key, title) {
						acknowledged.Store(title, true)
						count.Add(1)
					}
				}
			})
		}
		for count.Load() < 40 {
			time.Sleep(time.Millisecond)
		}
		p.stop(t, syscall.SIGKILL)
		stopped.Store(true)
		senders.Wait()
		p = start(t, data)
	}
	titles := p.titles(t, projectID)
	acknowledged.Range(func(title, _ any) bool {
		if n := titles[title.(string)]; n != 1 {
			t.Errorf("alert %s was acknowledged before the kill; after it there are %d", title, n)
		}
		return true
	})
	p.stop(t, syscall.SIGTERM)
}
