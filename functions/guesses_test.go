package functions_test

import (
	"fmt"
	"maps"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/functions"
	"gatehouse/shared/apptest"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/twofactor"
)

// Of 600 wrong codes, ten from each of sixty addresses, a hundred are looked at.
func TestGuessesOfASecondFactorHaveALimit(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { guessCodes(t, apptest.New(t)) })
	t.Run("dynamodb", func(t *testing.T) {
		needEmulator(t)
		guessCodes(t, apptest.Over(t, dynamodb.New(emulated(t))))
	})
}

// secondStep is the page that takes the second factor of ada.
type secondStep struct {
	*apptest.App
	gateway http.Handler
	seed    twofactor.Seed
	used    string // a code of the app that was used
}

func guessCodes(t *testing.T, a *apptest.App) {
	ada := a.User("ada")
	enrolment := a.TwoFactor.Begin(ada, "session")
	s := &secondStep{App: a, gateway: functions.Gateway(a.App), seed: enrolment.Seed, used: enrolment.Seed.Code(a.Now())}
	_, recovery, err := a.TwoFactor.Enable(t.Context(), ada, enrolment, s.used)
	if err != nil {
		t.Fatal(err)
	}
	a.Pass(time.Hour)
	stranger := s.password(t, "198.51.100.1")
	looked, throttled := s.guessFrom60(t, stranger.Cookies)
	if looked != 100 || throttled != 500 {
		t.Errorf("of 600 codes %d were looked at and %d were not, want 100 and 500", looked, throttled)
	}

	// Nothing that a stranger can do has more codes looked at.
	s.want(stranger, s.seed.Code(a.Now()), http.StatusTooManyRequests)
	stranger = s.password(t, "198.51.100.2")
	s.want(stranger, "aaaa-aaaa-aaaa-aaaa", http.StatusUnprocessableEntity)
	s.want(stranger, s.seed.Code(a.Now()), http.StatusTooManyRequests)

	// The user has recovery codes meanwhile, and the app again after a day.
	own := s.password(t, "192.0.2.7")
	s.want(own, s.seed.Code(a.Now()), http.StatusTooManyRequests)
	s.want(own, recovery[0].Reveal(), http.StatusSeeOther)
	own.Get("/user_settings/sessions").Want(http.StatusOK)
	a.Pass(24 * time.Hour)
	own = s.password(t, "192.0.2.7")
	s.want(own, s.seed.Code(a.Now()), http.StatusSeeOther)
}

// password returns a browser at the address that has given the password.
func (s *secondStep) password(t *testing.T, address string) *apptest.Browser {
	t.Helper()
	b := apptest.NewBrowser(t, s.gateway)
	b.Address = address + ":4711"
	b.Post("/users/sign_in", values("login", "ada", "password", apptest.Password)).Want(http.StatusSeeOther)
	return b
}

// want sends a code and checks the status.
func (s *secondStep) want(b *apptest.Browser, code string, status int) {
	b.T.Helper()
	b.Post("/users/two_factor", values("code", code)).Want(status)
}

// guessFrom60 sends ten wrong codes from each of sixty addresses, eight of which are at work
// at a time, in the sign-in with these cookies. It returns how many were looked at.
func (s *secondStep) guessFrom60(t *testing.T, cookies map[string]string) (looked, throttled int32) {
	var refused, waits atomic.Int32
	var addresses errgroup.Group
	addresses.SetLimit(8)
	for n := range 60 {
		b := apptest.NewBrowser(t, s.gateway)
		b.Address, b.Cookies = fmt.Sprintf("203.0.113.%d:4711", n), maps.Clone(cookies)
		addresses.Go(func() error {
			for range 10 {
				switch page := b.Post("/users/two_factor", values("code", s.used)); page.Code {
				case http.StatusUnprocessableEntity:
					refused.Add(1)
				case http.StatusTooManyRequests:
					waits.Add(1)
				default:
					return fmt.Errorf("the status %d %s", page.Code, page.Text())
				}
			}
			return nil
		})
	}
	if err := addresses.Wait(); err != nil {
		t.Error(err)
	}
	return refused.Load(), waits.Load()
}
