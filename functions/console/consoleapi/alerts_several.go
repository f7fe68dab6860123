package consoleapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// severalForm is the form around the list of alerts.
type severalForm struct {
	Deed     string // the button that was pressed
	Marks    []alert.Mark
	All      bool // all that match the query of the list, whatever is checked
	After    string
	Assignee string
	Zone     string
}

// several is what became of several alerts.
type several struct {
	severalForm
	Done      int
	Failed    []string // a sentence for each alert that was not changed
	More      bool     // there are more that match: After is where they begin
	Complaint string   // about the whole form
	Wrong     string   // about the assignee
}

func (s several) checked(iid int64) bool {
	return slices.ContainsFunc(s.Marks, func(m alert.Mark) bool { return m.IID == iid })
}

// Told reports whether there is something to say about a form that was sent.
func (s several) Told() bool {
	return s.Complaint != "" || s.Wrong != "" || s.More || len(s.Failed) > 0
}

// deed is what a button below the list does.
type deed struct {
	done   string         // what then is true of the alerts
	notice string         // of one alert
	to     []alert.Status // of which status those are to which it is done when it is done to all
}

var openStatuses = []alert.Status{alert.Triggered, alert.Acknowledged}

// deeds are the buttons.
var deeds = map[string]deed{
	"acknowledge": {"acknowledged", "alert-acknowledged", []alert.Status{alert.Triggered}},
	"resolve":     {"resolved", "alert-resolved", []alert.Status{alert.Triggered, alert.Acknowledged, alert.Ignored}},
	"mine":        {"assigned to you", "alert-assigned", openStatuses},
	"assign":      {"assigned", "alert-assigned", openStatuses},
	"hour":        {"silenced", "alert-silenced", openStatuses},
	"four_hours":  {"silenced", "alert-silenced", openStatuses},
	"morning":     {"silenced", "alert-silenced", openStatuses},
}

// readSeveralForm reads the form. The button in a row is for that alert alone.
func readSeveralForm(r *http.Request) (sent severalForm, err error) {
	form, err := site.ReadForm(r)
	if err != nil {
		return severalForm{}, err
	}
	sent = severalForm{
		Deed: form.Get("deed"), All: form.Checked("all"), After: form.Get("after"), Assignee: typedAssignee(form), Zone: newSilenceForm(form).Zone,
	}
	checked := form.All("alerts[]")
	if one := form.Get("one"); one != "" {
		sent.Deed, sent.All, checked = "acknowledge", false, []string{one}
	}
	for _, text := range checked {
		m, err := parseMark(text)
		if err != nil {
			return severalForm{}, err
		}
		sent.Marks = append(sent.Marks, m)
	}
	return sent, nil
}

// formatMark writes the number of an alert with the version that was seen.
func formatMark(m alert.Mark) string { return fmt.Sprintf("%d.%d", m.IID, m.Seen) }

var errNoMark = fault.New(fault.Invalid, "There is no such alert, or no such button.")

func parseMark(text string) (m alert.Mark, err error) {
	iid, seen, _ := strings.Cut(text, ".")
	m.IID, err = strconv.ParseInt(iid, 10, 64)
	if err == nil {
		m.Seen, err = strconv.ParseInt(seen, 10, 64)
	}
	if err != nil {
		return alert.Mark{}, errNoMark
	}
	return m, nil
}

// changeAlerts does something with the alerts that were checked in the list, or with all
// that match its query: a hundred at a time.
func (a *api) changeAlerts(w http.ResponseWriter, r *http.Request, v visit) error {
	sent, err := readSeveralForm(r)
	if err != nil {
		return err
	}
	how, known := deeds[sent.Deed]
	done := several{severalForm: sent}
	switch {
	case sent.Deed == "": // Enter in a box
		done.Complaint = "Nothing was changed: press one of the buttons below the list."
		return a.renderList(w, r, v, http.StatusUnprocessableEntity, done)
	case !known:
		return errNoMark
	}
	change, err := a.severalChange(r.Context(), v, sent)
	if fault.Is(err, fault.NotFound) {
		done.Wrong = notAnAssignee
		return a.renderList(w, r, v, http.StatusUnprocessableEntity, done)
	}
	if err == nil && sent.All {
		err = a.markMatching(r, v, how, &done)
	}
	switch {
	case err != nil:
		return err
	case len(done.Marks) == 0 && !done.More:
		done.Complaint = "There is nothing to do: no alert is checked, or none that matches needs it."
		return a.renderList(w, r, v, http.StatusUnprocessableEntity, done)
	case len(done.Marks) > alert.MaxChanged:
		return errNoMark
	}
	return a.changeMarked(w, r, v, how, change, done)
}

