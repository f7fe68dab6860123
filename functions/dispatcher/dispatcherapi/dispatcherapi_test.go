package dispatcherapi_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse/functions/dispatcher/dispatcherapi"
	"gatehouse/shared/dispatch"
	"gatehouse/shared/outbox"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/telemetry"
)

var now = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

// failing is a store in which a lane cannot be read.
type failing struct {
	storage.Store
	lane outbox.Lane
}

func (f failing) Waiting(ctx context.Context, l outbox.Lane, n int) ([]outbox.Message, error) {
	if l == f.lane {
		return nil, errors.New("the store is down")
	}
	return f.Store.Waiting(ctx, l, n)
}

// arrange returns the handler over a store with a message in each of three lanes, of
// which one cannot be read, and what was handled.
func arrange(t *testing.T) (dispatcherapi.Handler, func() []string) {
	t.Helper()
	store := failing{sqlitetest.Open(t), "alert/5/3"}
	for _, l := range []outbox.Lane{"alert/5/1", "alert/5/2", "alert/5/3"} {
		m := outbox.Message{Lane: l, Seq: "1", Kind: "note", Data: []byte(`{}`), CreatedAt: now, DueAt: now}
		if err := store.PutMessages(t.Context(), []outbox.Message{m}); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var handled []string
	d := dispatch.New(store, dispatch.Handlers{"note": func(_ context.Context, m outbox.Message) (dispatch.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		handled = append(handled, string(m.Lane))
		return dispatch.Result{}, nil
	}}, dispatch.Source{Now: func() time.Time { return now }, Claim: func() string { return "claim" }, Jitter: func() float64 { return 0 }, After: time.After})
	return dispatcherapi.New(d, dynamodb.LaneOf), func() []string {
		slices.Sort(handled)
		return handled
	}
}

const (
	first  = `{"eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"LANE#alert/5/1"},"sk":{"S":"1"}},"SequenceNumber":"100"}}`
	again  = `{"eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"LANE#alert/5/1"},"sk":{"S":"2"}},"SequenceNumber":"101"}}`
	gone   = `{"eventName":"REMOVE","dynamodb":{"Keys":{"pk":{"S":"LANE#alert/5/2"},"sk":{"S":"1"}},"SequenceNumber":"102"}}`
	dead   = `{"eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"DEAD#5"},"sk":{"S":"1"}},"SequenceNumber":"103"}}`
	broken = `{"eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"LANE#alert/5/3"},"sk":{"S":"1"}},"SequenceNumber":"104"}}`
	second = `{"eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"LANE#alert/5/2"},"sk":{"S":"1"}},"SequenceNumber":"105"}}`
)

func TestNewMessagesOfTheStreamAreHandled(t *testing.T) {
	for name, test := range map[string]struct {
		records []string
		handled []string
		answer  string
	}{
		"a new message":              {[]string{first}, []string{"alert/5/1"}, `{"batchItemFailures":[]}`},
		"two in a lane":              {[]string{first, again}, []string{"alert/5/1"}, `{"batchItemFailures":[]}`},
		"one that ended, a dead one": {[]string{gone, dead}, nil, `{"batchItemFailures":[]}`},
		"a lane that fails": {[]string{first, broken, second}, []string{"alert/5/1", "alert/5/2"},
			`{"batchItemFailures":[{"itemIdentifier":"104"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			h, handled := arrange(t)
			got, err := h.Invoke(t.Context(), []byte(`{"Records":[`+strings.Join(test.records, ",")+`]}`))
			if err != nil || string(got) != test.answer {
				t.Errorf("Invoke = %s, %v, want %s", got, err, test.answer)
			}
			if !slices.Equal(handled(), test.handled) {
				t.Errorf("handled %v, want %v", handled(), test.handled)
			}
		})
	}
}

func TestTheScheduleSweeps(t *testing.T) {
	h, handled := arrange(t)
	_, err := h.Invoke(t.Context(), []byte(`{"source":"aws.events","detail-type":"Scheduled Event","detail":{}}`))
	if err == nil {
		t.Error("Invoke = nil, want the error of the store")
	}
	if got := handled(); !slices.Equal(got, []string{"alert/5/1", "alert/5/2"}) {
		t.Errorf("handled %v", got)
	}
}

func TestOtherEventsAreErrors(t *testing.T) {
	h, _ := arrange(t)
	for _, payload := range []string{``, `[]`, `{}`, `{"requestContext":{}}`} {
		if got, err := h.Invoke(t.Context(), []byte(payload)); err == nil {
			t.Errorf("Invoke(%s) = %s, want an error", payload, got)
		}
	}
}

// A sweep tells what it did, and one that finds nothing tells that nothing is late.
func TestSweepsAreMeasured(t *testing.T) {
	store := sqlitetest.Open(t)
	kinds := dispatch.Handlers{
		"note": func(context.Context, outbox.Message) (dispatch.Result, error) { return dispatch.Result{}, nil },
		"fail": func(context.Context, outbox.Message) (dispatch.Result, error) {
			return dispatch.Result{}, dispatch.Permanent(errors.New("gone"))
		},
	}
	d := dispatch.New(store, kinds, dispatch.Source{Now: func() time.Time { return now }, Claim: func() string { return "claim" }, Jitter: func() float64 { return 0 }, After: time.After})
	h := dispatcherapi.New(d, dynamodb.LaneOf)
	for name, test := range map[string]struct {
		kind outbox.Kind
		want []string
	}{
		"nothing": {"", []string{`"OldestDue":0`}},
		"handled": {"note", []string{`"OldestDue":90`, `"MessagesHandled":1`}},
		"buried":  {"fail", []string{`"OldestDue":90`, `"MessagesFailed":1`, `"DeadLetters":1`}},
	} {
		t.Run(name, func(t *testing.T) {
			if test.kind != "" {
				due := now.Add(-90 * time.Second)
				m := outbox.Message{Lane: "alert/5/1", Seq: "1", Kind: test.kind, Data: []byte(`{}`), CreatedAt: due, DueAt: due}
				if err := store.PutMessages(t.Context(), []outbox.Message{m}); err != nil {
					t.Fatal(err)
				}
			}
			got := told(t.Context(), t, h)
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("told %s, want %s", got, want)
				}
			}
		})
	}
}

// blind is a store that cannot say what is due.
type blind struct{ storage.Store }

func (blind) AnyMessages(context.Context) (bool, error) { return true, nil }

func (blind) DueLanes(context.Context, outbox.Group, time.Time, int) ([]outbox.Lane, error) {
	return nil, errors.New("the store is down")
}

// handled is a dispatcher of notes.
func handled(store outbox.Store) dispatcherapi.Handler {
	kinds := dispatch.Handlers{"note": func(context.Context, outbox.Message) (dispatch.Result, error) { return dispatch.Result{}, nil }}
	return dispatcherapi.New(dispatch.New(store, kinds, dispatch.Source{
		Now: func() time.Time { return now }, Claim: func() string { return "claim" }, Jitter: func() float64 { return 0 }, After: time.After,
	}), dynamodb.LaneOf)
}

// told returns the line of metrics after a sweep.
func told(ctx context.Context, t *testing.T, h dispatcherapi.Handler) string {
	t.Helper()
	var out bytes.Buffer
	m := telemetry.NewMetrics(&out, "Gatehouse/test", "dispatcher")
	telemetry.Use(m)
	t.Cleanup(func() { telemetry.Use(nil) })
	_, _ = h.Invoke(ctx, []byte(`{"source":"aws.events"}`))
	m.Tell(now)
	return out.String()
}

// The alarm rings where nothing tells how late messages are, so a sweep that could not
// look must not tell that nothing is.
func TestSweepsThatCannotLookDoNotTell(t *testing.T) {
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if got := told(t.Context(), t, handled(blind{sqlitetest.Open(t)})); strings.Contains(got, "OldestDue") {
		t.Errorf("without a store told %s", got)
	}
	if got := told(over, t, handled(sqlitetest.Open(t))); strings.Contains(got, "OldestDue") {
		t.Errorf("without time told %s", got)
	}
}

// A message behind one that was tried for hours has waited for that, and not for a dispatcher.
func TestWhatWaitsForItsLaneIsNotLate(t *testing.T) {
	store := sqlitetest.Open(t)
	for seq, late := range map[string]time.Duration{"1": 90 * time.Second, "2": 5 * time.Hour} {
		m := outbox.Message{Lane: "alert/5/1", Seq: seq, Kind: "note", Data: []byte(`{}`), CreatedAt: now.Add(-late), DueAt: now.Add(-late)}
		if err := store.PutMessages(t.Context(), []outbox.Message{m}); err != nil {
			t.Fatal(err)
		}
	}
	if got := told(t.Context(), t, handled(store)); !strings.Contains(got, `"OldestDue":90`) || !strings.Contains(got, `"MessagesHandled":2`) {
		t.Errorf("told %s, want two handled, and the first late by 90 seconds", got)
	}
}
