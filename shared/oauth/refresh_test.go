package oauth_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
)

func TestRefreshReplacesThePair(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	first := f.tokens(t)
	f.advance(3 * time.Hour) // the access token is long expired
	second := f.mustToken(t, f.refreshRequest(first.Refresh))
	f.wantAlive(t, first, false)
	f.wantAlive(t, second, true)
	if second.ExpiresIn != 7200*time.Second || !second.CreatedAt.Equal(f.now()) {
		t.Errorf("second pair: %+v", second)
	}
	f.mustToken(t, f.refreshRequest(second.Refresh))
}

func TestRefreshErrors(t *testing.T) {
	tests := []struct {
		name   string
		change func(*fixture, *oauth.TokenRequest)
		want   oauth.Code
	}{
		{"no token", func(_ *fixture, r *oauth.TokenRequest) { r.RefreshToken = secret.Text{} }, oauth.InvalidRequest},
		{"malformed verifier", func(_ *fixture, r *oauth.TokenRequest) { r.CodeVerifier = "short" }, oauth.InvalidRequest},
		{"made-up token", func(_ *fixture, r *oauth.TokenRequest) { r.RefreshToken = secret.NewText("x") }, oauth.InvalidGrant},
		{"made-up token and bad client", func(_ *fixture, r *oauth.TokenRequest) {
			r.RefreshToken, r.Client.Secret = secret.NewText("x"), secret.NewText("wrong")
		}, oauth.InvalidGrant},
		{"wrong secret", func(_ *fixture, r *oauth.TokenRequest) { r.Client.Secret = secret.NewText("wrong") }, oauth.InvalidClient},
		{"no credentials", func(_ *fixture, r *oauth.TokenRequest) { r.Client = oauth.Credentials{} }, oauth.InvalidGrant},
		{"confidential client by name alone", func(_ *fixture, r *oauth.TokenRequest) { r.Client.Secret = secret.Text{} }, oauth.InvalidClient},
		{"another client", func(f *fixture, r *oauth.TokenRequest) {
			r.Client = oauth.Credentials{ClientID: f.public.ClientID}
		}, oauth.InvalidGrant},
		{"another redirect_uri", func(_ *fixture, r *oauth.TokenRequest) { r.RedirectURI = "https://other.example/" }, oauth.InvalidGrant},
		{"wrong verifier", func(_ *fixture, r *oauth.TokenRequest) { r.CodeVerifier = verifier[1:] + "x" }, oauth.InvalidGrant},
		{"wider scope", func(_ *fixture, r *oauth.TokenRequest) { r.Scope = "api read_user" }, oauth.InvalidScope},
		{"malformed scope", func(_ *fixture, r *oauth.TokenRequest) { r.Scope = "api\tapi" }, oauth.InvalidScope},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{})
			good := f.refreshRequest(f.tokens(t).Refresh)
			bad := good
			test.change(f, &bad)
			f.wantRefused(t, bad, test.want)
			good.RedirectURI, good.CodeVerifier = redirectURI, verifier // accepted, though never required
			f.mustToken(t, good)
		})
	}
}

func TestRefreshNarrowsTheScopeForGood(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	authorize := f.authorizeRequest()
	authorize.Scope = "api read_user"
	exchange := f.exchangeRequest(t)
	exchange.Code = f.approve(t, f.client, authorize)
	wide := f.mustToken(t, exchange)

	req := f.refreshRequest(wide.Refresh)
	req.Scope = "read_user"
	narrow := f.mustToken(t, req)
	narrow = f.mustToken(t, f.refreshRequest(narrow.Refresh))
	if diff := cmp.Diff(scope.Of(scope.ReadUser), narrow.Scopes); diff != "" {
		t.Errorf("scopes after narrowing (-want +got):\n%s", diff)
	}
	req = f.refreshRequest(narrow.Refresh)
	req.Scope = "api"
	f.wantRefused(t, req, oauth.InvalidScope)
}

func TestConcurrentRefreshesHaveOneWinnerWhosePairIsGood(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	req := f.refreshRequest(f.tokens(t).Refresh)
	var winner atomic.Pointer[oauth.Tokens]
	var won atomic.Int32
	var callers sync.WaitGroup
	for range 100 {
		callers.Go(func() {
			tokens, err := f.Token(t.Context(), req)
			if err == nil {
				won.Add(1)
				winner.Store(&tokens)
			} else if codeOf(err) != oauth.InvalidGrant {
				t.Errorf("a loser got %v, want invalid_grant", err)
			}
		})
	}
	callers.Wait()
	if got := won.Load(); got != 1 {
		t.Fatalf("%d of 100 callers refreshed, want 1", got)
	}
	f.wantAlive(t, *winner.Load(), true)
	f.mustToken(t, f.refreshRequest(winner.Load().Refresh))
}

// An old refresh token is harmless for ten seconds after its rotation, and
// theft from then on.
func TestReusedRefreshToken(t *testing.T) {
	tests := []struct {
		name      string
		rotations []time.Duration // the time before each refresh
		reuse     int             // which pair's refresh token comes again
		after     time.Duration   // so long after the last rotation
		alive     bool            // the newest pair stays good
	}{
		{"parent at once", []time.Duration{time.Hour}, 0, 0, true},
		{"parent within the race", []time.Duration{time.Hour}, 0, 9 * time.Second, true},
		{"parent later", []time.Duration{time.Hour}, 0, 10 * time.Second, false},
		{"grandparent within the race", []time.Duration{time.Hour, 2 * time.Second}, 0, 3 * time.Second, true},
		{"grandparent later", []time.Duration{time.Hour, 2 * time.Second}, 0, 8 * time.Second, false},
		{"grandparent of long ago", []time.Duration{time.Hour, time.Hour}, 0, 0, false},
		{"ancestor", []time.Duration{time.Hour, time.Hour, time.Hour}, 0, 0, false},
		{"parent by a clock behind", []time.Duration{time.Hour}, 0, -time.Minute, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{})
			pairs := []oauth.Tokens{f.tokens(t)}
			for _, wait := range test.rotations {
				f.advance(wait)
				pairs = append(pairs, f.mustToken(t, f.refreshRequest(pairs[len(pairs)-1].Refresh)))
			}
			f.advance(test.after)
			f.wantRefused(t, f.refreshRequest(pairs[test.reuse].Refresh), oauth.InvalidGrant)
			f.wantAlive(t, pairs[len(pairs)-1], test.alive)
		})
	}
}

