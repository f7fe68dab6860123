package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"golang.org/x/oauth2"
)

// rest calls the REST API as an administrator.
type rest struct{ base, token string }

func (r rest) createUser(ctx context.Context, name string) error {
	return r.post(ctx, "/users", map[string]any{
		"username": name, "name": "Walker", "email": name + "@example.com", "password": password,
	}, &struct{}{})
}

// register makes an application and returns what the library needs of it.
func (r rest) register(ctx context.Context) (*oauth2.Config, error) {
	var app struct {
		ID     string `json:"application_id"`
		Secret string `json:"secret"`
	}
	err := r.post(ctx, "/applications", map[string]any{
		"name": "x-oauth2", "redirect_uri": callback, "scopes": "api read_user",
	}, &app)
	return &oauth2.Config{
		ClientID: app.ID, ClientSecret: app.Secret, RedirectURL: callback, Scopes: []string{"read_user"},
		Endpoint: oauth2.Endpoint{AuthURL: r.base + "/oauth/authorize", TokenURL: r.base + "/oauth/token"},
	}, err
}

func (r rest) post(ctx context.Context, path string, body, answer any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base+"/api/v4"+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	req.Header.Set("PRIVATE-TOKEN", r.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return fmt.Errorf("POST %s: status %d", path, resp.StatusCode)
	}
	return json.NewDecoder(resp.Body).Decode(answer)
}
