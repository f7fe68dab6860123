package throttle_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/throttle"
)

// fixture are the rules over a real store, with a clock that the test moves.
type fixture struct {
	*throttle.Rules
	now time.Time
}

func newFixture(t *testing.T, limit throttle.Limit) *fixture {
	t.Helper()
	keys, err := secret.NewKeys(make([]byte, secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{now: start}
	f.Rules = throttle.NewRules(sqlitetest.Open(t), keys, limit, func() time.Time { return f.now })
	return f
}

func guess(kind throttle.Kind, account, address string) throttle.Guess {
	return throttle.Guess{Kind: kind, Account: account, Address: netip.MustParseAddr(address)}
}

var ada = guess(throttle.Password, "ada", "203.0.113.7")

func (f *fixture) mustBegin(t *testing.T, g throttle.Guess) throttle.Attempt {
	t.Helper()
	a, err := f.Begin(t.Context(), g)
	if err != nil {
		t.Fatalf("Begin(%v) = %v, want an attempt", g, err)
	}
	return a
}

// fail lets so many attempts fail.
func (f *fixture) fail(t *testing.T, g throttle.Guess, times int) {
	t.Helper()
	for range times {
		f.mustBegin(t, g)
	}
}

func (f *fixture) wantThrottled(t *testing.T, g throttle.Guess, want bool) {
	t.Helper()
	if _, err := f.Begin(t.Context(), g); fault.Is(err, fault.TooMany) != want || !want && err != nil {
		t.Errorf("Begin(%v) = %v, want it throttled: %t", g, err, want)
	}
}

func TestTenFailuresThrottleForTenMinutes(t *testing.T) {
	f := newFixture(t, throttle.DefaultLimit)
	f.fail(t, ada, 9)
	f.now = at(9)
	f.fail(t, ada, 1)
	f.wantThrottled(t, ada, true)
	f.now = at(18.9) // what is refused does not prolong it
	f.wantThrottled(t, ada, true)
	f.now = at(19)
	f.wantThrottled(t, ada, false)
}

func TestFailuresAreForgottenTenMinutesAfterTheFirst(t *testing.T) {
	f := newFixture(t, throttle.DefaultLimit)
	f.fail(t, ada, 9)
	f.now = at(10)
	f.fail(t, ada, 10)
	f.wantThrottled(t, ada, true)
}

func TestWhoIsThrottledElsewhere(t *testing.T) {
	tests := []struct {
		name      string
		guess     throttle.Guess
		throttled bool
	}{
		{"the same", ada, true},
		{"in capitals", guess(throttle.Password, "ADA", "203.0.113.7"), true},
		{"by the same address in IPv6", guess(throttle.Password, "ada", "::ffff:203.0.113.7"), true},
		{"from the next address", guess(throttle.Password, "ada", "203.0.113.8"), false},
		{"from nowhere", throttle.Guess{Kind: throttle.Password, Account: "ada"}, false},
		{"another account", guess(throttle.Password, "ada ", "203.0.113.7"), false},
		{"another kind", guess("code", "ada", "203.0.113.7"), false},
	}
	f := newFixture(t, throttle.DefaultLimit)
	f.fail(t, ada, 10)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { f.wantThrottled(t, test.guess, test.throttled) })
	}
}

func TestIPv6CountsByItsNetwork(t *testing.T) {
	f := newFixture(t, throttle.DefaultLimit)
	for _, address := range []string{"2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff"} {
		f.fail(t, guess(throttle.Password, "ada", address), 5)
	}
	f.wantThrottled(t, guess(throttle.Password, "ada", "2001:db8:0:1:a::b%eth0"), true)
	f.wantThrottled(t, guess(throttle.Password, "ada", "2001:db8:0:2::1"), false)
}

func TestSuccessForgetsFailures(t *testing.T) {
	f := newFixture(t, throttle.DefaultLimit)
	f.fail(t, ada, 9)
	if err := f.Succeed(t.Context(), f.mustBegin(t, ada)); err != nil {
		t.Fatal(err)
	}
	f.fail(t, ada, 10)
	f.wantThrottled(t, ada, true)
}

func TestWithdrawnAttemptsDoNotCount(t *testing.T) {
	f := newFixture(t, throttle.DefaultLimit)
	f.fail(t, ada, 9)
	for range 20 {
		if err := f.Withdraw(t.Context(), f.mustBegin(t, ada)); err != nil {
			t.Fatal(err)
		}
	}
	f.fail(t, ada, 1)
	f.wantThrottled(t, ada, true)
}

