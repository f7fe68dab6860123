package oauth_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

// Until the redirect URI is known to be the client's, an error goes nowhere;
// from then on it goes there, with the state.
func TestAuthorizeErrors(t *testing.T) {
	tests := []struct {
		name     string
		change   func(*oauth.AuthorizeRequest)
		want     oauth.Code
		redirect bool
	}{
		{"no redirect_uri", func(r *oauth.AuthorizeRequest) { r.RedirectURI = "" }, oauth.InvalidRedirectURI, false},
		{"foreign redirect_uri", func(r *oauth.AuthorizeRequest) { r.RedirectURI = "https://evil.example/" }, oauth.InvalidRedirectURI, false},
		{"repeated redirect_uri", func(r *oauth.AuthorizeRequest) { r.Repeated = map[string]bool{"redirect_uri": true} }, oauth.InvalidRedirectURI, false},
		{"repeated state", func(r *oauth.AuthorizeRequest) { r.Repeated = map[string]bool{"state": true} }, oauth.InvalidRequest, true},
		{"no response_type", func(r *oauth.AuthorizeRequest) { r.ResponseType = "" }, oauth.InvalidRequest, true},
		{"implicit", func(r *oauth.AuthorizeRequest) { r.ResponseType = "token" }, oauth.UnsupportedResponseType, true},
		{"unknown response_mode", func(r *oauth.AuthorizeRequest) { r.ResponseMode = "web_message" }, oauth.UnsupportedResponseMode, true},
		{"scope beyond the client's", func(r *oauth.AuthorizeRequest) { r.Scope = "api profile" }, oauth.InvalidScope, true},
		{"unknown scope", func(r *oauth.AuthorizeRequest) { r.Scope = "everything" }, oauth.InvalidScope, true},
		{"blank scope", func(r *oauth.AuthorizeRequest) { r.Scope = " " }, oauth.InvalidScope, true},
		{"scope with a line break", func(r *oauth.AuthorizeRequest) { r.Scope = "api\nopenid" }, oauth.InvalidScope, true},
		{"challenge without method", func(r *oauth.AuthorizeRequest) { r.CodeChallengeMethod = "" }, oauth.InvalidRequest, true},
		{"method plain", func(r *oauth.AuthorizeRequest) { r.CodeChallengeMethod = "plain" }, oauth.InvalidRequest, true},
		{"malformed challenge", func(r *oauth.AuthorizeRequest) { r.CodeChallenge = "short" }, oauth.InvalidRequest, true},
	}
	f := newFixture(t, oauth.Settings{})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			req := f.authorizeRequest()
			test.change(&req)
			_, err := f.Check(f.client, req)
			if got := codeOf(err); got != test.want {
				t.Fatalf("Check: %v, want %s", err, test.want)
			}
			var redirect *oauth.RedirectError
			if errors.As(err, &redirect) != test.redirect {
				t.Fatalf("the error redirects: %t, want %t", !test.redirect, test.redirect)
			}
			if test.redirect && paramsOf(t, err).Get("state") != "xyz" {
				t.Error("the state is missing from the redirect")
			}
		})
	}
}

// Everything is wrong with the request, and what is told of is put right until
// nothing is.
func TestFirstMistakeOfAnAuthorizationRequestIsTheOneToldOf(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	good := f.authorizeRequest()
	good.ClientID = f.public.ClientID
	req := oauth.AuthorizeRequest{
		ClientID: f.public.ClientID, RedirectURI: "https://evil.example/", ResponseMode: "web_message",
		Scope: "everything openid", Prompt: "create",
	}
	steps := []struct {
		want oauth.Code
		mend func()
	}{
		{oauth.InvalidRedirectURI, func() { req.RedirectURI = good.RedirectURI }},
		{oauth.InvalidRequest, func() { req.ResponseType = "token" }}, // it was missing
		{oauth.UnsupportedResponseType, func() { req.ResponseType = "code" }},
		{oauth.UnsupportedResponseMode, func() { req.ResponseMode = "" }},
		{oauth.InvalidScope, func() { req.Scope = good.Scope }},
		{oauth.InvalidRequest, func() { req.CodeChallenge, req.CodeChallengeMethod = good.CodeChallenge, "S256" }},
		{"", func() {}},
	}
	for i, step := range steps {
		if _, err := f.Check(f.public, req); codeOf(err) != step.want {
			t.Errorf("mistake %d: %v, want %q", i+1, err, step.want)
		}
		step.mend()
	}
}

