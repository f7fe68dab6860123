// Command x-oauth2 is a third-party application written with
// golang.org/x/oauth2. It registers itself, sends a user through sign-in and
// consent as a browser would, and uses, refreshes and revokes the tokens.
//
// GATEHOUSE_URL names the server, GATEHOUSE_ROOT_TOKEN an administrator's
// token.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const (
	callback = "http://127.0.0.1:9/callback" // nobody listens: the walk stops before it
	password = "a walk in the park"
)

func main() {
	base, token := os.Getenv("GATEHOUSE_URL"), os.Getenv("GATEHOUSE_ROOT_TOKEN")
	if err := run(base, token); err != nil {
		fmt.Fprintln(os.Stderr, "x-oauth2:", err)
		os.Exit(1)
	}
	fmt.Println("x-oauth2: registered, authorized, exchanged with S256, read /user, refreshed, revoked, saw 401")
}

func run(base, rootToken string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	admin := rest{base, rootToken}
	name := fmt.Sprintf("walker%d", time.Now().UnixNano())
	if err := admin.createUser(ctx, name); err != nil {
		return err
	}
	config, err := admin.register(ctx)
	if err != nil {
		return err
	}
	code, verifier, err := authorize(ctx, config, name)
	if err != nil {
		return err
	}
	first, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		return fmt.Errorf("exchange: %w", err)
	}
	if err := whoAmI(ctx, config.Client(ctx, first), base, name); err != nil {
		return err
	}
	first.Expiry = time.Now().Add(-time.Hour) // makes the library refresh
	second, err := config.TokenSource(ctx, first).Token()
	if err != nil {
		return fmt.Errorf("refresh: %w", err)
	}
	return endOfTokens(ctx, base, name, config, first, second)
}

// endOfTokens checks that a refresh and a revocation end what came before.
func endOfTokens(ctx context.Context, base, name string, config *oauth2.Config, first, second *oauth2.Token) error {
	if second.AccessToken == first.AccessToken || second.RefreshToken == first.RefreshToken {
		return fmt.Errorf("the refresh gave the same tokens again")
	}
	if err := wantUnauthorized(ctx, base, first.AccessToken); err != nil {
		return fmt.Errorf("the old access token after the refresh: %w", err)
	}
	if err := whoAmI(ctx, config.Client(ctx, second), base, name); err != nil {
		return err
	}
	if err := revoke(ctx, base, config, second.AccessToken); err != nil {
		return err
	}
	if err := wantUnauthorized(ctx, base, second.AccessToken); err != nil {
		return fmt.Errorf("the access token after its revocation: %w", err)
	}
	second.Expiry = time.Now().Add(-time.Hour)
	if _, err := config.TokenSource(ctx, second).Token(); err == nil {
		return fmt.Errorf("the refresh token works after its revocation")
	}
	return nil
}

// authorize sends the user through sign-in and consent, and returns the code
// that came back with the right state, and the verifier for it.
func authorize(ctx context.Context, config *oauth2.Config, name string) (code, verifier string, err error) {
	verifier = oauth2.GenerateVerifier()
	state := oauth2.GenerateVerifier()
	person, err := newBrowser()
	if err != nil {
		return "", "", err
	}
	back, err := person.walk(ctx, config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), map[string]string{
		"login": name, "password": password, "decision": "approve",
	})
	if err != nil {
		return "", "", fmt.Errorf("sign in and approve: %w", err)
	}
	query := back.Query()
	if !strings.HasPrefix(back.String(), callback) || query.Get("state") != state || query.Get("code") == "" {
		return "", "", fmt.Errorf("the browser came back with %s", back)
	}
	return query.Get("code"), verifier, nil
}

func whoAmI(ctx context.Context, client *http.Client, base, want string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/v4/user", nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var me struct{ Username string }
	if err := json.NewDecoder(resp.Body).Decode(&me); err != nil {
		return fmt.Errorf("/user with the token: status %d, %w", resp.StatusCode, err)
	}
	if me.Username != want {
		return fmt.Errorf("/user with the token: status %d, user name %q", resp.StatusCode, me.Username)
	}
	return nil
}

func wantUnauthorized(ctx context.Context, base, token string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/v4/user", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		return fmt.Errorf("status %d, want 401", resp.StatusCode)
	}
	return nil
}

// revoke asks for it by hand: the library has no call for RFC 7009.
func revoke(ctx context.Context, base string, config *oauth2.Config, token string) error {
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
