package monitorapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/auth"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

func (a *api) listAlerts(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	params := web.Params(r)
	query, req := readQuery(params), params.Page()
	if err := params.Err(); err != nil {
		return err
	}
	var listing alert.Listing
	var names names
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() (err error) {
		listing, err = a.app.Alerts.List(ctx, p.ID, query, req)
		return err
	})
	reads.Go(func() (err error) {
		names.integrations, err = a.integrationNames(ctx, p)
		return err
	})
	if err := reads.Wait(); err != nil {
		return err
	}
	var err error
	if names.users, err = a.users(r.Context(), assigneesOf(listing.Items)); err != nil {
		return err
	}
	if listing.Counts != nil {
		w.Header().Set("X-Status-Counts", statusCounts(listing.Counts))
	}
	return web.List(w, r, a.app.BaseURL, req, listing.Of, func(one alert.Alert) alertBody { return a.alertBody(p, one, names) })
}

// statusCounts writes the number of alerts with each status as a dictionary (RFC
// 9651 section 3.2), for a header: the body is the list of alerts.
func statusCounts(counts map[alert.Status]int) string {
	members := make([]string, len(alert.Statuses))
	for n, status := range alert.Statuses {
		members[n] = fmt.Sprintf("%s=%d", status, counts[status])
	}
	return strings.Join(members, ", ")
}

// readQuery reads the query. By default the newest alerts come first.
func readQuery(params *web.Values) alert.Query {
	var q alert.Query
	q.Statuses = web.Choices(params, "status", alert.Statuses)
	q.Severities = web.Choices(params, "severity", alert.Severities)
	q.Search = orZero(params.OptionalString("search"))
	q.Host = orZero(params.OptionalString("host"))
	q.Environment = orZero(params.OptionalString("environment"))
	q.Label = labelOf(params)
	q.IntegrationID = orZero(params.OptionalInt("integration_id"))
	q.AssigneeID = orZero(params.OptionalInt("assignee_id"))
	q.Order = web.Choice(params, "order_by", alert.Orders)
	q.Descending = web.Choice(params, "sort", []string{"asc", "desc"}) != "asc"
	return q
}

// labelOf reads a label that an alert is to have.
func labelOf(params *web.Values) alert.Label {
	written := orZero(params.OptionalString("label"))
	label, ok := alert.ParseLabel(written)
	if !ok && written != "" {
		params.Invalid("label")
	}
	return label
}

// foundAlert is an alert with what a change leaves as it is.
type foundAlert struct {
	alert.Current
	payload      json.RawMessage
	latest       alert.LatestPayload
	integrations map[int64]string // names
}

// foundAlert reads the alert in the path, all parts in parallel.
func (a *api) foundAlert(r *http.Request, p project.Project, read readAlert) (found foundAlert, err error) {
	iid, err := web.PathID(r, "iid")
	if err != nil {
		return foundAlert{}, noAlert(err)
	}
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() (err error) {
		found.Current, err = read(ctx, p, iid)
		return err
	})
	reads.Go(func() (err error) {
		found.payload, err = a.payload(ctx, p.ID, iid)
		return err
	})
	reads.Go(func() (err error) {
		found.latest, err = a.latestPayload(ctx, p.ID, iid)
		return err
	})
	reads.Go(func() (err error) {
		found.integrations, err = a.integrationNames(ctx, p)
		return err
	})
	err = reads.Wait() // found is complete only now
	return found, noAlert(err)
}

// readAlert reads an alert, to be shown or to be changed.
type readAlert func(ctx context.Context, p project.Project, iid int64) (alert.Current, error)

// toShow reads an alert that is not going to be changed.
func (a *api) toShow(ctx context.Context, p project.Project, iid int64) (alert.Current, error) {
	found, err := a.app.Alerts.Alert(ctx, p.ID, iid)
	return alert.Current{Alert: found}, err
}

// noAlert makes a fault.NotFound error one about the alert.
func noAlert(err error) error { return web.NotFound("Alert", err) }

func (a *api) showAlert(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	found, err := a.foundAlert(r, p, a.toShow)
	if err != nil {
		return err
	}
	return a.answerAlert(w, r, p, found)
}

// showPayload answers with the payload alone, as it was sent.
func (a *api) showPayload(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	iid, err := web.PathID(r, "iid")
	if err != nil {
		return noAlert(err)
	}
	text, err := a.payload(r.Context(), p.ID, iid)
	if err != nil {
		return noAlert(err)
	}
	return web.WriteJSON(w, http.StatusOK, text)
}

func (a *api) changeAlert(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	found, err := a.foundAlert(r, p, a.app.Alerts.Current)
	if err != nil {
		return err
	}
	change, err := readAlertChange(web.Params(r))
	if err != nil {
		return err
	}
	if found.Alert, err = a.app.Alerts.Change(r.Context(), c.Actor(), p, found.Current, change); err != nil {
		return noAlert(err)
	}
	return a.answerAlert(w, r, p, found)
}

// readAlertChange reads a status, an assignee, the end of a silence, or several of them.
func readAlertChange(params *web.Values) (alert.Change, error) {
	var c alert.Change
	if status := web.Choice(params, "status", alert.Statuses); status != "" {
		c.Status = &status
	}
	if params.Has("assignee_id") {
		assignee := orZero(params.OptionalInt("assignee_id"))
		c.AssigneeID = &assignee
	}
	if params.Has("silenced_until") {
		until := params.OptionalTime("silenced_until")
		c.SilencedUntil = &until
	}
	switch err := params.Err(); {
	case err != nil:
		return alert.Change{}, err
	case c.Status == nil && c.AssigneeID == nil && c.SilencedUntil == nil:
		return alert.Change{}, web.BadParameters("status, assignee_id, silenced_until are missing, at least one parameter must be provided")
	}
	return c, nil
}