// severalChange returns the change that the form asks for, or a fault.NotFound error if
// there is no such assignee.
func (a *api) severalChange(ctx context.Context, v visit, sent severalForm) (c alert.Change, err error) {
	switch sent.Deed {
	case "acknowledge":
		c.Status = new(alert.Acknowledged)
	case "resolve":
		c.Status = new(alert.Resolved)
	case "mine":
		c.AssigneeID = &v.User.ID
	case "assign":
		var u user.User
		u, err = a.app.Users.UserByUsername(ctx, sent.Assignee)
		c.AssigneeID = &u.ID
	default:
		until, complaint, endErr := silenceForm{For: sent.Deed, Zone: sent.Zone}.end(a.app.Now())
		if complaint != "" {
			endErr = errNoSilence
		}
		c.SilencedUntil, err = &until, endErr
	}
	return c, err
}

// markMatching marks the next hundred of all alerts that match the query of the list and to
// which the deed is done.
func (a *api) markMatching(r *http.Request, v visit, how deed, done *several) error {
	_, wanted, err := a.wantedAlerts(r, v)
	if err != nil {
		return err
	}
	wanted.Order, wanted.Descending = alert.ByCreation, true
	wanted.Statuses = slices.DeleteFunc(slices.Clone(how.to), func(s alert.Status) bool {
		return len(wanted.Statuses) > 0 && !slices.Contains(wanted.Statuses, s)
	})
	done.Marks = nil
	if len(wanted.Statuses) == 0 {
		return nil
	}
	from := page.Request{Number: 1, Size: alert.MaxChanged, Uncounted: true}
	if from.After, err = page.ParsePosition(done.After); err != nil {
		from.After = page.Position{} // as it is at first
	}
	found, err := a.app.Alerts.List(r.Context(), v.Project.ID, wanted, from)
	for _, one := range found.Items {
		done.Marks = append(done.Marks, alert.Mark{IID: one.IID, Seen: one.Version})
	}
	if done.More = found.More; done.More {
		done.After = found.Next.String()
	}
	return err
}

// changeMarked makes the change, and tells what became of it.
func (a *api) changeMarked(w http.ResponseWriter, r *http.Request, v visit, how deed, c alert.Change, done several) error {
	why, err := a.app.Alerts.ChangeAll(r.Context(), v.actor(), v.Project, done.Marks, c)
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong) && wrong["assignee_id"] != nil:
		done.Wrong = notAnAssignee
		return a.renderList(w, r, v, http.StatusUnprocessableEntity, done)
	case err != nil:
		return err
	}
	status, marks := http.StatusOK, done.Marks
	done.Marks = nil
	for n, m := range marks {
		if why[n] == nil {
			done.Done++
			continue
		}
		status = http.StatusConflict
		done.Marks = append(done.Marks, m)
		done.Failed = append(done.Failed, fmt.Sprintf("#%d %s.", m.IID, whyUnchanged(r, why[n])))
	}
	if !done.More && len(done.Failed) == 0 {
		notice := "alerts-" + strings.ReplaceAll(how.done, " ", "-")
		if len(marks) == 1 {
			notice = how.notice
		}
		return a.site.Done(w, r, nil, notice, v.Address()+alertsTab+backToAlerts(r))
	}
	return a.renderList(w, r, v, status, done)
}

// whyUnchanged says why an alert was not changed, in words that follow its number.
func whyUnchanged(r *http.Request, why error) string {
	switch {
	case errors.Is(why, alert.ErrChanged):
		return "was changed since you opened the list"
	case errors.Is(why, alert.ErrDuplicateOpen):
		return "cannot be opened again: another alert with its fingerprint is open"
	case fault.Is(why, fault.NotFound):
		return "is not there any more"
	}
	_ = web.Message(r, why) // for the log
	return "could not be changed now: try again"
}

// DeedDone says what is true of the alerts that were changed.
func (s several) DeedDone() string { return deeds[s.Deed].done }
