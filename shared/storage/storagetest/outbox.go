package storagetest

import (
	"slices"
	"testing"
	"time"

	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/storage"
)

var messages = []promise{
	{"are stored, all of them but those that are there", putMessages},
	{"wait in their lane in order", waitInOrder},
	{"bring their lane forward when they are due", dueLanes},
	{"bring slow lanes forward by themselves", dueSlowLanes},
	{"are delayed", delayMessages},
	{"are claimed by one caller", claimMessage},
	{"are claimed again after the claim has ended", reclaimMessage},
	{"are finished together with what follows", finishMessages},
	{"that follow replace nothing", followReplacesNothing},
	{"are finished by the claimant alone", finishOthersMessage},
	{"are finished together", finishSeveral},
	{"are postponed", postponeMessage},
	{"are buried and revived", buryMessage},
	{"are listed when they are dead, the last first", listDead},
}

// newLane returns a lane that no other test has.
func newLane() outbox.Lane { return outbox.Lane(unique("alert/5")) }

func newMessage(l outbox.Lane, n int) outbox.Message {
	return outbox.Message{
		Lane: l, Seq: outbox.SeqOf(now, n), Kind: "alert.opened", ProjectID: 5, Data: []byte(`{"iid":17}`), CreatedAt: now, DueAt: now,
	}
}

// addMessages stores the first n messages of a new lane.
func addMessages(t *testing.T, s storage.Store, n int) []outbox.Message {
	t.Helper()
	l := newLane()
	all := make([]outbox.Message, n)
	for i := range all {
		all[i] = newMessage(l, i)
	}
	wantOK(t, "PutMessages", s.PutMessages(t.Context(), all))
	return all
}

func wantWaiting(t *testing.T, s storage.Store, l outbox.Lane, want ...outbox.Message) {
	t.Helper()
	wantSame(t, "Waiting", must[[]outbox.Message](t)(s.Waiting(t.Context(), l, 100)), want)
}

// due returns whether the lane is among those to look at.
func due(t *testing.T, s storage.Store, l outbox.Lane, at time.Time) bool {
	t.Helper()
	return slices.Contains(must[[]outbox.Lane](t)(s.DueLanes(t.Context(), l.Group(), at, 1000)), l)
}

func wantDue(t *testing.T, s storage.Store, l outbox.Lane, at time.Time, want bool) {
	t.Helper()
	if got := due(t, s, l, at); got != want {
		t.Errorf("the lane is due %v after the beginning: %t, want %t", at.Sub(now), got, want)
	}
}

func claim(t *testing.T, s storage.Store, m outbox.Message, by string) outbox.Message {
	t.Helper()
	return must[outbox.Message](t)(s.ClaimMessage(t.Context(), m, by, now, now.Add(time.Minute)))
}

func putMessages(t *testing.T, s storage.Store) {
	stored := addMessages(t, s, 2)
	changed := stored[0]
	changed.Kind = "alert.resolved"
	other := newMessage(stored[0].Lane, 7)
	wantOK(t, "PutMessages", s.PutMessages(t.Context(), []outbox.Message{changed, other, stored[1]}))
	wantWaiting(t, s, stored[0].Lane, stored[0], stored[1], other)
	wantOK(t, "PutMessages of stored ones", s.PutMessages(t.Context(), stored))
	wantOK(t, "PutMessages of none", s.PutMessages(t.Context(), nil))
}

func waitInOrder(t *testing.T, s storage.Store) {
	l := newLane()
	third, first, second := newMessage(l, 30), newMessage(l, 1), newMessage(l, 4)
	second.DueAt = now.Add(time.Hour)
	wantOK(t, "PutMessages", s.PutMessages(t.Context(), []outbox.Message{third, first, second}))
	wantWaiting(t, s, l, first, second, third)
	if !must[bool](t)(s.AnyMessages(t.Context())) {
		t.Error("AnyMessages reports none")
	}
	wantSame(t, "Waiting for two", must[[]outbox.Message](t)(s.Waiting(t.Context(), l, 2)), []outbox.Message{first, second})
	wantWaiting(t, s, newLane())
}

