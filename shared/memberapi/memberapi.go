// Package memberapi serves the REST calls about members, which are the same for
// groups and projects, and reads the parameters that those two share.
package memberapi

import (
	"context"
	"net/http"

	"gatehouse/shared/app"
	"gatehouse/shared/auth"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// handler serves a request about a group or project that the caller sees.
type handler func(w http.ResponseWriter, r *http.Request, c auth.Caller, at project.GroupOrProject) error

type api struct{ app *app.App }

// Mount adds the calls below prefix, which ends in {id}. The guard finds the
// group or project with that id.
func Mount[P project.GroupOrProject, H ~func(http.ResponseWriter, *http.Request, auth.Caller, P) error](
	mux *web.Mux, app *app.App, prefix string, guard func(project.Role) func(H) http.Handler,
) {
	api := &api{app}
	manager := (*new(P)).Place().ManagerRole()
	handle := func(pattern, path string, role project.Role, h handler) {
		mux.Handle(pattern+" "+prefix+path, guard(role)(func(w http.ResponseWriter, r *http.Request, c auth.Caller, at P) error {
			return h(w, r, c, at)
		}))
	}
	handle("GET", "/members", project.NoRole, api.list)
	handle("GET", "/members/all", project.NoRole, api.listAll)
	handle("GET", "/members/all/{user_id}", project.NoRole, api.showAny)
	handle("POST", "/members", manager, api.add)
	handle("GET", "/members/{user_id}", project.NoRole, api.show)
	handle("PUT", "/members/{user_id}", manager, api.change)
	handle("DELETE", "/members/{user_id}", project.NoRole, api.remove)
}

// body is a member on the wire.
type body struct {
	ID          int64        `json:"id"` // the user's
	Username    string       `json:"username"`
	Name        string       `json:"name"`
	AccessLevel project.Role `json:"access_level"`
	ExpiresAt   web.Date     `json:"expires_at"`
}

func newBody(m project.Member, u user.User) body {
	return body{u.ID, u.Username, u.Name, m.Role, web.Date(m.ExpiresAt)}
}

func userIDs(members []project.Member) []int64 {
	ids := make([]int64, len(members))
	for i, m := range members {
		ids[i] = m.UserID
	}
	return ids
}

func (a *api) show(w http.ResponseWriter, r *http.Request, _ auth.Caller, at project.GroupOrProject) error {
	m, err := a.member(r, at)
	if err != nil {
		return err
	}
	return a.answer(w, r, http.StatusOK, m)
}

// showAny answers with the member's highest role, that of a group above included.
func (a *api) showAny(w http.ResponseWriter, r *http.Request, _ auth.Caller, at project.GroupOrProject) error {
	userID, err := web.PathID(r, "user_id")
	if err != nil {
		return web.NotFound("Member", err)
	}
	found, err := a.app.Projects.MembersAmong(r.Context(), []int64{userID}, at.Places()...)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return web.NotFound("Member", project.ErrMemberNotFound)
	}
	return a.answer(w, r, http.StatusOK, found[0])
}

func (a *api) add(w http.ResponseWriter, r *http.Request, c auth.Caller, at project.GroupOrProject) error {
	params := web.Params(r)
	find := a.invited(params)
	m := project.Member{Role: project.Role(params.Int("access_level")), ExpiresAt: params.OptionalDate("expires_at")}
	if err := check(params, m); err != nil {
		return err
	}
	var err error
	if m.UserID, err = find(r.Context()); err != nil {
		return web.NotFound("User", err)
	}
	by := project.Inviter{Actor: c.Actor(), Role: c.Role, Admin: c.User.Admin || c.By != 0}
	known := func(ctx context.Context) error { return a.checkKnown(ctx, by, m.UserID, params.Has("user_id")) }
	if err := a.app.Projects.Invite(r.Context(), by, at, m, known); err != nil {
		return web.NotFound("User", err)
	}
	return a.answer(w, r, http.StatusCreated, m)
}

// invited reads whom a request makes a member: by user_id, or without one by username. The
// function that it returns finds the user's ID.
func (a *api) invited(params *web.Values) func(context.Context) (int64, error) {
	if params.Has("user_id") || !params.Has("username") {
		id := params.Int("user_id")
		return func(context.Context) (int64, error) { return id, nil }
	}
	name := params.String("username")
	return func(ctx context.Context) (int64, error) {
		u, err := a.app.Users.UserByUsername(ctx, name)
		return u.ID, err
	}
}

