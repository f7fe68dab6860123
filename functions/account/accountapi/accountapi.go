// Package accountapi serves the pages on which people sign in, register
// applications, let applications act for them, and manage access to their
// account; and the pages on which administrators manage all accounts.
package accountapi

import (
	"context"
	"embed"
	"net/http"

	"gatehouse/shared/app"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/fault"
	"gatehouse/shared/passkey/ceremony"
	"gatehouse/shared/recovery"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

//go:embed templates
var files embed.FS

// notices are the messages after an action.
var notices = site.Notices{
	"saved":               "The application was saved.",
	"deleted":             "The application was deleted, with every access that people gave it.",
	"signed-out":          "You are signed out.",
	"access-ended":        "The application cannot act for you any more.",
	"token-revoked":       "The token was revoked. It no longer works.",
	"session-ended":       "The session was ended.",
	"profile-saved":       "Your profile is saved.",
	"email-saved":         "Your e-mail address is saved.",
	"password-changed":    "Your password is changed. You are signed out everywhere else.",
	"password-set":        "Your password is set. Sign in with it.",
	"reset-asked":         "If there is such an account, a mail with a link is on its way to it.",
	"confirmation-sent":   "A mail with a link is on its way to your address.",
	"confirmation-enough": "You were sent enough mails for now. Try again in an hour.",
	"others-ended":        "You are signed out everywhere else.",
	"left":                "You left, and no longer have the role that this membership gave you.",

	"notifications-saved": "Your notifications are saved.",
	"test-mailed":         "A test is on its way to your mail address. You have no active webhook.",
	"test-sent":           "A test is on its way to your mail address and to each of your active webhooks.",
	"test-enough":         "You have sent enough tests for now. Try again in an hour.",
	"webhook-on":          "The webhook is on.",
	"webhook-off":         "The webhook is off. It gets no messages.",
	"webhook-deleted":     "The webhook was deleted.",

	"settings-saved": "The settings are saved.",

	"user-blocked":        "The user is blocked.",
	"user-confirmed":      "The e-mail address counts as the user's own now.",
	"user-unblocked":      "The user is no longer blocked.",
	"user-created":        "The user is made, and can sign in with the password.",
	"user-invited":        "A mail with a link is on its way to the user.",
	"user-saved":          "The user is saved.",
	"user-password":       "The password is set. The user is signed out everywhere.",
	"user-signed-out":     "The user is signed out everywhere.",
	"user-deleted":        "The user is deleted.",
	"two-factor-reset":    "The user signs in with the password alone now, without passkeys, and is signed out everywhere.",
	"two-factor-disabled": "Two-factor authentication is off. You are signed out everywhere else.",
	"two-factor-over":     "That took too long, or it was done before. Nothing was changed.",
	"recovery-used":       "You signed in with a recovery code, which is used up now. The settings say how many are left.",
	"passkey-added":       "The passkey is added. You can sign in with it.",
	"passkey-renamed":     "The passkey is renamed.",
	"passkey-removed":     "The passkey was removed. It cannot sign you in any more.",
	"sign-in-over":        "That took too long. Sign in again.",
}

type api struct {
	app   *app.App
	site  *site.Site
	party *ceremony.Party // nil: browsers have no passkeys for the instance's address
}

// New returns the handler of the group.
func New(app *app.App) http.Handler {
	a := &api{app: app, site: site.New(app, files, notices), party: ceremony.New(app.BaseURL)}
	anybody, user, session := a.site.Page, a.site.SignedIn, a.site.InSession
	own := a.ownDesk()
	owner, holder := only(a.site, app.OAuth.ClientByID, manages), only(a.site, app.Tokens.AccessToken, holds)

	mux := web.NewMux()
	mux.HandleFunc("GET /assets/{name}", a.site.Asset)
	mux.Handle("GET "+deprecation.Page, anybody(a.showDeprecations))
	mux.Handle("GET /users/sign_in", anybody(a.showSignIn))
	mux.Handle("POST /users/sign_in", anybody(a.signIn))
	mux.Handle("GET "+passkeyStepPath, anybody(a.showPasskeyStep))
	mux.Handle("POST "+passkeyStepPath, anybody(a.passkeyStep))
	mux.Handle("GET /users/two_factor", anybody(a.showSecondStep))
	mux.Handle("POST /users/two_factor", anybody(a.secondStep))
	mux.Handle("POST /users/sign_out", anybody(a.signOut))
	mux.Handle("GET /users/password", anybody(a.showNewPassword))
	mux.Handle("POST /users/password", anybody(a.setPassword))
	mux.Handle("GET "+forgotPath, anybody(a.showForgot))
	mux.Handle("POST "+forgotPath, anybody(a.askForMail))
	mux.Handle("GET "+recovery.ConfirmationPath, anybody(a.showConfirmation))
	mux.Handle("POST "+recovery.ConfirmationPath, anybody(a.confirmByMail))
	mux.Handle("GET /users/{username}", user(a.showPerson))

	mux.Handle("GET /oauth/authorize", anybody(a.askUser))
	mux.Handle("POST /oauth/authorize", anybody(a.decide))
	a.site.TakeFromAnywhere("POST /oauth/authorize") // an application may send its request by a form
	mux.Handle("DELETE /oauth/authorize", anybody(a.deny))

	mux.Handle("GET /user_settings", anybody(toProfile))
	mux.Handle("GET "+profilePath, user(a.showProfile))
	mux.Handle("POST "+profilePath, user(a.changeProfile("profile", "profile-saved", readProfile)))
	mux.Handle("POST "+profilePath+"/email", user(a.changeProfile("email", "email-saved", readEmail)))
	mux.Handle("POST "+profilePath+"/password", user(a.changeProfile("password", "password-changed", readPassword)))
	mux.Handle("POST "+profilePath+"/confirmation", user(a.sendConfirmation))
	mux.Handle("GET /user_settings/applications", user(a.listApplications))
	mux.Handle("GET /user_settings/applications/new", user(a.newApplication(own)))
	mux.Handle("POST /user_settings/applications", user(a.createApplication(own)))
	mux.Handle("GET /user_settings/applications/{id}", owner(a.showApplication(own)))
	mux.Handle("POST /user_settings/applications/{id}", owner(a.updateApplication(own)))
	mux.Handle("GET /user_settings/applications/{id}/edit", owner(a.editApplication(own)))
	mux.Handle("POST /user_settings/applications/{id}/renew_secret", owner(a.renewSecret(own)))
	mux.Handle("POST /user_settings/applications/{id}/delete", owner(a.deleteApplication(own)))

	mux.Handle("GET /user_settings/authorized_applications", user(a.listAuthorized))
	mux.Handle("POST /user_settings/authorized_applications/{id}/revoke", user(a.revokeAuthorized))
	mux.Handle("DELETE /oauth/authorized_applications/{id}", user(a.revokeAuthorized))

	mux.Handle("GET /user_settings/personal_access_tokens", user(a.listTokens))
	mux.Handle("GET /user_settings/personal_access_tokens/new", user(a.newToken))
	mux.Handle("POST /user_settings/personal_access_tokens", user(a.createToken))
	mux.Handle("GET /user_settings/personal_access_tokens/{id}", holder(a.showToken))
	mux.Handle("POST /user_settings/personal_access_tokens/{id}/rotate", holder(a.rotateToken))
	mux.Handle("POST /user_settings/personal_access_tokens/{id}/revoke", holder(a.revokeToken))

	mux.Handle("GET /user_settings/two_factor", user(a.showTwoFactor))
	mux.Handle("POST /user_settings/two_factor", session(a.enableTwoFactor))
	mux.Handle("POST /user_settings/two_factor/begin", a.withPassword(a.renderTwoFactor, "begin", a.beginTwoFactor))
	mux.Handle("POST /user_settings/two_factor/disable", a.withPassword(a.renderTwoFactor, "disable", a.disableTwoFactor))
	mux.Handle("POST /user_settings/two_factor/recovery_codes", a.withPassword(a.renderTwoFactor, "recovery_codes", a.renewRecoveryCodes))

	mux.Handle("GET "+passkeysPath, user(a.listPasskeys))
	mux.Handle("POST "+passkeysPath, session(a.addPasskey))
	mux.Handle("POST "+passkeysPath+"/begin", a.withPassword(a.renderPasskeys, "begin", a.beginPasskey))
	mux.Handle("POST "+passkeysPath+"/{number}/rename", user(a.renamePasskey))
	mux.Handle("POST "+passkeysPath+"/{number}/remove", user(a.removePasskey))

	mux.Handle("GET /user_settings/sessions", session(a.listSessions))
	mux.Handle("POST /user_settings/sessions/{id}/end", user(a.endSession))
	mux.Handle("POST /user_settings/sessions/end_others", session(a.endOtherSessions))
	mux.Handle("GET /user_settings/memberships", user(toMemberships))
	mux.Handle("GET /user_settings/memberships/{kind}", user(a.listMemberships))
	mux.Handle("POST /user_settings/memberships/{kind}/{id}/leave", user(a.leave))
	mux.Handle("GET /user_settings/audit", user(a.ownAudit))
	a.routeNotifications(mux)
	a.routeAdmin(mux)
	return web.Routed{Handler: web.Wrap(app.BaseURL, a.site.Serve(mux)), Patterns: mux.Patterns()}
}

func (a *api) routeAdmin(mux *web.Mux) {
	admin := a.administrator
	mux.Handle("GET /admin", admin(toUsers))
	a.routeUsers(mux)
	a.routeApplications(mux)
	mux.Handle("GET "+adminSettingsPath, admin(a.showInstance))
	mux.Handle("POST "+adminSettingsPath, admin(a.changeInstance))
	mux.Handle("GET /admin/audit", admin(a.everybodysAudit))
	mux.Handle("GET "+adminAuditCSVPath, admin(a.everybodysAuditCSV))
	mux.Handle("GET /admin/deprecations", admin(a.everybodysUses))
	mux.Handle("GET /admin/mails", admin(a.listMails))
	mux.Handle("GET /admin/mails/{id}", admin(a.showMail))
}

func (a *api) routeUsers(mux *web.Mux) {
	admin, of := a.administrator, a.administratorAt
	mux.Handle("GET /admin/users", admin(a.listUsers))
	mux.Handle("GET /admin/users/new", admin(a.newUser))
	mux.Handle("POST /admin/users", admin(a.createUser))
	mux.Handle("GET /admin/users/{id}", of(a.showUser))
	mux.Handle("GET /admin/users/{id}/access", of(a.showUserAccess))
	mux.Handle("GET /admin/users/{id}/edit", of(a.editUser))
	mux.Handle("POST /admin/users/{id}", of(a.updateUser))
	mux.Handle("POST /admin/users/{id}/password", of(a.setUserPassword))
	mux.Handle("POST /admin/users/{id}/block", of(a.changeUser(a.app.Users.Block, "user-blocked")))
	mux.Handle("POST /admin/users/{id}/unblock", of(a.changeUser(a.app.Users.Unblock, "user-unblocked")))
	mux.Handle("POST /admin/users/{id}/sign_out", of(a.endUserSessions))
	mux.Handle("POST /admin/users/{id}/confirm", of(a.confirmAddress))
	mux.Handle("POST /admin/users/{id}/reset_link", of(a.makeResetLink))
	mux.Handle("POST /admin/users/{id}/invite", of(a.invite))
	mux.Handle("POST /admin/users/{id}/reset_two_factor", of(a.resetTwoFactor))
	mux.Handle("POST /admin/users/{id}/delete", of(a.deleteUser))
}

// only returns a guard that calls a handler with the thing that {id} names, if
// the user may see it. To everyone else the thing does not exist.
func only[T any](s *site.Site, read func(context.Context, int64) (T, error), may func(user.User, T) bool) func(func(http.ResponseWriter, *http.Request, user.User, T) error) http.Handler {
	return func(h func(http.ResponseWriter, *http.Request, user.User, T) error) http.Handler {
		return s.SignedIn(func(w http.ResponseWriter, r *http.Request, u user.User) error {
			id, err := web.PathID(r, "id")
			if err != nil {
				return err
			}
			thing, err := read(r.Context(), id)
			switch {
			case err != nil:
				return err
			case !may(u, thing):
				return fault.New(fault.NotFound, "another user's")
			}
			return h(w, r, u, thing)
		})
	}
}

func toProfile(w http.ResponseWriter, r *http.Request) error {
	return site.Redirect(w, r, profilePath)
}