func dueLanes(t *testing.T, s storage.Store) {
	early, late := newMessage(newLane(), 1), newMessage(newLane(), 1)
	late.DueAt = now.Add(time.Hour)
	wantOK(t, "PutMessages", s.PutMessages(t.Context(), []outbox.Message{early, newMessage(early.Lane, 2), late}))
	wantDue(t, s, early.Lane, now.Add(-time.Microsecond), false)
	wantDue(t, s, early.Lane, now, true)
	wantDue(t, s, late.Lane, now.Add(time.Hour-time.Microsecond), false)
	wantDue(t, s, late.Lane, now.Add(time.Hour), true)

	lanes := must[[]outbox.Lane](t)(s.DueLanes(t.Context(), outbox.Prompt, now.Add(time.Hour), 1000))
	slices.Sort(lanes)
	if len(slices.Compact(slices.Clone(lanes))) != len(lanes) {
		t.Errorf("DueLanes has a lane twice: %v", lanes)
	}
	if one := must[[]outbox.Lane](t)(s.DueLanes(t.Context(), outbox.Prompt, now.Add(time.Hour), 1)); len(one) != 1 {
		t.Errorf("DueLanes for one = %v", one)
	}
}

func dueSlowLanes(t *testing.T, s storage.Store) {
	slow := newMessage(outbox.SlowLane("webhook", unknownID, unique("1/alert")), 1)
	prompt := addMessages(t, s, 1)[0]
	wantOK(t, "PutMessages", s.PutMessages(t.Context(), []outbox.Message{slow}))
	wantWaiting(t, s, slow.Lane, slow)
	for g, want := range map[outbox.Group]outbox.Lane{outbox.Slow: slow.Lane, outbox.Prompt: prompt.Lane} {
		lanes := must[[]outbox.Lane](t)(s.DueLanes(t.Context(), g, now, 1000))
		if !slices.Contains(lanes, want) || slices.ContainsFunc(lanes, func(l outbox.Lane) bool { return l.Group() != g }) {
			t.Errorf("DueLanes of the group %s = %v, want %s and none of others", g, lanes, want)
		}
	}
	claimed := claim(t, s, slow, "a")
	wantDue(t, s, slow.Lane, now, false)
	wantOK(t, "FinishMessages", s.FinishMessages(t.Context(), []outbox.Message{claimed}, nil))
	wantWaiting(t, s, slow.Lane)
}

func delayMessages(t *testing.T, s storage.Store) {
	all, other := addMessages(t, s, 40), addMessages(t, s, 1)[0]
	late := newMessage(all[0].Lane, 99)
	late.DueAt = now.Add(time.Second)
	wantOK(t, "PutMessages", s.PutMessages(t.Context(), []outbox.Message{late}))
	wantDue(t, s, all[0].Lane, now, true)
	wantOK(t, "DelayLane", s.DelayLane(t.Context(), all[0].Lane, now, now.Add(time.Minute)))
	wantWaiting(t, s, all[0].Lane, append(all, late)...)
	wantDue(t, s, all[0].Lane, now, false)
	wantDue(t, s, all[0].Lane, now.Add(time.Second), true) // for the late one
	wantOK(t, "DelayLane again", s.DelayLane(t.Context(), all[0].Lane, now.Add(time.Second), now.Add(2*time.Second)))
	wantDue(t, s, all[0].Lane, now.Add(time.Second), false)
	wantDue(t, s, all[0].Lane, now.Add(2*time.Second), true)
	wantDue(t, s, all[0].Lane, now.Add(time.Minute), true)
	wantDue(t, s, other.Lane, now, true)
	wantOK(t, "DelayLane of none", s.DelayLane(t.Context(), newLane(), now, now.Add(time.Minute)))
	claim(t, s, all[0], "a")
}

