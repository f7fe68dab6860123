package consoleapi

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/integration"
	"gatehouse/shared/payload"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// The sections of the tab Alerts, as the ends of their addresses.
const (
	testSection         = alertsTab + "/test"
	environmentsSection = "/environments"
)

var alertSections = []section{
	{"List", alertsTab},
	{"Test alert", testSection},
	{"Environments", environmentsSection},
}

// renderAlerts answers with a page in a section of the tab Alerts.
func (a *api) renderAlerts(w http.ResponseWriter, r *http.Request, v visit, section string, p site.Page) error {
	p.Sections = v.sections(alertSections, section)
	return a.render(w, r, v, alertsTab, p)
}

// alertsBody is the data of the list of alerts.
type alertsBody struct {
	visit
	Query        alertQuery
	Statuses     []statusTab
	Rows         []alertRow
	Paging       site.Paging
	Chart        chart
	Integrations []integrationView // active ones that take alerts
	Command      string            // sends an alert to the first integration
	Undelivered  bool              // some message of the project was not delivered
	Now          time.Time
	Here         string // the address of this page of the list
	Mine         string // of the alerts that are assigned to the visitor; empty: these are they
	Through      string // name of the integration that the list is narrowed by
	Tools        []listedTool
	Several      several
}

// Markable reports whether any alert of the page can be changed with others.
func (b alertsBody) Markable() bool { return slices.ContainsFunc(b.Rows, alertRow.Markable) }

// Further reports whether the list has other pages.
func (b alertsBody) Further() bool { return b.Paging.Newer != "" || b.Paging.Older != "" }

// Matching is how many alerts the whole list has; zero: that is not known.
func (b alertsBody) Matching() int {
	for _, tab := range b.Statuses {
		if tab.Current && tab.Counted {
			return tab.Count
		}
	}
	return 0
}

// listedTool is an integration that the list can be narrowed by.
type listedTool struct {
	ID   int64
	Name string
}

// alertRow is an alert in the list.
type alertRow struct {
	alert.Alert
	Address  string
	Assignee string
	Checked  bool
}

// Mark names the alert as the page shows it.
func (r alertRow) Mark() string { return formatMark(alert.Mark{IID: r.IID, Seen: r.Version}) }

// Markable reports whether the alert can be changed with others.
func (r alertRow) Markable() bool { return r.Open() }

func (v visit) alertAddress(iid int64) string {
	return v.Address() + alertsTab + "/" + strconv.FormatInt(iid, 10)
}

// listAlerts lists the project's alerts, or leads to the next one that is open.
func (a *api) listAlerts(w http.ResponseWriter, r *http.Request, v visit) error {
	if r.URL.Query().Has(nextAfter) {
		return a.toNextAlert(w, r, v)
	}
	return a.renderList(w, r, v, http.StatusOK, several{})
}

// renderList shows a page of the list, with what became of several alerts, or the active
// on-call link.
func (a *api) renderList(w http.ResponseWriter, r *http.Request, v visit, status int, done several) error {
	query, err := readAlertQuery(r)
	if err != nil {
		return err
	}
	found, err := a.findAlerts(r, v, query)
	if err != nil {
		return err
	}
	if link := activeLink(found.integrations); link != nil {
		body := onCallBody{v, link.Name, alert.WebLink(link.APIURL)}
		return a.render(w, r, v, alertsTab, site.Page{Template: "oncall_link", Title: "Alerts", Body: body})
	}
	body := a.newAlertsBody(r, v, query, found)
	wanted := site.PageOf(r)
	body.Paging = site.NewPaging(v.Address()+alertsTab+query.address(), wanted, found.listing.Of)
	body.Paging.Sorted = query.Sort != ""
	body.Several = done
	for n := range body.Rows {
		body.Rows[n].Checked = done.checked(body.Rows[n].IID)
	}
	return a.renderAlerts(w, r, v, alertsTab, site.Page{Template: "alerts", Title: "Alerts", Status: status, Live: true, Body: body})
}

// onCallBody is the data of the page that replaces the list while an on-call
// link is active.
type onCallBody struct {
	visit
	Name, Target string
}

