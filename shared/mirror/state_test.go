package mirror

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/fault"
)

func TestReportsChangeTheState(t *testing.T) {
	before, sent, now := time.UnixMicro(1).UTC(), time.UnixMicro(2).UTC(), time.UnixMicro(3).UTC()
	was := State{Status: Scheduled, LastError: "no", UpdatedAt: before, StartedAt: before, SucceededAt: before}
	changed := func(change func(*State)) State {
		next := was
		change(&next)
		return next
	}
	tests := map[string]struct {
		report Report
		want   State
	}{
		"nothing yet":     {Report{Status: None}, changed(func(s *State) { s.Status = None })},
		"scheduled":       {Report{Status: Scheduled}, was},
		"canceled":        {Report{Status: Canceled}, changed(func(s *State) { s.Status = Canceled })},
		"started":         {Report{Status: Started}, changed(func(s *State) { s.Status, s.StartedAt = Started, now })},
		"finished":        {Report{Status: Finished}, State{Finished, "", now, before, now}},
		"finished before": {Report{Status: Finished, UpdatedAt: sent}, State{Finished, "", sent, before, sent}},
		"finished but":    {Report{Status: Finished, LastError: new("diverged")}, State{Finished, "diverged", now, before, now}},
		"failed":          {Report{Status: Failed, LastError: new("https://a:b@c")}, State{Failed, "https://*****@c", now, before, before}},
		"failed again":    {Report{Status: Failed, UpdatedAt: sent}, State{Failed, "no", sent, before, before}},
		"no error":        {Report{Status: Started, LastError: new("")}, changed(func(s *State) { s.Status, s.StartedAt, s.LastError = Started, now, "" })},
		"started, a time": {Report{Status: Started, UpdatedAt: sent}, State{Started, "no", sent, now, before}},
	}
	for name, test := range tests {
		got := was
		test.report.apply(&got, nil, now)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: the state differs (-want +got):\n%s", name, diff)
		}
	}
}

func TestErrorsHaveALength(t *testing.T) {
	for n, fits := range map[int]bool{maxError: true, maxError + 1: false} {
		err := Report{Status: Failed, LastError: new(strings.Repeat("é", n))}.check(time.Time{})
		if fits != (err == nil) || !fits && !fault.Is(err, fault.Invalid) {
			t.Errorf("an error of %d characters = %v", n, err)
		}
	}
}

// Nothing was pulled in the future, but for a clock that is a little ahead.
func TestReportsAreOfThePast(t *testing.T) {
	now := time.UnixMicro(1).UTC()
	for ahead, fits := range map[time.Duration]bool{
		-time.Hour: true, 0: true, 5 * time.Minute: true, 5*time.Minute + time.Microsecond: false, 73 * 365 * 24 * time.Hour: false,
	} {
		err := Report{Status: Finished, UpdatedAt: now.Add(ahead)}.check(now)
		if fits != (err == nil) || !fits && err.Error() != fault.Field("last_update_at", "must not be in the future").Error() {
			t.Errorf("a report of %v later = %v", ahead, err)
		}
	}
	if err := (Report{Status: Finished}).check(now); err != nil {
		t.Errorf("a report without a time = %v", err)
	}
}
