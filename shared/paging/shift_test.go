package paging_test

import (
	"testing"
	"time"

	"gatehouse/shared/oncall"
	"gatehouse/shared/project"
)

const (
	begins = ": You are on call now"
	ends   = ": You are no longer on call"
	moves  = ": Your shifts on call have changed"
)

// onShifts returns a scene in which mails about shifts are looked at, and a schedule with a
// rotation of Ada and Ben, who take turns every two hours from the present on.
func onShifts(t *testing.T) (*scene, oncall.Stored) {
	t.Helper()
	x := newScene(t)
	x.ofShifts = true
	name, zone, start := "Night", "Europe/Berlin", x.Now().Format(time.RFC3339)
	s := must(x.OnCall.Create(t.Context(), x.owner(), x.p, oncall.Change{Name: &name, Timezone: &zone}))
	x.rotate(s, oncall.RotationChange{
		Name: &name, StartsAt: &start, Length: &oncall.Length{Value: 2, Unit: oncall.Hours}, Participants: []int64{x.ada.ID, x.ben.ID},
	})
	return x, must(x.OnCall.Find(t.Context(), x.p, s.ID))
}

func (x *scene) owner() oncall.Who { return oncall.Who{Actor: x.by, Role: project.Owner} }

func (x *scene) rotate(s oncall.Stored, c oncall.RotationChange) {
	x.t.Helper()
	must(x.OnCall.AddRotation(x.t.Context(), x.owner(), x.p, s, c))
}

func TestPeopleAreToldOfTheirShifts(t *testing.T) {
	x, _ := onShifts(t)
	x.pass(time.Minute)
	x.wantMails()
	x.pass(2 * time.Minute)
	x.wantMails("ada"+moves, "ben"+moves)
	x.pass(2*time.Hour - 4*time.Minute)
	x.wantMails()
	x.pass(2 * time.Minute)
	x.wantMails("ada"+ends, "ben"+begins)
	x.pass(2 * time.Hour)
	x.wantMails("ada"+begins, "ben"+ends)
	x.wantNoneDead()
}

// Changes in a row are told in one mail, and those whose shifts stay get none.
func TestChangesOfShiftsAreToldTogether(t *testing.T) {
	x, s := onShifts(t)
	x.pass(3 * time.Minute)
	x.wantMails("ada"+moves, "ben"+moves)
	cleo := x.developer("cleo")
	for n := range 3 {
		at := x.Now().Add(time.Duration(2+2*n)*24*time.Hour + 2*time.Hour) // when Ben is on call
		s = must(x.OnCall.Find(t.Context(), x.p, s.ID))
		from, until := at.Format(time.RFC3339), at.Add(time.Minute).Format(time.RFC3339)
		must(x.OnCall.AddOverrides(t.Context(), x.owner(), x.p, s, oncall.OverrideRequest{UserID: cleo.ID, ReplacesUserID: x.ben.ID, StartsAt: from, EndsAt: until}))
	}
	x.pass(3 * time.Minute)
	x.wantMails("ben"+moves, "cleo"+moves)
	x.wantNoneDead()
}

func TestNobodyIsToldOfShiftsThatAreGone(t *testing.T) {
	for name, then := range map[string]func(*scene, oncall.Stored){
		"the schedule was deleted": func(x *scene, s oncall.Stored) { x.check(x.OnCall.Delete(x.t.Context(), x.owner(), x.p, s)) },
		"the project was deleted":  func(x *scene, _ oncall.Stored) { x.check(x.Projects.DeleteProject(x.t.Context(), x.by, x.p)) },
	} {
		t.Run(name, func(t *testing.T) {
			x, s := onShifts(t)
			x.sweep()
			then(x, s)
			x.pass(5 * time.Hour)
			x.wantMails()
			x.wantNoneDead()
		})
		t.Run(name+" in quiet hours", func(t *testing.T) {
			x, s := onShifts(t)
			x.quietFor(x.ada, time.Hour)
			x.quietFor(x.ben, time.Hour)
			x.pass(3 * time.Minute)
			then(x, s)
			x.pass(time.Hour)
			x.wantMails()
			x.wantNoneDead()
		})
	}
}

func TestWhoLeftIsNotToldOfShifts(t *testing.T) {
	x, _ := onShifts(t)
	x.pass(3 * time.Minute)
	x.wantMails("ada"+moves, "ben"+moves)
	x.leave(x.ben)
	x.pass(4 * time.Hour)
	x.wantMails()
	x.wantNoneDead()
}

// After an outage people are not told of all the handovers in it.
func TestHandoversOfLongAgoAreNotTold(t *testing.T) {
	x, _ := onShifts(t)
	x.pass(3 * time.Minute)
	x.wantMails("ada"+moves, "ben"+moves)
	x.Pass(23*time.Hour + 50*time.Minute)
	x.sweep()
	x.wantMails()
	x.pass(10 * time.Minute)
	x.wantMails("ada"+begins, "ben"+ends)
}
