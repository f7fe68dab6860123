package dynamodb_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/dynamodb"
)

// asBefore leaves of a project's alerts what the release before lists kept.
func asBefore(t *testing.T, o dynamodb.Options, projectID int64) {
	t.Helper()
	c, table := o.Client(), aws.String(o.Prefix+"-alerts")
	out, err := c.Scan(t.Context(), &sdk.ScanInput{TableName: table})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range out.Items {
		pk, sk := it["pk"].(*types.AttributeValueMemberS).Value, it["sk"].(*types.AttributeValueMemberS).Value
		kind, of, _ := strings.Cut(pk, "#")
		of, _, _ = strings.Cut(of, "#")
		key := map[string]types.AttributeValue{"pk": it["pk"], "sk": it["sk"]}
		switch {
		case of != fmt.Sprint(projectID):
		case slices.Contains([]string{"STATUS", "BYSEVERITY", "DAYS"}, kind), strings.HasPrefix(sk, "COUNT#"):
			_, err = c.DeleteItem(t.Context(), &sdk.DeleteItemInput{TableName: table, Key: key})
		case kind == "PROJECT", kind == "COUNTER":
			_, err = c.UpdateItem(t.Context(), &sdk.UpdateItemInput{TableName: table, Key: key, UpdateExpression: aws.String("REMOVE listed, older")})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// addOldAlerts adds a project with twelve alerts of every status and four
// severities, as an earlier release stored them.
func addOldAlerts(t *testing.T, o dynamodb.Options, s *dynamodb.Store) (projectID int64) {
	t.Helper()
	p := newProjectID()
	var all []alert.Occurrence
	for n := range 12 {
		o := newOccurrence()
		o.Severity, o.Ungrouped, o.StartedAt = alert.Severities[n%4], n%3 == 0, now.Add(time.Duration(-n%5)*time.Hour)
		all = append(all, o)
	}
	report(t, s, p, all...)
	for iid := range int64(12) {
		changeTo(t, s, p, iid+1, alert.Statuses[iid/3])
	}
	asBefore(t, o, p)
	return p
}

func changeTo(t *testing.T, s *dynamodb.Store, projectID, iid int64, to alert.Status) {
	t.Helper()
	a := must[alert.Alert](t)(s.Alert(t.Context(), projectID, iid, now))
	must[alert.Alert](t)(s.ChangeAlert(t.Context(), a, alert.Change{Status: &to, At: now.Add(time.Duration(iid) * time.Second)}))
}

// everyAlert reads the alerts one by one.
func everyAlert(t *testing.T, s *dynamodb.Store, projectID, last int64) (all []alert.Alert) {
	t.Helper()
	for iid := last; iid > 0; iid-- {
		a := must[alert.Alert](t)(s.Alert(t.Context(), projectID, iid, now))
		a.Activity = nil
		all = append(all, a)
	}
	return all
}

// wantLists checks lists of the project, which has these alerts.
func wantLists(t *testing.T, s *dynamodb.Store, all []alert.Alert) {
	t.Helper()
	for _, order := range alert.Orders {
		for _, filter := range []alert.Filter{
			{}, {Statuses: []alert.Status{alert.Resolved}}, {Severities: []alert.Severity{alert.SeverityHigh, alert.SeverityLow}},
			{Statuses: []alert.Status{alert.Triggered, alert.Ignored}, Severities: []alert.Severity{alert.SeverityCritical}},
		} {
			q := alert.Query{Filter: filter, Order: order, Descending: order != alert.ByStart}
			want := slices.DeleteFunc(slices.Clone(all), func(a alert.Alert) bool { return !q.Matches(a) })
			slices.SortFunc(want, func(a, b alert.Alert) int { return q.Compare(q.Position(a), q.Position(b)) })
			found, err := s.Alerts(t.Context(), all[0].ProjectID, q, page.First, now)
			if diff := gocmp.Diff(want, found.Items, cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Errorf("Alerts(%+v): %v (-want +got):\n%s", q, err, diff)
			}
		}
	}
}

// wantCounted checks the numbers of the project, which has these alerts.
func wantCounted(t *testing.T, s *dynamodb.Store, projectID int64, all []alert.Alert) {
	t.Helper()
	want := alert.Counts{}
	for _, a := range all {
		want[a.Class()]++
	}
	got := must[alert.Counts](t)(s.AlertCounts(t.Context(), projectID, now))
	if got == nil {
		t.Error("the alerts are not counted")
	}
	for class, n := range got {
		if n == 0 {
			delete(got, class)
		}
	}
	if diff := gocmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("AlertCounts (-want +got):\n%s", diff)
	}
	days := must[[]alert.Day](t)(s.AlertDays(t.Context(), projectID, now.AddDate(0, 0, -1)))
	if total := len(all); total > 0 && (len(days) != 1 || days[0].Total != total) {
		t.Errorf("AlertDays = %+v, want %d on one day", days, total)
	}
}

// Before, while and after its alerts are listed, a project's lists are right and
// its alerts change and open. What is counted is right in the end.
func TestAlertsOfAnEarlierRelease(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := openWith(t, o)
	p := addOldAlerts(t, o, s)
	wantLists(t, s, everyAlert(t, s, p, 12))
	changeTo(t, s, p, 1, alert.Resolved)
	changeTo(t, s, p, 9, alert.Triggered)
	changeTo(t, s, p, 9, alert.Resolved)
	report(t, s, p, newOccurrence(), newOccurrence())
	if counts, err := s.AlertCounts(t.Context(), p, now); counts != nil || err != nil {
		t.Errorf("AlertCounts = %v, %v while some are not counted, want nil", counts, err)
	}
	wantLists(t, s, everyAlert(t, s, p, 14))

	var beside sync.WaitGroup
	for range 2 {
		beside.Go(func() {
			if _, err := s.ListAlerts(t.Context(), p); err != nil {
				t.Errorf("ListAlerts = %v", err)
			}
		})
	}
	beside.Go(func() {
		for iid := range int64(14) {
			changeTo(t, s, p, iid+1, alert.Statuses[(iid+1)%4])
		}
	})
	beside.Go(func() { report(t, s, p, newOccurrence(), newOccurrence()) })
	beside.Wait()
	all := everyAlert(t, s, p, 16)
	wantLists(t, s, all)
	wantCounted(t, s, p, all)
	if n, err := s.ListAlerts(t.Context(), p); n != 0 || err != nil {
		t.Errorf("ListAlerts of a project that is complete = %d, %v, want none", n, err)
	}
	asBefore(t, o, p)
	if n, err := s.ListAlerts(t.Context(), p); n != 16 || err != nil {
		t.Errorf("ListAlerts = %d, %v, want all 16", n, err)
	}
	wantLists(t, s, all)
	wantCounted(t, s, p, all)
}

// Whatever request ListAlerts ends at, the next call does the rest.
func TestCrashWhileAlertsAreListed(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := openWith(t, o)
	for _, carried := range []bool{false, true} {
		for at, crashed := 1, true; crashed; at += 5 {
			p := addOldAlerts(t, o, s)
			crashed = listUntil(t, o, at, carried, p)
			if _, err := s.ListAlerts(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			all := everyAlert(t, s, p, 12)
			wantCounted(t, s, p, all)
			wantLists(t, s, all)
		}
	}
}

// listUntil lists alerts in a process that crashes at a request, and reports
// whether it came that far.
func listUntil(t *testing.T, o dynamodb.Options, at int, carried bool, projectID int64) bool {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := &crash{at: at, carried: carried, end: cancel}
	o.HTTPClient = c
	if _, err := dynamodb.New(o).ListAlerts(ctx, projectID); c.happened() != (err != nil) {
		t.Errorf("ListAlerts = %v, with a crash: %t", err, c.happened())
	}
	return c.happened()
}

// A function of the earlier release may still take a number after the last
// project was done. Then there is more to be done.
func TestANumberOfTheEarlierReleaseIsNoticed(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := openWith(t, o)
	p := addOldAlerts(t, o, s)
	must[int](t)(s.ListAlerts(t.Context(), p))
	takeNumber(t, o, p)
	if counts, err := s.AlertCounts(t.Context(), p, now); counts != nil || err != nil {
		t.Errorf("AlertCounts = %v, %v, want nil", counts, err)
	}
	must[int](t)(s.ListAlerts(t.Context(), p))
	wantCounted(t, s, p, everyAlert(t, s, p, 12))
}

// takeNumber takes the next number of a project's alerts, as the earlier release
// does. No alert has it.
func takeNumber(t *testing.T, o dynamodb.Options, projectID int64) {
	t.Helper()
	_, err := o.Client().UpdateItem(t.Context(), &sdk.UpdateItemInput{
		TableName: aws.String(o.Prefix + "-alerts"), UpdateExpression: aws.String("ADD last_id :one"),
		Key:                       map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: fmt.Sprintf("COUNTER#%d", projectID)}, "sk": &types.AttributeValueMemberS{Value: "COUNTER"}},
		ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A function of the earlier release may still change an alert that is listed: it
// comes to where it belongs with its next change, or with ListAlerts.
func TestAChangeByTheEarlierReleaseIsMadeUpFor(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := openWith(t, o)
	p, anonymous := newProjectID(), newOccurrence()
	anonymous.Fingerprint = ""
	report(t, s, p, anonymous, anonymous)
	for iid := range int64(2) {
		changeAsBefore(t, o, p, iid+1, alert.Ignored)
	}
	changeTo(t, s, p, 1, alert.Acknowledged)
	if n, err := s.ListAlerts(t.Context(), p); n != 1 || err != nil {
		t.Errorf("ListAlerts = %d, %v, want the one that was not changed since", n, err)
	}
	all := everyAlert(t, s, p, 2)
	wantCounted(t, s, p, all)
	wantLists(t, s, all)
}

// changeAsBefore changes the status of an alert, which was never changed before, as a
// function of the earlier release does.
func changeAsBefore(t *testing.T, o dynamodb.Options, projectID, iid int64, to alert.Status) {
	t.Helper()
	_, err := o.Client().UpdateItem(t.Context(), &sdk.UpdateItemInput{
		TableName: aws.String(o.Prefix + "-alerts"), UpdateExpression: aws.String("SET #status = :status, version = :two"),
		Key:                       keyOf(fmt.Sprintf("PROJECT#%d", projectID), "ALERT#"+padded(iid)),
		ExpressionAttributeNames:  map[string]string{"#status": "status"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":status": word(string(to)), ":two": numeral(2)},
	})
	if err != nil {
		t.Fatal(err)
	}
}
