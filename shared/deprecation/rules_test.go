package deprecation_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/page"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// recordingStore remembers what is counted and asked for, and counts nothing.
type recordingStore struct {
	mu      sync.Mutex
	counted []string
	by      deprecation.Caller
	filter  deprecation.Filter
}

func (s *recordingStore) AddDeprecatedUse(ctx context.Context, entry string, by deprecation.Caller, _ time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counted, s.by = append(s.counted, entry), by
	return errors.Join(ctx.Err(), errors.New("the disk is full"))
}

func (s *recordingStore) DeprecatedUses(_ context.Context, f deprecation.Filter, _ page.Request) (page.Of[deprecation.Use], error) {
	s.filter = f
	return page.Of[deprecation.Use]{}, nil
}

// Each entry is counted once, whether it was found before the caller was known or
// after, and a request that ends early changes nothing about it.
func TestUsesAreCountedOnceTheCallerIsKnown(t *testing.T) {
	s := &recordingStore{}
	rules := deprecation.NewRules(s, func() time.Time { return noon })
	var uses deprecation.Uses
	ctx, cancel := context.WithCancel(deprecation.WithUses(t.Context(), &uses))
	uses.Add("geo-nodes")
	uses.Add("geo-nodes")
	if uses.Wait(); len(s.counted) > 0 {
		t.Errorf("counted %v before the caller was known", s.counted)
	}
	by := deprecation.Caller{TokenID: 5, UserID: 1}
	rules.Count(ctx, by)
	cancel()
	uses.Add("merged-by")
	uses.Add("geo-nodes")
	uses.Wait()
	slices.Sort(s.counted)
	if want := []string{"geo-nodes", "merged-by"}; !slices.Equal(s.counted, want) || s.by != by {
		t.Errorf("counted %v by %v, want %v by %v", s.counted, s.by, want, by)
	}
	rules.Count(t.Context(), by) // of a call that is not in the table
}

func TestUsesAreListedForAsLongAsTheyAreKept(t *testing.T) {
	s := &recordingStore{}
	rules := deprecation.NewRules(s, func() time.Time { return noon })
	day := func(ago int) time.Time { return time.Date(2026, 11, 22-ago, 0, 0, 0, 0, time.UTC) }
	for _, test := range []struct{ from, to, wantFrom, wantTo time.Time }{
		{time.Time{}, time.Time{}, day(90), day(0)},
		{day(91), day(-1), day(90), day(0)},
		{day(90), day(90), day(90), day(90)},
		{day(5), day(2), day(5), day(2)},
	} {
		if _, err := rules.Uses(t.Context(), deprecation.Filter{From: test.from, To: test.to}, page.First); err != nil {
			t.Fatal(err)
		}
		if !s.filter.From.Equal(test.wantFrom) || !s.filter.To.Equal(test.wantTo) {
			t.Errorf("from %v to %v lists from %v to %v, want %v to %v", test.from, test.to, s.filter.From, s.filter.To, test.wantFrom, test.wantTo)
		}
	}
}

func TestPositionsTellDayEntryAndCaller(t *testing.T) {
	callers := []deprecation.Caller{{Client: 1}, {TokenID: 1}, {UserID: 1}, {Client: 2, UserID: 1}, {TokenID: 2, UserID: 1}, {UserID: 2}}
	known := map[page.Position]bool{}
	for _, by := range callers {
		for rank, id := range deprecation.IDs {
			for _, day := range []time.Time{deprecation.DayOf(noon), deprecation.DayOf(noon).AddDate(0, 0, -1), time.Unix(0, 0).UTC()} {
				at := deprecation.Use{Entry: id, Day: day, Caller: by}.Position()
				want := deprecation.Bound{Day: day, Rank: rank, Number: by.Number()}
				if got := deprecation.BoundOf(at); got != want || known[at] || !at.Some() {
					t.Errorf("%v is the position of %+v, want %+v, and of nothing else", at, got, want)
				}
				known[at] = true
			}
		}
	}
}

// A cursor is what a client sends.
func TestBoundsOfAnyPosition(t *testing.T) {
	for _, at := range []page.Position{{}, {Value: -1, ID: -1}, {Value: 1<<63 - 1, ID: 1<<63 - 1}, {Value: -1 << 63, ID: 1}, {Value: 1023, ID: 1}} {
		if b := deprecation.BoundOf(at); b.Rank < 0 || b.Rank >= len(deprecation.IDs) {
			t.Errorf("BoundOf(%v) = %+v, which is no entry", at, b)
		}
	}
}
