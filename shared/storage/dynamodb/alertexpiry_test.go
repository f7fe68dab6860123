package dynamodb_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/dynamodb"
)

// itemsOfAlerts returns how many items of each kind there are, but for the counts, by what
// their keys begin with, and when DynamoDB removes them; 0: never.
func itemsOfAlerts(t *testing.T, o dynamodb.Options) map[string]int {
	t.Helper()
	found := map[string]int{}
	err := eachAlertItem(t.Context(), o, func(it map[string]types.AttributeValue) error {
		kind, _, _ := strings.Cut(it["pk"].(*types.AttributeValueMemberS).Value, "#")
		ttl := "0"
		if n, ok := it["ttl"].(*types.AttributeValueMemberN); ok {
			ttl = n.Value
		}
		if kind != "COUNTER" && kind != "DAYS" {
			found[kind+" "+ttl]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// All items of an alert expire with it, and none while it is open. Payloads of several
// chunks do so in the same transaction.
func TestEveryItemOfAnAlertExpires(t *testing.T) {
	t.Parallel()
	o := options(t)
	s, p := openWith(t, o), newProjectID()
	fired, repeat, alone := newOccurrence(), newOccurrence(), newOccurrence()
	fired.Payload, alone.Ungrouped = secret.Random(1<<20), true
	repeat.Fingerprint, repeat.Payload = fired.Fingerprint, secret.Random(800<<10)
	report(t, s, p, fired)
	report(t, s, p, repeat)
	report(t, s, p, alone)
	const chunks = 3
	open := map[string]int{"PROJECT 0": 2, "STATUS 0": 2, "BYSEVERITY 0": 2, "PAYLOAD 0": chunks + 1, "LATEST 0": chunks, "OPEN 0": 2}
	change := func(to alert.Status) (end int64) {
		for iid := range int64(2) {
			a := must[alert.Alert](t)(s.Alert(t.Context(), p, iid+1, now))
			a = must[alert.Alert](t)(s.ChangeAlert(t.Context(), a, alert.Change{Status: &to, At: now, KeptDays: 5}))
			end = a.ExpiresAt.Unix()
		}
		return end
	}
	check := func(what string, want map[string]int) {
		t.Helper()
		if diff := gocmp.Diff(want, itemsOfAlerts(t, o)); diff != "" {
			t.Errorf("the items %s (-want +got):\n%s", what, diff)
		}
	}
	for range 2 {
		check("of open alerts", open)
		end := change(alert.Resolved)
		resolved := map[string]int{}
		for kind, n := range open {
			if kind != "OPEN 0" {
				resolved[strings.Replace(kind, " 0", fmt.Sprintf(" %d", end), 1)] = n
			}
		}
		check("of resolved alerts", resolved)
		change(alert.Ignored)
	}
	change(alert.Resolved)
	if err := (expiring{s, o}).Sweep(t.Context(), now.AddDate(0, 0, 6)); err != nil {
		t.Fatal(err)
	}
	check("of alerts that are gone", map[string]int{})
}

// The numbers of what expires on a day go into the counts once the day has passed, whoever
// counts at once and however many days that is.
func TestNumbersOfPassedDaysAreFolded(t *testing.T) {
	t.Parallel()
	o := options(t)
	s, p := openWith(t, o), newProjectID()
	const days = 45
	for n := range days {
		fired := newOccurrence()
		report(t, s, p, fired)
		ended := recovery(fired)
		ended.KeptDays = 1 + n
		report(t, s, p, ended)
	}
	expiring := func() int {
		items := 0
		err := eachAlertItem(t.Context(), o, func(it map[string]types.AttributeValue) error {
			if strings.HasPrefix(it["sk"].(*types.AttributeValueMemberS).Value, "COUNTEXPIRY#") {
				items++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return items
	}
	for _, step := range []struct{ day, left int }{{0, days}, {10, days - 9}, {11, days - 10}, {days, 1}, {days + 1, 0}, {9999, 0}} {
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				counts, err := s.AlertCounts(t.Context(), p, now.AddDate(0, 0, step.day))
				if total := counts.Total(alert.Filter{}); err != nil || total != step.left {
					t.Errorf("on day %d there are %d alerts, %v, want %d", step.day, total, err, step.left)
				}
			})
		}
		callers.Wait()
		must[alert.Counts](t)(s.AlertCounts(t.Context(), p, now.AddDate(0, 0, step.day)))
		if got := expiring(); got != step.left {
			t.Errorf("on day %d %d items are left, want %d", step.day, got, step.left)
		}
	}
}
