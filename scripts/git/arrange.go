package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"gatehouse/scripts/rest"
)

const password = "a walk in the park"

// Roles, by the access levels of the REST API.
const (
	guest     = 10
	reporter  = 20
	developer = 30
)

// world has two private projects and an internal one in a group, and tokens.
type world struct {
	server *server
	group  string
	ids    map[string]int64 // of the projects, by their paths
	// Tokens of a developer of the project web, unless the name says otherwise.
	write, read, oauth, revoked          string
	reporterWrites, guestReads, stranger string
}

// arrange makes the world through the REST API.
func arrange(ctx context.Context, r *caller, s *server) (*world, error) {
	suffix := fmt.Sprint(time.Now().UnixNano())
	w := &world{server: s, group: "acme" + suffix, ids: map[string]int64{}}
	groupID := r.post(ctx, "/groups", body{"name": "Acme", "path": w.group, "visibility": "internal"})
	for path, visibility := range map[string]string{"web": "private", "hidden": "private", "open": "internal"} {
		w.ids[path] = r.post(ctx, "/projects", body{"name": path, "path": path, "namespace_id": groupID, "visibility": visibility})
		if _, err := git(ctx, s.dir, "init", "--quiet", "--bare", w.repository(path)); err != nil {
			return nil, err
		}
	}
	person := func(name string, role int) int64 {
		name += suffix
		id := r.post(ctx, "/users", body{"username": name, "name": name, "email": name + "@example.com", "password": password})
		if role > 0 {
			r.post(ctx, fmt.Sprintf("/projects/%d/members", w.ids["web"]), body{"user_id": id, "access_level": role})
		}
		return id
	}
	dana := person("dana", developer)
	w.write = r.token(ctx, dana, "write_repository")
	w.read = r.token(ctx, dana, "read_repository")
	w.revoked = r.token(ctx, dana, "write_repository")
	r.call(ctx, http.MethodDelete, fmt.Sprintf("/personal_access_tokens/%d", r.lastToken), nil)
	w.oauth = r.passwordGrant(ctx, "dana"+suffix, "read_repository")
	w.reporterWrites = r.token(ctx, person("rita", reporter), "write_repository")
	w.guestReads = r.token(ctx, person("gus", guest), "read_repository")
	w.stranger = r.token(ctx, person("stan", 0), "write_repository")
	return w, r.err
}

// repository returns the directory of a project's bare repository.
func (w *world) repository(project string) string {
	return filepath.Join(w.server.repositories(), fmt.Sprintf("%d.git", w.ids[project]))
}

// url returns the address of a repository as people with this token write it.
func (w *world) url(path, token string) string {
	u := url.URL{Scheme: "http", Host: w.server.address, Path: path}
	if token != "" {
		u.User = url.UserPassword("oauth2", token)
	}
	return u.String()
}

type body map[string]any

// caller calls Gatehouse as an administrator. After the first error it makes no
// more calls.
type caller struct {
	rest.Client
	lastToken int64
	err       error
}

type answer struct {
	ID          int64
	Token       string
	AccessToken string `json:"access_token"`
}

func (r *caller) post(ctx context.Context, path string, b body) int64 {
	return r.call(ctx, http.MethodPost, path, b).ID
}

func (r *caller) token(ctx context.Context, user int64, scope string) string {
	a := r.call(ctx, http.MethodPost, fmt.Sprintf("/users/%d/personal_access_tokens", user), body{"name": "Git", "scopes": []string{scope}})
	r.lastToken = a.ID
	return a.Token
}

func (r *caller) passwordGrant(ctx context.Context, username, scope string) string {
	return r.send(ctx, http.MethodPost, "/oauth/token", body{
		"grant_type": "password", "username": username, "password": password, "scope": scope,
	}).AccessToken
}

func (r *caller) call(ctx context.Context, method, path string, params any) answer {
	return r.send(ctx, method, "/api/v4"+path, params)
}

func (r *caller) send(ctx context.Context, method, path string, params any) (a answer) {
	if r.err == nil {
		r.err = r.Call(ctx, method, path, params, &a)
	}
	return a
}
