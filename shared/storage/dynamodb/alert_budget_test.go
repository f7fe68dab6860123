package dynamodb_test

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// What a webhook costs rests on what its occurrences cost, one after the other.
// Whoever takes it in adds the one step that finds the integration.
func TestBudgetOfAlerts(t *testing.T) {
	o, w := options(t), &dynamodbtest.Steps{}
	s := openWith(t, o)
	o.HTTPClient = w
	measured, p, ctx := openWith(t, o), newProjectID(), t.Context()

	open, ended, alone, anonymous := newOccurrence(), newOccurrence(), newOccurrence(), newOccurrence()
	alone.Ungrouped, anonymous.Fingerprint = true, ""
	many, fresh := make([]alert.Occurrence, 100), make([]alert.Occurrence, 16)
	for i := range many {
		many[i] = newOccurrence()
	}
	for i := range fresh {
		fresh[i] = newOccurrence()
	}
	for range 2 { // the payload of the first repeat is kept
		report(t, s, p, append(many, open, ended)...)
	}
	once := newOccurrence()
	report(t, s, p, once)
	acknowledged, resolved, triggered := alert.Acknowledged, alert.Resolved, alert.Triggered
	changeFor := func(days int, to *alert.Status) func() {
		return func() {
			a := must[alert.Alert](t)(s.Alert(ctx, p, 101, now))
			must[alert.Alert](t)(measured.ChangeAlert(ctx, a, alert.Change{Status: to, At: now, KeptDays: days}))
		}
	}
	change := func(to *alert.Status) func() { return changeFor(0, to) }
	counts := func() { must[alert.Counts](t)(measured.AlertCounts(ctx, p, now.AddDate(0, 0, 10))) }
	forNineDays := recovery(open)
	forNineDays.KeptDays = 9

	graver := open
	graver.Severity = alert.SeverityCritical
	tests := []struct {
		name          string
		call          func()
		steps, widest int
	}{
		{"a repeat", func() { report(t, measured, p, open) }, 1, 1},
		{"a repeat that is the first in a minute", func() { report(t, measured, p, once) }, 2, 1},
		{"a graver repeat", func() { report(t, measured, p, graver) }, 3, 1},
		{"another", func() { report(t, measured, p, graver) }, 1, 1},
		{"a new alert", func() { report(t, measured, p, newOccurrence()) }, 5, 2},
		{"a hundred repeats", func() { report(t, measured, p, many...) }, 7, 16},
		{"sixteen new alerts", func() { report(t, measured, p, fresh...) }, 5, 32},
		{"an alert that does not group", func() { report(t, measured, p, alone) }, 3, 1},
		{"an alert without a fingerprint", func() { report(t, measured, p, anonymous) }, 3, 1},
		{"a recovery", func() { report(t, measured, p, recovery(ended)) }, 4, 1},
		{"a recovery of nothing", func() { report(t, measured, p, recovery(ended)) }, 1, 1},
		{"Alert", func() { must[alert.Alert](t)(measured.Alert(ctx, p, 101, now)) }, 2, 1},
		{"AlertPayload", func() { must[[]byte](t)(measured.AlertPayload(ctx, p, 101, now)) }, 2, 1},
		{"Alerts", func() { alertsOf(t, measured, p) }, 2, 2}, // a hundred slots come in one request
		{"ChangeAlert to acknowledged", change(&acknowledged), 1, 1},
		{"ChangeAlert to what it is", change(&acknowledged), 1, 1},
		{"ChangeAlert to resolved for ever", change(&resolved), 1, 1},
		{"ChangeAlert to open again", change(&triggered), 1, 1},
		{"ChangeAlert to resolved for nine days, when it was for ever before", changeFor(9, &resolved), 3, 1},
		{"ChangeAlert to open again within these", change(&triggered), 2, 1},
		{"a recovery for nine days", func() { report(t, measured, p, forNineDays) }, 4, 1},
		{"AlertCounts for the first time after these", counts, 2, 1},
		{"AlertCounts later", counts, 1, 1},
	}
	for _, test := range tests {
		if steps, widest := w.During(test.call); steps != test.steps || widest != test.widest {
			t.Errorf("%s takes %d steps of at most %d requests, want %d of %d", test.name, steps, widest, test.steps, test.widest)
		}
	}
}

// readUnits is an HTTP client that counts what its reads consume.
type readUnits struct {
	mu    sync.Mutex
	units float64
}

func (u *readUnits) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	body = append(bytes.TrimSuffix(body, []byte("}")), `,"ReturnConsumedCapacity":"TOTAL"}`...)
	asking := r.Clone(r.Context())
	asking.Body, asking.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer, err := http.DefaultClient.Do(asking)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	answer.Body = io.NopCloser(bytes.NewReader(text))
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, found := range consumed.FindAllSubmatch(text, -1) {
		n, _ := strconv.ParseFloat(string(found[1]), 64)
		u.units += n
	}
	return answer, err
}

var consumed = regexp.MustCompile(`"ConsumedCapacity":[\[{]+[^}]*?"CapacityUnits":([0-9.]+)`)