func TestReuseByAnotherClientRevokesNothing(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	first := f.tokens(t)
	second := f.mustToken(t, f.refreshRequest(first.Refresh))
	f.advance(time.Hour)
	for name, credentials := range map[string]oauth.Credentials{
		"nobody":       {},
		"wrong secret": {ClientID: f.client.ClientID, Secret: secret.NewText("wrong")},
		"other client": {ClientID: f.public.ClientID},
	} {
		req := f.refreshRequest(first.Refresh)
		req.Client = credentials
		if _, err := f.Token(t.Context(), req); err == nil {
			t.Errorf("%s refreshed with an old token", name)
		}
		f.wantAlive(t, second, true)
	}
}

// With refresh_retry_seconds the same client gets the same pair again.
func TestRetriedRefresh(t *testing.T) {
	tests := []struct {
		name  string
		first string // scope of the refresh whose answer was lost
		retry string // scope of the retry
		after time.Duration
		same  bool
	}{
		{"at once", "", "", 0, true},
		{"at the end of the window", "", "", 19 * time.Second, true},
		{"after the window", "", "", 20 * time.Second, false},
		{"same scope", "api", "api", time.Second, true},
		{"same narrow scope", "read_user", "read_user", time.Second, true},
		{"another scope", "read_user", "api", time.Second, false},
		{"scope left out", "read_user", "", time.Second, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{RefreshRetry: 20 * time.Second})
			authorize := f.authorizeRequest()
			authorize.Scope = "api read_user"
			exchange := f.exchangeRequest(t)
			exchange.Code = f.approve(t, f.client, authorize)
			req := f.refreshRequest(f.mustToken(t, exchange).Refresh)
			req.Scope = test.first
			lost := f.mustToken(t, req)

			f.advance(test.after)
			req.Scope = test.retry
			if !test.same {
				f.wantRefused(t, req, oauth.InvalidGrant)
				return
			}
			again := f.mustToken(t, req)
			if again.Access != lost.Access || again.Refresh != lost.Refresh {
				t.Error("the retry got another pair")
			}
			if want := 7200*time.Second - test.after; again.ExpiresIn != want {
				t.Errorf("the retry's pair expires in %s, want %s", again.ExpiresIn, want)
			}
		})
	}
}

// An application's own time counts in place of the instance's, also none at all.
func TestRetryWithinTheApplicationsOwnTime(t *testing.T) {
	tests := []struct {
		name     string
		instance time.Duration
		own      *int64
		after    time.Duration
		same     bool
	}{
		{"own time", 0, new(int64(10)), 9 * time.Second, true},
		{"after the own time", 20 * time.Second, new(int64(5)), 5 * time.Second, false},
		{"none", 20 * time.Second, new(int64(0)), 0, false},
		{"as the instance says", 20 * time.Second, nil, 19 * time.Second, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{RefreshRetry: test.instance})
			registration := f.client.Registration(false)
			registration.RefreshRetry = test.own
			if _, err := f.ChangeClient(t.Context(), audit.ByUser(f.user.ID), f.client, registration); err != nil {
				t.Fatal(err)
			}
			req := f.refreshRequest(f.tokens(t).Refresh)
			lost := f.mustToken(t, req)
			f.advance(test.after)
			if !test.same {
				f.wantRefused(t, req, oauth.InvalidGrant)
			} else if again := f.mustToken(t, req); again.Access != lost.Access {
				t.Error("the retry got another pair")
			}
		})
	}
}

func TestRetryAfterTheNewPairWasRefreshed(t *testing.T) {
	f := newFixture(t, oauth.Settings{RefreshRetry: 30 * time.Second})
	first := f.tokens(t)
	second := f.mustToken(t, f.refreshRequest(first.Refresh))
	third := f.mustToken(t, f.refreshRequest(second.Refresh))
	f.wantRefused(t, f.refreshRequest(first.Refresh), oauth.InvalidGrant)
	f.wantAlive(t, third, true)
}

func TestRefreshWorksAfterTheAccessTokenExpired(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tokens := f.tokens(t)
	f.advance(oauth.AccessLifetime)
	f.wantAlive(t, tokens, false)
	f.wantAlive(t, f.mustToken(t, f.refreshRequest(tokens.Refresh)), true)
}

// RFC 6749 section 6: without a scope it is the one that was granted.
func TestRefreshWithoutAScopeKeepsIt(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tokens := f.tokens(t)
	if next := f.mustToken(t, f.refreshRequest(tokens.Refresh)); !next.Scopes.Equal(tokens.Scopes) {
		t.Errorf("scopes %q, want %q", next.Scopes, tokens.Scopes)
	}
}

func TestGrantIdlesOut(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tokens := f.tokens(t)
	f.advance(oauth.GrantIdleLimit - time.Minute)
	tokens = f.mustToken(t, f.refreshRequest(tokens.Refresh))
	f.advance(oauth.GrantIdleLimit)
	f.wantRefused(t, f.refreshRequest(tokens.Refresh), oauth.InvalidGrant)
}
