package consoleapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// rotationView is a rotation in the list of a schedule.
type rotationView struct {
	ID           int64
	Name, Page   string // Page is its address
	Length       string // such as "2 weeks"
	From, To     string // the time of day; empty: all of it
	Starts, Ends string
	People       []personView
}

// personView is somebody in the order of a rotation.
type personView struct {
	ID             int64
	Name, Username string
	Gone           bool // cannot be on call any more
	First          bool
}

// Moves are the buttons of the person.
func (p formPerson) Moves() moves { return moves{p.index, p.First, p.index == p.of-1, p.Name, p.focus} }

// formPerson is somebody in the form.
type formPerson struct {
	personView
	index, of int
	focus     string // the id of the button to go on with
}

// moves are the buttons that move something in a list or remove it. A button that ends the
// list would do nothing.
type moves struct {
	Index       int
	First, Last bool
	Name        string // of the thing
	Focus       string // the id of the button to go on with
}

func (p picture) rotation(r oncall.Rotation) rotationView {
	view := rotationView{
		ID: r.ID, Name: brief(r.Name), Page: rotationAddress(p.visit, p.ID, r.ID), Length: lengthInWords(r.Length), Starts: r.StartsAt.In(p.zone).Format(shortTime),
		People: persons(p.people, p.Thing, r.Participants),
	}
	if !r.EndsAt.IsZero() {
		view.Ends = r.EndsAt.In(p.zone).Format(shortTime)
	}
	if r.ActivePeriod != nil {
		view.From, view.To = r.ActivePeriod.Start.String(), r.ActivePeriod.End.String()
	}
	return view
}

func rotationAddress(v visit, scheduleID, id int64) string {
	return v.scheduleAddress(scheduleID) + "/rotations/" + strconv.FormatInt(id, 10)
}

func lengthInWords(l oncall.Length) string {
	if l.Value == 1 {
		return "1 " + strings.TrimSuffix(string(l.Unit), "s")
	}
	return strconv.FormatInt(int64(l.Value), 10) + " " + string(l.Unit)
}

// persons lists people in their order. Somebody who is not on the schedule and cannot be is
// not named: whoever sends ids must not learn the names.
func persons(known oncall.People, s oncall.Schedule, ids []int64) (all []personView) {
	on := map[int64]bool{}
	for _, r := range s.Rotations {
		for _, id := range r.Participants {
			on[id] = true
		}
	}
	for n, id := range ids {
		view := personView{ID: id, Name: "somebody unknown", Gone: true, First: n == 0}
		if on[id] || known.Present(id) {
			u, _ := known.User(id)
			view.Name, view.Username, view.Gone = nameIn(known, id), u.Username, !known.Present(id)
		}
		all = append(all, view)
	}
	return all
}

// rotationBody is the data of the page with the form of a rotation.
type rotationBody struct {
	visit
	Schedule   oncall.Stored
	Page       string // its address
	Action     string // where the form leads
	ID         int64  // zero: it is new
	Form       rotationForm
	People     []formPerson
	Suggested  []user.User // who is in the schedule already
	Choices    []user.User // members, where they were asked for
	Units      []oncall.Unit
	Turns      []turnView // the next ones, if the form has no mistake
	InTimezone string
	Answers    bool // the page answers a form
}

// Version identifies what the form was shown with.
func (b rotationBody) Version() string { return b.Form.Version }

// turnView is a turn of a rotation.
type turnView struct {
	Name, InsteadOf string // empty Name: nobody is left
	From, Until     string
}

// shownTurns is how many turns the preview has.
const shownTurns = 8

func (a *api) newRotation(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	return a.renderRotation(w, r, http.StatusOK, v, s, 0, blankRotationForm(s, a.app.Now()), false)
}

func (a *api) showRotation(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	rotation, err := rotationOf(r, s)
	if err != nil {
		return err
	}
	return a.renderRotation(w, r, http.StatusOK, v, s, rotation.ID, rotationFormOf(s, rotation), false)
}

// rotationOf returns the rotation in the path.
func rotationOf(r *http.Request, s oncall.Stored) (oncall.Rotation, error) {
	id, err := web.PathID(r, "rotation")
	if err != nil {
		return oncall.Rotation{}, err
	}
	return s.Thing.Rotation(id)
}

// renderRotation shows the form, and the next turns unless it has a mistake.
func (a *api) renderRotation(w http.ResponseWriter, r *http.Request, status int, v visit, s oncall.Stored, id int64, form rotationForm, answers bool) error {
	body := rotationBody{
		visit: v, Schedule: s, ID: id, Form: form, Units: oncall.Units, InTimezone: s.Thing.Timezone.String(), Answers: answers,
		Action: v.scheduleAddress(s.ID) + "/rotations", Page: v.scheduleAddress(s.ID) + "/rotations/new",
	}
	title := "New rotation"
	if id != 0 {
		body.Action, body.Page, title = rotationAddress(v, s.ID, id), rotationAddress(v, s.ID, id), "Rotation"
	}
	known, err := a.app.OnCall.People(r.Context(), v.Project, s.Thing, oncall.Schedule{Rotations: []oncall.Rotation{{Participants: form.People}}})
	if err != nil {
		return err
	}
	body.Suggested = present(known)
	if form.Choosing {
		if body.Choices, err = a.developers(r.Context(), v.Project); err != nil {
			return err
		}
		body.Choices = slices.DeleteFunc(body.Choices, func(u user.User) bool { return slices.Contains(form.People, u.ID) })
	}
	for n, p := range persons(known, s.Thing, form.People) {
		body.People = append(body.People, formPerson{p, n, len(form.People), form.Focus})
	}
	if change, err := form.change(); err == nil {
		if tried, err := a.app.OnCall.TryRotation(r.Context(), v.asker(), v.Project, s, id, change); err == nil {
			body.Turns = newPicture(s, v, known).turns(tried, a.app.Now())
		}
	}
	return a.renderOnCall(w, r, v, onCallTab, site.Page{Template: "rotation", Title: title, Status: status, Body: body})
}

