package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/host"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
	"gatehouse/shared/webhook"
)

const address = "https://chat.example/hooks/secret-path?token=hidden"

// setup is a project with a webhook.
type setup struct {
	*apptest.App
	p   project.Project
	by  audit.Actor
	s   webhook.Stored
	own secret.Text
}

func arrange(t testing.TB) *setup {
	t.Helper()
	a := apptest.New(t)
	ada := a.User("ada")
	x := &setup{App: a, p: a.Project("web", a.Namespace(ada), project.Private), by: audit.ByUser(ada.ID)}
	var err error
	if x.s, x.own, err = a.Webhooks.Create(t.Context(), x.by, x.p, address, true); err != nil {
		t.Fatal(err)
	}
	return x
}

// message is one that the webhook gets.
func (x *setup) message() webhook.Message {
	return webhook.Message{
		ID: "alert/5/17#0000000000000000001-0000", Type: "alert.opened", At: x.Now(), Text: "Disk <full>", Data: map[string]any{"iid": 17},
	}
}

func (x *setup) deliver(t *testing.T) error {
	t.Helper()
	return x.Webhooks.Deliver(t.Context(), x.p, x.s.ID, x.message())
}

// answer has the receiver answer so from now on.
func (x *setup) answer(status int, retryAfter string) {
	x.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) {
		return webhook.Answer{Status: status, RetryAfter: retryAfter}, nil
	}
}

// fail has the receiver be out of reach from now on.
func (x *setup) fail(err error) {
	x.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) { return webhook.Answer{}, err }
}

