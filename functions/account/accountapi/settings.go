package accountapi

import (
	"net/http"
	"slices"
	"strings"

	"gatehouse/shared/site"
)

// Addresses of the settings' pages.
const (
	applicationsPath = "/user_settings/applications"
	authorizedPath   = "/user_settings/authorized_applications"
	tokensPath       = "/user_settings/personal_access_tokens"
	twoFactorPath    = "/user_settings/two_factor"
	passkeysPath     = "/user_settings/passkeys"
	sessionsPath     = "/user_settings/sessions"
	membershipsPath  = "/user_settings/memberships"
	auditPath        = "/user_settings/audit"

	notificationsPath = "/user_settings/notifications"
)

// settings are the pages on which people look after their own account.
var settings = []site.Tab{
	{Name: "Profile", Address: profilePath},
	{Name: "Applications", Address: applicationsPath},
	{Name: "Authorized applications", Address: authorizedPath},
	{Name: "Access tokens", Address: tokensPath},
	{Name: twoFactorTitle, Address: twoFactorPath},
	{Name: "Passkeys", Address: passkeysPath},
	{Name: "Sessions", Address: sessionsPath},
	{Name: "Memberships", Address: membershipsPath},
	{Name: "Notifications", Address: notificationsPath},
	{Name: "Security log", Address: auditPath},
}

// renderSettings answers with a page of the settings.
func (a *api) renderSettings(w http.ResponseWriter, r *http.Request, p site.Page) error {
	p.Place, p.Tabs = "Settings", slices.Clone(settings)
	for i, t := range p.Tabs {
		p.Tabs[i].Current = r.URL.Path == t.Address || strings.HasPrefix(r.URL.Path, t.Address+"/")
	}
	return a.site.Render(w, r, p)
}
