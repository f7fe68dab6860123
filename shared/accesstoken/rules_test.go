package accesstoken_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
)

// day returns the start of the day that many days from now.
func day(a *apptest.App, days int) time.Time {
	return a.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, days)
}

func TestCreateChecksTheRequest(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	tests := []struct {
		name    string
		change  func(*accesstoken.Request)
		field   string
		problem string
	}{
		{"as it is", func(*accesstoken.Request) {}, "", ""},
		{"no last day", func(r *accesstoken.Request) { r.ExpiresAt = time.Time{} }, "", ""},
		{"tomorrow", func(r *accesstoken.Request) { r.ExpiresAt = day(a, 1) }, "", ""},
		{"in a year", func(r *accesstoken.Request) { r.ExpiresAt = day(a, 365) }, "", ""},
		{"sudo of an administrator", func(r *accesstoken.Request) { r.Admin, r.Scopes = true, scope.Of("sudo") }, "", ""},
		{"long name", func(r *accesstoken.Request) { r.Name = strings.Repeat("ü", 255) }, "", ""},
		{"too long name", func(r *accesstoken.Request) { r.Name = strings.Repeat("ü", 256) }, "name", "is too long (maximum is 255 characters)"},
		{"blank name", func(r *accesstoken.Request) { r.Name = " " }, "name", "can't be blank"},
		{"today", func(r *accesstoken.Request) { r.ExpiresAt = day(a, 0) }, "expires_at", "must be in the future"},
		{"in more than a year", func(r *accesstoken.Request) { r.ExpiresAt = day(a, 366) }, "expires_at", "must be within 365 days"},
		{"no scope", func(r *accesstoken.Request) { r.Scopes = nil }, "scopes", "can't be blank"},
		{"a client's scope", func(r *accesstoken.Request) { r.Scopes = scope.Of("api", "openid") }, "scopes", "can only contain available scopes"},
		{"sudo", func(r *accesstoken.Request) { r.Scopes = scope.Of("sudo") }, "scopes", "sudo is for administrators only"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			req := accesstoken.Request{UserID: ada.ID, Name: "deploy", Scopes: scope.Of("api"), ExpiresAt: day(a, 30)}
			test.change(&req)
			_, text, err := a.Tokens.Create(t.Context(), audit.Setup, req)
			var fields fault.Fields
			errors.As(err, &fields)
			var want fault.Fields
			if test.field != "" {
				want = fault.Fields{test.field: {test.problem}}
			}
			if diff := cmp.Diff(want, fields); diff != "" || (err == nil) != strings.HasPrefix(text.Reveal(), accesstoken.Prefix) {
				t.Errorf("Create() = %v, complaints differ (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestLastDayIsTheStartOfADay(t *testing.T) {
	want := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, hour := range []int{0, 12, 23} {
		now := time.Date(2026, 1, 1, hour, 59, 59, 0, time.UTC)
		if got := accesstoken.LastDay(now); !got.Equal(want) {
			t.Errorf("LastDay(%v) = %v, want %v", now, got, want)
		}
	}
}

func TestTokenLastsToTheStartOfItsDay(t *testing.T) {
	end := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		token  accesstoken.Token
		now    time.Time
		active bool
	}{
		{accesstoken.Token{}, end, true},
		{accesstoken.Token{ExpiresAt: end}, end.Add(-time.Nanosecond), true},
		{accesstoken.Token{ExpiresAt: end}, end, false},
		{accesstoken.Token{ExpiresAt: end, RevokedAt: end.Add(-time.Hour)}, end.Add(-time.Minute), false},
		{accesstoken.Token{RevokedAt: end}, end, false},
	}
	for _, test := range tests {
		if got := test.token.Active(test.now); got != test.active {
			t.Errorf("%+v.Active(%v) = %v, want %v", test.token, test.now, got, test.active)
		}
	}
}

func TestAdopt(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	tests := map[string]bool{
		"chosen-by-the-admin!":     true,
		strings.Repeat("x", 20):    true,
		strings.Repeat("x", 255):   true,
		strings.Repeat("~", 20):    true,
		strings.Repeat("x", 19):    false,
		strings.Repeat("x", 256):   false,
		"has a space inside it..":  true,
		" has a space in front..":  false,
		"has a space at the end ":  false,
		"has-a-newline-inside\n.":  false,
		"has-a-delete-inside-\x7f": false,
		"has-an-ümlaut-inside-it":  false,
	}
	for value, want := range tests {
		token, err := a.Tokens.Adopt(t.Context(), ada.ID, "given", scope.Of("api"), secret.NewText(value))
		if (err == nil) != want || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("Adopt(%.30q) = %v, want success %v", value, err, want)
		}
		if err == nil && !token.Active(a.Now().AddDate(10, 0, 0)) {
			t.Errorf("Adopt(%.30q) made a token that ends", value)
		}
	}
}

func TestRotate(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	old, oldText := a.AddToken(ada, "read_user", "api")
	next, text, err := a.Tokens.Rotate(t.Context(), audit.Setup, old, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if next.Name != old.Name || !next.Scopes.Equal(old.Scopes) || next.UserID != ada.ID || !next.ExpiresAt.Equal(day(a, 7)) {
		t.Errorf("Rotate() = %+v, want the likes of %+v for a week", next, old)
	}
	stored, err := a.Tokens.AccessTokenByDigest(t.Context(), secret.NewText(oldText).Digest())
	if err != nil || !stored.Revoked() {
		t.Errorf("the old token is %+v, %v, want revoked", stored, err)
	}
	if stored, err = a.Tokens.AccessTokenByDigest(t.Context(), text.Digest()); err != nil || !stored.Active(a.Now()) {
		t.Errorf("the new token is %+v, %v, want active", stored, err)
	}
	if _, _, err := a.Tokens.Rotate(t.Context(), audit.Setup, old, time.Time{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("rotating once more = %v, want a conflict", err)
	}
	if _, _, err := a.Tokens.Rotate(t.Context(), audit.Setup, next, day(a, 0)); !fault.Is(err, fault.Invalid) {
		t.Errorf("rotating into the past = %v, want invalid", err)
	}
}

func TestRevoke(t *testing.T) {
	a := apptest.New(t)
	token, _ := a.AddToken(a.User("ada"))
	for range 2 {
		if err := a.Tokens.Revoke(t.Context(), audit.Setup, token); err != nil {
			t.Fatal(err)
		}
	}
	if stored, err := a.Tokens.AccessToken(t.Context(), token.ID); err != nil || !stored.Revoked() {
		t.Errorf("the token is %+v, %v, want revoked", stored, err)
	}
}

func TestTouchIsExactToAMinute(t *testing.T) {
	a := apptest.New(t)
	token, _ := a.AddToken(a.User("ada"))
	start := a.Now()
	for _, test := range []struct{ pass, want time.Duration }{
		{0, 0}, {accesstoken.TouchEvery - time.Second, 0}, {time.Second, accesstoken.TouchEvery},
	} {
		a.Pass(test.pass)
		if err := a.Tokens.Touch(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		var err error
		if token, err = a.Tokens.AccessToken(t.Context(), token.ID); err != nil || !token.LastUsedAt.Equal(start.Add(test.want)) {
			t.Errorf("at %v the last use is %v, %v, want at %v", a.Now().Sub(start), token.LastUsedAt.Sub(start), err, test.want)
		}
	}
}

// full is a store in which every user has the most tokens.
type full struct{ accesstoken.Store }

func (full) CreateAccessTokenWithin(_ context.Context, most int, _ accesstoken.Token) (accesstoken.Token, error) {
	if most != accesstoken.MaxActive {
		return accesstoken.Token{}, errors.New("another limit")
	}
	return accesstoken.Token{}, accesstoken.ErrTooMany
}

func TestOnlyAdministratorsHaveAnyNumberOfTokens(t *testing.T) {
	a := apptest.New(t)
	rules := accesstoken.NewRules(full{a.Store}, audit.NewTrail(a.Store, a.Now), a.Now)
	for _, admin := range []bool{false, true} {
		u := a.User(fmt.Sprintf("user-%t", admin))
		req := accesstoken.Request{UserID: u.ID, Admin: admin, Name: "ci", Scopes: scope.Of(scope.API)}
		_, _, err := rules.Create(t.Context(), audit.ByUser(u.ID), req)
		if fault.Is(err, fault.Conflict) == admin || (err == nil) != admin {
			t.Errorf("administrator %t: Create = %v, want it to be a conflict for others", admin, err)
		}
	}
}