// What was let through before a success or before the counter began anew takes
// nothing off the failures since.
func TestLateWithdrawalTakesNothingOffLaterFailures(t *testing.T) {
	f := newFixture(t, throttle.DefaultLimit)
	late := f.mustBegin(t, ada)
	f.now = at(10)
	f.fail(t, ada, 10)
	if err := f.Withdraw(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	f.wantThrottled(t, ada, true)
}

func TestOfManyAttemptsAtOnceTenAreLetThrough(t *testing.T) {
	f := newFixture(t, throttle.DefaultLimit)
	var through atomic.Int32
	var callers sync.WaitGroup
	for range 100 {
		callers.Go(func() {
			if _, err := f.Begin(t.Context(), ada); err == nil {
				through.Add(1)
			}
		})
	}
	callers.Wait()
	if got := through.Load(); got != 10 {
		t.Errorf("%d of 100 attempts at once were let through, want 10", got)
	}
}

// A crowd that knows the password comes in, if not all at once.
func TestManyRightAttemptsAtOnceAreAllLetThrough(t *testing.T) {
	f := newFixture(t, throttle.Limit{Failures: 2, Window: time.Minute, Patience: 10 * time.Second})
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			a, err := f.Begin(t.Context(), ada)
			if err == nil {
				err = f.Succeed(t.Context(), a)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
}

func TestWrongAttemptsAtOnceRunOutOfPatience(t *testing.T) {
	f := newFixture(t, throttle.Limit{Failures: 2, Window: time.Minute, Patience: time.Millisecond})
	f.fail(t, ada, 2)
	f.now = start.Add(time.Millisecond)
	f.wantThrottled(t, ada, true)
}

// An attempt waits while the last one is younger than the limit's patience, and
// no longer than its caller.
func TestAttemptWaitsWhileTheLastOneIsYoung(t *testing.T) {
	limit := throttle.Limit{Failures: 1, Window: time.Minute, Patience: time.Second}
	for age, waits := range map[time.Duration]bool{
		0: true, time.Second - time.Microsecond: true, time.Second: false,
		-time.Millisecond: true, -time.Second: false, -time.Hour: false, // by a clock that was set back
	} {
		f := newFixture(t, limit)
		f.fail(t, ada, 1)
		f.now = start.Add(age)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := f.Begin(ctx, ada)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) != waits || fault.Is(err, fault.TooMany) == waits {
			t.Errorf("Begin %s after the last attempt = %v, want it to wait: %t", age, err, waits)
		}
	}
}

func TestOneFailureIsALimitToo(t *testing.T) {
	f := newFixture(t, throttle.Limit{Failures: 1, Window: time.Minute})
	f.fail(t, ada, 1)
	f.wantThrottled(t, ada, true)
}

// from returns a guess at ada's account from the n-th address, of which all
// together may fail four times an hour.
func from(n byte) throttle.Guess {
	return throttle.Guess{
		Kind: throttle.SecondFactor, Account: "ada", Address: netip.AddrFrom4([4]byte{203, 0, 113, n}),
		Total: throttle.Limit{Failures: 4, Window: time.Hour},
	}
}

func TestTotalLimitsAllAddressesTogether(t *testing.T) {
	f := newFixture(t, throttle.DefaultLimit)
	for n := range byte(4) {
		f.fail(t, from(n), 1)
	}
	f.now = at(59)
	f.wantThrottled(t, from(0), true)
	f.wantThrottled(t, from(9), true)
	other := from(9)
	other.Account = "ben"
	f.wantThrottled(t, other, false)
	other = from(9)
	other.Kind = throttle.Password
	f.wantThrottled(t, other, false)
	unlimited := from(9)
	unlimited.Total = throttle.Limit{}
	f.wantThrottled(t, unlimited, false)
	f.now = at(60)
	f.wantThrottled(t, from(9), false)
}

// The address has its own limit, with which a total needs not agree.
func TestTotalHoldsWithoutALimitOfAddresses(t *testing.T) {
	f := newFixture(t, throttle.Limit{})
	f.fail(t, from(0), 4)
	f.wantThrottled(t, from(0), true)
}

func TestLongerWaitIsTold(t *testing.T) {
	f := newFixture(t, throttle.Limit{Failures: 4, Window: time.Minute})
	f.fail(t, from(0), 4)
	_, err := f.Begin(t.Context(), from(0))
	var refused *throttle.Refused
	if !errors.As(err, &refused) || refused.Wait != time.Hour {
		t.Errorf("Begin = %v, want a wait of an hour", err)
	}
}

func TestSuccessForgetsTheTotal(t *testing.T) {
	f := newFixture(t, throttle.DefaultLimit)
	for n := range byte(3) {
		f.fail(t, from(n), 1)
	}
	if err := f.Succeed(t.Context(), f.mustBegin(t, from(3))); err != nil {
		t.Fatal(err)
	}
	f.fail(t, from(4), 4)
	f.wantThrottled(t, from(5), true)
}

func TestWithdrawnAttemptsAreNotInTheTotal(t *testing.T) {
	f := newFixture(t, throttle.DefaultLimit)
	for n := range byte(8) {
		if err := f.Withdraw(t.Context(), f.mustBegin(t, from(n))); err != nil {
			t.Fatal(err)
		}
	}
	f.fail(t, from(9), 4)
	f.wantThrottled(t, from(9), true)
}

// What one counter refuses takes nothing from the other: nobody looked at it.
func TestRefusedAttemptsCountNowhere(t *testing.T) {
	f := newFixture(t, throttle.Limit{Failures: 2, Window: time.Minute})
	f.fail(t, from(0), 2)
	for range 5 {
		f.wantThrottled(t, from(0), true)
	}
	f.fail(t, from(1), 2)
	for range 5 {
		f.wantThrottled(t, from(2), true)
	}
	f.now = at(0.5)
	onlyThere := from(2)
	onlyThere.Total = throttle.Limit{}
	f.fail(t, onlyThere, 2)
	f.wantThrottled(t, onlyThere, true)
}

func TestOfManyAddressesAtOnceTheTotalIsLetThrough(t *testing.T) {
	f := newFixture(t, throttle.DefaultLimit)
	var through atomic.Int32
	var callers sync.WaitGroup
	for n := range byte(60) {
		callers.Go(func() {
			if _, err := f.Begin(t.Context(), from(n)); err == nil {
				through.Add(1)
			}
		})
	}
	callers.Wait()
	if got := through.Load(); got != 4 {
		t.Errorf("%d of 60 attempts at once were let through, want 4", got)
	}
}

func TestDeedsOfAnAccountHaveALimit(t *testing.T) {
	f := newFixture(t, throttle.Limit{}) // is another one
	limit := throttle.Limit{Failures: 2, Window: time.Hour}
	count := func(account string, want bool) (deed throttle.Attempt) {
		t.Helper()
		deed, err := f.Count(t.Context(), throttle.Deed{Kind: throttle.Invitation, Account: account, Limit: limit})
		if fault.Is(err, fault.TooMany) == want || want && err != nil {
			t.Errorf("Count of %s = %v, want it counted: %t", account, err, want)
		}
		return deed
	}
	count("7", true)
	deed := count("7", true)
	count("7", false)
	count("8", true)
	if err := f.Withdraw(t.Context(), deed); err != nil {
		t.Fatal(err)
	}
	count("7", true)
	count("7", false)
	f.now = at(60)
	count("7", true)
}

func TestDeedsOfTwoAccountsCountInBothOrInNone(t *testing.T) {
	f := newFixture(t, throttle.Limit{})
	limit := throttle.Limit{Failures: 2, Window: time.Hour}
	count := func(by, of string, want bool) {
		t.Helper()
		_, err := f.Count(t.Context(),
			throttle.Deed{Kind: throttle.Invitation, Account: by, Limit: limit}, throttle.Deed{Kind: throttle.Invited, Account: of, Limit: limit})
		if fault.Is(err, fault.TooMany) == want || want && err != nil {
			t.Errorf("Count by %s of %s = %v, want it counted: %t", by, of, err, want)
		}
	}
	count("1", "7", true)
	count("2", "7", true)
	count("3", "7", false)
	count("3", "7", false)
	count("3", "8", true)
	count("3", "9", true)
	count("3", "9", false)
	count("4", "9", true)
}

func TestNoLimitThrottlesNobody(t *testing.T) {
	f := newFixture(t, throttle.Limit{Window: time.Minute})
	f.fail(t, ada, 20)
	a := f.mustBegin(t, ada)
	if err := f.Succeed(t.Context(), a); err != nil {
		t.Error(err)
	}
	if err := f.Withdraw(t.Context(), a); err != nil {
		t.Error(err)
	}
}

func TestThrottlingIsLoggedWithoutTheAccount(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })

	f := newFixture(t, throttle.DefaultLimit)
	mistyped := guess(throttle.Password, "opensesame", "2001:db8::7")
	f.fail(t, mistyped, 10)
	if log.Len() > 0 {
		t.Errorf("what is let through logs %q", log.String())
	}
	f.wantThrottled(t, mistyped, true)
	line := log.String()
	if !strings.Contains(line, `level=WARN msg="attempt throttled" kind=password network=2001:db8::/64 wait=10m0s`) {
		t.Errorf("throttling logs %q", line)
	}
	if strings.Contains(line, "opensesame") {
		t.Errorf("the log holds what was typed as the name: %q", line)
	}
}
