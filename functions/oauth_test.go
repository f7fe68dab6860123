package functions_test

import (
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/signin"
)

func aboutTokens() []scenario {
	var code, identityCode, git string
	var pair, identified, reused tokens
	const wrong = "a wrong password"
	consent := "client_id={app}&redirect_uri=" + callback + "&response_type=code&decision=approve"
	refreshed, issued := names(oauth.EventTokenRefreshed), names(oauth.EventTokenIssued)
	return []scenario{
		{page: "POST /oauth/authorize", send: consent, status: 302, stored: names(oauth.EventConsent), cost: cost{3, 1, 4}},
		{name: "authorization of a trusted client", do: func(w *walk) { code = w.secret(w.code(w.t, w.browser)) }, stored: names(oauth.EventConsent)},
		{name: "code exchange", do: func(w *walk) { pair = w.exchange(w.t, code) }, stored: issued, cost: cost{3, 1, 4}},
		{name: "token info", do: func(w *walk) { w.info(w.t, pair.Access) }, cost: cost{2, 0, 0}},
		{name: "token info, a minute later", do: func(w *walk) { w.pass(oauth.TouchEvery); w.info(w.t, pair.Access) }, cost: cost{2, 3, 0}}, // the use, in the grant and in its summary, and the first of the day in the application
		{name: "token info, within that minute", do: func(w *walk) { w.info(w.t, pair.Access) }, cost: cost{2, 0, 0}},
		{name: "introspection by client", do: func(w *walk) { w.post(w.t, "/oauth/introspect", values("token", pair.Access)) }, cost: cost{2, 0, 0}},
		{name: "introspection by bearer", do: func(w *walk) { w.info(w.t, w.access); w.introspect(w.t, w.access, pair.Access) }},
		{name: "introspection by bearer again", do: func(w *walk) { w.introspect(w.t, w.access, pair.Access) }, cost: cost{2, 0, 0}},
		{name: "refresh", do: func(w *walk) { reused, pair = pair, w.refresh(w.t, pair.Refresh) }, logged: refreshed, cost: cost{3, 1, 0}},
		{name: "replayed refresh token", do: func(w *walk) {
			w.pass(time.Minute)
			w.fail(w.t, values("grant_type", "refresh_token", "refresh_token", reused.Refresh))
			w.secrets = append(w.secrets, pair.Access, pair.Refresh, reused.Access, reused.Refresh)
		}, stored: names(oauth.EventRefreshTokenReused)},
		{name: "replayed code", do: func(w *walk) {
			code := w.code(w.t, w.browser)
			w.exchange(w.t, code)
			w.fail(w.t, values("grant_type", "authorization_code", "code", code, "redirect_uri", callback))
		}, stored: names(oauth.EventCodeReused, oauth.EventTokenIssued, oauth.EventConsent)},

		{name: "password grant", do: func(w *walk) { pair = w.passwordGrant(w.t) }, stored: issued, cost: cost{3, 3, 4}}, // the attempt counted beside the reads, forgotten beside the grant
		{name: "revocation", do: func(w *walk) { w.revoke(w.t, w.secret(pair.Access)) }, stored: names(oauth.EventTokenRevoked), cost: cost{2, 1, 4}},
		{name: "password grant refused", do: func(w *walk) {
			w.fail(w.t, values("grant_type", "password", "username", "root", "password", w.secret(wrong)))
		}, stored: names(signin.EventFailed)},
		{name: "password grant refused again", do: func(w *walk) {
			w.fail(w.t, values("grant_type", "password", "username", "root", "password", w.secret(wrong)))
		}, stored: names(signin.EventFailed)},
		{name: "who failed", do: func(w *walk) { w.wantFailed(w.administrator(w.t).ID, w.administrator(w.t).ID) }},

		{rest: "POST /groups", send: `{"name":"Team","path":"team"}`, status: 201, stored: names(project.EventGroupCreated)}, // for claims to tell of
		{name: "the signing key", do: func(w *walk) { identified = w.exchange(w.t, w.code(w.t, w.browser, scope.OpenID)) }, stored: names(oauth.EventConsent, oauth.EventTokenIssued)},
		{name: "authorization with openid", do: func(w *walk) { identityCode = w.code(w.t, w.browser, scope.OpenID) }, stored: names(oauth.EventConsent)},
		{name: "code exchange with id_token", do: func(w *walk) { w.exchange(w.t, identityCode) }, stored: issued, cost: cost{3, 1, 4}},
		{name: "refresh with id_token", do: func(w *walk) { identified = w.refresh(w.t, identified.Refresh) }, logged: refreshed, cost: cost{3, 1, 0}},
		{name: "userinfo", do: func(w *walk) { w.get(w.t, "/oauth/userinfo", identified.Access) }, cost: cost{3, 0, 0}},
		{name: "discovery", do: func(w *walk) { w.get(w.t, "/oauth/discovery/keys", "") }},

		{name: "first Git request", do: func(w *walk) { git = w.gitToken(); w.ask(w.t, "root/web", git) }, stored: names(accesstoken.EventCreated)},
		{name: "Git request", do: func(w *walk) { w.ask(w.t, "root/web", git) }, cost: cost{3, 0, 0}},
		{name: "a new signing key", do: func(w *walk) {
			w.pass(90 * 24 * time.Hour)
			w.browser = w.signIn(w.t)
			w.exchange(w.t, w.code(w.t, w.browser, scope.OpenID))
		}, stored: names(signin.EventSignIn, oauth.EventConsent, oauth.EventTokenIssued)},
		{name: "Git request, a minute later", do: func(w *walk) { w.pass(time.Hour); w.ask(w.t, "root/web", git) }},
	}
}

// gitToken makes a token of the administrator that reads repositories.
func (w *walk) gitToken() string {
	w.act(scenario{rest: "POST /users/{root}/personal_access_tokens", send: `{"name":"Git","scopes":["read_repository"]}`, status: 201, keep: "git"})
	return w.things["git"]["token"].(string)
}
