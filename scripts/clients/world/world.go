package main

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strings"

	"gatehouse/scripts/clients/people"
	"gatehouse/scripts/rest"
)

// world is what was made so far.
type world struct {
	admin  people.Administrator
	suffix string           // ends the name of every user and of every group at the top
	ids    map[string]int64 // of users, groups and projects, by their paths without the suffix
}

// place is a group or a project.
type place struct{ path, visibility string }

// Zoe, a stranger, is the newest user and owns the groups in which Ada is nobody. Ada
// sees market and harbour nevertheless. Luca is blocked.
var (
	users  = []string{"marco", "luca", "ada", "zoe"}
	groups = []place{
		{"bakery", "private"}, {"bakery/oven", "private"}, {"kitchen", "private"},
		{"vault", "private"}, {"market", "internal"}, {"harbour", "public"},
	}
	projects = []place{
		{"bakery/bread", "private"}, {"bakery/oven/doors", "private"}, {"kitchen/stove", "private"},
		{"vault/gold", "private"}, {"market/stall", "internal"}, {"harbour/crane", "public"},
	}
)

// The roles of memberships.
const (
	reporter  = 20
	developer = 30
	owner     = 50
)

// fill makes everything.
func (w world) fill(ctx context.Context) error {
	for _, name := range users {
		err := w.create(ctx, "/users", name, map[string]any{
			"username": w.named(name), "name": name, "email": email(w.named(name)),
			"password": people.Password, "skip_confirmation": true,
		})
		if err != nil {
			return err
		}
	}
	if err := w.admin.API(ctx, http.MethodPost, fmt.Sprintf("/users/%d/block", w.ids["luca"]), nil, nil); err != nil {
		return err
	}
	for _, g := range groups {
		if err := w.createIn(ctx, "/groups", "parent_id", g); err != nil {
			return err
		}
	}
	for _, p := range projects {
		if err := w.createIn(ctx, "/projects", "namespace_id", p); err != nil {
			return err
		}
	}
	if err := w.createNotes(ctx); err != nil {
		return err
	}
	return w.admit(ctx)
}

// createIn makes a group or a project in the group above it, which the parameter names.
func (w world) createIn(ctx context.Context, call, parameter string, p place) error {
	params := map[string]any{"name": path.Base(p.path), "path": path.Base(w.named(p.path)), "visibility": p.visibility}
	if above := path.Dir(p.path); above != "." {
		params[parameter] = w.ids[above]
	}
	return w.create(ctx, call, p.path, params)
}

// createNotes makes a project in Ada's own namespace.
func (w world) createNotes(ctx context.Context) error {
	var made struct{ Token string }
	params := map[string]any{"name": "world", "scopes": []string{"api"}}
	if err := w.admin.API(ctx, http.MethodPost, fmt.Sprintf("/users/%d/personal_access_tokens", w.ids["ada"]), params, &made); err != nil {
		return err
	}
	ada := rest.Client{Base: w.admin.Base, Token: made.Token}
	return ada.API(ctx, http.MethodPost, "/projects", map[string]any{"path": "notes"}, nil)
}

// admit gives Ada and Zoe their roles.
func (w world) admit(ctx context.Context) error {
	memberships := []struct {
		to, path, who string
		role          int
	}{
		{"groups", "bakery", "ada", owner},
		{"groups", "kitchen", "ada", developer},
		{"projects", "harbour/crane", "ada", reporter}, // and no role in its group
		{"groups", "vault", "zoe", owner},
		{"groups", "market", "zoe", owner},
		{"groups", "harbour", "zoe", owner},
	}
	for _, m := range memberships {
		call := fmt.Sprintf("/%s/%d/members", m.to, w.ids[m.path])
		params := map[string]any{"user_id": w.ids[m.who], "access_level": m.role}
		if err := w.admin.API(ctx, http.MethodPost, call, params, nil); err != nil {
			return err
		}
	}
	return nil
}

func (w world) create(ctx context.Context, call, path string, params any) error {
	var made struct{ ID int64 }
	err := w.admin.API(ctx, http.MethodPost, call, params, &made)
	w.ids[path] = made.ID
	return err
}

// named returns the path with the suffix.
func (w world) named(path string) string {
	top, rest, _ := strings.Cut(path, "/")
	return strings.TrimSuffix(top+w.suffix+"/"+rest, "/")
}

// all returns several paths with the suffix.
func (w world) all(paths ...string) []string {
	named := []string{}
	for _, path := range paths {
		named = append(named, w.named(path))
	}
	return named
}

func email(username string) string { return username + "@example.com" }
