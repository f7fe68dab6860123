// Package runnerapi reads and writes what the REST calls about runners have in common:
// those of the instance, of groups and of projects.
package runnerapi

import (
	"context"
	"net/http"
	"slices"

	"gatehouse/shared/app"
	"gatehouse/shared/auth"
	"gatehouse/shared/listing"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/runner"
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

// Body is a runner on the wire.
type Body struct {
	ID          int64         `json:"id"`
	Description string        `json:"description"`
	IPAddress   string        `json:"ip_address"`
	Active      bool          `json:"active"`
	Paused      bool          `json:"paused"`
	IsShared    bool          `json:"is_shared"`
	RunnerType  runner.Type   `json:"runner_type"`
	Name        *string       `json:"name"`
	Online      bool          `json:"online"`
	Status      runner.Status `json:"status"`
	CreatedAt   web.Time      `json:"created_at"`
}

// NewBody returns the function that makes bodies of runners.
func NewBody(a *app.App) func(runner.Stored) Body {
	now := a.Now()
	return func(s runner.Stored) Body {
		r, t, status := s.Thing, runner.TypeOf(s.Place), s.Thing.StatusAt(now)
		return Body{
			ID: s.ID, Description: r.Description, Active: !r.Paused, Paused: r.Paused, IsShared: t == runner.InstanceType,
			RunnerType: t, Name: OrNull(r.Name), Online: status == runner.Online, Status: status, CreatedAt: web.Time(s.CreatedAt),
		}
	}
}

// OrNull returns the text, or nil if it is empty.
func OrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Viewer is the caller as one who looks at runners.
func Viewer(c auth.Caller) project.Viewer {
	return project.Viewer{UserID: c.User.ID, NamespaceID: c.User.NamespaceID, Admin: c.User.Admin}
}

// The older values of the filter status, which say whether a runner is paused.
const active, paused runner.Status = "active", "paused"

// neverContacted is another word for a status.
const neverContacted runner.Status = "never_contacted"

var statuses = append(slices.Clone(runner.Statuses), neverContacted, runner.Stale, active, paused)

// refused are filters by what runners do not say here.
var refused = listing.Parameters{Refused: []string{"version_prefix"}}

// readFilter reads the parameters that select runners.
func readFilter(params *web.Values) runner.Filter {
	refused.Read(params)
	f := runner.Filter{Type: web.Choice(params, "type", runner.Types), Tags: params.OptionalTexts("tag_list")}
	for _, name := range []string{"status", "scope"} {
		switch status := web.Choice(params, name, statuses); status {
		case "":
		case neverContacted:
			f.Statuses = append(f.Statuses, runner.NotConnected)
		case active, paused:
			f.Paused = append(f.Paused, status == paused)
		default:
			f.Statuses = append(f.Statuses, status)
		}
	}
	if p := params.OptionalBool("paused"); p != nil {
		f.Paused = append(f.Paused, *p)
	}
	return f
}

// List answers with the page of a list that the request asks for.
func List(
	a *app.App, w http.ResponseWriter, r *http.Request,
	list func(context.Context, runner.Filter, page.Request) (page.Of[runner.Stored], error),
) error {
	params := web.Params(r)
	filter, req := readFilter(params), params.Page()
	if err := params.Err(); err != nil {
		return err
	}
	found, err := list(r.Context(), filter, req)
	if err != nil {
		return err
	}
	return web.List(w, r, a.BaseURL, req, found, NewBody(a))
}

// tokenBody is a new registration token on the wire. It ends with the next one.
type tokenBody struct {
	Token     string   `json:"token"`
	ExpiresAt web.Time `json:"token_expires_at"`
}

// ResetToken renews the registration token of a place and answers with it.
func ResetToken(a *app.App, w http.ResponseWriter, r *http.Request, c auth.Caller, at project.Place, where string) error {
	token, err := a.Runners.ResetToken(r.Context(), c.Actor(), at, where)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusCreated, tokenBody{Token: token.Reveal()})
}

// RegisteredBody is a runner on the wire for the runner itself. The token does not
// expire.
type RegisteredBody struct {
	ID        int64    `json:"id"`
	Token     string   `json:"token"`
	ExpiresAt web.Time `json:"token_expires_at"`
}

// NewRegisteredBody returns the body of a runner with its token.
func NewRegisteredBody(s runner.Stored, token secret.Text) RegisteredBody {
	return RegisteredBody{ID: s.ID, Token: token.Reveal()}
}
