package consoleapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/site"
)

// escalationForm is the form of an escalation policy.
type escalationForm struct {
	Rules      []ruleForm
	Repeat     string
	Version    int64
	Focus      string // the id of the field or button to go on with
	Complaints site.Complaints
	Complaint  string // about all of it
}

// ruleForm is a rule in the form.
type ruleForm struct {
	After     string // minutes
	Until     string
	Whom      string // "schedule-" with an id, or "person"
	Person    string // a user name
	Complaint string // about the person
	Moves     moves
}

// Number counts the rules from one.
func (row ruleForm) Number() int { return row.Moves.Index + 1 }

const (
	ofSchedule = "schedule-" // before its id
	aPerson    = "person"
)

// escalationFormOf returns the form with what is stored.
func escalationFormOf(e oncall.Escalation) escalationForm {
	f := escalationForm{Repeat: strconv.Itoa(e.Policy.Repeat), Version: e.Version}
	for _, rule := range e.Policy.Rules {
		row := ruleForm{After: strconv.Itoa(rule.ElapsedMinutes), Until: string(rule.Until), Whom: aPerson}
		if rule.ScheduleID != 0 {
			row.Whom = ofSchedule + strconv.FormatInt(rule.ScheduleID, 10)
		} else if u, ok := e.People.User(rule.UserID); ok {
			row.Person = u.Username
		}
		f.Rules = append(f.Rules, row)
	}
	return f
}

// readEscalationForm reads the form, which has all four fields of each rule.
func readEscalationForm(r *http.Request) (f escalationForm, do string, err error) {
	form, err := site.ReadForm(r)
	if err != nil {
		return f, "", err
	}
	after, until, whom, person := form.All("after[]"), form.All("until[]"), form.All("whom[]"), form.All("person[]")
	if len(until) != len(after) || len(whom) != len(after) || len(person) != len(after) {
		return f, "", fault.New(fault.Invalid, "A rule of the form lacks a field.")
	}
	if len(after) > oncall.MaxRules+spareRows {
		return f, "", errLongForm
	}
	for n := range after {
		f.Rules = append(f.Rules, ruleForm{After: after[n], Until: until[n], Whom: whom[n], Person: person[n]})
	}
	f.Repeat = form.Get("repeat")
	f.Version, err = seenVersion(form)
	return f, form.Get("do"), err
}

// firstField returns the id of the first field, or of the button that adds one.
func (f *escalationForm) firstField() string {
	if len(f.Rules) == 0 {
		return "add"
	}
	return "after-0"
}

// arranges reports whether a button changes the rules: "add", or "up", "down" or "remove"
// with the index of a rule behind a hyphen.
func (f *escalationForm) arranges(do string) bool { return do == "add" || f.index(do) >= 0 }

// index returns the index that the button has, or -1.
func (f *escalationForm) index(do string) int {
	_, index, _ := strings.Cut(do, "-")
	if n, err := strconv.Atoi(index); err == nil && n >= 0 && n < len(f.Rules) {
		return n
	}
	return -1
}

// arrange does what such a button says; a rule that is added notifies first. Rules keep
// their times when they trade places, because a policy has them by time.
func (f *escalationForm) arrange(do string, first string) {
	verb, _, _ := strings.Cut(do, "-")
	n := f.index(do)
	switch {
	case do == "add":
		f.add(first)
	case verb == "remove":
		f.Rules, f.Focus = slices.Delete(f.Rules, n, n+1), "add"
	default:
		to := max(0, min(n+map[string]int{"up": -1, "down": 1}[verb], len(f.Rules)-1))
		f.Rules[n], f.Rules[to] = f.Rules[to], f.Rules[n]
		f.Rules[n].After, f.Rules[to].After = f.Rules[to].After, f.Rules[n].After
		f.Focus = movedFocus(verb, to, len(f.Rules))
	}
}

// add adds a rule five minutes after the last one.
func (f *escalationForm) add(whom string) {
	row := ruleForm{After: "0", Until: string(oncall.Acknowledged), Whom: whom}
	if last := len(f.Rules) - 1; last >= 0 {
		minutes, _ := strconv.Atoi(f.Rules[last].After)
		row.After = strconv.Itoa(minutes + 5)
	}
	f.Focus = fmt.Sprintf("after-%d", len(f.Rules))
	f.Rules = append(f.Rules, row)
}

// policy returns the policy that the form asks for. It marks the rules with people that are
// not found.
func (a *api) policy(ctx context.Context, f *escalationForm) (policy oncall.Policy, err error) {
	policy.Repeat = number(f.Repeat)
	for n := range f.Rules {
		row := &f.Rules[n]
		rule := oncall.Rule{ElapsedMinutes: number(row.After), Until: oncall.Status(row.Until)}
		if id, isSchedule := strings.CutPrefix(row.Whom, ofSchedule); isSchedule {
			rule.ScheduleID = int64(number(id))
		} else {
			u, err := a.typedUser(ctx, row.Person)
			if err = row.explain(err); err != nil {
				return policy, err
			}
			rule.UserID = u.ID
		}
		policy.Rules = append(policy.Rules, rule)
	}
	for _, row := range f.Rules {
		if row.Complaint != "" {
			return policy, fault.Field("person", "is not known")
		}
	}
	return policy, nil
}

// explain notes that the person is not found. It returns another error.
func (row *ruleForm) explain(err error) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	row.Complaint = notAnAssignee
	return nil
}

// number reads a number, and returns -1 for what is none: the rules complain about that.
func number(text string) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		return -1
	}
	return n
}
