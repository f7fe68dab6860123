package accountapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// auditBody is the data of a page of the audit trail.
type auditBody struct {
	Heading, Lead, Address string
	Admin                  bool // sees everyone's entries
	Kinds                  []audit.Kind
	Search                 auditSearch
	Unknown                string // what was searched for and does not exist
	Rows                   []auditRow
	Newest, Older          string // addresses; empty where there is no need
	CSV                    string // address of the file with all of it
	SearchedUntil          time.Time
}

// auditSearch is the filled-in form above the trail.
type auditSearch struct{ Event, User, Actor, Project, Nobody, From, Until, Before string }

// auditRow is an entry as text.
type auditRow struct {
	audit.Entry
	Title, By, Account string
	Details            []auditDetail
	From               bool // shows the address
}

// auditDetail is one detail. They are not joined, because a text may be any name
// that someone gave a thing, and look like other details.
type auditDetail struct{ Name, Text string }

// auditSize is the number of entries on a page.
const auditSize = 30

// ownAudit shows users what happened to their account.
func (a *api) ownAudit(w http.ResponseWriter, r *http.Request, u user.User) error {
	body := auditBody{
		Heading: "Security log", Address: auditPath,
		Lead: "What happened to your account in the last year, and what it changed in groups and projects. If it was not you, end your other sessions and ask an administrator for a new password.",
	}
	return a.renderAudit(w, r, u, body, audit.Filter{UserID: u.ID}, a.renderSettings)
}

// everybodysAudit shows administrators what happened to all accounts.
func (a *api) everybodysAudit(w http.ResponseWriter, r *http.Request, u user.User) error {
	body := auditBody{Heading: "Audit trail", Address: adminAuditPath, Lead: "What happened to all accounts, groups and projects in the last year.", Admin: true}
	filter, err := a.concerned(r.Context(), r.URL.Query())
	switch {
	case fault.Is(err, fault.NotFound):
		body.Unknown = "No user has this user name or e-mail address, or no project has this path."
	case err != nil:
		return err
	}
	return a.renderAudit(w, r, u, body, filter, a.renderAdmin)
}

// concerned returns the filter for the account, project and actor that an administrator
// searches for.
func (a *api) concerned(ctx context.Context, query url.Values) (f audit.Filter, err error) {
	if query.Has("nobody") {
		return audit.Filter{}, nil
	}
	var account, actor user.User
	var p project.Project
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) { account, err = a.namedUser(ctx, query.Get("user")); return err })
	reads.Go(func() (err error) { actor, err = a.namedUser(ctx, query.Get("actor")); return err })
	reads.Go(func() (err error) {
		if reference := strings.Trim(query.Get("project"), "/ "); reference != "" {
			p, err = a.app.Projects.FindProject(ctx, reference)
		}
		return err
	})
	if err := reads.Wait(); err != nil {
		return audit.Filter{}, err
	}
	switch f.ActorID = actor.ID; {
	case p.ID != 0:
		f.ProjectID, f.AccountID = p.ID, account.ID
	case account.ID != 0:
		f.UserID = account.ID
	default:
		f.Everybody = true
	}
	return f, nil
}

// namedUser returns the user whom a field names; the zero User if it is empty.
func (a *api) namedUser(ctx context.Context, field string) (user.User, error) {
	name := strings.TrimPrefix(strings.TrimSpace(field), "@")
	if name == "" {
		return user.User{}, nil
	}
	return a.app.Users.UserByLogin(ctx, name)
}

type renderer func(http.ResponseWriter, *http.Request, site.Page) error

