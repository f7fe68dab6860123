package alert_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
)

// items makes a metrics payload of a story: "A+10:05" fires A, which started at
// that time; "A-10:05" is a recovery of A, which ended then.
func items(story string) string {
	var items []string
	for _, word := range strings.Fields(story) {
		status := map[byte]string{'+': "firing", '-': "resolved"}[word[1]]
		items = append(items, fmt.Sprintf(`{"labels":{"alertname":%q},"status":%q,"startsAt":"2026-11-21T%[3]s:00Z","endsAt":"2026-11-21T%[3]s:00Z"}`,
			word[:1], status, word[2:]))
	}
	return webhook(items...)
}

// story tells what the store is asked to record: "2A+10:05" counts for two.
func story(parsed alert.Parsed) []string {
	var groups []string
	for _, group := range parsed.Occurrences {
		var words []string
		for _, o := range group {
			word := o.Title + "+" + o.StartedAt.Format("15:04")
			if o.Recovery {
				word = o.Title + "-" + o.EndedAt.Format("15:04")
			}
			if o.Count > 1 {
				word = fmt.Sprint(o.Count) + word
			}
			words = append(words, word)
		}
		groups = append(groups, strings.Join(words, " "))
	}
	return groups
}

func TestOccurrencesWithOneFingerprintAreMerged(t *testing.T) {
	tests := []struct {
		items     string
		want      []string
		ungrouped []string // where grouping is off; nil: the same
	}{
		{"A+10:00 B+10:00", []string{"A+10:00", "B+10:00"}, nil},
		{"A+10:00 B+10:00 A+10:00", []string{"2A+10:00", "B+10:00"}, []string{"A+10:00 A+10:00", "B+10:00"}},
		{"A+10:05 A+10:00", []string{"2A+10:00"}, []string{"A+10:00 A+10:05"}},
		{"A+10:00 A-10:05", []string{"A+10:00 A-10:05"}, nil},
		{"A-10:05 A+10:00", []string{"A+10:00 A-10:05"}, nil},
		{"A-10:05 A+10:05", []string{"A+10:05 A-10:05"}, nil},
		{"A+10:06 A-10:05", []string{"A-10:05 A+10:06"}, nil},
		{"A+10:06 A-10:05 A+10:00", []string{"A+10:00 A-10:05 A+10:06"}, nil},
		{"A+10:00 A-10:05 A+10:00", []string{"2A+10:00 A-10:05"}, []string{"A+10:00 A+10:00 A-10:05"}},
		{"A-10:05 A-10:05", []string{"2A-10:05"}, nil},
		{"A-10:06 A-10:05", []string{"A-10:05 A-10:06"}, nil},
	}
	for _, test := range tests {
		r := reading(alert.Metrics)
		if diff := cmp.Diff(test.want, story(parse(t, items(test.items), r))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.items, diff)
		}
		r.Grouping = false
		if test.ungrouped == nil {
			test.ungrouped = test.want
		}
		if diff := cmp.Diff(test.ungrouped, story(parse(t, items(test.items), r))); diff != "" {
			t.Errorf("%s without grouping (-want +got):\n%s", test.items, diff)
		}
	}
}

func TestTouchedAlertsAreInTheOrderOfThePayload(t *testing.T) {
	opened := func(iid int64) alert.Recorded { return alert.Recorded{Outcome: alert.Opened, IID: iid} }
	repeated := func(iid int64) alert.Recorded { return alert.Recorded{Outcome: alert.Repeated, IID: iid} }
	recovered := func(iid int64) alert.Recorded { return alert.Recorded{Outcome: alert.Recovered, IID: iid} }
	unmatched := alert.Recorded{Outcome: alert.Unmatched}
	tests := []struct {
		items    string
		grouping bool
		recorded [][]alert.Recorded
		want     []int64
	}{
		{"A+10:00 B+10:00", true, [][]alert.Recorded{{opened(5)}, {repeated(3)}}, []int64{5, 3}},
		{"A+10:00 B+10:00 A+10:00", true, [][]alert.Recorded{{opened(5)}, {repeated(3)}}, []int64{5, 3}},
		{"A+10:00 A-10:05", true, [][]alert.Recorded{{opened(5), recovered(5)}}, []int64{5}},
		{"A+10:06 B+10:00 A-10:05", true, [][]alert.Recorded{{recovered(4), opened(6)}, {opened(5)}}, []int64{6, 5, 4}},
		{"A-10:05 B-10:05", true, [][]alert.Recorded{{unmatched}, {recovered(2)}}, []int64{2}},
		{"A-10:05", true, [][]alert.Recorded{{unmatched}}, nil},
		{"A-10:05 A-10:06 B+10:00", true, [][]alert.Recorded{{unmatched, recovered(2)}, {opened(5)}}, []int64{2, 5}},
		{"A+10:06 B+10:00 A-10:05", false, [][]alert.Recorded{{recovered(2), recovered(3), opened(6)}, {opened(5)}}, []int64{6, 5, 2, 3}},
		{"A+10:00 B+10:00 A+10:00", false, [][]alert.Recorded{{opened(5), opened(6)}, {opened(7)}}, []int64{5, 7, 6}},
	}
	for _, test := range tests {
		r := reading(alert.Metrics)
		r.Grouping = test.grouping
		var got []int64
		for _, touched := range parse(t, items(test.items), r).Touched(test.recorded) {
			got = append(got, touched.IID)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s recorded as %v (-want +got):\n%s", test.items, test.recorded, diff)
		}
	}
}
