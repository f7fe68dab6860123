package accountapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// auditBody is what a page of the audit trail shows.
type auditBody struct {
	Heading, Lead, Address string
	Admin                  bool // sees everybody's
	Kinds                  []audit.Kind
	Search                 auditSearch
	Unknown                bool // nobody has the user name that is asked for
	Rows                   []auditRow
	Newest, Older          string // addresses; empty where there is no need
}

// auditSearch is the form above the trail, as somebody filled it in.
type auditSearch struct{ Event, User, Nobody, From, Until, Before string }

// auditRow is an entry in words.
type auditRow struct {
	audit.Entry
	Title, By, Account string
	Details            []auditDetail
	From               bool // tells where it came from
}

// auditDetail is one detail by itself: a text may be whatever somebody called a
// thing, and look like others.
type auditDetail struct{ Name, Text string }

// auditSize is how many entries a page shows.
const auditSize = 30

// ownAudit shows what happened to one's own account.
func (a *api) ownAudit(w http.ResponseWriter, r *http.Request, u user.User) error {
	body := auditBody{
		Heading: "Security log", Address: auditPath,
		Lead: "What happened to your account, and what it did to groups, to projects and to what is set up in them, in the last year and from where. If it was not you, end your other sessions and ask an administrator for another password.",
	}
	return a.renderAudit(w, r, u, body, audit.Filter{UserID: u.ID}, a.renderSettings)
}

// everybodysAudit shows administrators what happened to all accounts.
func (a *api) everybodysAudit(w http.ResponseWriter, r *http.Request, u user.User) error {
	body := auditBody{Heading: "Audit trail", Address: adminAuditPath, Lead: "What happened to all accounts, to groups, to projects and to what is set up in them, in the last year.", Admin: true}
	filter := audit.Filter{Everybody: true}
	if r.URL.Query().Has("nobody") {
		filter = audit.Filter{}
	} else if name := strings.TrimPrefix(r.URL.Query().Get("user"), "@"); name != "" {
		whose, err := a.app.Users.UserByLogin(r.Context(), name)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		filter = audit.Filter{UserID: whose.ID}
		body.Unknown = whose.ID == 0
	}
	return a.renderAudit(w, r, u, body, filter, a.renderAdmin)
}

type renderer func(http.ResponseWriter, *http.Request, site.Page) error

func (a *api) renderAudit(w http.ResponseWriter, r *http.Request, u user.User, body auditBody, f audit.Filter, render renderer) error {
	body.Search, f = readAuditSearch(r.URL.Query(), f)
	var found audit.Page
	var err error
	if !body.Unknown {
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
	return render(w, r, site.Page{Template: "audit", Title: body.Heading, Body: body})
}

// readAuditSearch reads the form. What is none of its values is not asked for:
// addresses are edited by hand.
func readAuditSearch(query url.Values, f audit.Filter) (auditSearch, audit.Filter) {
	s := auditSearch{User: query.Get("user")}
	if query.Has("nobody") {
		s.User, s.Nobody = "", "1"
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

// address returns where the same search goes on.
func (s auditSearch) address(base, before string) string {
	query := url.Values{}
	for name, value := range map[string]string{"event": s.Event, "user": s.User, "nobody": s.Nobody, "from": s.From, "until": s.Until, "before": before} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return base
	}
	return base + "?" + query.Encode()
}

// auditRows puts entries into words for the reader.
func (a *api) auditRows(ctx context.Context, reader user.User, admin bool, entries []audit.Entry) ([]auditRow, error) {
	var ids []int64
	for _, e := range entries {
		ids = append(ids, e.ActorID, e.UserID)
	}
	ids = slices.DeleteFunc(ids, func(id int64) bool { return id == 0 })
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

// newAuditRow tells people where others did something only if that others are
// not known: an administrator's address is none of theirs.
func newAuditRow(e audit.Entry, reader user.User, admin bool, people map[int64]user.User) auditRow {
	kind, _ := e.Name.Kind()
	row := auditRow{Entry: e, Title: kind.Title, Details: newAuditDetails(e.Event.Details), From: admin || e.ActorID == 0 || e.ActorID == reader.ID}
	switch by, known := people[e.ActorID]; {
	case e.ActorID == 0 && e.Event.Details["application"] != "":
		row.By = "Application “" + e.Event.Details["application"] + "”" // whose name may be anything
	case e.ActorID == 0:
		row.By = "Somebody"
	case !admin && e.ActorID == reader.ID:
		row.By = "You"
	case known:
		row.By = "@" + by.Username
	default:
		row.By = "A deleted user"
	}
	switch whose, known := people[e.UserID]; {
	case known:
		row.Account = "@" + whose.Username
	case e.UserID == 0:
		row.Account = "None that exists"
	default:
		row.Account = "Deleted: " + e.Event.Details["user"]
	}
	return row
}

// newAuditDetails lists what the row does not tell anyway.
func newAuditDetails(all audit.Details) (shown []auditDetail) {
	for _, name := range all.Names() {
		if name != "client_id" && name != "user" {
			shown = append(shown, auditDetail{strings.ReplaceAll(name, "_", " "), all[name]})
		}
	}
	return shown
}
