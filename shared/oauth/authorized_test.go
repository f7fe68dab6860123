package oauth_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/audit"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
)

// authorized returns which clients can act for the user.
func (f *fixture) authorized(t *testing.T) []oauth.Authorized {
	t.Helper()
	u, err := f.users.User(t.Context(), f.user.ID)
	if err != nil {
		t.Fatal(err)
	}
	found, err := f.Authorized(t.Context(), u, page.First)
	if err != nil {
		t.Fatal(err)
	}
	return found.Items
}

// wantAuthorized checks the clients that can act for the user, by what is
// known of them besides their registration.
func (f *fixture) wantAuthorized(t *testing.T, when string, want ...oauth.Authorized) {
	t.Helper()
	got := f.authorized(t)
	for i := range got {
		got[i].Client = oauth.Client{ID: got[i].ID}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s: Authorized differs (-want +got):\n%s", when, diff)
	}
}

// passwordTokens returns tokens of the client by the password grant.
func (f *fixture) passwordTokens(t *testing.T, credentials oauth.Credentials) oauth.Tokens {
	t.Helper()
	return f.mustToken(t, oauth.TokenRequest{
		GrantType: "password", Client: credentials, Username: f.user.Username, Password: secret.NewText(password), Scope: "read_user",
	})
}

func TestAuthorizedGroupsTheLiveGrantsOfEachClient(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	f.wantAuthorized(t, "nothing granted")
	start := f.now()
	f.approve(t, f.client, f.authorizeRequest())
	f.passwordTokens(t, oauth.Credentials{})
	f.wantAuthorized(t, "an outstanding code, and a token without a client")

	one := oauth.Client{ID: f.client.ID}
	first := f.tokens(t)
	f.wantAuthorized(t, "one grant", oauth.Authorized{Client: one, Scopes: scope.Of("api"), Since: start, LastUse: start})
	f.advance(time.Hour)
	f.passwordTokens(t, f.credentials())
	f.wantAuthorized(t, "two grants", oauth.Authorized{Client: one, Scopes: scope.Of("api", "read_user"), Since: start, LastUse: f.now()})
	f.advance(time.Hour)
	f.passwordTokens(t, oauth.Credentials{ClientID: f.public.ClientID})
	hourAgo, public := f.now().Add(-time.Hour), oauth.Authorized{
		Client: oauth.Client{ID: f.public.ID}, Scopes: scope.Of("read_user"), Since: f.now(), LastUse: f.now(),
	}
	f.wantAuthorized(t, "the client with the highest number first", public,
		oauth.Authorized{Client: one, Scopes: scope.Of("api", "read_user"), Since: start, LastUse: hourAgo})

	f.advance(time.Hour)
	f.wantAuthorized(t, "a password grant has run out", public,
		oauth.Authorized{Client: one, Scopes: scope.Of("api"), Since: start, LastUse: start})
	f.mustToken(t, f.refreshRequest(first.Refresh))
	refreshed := f.now()
	f.advance(time.Hour)
	f.wantAuthorized(t, "a refresh is a use", oauth.Authorized{Client: one, Scopes: scope.Of("api"), Since: start, LastUse: refreshed})
	f.advance(oauth.GrantIdleLimit - time.Hour)
	f.wantAuthorized(t, "the grant was not refreshed for long")
}

func TestAuthorizedLeavesOutWhatIsOver(t *testing.T) {
	tests := map[string]func(t *testing.T, f *fixture){
		"revoked by the client": func(t *testing.T, f *fixture) {
			if err := f.Revoke(t.Context(), f.credentials(), f.tokens(t).Refresh); err != nil {
				t.Fatal(err)
			}
		},
		"revoked for its code's reuse": func(t *testing.T, f *fixture) {
			req := f.exchangeRequest(t)
			f.mustToken(t, req)
			f.wantRefused(t, req, oauth.InvalidGrant)
		},
		"of a client that was deleted": func(t *testing.T, f *fixture) {
			f.tokens(t)
			if err := f.store.DeleteClient(t.Context(), f.client); err != nil {
				t.Fatal(err)
			}
		},
		"by a password that has changed": func(t *testing.T, f *fixture) {
			f.passwordTokens(t, f.credentials())
			f.advance(time.Second)
			next := secret.NewText("another password")
			if _, err := f.users.Update(t.Context(), audit.Setup, f.user.ID, user.Change{Password: &next}); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, oauth.Settings{PasswordGrant: true})
			end(t, f)
			f.wantAuthorized(t, name)
		})
	}
}

// Whatever a user takes back from a client is of no use to it from then on,
// and the user is asked the next time.
func TestRevokeGrantsEndsEverythingOfTheClient(t *testing.T) {
	f := newFixture(t, oauth.Settings{PasswordGrant: true})
	pending, pair, other := f.exchangeRequest(t), f.tokens(t), f.passwordTokens(t, oauth.Credentials{ClientID: f.public.ClientID})
	byPassword := f.passwordTokens(t, f.credentials())
	if err := f.store.RevokeGrants(t.Context(), f.user.ID, f.client.ID, f.now()); err != nil {
		t.Fatal(err)
	}
	f.wantAlive(t, pair, false)
	f.wantAlive(t, byPassword, false)
	f.wantAlive(t, other, true)
	f.wantRefused(t, pending, oauth.InvalidGrant)
	f.wantRefused(t, f.refreshRequest(pair.Refresh), oauth.InvalidGrant)
	a, err := f.Check(f.client, f.authorizeRequest())
	if err != nil {
		t.Fatal(err)
	}
	if consented, err := f.Consented(t.Context(), f.user.ID, a); err != nil || consented {
		t.Errorf("Consented = %t, %v after everything was revoked, want the user to be asked", consented, err)
	}
}