// foundAlerts is what is read for the list of alerts.
type foundAlerts struct {
	integrations []integration.Integration
	listing      alert.Listing
	days         []alert.Day
	undelivered  bool
	people       people // to whom the alerts are assigned
}

// findAlerts reads in parallel.
func (a *api) findAlerts(r *http.Request, v visit, query alertQuery) (found foundAlerts, err error) {
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() (err error) {
		found.integrations, err = a.app.Integrations.Integrations(ctx, v.Project)
		return err
	})
	reads.Go(func() (err error) {
		wanted, err := a.alertQuery(ctx, v, query)
		if err != nil {
			return err
		}
		found.listing, err = a.app.Alerts.List(ctx, v.Project.ID, wanted, site.PageOf(r), func(ctx context.Context, of []alert.Alert) (err error) {
			found.people, err = a.people(ctx, assignees(of)...)
			return err
		})
		return err
	})
	reads.Go(func() (err error) {
		found.days, err = a.app.Alerts.Days(ctx, v.Project.ID, chartDays)
		return err
	})
	reads.Go(func() (err error) {
		found.undelivered, err = a.anyUndelivered(ctx, v)
		return err
	})
	err = reads.Wait() // found is complete only now
	return found, err
}

// A page of the list has to stay light.
const (
	maxListedTitle = 100 // characters
	maxListedTools = 30  // integrations that the list can be narrowed by
)

func (a *api) newAlertsBody(r *http.Request, v visit, query alertQuery, found foundAlerts) alertsBody {
	body := alertsBody{
		visit: v, Query: query, Statuses: query.tabs(v.Address()+alertsTab, found.listing.Counts),
		Chart: newChart(found.days), Undelivered: found.undelivered, Now: a.app.Now(), Here: v.Address() + alertsTab + backToAlerts(r),
	}
	if mine := query.mine(v.User.Username); mine != query {
		body.Mine = v.Address() + alertsTab + mine.address()
	}
	for _, i := range found.integrations {
		chosen := strconv.FormatInt(i.ID, 10) == query.Integration
		if chosen {
			body.Through = i.Name
		}
		if chosen || len(body.Tools) < maxListedTools {
			body.Tools = append(body.Tools, listedTool{i.ID, brief(i.Name)})
		}
		if i.Receives() {
			body.Integrations = append(body.Integrations, a.newIntegrationView(v, i))
		}
	}
	if len(body.Integrations) > 0 {
		body.Command = curl(body.Integrations[0], "<authorization key>", a.app.Now())
	}
	back := backToAlerts(r)
	for _, one := range found.listing.Items {
		one.Title, one.Service, one.Environment = payload.Cut(one.Title, maxListedTitle), brief(one.Service), brief(one.Environment)
		body.Rows = append(body.Rows, alertRow{Alert: one, Address: v.alertAddress(one.IID) + back, Assignee: brief(found.people.name(one.AssigneeID))})
	}
	return body
}

// assignees lists to whom the alerts are assigned.
func assignees(of []alert.Alert) (ids []int64) {
	for _, one := range of {
		ids = append(ids, one.AssigneeID)
	}
	return ids
}

// Any reports whether the project has any alert that passes the filter, or may
// have one.
func (b alertsBody) Any() bool {
	all := b.Statuses[len(b.Statuses)-1]
	return !all.Counted || all.Count > 0
}

// people are users by their ids.
type people map[int64]user.User

// people returns the existing users with these ids, ignoring zero.
func (a *api) people(ctx context.Context, ids ...int64) (people, error) {
	ids = slices.DeleteFunc(ids, func(id int64) bool { return id == 0 })
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return nil, nil
	}
	return a.app.Users.UsersByID(ctx, ids)
}

// present returns those who are not blocked, by their user names.
func (p people) present() []user.User {
	all := slices.DeleteFunc(slices.Collect(maps.Values(p)), user.User.Blocked)
	slices.SortFunc(all, func(a, b user.User) int { return cmp.Compare(a.Username, b.Username) })
	return all
}

// name returns the name of a user, "" for id zero.
func (p people) name(id int64) string {
	u, ok := p[id]
	switch {
	case id == 0:
		return ""
	case !ok:
		return "a deleted user"
	}
	return u.Name
}
