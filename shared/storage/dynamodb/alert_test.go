package dynamodb_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
)

// newProjectID returns the id of a project without alerts.
func newProjectID() int64 { return lastProjectID.Add(1) }

var lastProjectID atomic.Int64

func newOccurrence() alert.Occurrence {
	return alert.Occurrence{
		Fingerprint: alert.Fingerprint(unique("fingerprint")), Title: unique("title"), Severity: alert.SeverityHigh,
		StartedAt: now, Payload: secret.Random(100), Count: 1,
	}
}

func recovery(o alert.Occurrence) alert.Occurrence {
	o.Recovery, o.EndedAt = true, now.Add(time.Second)
	return o
}

// each puts each occurrence into a list of its own.
func each(occurrences ...alert.Occurrence) [][]alert.Occurrence {
	lists := make([][]alert.Occurrence, len(occurrences))
	for i, o := range occurrences {
		lists[i] = []alert.Occurrence{o}
	}
	return lists
}

func report(t *testing.T, s storage.Store, projectID int64, occurrences ...alert.Occurrence) []alert.Recorded {
	t.Helper()
	all := must[[][]alert.Recorded](t)(s.RecordOccurrences(t.Context(), projectID, each(occurrences...), now))
	var first []alert.Recorded
	for _, recorded := range all {
		first = append(first, recorded[0])
	}
	return first
}

func alertsOf(t *testing.T, s storage.Store, projectID int64) []alert.Alert {
	t.Helper()
	found, err := s.Alerts(t.Context(), projectID, alert.Query{Descending: true}, page.Request{Number: 1, Size: 1000}, now)
	if err != nil {
		t.Fatal(err)
	}
	return found.Items
}

// crash ends a process, as far as DynamoDB can see, at its n-th request: it is
// carried out or not, its answer never arrives, and no other is sent.
type crash struct {
	at      int
	carried bool
	end     context.CancelFunc

	mu   sync.Mutex
	sent int
}

func (c *crash) Do(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.sent++
	sent := c.sent
	c.mu.Unlock()
	if sent < c.at {
		return http.DefaultClient.Do(r)
	}
	if sent == c.at && c.carried {
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, err
		}
		answer.Body.Close()
	}
	c.end()
	return nil, errors.New("crashed")
}

func (c *crash) happened() bool { return c.sent >= c.at }

// Whatever request a process ends at, and whether that was carried out or not:
// when the sender sends again, no alert is lost and none is there twice.
func TestCrash(t *testing.T) {
	t.Parallel()
	o := options(t)
	openWith(t, o)
	o.Patience = 20 * time.Millisecond
	s := dynamodb.New(o)

	large, another := newOccurrence(), newOccurrence()
	large.Payload = secret.Random(400 << 10) // more than an item holds
	first := []alert.Occurrence{newOccurrence()}
	tests := map[string]struct {
		before, sent [][]alert.Occurrence
		open         int // of the alerts afterwards
		all          int
	}{
		"a new alert":           {nil, [][]alert.Occurrence{first}, 1, 1},
		"a large one":           {nil, each(large), 1, 1},
		"a repeat":              {[][]alert.Occurrence{first}, [][]alert.Occurrence{first}, 1, 1},
		"a recovery":            {[][]alert.Occurrence{first}, each(recovery(first[0])), 0, 1},
		"an end and a new one":  {[][]alert.Occurrence{first}, [][]alert.Occurrence{{recovery(first[0]), later(first[0])}}, 1, 2},
		"several alerts":        {each(another), append(each(large, another, newOccurrence()), first), 4, 4},
		"an alert after others": {[][]alert.Occurrence{{first[0], recovery(first[0])}}, [][]alert.Occurrence{first}, 1, 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, carried := range []bool{false, true} {
				for at, crashed := 1, true; crashed; at++ {
					p := newProjectID()
					must[[][]alert.Recorded](t)(s.RecordOccurrences(t.Context(), p, test.before, now))
					crashed = recordUntil(t, o, at, carried, p, test.sent)
					if _, err := s.RecordOccurrences(t.Context(), p, test.sent, now); err != nil {
						t.Errorf("sent again after a crash at request %d (carried out: %t) = %v", at, carried, err)
					}
					wantHealed(t, s, p, test.open, test.all)
					if t.Failed() {
						t.Fatalf("with a crash at request %d (carried out: %t)", at, carried)
					}
				}
			}
		})
	}
}

