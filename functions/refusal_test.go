package functions_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/telemetry"
	"gatehouse/shared/throttle"
	"gatehouse/shared/user"
)

// fewCalls is a store that counts the calls of a refused sign-in. Once the test has
// arranged everything, it knows no others.
type fewCalls struct {
	storage.Store // nil from then on
	all           storage.Store
	trips         *steps // of its round trips to DynamoDB; nil elsewhere
	mu            sync.Mutex
	calls         map[string]int
	refused       int
}

func (s *fewCalls) count(call string) storage.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[call]++
	return s.all
}

func (s *fewCalls) UserByLogin(ctx context.Context, login string) (user.User, error) {
	return s.count("UserByLogin").UserByLogin(ctx, login)
}

func (s *fewCalls) CountAttempt(ctx context.Context, k throttle.Key, l throttle.Limit, now time.Time) (time.Time, error) {
	return s.count("CountAttempt").CountAttempt(ctx, k, l, now)
}

func (s *fewCalls) WriteEntry(ctx context.Context, e audit.Entry) error {
	return s.count("WriteEntry").WriteEntry(ctx, e)
}

// refusal is what a refused sign-in costs, and what the stranger gets to see.
type refusal struct {
	Hashes  int
	Calls   map[string]int
	Trips   cost
	Status  int
	Headers []string
	Body    string // without the name that was typed
}

// A refusal costs the same for every account, and looks the same: nothing tells which
// accounts exist, are blocked or have two factors.
func TestRefusedSignInsCostTheSame(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { wantSameCost(t, &fewCalls{all: sqlitetest.Open(t)}) })
	t.Run("dynamodb", func(t *testing.T) {
		needEmulator(t)
		options, trips := emulated(t), &steps{}
		options.HTTPClient = trips
		wantSameCost(t, &fewCalls{all: dynamodb.New(options), trips: trips})
	})
}

func wantSameCost(t *testing.T, store *fewCalls) {
	const wrong = "a wrong password"
	store.Store, store.calls = store.all, map[string]int{}
	a := apptest.Over(t, store)
	a.User("ada")
	a.Block(a.User("bob"))
	eve := a.User("eve")
	enrolment := a.TwoFactor.Begin(eve, "session")
	if _, _, err := a.TwoFactor.Enable(t.Context(), eve, enrolment, enrolment.Seed.Code(a.Now())); err != nil {
		t.Fatal(err)
	}
	stranger := apptest.NewBrowser(t, functions.Gateway(a.App))
	store.Store = nil
	tests := []struct {
		name, login, password string
		grantOnly             bool
	}{
		{name: "known", login: "ada", password: wrong},
		{name: "known by the address", login: "ada@example.com", password: wrong},
		{name: "blocked", login: "bob", password: wrong},
		{name: "blocked, with the right password", login: "bob", password: apptest.Password},
		{name: "with two factors", login: "eve", password: wrong},
		{name: "with two factors and the right password", login: "eve", password: apptest.Password, grantOnly: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stranger.T = t
			for _, byGrant := range []bool{true, false} {
				if test.grantOnly && !byGrant {
					continue
				}
				// A name of the same length that nobody has.
				want := store.refuse(stranger, strings.Repeat("x", len(test.login)), test.password, byGrant)
				if want.Hashes != 1 || want.Calls["CountAttempt"] != 1 || want.Calls["UserByLogin"] != 1 || want.Status/100 != 4 {
					t.Fatalf("an unknown name is refused by %+v", want)
				}
				got := store.refuse(stranger, test.login, test.password, byGrant)
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(cost{})); diff != "" {
					t.Errorf("refused by the grant: %t, differs from an unknown name (-want +got):\n%s", byGrant, diff)
				}
			}
		})
	}
}

// refuse tries to sign in, by the password grant or on the page, from another address each
// time: the first try from an address costs less than the next.
func (s *fewCalls) refuse(b *apptest.Browser, login, password string, byGrant bool) (r refusal) {
	b.T.Helper()
	s.refused++
	s.calls, b.Address = map[string]int{}, fmt.Sprintf("203.0.113.%d:4711", s.refused)
	path, form := "/users/sign_in", values("login", login, "password", password)
	if byGrant {
		path, form = "/oauth/token", values("grant_type", "password", "username", login, "password", password)
	}
	var page apptest.Page
	post := func() { page = b.Post(path, form) }
	var out bytes.Buffer
	m := telemetry.NewMetrics(&out, "Gatehouse/test", "all")
	telemetry.Use(m)
	if s.trips == nil {
		post()
	} else {
		r.Trips = s.trips.during(post)
	}
	telemetry.Use(nil)
	m.Tell(time.Now())
	r.Hashes, r.Calls, r.Status = hashes(b.T, out.Bytes()), s.calls, page.Code
	r.Headers, r.Body = slices.Sorted(maps.Keys(page.Header())), strings.ReplaceAll(page.Body.String(), login, "NAME")
	return r
}

// hashes returns of how many hashes of passwords the line with the metrics tells.
func hashes(t *testing.T, line []byte) int {
	t.Helper()
	var told struct{ PasswordTime any }
	if err := json.Unmarshal(line, &told); err != nil {
		t.Fatal(fmt.Errorf("the metrics %q: %w", line, err))
	}
	switch times := told.PasswordTime.(type) {
	case nil:
		return 0
	case []any:
		return len(times)
	default:
		return 1
	}
}