func claimMessage(t *testing.T, s storage.Store) {
	m := addMessages(t, s, 1)[0]
	errs := race(8, func(i int) error {
		_, err := s.ClaimMessage(t.Context(), m, unique("claim"), now, now.Add(time.Minute))
		return err
	})
	wantOneWinner(t, "ClaimMessage", errs, is(outbox.ErrTaken))
	wantDue(t, s, m.Lane, now.Add(time.Second), false)

	m.Seq = outbox.SeqOf(now, 9)
	_, err := s.ClaimMessage(t.Context(), m, "a", now, now.Add(time.Minute))
	wantError(t, "ClaimMessage of none", err, outbox.ErrTaken)
	later := newMessage(newLane(), 1)
	later.DueAt = now.Add(time.Second)
	wantOK(t, "PutMessages", s.PutMessages(t.Context(), []outbox.Message{later}))
	_, err = s.ClaimMessage(t.Context(), later, "a", now, now.Add(time.Minute))
	wantError(t, "ClaimMessage before it is due", err, outbox.ErrTaken)
}

func reclaimMessage(t *testing.T, s storage.Store) {
	m := addMessages(t, s, 1)[0]
	first := claim(t, s, m, "a")
	wantWaiting(t, s, m.Lane, first)
	wantDue(t, s, m.Lane, now.Add(time.Minute), true)
	second, err := s.ClaimMessage(t.Context(), first, "b", now.Add(time.Minute), now.Add(time.Hour))
	wantOK(t, "ClaimMessage", err)
	wantError(t, "FinishMessages with the claim that ended", s.FinishMessages(t.Context(), []outbox.Message{first}, nil), outbox.ErrTaken)
	wantOK(t, "FinishMessages", s.FinishMessages(t.Context(), []outbox.Message{second}, nil))
	wantWaiting(t, s, m.Lane)
}

func finishMessages(t *testing.T, s storage.Store) {
	all := addMessages(t, s, 2)
	next := newMessage(newLane(), 1)
	done := claim(t, s, all[0], "a")
	wantOK(t, "FinishMessages", s.FinishMessages(t.Context(), []outbox.Message{done}, []outbox.Message{next}))
	wantWaiting(t, s, all[0].Lane, all[1])
	wantWaiting(t, s, next.Lane, next)
}

func followReplacesNothing(t *testing.T, s storage.Store) {
	all := addMessages(t, s, 1)
	stored := claim(t, s, addMessages(t, s, 1)[0], "b")
	changed, other := stored, newMessage(stored.Lane, 7)
	changed.Kind, changed.DueAt, changed.Claim, changed.ClaimedTo = "alert.resolved", now.Add(time.Hour), "", time.Time{}
	done := claim(t, s, all[0], "a")
	wantOK(t, "FinishMessages", s.FinishMessages(t.Context(), []outbox.Message{done}, []outbox.Message{changed, other}))
	wantWaiting(t, s, stored.Lane, stored, other)
	wantDue(t, s, stored.Lane, now, true) // for the other one
	wantOK(t, "FinishMessages of the claimed one", s.FinishMessages(t.Context(), []outbox.Message{stored}, nil))
}

func finishOthersMessage(t *testing.T, s storage.Store) {
	m := addMessages(t, s, 1)[0]
	claim(t, s, m, "a")
	next := newMessage(newLane(), 1)
	m.Claim = "b"
	wantError(t, "FinishMessages", s.FinishMessages(t.Context(), []outbox.Message{m}, []outbox.Message{next}), outbox.ErrTaken)
	wantError(t, "PostponeMessage", s.PostponeMessage(t.Context(), m), outbox.ErrTaken)
	wantError(t, "BuryMessage", s.BuryMessage(t.Context(), m, now), outbox.ErrTaken)
	wantWaiting(t, s, next.Lane)
	if left := must[[]outbox.Message](t)(s.Waiting(t.Context(), m.Lane, 9)); len(left) != 1 {
		t.Errorf("Waiting = %v, want the message", left)
	}
}

func finishSeveral(t *testing.T, s storage.Store) {
	all := addMessages(t, s, 60)
	all[0] = claim(t, s, all[0], "a")
	follow := make([]outbox.Message, outbox.MostFollowing)
	next := newLane()
	for i := range follow {
		follow[i] = newMessage(next, i)
	}
	wantOK(t, "FinishMessages", s.FinishMessages(t.Context(), all[:50], follow))
	wantWaiting(t, s, all[0].Lane, all[50:]...)
	wantWaiting(t, s, next, follow...)
}