// The first page of a list costs at most three steps and sixty read units, whatever
// it is narrowed and sorted by, and however many alerts there are.
func TestBudgetOfListsOfAlerts(t *testing.T) {
	o, u := options(t), &readUnits{}
	w := &dynamodbtest.Steps{Through: u}
	s, p := openWith(t, o), newProjectID()
	var many []alert.Occurrence
	for n := range 1000 {
		o := newOccurrence()
		o.Severity, o.Description = alert.Severities[n%6], strings.Repeat("What is wrong. ", 20)
		many = append(many, o)
	}
	for some := range slices.Chunk(many, 200) {
		report(t, s, p, some...)
	}
	for iid := range int64(60) {
		changeTo(t, s, p, 1000-iid, alert.Statuses[iid%4])
	}
	o.HTTPClient = w
	measured := alert.NewRules(dynamodb.New(o), nil, nil, time.Now)
	for _, order := range alert.Orders {
		for _, filter := range []alert.Filter{
			{}, {Statuses: []alert.Status{alert.Triggered, alert.Acknowledged}}, {Severities: []alert.Severity{alert.SeverityHigh}},
			{Statuses: []alert.Status{alert.Triggered}, Severities: []alert.Severity{alert.SeverityHigh, alert.SeverityLow}},
			{Severities: alert.Severities[1:]},
		} {
			for _, search := range []string{"", "nowhere"} {
				q := alert.Query{Filter: filter, Search: search, Order: order, Descending: true}
				if order == alert.BySeverity && len(filter.Statuses) == 0 {
					q.Descending = false // has more partitions to ask
				}
				u.units = 0
				var found alert.Listing
				steps, _ := w.During(func() { found = must[alert.Listing](t)(measured.List(t.Context(), p, q, page.First)) })
				keyed := search == "" && slices.Contains([]alert.Order{alert.ByCreation, alert.BySeverity, alert.ByStatus}, order)
				if keyed && !found.SearchedUntil.IsZero() {
					t.Errorf("List(%+v) looked until %v, want a key", q, found.SearchedUntil)
				}
				if steps > 3 || u.units > 60 || u.units == 0 {
					t.Errorf("List(%+v) takes %d steps and %.1f read units, want at most 3 and 60: %q", q, steps, u.units, w.Trace())
				}
			}
		}
	}
}

// So does a page that is asked for by its number, where the numbers of the alerts
// have no gap; and its alerts are the same where they have one.
func TestBudgetOfPagesByNumber(t *testing.T) {
	o, u := options(t), &readUnits{}
	s, p := openWith(t, o), newProjectID()
	for range 5 {
		var some []alert.Occurrence
		for range 199 {
			some = append(some, newOccurrence())
		}
		report(t, s, p, some...)
	}
	w := &dynamodbtest.Steps{Through: u}
	o.HTTPClient = w
	measured := dynamodb.New(o)
	for _, gaps := range []int{0, 3} {
		for range gaps {
			takeNumber(t, o, p)
		}
		for _, descending := range []bool{true, false} {
			for number, want := range map[int]int{2: 20, 49: 20, 50: 15, 51: 0} {
				var found page.Of[alert.Alert]
				r := page.Request{Number: number, Size: 20}
				u.units = 0
				steps, _ := w.During(func() {
					found = must[page.Of[alert.Alert]](t)(measured.Alerts(t.Context(), p, alert.Query{Descending: descending}, r, now))
				})
				if len(found.Items) != want || found.More != (number < 50) {
					t.Errorf("%d gaps: page %d has %d alerts, more %t, want %d, %t", gaps, number, len(found.Items), found.More, want, number < 50)
				}
				for i, a := range found.Items {
					iid := int64(r.Offset() + i + 1)
					if descending {
						iid = 995 - iid + 1
					}
					if a.IID != iid {
						t.Fatalf("%d gaps: alert %d of page %d is %d, want %d", gaps, i, number, a.IID, iid)
					}
				}
				if gaps == 0 && (steps > 3 || u.units > 60) {
					t.Errorf("page %d takes %d steps and %.1f read units, want at most 3 and 60", number, steps, u.units)
				}
			}
		}
	}
}

// Where some have expired, such a page costs a step more.
func TestBudgetOfPagesByNumberAfterExpiry(t *testing.T) {
	o, u := options(t), &readUnits{}
	s, p := openWith(t, o), newProjectID()
	for range 5 {
		var some []alert.Occurrence
		for range 199 {
			some = append(some, newOccurrence())
		}
		report(t, s, p, some...)
	}
	resolved := alert.Resolved
	for iid := range int64(3) {
		a := must[alert.Alert](t)(s.Alert(t.Context(), p, 990+iid, now))
		must[alert.Alert](t)(s.ChangeAlert(t.Context(), a, alert.Change{Status: &resolved, At: now, KeptDays: 1}))
	}
	w := &dynamodbtest.Steps{Through: u}
	o.HTTPClient = w
	measured, then := dynamodb.New(o), now.AddDate(0, 0, 3)
	for number, last := range map[int]int64{2: 953, 49: 13} {
		var found page.Of[alert.Alert]
		u.units = 0
		r := page.Request{Number: number, Size: 20}
		steps, _ := w.During(func() {
			found = must[page.Of[alert.Alert]](t)(measured.Alerts(t.Context(), p, alert.Query{Descending: true}, r, then))
		})
		if len(found.Items) != 20 || found.Items[19].IID != last {
			t.Errorf("page %d has the alerts %v, want 20 until %d", number, found.Items, last)
		}
		if steps > 4 || u.units > 60 {
			t.Errorf("page %d takes %d steps and %.1f read units, want at most 4 and 60", number, steps, u.units)
		}
	}
}
