package mergerequest_test

import (
	"testing"

	"gatehouse/shared/mergerequest"
)

// Each row has all reasons of those below it, so that the order counts.
func TestDetailedStatus(t *testing.T) {
	type m = mergerequest.MergeRequest
	const blocked, opened = "not_approved", mergerequest.Opened
	tests := []struct {
		m    m
		want string
	}{
		{m{State: mergerequest.Closed, Title: "Draft: x", MergeStatus: mergerequest.Unchecked, BlockingReason: blocked}, "not_open"},
		{m{State: mergerequest.Merged, MergeStatus: mergerequest.CanBeMerged}, "not_open"},
		{m{State: opened, Title: "Draft: x", MergeStatus: mergerequest.Unchecked, BlockingReason: blocked}, "draft_status"},
		{m{State: opened, MergeStatus: mergerequest.Unchecked, BlockingReason: blocked}, "unchecked"},
		{m{State: opened, MergeStatus: mergerequest.Checking, BlockingReason: blocked}, "checking"},
		{m{State: opened, MergeStatus: mergerequest.CannotRecheck, BlockingReason: blocked}, "checking"},
		{m{State: opened, MergeStatus: mergerequest.CannotBe, BlockingReason: blocked}, "conflict"},
		{m{State: opened, MergeStatus: mergerequest.CanBeMerged, BlockingReason: blocked}, "not_approved"},
		{m{State: opened, MergeStatus: mergerequest.CanBeMerged}, "mergeable"},
	}
	for _, test := range tests {
		if got := test.m.DetailedStatus(); got != test.want {
			t.Errorf("DetailedStatus of %+v = %s, want %s", test.m, got, test.want)
		}
	}
	for _, reason := range mergerequest.BlockingReasons[1:] {
		if got := (m{State: opened, MergeStatus: mergerequest.CanBeMerged, BlockingReason: reason}).DetailedStatus(); got != string(reason) {
			t.Errorf("DetailedStatus with the reason %s = %s", reason, got)
		}
	}
}

func TestDraft(t *testing.T) {
	for title, want := range map[string]bool{
		"Draft: x": true, "draft:x": true, "  DRAFT: x": true, "[Draft] x": true, "(draft) x": true, "[draft]": true,
		"Draft x": false, "x Draft: y": false, "Drafting": false, "WIP: x": false, "": false,
	} {
		if got := (mergerequest.MergeRequest{Title: title}).Draft(); got != want {
			t.Errorf("Draft of %q = %t, want %t", title, got, want)
		}
	}
}

func TestTasks(t *testing.T) {
	for description, want := range map[string][2]int{
		"": {0, 0}, "- [ ] a": {1, 0}, "- [x] a": {1, 1}, "* [X] a\n+ [ ] b": {2, 1}, "1. [ ] a\n22) [x] b": {2, 1}, "a\n\n  - [x] b\r\n\t- [ ] c": {2, 1},
		"-[ ] a": {0, 0}, "- [ ]a": {0, 0}, "- [y] a": {0, 0}, "a - [ ] b": {0, 0}, "- [] a": {0, 0}, "- a [x] b": {0, 0},
	} {
		all, done := mergerequest.MergeRequest{Description: description}.Tasks()
		if got := [2]int{all, done}; got != want {
			t.Errorf("Tasks of %q = %v, want %v", description, got, want)
		}
	}
}

func TestMergedByID(t *testing.T) {
	for state, want := range map[mergerequest.State]int64{mergerequest.Opened: 0, mergerequest.Closed: 0, mergerequest.Merged: 7} {
		if got := (mergerequest.MergeRequest{State: state, MergeUserID: 7}).MergedByID(); got != want {
			t.Errorf("MergedByID of one that is %s = %d, want %d", state, got, want)
		}
	}
}