func postponeMessage(t *testing.T, s storage.Store) {
	m := claim(t, s, addMessages(t, s, 1)[0], "a")
	m.DueAt, m.Attempts, m.LastError = now.Add(time.Minute), 3, "answered 500"
	wantOK(t, "PostponeMessage", s.PostponeMessage(t.Context(), m))
	given := m
	given.Claim, given.ClaimedTo = "", time.Time{}
	wantWaiting(t, s, m.Lane, given)
	wantDue(t, s, m.Lane, now.Add(time.Second), false)
	wantDue(t, s, m.Lane, now.Add(time.Minute), true)
	_, err := s.ClaimMessage(t.Context(), given, "b", now.Add(time.Minute), now.Add(time.Hour))
	wantOK(t, "ClaimMessage", err)
}

// bury stores a message of the project and buries it.
func bury(t *testing.T, s storage.Store, projectID int64, at time.Time) outbox.Message {
	t.Helper()
	m := newMessage(newLane(), 1)
	m.ProjectID = projectID
	wantOK(t, "PutMessages", s.PutMessages(t.Context(), []outbox.Message{m}))
	m = claim(t, s, m, "a")
	m.Attempts, m.LastError = 10, "answered 500"
	wantOK(t, "BuryMessage", s.BuryMessage(t.Context(), m, at))
	return m
}

func deadOf(t *testing.T, s storage.Store, projectID int64, at time.Time) []outbox.Dead {
	t.Helper()
	return must[page.Of[outbox.Dead]](t)(s.DeadMessages(t.Context(), projectID, at, page.First)).Items
}

func buryMessage(t *testing.T, s storage.Store) {
	const ours, others = 71, 72
	m := bury(t, s, ours, now)
	wantWaiting(t, s, m.Lane)
	dead := deadOf(t, s, ours, now)
	wantSame(t, "DeadMessages", dead, []outbox.Dead{{Message: m, Number: dead[0].Number, DiedAt: now}})
	number := dead[0].Number
	wantError(t, "ReviveMessage of another project", s.ReviveMessage(t.Context(), others, number, now), outbox.ErrNotFound)
	wantError(t, "ReviveMessage of none", s.ReviveMessage(t.Context(), ours, unknownID, now), outbox.ErrNotFound)
	wantError(t, "ReviveMessage after a month", s.ReviveMessage(t.Context(), ours, number, now.Add(outbox.DeadFor)), outbox.ErrNotFound)

	later := now.Add(time.Hour)
	errs := race(4, func(int) error { return s.ReviveMessage(t.Context(), ours, number, later) })
	wantOneWinner(t, "ReviveMessage", errs, is(outbox.ErrNotFound))
	wantWaiting(t, s, m.Lane, dead[0].Revived(later))
	wantSame(t, "DeadMessages", deadOf(t, s, ours, now), []outbox.Dead{})
}

func listDead(t *testing.T, s storage.Store) {
	const ours, others = 73, 74
	first, second := bury(t, s, ours, now), bury(t, s, ours, now.Add(time.Second))
	bury(t, s, others, now)
	dead := deadOf(t, s, ours, now)
	if len(dead) != 2 || dead[0].Lane != second.Lane || dead[1].Lane != first.Lane {
		t.Errorf("DeadMessages = %+v, want those in %s and %s", dead, second.Lane, first.Lane)
	}
	rest := must[page.Of[outbox.Dead]](t)(s.DeadMessages(t.Context(), ours, now, page.Request{Number: 2, Size: 1}))
	if len(rest.Items) != 1 || rest.Items[0].Lane != first.Lane || rest.More {
		t.Errorf("DeadMessages, second page = %+v, want that in %s", rest, first.Lane)
	}
	if left := deadOf(t, s, ours, now.Add(outbox.DeadFor)); len(left) != 1 {
		t.Errorf("DeadMessages after a month = %+v, want the second", left)
	}
}
