package accountapi_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

// The whole way: the application sends somebody here who is not signed in.
func TestAuthorizationCodeFlow(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	client := register(t, a, ada)
	b := newBrowser(t, a.App)

	toSignIn := b.Get(authorize(request(client)))
	signInPage := b.Get(toSignIn.Want(302).Location()).Want(200, "to continue to", "Weather station")
	fields := signInPage.Fields("/users/sign_in")
	fields.Set("login", ben.Username)
	fields.Set("password", apptest.Password)
	consent := b.Get(b.Post("/users/sign_in", fields).Want(303).Location())
	consent.Want(200, "Weather station", "The user ada (@ada)", "Read your profile", "the site", "client.example",
		"The user ben", "@ben")
	if strings.Contains(consent.Text(), "Read and change everything") {
		t.Error("the page names a scope that was not asked for")
	}

	answer := b.Post("/oauth/authorize", decide(consent, "approve")).Want(302).ToClient(redirectURI)
	if answer.Get("state") != "a state & more=1" || len(answer) != 2 {
		t.Errorf("the answer is %v, want the code and the state", answer)
	}
	tokens, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
		GrantType: "authorization_code", Client: oauth.Credentials{ClientID: client.ClientID},
		Code: secret.NewText(answer.Get("code")), RedirectURI: redirectURI, CodeVerifier: verifier,
	})
	if err != nil || tokens.Scopes.String() != "read_user" {
		t.Fatalf("the exchange gave %v, %v", tokens.Scopes, err)
	}
	grant, err := a.OAuth.Access(t.Context(), tokens.Access)
	if err != nil || grant.UserID != ben.ID {
		t.Errorf("the token is of user %d, %v, want %d", grant.UserID, err, ben.ID)
	}

	// Ben is not asked again for the same scopes, but for others.
	if b.Get(authorize(request(client))).Want(302).ToClient(redirectURI).Get("code") == "" {
		t.Error("the second authorization gave no code")
	}
	b.Get(authorize(request(client, "scope", "api"))).Want(200, "Read and change everything")
}

// decide returns the consent page's form with the button that was pressed.
func decide(consent apptest.Page, decision string) url.Values {
	fields := consent.Fields("/oauth/authorize")
	fields.Set("decision", decision)
	return fields
}

// What is told to the client, and what stays on a page.
func TestAuthorizeErrors(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada)
	b := signedIn(t, a, ada)
	tests := []struct {
		name  string
		pairs []string
		code  string
		page  int // zero: the client is told
	}{
		{"no client_id", []string{"client_id", ""}, "invalid_request", 400},
		{"unknown client", []string{"client_id", strings.Repeat("0", 64)}, "invalid_client", 401},
		{"client_id twice", []string{"client_id", client.ClientID, "client_id", client.ClientID}, "invalid_request", 400},
		{"no redirect_uri", []string{"redirect_uri", ""}, "invalid_redirect_uri", 400},
		{"redirect_uri twice", []string{"redirect_uri", redirectURI, "redirect_uri", redirectURI}, "invalid_redirect_uri", 400},
		{"malformed redirect_uri", []string{"redirect_uri", "https://"}, "invalid_redirect_uri", 400},
		{"redirect_uri of another site", []string{"redirect_uri", "https://evil.example/callback"}, "invalid_redirect_uri", 400},
		{"redirect_uri with more query", []string{"redirect_uri", redirectURI + "?x=1"}, "invalid_redirect_uri", 400},
		{"redirect_uri with a fragment", []string{"redirect_uri", redirectURI + "#x"}, "invalid_redirect_uri", 400},
		{"redirect_uri with a user", []string{"redirect_uri", "https://client.example@evil.example/callback"}, "invalid_redirect_uri", 400},
		{"redirect_uri in capitals", []string{"redirect_uri", strings.ToUpper(redirectURI)}, "invalid_redirect_uri", 400},
		{"redirect_uri a script", []string{"redirect_uri", "javascript:alert(1)"}, "invalid_redirect_uri", 400},
		{"no response_type", []string{"response_type", ""}, "invalid_request", 0},
		{"response_type token", []string{"response_type", "token"}, "unsupported_response_type", 0},
		{"response_mode unknown", []string{"response_mode", "jwt"}, "unsupported_response_mode", 0},
		{"scope not registered", []string{"scope", "write_repository"}, "invalid_scope", 0},
		{"scope partly registered", []string{"scope", "read_user sudo"}, "invalid_scope", 0},
		{"scope malformed", []string{"scope", "read_user\tapi"}, "invalid_scope", 0},
		{"scope blank", []string{"scope", " "}, "invalid_scope", 0},
		{"challenge without a method", []string{"code_challenge_method", ""}, "invalid_request", 0},
		{"method plain", []string{"code_challenge_method", "plain"}, "invalid_request", 0},
		{"challenge malformed", []string{"code_challenge", "short"}, "invalid_request", 0},
		{"scope twice", []string{"scope", "read_user", "scope", "read_user"}, "invalid_request", 0},
		{"response_type twice", []string{"response_type", "code", "response_type", "code"}, "invalid_request", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			values := request(client, test.pairs...)
			got := b.Get(authorize(values))
			values.Set("decision", "approve")
			posted := b.Post("/oauth/authorize", values)
			if test.page != 0 {
				got.Want(test.page, test.code)
				posted.Want(test.page, test.code)
				return
			}
			for _, told := range []apptest.Page{got.Want(302), posted.Want(302)} {
				params := told.ToClient(redirectURI)
				if params.Get("error") != test.code || params.Get("state") != "a state & more=1" || params.Get("error_description") == "" || params.Has("code") {
					t.Errorf("%s told the client %v, want %s and the state", told.Call, params, test.code)
				}
			}
		})
	}
}

