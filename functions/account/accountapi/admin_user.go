package accountapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/session"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// userBody is the data of the page of one user.
type userBody struct {
	user.User
	Address, Trail string
	Own            bool // the reader
	Mails          bool // a mail reaches the user
	Sessions       page.Of[session.Session]
	Groups         int
	Projects       int
	Many           bool   // there are more memberships than were counted
	Typed          string // the user name that confirms the deletion
	Complaint      string // about it
}

// Person is the address of the page that everybody sees.
func (b userBody) Person() string { return b.PagePath() }

// Invited reports whether the user has yet to choose the first password.
func (b userBody) Invited() bool { return b.PasswordHash == "" }

// fewSessions are shown on the page of a user, and mostCounted memberships counted.
const (
	fewSessions = 5
	mostCounted = 100
)

func (a *api) showUser(w http.ResponseWriter, r *http.Request, u, of user.User) error {
	return a.renderUser(w, r, http.StatusOK, userBody{User: of, Own: of.ID == u.ID})
}

func (a *api) renderUser(w http.ResponseWriter, r *http.Request, status int, body userBody) error {
	var memberships project.Memberships
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() (err error) {
		body.Sessions, err = a.app.Sessions.Of(ctx, body.User, page.Request{Number: 1, Size: fewSessions, Uncounted: true})
		return err
	})
	reads.Go(func() (err error) {
		memberships, err = a.app.Projects.SomeMemberships(ctx, body.ID, mostCounted+1)
		return err
	})
	if err := reads.Wait(); err != nil {
		return err
	}
	body.count(memberships)
	body.Address, body.Mails = userAddress(body.User), !a.app.KeepsMails
	body.Trail = adminAuditPath + "?" + url.Values{"user": {body.Username}}.Encode()
	return a.renderAdmin(w, r, site.Page{Template: "user", Title: "@" + body.Username, Status: status, Body: body})
}

// count counts the memberships of groups and of projects.
func (b *userBody) count(memberships project.Memberships) {
	b.Many = len(memberships) > mostCounted
	for _, m := range memberships[:min(len(memberships), mostCounted)] {
		if m.Kind == project.InGroup {
			b.Groups++
		} else {
			b.Projects++
		}
	}
}

// accessBody is the data of the page of what opens a user's account besides the password.
type accessBody struct {
	user.User
	Address     string
	Tokens      []userToken
	MoreTokens  bool
	Clients     []oauth.Client
	MoreClients bool
}

type userToken struct {
	accesstoken.Token
	State string
}

// showUserAccess shows the newest tokens and applications of a user.
func (a *api) showUserAccess(w http.ResponseWriter, r *http.Request, _, of user.User) error {
	var tokens page.Of[accesstoken.Token]
	var clients page.Of[oauth.Client]
	newest := page.Request{Number: 1, Size: page.DefaultSize, Uncounted: true}
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() (err error) {
		tokens, err = a.app.Tokens.AccessTokens(ctx, of.ID, newest)
		return err
	})
	reads.Go(func() (err error) {
		clients, err = a.app.OAuth.ClientsOf(ctx, of.ID, newest)
		return err
	})
	if err := reads.Wait(); err != nil {
		return err
	}
	body := accessBody{User: of, Address: userAddress(of), MoreTokens: tokens.More, Clients: clients.Items, MoreClients: clients.More}
	for _, t := range tokens.Items {
		body.Tokens = append(body.Tokens, userToken{t, a.stateOf(t)})
	}
	return a.renderAdmin(w, r, site.Page{Template: "user_access", Title: "Access of @" + of.Username, Body: body})
}

// changeUser returns the handler of a button on the page of a user.
func (a *api) changeUser(change func(context.Context, audit.Actor, int64) (user.User, error), notice string) func(http.ResponseWriter, *http.Request, user.User, user.User) error {
	return func(w http.ResponseWriter, r *http.Request, u, of user.User) error {
		_, err := change(r.Context(), audit.ByUser(u.ID), of.ID)
		if errors.Is(err, user.ErrOneself) {
			return fault.New(fault.Invalid, "Administrators cannot block themselves.")
		}
		return a.site.Done(w, r, err, notice, userAddress(of))
	}
}

// endUserSessions signs another user out everywhere. Administrators have a page for their
// own sessions, which leaves them the one that they are in.
func (a *api) endUserSessions(w http.ResponseWriter, r *http.Request, u, of user.User) error {
	if of.ID == u.ID {
		return fault.New(fault.Invalid, "End your own sessions in your settings.")
	}
	_, err := a.app.Users.EndSessions(r.Context(), audit.ByUser(u.ID), of.ID)
	return a.site.Done(w, r, err, "user-signed-out", userAddress(of))
}

// confirmAddress confirms the e-mail address in the form, if the user has it still.
func (a *api) confirmAddress(w http.ResponseWriter, r *http.Request, u, of user.User) error {
	form, err := site.ReadForm(r)
	if err == nil {
		_, err = a.app.Users.Confirm(r.Context(), audit.ByUser(u.ID), of.ID, form.Get("email"))
	}
	return a.site.Done(w, r, err, "user-confirmed", userAddress(of))
}

// resetTwoFactor resets the second factor and the passkeys of another user. Administrators turn
// their own off in their settings, which takes the password: someone who finds
// this page open does not know it.
func (a *api) resetTwoFactor(w http.ResponseWriter, r *http.Request, u, of user.User) error {
	if of.ID == u.ID {
		return fault.New(fault.Invalid, "Turn off your own two-factor authentication in your settings.")
	}
	had, err := a.app.TwoFactor.Reset(r.Context(), audit.ByUser(u.ID), of)
	if err != nil {
		return err
	}
	notice := "two-factor-reset"
	if !had {
		notice = "two-factor-over"
	}
	return a.site.Done(w, r, nil, notice, userAddress(of))
}

// invite mails a link by which another user sets a password.
func (a *api) invite(w http.ResponseWriter, r *http.Request, u, of user.User) error {
	switch {
	case a.app.KeepsMails:
		return errNoMails
	case of.ID == u.ID:
		return errOwnPassword
	}
	err := a.app.Recovery.Invite(r.Context(), audit.ByUser(u.ID), of)
	return a.site.Done(w, r, err, "user-invited", userAddress(of))
}

// deleteUser deletes another user whose user name was typed once more.
func (a *api) deleteUser(w http.ResponseWriter, r *http.Request, u, of user.User) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	body := userBody{User: of, Own: of.ID == u.ID, Typed: form.Get("username")}
	if body.Typed != of.Username {
		body.Complaint = "Write the user name " + of.Username + " to delete the user."
		return a.renderUser(w, r, http.StatusUnprocessableEntity, body)
	}
	err = a.app.Users.Delete(r.Context(), audit.ByUser(u.ID), of.ID)
	switch {
	case errors.Is(err, user.ErrOneself):
		return fault.New(fault.Invalid, "Administrators cannot delete themselves.")
	case errors.Is(err, user.ErrHoldsProjects):
		body.Complaint = "Projects are in the namespace of @" + of.Username + ". Delete them first, or block the user."
		return a.renderUser(w, r, http.StatusConflict, body)
	}
	return a.site.Done(w, r, err, "user-deleted", adminUsersPath)
}

// userAddress is that of the page on which administrators manage the user.
func userAddress(u user.User) string { return adminUsersPath + "/" + strconv.FormatInt(u.ID, 10) }