// Whatever request of a graver repeat a process ends at: when the sender sends again,
// or something else repeats, the alert is as grave as what was counted.
func TestCrashOfAGraverRepeat(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := openWith(t, o)
	low := newOccurrence()
	low.Severity = alert.SeverityLow
	critical := low
	critical.Severity = alert.SeverityCritical
	for _, carried := range []bool{false, true} {
		for _, next := range []alert.Occurrence{low, critical} {
			for at, crashed := 1, true; crashed; at++ {
				p := newProjectID()
				report(t, s, p, low)
				crashed = recordUntil(t, o, at, carried, p, each(critical))
				counted := at > 1 || carried || next.Severity == alert.SeverityCritical
				before := storedPeak(t, o, p) == string(alert.SeverityCritical)
				if got := report(t, s, p, next)[0]; got.Outcome != alert.Repeated || got.Graver != (counted && !before) {
					t.Errorf("after a crash at request %d (carried out: %t) a repeat that is %s = %+v", at, carried, next.Severity, got)
				}
				if after := storedPeak(t, o, p) == string(alert.SeverityCritical); after != counted {
					t.Errorf("after a crash at request %d (carried out: %t) and another repeat, critical is stored: %t, want %t", at, carried, after, counted)
				}
			}
		}
	}
}

// storedPeak returns the gravest severity that the project's first alert has stored,
// whatever its slot says.
func storedPeak(t *testing.T, o dynamodb.Options, projectID int64) string {
	t.Helper()
	out, err := o.Client().GetItem(t.Context(), &sdk.GetItemInput{TableName: aws.String(o.Prefix + "-alerts"), Key: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: fmt.Sprintf("PROJECT#%d", projectID)}, "sk": &types.AttributeValueMemberS{Value: fmt.Sprintf("ALERT#%019d", 1)},
	}})
	if err != nil || out.Item == nil {
		t.Fatalf("the stored alert = %v, %v", out, err)
	}
	stored, _ := out.Item["peak_severity"].(*types.AttributeValueMemberS)
	if stored == nil {
		return ""
	}
	return stored.Value
}

// A slot of an earlier release tells no severities.
func TestAGraverRepeatOfAnOlderAlert(t *testing.T) {
	t.Parallel()
	o := options(t)
	s, p := openWith(t, o), newProjectID()
	first := newOccurrence()
	report(t, s, p, first)
	withoutSeverities(t, o, p)
	low, critical := first, first
	low.Severity, critical.Severity = alert.SeverityLow, alert.SeverityCritical
	for i, test := range []struct {
		sent   alert.Occurrence
		graver bool
		want   alert.Severity
	}{{low, false, alert.SeverityHigh}, {critical, true, alert.SeverityCritical}, {low, false, alert.SeverityCritical}} {
		if got := report(t, s, p, test.sent)[0]; got.Graver != test.graver {
			t.Errorf("repeat %d = %+v, want it graver: %t", i, got, test.graver)
		}
		if got := must[alert.Alert](t)(s.Alert(t.Context(), p, 1, now)).PeakSeverity; got != test.want {
			t.Errorf("after repeat %d the alert is %s at worst, want %s", i, got, test.want)
		}
	}
}

