package consoleapi

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/alert"
	"gatehouse/shared/integration"
	"gatehouse/shared/payload"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// alertBody is the data of an alert's page.
type alertBody struct {
	visit
	Alert     alert.Alert
	Page      string // its address
	Back      string // the query part of the list's address, which the page's addresses have too
	Filter    string // of that, what does not say which page of the list it was
	Next      string // the address of the next open alert in the list
	Details   alert.Details
	Runbook   textOrLink
	Generator textOrLink
	Tools     []toolLink
	Annotated []annotation
	Through   string    // name of the integration
	Assigned  user.User // the assignee; zero: nobody, or a deleted user
	Assignee  string    // the assignee's name
	Suggested []user.User
	Wrong     wrongAssignee
	Activity  []activity
	Payload   *node
	Mapping   string // address where the payload goes through the mapping; empty: it does not, or not for the visitor
	Latest    *node  // the newest payload of a repeat
	LatestAt  time.Time
	Silenced  bool
	Silence   silenceForm
	Complaint string    // why the alert was not changed
	Link      typed     // the number of an incident
	Incident  string    // address of the incident that the alert belongs to, if any
	Duplicate *alertRow // the open alert that prevents this one from being reopened
}

// AssignedToMe reports whether the alert is assigned to the visitor.
func (b alertBody) AssignedToMe() bool { return b.Alert.AssigneeID == b.User.ID }

// Pages reports whether people are paged about the alert unless it is silenced.
func (b alertBody) Pages() bool {
	return b.Alert.Status == alert.Triggered || b.Alert.Status == alert.Acknowledged
}

// Version is that of the alert.
func (b alertBody) Version() int64 { return b.Alert.Version }

func (a *api) showAlert(w http.ResponseWriter, r *http.Request, v visit) error {
	n, err := web.PathID(r, "alert")
	if err != nil {
		return err
	}
	body, err := a.newAlertBody(r.Context(), v, n)
	if err != nil {
		return err
	}
	return a.renderAlert(w, r, http.StatusOK, body)
}

func (a *api) renderAlert(w http.ResponseWriter, r *http.Request, status int, body alertBody) error {
	title := "#" + strconv.FormatInt(body.Alert.IID, 10) + " " + body.Alert.Title
	body.Back = backToAlerts(r)
	if query, err := readAlertQuery(r); err == nil {
		body.Filter, body.Next = query.address(), body.nextAlert(query, body.Alert.IID)
	}
	return a.render(w, r, body.visit, alertsTab, site.Page{Template: "alert", Title: title, Status: status, Body: body})
}

// alertParts is what is read for an alert's page.
type alertParts struct {
	alert        alert.Whole
	integrations []integration.Integration
	people       people // whom the page names
}

// alertParts reads the parts: the payloads and the people at the same time.
func (a *api) alertParts(ctx context.Context, v visit, iid int64) (parts alertParts, err error) {
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		parts.alert, err = a.app.Alerts.WholeAlert(ctx, v.Project.ID, iid, func(ctx context.Context, of alert.Alert) (err error) {
			parts.people, err = a.people(ctx, userIDs(of)...)
			return err
		})
		return err
	})
	reads.Go(func() (err error) {
		parts.integrations, err = a.app.Integrations.Integrations(ctx, v.Project)
		return err
	})
	err = reads.Wait() // parts is complete only now
	return parts, err
}

