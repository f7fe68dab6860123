package consoleapi

import (
	"cmp"
	"net/http"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// silenceForm is the form that silences an alert.
type silenceForm struct {
	For       string // a choice
	Until     string // with the choice "until": a time in the zone
	Zone      string // that of the visitor; without JavaScript UTC
	Complaint string
}

func newSilenceForm(form site.Form) silenceForm {
	return silenceForm{For: form.Get("for"), Until: form.Get("until"), Zone: cmp.Or(form.Get("zone"), "UTC")}
}

var errNoSilence = fault.New(fault.Invalid, "An alert cannot be silenced like that.")

// silence silences the alert until the time in the form, or ends the silence.
func (a *api) silence(w http.ResponseWriter, r *http.Request, v visit) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	sent := newSilenceForm(form)
	until, complaint, err := sent.end(a.app.Now())
	if err != nil {
		return err
	}
	if complaint != "" {
		return a.renderWrongSilence(w, r, v, sent, complaint)
	}
	notice := "alert-silenced"
	if until.IsZero() {
		notice = "alert-heard"
	}
	return a.changeAlert(w, r, v, form, alert.Change{SilencedUntil: &until}, notice)
}

// end returns when the silence is to end, zero for at once, or a complaint.
func (f silenceForm) end(now time.Time) (until time.Time, complaint string, err error) {
	now = now.UTC().Truncate(time.Second)
	switch f.For {
	case "end":
		return time.Time{}, "", nil
	case "hour":
		return now.Add(time.Hour), "", nil
	case "four_hours":
		return now.Add(4 * time.Hour), "", nil
	}
	zone, err := oncall.ParseZone(f.Zone)
	if err != nil {
		return time.Time{}, "does not tell its time zone", nil
	}
	switch f.For {
	case "morning":
		return nextMorning(now.In(zone.Location())), "", nil
	case "until":
		if f.Until == "" {
			return time.Time{}, "is missing: choose a day and a time", nil
		}
		until, complaint = zone.ParseLast(f.Until)
		return until, complaint, nil
	}
	return time.Time{}, "", errNoSilence
}

// nextMorning returns the next eight o'clock that is an hour ahead or more.
func nextMorning(now time.Time) time.Time {
	const morning = 8
	year, month, day := now.Date()
	for {
		at := time.Date(year, month, day, morning, 0, 0, 0, now.Location())
		if at.Sub(now) >= time.Hour {
			return at.UTC()
		}
		day++
	}
}

// renderWrongSilence shows the alert with what is wrong with the end of the silence.
func (a *api) renderWrongSilence(w http.ResponseWriter, r *http.Request, v visit, sent silenceForm, complaint string) error {
	n, err := web.PathID(r, "alert")
	if err != nil {
		return err
	}
	body, err := a.newAlertBody(r.Context(), v, n)
	if err != nil {
		return err
	}
	body.Silence = sent
	body.Silence.Complaint = site.Sentence("The end", []string{complaint})
	if !body.Pages() { // the page has no such form any more
		body.Complaint = body.Silence.Complaint
	}
	return a.renderAlert(w, r, http.StatusUnprocessableEntity, body)
}