// A link with a mistake in it must not send people on to whoever registered an
// address before they notice (RFC 9700 section 4.11.2).
func TestErrorIsNotSentOnBeforeSomebodySignsIn(t *testing.T) {
	a := apptest.New(t)
	client := register(t, a, a.User("ada"))
	b := newBrowser(t, a.App)
	for name, pairs := range map[string][]string{
		"response_type": {"response_type", "token"}, "scope": {"scope", "sudo"}, "challenge": {"code_challenge", "short"},
		"client_id": {"client_id", "nobody"}, "redirect_uri": {"redirect_uri", "https://evil.example/"},
	} {
		if to := b.Get(authorize(request(client, pairs...))).Want(302).Location(); !strings.HasPrefix(to, "/users/sign_in?return_to=") {
			t.Errorf("with a wrong %s somebody who is not signed in is sent to %s", name, to)
		}
	}
}

func TestAuthorizeRepeatedStateIsNotEchoed(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	params := b.Get(authorize(request(register(t, a, ada), "state", "one", "state", "two"))).Want(302).ToClient(redirectURI)
	if params.Get("error") != "invalid_request" || params.Has("state") {
		t.Errorf("the client was told %v", params)
	}
}

func TestAuthorizeIgnoresUnknownParameters(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	b.Get(authorize(request(register(t, a, ada), "resource", "a", "resource", "b", "nonce", "n"))).Want(200)
}

// RFC 6749 section 3.1; what goes back goes back without them.
func TestAuthorizeParametersWithoutAValueCountAsOmitted(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	blank := request(register(t, a, ada), "state", "", "response_mode", "", "nonce", "", "prompt", "", "max_age", "")
	page := b.Get(authorize(blank)).Want(200)
	answer := b.Post("/oauth/authorize", decide(page, "approve")).Want(302).ToClient(redirectURI)
	if answer.Get("code") == "" || answer.Has("state") {
		t.Errorf("the client was told %v, want a code and no state", answer)
	}
}

func TestAuthorizeMalformedQuery(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	query := request(register(t, a, ada)).Encode()
	for _, broken := range []string{"%zz", "a;b", "state=%00", "state=%ff"} {
		b.Get("/oauth/authorize?"+query+"&"+broken).Want(400, "malformed")
	}
}

func TestAuthorizeWithoutScopeAsksForTheDefault(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	page := b.Get(authorize(request(register(t, a, ada), "scope", ""))).Want(200, "Read and change everything")
	if got := page.Fields("/oauth/authorize").Get("scope"); got != "api" {
		t.Errorf("the form asks for %q, want api", got)
	}
}