func (a *api) newAlertBody(ctx context.Context, v visit, iid int64) (alertBody, error) {
	parts, err := a.alertParts(ctx, v, iid)
	if err != nil {
		return alertBody{}, err
	}
	people := parts.people
	details := parts.alert.ReadDetails(parts.alert.Payload)
	details.Annotations = slices.DeleteFunc(details.Annotations, func(a alert.Annotation) bool {
		return a.Name == "runbook_url" && a.Value == parts.alert.Runbook // which is shown
	})
	body := alertBody{
		visit: v, Alert: parts.alert.Alert, Page: v.alertAddress(iid), Details: details,
		Runbook: newTextOrLink(parts.alert.Runbook), Generator: newTextOrLink(details.GeneratorURL), Annotated: newAnnotations(details),
		Tools:   newToolLinks(parts.alert.Alert, details.Links),
		Through: parts.through(), Assigned: people[parts.alert.AssigneeID], Assignee: people.name(parts.alert.AssigneeID),
		Suggested: people.present(), Activity: newActivity(parts.alert.Alert, people), Payload: newTree(parts.alert.Payload),
		Silenced: parts.alert.Silenced(a.app.Now()), Mapping: a.mappingAddress(v, parts),
	}
	if !parts.alert.Latest.At.IsZero() {
		body.Latest, body.LatestAt = newTree(parts.alert.Latest.Text), parts.alert.Latest.At
	}
	if iid := parts.alert.IncidentIID; iid != 0 {
		body.Incident = v.incidentAddress(iid)
	}
	return body, nil
}

// userIDs lists all users that the page of the alert names.
func userIDs(of alert.Alert) []int64 {
	ids := []int64{of.AssigneeID}
	for _, a := range of.Activity {
		ids = append(ids, a.ActorID, a.UserID)
	}
	return ids
}

// mappingAddress returns where maintainers see what the mapping makes of the alert's payload.
func (a *api) mappingAddress(v visit, parts alertParts) string {
	n := slices.IndexFunc(parts.integrations, func(i integration.Integration) bool { return i.ID == parts.alert.IntegrationID })
	if n < 0 || !v.Maintains() || !a.app.Integrations.Features.Mapping {
		return ""
	}
	return a.newIntegrationView(v, parts.integrations[n]).Address + "/mapping?alert=" + strconv.FormatInt(parts.alert.IID, 10)
}

// through returns the name of the integration that received the alert.
func (p alertParts) through() string {
	for _, i := range p.integrations {
		if i.ID == p.alert.IntegrationID {
			return i.Name
		}
	}
	return ""
}

// textOrLink is what a tool sent as a link. Link is empty unless it is the
// address of a web page.
type textOrLink struct{ Text, Link string }

func newTextOrLink(text string) textOrLink { return textOrLink{text, alert.WebLink(text)} }

// toolLink is a button that leads to a tool which sent an alert.
type toolLink struct{ Name, Address string }

// newToolLinks lists what there is, what helps at once first.
func newToolLinks(a alert.Alert, l alert.Links) []toolLink {
	tool := "the tool"
	switch {
	case a.MonitoringTool == alert.Grafana:
		tool = alert.Grafana
	case a.FromAlertmanager():
		tool = "Alertmanager"
	}
	all := []toolLink{
		{"Runbook", alert.WebLink(a.Runbook)}, {"Silence in " + tool, l.Silence}, {"Dashboard", l.Dashboard}, {"Panel", l.Panel},
		{"Source", l.Source}, {"Open " + tool, l.External},
	}
	return slices.DeleteFunc(all, func(l toolLink) bool { return l.Address == "" })
}

// Labelled returns the query part of the address of the alerts with the label: of those that
// wait, like this one, or of all.
func (b alertBody) Labelled(l alert.Label) string {
	values := url.Values{"label": {l.String()}}
	if !b.Alert.Waits() {
		values.Set("status", allAlerts)
	}
	return "?" + values.Encode()
}

// annotation is a further text of the tool, with a name.
type annotation struct {
	Name string
	textOrLink
}

// maxAnnotations bounds the annotations that the page shows besides those in
// the payload, because a Lambda function's answer is limited to 6 MB.
const maxAnnotations = 50

// newAnnotations lists the first annotations. One that is cut is no link.
func newAnnotations(d alert.Details) (shown []annotation) {
	for _, a := range d.Annotations[:min(len(d.Annotations), maxAnnotations)] {
		value := newTextOrLink(payload.Cut(a.Value, maxText))
		if value.Text != a.Value {
			value.Link = ""
		}
		shown = append(shown, annotation{payload.Cut(a.Name, maxText), value})
	}
	return shown
}

// Unannotated is the number of annotations that only the payload shows.
func (b alertBody) Unannotated() int { return len(b.Details.Annotations) - len(b.Annotated) }
