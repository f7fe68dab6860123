package monitorapi

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"gatehouse/shared/alert"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// alertBody is an alert in a list on the wire.
type alertBody struct {
	IID            int64           `json:"iid"`
	Title          string          `json:"title"`
	Description    *string         `json:"description"`
	Severity       alert.Severity  `json:"severity"`
	PeakSeverity   alert.Severity  `json:"peak_severity"`
	Status         alert.Status    `json:"status"`
	Service        *string         `json:"service"`
	MonitoringTool *string         `json:"monitoring_tool"`
	Hosts          []string        `json:"hosts"`
	Labels         alert.Labels    `json:"labels"`
	GroupTitle     *string         `json:"group_title"`
	Events         int64           `json:"events"`
	LastEventAt    web.Time        `json:"last_event_at"`
	StartedAt      web.Time        `json:"started_at"`
	EndedAt        web.Time        `json:"ended_at"`
	Environment    *string         `json:"environment"`
	Fingerprint    *string         `json:"fingerprint"`
	Runbook        *string         `json:"runbook"`
	Assignee       *userBody       `json:"assignee"`
	IncidentIID    *int64          `json:"incident_iid"`
	SilencedUntil  web.Time        `json:"silenced_until"`
	ExpiresAt      web.Time        `json:"expires_at"`
	Integration    *integrationRef `json:"integration"`
	WebURL         string          `json:"web_url"`
	CreatedAt      web.Time        `json:"created_at"`
	UpdatedAt      web.Time        `json:"updated_at"`
}

type userBody struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
	Name     string `json:"name"`
}

type integrationRef struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// detailedAlert is a single alert on the wire, with its history and the fields
// that only its payload has.
type detailedAlert struct {
	alertBody
	Activity         []activityBody    `json:"activity"`
	Query            *string           `json:"query"`
	GeneratorURL     *string           `json:"generator_url"`
	YLabel           *string           `json:"y_label"`
	IncidentMarkdown *string           `json:"incident_markdown"`
	Links            linksBody         `json:"links"`
	Annotations      map[string]string `json:"annotations"`
	Payload          json.RawMessage   `json:"payload"`
	PayloadTruncated bool              `json:"payload_truncated"`
	LatestPayload    json.RawMessage   `json:"latest_payload"`
	LatestPayloadAt  web.Time          `json:"latest_payload_at"`
}

// linksBody are the links to the tools that sent an alert.
type linksBody struct {
	Silence   *string `json:"silence"`
	Dashboard *string `json:"dashboard"`
	Panel     *string `json:"panel"`
	Source    *string `json:"source"`
	External  *string `json:"external"`
}

func newLinksBody(l alert.Links) linksBody {
	return linksBody{web.OrNull(l.Silence), web.OrNull(l.Dashboard), web.OrNull(l.Panel), web.OrNull(l.Source), web.OrNull(l.External)}
}

type activityBody struct {
	At       web.Time           `json:"at"`
	Actor    *userBody          `json:"actor"`
	Change   alert.ActivityKind `json:"change"`
	Status   *string            `json:"status"`
	Assignee *userBody          `json:"assignee"`

	IncidentIID   *int64   `json:"incident_iid"`
	SilencedUntil web.Time `json:"silenced_until"`
}

// names has the users and integrations that alerts refer to, if they still exist.
type names struct {
	users        map[int64]user.User
	integrations map[int64]string
}

func (n names) user(id int64) *userBody {
	u, there := n.users[id]
	if !there {
		return nil
	}
	return &userBody{u.ID, u.Username, u.Name}
}

func (n names) integration(id int64) *integrationRef {
	name, there := n.integrations[id]
	if !there {
		return nil
	}
	return &integrationRef{id, name}
}

func (a *api) integrationNames(ctx context.Context, p project.Project) (map[int64]string, error) {
	all, err := a.app.Integrations.Integrations(ctx, p)
	names := map[int64]string{}
	for _, i := range all {
		names[i.ID] = i.Name
	}
	return names, err
}

// users returns the users with these ids, ignoring zero.
func (a *api) users(ctx context.Context, ids []int64) (map[int64]user.User, error) {
	wanted := slices.DeleteFunc(ids, func(id int64) bool { return id == 0 })
	slices.Sort(wanted)
	if wanted = slices.Compact(wanted); len(wanted) == 0 {
		return nil, nil
	}
	return a.app.Users.UsersByID(ctx, wanted)
}

