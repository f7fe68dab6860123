package consoleapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// escalationBody is the data of the page of the escalation policy.
type escalationBody struct {
	visit
	Page      string // its address
	Steps     []stepView
	Repeat    int
	Schedules []oncall.Stored
	Suggested []user.User
	Form      escalationForm
	Answers   bool // the page answers a form
}

// Wrong reports whether the form has a mistake.
func (b escalationBody) Wrong() bool {
	return len(b.Form.Complaints) > 0 || slices.ContainsFunc(b.Form.Rules, func(r ruleForm) bool { return r.Complaint != "" })
}

// Version is that of the policy.
func (b escalationBody) Version() int64 { return b.Form.Version }

// stepView is what happens to an alert some time after it was opened.
type stepView struct {
	After        int      // minutes
	Acknowledged bool     // an acknowledged alert is left alone; otherwise only a resolved one
	Names        []string // who is notified; none: nobody can be
	Schedule     string   // empty: a person
}

func (a *api) showEscalation(w http.ResponseWriter, r *http.Request, v visit) error {
	e, err := a.app.OnCall.Escalation(r.Context(), v.Project)
	if err != nil {
		return err
	}
	return a.renderEscalation(w, r, http.StatusOK, v, e, escalationFormOf(e), false)
}

func (a *api) renderEscalation(w http.ResponseWriter, r *http.Request, status int, v visit, e oncall.Escalation, form escalationForm, answers bool) (err error) {
	body := escalationBody{
		visit: v, Page: v.Address() + escalationSection, Repeat: e.Policy.Repeat, Schedules: e.Schedules, Form: form, Answers: answers,
	}
	for _, step := range e.Steps(a.app.Now()) {
		body.Steps = append(body.Steps, newStepView(e, step))
	}
	for n := range body.Form.Rules {
		body.Form.Rules[n].Moves = moves{n, n == 0, n == len(form.Rules)-1, "step " + strconv.Itoa(n+1), form.Focus}
	}
	if body.Suggested = present(e.People); answers { // somebody changes it, so more people are worth reading
		if body.Suggested, err = a.developers(r.Context(), v.Project); err != nil {
			return err
		}
	}
	return a.renderOnCall(w, r, v, escalationSection, site.Page{Template: "escalation", Title: "Escalation policy", Status: status, Body: body})
}

func newStepView(e oncall.Escalation, step oncall.Step) stepView {
	view := stepView{After: step.ElapsedMinutes, Acknowledged: step.Until == oncall.Acknowledged}
	if s, ok := e.Schedule(step.ScheduleID); ok {
		view.Schedule = s.Thing.Name
	}
	for _, id := range step.UserIDs {
		view.Names = append(view.Names, nameIn(e.People, id))
	}
	return view
}

// changeEscalation does what a button of the form says: save it, or show it with other
// rules.
func (a *api) changeEscalation(w http.ResponseWriter, r *http.Request, v visit) error {
	sent, do, err := readEscalationForm(r)
	if err != nil {
		return err
	}
	if sent.arranges(do) {
		return a.answerEscalation(w, r, http.StatusOK, v, func(e oncall.Escalation) escalationForm {
			sent.arrange(do, firstChoice(e))
			return sent
		})
	}
	policy, err := a.policy(r.Context(), &sent)
	if err == nil {
		_, err = a.app.OnCall.ReplacePolicy(r.Context(), v.asker(), v.Project, sent.Version, policy)
	}
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong):
		sent.Complaints = complaintsOf(wrong, "rules", "The list of steps", "repeat", "The number of repetitions")
		if sent.Complaints.About("repeat") != "" {
			sent.Focus = "repeat"
		}
		if sent.Complaints.About("rules") != "" {
			sent.Focus = sent.firstField()
		}
		return a.answerEscalation(w, r, http.StatusUnprocessableEntity, v, func(oncall.Escalation) escalationForm { return sent })
	case errors.Is(err, oncall.ErrChanged):
		return a.answerEscalation(w, r, http.StatusConflict, v, func(e oncall.Escalation) escalationForm {
			sent.Version, sent.Complaint, sent.Focus = e.Version, changedMeanwhile, sent.firstField()
			return sent
		})
	}
	return a.site.Done(w, r, err, "escalation-saved", v.Address()+escalationSection)
}

// answerEscalation shows the policy as it is stored, with a form.
func (a *api) answerEscalation(w http.ResponseWriter, r *http.Request, status int, v visit, form func(oncall.Escalation) escalationForm) error {
	e, err := a.app.OnCall.Escalation(r.Context(), v.Project)
	if err != nil {
		return err
	}
	return a.renderEscalation(w, r, status, v, e, form(e), true)
}

// firstChoice is whom a rule notifies that is added: a schedule, if there is one.
func firstChoice(e oncall.Escalation) string {
	if len(e.Schedules) == 0 {
		return aPerson
	}
	return ofSchedule + strconv.FormatInt(e.Schedules[0].ID, 10)
}