// now returns the webhook as it is stored.
func (x *setup) now(t *testing.T) webhook.Stored {
	t.Helper()
	s, err := x.Webhooks.Find(t.Context(), x.p, x.s.ID)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wantSigned checks the last request with the library of Standard Webhooks.
func (x *setup) wantSigned(t *testing.T, with secret.Text, want bool) {
	t.Helper()
	got := x.Receiver.Got()[len(x.Receiver.Got())-1]
	checker, err := standardwebhooks.NewWebhook(with.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{}
	for name, value := range got.Header {
		header.Set(name, value)
	}
	if err := checker.VerifyIgnoringTimestamp(got.Body, header); (err == nil) != want {
		t.Errorf("the signature %s is valid: %v, want %t", header.Get("webhook-signature"), err, want)
	}
}

func TestMessageIsSigned(t *testing.T) {
	x := arrange(t)
	if err := x.deliver(t); err != nil {
		t.Fatal(err)
	}
	x.wantSigned(t, x.own, true)
	got := x.Receiver.Got()[0]
	want := `{"type":"alert.opened","timestamp":"` + x.Now().Format("2006-01-02T15:04:05.000Z") + `","text":"Disk <full>","data":{"iid":17}}`
	if string(got.Body) != want || got.URL != address {
		t.Errorf("%s got %s, want %s", got.URL, got.Body, want)
	}
	delete(got.Header, "webhook-signature")
	header := map[string]string{
		"Content-Type": "application/json", "User-Agent": "Gatehouse", "webhook-id": x.message().ID, "webhook-timestamp": fmt.Sprint(x.Now().Unix()),
	}
	if diff := cmp.Diff(header, got.Header); diff != "" {
		t.Errorf("headers differ (-want +got):\n%s", diff)
	}
}

// The library that checks looks at the timestamp too.
func TestTimestampIsThatOfTheAttempt(t *testing.T) {
	x := arrange(t)
	m := x.message()
	x.Pass(time.Hour)
	if err := x.Webhooks.Deliver(t.Context(), x.p, x.s.ID, m); err != nil {
		t.Fatal(err)
	}
	if got := x.Receiver.Got()[0].Header["webhook-timestamp"]; got != fmt.Sprint(x.Now().Unix()) {
		t.Errorf("the timestamp is %s, want that of the attempt", got)
	}
}

func TestFormerSecretSignsForADay(t *testing.T) {
	x := arrange(t)
	s, second, err := x.Webhooks.RotateSecret(t.Context(), x.by, x.p, x.s)
	if err != nil {
		t.Fatal(err)
	}
	send := func(first, former, latest bool, newest secret.Text, signatures int) {
		t.Helper()
		if err := x.deliver(t); err != nil {
			t.Fatal(err)
		}
		x.wantSigned(t, x.own, first)
		x.wantSigned(t, second, former)
		x.wantSigned(t, newest, latest)
		got := x.Receiver.Got()[len(x.Receiver.Got())-1].Header["webhook-signature"]
		if len(strings.Fields(got)) != signatures {
			t.Errorf("the header has the signatures %s, want %d", got, signatures)
		}
	}
	x.Pass(24*time.Hour - time.Second)
	send(true, true, true, second, 2)
	x.Pass(time.Second)
	send(false, true, true, second, 1)

	_, third, err := x.Webhooks.RotateSecret(t.Context(), x.by, x.p, s)
	if err != nil {
		t.Fatal(err)
	}
	send(false, true, true, third, 2)
	if _, third, err = x.Webhooks.RotateSecret(t.Context(), x.by, x.p, x.now(t)); err != nil {
		t.Fatal(err)
	}
	send(false, false, true, third, 2) // twice within a day
}

func TestOutcomeOfADelivery(t *testing.T) {
	tests := map[string]struct {
		status     int
		retryAfter string
		wait       time.Duration
		want       string
	}{
		"200": {200, "", 0, ""}, "204": {204, "30", 0, ""}, "299": {299, "", 0, ""},
		"a redirect":       {302, "", 0, "the receiver answered 302, a redirect, and redirects are not followed"},
		"an error":         {500, "", 0, "the receiver answered 500"},
		"not found":        {404, "", 0, "the receiver answered 404"},
		"switching":        {101, "", 0, "the receiver answered 101"},
		"seconds":          {429, "30", 30 * time.Second, "the receiver answered 429"},
		"too many seconds": {503, "86400", time.Hour, "the receiver answered 503"},
		"far too many":     {503, "99999999999999999999", time.Hour, "the receiver answered 503"},
		"very many":        {503, "18446744073709551615", time.Hour, "the receiver answered 503"},
		"negative":         {503, "-5", 0, "the receiver answered 503"},
		"no time":          {503, "soon", 0, "the receiver answered 503"},
		"a date":           {503, "DATE", 2 * time.Minute, "the receiver answered 503"},
		"a far date":       {503, "Fri, 31 Dec 2100 23:59:59 GMT", time.Hour, "the receiver answered 503"},
		"a former date":    {503, "Sun, 06 Nov 1994 08:49:37 GMT", 0, "the receiver answered 503"},
		"an older form":    {503, "Sunday, 06-Nov-94 08:49:37 GMT", 0, "the receiver answered 503"},
	}
	for name, test := range tests {
		x := arrange(t)
		x.answer(test.status, strings.Replace(test.retryAfter, "DATE", x.Now().Truncate(time.Second).Add(2*time.Minute).Format("Mon, 02 Jan 2006 15:04:05 GMT"), 1))
		err := x.deliver(t)
		if test.want == "" {
			if err != nil || x.now(t).Thing.LastStatus != test.status || !x.now(t).Thing.DeliveredAt.Equal(x.Now()) {
				t.Errorf("%s: Deliver = %v, and %+v is noted", name, err, x.now(t).Thing)
			}
			continue
		}
		var later *webhook.Later
		if !errors.As(err, &later) || later.Reason != test.want || test.wait-later.RetryAfter() >= time.Second || later.RetryAfter() > test.wait || webhook.Permanent(err) {
			t.Errorf("%s: Deliver = %v, want %s after %v", name, err, test.want, test.wait)
		}
		noted := x.now(t).Thing
		if noted.LastStatus != test.status || noted.LastError != test.want || !noted.Active || !noted.DeliveredAt.IsZero() || !noted.AttemptedAt.Equal(x.Now()) {
			t.Errorf("%s: %+v is noted", name, noted)
		}
	}
}

func TestUnansweredMessageIsForLater(t *testing.T) {
	x := arrange(t)
	x.fail(fmt.Errorf("wrapped: %w", &webhook.Unanswered{Reason: "the receiver did not answer in time"}))
	var later *webhook.Later
	if err := x.deliver(t); !errors.As(err, &later) || later.RetryAfter() != 0 || webhook.Permanent(err) {
		t.Errorf("Deliver = %v, want one for later", err)
	}
	if noted := x.now(t).Thing; noted.LastStatus != 0 || noted.LastError != "the receiver did not answer in time" {
		t.Errorf("%+v is noted", noted)
	}
}

func TestRefusedAddressIsPermanent(t *testing.T) {
	x := arrange(t)
	x.fail(webhook.ErrRefused)
	if err := x.deliver(t); !errors.Is(err, webhook.ErrRefused) || !webhook.Permanent(err) {
		t.Errorf("Deliver = %v, want ErrRefused", err)
	}
	if noted := x.now(t).Thing; noted.LastError != webhook.ErrRefused.Error() || !noted.Active {
		t.Errorf("%+v is noted", noted)
	}
}

// A caller who is stopped says nothing about the receiver.
func TestEndedContextIsNotNoted(t *testing.T) {
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		x := arrange(t)
		x.fail(ended)
		if err := x.deliver(t); err == nil || webhook.Permanent(err) || fault.KindOf(err) != "" {
			t.Errorf("Deliver = %v, want an internal error", err)
		}
		if noted := x.now(t).Thing; !noted.AttemptedAt.IsZero() {
			t.Errorf("%+v is noted", noted)
		}
	}
}

func TestGoneReceiverIsSwitchedOff(t *testing.T) {
	x := arrange(t)
	x.answer(410, "")
	if err := x.deliver(t); !errors.Is(err, webhook.ErrGone) || !webhook.Permanent(err) {
		t.Errorf("Deliver = %v, want ErrGone", err)
	}
	off := x.now(t)
	if off.Thing.Active || off.Thing.Disabled != "the receiver answered 410 Gone" || off.Thing.LastStatus != 410 {
		t.Errorf("the webhook is %+v, want it off with the reason", off.Thing)
	}
	if err := x.deliver(t); !errors.Is(err, webhook.ErrInactive) || !webhook.Permanent(err) || len(x.Receiver.Got()) != 1 {
		t.Errorf("Deliver = %v after %d requests, want ErrInactive after one", err, len(x.Receiver.Got()))
	}
	found, err := x.Trail.Entries(t.Context(), audit.Filter{ProjectID: x.p.ID, Name: webhook.EventDisabled, Size: 10})
	if err != nil || len(found.Entries) != 1 || found.Entries[0].ActorID != 0 || found.Entries[0].UserID != x.by.UserID || found.Entries[0].Details["reason"] == "" {
		t.Errorf("the trail has %+v, %v, want one entry by Gatehouse", found.Entries, err)
	}
	on, err := x.Webhooks.Change(t.Context(), x.by, x.p, off, webhook.Change{Active: new(true)})
	if err != nil || !on.Thing.Active || on.Thing.Disabled != "" {
		t.Errorf("switched on again it is %+v, %v", on.Thing, err)
	}
}

// A webhook that gets many messages is written once a minute, and when the outcome
// changes.
func TestEqualOutcomesAreNotedOnceAMinute(t *testing.T) {
	x := arrange(t)
	version := func() int64 { return x.now(t).Version }
	send := func(writes int64) {
		t.Helper()
		was := version()
		x.deliver(t)
		if got := version() - was; got != writes {
			t.Errorf("a delivery writes %d times, want %d", got, writes)
		}
	}
	send(1)
	send(0)
	x.Pass(time.Minute - time.Microsecond)
	send(0)
	x.Pass(time.Microsecond)
	send(1)
	x.answer(500, "")
	send(1)
	send(0)
	x.answer(502, "")
	send(1)
	x.fail(&webhook.Unanswered{Reason: "x"})
	send(1)
	send(0)
	x.answer(200, "")
	send(1)
	send(0)
}

// Whoever changes the URL while a message is under way does not get the outcome of the
// former one.
func TestOutcomeOfAFormerURLIsNotNoted(t *testing.T) {
	x := arrange(t)
	x.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) {
		_, err := x.Webhooks.Change(t.Context(), x.by, x.p, x.s, webhook.Change{URL: new("https://other.example")})
		return webhook.Answer{Status: 410}, err
	}
	if err := x.deliver(t); !errors.Is(err, webhook.ErrGone) {
		t.Errorf("Deliver = %v, want ErrGone", err)
	}
	if now := x.now(t).Thing; !now.Active || now.LastStatus != 0 {
		t.Errorf("the webhook is %+v, want it active and without an outcome", now)
	}
}

