package functions_test

import (
	"encoding/base32"
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/boot"
	"gatehouse/shared/instance"
	"gatehouse/shared/mail"
	"gatehouse/shared/notice"
	"gatehouse/shared/oauth"
	"gatehouse/shared/passkey"
	"gatehouse/shared/passkey/passkeytest"
	"gatehouse/shared/project"
	"gatehouse/shared/recovery"
	"gatehouse/shared/reservation"
	"gatehouse/shared/session"
	"gatehouse/shared/signin"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

// Of failed sign-ins at names that nobody has, the trail holds one a minute and
// the log all. Throttled ones are in the log alone.
func aboutAccounts() []scenario {
	const (
		applications = "/user_settings/applications"
		registration = "name=Weather&redirect_uri=" + callback + "&scopes[]=api&confidential=1"
		ben          = `{"username":"ben","name":"Ben","email":"ben@example.com","password":"the password of ben"}`
	)
	var other *http.Client
	return []scenario{
		{name: "sign-in", do: func(w *walk) { other = w.signIn(w.t) }, stored: names(signin.EventSignIn), cost: cost{3, 4, 4}},
		{name: "wrong password", do: func(w *walk) { w.guess(boot.RootName) }, stored: names(signin.EventFailed)},
		{name: "unknown name", do: func(w *walk) { w.nextMinute(); w.guess(w.secret("my secret password")) }, stored: names(signin.EventFailed)},
		{name: "unknown name again and again", do: func(w *walk) {
			w.nextMinute()
			for range 9 {
				w.guess("somebody")
			}
		}, stored: names(signin.EventFailed), logged: slices.Repeat(names(signin.EventFailed), 8)},
		{page: "GET /users/root", cost: cost{4, 0, 0}},
		{page: "GET /user_settings/sessions", cost: cost{3, 0, 0}},
		{page: "GET " + applications, cost: cost{3, 0, 0}},
		{page: "GET /user_settings/personal_access_tokens", cost: cost{4, 0, 0}},
		{page: "GET /user_settings/audit?event=user.blocked", cost: cost{3, 0, 0}},
		{page: "GET /-/deprecations"},
		{page: "GET /admin/deprecations", cost: cost{3, 0, 0}},
		{page: "GET " + applications + "/{client}", cost: cost{5, 0, 0}},
		{page: "GET /admin/audit", cost: cost{6, 0, 0}},
		{page: "GET /admin/audit?event=user.blocked", cost: cost{5, 0, 0}},
		{page: "GET /admin/audit?actor=root&project=root/web", cost: cost{6, 0, 0}},
		{page: "GET /admin/audit?actor=root&user=root&event=user.sign_in", cost: cost{6, 0, 0}},
		{page: "GET /admin/audit.csv?actor=root", cost: cost{8, 0, 0}},
		{page: "GET /user_settings/authorized_applications", cost: cost{8, 2, 0}}, // makes the summaries,
		{page: "GET /user_settings/authorized_applications", cost: cost{4, 0, 0}},
		{page: "POST /user_settings/authorized_applications/{client}/revoke", status: 303, stored: names(oauth.EventAuthorizationRevoked)},
		{name: "the other session", do: func(w *walk) { w.keepSession("session") }},
		{page: "POST /user_settings/sessions/{session}/end", status: 303, stored: names(session.EventRevoked)},
		{name: "sign-in after that", do: func(w *walk) { other = w.signIn(w.t) }, stored: names(signin.EventSignIn)},
		{page: "POST /user_settings/sessions/end_others", status: 303, stored: names(session.EventOthersRevoked)},
		{page: "POST /user_settings/sessions/" + strings.Repeat("0", 32) + "/end", status: 404},

		{page: "POST " + applications, send: registration, status: 201, stored: names(oauth.EventApplicationCreated)},
		{page: "POST " + applications + "/2", send: registration, status: 303, stored: names(oauth.EventApplicationChanged)},
		{page: "POST " + applications + "/2/renew_secret", status: 200, stored: names(oauth.EventSecretRenewed)},
		{page: "POST " + applications + "/2/delete", status: 303, stored: names(oauth.EventApplicationDeleted)},
		{page: "POST /admin/applications", send: registration, status: 201, stored: names(oauth.EventApplicationCreated)},
		{page: "GET /admin/applications", cost: cost{5, 0, 0}},
		{page: "GET /admin/applications?search=weath&owner=root", cost: cost{5, 0, 0}},
		{page: "GET /admin/applications/3", cost: cost{5, 0, 0}},
		{page: "GET /admin/applications/3/edit", cost: cost{4, 0, 0}},
		{page: "POST /admin/applications/3", send: registration + "&trusted=1", status: 303, stored: names(oauth.EventApplicationChanged)},
		{page: "POST /admin/applications/3/renew_secret", status: 200, stored: names(oauth.EventSecretRenewed)},
		{page: "POST /admin/applications/3/delete", status: 303, stored: names(oauth.EventApplicationDeleted)},
		{name: "token", do: func(w *walk) {
			token := values("name", "page", "scopes[]", "api", "expires_at", w.now().AddDate(0, 0, 9).UTC().Format(time.DateOnly))
			w.form(w.t, w.browser, "/user_settings/personal_access_tokens", token, http.StatusCreated)
		}, stored: names(accesstoken.EventCreated)},
		{rest: "GET /personal_access_tokens", status: 200, keep: "token"},
		{page: "GET /user_settings/personal_access_tokens/{token}"},
		{page: "POST /user_settings/personal_access_tokens/{token}/revoke", status: 303, stored: names(accesstoken.EventRevoked)},

		{page: "GET /user_settings/notifications", cost: cost{4, 0, 0}},
		{page: "POST /user_settings/notifications", send: "email_pages=1&alerts_severity=high&quiet_hours=1&quiet_from=22:00&quiet_to=07:00&quiet_timezone=UTC&quiet_days[]=monday",
			status: 303, stored: names(notice.EventChanged)},
		{page: "POST /user_settings/notifications/webhooks", send: "url=https://chat.example/secret-path", status: 201, stored: names(webhook.EventOwnCreated)},
		{page: "POST /user_settings/notifications/webhooks/1/rotate", status: 200, stored: names(webhook.EventOwnRotated)},
		{page: "POST /user_settings/notifications/webhooks/1/disable", status: 303, stored: names(webhook.EventOwnDisabled)},
		{page: "POST /user_settings/notifications/webhooks/1/enable", status: 303, stored: names(webhook.EventOwnEnabled)},
		{page: "POST /user_settings/notifications/test", status: 303},
		{page: "POST /user_settings/notifications/webhooks/1/delete", status: 303, stored: names(webhook.EventOwnDeleted)},
		{name: "a mail is kept", do: func(w *walk) { w.keepMail() }},
		{page: "GET /users/sign_in?again=1", cost: cost{1, 0, 0}},
		{page: "GET /users/password/new"},
		{page: "GET /admin/settings", cost: cost{3, 0, 0}},
		{page: "POST /admin/settings", send: "version=0&can_create_group=administrators&sign_in_text=Hello", status: 303, stored: names(instance.EventChanged), cost: cost{4, 1, 4}},
		{page: "POST /admin/settings", send: "version=0&can_create_group=everybody", status: 409},
		{page: "POST /admin/settings", send: "version=1&default_group_visibility=secret", status: 422},
		{page: "GET /admin/mails", cost: cost{3, 0, 0}},
		{page: "GET /admin/mails/1", cost: cost{3, 0, 0}},

		{rest: "POST /users", send: ben, status: 201, keep: "ben", stored: names(user.EventCreated)},
		{page: "POST /admin/users/{ben}/confirm", send: "email=ben%40example.com", status: 303, stored: names(user.EventChanged)},
		{page: "POST /admin/users/{ben}/reset_link", status: 201, stored: names(recovery.EventLinkMade), cost: cost{4, 0, 4}},
		{name: "a link sets a password", do: func(w *walk) { w.setPasswordByLink() }, stored: names(recovery.EventLinkMade, recovery.EventLinkUsed, user.EventPasswordChanged)},
		{page: "GET /user_settings/profile", cost: cost{2, 0, 0}},
		{page: "POST /user_settings/profile", send: "name=The+root", status: 303, stored: names(user.EventChanged)},
		{name: "another address of one's own", do: func(w *walk) {
			w.form(w.t, w.browser, "/user_settings/profile/email", values("email", "new@example.com", "current_password", w.root.Password.Reveal()), http.StatusSeeOther)
		}, stored: names(user.EventChanged)},
		{page: "POST /user_settings/profile/email", send: "email=newer%40example.com&current_password=wrong", status: 422, stored: names(user.EventPasswordRefused)},
		{name: "a mail for a lost password", do: func(w *walk) {
			w.form(w.t, newBrowser(w.t), "/users/password/new", values("login", "ben"), http.StatusSeeOther)
			w.form(w.t, w.browser, "/user_settings/profile/confirmation", nil, http.StatusSeeOther)
		}, logged: names(recovery.EventAsked)},
		{page: "POST /admin/users/{ben}/block", status: 303, stored: names(user.EventBlocked)},
		{page: "POST /admin/users/{ben}/unblock", status: 303, stored: names(user.EventUnblocked)},
		{page: "GET /admin/users", cost: cost{4, 0, 0}},
		{page: "GET /admin/users?search=EXAMPLE.com&show=never", cost: cost{4, 0, 0}},
		{page: "GET /admin/users/new"},
		{page: "GET /admin/users/{ben}", cost: cost{4, 0, 0}},
		{page: "GET /admin/users/{ben}/access", cost: cost{4, 0, 0}},
		{page: "GET /admin/users/{ben}/edit", cost: cost{3, 0, 0}},
		{page: "POST /admin/users/{ben}", send: "version=1&name=Benjamin&email=ben%40example.com", status: 409},
		{name: "another name of a user", do: func(w *walk) { w.editUser("ben", "name", "Benjamin") }, stored: names(user.EventChanged)},
		{page: "POST /admin/users/{ben}/password", send: "password=short", status: 422},
		{name: "a password of a user", do: func(w *walk) {
			w.form(w.t, w.browser, w.things.expand("/admin/users/{ben}/password"), values("password", w.secret("another password")), http.StatusSeeOther)
		}, stored: names(user.EventPasswordChanged)},
		{page: "POST /admin/users/{ben}/sign_out", status: 303, stored: names(user.EventSessionsEnded)},
		{page: "POST /admin/users/{ben}/invite", status: 303, stored: names(recovery.EventInvited)},
		{page: "POST /admin/users", send: "name=Carl&username=carl&email=carl%40example.com&start=link", status: 201, stored: names(user.EventCreated, recovery.EventLinkMade)},
		{page: "POST /admin/users", send: "name=Carl&username=carl&email=carl%40example.com&start=link", status: 422},
		{page: "POST /admin/users/{ben}/delete", send: "username=Ben", status: 422},
		{page: "POST /admin/users/{ben}/delete", send: "username=ben", status: 303, stored: names(user.EventDeleted)},
		{page: "POST /admin/users", send: "name=Ben&username=ben&email=ben%40example.com&start=link", status: 201, stored: names(reservation.EventFreed, user.EventCreated, recovery.EventLinkMade)},

		{rest: "POST /groups", send: `{"name":"Team","path":"team"}`, status: 201, keep: "group", stored: names(project.EventGroupCreated)},
		{page: "GET /user_settings/memberships/groups", cost: cost{4, 0, 0}},
		{page: "POST /user_settings/memberships/groups/{group}/leave", status: 303, stored: names(project.EventMemberRemoved)},
		{rest: "POST /projects", send: `{"name":"Shop"}`, status: 201, keep: "shop", stored: names(project.EventProjectCreated)},
		{rest: "POST /projects/{shop}/members", send: `{"user_id":{root},"access_level":30}`, status: 201, stored: names(project.EventMemberAdded)},
		{page: "GET /user_settings/memberships/projects"},
		{page: "POST /user_settings/memberships/projects/{shop}/leave", status: 303, stored: names(project.EventMemberRemoved)},

		{page: "POST /users/sign_out", status: 303, stored: names(session.EventSignOut)},
		{name: "sign-out of an ended session", do: func(w *walk) { w.form(w.t, other, "/users/sign_out", nil, 303) }},
		{name: "throttled sign-in", do: func(w *walk) {
			w.nextMinute()
			w.guess("somebody")
			w.form(w.t, newBrowser(w.t), "/users/sign_in", values("login", "somebody", "password", "x"), http.StatusTooManyRequests)
		}, stored: names(signin.EventFailed), logged: names(signin.EventThrottled)},
		{name: "who failed", do: func(w *walk) { w.wantFailed(0, 0, 0, w.administrator(w.t).ID) }},
	}
}

var endsSession = regexp.MustCompile(`/user_settings/sessions/([0-9a-f]{32})/end`)

// keepSession keeps another session of the administrator.
func (w *walk) keepSession(name string) {
	w.t.Helper()
	page := w.send(w.t, w.browser, w.request(w.t, "GET", "/user_settings/sessions", "", ""), http.StatusOK)
	found := endsSession.FindSubmatch(page)
	if found == nil {
		w.t.Fatalf("no other session on the page:\n%s", page)
	}
	w.things.keep(name, map[string]any{"id": string(found[1])})
}

var versionField = regexp.MustCompile(`name="version" value="(\d+)"`)

// editUser changes a field in the form of a user.
func (w *walk) editUser(name, field, value string) {
	w.t.Helper()
	address := w.things.expand("/admin/users/{" + name + "}")
	page := w.send(w.t, w.browser, w.request(w.t, "GET", address+"/edit", "", ""), http.StatusOK)
	version := versionField.FindSubmatch(page)
	if version == nil {
		w.t.Fatalf("no version in the form:\n%s", page)
	}
	w.form(w.t, w.browser, address, values("version", string(version[1]), "email", name+"@example.com", field, value), http.StatusSeeOther)
}

// setPasswordByLink has ben set a password by a link.
func (w *walk) setPasswordByLink() {
	made := w.call(w.t, "POST", w.things.expand("/users/{ben}/reset_link"), w.root.Token.Reveal(), "", http.StatusCreated)
	var link struct{ URL string }
	if err := json.Unmarshal(made, &link); err != nil {
		w.t.Fatal(err)
	}
	_, token, _ := strings.Cut(link.URL, "?token=")
	w.form(w.t, newBrowser(w.t), "/users/password", values("token", w.secret(token), "password", "another password of ben"), http.StatusSeeOther)
}

// keepMail keeps a mail as an instance does that can send none.
func (w *walk) keepMail() {
	one := mail.Address{Email: "ada@example.com"}
	if err := w.app.Mails.Send(w.t.Context(), mail.Message{From: one, To: one, At: w.now(), Subject: "Alert", ID: "1@example.com"}); err != nil {
		w.t.Error(err)
	}
}

// After a failure a sign-in takes a step more: the counters of attempts exist and
// have to be read.
func aboutSecondSteps() []scenario {
	var browser *http.Client
	var seed twofactor.Seed
	var recovery string
	enable := func(w *walk) { seed, recovery = w.enableTwoFactor(w.t, w.browser) }
	password := func(w *walk) {
		w.pass(time.Minute)
		browser = newBrowser(w.t)
		w.signInWith(w.t, browser)
	}
	code := func(w *walk) {
		w.form(w.t, browser, "/users/two_factor", values("code", seed.Code(w.now())), http.StatusSeeOther)
	}
	wrong := func(w *walk) {
		w.form(w.t, browser, "/users/two_factor", values("code", seed.Code(w.now().Add(-time.Hour))), http.StatusUnprocessableEntity)
	}
	recover := func(w *walk) {
		w.form(w.t, browser, "/users/two_factor", values("code", recovery), http.StatusSeeOther)
	}
	return []scenario{
		{name: "two-factor authentication enabled", do: enable, stored: names(twofactor.EventEnabled)},
		{name: "password", do: password, cost: cost{3, 2, 0}}, // the attempt counted beside the reads, and forgotten
		{name: "code", do: code, stored: names(signin.EventSignIn), cost: cost{3, 7, 4}},
		{name: "password again", do: password, cost: cost{3, 2, 0}},
		{name: "recovery code", do: recover, stored: names(signin.EventSignIn, twofactor.EventRecoveryCodeUsed), cost: cost{3, 5, 8}},
		{name: "password for a wrong code", do: password, cost: cost{3, 2, 0}},
		{name: "wrong code", do: wrong, stored: names(signin.EventFailed), cost: cost{2, 2, 4}},
		{name: "code after that", do: code, stored: names(signin.EventSignIn), cost: cost{4, 9, 4}},

		{rest: "DELETE /users/{root}/two_factor", status: 204, stored: names(twofactor.EventDisabled)},
		{rest: "DELETE /users/{root}/two_factor", status: 204}, // is off
		{name: "enabled again", do: func(w *walk) {
			w.secrets = append(w.secrets, seed.String(), recovery)
			w.browser = w.signIn(w.t)
			enable(w)
		}, stored: names(signin.EventSignIn, twofactor.EventEnabled)},
		{page: "POST /user_settings/two_factor/disable", send: "password=a wrong password", status: 422, stored: names(user.EventPasswordRefused)},
		{name: "recovery codes renewed", do: func(w *walk) {
			recovery = recoveryCode.FindString(w.form(w.t, w.browser, "/user_settings/two_factor/recovery_codes", w.password(), http.StatusOK))
			w.secrets = append(w.secrets, seed.String(), recovery, strings.ReplaceAll(recovery, "-", ""))
		}, stored: names(twofactor.EventRecoveryCodesRenewed)},
		{name: "a wrong recovery code, then a good one", do: func(w *walk) {
			password(w)
			w.form(w.t, browser, "/users/two_factor", values("code", "aaaa-aaaa-aaaa-aaaa"), http.StatusUnprocessableEntity)
			recover(w)
		}, stored: names(signin.EventFailed, signin.EventSignIn, twofactor.EventRecoveryCodeUsed)},
		{name: "disabled", do: func(w *walk) {
			w.form(w.t, w.browser, "/user_settings/two_factor/disable", w.password(), http.StatusSeeOther)
		}, stored: names(twofactor.EventDisabled)},
		{name: "who failed", do: func(w *walk) {
			root := w.administrator(w.t).ID
			w.wantFailed(root, root)
			w.secret("a wrong password")
		}},
	}
}

// With a passkey there is one step: what is read before, the passkey, and the session.
func aboutPasskeys() []scenario {
	var device *passkeytest.Device
	var browser *http.Client
	var asked string
	ask := func(w *walk) {
		w.pass(time.Minute)
		browser = newBrowser(w.t)
		asked = string(w.send(w.t, browser, w.request(w.t, "GET", "/users/sign_in/passkey", "", ""), http.StatusOK))
	}
	use := func(status int) func(*walk) {
		return func(w *walk) {
			w.form(w.t, browser, "/users/sign_in/passkey", values("answer", device.Use(optionsOf(asked))), status)
		}
	}
	unverified := func(w *walk) {
		wrong := *device
		wrong.Unverified = true
		w.form(w.t, browser, "/users/sign_in/passkey", values("answer", wrong.Use(optionsOf(asked))), http.StatusUnprocessableEntity)
	}
	return []scenario{
		{page: "GET /user_settings/passkeys", cost: cost{3, 0, 0}},
		{name: "a passkey", do: func(w *walk) { device = w.addPasskey() }, stored: names(passkey.EventAdded)},
		{page: "POST /user_settings/passkeys/1/rename", send: "name=Phone", status: 303, stored: names(passkey.EventRenamed)},
		{name: "the question", do: ask, cost: cost{0, 0, 0}},
		{name: "sign-in with it", do: use(http.StatusSeeOther), stored: names(signin.EventSignIn), cost: cost{3, 5, 4}},
		{name: "the question again", do: ask},
		{name: "nobody verified", do: unverified, stored: names(signin.EventFailed)},
		{page: "POST /user_settings/passkeys/1/remove", status: 303, stored: names(passkey.EventRemoved)},
		{name: "sign-in without it", do: use(http.StatusUnprocessableEntity), stored: names(signin.EventFailed)},
		{name: "a device that counts", do: func(w *walk) { device = w.addPasskey() }, stored: names(passkey.EventAdded)},
		{name: "a copy of it", do: func(w *walk) {
			ask(w)
			copied := *device
			use(http.StatusSeeOther)(w)
			device = &copied
			ask(w)
			use(http.StatusUnprocessableEntity)(w)
		}, stored: names(signin.EventSignIn, signin.EventFailed, passkey.EventCopied)},
		{rest: "DELETE /users/{root}/two_factor", status: 204, stored: names(passkey.EventReset)},
	}
}

var asksBrowser = regexp.MustCompile(`data-options="([^"]+)"`)

// optionsOf returns what the page asks the browser.
func optionsOf(page string) string {
	return html.UnescapeString(asksBrowser.FindStringSubmatch(page)[1])
}

// addPasskey gives the administrator a passkey of a device that counts.
func (w *walk) addPasskey() *passkeytest.Device {
	d := passkeytest.New(w.t, w.app.BaseURL)
	d.Counts = true
	page := w.form(w.t, w.browser, "/user_settings/passkeys/begin", w.password(), http.StatusOK)
	made := values("ticket", ticket.FindStringSubmatch(page)[1], "name", "Key", "answer", d.Create(optionsOf(page)))
	w.form(w.t, w.browser, "/user_settings/passkeys", made, http.StatusSeeOther)
	return d
}

// guess tries to sign in with a wrong password.
func (w *walk) guess(login string) {
	w.form(w.t, newBrowser(w.t), "/users/sign_in", values("login", login, "password", w.secret("a wrong password")), http.StatusUnprocessableEntity)
}

// nextMinute lets the rest of the minute go by.
func (w *walk) nextMinute() { w.pass(time.Minute - time.Duration(w.now().UnixNano())%time.Minute) }

// password returns a form with the administrator's password.
func (w *walk) password() map[string][]string { return values("password", w.root.Password.Reveal()) }

// wantFailed checks whom the failed sign-ins in the trail concern, the newest
// first.
func (w *walk) wantFailed(want ...int64) {
	w.t.Helper()
	var got []int64
	for _, e := range w.trail(w.t) {
		if e.Name == signin.EventFailed {
			got = append(got, e.UserID)
		}
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("failed sign-ins concern %v, want %v", got, want)
	}
}

var (
	ticket       = regexp.MustCompile(`name="ticket" value="([^"]+)"`)
	secretOfApp  = regexp.MustCompile(`id="two-factor-secret">([A-Z2-7 ]+)<`)
	recoveryCode = regexp.MustCompile(`[a-z2-7]{4}(-[a-z2-7]{4}){3}`)
)

// enableTwoFactor sets two-factor authentication up for the administrator who is
// signed in in the browser, and returns the seed that the app gets and a recovery
// code.
func (s *server) enableTwoFactor(t *testing.T, browser *http.Client) (seed twofactor.Seed, recovery string) {
	t.Helper()
	page := s.form(t, browser, "/user_settings/two_factor/begin", values("password", s.root.Password.Reveal()), http.StatusOK)
	shown := strings.ReplaceAll(secretOfApp.FindStringSubmatch(page)[1], " ", "")
	seed, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(shown)
	if err != nil {
		t.Fatal(err)
	}
	enable := values("ticket", ticket.FindStringSubmatch(page)[1], "code", seed.Code(s.now()))
	return seed, recoveryCode.FindString(s.form(t, browser, "/user_settings/two_factor", enable, http.StatusOK))
}