// The method says nothing without a challenge.
func TestMethodWithoutAChallengeIsIgnored(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	for _, method := range []string{"S256", "plain", "x"} {
		req := f.authorizeRequest()
		req.CodeChallenge, req.CodeChallengeMethod = "", method
		if _, err := f.Check(f.client, req); err != nil {
			t.Errorf("method %s without a challenge: %v, want it ignored", method, err)
		}
	}
}

func TestFindClientErrors(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	tests := map[oauth.Code]oauth.AuthorizeRequest{
		oauth.InvalidClient:  {ClientID: "nobody"},
		oauth.InvalidRequest: {ClientID: f.client.ClientID, Repeated: map[string]bool{"client_id": true}},
	}
	for want, req := range tests {
		if _, err := f.FindClient(t.Context(), req); codeOf(err) != want {
			t.Errorf("FindClient: %v, want %s", err, want)
		}
	}
	if _, err := f.FindClient(t.Context(), oauth.AuthorizeRequest{}); codeOf(err) != oauth.InvalidRequest {
		t.Errorf("FindClient without client_id: %v, want invalid_request", err)
	}
}

func TestPublicClientMustUsePKCE(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	req := f.authorizeRequest()
	req.CodeChallenge = ""
	if _, err := f.Check(f.public, req); codeOf(err) != oauth.InvalidRequest {
		t.Errorf("Check: %v, want invalid_request", err)
	}
	if _, err := f.Check(f.client, req); err != nil {
		t.Errorf("a confidential client may do without: %v", err)
	}
}

func TestScopeLeftOut(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	a, err := f.Check(f.client, f.authorizeRequest())
	if diff := cmp.Diff(scope.Of(scope.API), a.Scopes); err != nil || diff != "" {
		t.Errorf("scopes (-want +got), %v:\n%s", err, diff)
	}
	narrow, _ := f.register(t, oauth.Registration{Confidential: true, Scopes: scope.Of(scope.OpenID)})
	if _, err := f.Check(narrow, f.authorizeRequest()); codeOf(err) != oauth.InvalidScope {
		t.Errorf("a client without the default scope: %v, want invalid_scope", err)
	}
}

func TestConsentIsRemembered(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	trusted, _ := f.register(t, oauth.Registration{Confidential: true, ByAdmin: true, Trusted: true})
	asked := func(c oauth.Client, scopes string) bool {
		req := f.authorizeRequest()
		req.Scope = scopes
		a, err := f.Check(c, req)
		if err != nil {
			t.Fatal(err)
		}
		consented, err := f.Consented(t.Context(), f.user.ID, a)
		if err != nil {
			t.Fatal(err)
		}
		return !consented
	}
	check := func(when string, c oauth.Client, scopes string, want bool) {
		t.Helper()
		if got := asked(c, scopes); got != want {
			t.Errorf("%s: the user is asked: %t, want %t", when, got, want)
		}
	}
	trustedPublic, _ := f.register(t, oauth.Registration{ByAdmin: true, Trusted: true})
	check("trusted client", trusted, "", false)
	check("trusted public client", trustedPublic, "", true)
	check("first time", f.client, "api", true)
	f.exchangeRequest(t)
	check("code not exchanged yet", f.client, "api", true)
	tokens := f.tokens(t)
	check("same scopes", f.client, "api", false)
	check("more scopes", f.client, "api read_user", true)
	f.advance(3 * time.Hour)
	check("access token expired", f.client, "api", false)
	if err := f.Revoke(t.Context(), f.credentials(), tokens.Refresh); err != nil {
		t.Fatal(err)
	}
	check("revoked", f.client, "api", true)

	authorize := f.authorizeRequest()
	f.mustToken(t, oauth.TokenRequest{
		GrantType: "authorization_code", Client: oauth.Credentials{ClientID: f.public.ClientID}, RedirectURI: redirectURI,
		CodeVerifier: verifier, Code: f.approve(t, f.public, authorize),
	})
	check("public client", f.public, "api", true)
}

func TestBlockedUserCannotApprove(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	a, err := f.Check(f.client, f.authorizeRequest())
	if err != nil {
		t.Fatal(err)
	}
	f.user.State = user.Blocked
	if _, err := f.Approve(t.Context(), f.user, a); codeOf(err) != oauth.AccessDenied {
		t.Errorf("Approve: %v, want access_denied", err)
	}
}

func TestDenial(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	a, err := f.Check(f.client, f.authorizeRequest())
	if err != nil {
		t.Fatal(err)
	}
	got := a.Deny().Params
	if got.Get("error") != "access_denied" || got.Get("state") != "xyz" || got.Has("code") {
		t.Errorf("Deny() = %v", got)
	}
}