// turns returns the next turns of the rotation.
func (p picture) turns(r oncall.Rotation, now time.Time) (views []turnView) {
	for _, s := range r.Turns(p.Thing.Timezone, now, shownTurns, p.people.Present) {
		view := turnView{From: s.StartsAt.In(p.zone).Format(shortTime), Until: s.EndsAt.In(p.zone).Format(shortTime)}
		if s.UserID != 0 {
			view.Name = p.name(s.UserID)
		}
		if s.InsteadOf != 0 {
			view.InsteadOf = p.name(s.InsteadOf)
		}
		views = append(views, view)
	}
	return views
}

func (a *api) createRotation(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	return a.takeRotation(w, r, v, s, 0)
}

func (a *api) changeRotation(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	rotation, err := rotationOf(r, s)
	if err != nil {
		return err
	}
	return a.takeRotation(w, r, v, s, rotation.ID)
}

// takeRotation does what a button of the form says: save it, or show it with other people
// or the next turns. A name that was typed and not added yet is added first; the Enter key
// in its field does only that.
func (a *api) takeRotation(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored, id int64) error {
	sent, do, err := readRotationForm(r, s.Thing.Timezone)
	if err != nil {
		return err
	}
	added := sent.Add != ""
	if err := a.addPerson(r, v, &sent); err != nil {
		return err
	}
	switch {
	case sent.AddComplaint != "":
		return a.renderRotation(w, r, http.StatusUnprocessableEntity, v, s, id, sent, true)
	case sent.choose(do), sent.arrange(do), do == "add", do == "enter" && added:
		return a.renderRotation(w, r, http.StatusOK, v, s, id, sent, true)
	}
	change, err := sent.change()
	switch {
	case err != nil:
	case do == "preview":
		_, err = a.app.OnCall.TryRotation(r.Context(), v.asker(), v.Project, s, id, change)
	case id == 0:
		_, err = a.app.OnCall.AddRotation(r.Context(), v.asker(), v.Project, s, change)
	default:
		_, err = a.app.OnCall.ChangeRotation(r.Context(), v.asker(), v.Project, s, id, change)
	}
	return a.answerRotation(w, r, v, s, id, sent, do, err)
}

// answerRotation answers the form after it was tried or saved.
func (a *api) answerRotation(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored, id int64, sent rotationForm, do string, err error) error {
	if errors.Is(err, oncall.ErrChanged) {
		if s, err = a.app.OnCall.Find(r.Context(), v.Project, s.ID); err != nil {
			return err
		}
		sent.Version, sent.Complaint = s.Thing.RotationMark(id), changedMeanwhile
		return a.renderRotation(w, r, http.StatusConflict, v, s, id, sent, true)
	}
	if err != nil {
		status, err := sent.explain(err)
		if err != nil {
			return err
		}
		return a.renderRotation(w, r, status, v, s, id, sent, true)
	}
	if do == "preview" {
		sent.Focus = "preview"
		return a.renderRotation(w, r, http.StatusOK, v, s, id, sent, true)
	}
	return a.site.Done(w, r, nil, "rotation-saved", v.scheduleAddress(s.ID))
}

// addPerson adds the user whose name was typed to the people of the form.
func (a *api) addPerson(r *http.Request, v visit, form *rotationForm) error {
	if strings.TrimSpace(form.Add) == "" {
		form.Add, form.Focus = "", "add"
		return nil
	}
	form.Focus = "add"
	u, err := a.typedUser(r.Context(), form.Add)
	if err == nil {
		var known oncall.People
		known, err = a.app.OnCall.People(r.Context(), v.Project, oncall.Schedule{Rotations: []oncall.Rotation{{Participants: []int64{u.ID}}}})
		if err == nil && !known.Present(u.ID) {
			err = user.ErrNotFound
		}
	}
	if fault.Is(err, fault.NotFound) {
		form.AddComplaint = notAnAssignee
		return nil
	}
	if err == nil {
		form.People, form.Add = append(form.People, u.ID), ""
	}
	return err
}

func (a *api) deleteRotation(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	id, err := web.PathID(r, "rotation")
	if err == nil {
		err = a.app.OnCall.DeleteRotation(r.Context(), v.asker(), v.Project, s, id)
	}
	return a.site.Done(w, r, err, "rotation-deleted", v.scheduleAddress(s.ID))
}
