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

// swapForm is the form that swaps two shifts.
type swapForm struct {
	Given, Taken []shiftChoice
	Complaint    string
}

// Possible reports whether there is something to swap.
func (f swapForm) Possible() bool { return len(f.Given) > 0 && len(f.Taken) > 0 }

// shiftChoice is a shift that can be swapped.
type shiftChoice struct {
	Value    string // see readShift
	Text     string
	Selected bool
}

// choose selects the shifts that were sent. It complains about one that is not offered any
// more: the form then has none, because another one would be a mistake.
func (f *swapForm) choose(given, taken string) {
	hasGiven, hasTaken := selectShift(f.Given, given), selectShift(f.Taken, taken)
	if !hasGiven || !hasTaken {
		f.Complaint = strings.TrimSpace(f.Complaint + " " + notOffered)
	}
}

// notOffered is about a shift that ended or was covered since the form was shown.
const notOffered = "A shift is not as it was when you chose it: choose again."

// selectShift selects the shift that was sent, and reports whether it is offered.
func selectShift(all []shiftChoice, sent string) (found bool) {
	for i := range all {
		all[i].Selected = all[i].Value == sent
		found = found || all[i].Selected
	}
	return found
}

// GivenMissing reports whether the first shift is to be chosen.
func (f swapForm) GivenMissing() bool { return !slices.ContainsFunc(f.Given, shiftChoice.selected) }

// TakenMissing reports whether the second shift is to be chosen.
func (f swapForm) TakenMissing() bool { return !slices.ContainsFunc(f.Taken, shiftChoice.selected) }

func (c shiftChoice) selected() bool { return c.Selected }

// The bounds of the shifts that are offered.
const (
	swappedWithin = 8 * 7 * 24 * time.Hour
	maxSwapped    = 12
)

// swappable returns the shifts of the next weeks, whole: the form of a shift that has begun
// must name the same shift a minute later.
func (p picture) swappable(now time.Time) []oncall.Shift {
	all := p.Thing.ShiftsBetween(now, now.Add(swappedWithin), p.people.Present)
	return all[:min(len(all), maxSwapped)]
}

// swapForm offers the shifts. Maintainers may swap those of others.
func (p picture) swapForm(shifts []oncall.Shift) (form swapForm) {
	anybody := p.visit.Maintains()
	for _, s := range shifts {
		mine := s.UserID == p.visit.User.ID
		if anybody || mine {
			form.Given = append(form.Given, p.shiftChoice(s))
		}
		if anybody || !mine {
			form.Taken = append(form.Taken, p.shiftChoice(s))
		}
	}
	form.propose()
	return form
}

// propose selects the first shift, and the first one that somebody else has.
func (f *swapForm) propose() {
	if len(f.Given) == 0 {
		return
	}
	f.Given[0].Selected = true
	who, _, _ := strings.Cut(f.Given[0].Value, " ")
	n := slices.IndexFunc(f.Taken, func(c shiftChoice) bool { return !strings.HasPrefix(c.Value, who+" ") })
	if n >= 0 {
		f.Taken[n].Selected = true
	}
}

func (p picture) shiftChoice(s oncall.Shift) shiftChoice {
	from, until := s.StartsAt.In(p.zone), s.EndsAt.In(p.zone)
	end := until.Format("Mon 2 Jan, 15:04")
	if from.YearDay() == until.YearDay() && from.Year() == until.Year() {
		end = until.Format("15:04")
	}
	text := fmt.Sprintf("%s – %s: %s", from.Format("Mon 2 Jan, 15:04"), end, brief(p.name(s.UserID)))
	if rotation, err := p.Thing.Rotation(s.RotationID); err == nil && len(p.Thing.Rotations) > 1 {
		text += " (" + brief(rotation.Name) + ")"
	}
	return shiftChoice{Value: fmt.Sprintf("%d %s %s", s.UserID, s.StartsAt.UTC().Format(time.RFC3339), s.EndsAt.UTC().Format(time.RFC3339)), Text: text}
}

// readShift reads the value of a shiftChoice: who has the shift, and what is left of its time.
func readShift(value string, now time.Time) (oncall.OverrideRequest, error) {
	parts := strings.Fields(value)
	if len(parts) != 3 {
		return oncall.OverrideRequest{}, fault.Field("overrides", "must be one that is offered")
	}
	id, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return oncall.OverrideRequest{}, fault.Field("overrides", "must be one that is offered")
	}
	q := oncall.OverrideRequest{ReplacesUserID: id, StartsAt: parts[1], EndsAt: parts[2]}
	now = now.UTC().Truncate(time.Minute)
	if start, err := time.Parse(time.RFC3339, q.StartsAt); err == nil && start.Before(now) {
		q.StartsAt = now.Format(time.RFC3339)
	}
	return q, nil
}

// addSwap swaps the two shifts in the form.
func (a *api) addSwap(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	given, err := readShift(form.Get("given"), a.app.Now())
	taken, otherErr := readShift(form.Get("taken"), a.app.Now())
	if err = errors.Join(err, otherErr); err == nil {
		given.UserID, taken.UserID = taken.ReplacesUserID, given.ReplacesUserID
		_, err = a.app.OnCall.AddOverrides(r.Context(), v.asker(), v.Project, s, given, taken)
	}
	var wrong fault.Fields
	complaint, status := "", http.StatusUnprocessableEntity
	switch {
	case errors.As(err, &wrong):
		complaint = sentences(wrong, "overrides", "A shift", "user_id", "One of the two", "replaces_user_id", "Who has the other shift", "starts_at", "A shift’s start", "ends_at", "A shift’s end")
	case v.refusesTrade(s, err):
		complaint, status = sentence(err), web.Status(err)
	default:
		return a.site.Done(w, r, err, "swapped", v.scheduleAddress(s.ID))
	}
	return a.renderSchedule(w, r, status, v, s, func(b *scheduleBody) {
		b.Swap.Complaint = complaint
		b.Swap.choose(form.Get("given"), form.Get("taken"))
	})
}