func TestWebhookThatIsDeletedMeanwhile(t *testing.T) {
	x := arrange(t)
	x.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) {
		return webhook.Answer{Status: 200}, x.Webhooks.Delete(t.Context(), x.by, x.p, x.s)
	}
	if err := x.deliver(t); err != nil {
		t.Errorf("Deliver = %v, want none", err)
	}
	if err := x.deliver(t); !errors.Is(err, webhook.ErrNotFound) || !webhook.Permanent(err) {
		t.Errorf("Deliver = %v, want ErrNotFound", err)
	}
}

func TestURLsThatAreTaken(t *testing.T) {
	x := arrange(t)
	for _, url := range []string{
		"https://chat.example", "https://chat.example:8443/a/b?c=d", "HTTPS://chat.example/", "https://8.8.8.8/x", "https://[2a00:1450::1]/x",
		"https://chat.example/" + strings.Repeat("x", 2048-21),
	} {
		if _, err := x.Webhooks.Change(t.Context(), x.by, x.p, x.now(t), webhook.Change{URL: &url}); err != nil {
			t.Errorf("%.60q is refused: %v", url, err)
		}
	}
}

func TestURLsThatAreRefused(t *testing.T) {
	const scheme, public = "must be an https URL", "must have a public host"
	tests := map[string]string{
		"": "can't be blank", "x": scheme, "http://chat.example": scheme, "ftp://chat.example": scheme, "https://": scheme, "https:///x": scheme,
		"//chat.example": scheme, "https:chat.example": scheme, "javascript:alert(1)": scheme, "https://chat.example:0": scheme, "https://chat.example:99999": scheme,
		"https://chat.example:": scheme, "https://chat example": scheme, "https://chat.example/a b": scheme, "https://chat.example/\r\nX: y": scheme, `https://chat.example\@evil.example`: scheme,
		"https://ada@chat.example": "must have no user name or password", "https://ada:pw@chat.example": "must have no user name or password", "https://:@chat.example": "must have no user name or password",
		"https://chat.example/#x": "must have no fragment", "https://chat.example/#": "must have no fragment",
		"https://localhost": public, "https://127.0.0.1": public, "https://10.1.2.3": public, "https://169.254.169.254/latest": public, "https://[::1]": public,
		"https://[::ffff:10.0.0.1]": public, "https://[fe80::1%25eth0]": public, "https://[64:ff9b::a00:1]": public, "https://0x7f.1": public, "https://2130706433": public, "https://intranet": public,
		"https://db.internal": public, "https://printer.local.": public,
		"https://chat.example/" + strings.Repeat("x", 2048-20): "is too long (maximum is 2048 bytes)",
	}
	x := arrange(t)
	for url, want := range tests {
		_, _, creating := x.Webhooks.Create(t.Context(), x.by, x.p, url, true)
		_, changing := x.Webhooks.Change(t.Context(), x.by, x.p, x.s, webhook.Change{URL: &url})
		for _, err := range []error{creating, changing} {
			var complaints fault.Fields
			if !errors.As(err, &complaints) || len(complaints["url"]) != 1 || complaints["url"][0] != want {
				t.Errorf("%.60q: %v, want %s", url, err, want)
			}
		}
	}
	if active, err := x.Webhooks.Active(t.Context(), x.p); err != nil || len(active) != 1 || active[0].Thing.URL != address {
		t.Errorf("the webhooks are %+v, %v, want the first one alone", active, err)
	}
}

