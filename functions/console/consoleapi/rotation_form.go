package consoleapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// rotationForm is the form of a rotation.
type rotationForm struct {
	Name, Value, Unit string
	StartsAt, EndsAt  timeField
	From, To          string  // the time of day; empty: all of it
	People            []int64 // ids of users in the order of their turns
	Add               string  // a user name to add to them
	AddComplaint      string
	Choosing          bool   // members are shown, to be chosen by a button
	Version           string // see oncall.Schedule.RotationMark
	Focus             string // the id of the field or button to go on with
	Complaints        site.Complaints
	Complaint         string // about all of it
}

func newRotationForm(z oncall.Zone, name, starts, ends string) rotationForm {
	f := rotationForm{Name: name, StartsAt: newTimeField(z, "starts_at", "Starts", starts), EndsAt: newTimeField(z, "ends_at", "Ends", ends)}
	f.StartsAt.Hint, f.EndsAt.Hint = "the first handover", "optional"
	return f
}

// rotationFormOf returns the form with what is stored.
func rotationFormOf(s oncall.Stored, r oncall.Rotation) rotationForm {
	z, ends := s.Thing.Timezone, ""
	if !r.EndsAt.IsZero() {
		ends = z.FormatTime(r.EndsAt)
	}
	f := newRotationForm(z, r.Name, z.FormatTime(r.StartsAt), ends)
	f.Value, f.Unit, f.People, f.Version = strconv.Itoa(r.Length.Value), string(r.Length.Unit), r.Participants, s.Thing.RotationMark(r.ID)
	if r.ActivePeriod != nil {
		f.From, f.To = r.ActivePeriod.Start.String(), r.ActivePeriod.End.String()
	}
	return f
}

// blankRotationForm proposes turns of a week from the morning of this day on.
func blankRotationForm(s oncall.Stored, now time.Time) rotationForm {
	year, month, day := now.In(s.Thing.Timezone.Location()).Date()
	starts := time.Date(year, month, day, 9, 0, 0, 0, s.Thing.Timezone.Location())
	f := newRotationForm(s.Thing.Timezone, "", s.Thing.Timezone.FormatTime(starts), "")
	f.Value, f.Unit, f.Focus = "1", string(oncall.Weeks), "name"
	return f
}

func readRotationForm(r *http.Request, z oncall.Zone) (f rotationForm, do string, err error) {
	form, err := site.ReadForm(r)
	if err != nil {
		return f, "", err
	}
	f = newRotationForm(z, strings.TrimSpace(form.Get("name")), form.Get("starts_at"), form.Get("ends_at"))
	f.Value, f.Unit, f.From, f.To, f.Add = form.Get("value"), form.Get("unit"), form.Get("from"), form.Get("to"), form.Get("add")
	people := form.All("people[]")
	if len(people) > oncall.MaxPeople+spareRows {
		return f, "", errLongForm
	}
	for _, text := range people {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return f, "", fault.New(fault.Invalid, "A participant is the id of a user.")
		}
		f.People = append(f.People, id)
	}
	f.Version, do = form.Get("seen"), form.Get("do")
	if picked := form.Get("pick"); picked != "" { // one of the members that are shown
		f.Add, f.Choosing, do = picked, true, "add"
	}
	return f, do, nil
}

// change returns what the form asks for. Times of day that cannot be read are a complaint.
func (f rotationForm) change() (oncall.RotationChange, error) {
	value, _ := strconv.Atoi(strings.TrimSpace(f.Value)) // the rules complain about zero
	c := oncall.RotationChange{
		Name: &f.Name, StartsAt: &f.StartsAt.Value, EndsAt: &f.EndsAt.Value, Length: &oncall.Length{Value: value, Unit: oncall.Unit(f.Unit)},
		Participants: append([]int64{}, f.People...), Seen: f.Version,
	}
	if c.WholeDay = f.From+f.To == ""; c.WholeDay {
		return c, nil
	}
	from, fromOK := oncall.ParseClock(f.From)
	to, toOK := oncall.ParseClock(f.To)
	if !fromOK || !toOK {
		return c, fault.Field("active_period", "needs two times of day, such as 09:00 and 17:00")
	}
	c.ActivePeriod = &oncall.ActivePeriod{Start: from, End: to}
	return c, nil
}

// explain notes why the form was not taken, and returns the status of the answer. It returns
// an error that is not about the form.
func (f *rotationForm) explain(err error) (status int, _ error) {
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong):
		f.Complaints = complaintsOf(wrong, "name", "The name", "length", "The length", "starts_at", "The start", "ends_at", "The end",
			"active_period", "The time of day", "participants", "The list of people")
		f.StartsAt.complain(f.Complaints, "starts_at")
		f.EndsAt.complain(f.Complaints, "ends_at")
		f.Focus = map[string]string{"name": "name", "length": "value", "active_period": "from", "participants": "add"}[f.Complaints.Focus()]
		return http.StatusUnprocessableEntity, nil
	case fault.Is(err, fault.Conflict):
		f.Complaint = sentence(err)
		return web.Status(err), nil
	}
	return 0, err
}

// choose does what the button says that shows members, and reports whether it is that one.
func (f *rotationForm) choose(do string) bool {
	if do != "choose" {
		return false
	}
	f.Choosing, f.Focus = true, "choices"
	return true
}

// The buttons that change the order of the people are "up", "down" and "remove", each with
// the index of the person behind a hyphen. arrange does what the button says, and reports
// whether it is one of them.
func (f *rotationForm) arrange(do string) bool {
	verb, index, _ := strings.Cut(do, "-")
	n, err := strconv.Atoi(index)
	if err != nil || n < 0 || n >= len(f.People) {
		return false
	}
	to := map[string]int{"up": n - 1, "down": n + 1, "remove": n}[verb]
	if verb == "remove" {
		f.People, f.Focus = slices.Delete(slices.Clone(f.People), n, n+1), "add"
		return true
	}
	if to = max(0, min(to, len(f.People)-1)); to != n {
		f.People = slices.Clone(f.People)
		f.People[n], f.People[to] = f.People[to], f.People[n]
	}
	f.Focus = movedFocus(verb, to, len(f.People))
	return true
}

// movedFocus returns the id of the button to go on with after something was moved: the same
// one, or the other one at the end of the list.
func movedFocus(verb string, to, of int) string {
	switch {
	case to == 0:
		verb = "down"
	case to == of-1:
		verb = "up"
	}
	return fmt.Sprintf("%s-%d", verb, to)
}