func (a *api) renderAudit(w http.ResponseWriter, r *http.Request, u user.User, body auditBody, f audit.Filter, render renderer) error {
	body.Search, f = readAuditSearch(r.URL.Query(), f)
	var found audit.Page
	var err error
	if body.Unknown == "" {
		if found, err = a.app.Trail.Entries(r.Context(), f); err != nil {
			return err
		}
	}
	if body.Rows, err = a.auditRows(r.Context(), u, body.Admin, found.Entries); err != nil {
		return err
	}
	for _, k := range audit.Kinds() {
		if k.Stored() {
			body.Kinds = append(body.Kinds, k)
		}
	}
	if body.Search.Before != "" {
		body.Newest = body.Search.address(body.Address, "")
	}
	if found.Next != "" {
		body.Older = body.Search.address(body.Address, found.Next)
	}
	if body.Admin && len(body.Rows) > 0 {
		body.CSV = body.Search.address(adminAuditCSVPath, body.Search.Before)
	}
	body.SearchedUntil = found.SearchedUntil
	return render(w, r, site.Page{Template: "audit", Title: body.Heading, Body: body})
}

// readAuditSearch reads the form. It ignores wrong values, as people edit
// addresses by hand.
func readAuditSearch(query url.Values, f audit.Filter) (auditSearch, audit.Filter) {
	s := auditSearch{User: query.Get("user"), Actor: query.Get("actor"), Project: query.Get("project")}
	if query.Has("nobody") {
		s = auditSearch{Nobody: "1"}
	}
	if _, known := audit.Name(query.Get("event")).Kind(); known {
		s.Event = query.Get("event")
	}
	if before := query.Get("before"); audit.IsID(before) {
		s.Before = before
	}
	f.Name, f.Before, f.Size = audit.Name(s.Event), s.Before, auditSize
	if day, err := time.Parse(time.DateOnly, query.Get("from")); err == nil {
		s.From, f.From = query.Get("from"), day
	}
	if day, err := time.Parse(time.DateOnly, query.Get("until")); err == nil {
		s.Until, f.Until = query.Get("until"), day.AddDate(0, 0, 1)
	}
	return s, f
}

// address returns the address of another page of the same search.
func (s auditSearch) address(base, before string) string {
	query := url.Values{}
	for name, value := range map[string]string{"event": s.Event, "user": s.User, "actor": s.Actor, "project": s.Project, "nobody": s.Nobody, "from": s.From, "until": s.Until, "before": before} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return base
	}
	return base + "?" + query.Encode()
}

// auditRows describes entries for the reader.
func (a *api) auditRows(ctx context.Context, reader user.User, admin bool, entries []audit.Entry) ([]auditRow, error) {
	var ids []int64
	for _, e := range entries {
		ids = append(ids, e.ActorID, e.UserID)
	}
	ids = slices.DeleteFunc(ids, func(id int64) bool { return id <= 0 })
	people, err := a.app.Users.UsersByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	var rows []auditRow
	for _, e := range entries {
		rows = append(rows, newAuditRow(e, reader, admin, people))
	}
	return rows, nil
}

// newAuditRow describes an entry. It hides the addresses of administrators from
// other users.
func newAuditRow(e audit.Entry, reader user.User, admin bool, people map[int64]user.User) auditRow {
	kind, _ := e.Name.Kind()
	row := auditRow{Entry: e, Title: kind.Title, Details: newAuditDetails(e.Event.Details), From: admin || e.ActorID == 0 || e.ActorID == reader.ID}
	switch by, known := people[e.ActorID]; {
	case e.ActorID == 0 && e.Event.Details["application"] != "":
		row.By = "Application “" + e.Event.Details["application"] + "”" // quoted, as the name may be anything
	case e.ActorID == 0:
		row.By = "Unknown"
	case e.ActorID == audit.CommandLine.ID:
		row.By = "Command line"
	case !admin && e.ActorID == reader.ID:
		row.By = "You"
	case known:
		row.By = "@" + by.Username
	default:
		row.By = "A deleted user"
	}
	switch account, known := people[e.UserID]; {
	case known:
		row.Account = "@" + account.Username
	case e.UserID == 0:
		row.Account = "None that exists"
	default:
		row.Account = "Deleted: " + e.Event.Details["user"]
	}
	return row
}

// newAuditDetails lists the details that the row does not show elsewhere.
func newAuditDetails(all audit.Details) (shown []auditDetail) {
	for _, name := range all.Names() {
		if name != "client_id" && name != "user" {
			shown = append(shown, auditDetail{strings.ReplaceAll(name, "_", " "), all[name]})
		}
	}
	return shown
}