// Decision 18: anybody can pretend to be a public client.
func TestPublicClientAlwaysAsks(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, public)
	b := signedIn(t, a, ada)
	for range 2 {
		page := b.Get(authorize(request(client))).Want(200, "asks for access")
		code := b.Post("/oauth/authorize", decide(page, "approve")).ToClient(redirectURI).Get("code")
		if _, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
			GrantType: "authorization_code", Client: oauth.Credentials{ClientID: client.ClientID},
			Code: secret.NewText(code), RedirectURI: redirectURI, CodeVerifier: verifier,
		}); err != nil {
			t.Fatal(err)
		}
	}
	without := request(client, "code_challenge", "", "code_challenge_method", "")
	if got := b.Get(authorize(without)).ToClient(redirectURI).Get("error"); got != "invalid_request" {
		t.Errorf("a public client without PKCE was told %q", got)
	}
}

func TestTrustedClientAsksNothing(t *testing.T) {
	a := apptest.New(t)
	root := a.Admin("root")
	client := register(t, a, root, trusted)
	if signedIn(t, a, a.User("ada")).Get(authorize(request(client))).Want(302).ToClient(redirectURI).Get("code") == "" {
		t.Error("there is no code")
	}
	// Browsers apply form-action to the redirects of the sign-in form, too.
	page := newBrowser(t, a.App).Get("/users/sign_in?return_to=" + url.QueryEscape(authorize(request(client))))
	wantFormTarget(t, page, "https:")
}

// Decision 22: the exact string, except the port of a loopback address; and
// decision 32: plain http for loopback hosts alone.
func TestRedirectURIs(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, func(r *oauth.Registration) {
		r.RedirectURIs = "http://127.0.0.1:1234/cb http://[::1]/cb com.example.app:/cb https://client.example/cb?keep=1"
	})
	b := signedIn(t, a, ada)
	tests := []struct{ uri, says, target string }{
		{"http://127.0.0.1:5678/cb", "an application on this device, at 127.0.0.1:5678", "http:"},
		{"http://[::1]:5678/cb", "an application on this device, at [::1]:5678", "http:"},
		{"com.example.app:/cb", "the application on this device that opens links of com.example.app:", "com.example.app:"},
		{"https://client.example/cb?keep=1", "the site client.example", "https:"},
	}
	for _, test := range tests {
		page := b.Get(authorize(request(client, "redirect_uri", test.uri))).Want(200)
		wantFormTarget(t, page, test.target)
		text := strings.NewReplacer("<strong>", "", "<bdi>", "", "</strong>", "", "</bdi>", "").Replace(page.Text())
		if !strings.Contains(text, test.says) {
			t.Errorf("for %s the page does not say %q: %s", test.uri, test.says, text)
		}
		location := b.Post("/oauth/authorize", decide(page, "approve")).Want(302).Location()
		if !strings.HasPrefix(location, test.uri) || !strings.Contains(location, "code=") {
			t.Errorf("the answer for %s goes to %s", test.uri, location)
		}
	}
	for _, uri := range []string{"http://127.0.0.2:1234/cb", "http://127.0.0.1:1234/other", "http://localhost:1234/cb", "https://client.example/cb", "http://client.example/cb"} {
		b.Get(authorize(request(client, "redirect_uri", uri))).Want(400, "invalid_redirect_uri")
	}
}

func wantFormTarget(t *testing.T, page apptest.Page, target string) {
	t.Helper()
	want := "form-action 'self' " + target + ";"
	if got := page.Header().Get("Content-Security-Policy"); !strings.Contains(got, want) {
		t.Errorf("%s has the policy %q, want %q in it", page.Call, got, want)
	}
}

func TestDenial(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada)
	b := signedIn(t, a, ada)
	page := b.Get(authorize(request(client)))
	answers := map[string]apptest.Page{
		"POST":           b.Post("/oauth/authorize", decide(page, "deny")),
		"DELETE, query":  b.Do("DELETE", authorize(request(client)), nil),
		"DELETE, a form": b.Do("DELETE", "/oauth/authorize", request(client)),
	}
	for name, got := range answers {
		params := got.Want(302).ToClient(redirectURI)
		if params.Get("error") != "access_denied" || params.Get("state") != "a state & more=1" || params.Has("code") {
			t.Errorf("%s told the client %v", name, params)
		}
	}
	if grants, err := a.Store.GrantsOf(t.Context(), ada.ID, client.ID, 10); err != nil || len(grants) != 0 {
		t.Errorf("denials left the grants %v, %v", grants, err)
	}
}

func TestAnswerMustBeOneOfTwo(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	page := b.Get(authorize(request(register(t, a, ada))))
	b.Post("/oauth/authorize", decide(page, "maybe")).Want(400, "neither")
	both := decide(page, "approve")
	both.Add("decision", "deny")
	b.Post("/oauth/authorize", both).Want(400, "neither")
}

