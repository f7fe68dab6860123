package consoleapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// memberForm is the form with the role of a member and its end.
type memberForm struct {
	Username   string // of a new member
	Role       project.Role
	Until      string       // a day, as it was typed; empty: the membership has no end
	Own        project.Role // the highest role that can be given
	Complaints site.Complaints
	Complaint  string // about all of it
}

// Roles are the roles to choose from.
func (f memberForm) Roles() (all []project.Role) {
	for _, role := range []project.Role{project.Guest, project.Planner, project.Reporter, project.Developer, project.Maintainer, project.Owner} {
		if role <= f.Own {
			all = append(all, role)
		}
	}
	return all
}

// read reads the role and the end, and complains about an end that is no day.
func (f *memberForm) read(form site.Form) (m project.Member, err error) {
	level, _ := strconv.Atoi(form.Get("access_level")) // what is no number is no role
	f.Role, f.Until = project.Role(level), strings.TrimSpace(form.Get("expires_at"))
	m.Role = f.Role
	if f.Until == "" {
		return m, nil
	}
	if m.ExpiresAt, err = time.Parse(time.DateOnly, f.Until); err != nil || m.ExpiresAt.IsZero() {
		return m, fault.Field("expires_at", "must be a day, such as 2030-12-31")
	}
	return m, nil
}

// explain notes why the form was not taken, and returns the status of the answer. It returns
// an error that is not about the form.
func (f *memberForm) explain(err error) (status int, _ error) {
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong):
		f.Complaints = site.NewComplaints(wrong, "username", "The user name", "access_level", "The role", "expires_at", "The end")
		return http.StatusUnprocessableEntity, nil
	case errors.Is(err, project.ErrLastOwner):
		f.Complaints = site.Complain(f.endsOwner(), sentence(err))
		return web.Status(err), nil
	case fault.Message(err) != "" && !fault.Is(err, fault.NotFound):
		f.Complaint = sentence(err)
		return web.Status(err), nil
	}
	return 0, err
}

// endsOwner is the field by which an owner would be one no more.
func (f memberForm) endsOwner() string {
	if f.Role < project.Owner {
		return "access_level"
	}
	return "expires_at"
}

// addMember makes the user with the typed user name a member.
func (a *api) addMember(w http.ResponseWriter, r *http.Request, v venue) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := membersBody{venue: v, Form: memberForm{Own: v.Role, Username: strings.TrimPrefix(strings.TrimSpace(form.Get("username")), "@")}}
	m, err := body.Form.read(form)
	if err == nil {
		err = a.invite(r.Context(), v, body.Form.Username, m)
	}
	if err != nil {
		status, err := body.Form.explain(err)
		if err != nil {
			return err
		}
		return a.renderMembers(w, r, status, body)
	}
	return a.site.Done(w, r, nil, "member-added", v.Members())
}

// invite makes the user with this user name a member.
func (a *api) invite(ctx context.Context, v venue, username string, m project.Member) error {
	if username == "" {
		return fault.Field("username", "can't be blank")
	}
	u, err := a.app.Users.UserByUsername(ctx, username)
	if err == nil {
		m.UserID = u.ID
		err = a.app.Projects.Invite(ctx, project.Inviter{Actor: v.actor(), Role: v.Role, Admin: v.User.Admin}, v.At, m)
	}
	if fault.Is(err, fault.NotFound) {
		return fault.Field("username", "is nobody's")
	}
	return err
}

// memberBody is the data of the form about a member.
type memberBody struct {
	venue
	Person user.User
	Form   memberForm
	Seen   string // see seenTerms
}

// Page is the address of the form.
func (b memberBody) Page() string { return b.Members() + "/" + strconv.FormatInt(b.Person.ID, 10) }

// You reports whether the member is the reader.
func (b memberBody) You() bool { return b.Person.ID == b.User.ID }

// seenTerms tells the terms on which a change was decided. A form from a page that was open
// for long must not undo later changes.
func seenTerms(m project.Member) string { return fmt.Sprintf("%d %s", m.Role, day(m.ExpiresAt)) }

// day returns the day as a form has it, or "" for none.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// member reads the direct member with the user id in the path, and who that is.
func (a *api) member(r *http.Request, v venue) (m project.Member, u user.User, err error) {
	id, err := web.PathID(r, "user")
	if err != nil {
		return m, u, err
	}
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() (err error) {
		m, err = a.app.Projects.Member(ctx, v.At.Place(), id)
		return err
	})
	reads.Go(func() (err error) {
		u, err = a.app.Users.User(ctx, id)
		return err
	})
	return m, u, reads.Wait()
}

func (a *api) showMember(w http.ResponseWriter, r *http.Request, v venue) error {
	m, u, err := a.member(r, v)
	if err != nil {
		return err
	}
	form := memberForm{Role: m.Role, Until: day(m.ExpiresAt), Own: v.Role}
	return a.renderMember(w, r, http.StatusOK, memberBody{v, u, form, seenTerms(m)})
}

func (a *api) renderMember(w http.ResponseWriter, r *http.Request, status int, body memberBody) error {
	return body.render(w, r, membersTab, site.Page{Template: "member", Title: "Membership of " + body.Person.Name, Status: status, Body: body})
}

// changeMember gives the member the role and end in the form.
func (a *api) changeMember(w http.ResponseWriter, r *http.Request, v venue) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	was, u, err := a.member(r, v)
	if err != nil {
		return err
	}
	body := memberBody{v, u, memberForm{Own: v.Role}, seenTerms(was)}
	next, err := body.Form.read(form)
	if seen := form.Get("seen"); seen != "" && seen != body.Seen {
		body.Form.Complaint = changedMeanwhile
		return a.renderMember(w, r, http.StatusConflict, body)
	}
	if err == nil {
		next.Place, next.UserID, next.CreatedAt = was.Place, was.UserID, was.CreatedAt
		err = a.app.Projects.ChangeMember(r.Context(), v.actor(), v.Role, v.At, was, next)
	}
	if err != nil {
		status, err := body.Form.explain(err)
		if err != nil {
			return err
		}
		return a.renderMember(w, r, status, body)
	}
	return a.site.Done(w, r, nil, "member-saved", v.Members())
}

// removeMember ends a membership. Those who end their own may not see the place any more.
func (a *api) removeMember(w http.ResponseWriter, r *http.Request, v venue) error {
	id, err := web.PathID(r, "user")
	if err != nil {
		return err
	}
	err = a.app.Projects.Expel(r.Context(), v.actor(), v.Role, v.At, id)
	switch {
	case fault.Is(err, fault.Conflict):
		return a.renderMembers(w, r, web.Status(err), membersBody{venue: v, Form: memberForm{Role: project.Developer, Own: v.Role}, Complaint: sentence(err)})
	case id == v.User.ID:
		return a.site.Done(w, r, err, "member-left", v.List)
	}
	return a.site.Done(w, r, err, "member-removed", v.Members())
}
