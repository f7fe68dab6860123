package people

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"gatehouse/scripts/rest"

	"golang.org/x/oauth2"
)

// Administrator calls the REST API with an administrator's token.
type Administrator struct{ rest.Client }

func (a Administrator) createUser(ctx context.Context, name string) error {
	return a.API(ctx, http.MethodPost, "/users", map[string]any{
		"username": name, "name": "Walker", "email": name + "@example.com", "password": Password,
	}, nil)
}

// Register makes an application for these scopes and returns what it knows of
// itself.
func (a Administrator) Register(ctx context.Context, name string, scopes ...string) (oauth2.Config, error) {
	return a.RegisterWith(ctx, map[string]any{"name": name, "scopes": strings.Join(scopes, " ")})
}

// RegisterWith is Register with the API's parameters.
func (a Administrator) RegisterWith(ctx context.Context, params map[string]any) (oauth2.Config, error) {
	var app struct {
		ID     string `json:"application_id"`
		Secret string `json:"secret"`
	}
	params["redirect_uri"] = callback
	err := a.API(ctx, http.MethodPost, "/applications", params, &app)
	return oauth2.Config{ClientID: app.ID, ClientSecret: app.Secret, RedirectURL: callback}, err
}

// Revoke ends a token as the application does that has it. The libraries have
// no call for RFC 7009.
func Revoke(ctx context.Context, base string, config oauth2.Config, token string) error {
	form := url.Values{"token": {token}, "client_id": {config.ClientID}, "client_secret": {config.ClientSecret}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/oauth/revoke", strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("revoke: status %d", resp.StatusCode)
	}
	return nil
}
