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
	"time"

	"golang.org/x/oauth2"

	"gatehouse/scripts/clients/people"
)

func main() { people.Run("x-oauth2", run) }

func run(ctx context.Context, admin people.Administrator) (did string, err error) {
	person, err := people.Newcomer(ctx, admin)
	if err != nil {
		return "", err
	}
	config, err := admin.Register(ctx, "x-oauth2", "api", "read_user")
	if err != nil {
		return "", err
	}
	config.Scopes = []string{"read_user"}
	config.Endpoint = oauth2.Endpoint{AuthURL: admin.Base + "/oauth/authorize", TokenURL: admin.Base + "/oauth/token"}
	verifier, state := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
	back, err := person.Authorize(ctx, config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier)), state)
	if err != nil {
		return "", err
	}
	first, err := config.Exchange(ctx, back.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return "", fmt.Errorf("exchange: %w", err)
	}
	if err := whoAmI(ctx, config.Client(ctx, first), admin.Base, person.Name); err != nil {
		return "", err
	}
	first.Expiry = time.Now().Add(-time.Hour) // makes the library refresh
	second, err := config.TokenSource(ctx, first).Token()
	if err != nil {
		return "", fmt.Errorf("refresh: %w", err)
	}
	return "registered, authorized, exchanged with S256, read /user, refreshed, revoked, saw 401",
		endOfTokens(ctx, admin.Base, person.Name, config, first, second)
}

// endOfTokens checks that a refresh and a revocation end what came before.
func endOfTokens(ctx context.Context, base, name string, config oauth2.Config, first, second *oauth2.Token) error {
	if second.AccessToken == first.AccessToken || second.RefreshToken == first.RefreshToken {
		return fmt.Errorf("the refresh gave the same tokens again")
	}
	if err := wantUnauthorized(ctx, base, first.AccessToken); err != nil {
		return fmt.Errorf("the old access token after the refresh: %w", err)
	}
	if err := whoAmI(ctx, config.Client(ctx, second), base, name); err != nil {
		return err
	}
	if err := people.Revoke(ctx, base, config, second.AccessToken); err != nil {
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
