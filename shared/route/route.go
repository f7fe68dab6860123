// Package route has the one list of the service's addresses (Table: which function
// serves a path), the words that are reserved because addresses use them, and the
// rules for names in a path (name.go).
package route

// A Route sends the requests for one path pattern to one function. The
// pattern is API Gateway's: {proxy+} matches one segment or more. The most
// specific pattern wins, whatever the order.
type Route struct{ Pattern, Function string }

// Dispatcher is the function that answers no requests but events.
const Dispatcher = "dispatcher"

// Default is the pattern of the route for requests that match no other.
const Default = "$default"

// Key is how API Gateway names the route in its definition and in events.
func (r Route) Key() string {
	if r.Pattern == Default {
		return Default
	}
	return "ANY " + r.Pattern
}

// Table holds every route of the deployment; template.yaml repeats it, and a
// test compares the two. A greedy pattern does not match its bare prefix, so
// each prefix has a route of its own. No pattern can end in a slash:
// web.RedirectSlash serves those addresses. /users/sign_in, /users/password,
// /users/password/new and /oauth/token have routes because the gateway limits them more.
var Table = []Route{
	{"/", "console"},
	{"/oauth/authorize", "account"},
	{"/oauth/authorized_applications/{id}", "account"},
	{"/users", "account"},
	{"/users/sign_in", "account"},
	{"/users/password", "account"},
	{"/users/password/new", "account"},
	{"/users/{proxy+}", "account"},
	{"/user_settings", "account"},
	{"/user_settings/{proxy+}", "account"},
	{"/admin", "account"},
	{"/admin/{proxy+}", "account"},
	{"/-/deprecations", "account"},
	{"/assets/{proxy+}", "account"},
	{"/console", "console"},
	{"/console/{proxy+}", "console"},
	{"/oauth", "oauth"},
	{"/oauth/token", "oauth"},
	{"/oauth/{proxy+}", "oauth"},
	{"/.well-known", "oauth"},
	{"/.well-known/{proxy+}", "oauth"},
	{"/git", "oauth"},
	{"/git/{proxy+}", "oauth"},
	{"/-/{proxy+}", "oauth"},
	{"/api/v4/projects/{id}/error_tracking", "errortracking"},
	{"/api/v4/projects/{id}/error_tracking/{proxy+}", "errortracking"},
	{"/api/v4/projects/{id}/monitor", "monitor"},
	{"/api/v4/projects/{id}/monitor/{proxy+}", "monitor"},
	{"/api/v4/user/oncall_feed", "monitor"},
	{"/-/calendar", "monitor"},
	{"/-/calendar/{proxy+}", "monitor"},
	{"/api/v4/projects", "projects"},
	{"/api/v4/projects/{proxy+}", "projects"},
	{"/api/v4", "platform"},
	{"/api/v4/{proxy+}", "platform"},
	{Default, "alerts"},
}
