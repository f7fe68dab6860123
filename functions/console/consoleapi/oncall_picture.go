package consoleapi

import (
	"slices"
	"time"

	"gatehouse/shared/oncall"
)

// scheduleView is a schedule with who is on call now and on the next days.
type scheduleView struct {
	ID         int64
	Name, Zone string
	Page       string // its address
	MayTrade   bool   // the visitor may add overrides
	Empty      bool   // it has neither rotations nor overrides
	Now        []turn
	Days       []dayView
	Gaps       []gapView
	Notice     oncall.Notice
	Skipped    []string // names of who has left the project
}

// turn is a shift or a gap, or the part of it in a day.
type turn struct {
	Name, Username string // empty: nobody is on call
	Mine           bool   // the visitor is
	InsteadOf      string // name of whose turn it would be
	Rotation       string // empty: an override for the whole schedule
	From, To       string // times of day in the schedule's zone; empty: all of that day
	Until          string // day and time at which the whole shift ends
}

// gapView is a time in which nobody is on call.
type gapView struct{ From, Until string }

// dayView is a day of the picture in the schedule's zone.
type dayView struct {
	Date  time.Time // its midnight in UTC
	Turns []turn
	More  int // that are not shown
}

// The bounds of the picture.
const (
	picturedDays = 14
	maxLines     = 9  // on a day, in all schedules of a page
	maxNamed     = 40 // characters of a name that stands in every line
)

// brief cuts a name that stands in every line.
func brief(name string) string {
	if all := []rune(name); len(all) > maxNamed {
		return string(all[:maxNamed-1]) + "…"
	}
	return name
}

const shortTime = "Mon 2 Jan 2006, 15:04"

// picture makes the views of a schedule's shifts.
type picture struct {
	oncall.Stored
	visit  visit
	people oncall.People
	zone   *time.Location
	lines  int // of a day
}

func newPicture(s oncall.Stored, v visit, who oncall.People) picture {
	return picture{s, v, who, s.Thing.Timezone.Location(), maxLines}
}

// beside returns the picture for a page of so many schedules, which share its lines.
func (p picture) beside(schedules int) picture {
	p.lines = maxLines / max(schedules, 1)
	return p
}

// view returns who is on call now and on the next days.
func (p picture) view(now time.Time) scheduleView {
	s, present := p.Thing, p.people.Present
	view := scheduleView{
		ID: p.ID, Name: s.Name, Zone: s.Timezone.String(), Page: p.visit.scheduleAddress(p.ID), MayTrade: p.visit.asker().MayTrade(s),
		Empty: len(s.Rotations)+len(s.Overrides) == 0, Notice: s.Notice(now, present),
	}
	for _, id := range view.Notice.SkippedUsers {
		view.Skipped = append(view.Skipped, p.name(id))
	}
	for _, shift := range s.At(now, present) {
		view.Now = append(view.Now, p.turn(shift))
	}
	today := p.Thing.Timezone.WallAt(now).Truncate(24 * time.Hour)
	start, end := p.begin(today), p.begin(today.AddDate(0, 0, picturedDays))
	shown := p.stretches(s.ShiftsBetween(start, end, present))
	for _, gap := range s.Gaps(now, end, present) {
		shown = append(shown, stretch{gap.From, gap.Until, turn{}})
		view.Gaps = append(view.Gaps, gapView{gap.From.In(p.zone).Format(shortTime), gap.Until.In(p.zone).Format(shortTime)})
	}
	slices.SortStableFunc(shown, func(a, b stretch) int { return a.from.Compare(b.from) })
	for n := range picturedDays {
		view.Days = append(view.Days, p.day(shown, today.AddDate(0, 0, n)))
	}
	return view
}

// begin returns when the day begins in the schedule's zone, at midnight or, where the clocks
// skip it, after it.
func (p picture) begin(date time.Time) time.Time { return p.Thing.Timezone.First(date) }

func (p picture) name(userID int64) string { return nameIn(p.people, userID) }

func nameIn(people oncall.People, userID int64) string {
	if u, ok := people.User(userID); ok && u.ID != 0 {
		return u.Name
	}
	return "a deleted user"
}

func (p picture) turn(s oncall.Shift) turn {
	u, _ := p.people.User(s.UserID) // who is on call is there
	t := turn{Name: brief(u.Name), Username: u.Username, Mine: u.ID == p.visit.User.ID, Until: s.EndsAt.In(p.zone).Format("Mon 2 Jan, 15:04")}
	if s.InsteadOf != 0 {
		t.InsteadOf = brief(p.name(s.InsteadOf))
	}
	if rotation, err := p.Thing.Rotation(s.RotationID); err == nil {
		t.Rotation = brief(rotation.Name)
	}
	return t
}

// stretch is a time with what is shown of it.
type stretch struct {
	from, until time.Time
	turn        turn
}

func (p picture) stretches(shifts []oncall.Shift) (all []stretch) {
	for _, s := range shifts {
		all = append(all, stretch{s.StartsAt, s.EndsAt, p.turn(s)})
	}
	return all
}

// day returns what of the stretches is on the day.
func (p picture) day(all []stretch, date time.Time) dayView {
	from, to := p.begin(date), p.begin(date.AddDate(0, 0, 1))
	view := dayView{Date: date}
	for _, s := range all {
		if !s.from.Before(to) || !s.until.After(from) {
			continue
		}
		if len(view.Turns) == p.lines {
			view.More++
			continue
		}
		t := s.turn
		if s.from.After(from) || s.until.Before(to) {
			t.From, t.To = "00:00", "24:00"
			if s.from.After(from) {
				t.From = s.from.In(p.zone).Format("15:04")
			}
			if s.until.Before(to) {
				t.To = s.until.In(p.zone).Format("15:04")
			}
		}
		view.Turns = append(view.Turns, t)
	}
	return view
}
