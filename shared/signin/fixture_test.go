package signin_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
	"gatehouse/shared/session"
	"gatehouse/shared/signin"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/throttle"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// fixture is an App whose store and log the test controls. Its people are ada,
// who has a password, ben, who has a second factor too, and cleo, who is
// blocked.
type fixture struct {
	*apptest.App
	t              *testing.T
	store          *store
	log            *auditLog
	ada, ben, cleo user.User
	seed           twofactor.Seed // ben's
	codes          []secret.Text  // ben's recovery codes
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, store: &store{Store: sqlitetest.Open(t), before: map[string]func() error{}}, log: &auditLog{}}
	f.App = apptest.Over(t, f.store)
	f.ada, f.cleo = f.User("ada"), f.User("cleo")
	f.Block(f.cleo)
	f.ben, f.seed, f.codes = f.enrol(f.User("ben"))
	f.Pass(10 * time.Minute)
	previous := slog.Default()
	slog.SetDefault(slog.New(f.log))
	t.Cleanup(func() { slog.SetDefault(previous) })
	return f
}

func (f *fixture) enrol(u user.User) (user.User, twofactor.Seed, []secret.Text) {
	f.t.Helper()
	e := f.TwoFactor.Begin(u, "session")
	u, codes, err := f.TwoFactor.Enable(f.t.Context(), u, e, e.Seed.Code(f.Now()))
	if err != nil {
		f.t.Fatal(err)
	}
	return u, e.Seed, codes
}

// update changes a user.
func (f *fixture) update(u user.User, c user.Change) {
	f.t.Helper()
	if _, err := f.Users.Update(context.WithoutCancel(f.t.Context()), audit.Setup, u.ID, c); err != nil {
		f.t.Error(err)
	}
}

const home, elsewhere = "203.0.113.7", "203.0.113.8"

// origin is a browser at this address.
func origin(address string) signin.Origin {
	return signin.Origin{Address: netip.MustParseAddr(address), Browser: audit.Browser{UserAgent: "curl/8", Address: address}}
}

// password tries a password from home.
func (f *fixture) password(login, password string) (signin.Result, error) {
	return f.passwordFrom(origin(home), login, password)
}

func (f *fixture) passwordFrom(from signin.Origin, login, password string) (signin.Result, error) {
	return f.SignIn.Password(f.t.Context(), signin.PasswordAttempt{Login: login, Password: secret.NewText(password), Origin: from})
}

// code tries a second factor from home.
func (f *fixture) code(pending, code string) (signin.Result, error) {
	return f.codeFrom(origin(home), pending, code)
}

func (f *fixture) codeFrom(from signin.Origin, pending, code string) (signin.Result, error) {
	return f.SignIn.SecondFactor(f.t.Context(), signin.CodeAttempt{Pending: pending, Code: code, Origin: from})
}

// pend gives ben's password, a second after everything before, and returns the
// cookie of the pending sign-in.
func (f *fixture) pend() string {
	f.t.Helper()
	f.Pass(time.Second)
	result, err := f.password("ben", apptest.Password)
	f.want(signin.NeedsSecondFactor)(result, err)
	return result.Cookie.Reveal()
}

// wrong returns a code that the app does not show.
func (f *fixture) wrong() string {
	for _, code := range []string{"000000", "000001", "000002", "000003"} {
		if !slices.ContainsFunc([]time.Duration{-30 * time.Second, 0, 30 * time.Second}, func(off time.Duration) bool {
			return f.seed.Code(f.Now().Add(off)) == code
		}) {
			return code
		}
	}
	panic("not reached: the app shows three codes")
}

// want returns a check of a result: its outcome, and that it says what belongs
// to that outcome and no more.
func (f *fixture) want(outcome signin.Outcome) func(signin.Result, error) {
	return func(got signin.Result, err error) {
		f.t.Helper()
		cookie := outcome == signin.SignedIn || outcome == signin.NeedsSecondFactor
		if err != nil || got.Outcome != outcome || got.Cookie.Empty() == cookie || (got.Wait > 0) != (outcome == signin.Throttled) {
			f.t.Errorf("the step ended with %q (cookie %t, wait %s), %v, want %q", got.Outcome, !got.Cookie.Empty(), got.Wait, err, outcome)
		}
	}
}

// wantError checks that the step ended with nothing but this error.
func (f *fixture) wantError(want error) func(signin.Result, error) {
	return func(_ signin.Result, err error) {
		f.t.Helper()
		if !errors.Is(err, want) {
			f.t.Errorf("the step ended with %v, want %v", err, want)
		}
	}
}

// wantTrail checks what the audit trail took down since the last check, and
// that the store has each event that belongs there.
func (f *fixture) wantTrail(want ...string) {
	f.t.Helper()
	got, stored := f.log.take()
	if diff := cmp.Diff(want, got); diff != "" {
		f.t.Errorf("the audit trail (-want +got):\n%s", diff)
	}
	for _, id := range stored {
		if page, err := f.store.Store.Entries(f.t.Context(), audit.Filter{
			Everybody: true, From: f.Now().Add(-time.Hour), Until: f.Now().Add(time.Hour), Size: 100,
		}); err != nil || !slices.ContainsFunc(page.Entries, func(e audit.Entry) bool { return e.ID == id }) {
			f.t.Errorf("the entry %s is not stored (%v)", id, err)
		}
	}
}