// OpenID Connect Core section 3.1.2.1: an application may send its request by POST, from a
// form on its own site.
func TestAuthorizationRequestByPOST(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada)
	b := signedIn(t, a, ada)
	form := request(client)
	form.Set("user_id", "1") // no parameter of the request
	for _, from := range []string{"same-origin", "cross-site"} {
		b.Header.Set("Sec-Fetch-Site", from)
		asked := b.Post("/oauth/authorize", form).Want(303)
		if got := asked.Location(); got != authorize(request(client)) {
			t.Errorf("%s goes on at %s, want %s", from, got, authorize(request(client)))
		}
		b.Get(asked.Location()).Want(200, "asks for access")
	}
	hinted := request(client)
	hinted.Set("id_token_hint", "e30."+base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"x","sub":"7","email":"ada@example.com"}`))+".c2ln")
	if got := b.Post("/oauth/authorize", hinted).Want(303).Location(); !strings.Contains(got, "id_token_hint=e30.eyJpc3MiOiJ4Iiwic3ViIjoiNyJ9.&") {
		t.Errorf("a hint goes on as %s, want its issuer and subject alone", got)
	}
	twice := request(client)
	twice.Add("state", "another")
	b.Get(b.Post("/oauth/authorize", twice).Want(303).Location()).Want(302)
	form.Set("state", strings.Repeat("x", 8000))
	b.Post("/oauth/authorize", form).Want(413)
}

// The request may come from anywhere, the answer only from the page.
func TestAnswerFromAnotherSiteIsRefused(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada)
	b := signedIn(t, a, ada)
	b.Header.Set("Sec-Fetch-Site", "cross-site")
	for _, decision := range []string{"approve", "deny", ""} {
		form := request(client)
		form.Set("decision", decision)
		b.Post("/oauth/authorize", form).Want(403, "another site")
	}
	if grants, err := a.Store.GrantsOf(t.Context(), ada.ID, client.ID, 10); err != nil || len(grants) != 0 {
		t.Errorf("the answers left the grants %v, %v", grants, err)
	}
}

func TestAuthorizationForAnotherUserThanExpected(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	client := register(t, a, ada, trusted, openID)
	b := signedIn(t, a, ben)
	for _, u := range []user.User{ada, ben} {
		claims := fmt.Sprintf(`{"iss":%q,"sub":"%d"}`, apptest.BaseURL, u.ID)
		hint := "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".e30"
		got := b.Get(authorize(request(client, "scope", "openid", "id_token_hint", hint))).Want(302).ToClient(redirectURI)
		if got.Has("code") != (u.ID == ben.ID) || got.Has("code") == (got.Get("error") == "login_required") {
			t.Errorf("with a hint at %s ben's browser carries %v", u.Username, got)
		}
	}
}

// Somebody else signed in since the page was shown, in another tab.
func TestConsentIsOfThePersonWhomThePageNames(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	client := register(t, a, ada)
	b := signedIn(t, a, ada)
	adas := decide(b.Get(authorize(request(client))), "approve")
	b.Post("/users/sign_in", apptest.Form("login", ben.Username, "password", apptest.Password)).Want(303)
	bens := b.Post("/oauth/authorize", adas).Want(200, "asks for access", "@ben")
	if grants, err := a.Store.GrantsOf(t.Context(), ben.ID, client.ID, 10); err != nil || len(grants) != 0 {
		t.Errorf("the answer of another left the grants %v, %v", grants, err)
	}
	b.Post("/oauth/authorize", decide(bens, "approve")).Want(302).ToClient(redirectURI)
}

func TestAnswerAfterTheSessionEnded(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	form := decide(b.Get(authorize(request(register(t, a, ada)))), "approve")
	a.Pass(session.IdleLimit)
	toSignIn := b.Post("/oauth/authorize", form).Want(303).Location()
	fields := b.Get(toSignIn).Fields("/users/sign_in")
	fields.Set("login", ada.Username)
	fields.Set("password", apptest.Password)
	b.Get(b.Post("/users/sign_in", fields).Location()).Want(200, "asks for access")
}

func TestSwitchUser(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	page := b.Get(authorize(request(register(t, a, ada))))
	toSignIn := b.Post("/users/sign_out", page.Fields("/users/sign_out")).Want(303).Location()
	returnTo := b.Get(toSignIn).Want(200, "You are signed out.").Fields("/users/sign_in").Get("return_to")
	if !strings.HasPrefix(returnTo, "/oauth/authorize?") {
		t.Errorf("after the sign-in it goes on at %q", returnTo)
	}
}

func TestResponseModes(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada, trusted)
	b := signedIn(t, a, ada)

	fragment := b.Get(authorize(request(client, "response_mode", "fragment"))).Want(302).Location()
	if !strings.HasPrefix(fragment, redirectURI+"#code=") || !strings.Contains(fragment, "&state=a+state+%26+more%3D1") {
		t.Errorf("the mode fragment answers with %s", fragment)
	}
	page := b.Get(authorize(request(client, "response_mode", "form_post"))).Want(200, "Continue")
	wantFormTarget(t, page, "https:")
	fields := page.Fields(redirectURI)
	if fields.Get("code") == "" || fields.Get("state") != "a state & more=1" {
		t.Errorf("the form posts %v", fields)
	}
	fields = b.Get(authorize(request(client, "response_mode", "form_post", "scope", "sudo"))).Want(200).Fields(redirectURI)
	if fields.Get("error") != "invalid_scope" || fields.Get("state") == "" {
		t.Errorf("the form posts %v for an error", fields)
	}
}

func TestHostileNamesAreEscaped(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	const hostile = `"><script>alert(1)</script><b a='{{.}}`
	client := register(t, a, ada, func(r *oauth.Registration) { r.Name = hostile })
	b := signedIn(t, a, ada)
	hostileState := request(client, "state", hostile)
	for _, target := range []string{
		authorize(hostileState), "/user_settings/applications", "/user_settings/applications/1", "/user_settings/applications/1/edit",
		authorize(request(client, "state", hostile, "response_mode", "form_post", "scope", "none")),
	} {
		page := b.Get(target)
		if page.Code != 200 || strings.Contains(page.Body.String(), "<script>alert") || strings.Contains(page.Body.String(), "<b a=") {
			t.Errorf("GET %s answered %d %s", target, page.Code, page.Body)
		}
	}
	page := newBrowser(t, a.App).Get("/users/sign_in?return_to=" + url.QueryEscape(authorize(hostileState)))
	if strings.Contains(page.Body.String(), "<script>alert") {
		t.Errorf("the sign-in page repeats %s", page.Body)
	}
}