// checkKnown returns a fault.NotFound error for an unknown user. The answer shows the user's
// name, and ids are counted up: so by an id alone nobody but an administrator adds a stranger
// who is blocked or has a private profile.
func (a *api) checkKnown(ctx context.Context, by project.Inviter, userID int64, byID bool) error {
	u, err := a.app.Users.User(ctx, userID)
	if err != nil || !byID || by.Admin || userID == by.UserID || !u.PrivateProfile && !u.Blocked() {
		return err
	}
	shared, err := a.app.Projects.Share(ctx, by.UserID, userID)
	if err == nil && !shared {
		err = user.ErrNotFound
	}
	return err
}

// change keeps the values that are not sent.
func (a *api) change(w http.ResponseWriter, r *http.Request, c auth.Caller, at project.GroupOrProject) error {
	was, err := a.member(r, at)
	if err != nil {
		return err
	}
	m := was
	params := web.Params(r)
	if level := params.OptionalInt("access_level"); level != nil {
		m.Role = project.Role(*level)
	}
	if params.Has("expires_at") {
		m.ExpiresAt = params.OptionalDate("expires_at")
	}
	if err := check(params, m); err != nil {
		return err
	}
	if err := a.app.Projects.ChangeMember(r.Context(), c.Actor(), c.Role, at, was, m); err != nil {
		return web.NotFound("Member", err)
	}
	return a.answer(w, r, http.StatusOK, m)
}

func (a *api) remove(w http.ResponseWriter, r *http.Request, c auth.Caller, at project.GroupOrProject) error {
	userID, _ := web.PathID(r, "user_id") // a malformed id is that of no member
	err := a.app.Projects.Expel(r.Context(), c.Actor(), c.Role, at, userID)
	return web.Deleted(w, "Member", err)
}

// member returns the direct member with the user id in the path.
func (a *api) member(r *http.Request, at project.GroupOrProject) (project.Member, error) {
	userID, err := web.PathID(r, "user_id")
	if err != nil {
		return project.Member{}, web.NotFound("Member", err)
	}
	m, err := a.app.Projects.Member(r.Context(), at.Place(), userID)
	return m, web.NotFound("Member", err)
}

func (a *api) answer(w http.ResponseWriter, r *http.Request, status int, m project.Member) error {
	u, err := a.app.Users.User(r.Context(), m.UserID)
	if err != nil {
		return web.NotFound("Member", err)
	}
	return web.JSON(w, status, newBody(m, u))
}

// check returns what is wrong with the parameters that m was read from.
func check(params *web.Values, m project.Member) error {
	if err := params.Err(); err != nil || m.Role.Valid() {
		return err
	}
	return web.BadParameters("access_level does not have a valid value")
}

// ReadNarrowing reads the parameters that narrow a list of groups or projects to those in
// which the caller has a role: at least any role, if that was asked for too.
func ReadNarrowing(params *web.Values, anyRole bool) project.Narrowing {
	var n project.Narrowing
	if anyRole {
		n.LeastRole = project.Guest
	}
	if params.BoolOr("owned", false) {
		n.LeastRole = project.Owner
	}
	if level := params.OptionalInt("min_access_level"); level != nil {
		if least := project.Role(*level); least.Valid() || least == minimalAccess {
			n.LeastRole = max(n.LeastRole, least)
		} else {
			params.NotAllowed("min_access_level")
		}
	}
	return n
}

// minimalAccess is a level below that of every role here. Clients send it to ask for any.
const minimalAccess project.Role = 5

// ReadChange reads the parameters that change a group or project.
func ReadChange(params *web.Values) project.Change {
	return project.Change{
		Name: params.OptionalString("name"), Path: params.OptionalString("path"),
		Visibility: (*project.Visibility)(params.OptionalString("visibility")),
	}
}

// ReadVisibility reads the visibility that a list is narrowed to, or "" for none.
func ReadVisibility(params *web.Values) project.Visibility {
	return web.Choice(params, "visibility", []project.Visibility{project.Private, project.Internal, project.Public})
}