func (a *api) alertBody(p project.Project, one alert.Alert, n names) alertBody {
	return alertBody{
		IID: one.IID, Title: one.Title, Description: web.OrNull(one.Description), Severity: one.Severity,
		PeakSeverity: one.PeakSeverity, Status: one.Status,
		Service: web.OrNull(one.Service), MonitoringTool: web.OrNull(one.MonitoringTool), Hosts: append([]string{}, one.Hosts...),
		Labels: labelsBody(one.Labels), GroupTitle: web.OrNull(one.GroupTitle),
		Events: one.Events, LastEventAt: web.Time(one.LastEventAt), StartedAt: web.Time(one.StartedAt), EndedAt: web.Time(one.EndedAt),
		Environment: web.OrNull(one.Environment), Fingerprint: web.OrNull(string(one.Fingerprint)), Runbook: web.OrNull(one.Runbook),
		Assignee: n.user(one.AssigneeID), Integration: n.integration(one.IntegrationID),
		IncidentIID: numberOrNull(one.IncidentIID), SilencedUntil: web.Time(one.SilencedUntil), ExpiresAt: web.Time(one.ExpiresAt),
		WebURL:    a.app.BaseURL + "/console/" + p.FullPath + "/alerts/" + strconv.FormatInt(one.IID, 10),
		CreatedAt: web.Time(one.CreatedAt), UpdatedAt: web.Time(one.UpdatedAt),
	}
}

// labelsBody is an object also without labels.
func labelsBody(labels alert.Labels) alert.Labels {
	if labels == nil {
		return alert.Labels{}
	}
	return labels
}

// numberOrNull is null for zero.
func numberOrNull(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// answerAlert writes a single alert.
func (a *api) answerAlert(w http.ResponseWriter, r *http.Request, p project.Project, found foundAlert) error {
	users, err := a.users(r.Context(), peopleIn(found.Alert))
	if err != nil {
		return err
	}
	n := names{users, found.integrations}
	return web.JSON(w, http.StatusOK, a.fittingAlert(p, found, n))
}

// fittingAlert returns the alert without the newest payload of a repeat if the answer
// would be too large with it, without its own payload if it still would be, and then
// without the details too: they repeat parts of the payload, possibly with more escapes.
func (a *api) fittingAlert(p project.Project, found foundAlert, n names) detailedAlert {
	body := a.alertBody(p, found.Alert, n)
	detailed := newDetailedAlert(body, found.Alert, n, found.payload)
	detailed.LatestPayload, detailed.LatestPayloadAt = found.latest.Text, web.Time(found.latest.At)
	if !web.Fits(detailed) {
		detailed.LatestPayload = nil
	}
	if !web.Fits(detailed) {
		detailed.Payload, detailed.PayloadTruncated = nil, true
	}
	if !web.Fits(detailed) {
		detailed = newDetailedAlert(body, found.Alert, n, nil)
		detailed.PayloadTruncated, detailed.LatestPayloadAt = true, web.Time(found.latest.At)
	}
	return detailed
}

// assigneesOf returns the ids of the alerts' assignees.
func assigneesOf(alerts []alert.Alert) []int64 {
	ids := make([]int64, len(alerts))
	for n, one := range alerts {
		ids[n] = one.AssigneeID
	}
	return ids
}

// peopleIn returns the ids of all users in the alert.
func peopleIn(one alert.Alert) []int64 {
	ids := []int64{one.AssigneeID}
	for _, activity := range one.Activity {
		ids = append(ids, activity.ActorID, activity.UserID)
	}
	return ids
}

func newDetailedAlert(body alertBody, one alert.Alert, n names, text json.RawMessage) detailedAlert {
	details := one.ReadDetails(text)
	detailed := detailedAlert{
		alertBody: body, Activity: []activityBody{}, Query: web.OrNull(details.Query), GeneratorURL: web.OrNull(details.GeneratorURL),
		YLabel: web.OrNull(details.YLabel), IncidentMarkdown: web.OrNull(details.IncidentMarkdown),
		Links: newLinksBody(details.Links), Annotations: map[string]string{}, Payload: text,
	}
	for _, annotation := range details.Annotations {
		detailed.Annotations[annotation.Name] = annotation.Value
	}
	for _, done := range one.Activity {
		detailed.Activity = append(detailed.Activity, activityBody{
			web.Time(done.At), n.user(done.ActorID), done.Change, web.OrNull(string(done.Status)), n.user(done.UserID),
			numberOrNull(done.IncidentIID), web.Time(done.SilencedUntil),
		})
	}
	return detailed
}