// counted counts how often the store is asked.
type counted struct {
	storage.Store
	sessions, clients, users, grants, others atomic.Int32
}

func (c *counted) Session(ctx context.Context, userID int64, id string) (session.Session, error) {
	c.sessions.Add(1)
	return c.Store.Session(ctx, userID, id)
}

func (c *counted) Client(ctx context.Context, id string) (oauth.Client, error) {
	c.clients.Add(1)
	return c.Store.Client(ctx, id)
}

func (c *counted) User(ctx context.Context, id int64) (user.User, error) {
	c.users.Add(1)
	return c.Store.User(ctx, id)
}

func (c *counted) CreateGrant(ctx context.Context, g oauth.Grant) error {
	c.grants.Add(1)
	return c.Store.CreateGrant(ctx, g)
}

func (c *counted) GrantsOf(ctx context.Context, userID, clientID int64, most int) ([]oauth.Grant, error) {
	c.others.Add(1)
	return c.Store.GrantsOf(ctx, userID, clientID, most)
}

// The budget of an approval: session and client, the user, one write.
func TestApprovalBudget(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	client := register(t, a, ada)
	session := signedIn(t, a, ada).Cookies[apptest.SessionCookie]
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	store := &counted{Store: a.Store}
	b := newBrowser(t, app.New(store, app.Config{BaseURL: apptest.BaseURL, Keys: keys, Now: a.Now}))
	b.Cookies[apptest.SessionCookie] = session
	approve := request(client)
	approve.Set("decision", "approve")
	b.Post("/oauth/authorize", approve).Want(302)
	got := []int32{store.sessions.Load(), store.clients.Load(), store.users.Load(), store.grants.Load(), store.others.Load()}
	if diff := cmp.Diff([]int32{1, 1, 1, 1, 0}, got); diff != "" {
		t.Errorf("calls for session, client, user, new grant, others (-want +got):\n%s", diff)
	}
}