// withoutSeverities leaves of the slots of a project what an earlier release kept.
func withoutSeverities(t *testing.T, o dynamodb.Options, projectID int64) {
	t.Helper()
	c, table := o.Client(), aws.String(o.Prefix+"-alerts")
	out, err := c.Scan(t.Context(), &sdk.ScanInput{
		TableName: table, FilterExpression: aws.String("begins_with(pk, :slots)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":slots": &types.AttributeValueMemberS{Value: fmt.Sprintf("OPEN#%d#", projectID)}},
	})
	if err != nil || len(out.Items) == 0 {
		t.Fatalf("the slots = %v, %v", out, err)
	}
	for _, it := range out.Items {
		if _, err := c.UpdateItem(t.Context(), &sdk.UpdateItemInput{
			TableName: table, Key: map[string]types.AttributeValue{"pk": it["pk"], "sk": it["sk"]},
			UpdateExpression: aws.String("REMOVE s_critical, s_high, s_medium, s_low, s_info, s_unknown, peak_rank"),
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// later is what begins again after the recovery.
func later(o alert.Occurrence) alert.Occurrence {
	o.StartedAt = now.Add(time.Minute)
	return o
}

// recordUntil records occurrences in a process that crashes at a request, and
// reports whether it came that far.
func recordUntil(t *testing.T, o dynamodb.Options, at int, carried bool, projectID int64, sent [][]alert.Occurrence) bool {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := &crash{at: at, carried: carried, end: cancel}
	o.HTTPClient = c
	_, err := dynamodb.New(o).RecordOccurrences(ctx, projectID, sent, now)
	if c.happened() != (err != nil) {
		t.Errorf("RecordOccurrences = %v, with a crash: %t", err, c.happened())
	}
	return c.happened()
}

// wantHealed checks that so many alerts are there, whole and counted, and that the
// open ones count, end and make room for others.
func wantHealed(t *testing.T, s *dynamodb.Store, projectID int64, open, all int) {
	t.Helper()
	found, last := alertsOf(t, s, projectID), int64(1)<<62
	if len(found) != all {
		t.Errorf("%d alerts are there, want %d", len(found), all)
	}
	wantCounted(t, s, projectID, found)
	for _, a := range found {
		if a.IID >= last {
			t.Errorf("alert %d comes after alert %d", a.IID, last)
		}
		last = a.IID
		if _, err := s.AlertPayload(t.Context(), projectID, a.IID, now); err != nil {
			t.Errorf("AlertPayload = %v, want it whole", err)
		}
		if a.Open() {
			open--
			wantAlive(t, s, a)
		}
	}
	if open != 0 {
		t.Errorf("%d open alerts are missing", open)
	}
}

// wantAlive checks that an open alert counts, ends and makes room for another.
func wantAlive(t *testing.T, s storage.Store, a alert.Alert) {
	t.Helper()
	o := alert.Occurrence{Fingerprint: a.Fingerprint, Title: "again", StartedAt: a.StartedAt, Count: 1}
	for _, test := range []struct {
		occurrence alert.Occurrence
		want       alert.Outcome
	}{{o, alert.Repeated}, {recovery(later(o)), alert.Unmatched}, {o, alert.Repeated}} {
		if test.want == alert.Unmatched {
			test.occurrence.EndedAt = a.StartedAt.Add(-time.Second) // late
		}
		if got := report(t, s, a.ProjectID, test.occurrence)[0].Outcome; got != test.want {
			t.Errorf("an occurrence of the open alert is %s, want %s", got, test.want)
		}
	}
	if got := must[alert.Alert](t)(s.Alert(t.Context(), a.ProjectID, a.IID, now)); got.Events != a.Events+2 {
		t.Errorf("the open alert has %d events after two more, want %d", got.Events, a.Events+2)
	}
	end := recovery(o)
	end.EndedAt = a.StartedAt
	if got := report(t, s, a.ProjectID, end)[0]; got.Outcome != alert.Recovered || got.IID != a.IID {
		t.Errorf("a recovery = %+v, want alert %d recovered", got, a.IID)
	}
	if got := report(t, s, a.ProjectID, o)[0]; got.Outcome != alert.Opened {
		t.Errorf("a fire after the recovery = %+v, want another alert", got)
	}
}

// A person's change is made whole or not at all: an alert counts further
// occurrences exactly if it is open.
func TestCrashDuringAChange(t *testing.T) {
	o := options(t)
	s := openWith(t, o)
	for _, to := range []alert.Status{alert.Acknowledged, alert.Resolved, alert.Triggered} {
		for _, carried := range []bool{false, true} {
			for at, crashed := 1, true; crashed; at++ {
				p, occurrence := newProjectID(), newOccurrence()
				report(t, s, p, occurrence)
				if to == alert.Triggered {
					report(t, s, p, recovery(occurrence))
				}
				crashed = changeUntil(t, o, at, carried, alertsOf(t, s, p)[0], to)
				wantCounted(t, s, p, alertsOf(t, s, p))
				wantLists(t, s, alertsOf(t, s, p))
				after, want := alertsOf(t, s, p)[0], alert.Opened
				if after.Open() {
					want = alert.Repeated
				}
				if !crashed && after.Status != to {
					t.Errorf("ChangeAlert left an alert that is %s, want %s", after.Status, to)
				}
				if got := report(t, s, p, occurrence)[0].Outcome; got != want {
					t.Errorf("to %s, crashed at request %d (carried out: %t): a fire then is %s, want %s", to, at, carried, got, want)
				}
			}
		}
	}
}

// changeUntil changes an alert in a process that crashes at a request, and
// reports whether it came that far.
func changeUntil(t *testing.T, o dynamodb.Options, at int, carried bool, a alert.Alert, to alert.Status) bool {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := &crash{at: at, carried: carried, end: cancel}
	o.HTTPClient = c
	_, err := dynamodb.New(o).ChangeAlert(ctx, a, alert.Change{Status: &to, At: now})
	if c.happened() != (err != nil) {
		t.Errorf("ChangeAlert = %v, with a crash: %t", err, c.happened())
	}
	return c.happened()
}

// loseAnswer loses DynamoDB's answer to the n-th request.
func loseAnswer(n int) func(string, *http.Response) *http.Response {
	answered := 0
	var mu sync.Mutex
	return func(_ string, theirs *http.Response) *http.Response {
		mu.Lock()
		defer mu.Unlock()
		if theirs == nil {
			return nil
		}
		if answered++; answered == n {
			return response(http.StatusServiceUnavailable, "{}")
		}
		return nil
	}
}

// An occurrence is counted once, whether its first request was carried out or not, and
// whether it opens the alert or repeats it, as long as few others come in between.
func TestLostAnswerToAFire(t *testing.T) {
	t.Parallel()
	o, w := options(t), &wire{}
	meanwhile, past := openWith(t, o), o
	past.Now = func() time.Time { return time.Now().Add(-time.Minute) }
	earlier := dynamodb.New(past)
	o.HTTPClient, o.Patience = w, 20*time.Millisecond
	s, few := dynamodb.New(o), 7
	for _, before := range []int{0, 1, 20} {
		for _, others := range []int{0, few} {
			for _, carried := range []bool{true, false} {
				p, occurrence := newProjectID(), newOccurrence()
				for range before {
					report(t, earlier, p, occurrence)
				}
				w.answer = loseFire(carried, func() {
					for range others {
						report(t, meanwhile, p, occurrence)
					}
				})
				_, err := s.RecordOccurrences(t.Context(), p, each(occurrence), now)
				w.answer = nil
				all := alertsOf(t, meanwhile, p)
				if want := int64(before + others + 1); err != nil || len(all) != 1 || all[0].Events != want {
					t.Errorf("after %d events, with %d before the second request, and the first carried out: %t: %v, %+v, want one alert with %d events",
						before, others, carried, err, all, want)
				}
			}
		}
	}
}

// loseFire loses the first request of a store, or its answer, and lets others come before
// the next.
func loseFire(carried bool, others func()) func(string, *http.Response) *http.Response {
	lost := false
	return func(_ string, theirs *http.Response) *http.Response {
		if lost || carried && theirs == nil {
			return nil
		}
		lost = true
		others()
		return response(http.StatusServiceUnavailable, "{}")
	}
}

// Where many others came in between, nothing shows whether the occurrence was counted. The
// sender is told, and nothing is counted twice here.
func TestLostAnswerToAFireAmongMany(t *testing.T) {
	t.Parallel()
	o, w := options(t), &wire{}
	meanwhile := openWith(t, o)
	o.HTTPClient = w
	s, p, occurrence := dynamodb.New(o), newProjectID(), newOccurrence()
	report(t, meanwhile, p, occurrence)
	w.answer = loseFire(true, func() {
		for range 8 {
			report(t, meanwhile, p, occurrence)
		}
	})
	_, err := s.RecordOccurrences(t.Context(), p, each(occurrence), now)
	if got := alertsOf(t, meanwhile, p)[0].Events; !errors.Is(err, alert.ErrUncertain) || got != 10 {
		t.Errorf("RecordOccurrences = %v, and %d events, want that it is uncertain, and 10", err, got)
	}
}

// Marks from before show that nothing came in between.
func TestLostFireAfterMany(t *testing.T) {
	t.Parallel()
	o, w := options(t), &wire{}
	began := time.Now()
	o.Now = func() time.Time { return began }
	meanwhile := openWith(t, o)
	later := began.Add(201 * time.Millisecond)
	o.HTTPClient, o.Now = w, func() time.Time { return later }
	s, p, occurrence := dynamodb.New(o), newProjectID(), newOccurrence()
	for range 9 {
		report(t, meanwhile, p, occurrence)
	}
	w.answer = loseFire(false, func() {})
	report(t, s, p, occurrence)
	if got := alertsOf(t, meanwhile, p)[0].Events; got != 10 {
		t.Errorf("%d events, want 10", got)
	}
	later = began.Add(200 * time.Millisecond) // less than clocks may differ by
	w.answer = loseFire(false, func() {})
	if _, err := s.RecordOccurrences(t.Context(), p, each(occurrence), now); !errors.Is(err, alert.ErrUncertain) {
		t.Errorf("RecordOccurrences = %v, want that it is uncertain", err)
	}
}

func TestLostAnswersBehindAFire(t *testing.T) {
	o, w := options(t), &wire{}
	o.HTTPClient = w
	s := openWith(t, o)
	for n := 2; n <= 6; n++ {
		p, occurrence := newProjectID(), newOccurrence()
		w.answer = loseAnswer(n)
		got := report(t, s, p, occurrence)[0]
		w.answer = nil
		all := alertsOf(t, s, p)
		if got.Outcome != alert.Opened || len(all) != 1 || all[0].Events != 1 {
			t.Errorf("with answer %d lost, the occurrence is %s and leaves %+v, want one alert with one event", n, got.Outcome, all)
		}
	}
	for n := 1; n <= 4; n++ {
		p, occurrence := newProjectID(), newOccurrence()
		report(t, s, p, occurrence)
		w.answer = loseAnswer(n)
		got := report(t, s, p, recovery(occurrence))[0]
		w.answer = nil
		if a := must[alert.Alert](t)(s.Alert(t.Context(), p, 1, now)); got.Outcome != alert.Recovered || len(a.Activity) != 1 {
			t.Errorf("with answer %d lost, the recovery is %s, want it recovered once", n, got.Outcome)
		}
	}
}

// Whoever stored the alert keeps its payload, also when somebody changed the
// alert before the store could see that it had.
func TestLostAnswerToAnAlertThatChangesMeanwhile(t *testing.T) {
	o, w := options(t), &wire{}
	meanwhile := openWith(t, o)
	o.HTTPClient = w
	s, p, occurrence, lost := dynamodb.New(o), newProjectID(), newOccurrence(), false
	status := alert.Acknowledged
	w.answer = func(_ string, theirs *http.Response) *http.Response {
		all := alertsOf(t, meanwhile, p)
		if theirs == nil || lost || len(all) == 0 {
			return nil
		}
		lost = true
		must[alert.Alert](t)(meanwhile.ChangeAlert(t.Context(), all[0], alert.Change{Status: &status, At: now}))
		return response(http.StatusServiceUnavailable, "{}")
	}
	if got := report(t, s, p, occurrence)[0]; got.Outcome != alert.Opened {
		t.Errorf("the occurrence is %s, want %s", got.Outcome, alert.Opened)
	}
	if got := must[[]byte](t)(meanwhile.AlertPayload(t.Context(), p, 1, now)); !bytes.Equal(got, occurrence.Payload) {
		t.Errorf("the payload has %d bytes, want all %d", len(got), len(occurrence.Payload))
	}
}

// A fire that DynamoDB refused was not counted, and is sent again.
func TestRefusedFireIsTriedAgain(t *testing.T) {
	o, w := options(t), &wire{}
	o.HTTPClient = w
	s, p, refused := openWith(t, o), newProjectID(), 0
	w.answer = func(_ string, theirs *http.Response) *http.Response {
		if theirs == nil && refused < 3 {
			refused++
			return response(http.StatusBadRequest, []string{
				`{"__type": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException"}`,
				`{"__type": "com.amazonaws.dynamodb.v20120810#ThrottlingException"}`, conflict,
			}[refused-1])
		}
		return nil
	}
	report(t, s, p, newOccurrence())
	if all := alertsOf(t, s, p); len(all) != 1 || all[0].Events != 1 {
		t.Errorf("alerts = %+v, want one with one event", all)
	}
}

// One who waits for another to open an alert finishes the work itself when
// nothing comes; what both do then is one alert, with the payload of one.
func TestSlowProcessMeetsItsSuccessor(t *testing.T) {
	o, w := options(t), &wire{}
	openWith(t, o)
	o.Patience = 20 * time.Millisecond
	for stopped := 2; stopped <= 6; stopped++ {
		fast, p, occurrence := dynamodb.New(o), newProjectID(), newOccurrence()
		other := occurrence
		other.Payload = secret.Random(900 << 10)
		var successor alert.Recorded
		requests, slow := atomic.Int64{}, o
		w.answer = func(_ string, theirs *http.Response) *http.Response {
			if theirs == nil && requests.Add(1) == int64(stopped) {
				successor = report(t, fast, p, other)[0]
			}
			return nil
		}
		slow.HTTPClient = w
		first := report(t, dynamodb.New(slow), p, occurrence)[0]
		all := alertsOf(t, fast, p)
		if len(all) != 1 || all[0].Events != 2 || first.IID != successor.IID {
			t.Fatalf("stopped at request %d: %+v and %+v left %+v, want one alert with two events", stopped, first, successor, all)
		}
		opened := map[bool][]byte{true: occurrence.Payload, false: other.Payload}[first.Outcome == alert.Opened]
		if got := must[[]byte](t)(fast.AlertPayload(t.Context(), p, first.IID, now)); !bytes.Equal(got, opened) {
			t.Errorf("stopped at request %d: the payload has %d bytes, want the %d of who opened the alert", stopped, len(got), len(opened))
		}
	}
}

// What was counted on an alert is not counted again, nor opens another one, when
// that alert is resolved before the slow process comes back to it.
func TestSlowProcessComesAfterTheEnd(t *testing.T) {
	o, w := options(t), &wire{}
	openWith(t, o)
	o.Patience = 20 * time.Millisecond
	for stopped := 2; stopped <= 6; stopped++ {
		fast, p, occurrence := dynamodb.New(o), newProjectID(), newOccurrence()
		var successor alert.Recorded
		requests, slow := atomic.Int64{}, o
		w.answer = func(_ string, theirs *http.Response) *http.Response {
			if theirs == nil && requests.Add(1) == int64(stopped) {
				successor = report(t, fast, p, occurrence)[0]
				report(t, fast, p, recovery(occurrence))
			}
			return nil
		}
		slow.HTTPClient = w
		first := report(t, dynamodb.New(slow), p, occurrence)[0]
		all := alertsOf(t, fast, p)
		if len(all) != 1 || all[0].Events != 2 || all[0].Open() || first.IID != successor.IID {
			t.Errorf("stopped at request %d: %+v and %+v left %+v, want one resolved alert with two events", stopped, first, successor, all)
		}
	}
}

// Nobody waits for one who began long ago: a request of hundreds that comes
// again after a crash would take longer than a function may.
func TestNobodyWaitsForWhatIsLongAbandoned(t *testing.T) {
	o := options(t)
	o.Patience = time.Hour
	s, ctx := openWith(t, o), t.Context()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	p, occurrence := newProjectID(), newOccurrence()
	recordUntil(t, o, 2, false, p, each(occurrence))
	after := now.Add(o.Patience)
	for _, sent := range []alert.Occurrence{recovery(occurrence), occurrence} {
		if _, err := s.RecordOccurrences(ctx, p, each(sent), after); err != nil {
			t.Fatalf("RecordOccurrences an hour after the crash = %v", err)
		}
	}
	if all := alertsOf(t, s, p); len(all) != 1 || all[0].Events != 2 {
		t.Errorf("alerts = %+v, want one with two events", all)
	}
}

// Two senders report the same at once, in opposite orders, as a pair of them
// does that is there in case one fails.
func TestRequestsDoNotWaitForEachOther(t *testing.T) {
	o := options(t)
	o.Patience = time.Hour
	s, ctx := openWith(t, o), t.Context()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for range 5 {
		p, lists := newProjectID(), make([][]alert.Occurrence, 60)
		for i := range lists {
			lists[i] = []alert.Occurrence{newOccurrence()}
		}
		reversed := slices.Clone(lists)
		slices.Reverse(reversed)
		var senders sync.WaitGroup
		for _, sent := range [][][]alert.Occurrence{lists, reversed} {
			senders.Go(func() {
				if _, err := s.RecordOccurrences(ctx, p, sent, now); err != nil {
					t.Errorf("RecordOccurrences = %v, want no error", err)
				}
			})
		}
		senders.Wait()
		if all := alertsOf(t, s, p); len(all) != 60 {
			t.Errorf("%d alerts are there, want 60", len(all))
		}
	}
}