// wantSessions checks how many sessions the user has.
func (f *fixture) wantSessions(u user.User, want int) []session.Session {
	f.t.Helper()
	got := f.sessionsOf(u)
	if len(got) != want {
		f.t.Fatalf("%s has %d sessions, want %d", u.Username, len(got), want)
	}
	return got
}

// sessionsOf returns the user's sessions.
func (f *fixture) sessionsOf(u user.User) []session.Session {
	f.t.Helper()
	all := func(session.Session) bool { return true }
	found, err := f.store.Store.Sessions(f.t.Context(), u.ID, all, page.First)
	if err != nil {
		f.t.Fatal(err)
	}
	return found.Items
}

// event is an event as auditLog writes it.
func event(name audit.Name, outcome audit.Outcome, actor, of user.User, details ...string) string {
	return fmt.Sprint(name, " ", outcome, " by ", actor.ID, " of ", of.ID, " ", details)
}

var nobody user.User

// auditLog is a log that keeps the audit lines and drops the others.
type auditLog struct {
	mu     sync.Mutex
	events []string
	stored []string // the IDs of the entries that belong in the store
}

func (l *auditLog) Enabled(context.Context, slog.Level) bool { return true }
func (l *auditLog) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *auditLog) WithGroup(string) slog.Handler            { return l }

func (l *auditLog) Handle(_ context.Context, record slog.Record) error {
	if record.Message != "audit" {
		return nil
	}
	values, details := map[string]slog.Value{}, []string{}
	record.Attrs(func(a slog.Attr) bool {
		values[a.Key] = a.Value
		return true
	})
	if d := values["details"]; d.Kind() == slog.KindGroup {
		for _, a := range d.Group() {
			details = append(details, a.Key+"="+a.Value.String())
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	name := audit.Name(values["event"].String())
	l.events = append(l.events, event(name, audit.Outcome(values["outcome"].String()),
		user.User{ID: values["actor_id"].Int64()}, user.User{ID: values["user_id"].Int64()}, details...))
	if kind, _ := name.Kind(); kind.Stored() {
		l.stored = append(l.stored, values["entry_id"].String())
	}
	return nil
}

func (l *auditLog) take() (events, stored []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	events, stored, l.events, l.stored = l.events, l.stored, nil, nil
	return events, stored
}

// store is a store that calls back before some of its methods: by name, and
// with an error the method does nothing else.
type store struct {
	storage.Store
	mu     sync.Mutex
	before map[string]func() error
	calls  []string
}

func (s *store) call(name string) error {
	s.mu.Lock()
	s.calls = append(s.calls, name)
	before := s.before[name]
	s.mu.Unlock()
	if before != nil {
		return before()
	}
	return nil
}

// count returns how often the method was called.
func (s *store) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Count(strings.Join(s.calls, " ")+" ", name+" ")
}

func (s *store) User(ctx context.Context, id int64) (user.User, error) {
	if err := s.call("User"); err != nil {
		return user.User{}, err
	}
	return s.Store.User(ctx, id)
}

func (s *store) UserByLogin(ctx context.Context, login string) (user.User, error) {
	if err := s.call("UserByLogin"); err != nil {
		return user.User{}, err
	}
	return s.Store.UserByLogin(ctx, login)
}

func (s *store) CountAttempt(ctx context.Context, k throttle.Key, l throttle.Limit, now time.Time) (time.Time, error) {
	if err := s.call("CountAttempt"); err != nil {
		return time.Time{}, err
	}
	return s.Store.CountAttempt(ctx, k, l, now)
}

func (s *store) ForgetAttempts(ctx context.Context, k throttle.Key) error {
	if err := s.call("ForgetAttempts"); err != nil {
		return err
	}
	return s.Store.ForgetAttempts(ctx, k)
}

func (s *store) WithdrawAttempt(ctx context.Context, k throttle.Key, since time.Time) error {
	if err := s.call("WithdrawAttempt"); err != nil {
		return err
	}
	return s.Store.WithdrawAttempt(ctx, k, since)
}

func (s *store) Session(ctx context.Context, userID int64, id string) (session.Session, error) {
	if err := s.call("Session"); err != nil {
		return session.Session{}, err
	}
	return s.Store.Session(ctx, userID, id)
}

func (s *store) CreateSession(ctx context.Context, started session.Session) error {
	if err := s.call("CreateSession"); err != nil {
		return err
	}
	return s.Store.CreateSession(ctx, started)
}

func (s *store) EndSession(ctx context.Context, userID int64, id string) error {
	if err := s.call("EndSession"); err != nil {
		return err
	}
	return s.Store.EndSession(ctx, userID, id)
}

func (s *store) SecondFactor(ctx context.Context, userID int64) (twofactor.Factor, error) {
	if err := s.call("SecondFactor"); err != nil {
		return twofactor.Factor{}, err
	}
	return s.Store.SecondFactor(ctx, userID)
}

func (s *store) ReplaceSecondFactor(ctx context.Context, was twofactor.Mark, next twofactor.Factor) error {
	if err := s.call("ReplaceSecondFactor"); err != nil {
		return err
	}
	return s.Store.ReplaceSecondFactor(ctx, was, next)
}