// What is taken leads to a public host over TLS, whatever it looks like.
func FuzzURL(f *testing.F) {
	f.Add("https://chat.example:8443/a?b=c")
	f.Add("https://ada@10.0.0.1/#x")
	x := arrange(f)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := x.Webhooks.Change(t.Context(), x.by, x.p, x.s, webhook.Change{URL: &text})
		if err != nil {
			return
		}
		u, err := url.Parse(s.Thing.URL)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" || !host.Public(u.Hostname()) {
			t.Errorf("%q is taken", text)
		}
	})
}

// allowing returns the instance with webhooks to its own network allowed or not.
func allowing(t *testing.T, x *setup, private bool, keys secret.Keys) *webhook.Rules {
	t.Helper()
	return app.New(x.Store, app.Config{
		BaseURL: apptest.BaseURL, Keys: keys, Now: x.Now, Webhooks: webhook.Delivery{Sender: x.Receiver, Private: private},
	}).Webhooks
}

func TestPrivateAddressesCanBeAllowed(t *testing.T) {
	x := arrange(t)
	private := allowing(t, x, true, x.Keys)
	for _, url := range []string{"http://127.0.0.1:8080/x", "https://10.0.0.1", "http://chat.internal", "http://chat"} {
		s, _, err := private.Create(t.Context(), x.by, x.p, url, true)
		if err != nil {
			t.Fatalf("%s is refused: %v", url, err)
		}
		if err := private.Deliver(t.Context(), x.p, s.ID, x.message()); err != nil {
			t.Errorf("Deliver to %s = %v", url, err)
		}
		// The instance may not allow it any more.
		if err := x.Webhooks.Deliver(t.Context(), x.p, s.ID, x.message()); !errors.Is(err, webhook.ErrRefused) {
			t.Errorf("Deliver to %s = %v, want ErrRefused", url, err)
		}
	}
	for url, want := range map[string]string{"ftp://chat": "must be an http or https URL", "http://a:b@chat": "must have no user name or password"} {
		if _, _, err := private.Create(t.Context(), x.by, x.p, url, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
}

// Webhooks of persons go to public addresses whatever the instance allows.
func TestPrivateAddressesAreNotForPersons(t *testing.T) {
	x := arrange(t)
	own := allowing(t, x, true, x.Keys).Own()
	for _, url := range []string{"http://127.0.0.1:8080/x", "https://10.0.0.1", "http://chat.example"} {
		if _, _, err := own.Create(t.Context(), x.by, url, true); !fault.Is(err, fault.Invalid) {
			t.Errorf("Create with %s = %v, want a complaint", url, err)
		}
	}
	s, _, err := own.Create(t.Context(), x.by, address, true)
	if err == nil {
		err = own.Deliver(t.Context(), x.by.UserID, s.ID, x.message())
	}
	if got := x.Receiver.Got(); err != nil || !got[len(got)-1].Public {
		t.Errorf("Deliver = %v; the request may go to the instance's own network", err)
	}
	private := "https://10.0.0.1"
	if _, err := own.Change(t.Context(), x.by, s, webhook.Change{URL: &private}); !fault.Is(err, fault.Invalid) {
		t.Errorf("Change = %v, want a complaint", err)
	}
}

func TestActiveWebhooksOfAProject(t *testing.T) {
	x := arrange(t)
	off, _, err := x.Webhooks.Create(t.Context(), x.by, x.p, address, false)
	if err != nil {
		t.Fatal(err)
	}
	other := x.Project("other", x.Namespace(x.User("ben")), project.Private)
	if _, _, err := x.Webhooks.Create(t.Context(), x.by, other, address, true); err != nil {
		t.Fatal(err)
	}
	active, err := x.Webhooks.Active(t.Context(), x.p)
	if err != nil || len(active) != 1 || active[0].ID != x.s.ID {
		t.Errorf("Active = %+v, %v, want the first webhook", active, err)
	}
	if err := x.Webhooks.Deliver(t.Context(), other, off.ID, x.message()); !errors.Is(err, webhook.ErrNotFound) {
		t.Errorf("Deliver to another project's webhook = %v, want ErrNotFound", err)
	}
}

func TestProjectHasTwentyWebhooks(t *testing.T) {
	x := arrange(t)
	for range webhook.MaxWebhooks - 1 {
		if _, _, err := x.Webhooks.Create(t.Context(), x.by, x.p, address, true); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := x.Webhooks.Create(t.Context(), x.by, x.p, address, true); !fault.Is(err, fault.Conflict) {
		t.Errorf("the 21st webhook: %v, want a conflict", err)
	}
}

// The limits hold also for those who add webhooks at the same moment.
func TestWebhooksAreNeverTooMany(t *testing.T) {
	x := arrange(t)
	for name, one := range map[string]struct {
		most   int
		create func() error
		has    func() (int, error)
	}{
		"of a project": {
			most: webhook.MaxWebhooks,
			create: func() error {
				_, _, err := x.Webhooks.Create(t.Context(), x.by, x.p, address, true)
				return err
			},
			has: func() (int, error) {
				found, err := x.Webhooks.List(t.Context(), x.p, page.First)
				return found.Total, err
			},
		},
		"of a person": {
			most: webhook.MaxOwn,
			create: func() error {
				_, _, err := x.Webhooks.Own().Create(t.Context(), x.by, address, true)
				return err
			},
			has: func() (int, error) {
				all, err := x.Webhooks.Own().All(t.Context(), x.by.UserID)
				return len(all), err
			},
		},
	} {
		var callers sync.WaitGroup
		for range one.most + 5 {
			callers.Go(func() {
				if err := one.create(); err != nil && !fault.Is(err, fault.Conflict) {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		callers.Wait()
		if n, err := one.has(); err != nil || n != one.most {
			t.Errorf("%s: there are %d webhooks, %v, want %d", name, n, err, one.most)
		}
	}
}

func TestDeletedUserHasNoWebhooks(t *testing.T) {
	x := arrange(t)
	ada, root := x.User("ada-own"), x.Admin("root-own")
	hook, _, err := x.Webhooks.Own().Create(t.Context(), audit.ByUser(ada.ID), address, true)
	if err == nil {
		err = x.Users.Delete(t.Context(), audit.ByUser(root.ID), ada.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Webhooks.Own().Find(t.Context(), ada.ID, hook.ID); !errors.Is(err, webhook.ErrNotFound) {
		t.Errorf("Find = %v, want ErrNotFound", err)
	}
	if all, err := x.Webhooks.Own().Everybodys(t.Context(), page.First); err != nil || len(all.Items) != 0 {
		t.Errorf("Everybodys = %+v, %v", all.Items, err)
	}
}

func TestDeletedProjectHasNoWebhooks(t *testing.T) {
	x := arrange(t)
	if err := x.Projects.DeleteProject(t.Context(), x.by, x.p); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Webhooks.Find(t.Context(), x.p, x.s.ID); !errors.Is(err, webhook.ErrNotFound) {
		t.Errorf("Find = %v, want ErrNotFound", err)
	}
	if _, _, err := x.Webhooks.Create(t.Context(), x.by, x.p, address, true); !fault.Is(err, fault.NotFound) {
		t.Errorf("Create = %v, want not found", err)
	}
}

// The store has the secret sealed, and the trail has nothing of the address but the host.
func TestSecretsAreNeitherStoredNorTold(t *testing.T) {
	x := arrange(t)
	_, second, err := x.Webhooks.RotateSecret(t.Context(), x.by, x.p, x.s)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := x.Store.Record(t.Context(), "webhook", x.p.Place(), x.s.ID)
	if err != nil {
		t.Fatal(err)
	}
	found, err := x.Trail.Entries(t.Context(), audit.Filter{ProjectID: x.p.ID, Size: 10})
	if err != nil || len(found.Entries) < 2 {
		t.Fatalf("the trail has %d entries, %v", len(found.Entries), err)
	}
	trail := fmt.Sprint(found)
	for _, hidden := range []string{x.own.Reveal(), second.Reveal(), "secret-path", "hidden"} {
		if strings.Contains(trail, hidden) {
			t.Errorf("the trail has %s", hidden)
		}
		if strings.HasPrefix(hidden, "whsec_") && strings.Contains(string(stored.Data), hidden) {
			t.Error("the store has a secret in the clear")
		}
	}
}

func TestIDsThatCannotBeSigned(t *testing.T) {
	x := arrange(t)
	for _, id := range []string{"", "a.b", "a b", "a\r\nX-Evil: 1", "é", strings.Repeat("x", 256)} {
		m := x.message()
		m.ID = id
		if err := x.Webhooks.Deliver(t.Context(), x.p, x.s.ID, m); err == nil || len(x.Receiver.Got()) != 0 {
			t.Errorf("the id %q was sent: %v", id, err)
		}
	}
	m := x.message()
	m.Data = func() {}
	if err := x.Webhooks.Deliver(t.Context(), x.p, x.s.ID, m); err == nil {
		t.Error("data that JSON cannot say was sent")
	}
}

func newKeys(t *testing.T, current []byte, previous ...[]byte) secret.Keys {
	t.Helper()
	keys, err := secret.NewKeys(current, previous...)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestSecretsSurviveAnotherInstanceKey(t *testing.T) {
	x := arrange(t)
	before, after := secret.Random(secret.KeySize), secret.Random(secret.KeySize)
	old := allowing(t, x, false, newKeys(t, before))
	made, first, err := old.Create(t.Context(), x.by, x.p, address, true)
	if err != nil {
		t.Fatal(err)
	}
	if x.s, x.own, err = old.RotateSecret(t.Context(), x.by, x.p, made); err != nil {
		t.Fatal(err)
	}
	both := allowing(t, x, false, newKeys(t, after, before))
	for _, want := range []bool{true, false} {
		if done, err := both.Reseal(t.Context(), x.now(t)); done != want || err != nil {
			t.Errorf("Reseal = %t, %v, want %t", done, err, want)
		}
	}
	fresh := allowing(t, x, false, newKeys(t, after))
	if err := fresh.Deliver(t.Context(), x.p, x.s.ID, x.message()); err != nil {
		t.Errorf("Deliver = %v", err)
	}
	x.wantSigned(t, x.own, true)
	x.wantSigned(t, first, true)
	x.Pass(24 * time.Hour)
	if done, err := fresh.Reseal(t.Context(), x.now(t)); !done || err != nil || x.now(t).Thing.Former != "" {
		t.Errorf("Reseal = %t, %v, want the former secret removed", done, err)
	}

	if err := old.Deliver(t.Context(), x.p, x.s.ID, x.message()); !errors.Is(err, webhook.ErrLost) || !webhook.Permanent(err) {
		t.Errorf("Deliver without the key = %v, want ErrLost", err)
	}
	if _, err := old.Reseal(t.Context(), x.now(t)); !errors.Is(err, secret.ErrSealed) {
		t.Errorf("Reseal without the key = %v, want ErrSealed", err)
	}
	if _, x.own, err = old.RotateSecret(t.Context(), x.by, x.p, x.now(t)); err != nil {
		t.Fatal(err)
	}
	if err := old.Deliver(t.Context(), x.p, x.s.ID, x.message()); err != nil {
		t.Errorf("Deliver after a rotation = %v", err)
	}
	x.wantSigned(t, x.own, true)
}

// Nothing of another project opens here, even when it is copied in the store.
func TestSecretOfAnotherProjectDoesNotOpen(t *testing.T) {
	x := arrange(t)
	other := x.Project("other", x.Namespace(x.User("ben")), project.Private)
	stored, err := x.Store.Record(t.Context(), "webhook", x.p.Place(), x.s.ID)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := x.Store.CreateRecord(t.Context(), record.Record{Kind: "webhook", Place: other.Place(), Data: stored.Data, CreatedAt: x.Now()}, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Webhooks.Deliver(t.Context(), other, copied.ID, x.message()); !errors.Is(err, webhook.ErrLost) {
		t.Errorf("Deliver = %v, want ErrLost", err)
	}
}

func TestOfATest(t *testing.T) {
	x := arrange(t)
	off, err := x.Webhooks.Change(t.Context(), x.by, x.p, x.s, webhook.Change{Active: new(false)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := x.Webhooks.Test(t.Context(), x.p, off)
	if err != nil || s.Thing.LastStatus != 200 || s.Thing.Active {
		t.Errorf("Test = %+v, %v, want 200 noted", s.Thing, err)
	}
	x.wantSigned(t, x.own, true)
	got := x.Receiver.Got()[0]
	if !strings.HasPrefix(got.Header["webhook-id"], "test_") || !strings.Contains(string(got.Body), `"type":"test"`) {
		t.Errorf("the test is %v %s", got.Header, got.Body)
	}
}

// A project sends ten tests in a minute, whichever of its webhooks they are of, and then none
// for a minute.
func TestTestsAreThrottled(t *testing.T) {
	x := arrange(t)
	other, _, err := x.Webhooks.Create(t.Context(), x.by, x.p, "https://other.example/", true)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 12 {
		if n == 11 {
			x.Pass(time.Minute)
		}
		_, err := x.Webhooks.Test(t.Context(), x.p, []webhook.Stored{x.s, other}[n%2])
		var refused interface{ RetryAfter() time.Duration }
		switch isRefused := errors.As(err, &refused); {
		case n != 10 && err != nil:
			t.Errorf("test %d: %v", n, err)
		case n == 10 && (!fault.Is(err, fault.TooMany) || !isRefused || refused.RetryAfter() != time.Minute):
			t.Errorf("test %d: %v, want to wait for a minute", n, err)
		}
	}
}
