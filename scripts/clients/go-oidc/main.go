// Command go-oidc is a third-party application written with
// github.com/coreos/go-oidc. It is told the server's address and finds out the
// rest, signs a person in, verifies who that is, and asks silently whether the
// person still is signed in.
//
// GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's
// token.
package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"gatehouse/scripts/clients/people"
)

func main() { people.Run("go-oidc", run) }

// application is the relying party.
type application struct {
	oauth2.Config
	provider *oidc.Provider
	person   *people.Person
}

func run(ctx context.Context, admin people.Administrator) (did string, err error) {
	app := application{}
	if app.person, err = people.Newcomer(ctx, admin); err != nil {
		return "", err
	}
	if app.Config, err = admin.Register(ctx, "go-oidc", "openid", "profile", "email"); err != nil {
		return "", err
	}
	if app.provider, err = oidc.NewProvider(ctx, admin.Base); err != nil {
		return "", fmt.Errorf("discovery: %w", err)
	}
	app.Endpoint, app.Scopes = app.provider.Endpoint(), []string{"openid", "email"}
	token, err := app.signIn(ctx)
	if err != nil {
		return "", err
	}
	if token, err = app.refresh(ctx, token); err != nil {
		return "", err
	}
	if err := app.askSilently(ctx); err != nil {
		return "", err
	}
	if err := people.Revoke(ctx, admin.Base, app.Config, token.AccessToken); err != nil {
		return "", err
	}
	if _, err := app.provider.UserInfo(ctx, oauth2.StaticTokenSource(token)); err == nil {
		return "", fmt.Errorf("userinfo answers to a revoked token")
	}
	return "discovered, registered, authorized, verified the id_token, read userinfo, refreshed, asked silently, revoked", nil
}

// authorize sends the person to the server and returns the answer. To a request with the
// scope openid it must name the issuer (RFC 9207).
func (app application) authorize(ctx context.Context, options ...oauth2.AuthCodeOption) (url.Values, error) {
	state := oauth2.GenerateVerifier()
	back, err := app.person.Authorize(ctx, app.AuthCodeURL(state, options...), state)
	if err != nil {
		return nil, err
	}
	var issuer struct {
		Issuer string `json:"issuer"`
	}
	if err := app.provider.Claims(&issuer); err != nil {
		return nil, err
	}
	if back.Get("iss") != issuer.Issuer {
		return nil, fmt.Errorf("the answer %v does not name the issuer %q", back, issuer.Issuer)
	}
	return back, nil
}

func (app application) signIn(ctx context.Context) (*oauth2.Token, error) {
	nonce, verifier := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	back, err := app.authorize(ctx, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
	if err != nil {
		return nil, err
	}
	token, err := app.Exchange(ctx, back.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, fmt.Errorf("exchange: %w", err)
	}
	id, err := app.verify(ctx, token)
	if err != nil {
		return nil, err
	}
	if id.Nonce != nonce {
		return nil, fmt.Errorf("the id_token has the nonce %q", id.Nonce)
	}
	return token, app.compare(ctx, token, id)
}

// verify lets the library verify the id_token and its tie to the access token.
func (app application) verify(ctx context.Context, token *oauth2.Token) (*oidc.IDToken, error) {
	raw, _ := token.Extra("id_token").(string)
	id, err := app.provider.Verifier(&oidc.Config{ClientID: app.ClientID}).Verify(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("verify the id_token: %w", err)
	}
	return id, id.VerifyAccessToken(token.AccessToken)
}

// compare holds what userinfo tells against the id_token.
func (app application) compare(ctx context.Context, token *oauth2.Token, id *oidc.IDToken) error {
	info, err := app.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return fmt.Errorf("userinfo: %w", err)
	}
	var told struct {
		Username string `json:"preferred_username"`
	}
	if err := info.Claims(&told); err != nil {
		return err
	}
	if info.Subject != id.Subject || told.Username != app.person.Name || info.Email != app.person.Name+"@example.com" {
		return fmt.Errorf("userinfo tells of %q (%s, %s), the id_token of %q", told.Username, info.Subject, info.Email, id.Subject)
	}
	return nil
}

func (app application) refresh(ctx context.Context, token *oauth2.Token) (*oauth2.Token, error) {
	before, err := app.verify(ctx, token)
	if err != nil {
		return nil, err
	}
	token.Expiry = time.Now().Add(-time.Hour) // makes the library refresh
	if token, err = app.TokenSource(ctx, token).Token(); err != nil {
		return nil, fmt.Errorf("refresh: %w", err)
	}
	after, err := app.verify(ctx, token)
	if err == nil && after.Subject != before.Subject {
		err = fmt.Errorf("after the refresh the id_token tells of %q, not %q", after.Subject, before.Subject)
	}
	return token, err
}

// askSilently expects a code for a person who signed in and agreed before, and
// login_required in a browser in which nobody did.
func (app application) askSilently(ctx context.Context) error {
	if err := app.wantSilently(ctx, "code"); err != nil {
		return err
	}
	if err := app.person.OpenBrowser(); err != nil {
		return err
	}
	return app.wantSilently(ctx, "error")
}

func (app application) wantSilently(ctx context.Context, parameter string) error {
	back, err := app.authorize(ctx, oauth2.SetAuthURLParam("prompt", "none"))
	if err != nil {
		return fmt.Errorf("ask silently: %w", err)
	}
	if back.Get(parameter) == "" || back.Has("error") && back.Get("error") != "login_required" {
		return fmt.Errorf("asked silently, the server answered %v, want a %s", back, parameter)
	}
	return nil
}