// With more than six grants, what the older ones allow is known from their summary.
func TestAuthorizedWithManyGrants(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	start, one := f.now(), oauth.Client{ID: f.client.ID}
	granted := func(scopes string) oauth.Tokens {
		t.Helper()
		f.advance(time.Minute)
		request := f.authorizeRequest()
		request.Scope = scopes
		return f.mustToken(t, oauth.TokenRequest{
			GrantType: "authorization_code", Client: f.credentials(), RedirectURI: redirectURI, CodeVerifier: verifier,
			Code: f.approve(t, f.client, request),
		})
	}
	revoke := func(tokens ...oauth.Tokens) {
		t.Helper()
		for _, pair := range tokens {
			if err := f.Revoke(t.Context(), f.credentials(), pair.Refresh); err != nil {
				t.Fatal(err)
			}
		}
	}
	oldest, middle := granted("openid"), granted("read_user")
	start = start.Add(time.Minute)
	var newest []oauth.Tokens
	for range 4 {
		newest = append(newest, granted("api"))
	}
	revoke(oldest)
	f.wantAuthorized(t, "six grants, one of them revoked", oauth.Authorized{
		Client: one, Scopes: scope.Of("api", "read_user"), Since: start.Add(time.Minute), LastUse: f.now(),
	})
	newest = append(newest, granted("api"))
	every := scope.Of("api", "openid", "read_user")
	f.wantAuthorized(t, "seven grants", oauth.Authorized{Client: one, Scopes: every, Since: start, LastUse: f.now()})
	newest = append(newest, granted("api"), granted("api"))
	revoke(newest...)
	f.wantAuthorized(t, "only an old one is live", oauth.Authorized{
		Client: one, Scopes: scope.Of("read_user"), Since: start.Add(time.Minute), LastUse: start.Add(time.Minute),
	})
	f.approve(t, f.client, f.authorizeRequest())
	revoke(middle)
	f.wantAuthorized(t, "only a code is outstanding")
	if kept, err := f.store.Summaries(t.Context(), f.user.ID, page.First); err != nil || len(kept.Items) != 1 {
		t.Errorf("the summaries are %+v, %v, want one as long as a code is outstanding", kept.Items, err)
	}
	f.advance(oauth.CodeLifetime + time.Hour)
	f.wantAuthorized(t, "nothing is left")
	if kept, err := f.store.Summaries(t.Context(), f.user.ID, page.First); err != nil || len(kept.Items) != 0 {
		t.Errorf("the summaries are %+v, %v, want none of what has ended", kept.Items, err)
	}
}

// boundedGrants is a store that notes how many grants it was asked for.
type boundedGrants struct {
	storage.Store
	most int
}

func (s *boundedGrants) GrantsOf(ctx context.Context, userID, clientID int64, most int) ([]oauth.Grant, error) {
	s.most = max(s.most, most)
	return s.Store.GrantsOf(ctx, userID, clientID, most)
}

// Looking for a live grant among many that have ended has a bound.
func TestAuthorizedLooksAtAHundredGrants(t *testing.T) {
	store := &boundedGrants{Store: sqlitetest.Open(t)}
	f := newFixtureOver(t, store, oauth.Settings{})
	start := f.now()
	f.tokens(t)
	for range 99 {
		f.advance(time.Microsecond)
		f.approve(t, f.client, f.authorizeRequest())
	}
	one := oauth.Client{ID: f.client.ID}
	summed := oauth.Authorized{Client: one, Scopes: scope.Of("api"), Since: start, LastUse: start}
	f.wantAuthorized(t, "the last of a hundred grants is live", summed)
	f.advance(time.Microsecond)
	f.approve(t, f.client, f.authorizeRequest())
	f.wantAuthorized(t, "one of the grants beyond may be live", summed)
	if store.most > 101 {
		t.Errorf("Authorized asks for %d grants, want 101 at most", store.most)
	}
}

// A consent counts if it is among the last hundred grants.
func TestConsentIsLookedForAmongTheNewestGrants(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	a, err := f.Check(f.client, f.authorizeRequest())
	if err != nil {
		t.Fatal(err)
	}
	f.tokens(t)
	for n := range 100 {
		if consented, err := f.Consented(t.Context(), f.user.ID, a); err != nil || !consented {
			t.Fatalf("Consented after %d more grants = %t, %v, want true", n, consented, err)
		}
		f.advance(time.Microsecond)
		f.approve(t, f.client, f.authorizeRequest())
	}
	if consented, err := f.Consented(t.Context(), f.user.ID, a); err != nil || consented {
		t.Errorf("Consented after 100 more grants = %t, %v, want the user to be asked", consented, err)
	}
}
