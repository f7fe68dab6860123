package consoleapi

import (
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/outbox"
	"gatehouse/shared/site"
	"gatehouse/shared/undelivered"
	"gatehouse/shared/web"
)

// undeliveredPage is the data of the list of undelivered messages.
type undeliveredPage struct {
	visit
	Rows   []undeliveredRow
	Paging site.Paging
}

// undeliveredRow is a message that was given up, with what it is about.
type undeliveredRow struct {
	undelivered.Message
	What     string
	Alert    alertLink
	Incident alertLink
	Webhook  string // address of its page
	Person   string
	Address  string // where a form has it sent again
}

// messageNames say what the kinds of messages are. Those about alerts and incidents begin
// with these words.
var messageNames = map[outbox.Kind]string{
	"webhook.delivery": "Message to a webhook", "notice": "Notice to a person", "notice.refused": "Mail that was refused",
	"notice.shift": "Notice about a shift", "notice.mail": "Mail to a person", "notice.webhook": "Message to a person’s webhook", "notice.shift_mail": "Mail about a shift", "mail.members": "Mails to the maintainers", "escalation.step": "Step of the escalation",
	"schedule.changed": "Change of a schedule", "schedule.handover": "Hand-over of a schedule",
}

func messageName(k outbox.Kind) string {
	if name := messageNames[k]; name != "" {
		return name
	}
	about, what, _ := strings.Cut(string(k), ".")
	switch about {
	case "alert":
		return "What follows when an alert is " + what
	case "incident":
		return "What follows when an incident is " + what
	}
	return "Message"
}

// listUndelivered lists the messages of the project that were given up, the newest first.
func (a *api) listUndelivered(w http.ResponseWriter, r *http.Request, v visit) error {
	wanted := site.PageOf(r)
	found, err := a.app.Undelivered.List(r.Context(), v.Project, wanted)
	if err != nil {
		return err
	}
	var userIDs []int64
	for _, m := range found.Items {
		userIDs = append(userIDs, m.UserID)
	}
	people, err := a.people(r.Context(), userIDs...)
	if err != nil {
		return err
	}
	body := undeliveredPage{visit: v, Paging: site.NewPaging(v.Address()+undeliveredSection, wanted, found)}
	for _, m := range found.Items {
		body.Rows = append(body.Rows, newUndeliveredRow(m, v, people))
	}
	return a.renderWebhooks(w, r, v, undeliveredSection, site.Page{Template: "undelivered", Title: "Undelivered messages", Body: body})
}

func newUndeliveredRow(m undelivered.Message, v visit, known people) undeliveredRow {
	row := undeliveredRow{
		Message: m, What: messageName(m.Kind), Person: known.name(m.UserID),
		Address: v.Address() + undeliveredSection + "/" + strconv.FormatInt(m.Number, 10) + "/retry",
	}
	if m.IID != 0 {
		row.Alert = alertLink{m.IID, v.alertAddress(m.IID)}
	}
	if m.IncidentIID != 0 {
		row.Incident = alertLink{m.IncidentIID, v.incidentAddress(m.IncidentIID)}
	}
	if m.WebhookID != 0 && m.Kind == "webhook.delivery" { // of the project, not of a person
		row.Webhook = v.Address() + webhooksTab + "/" + strconv.FormatInt(m.WebhookID, 10)
	}
	return row
}

// retryUndelivered has the message in the path sent again. One that is gone was sent again
// by somebody else, or has expired.
func (a *api) retryUndelivered(w http.ResponseWriter, r *http.Request, v visit) error {
	number, err := web.PathID(r, "message")
	if err == nil {
		err = a.app.Undelivered.Retry(r.Context(), v.actor(), v.Project, number)
	}
	notice := "message-retried"
	if fault.Is(err, fault.NotFound) {
		err, notice = nil, "message-gone"
	}
	return a.site.Done(w, r, err, notice, v.Address()+undeliveredSection)
}
