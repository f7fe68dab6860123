package notice_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/notice"
	"gatehouse/shared/user"
	"gatehouse/shared/webhook"
)

func ptr[T any](v T) *T { return &v }

func newPerson(t *testing.T) (*apptest.App, user.User, audit.Actor) {
	a := apptest.New(t)
	ada := a.User("ada")
	return a, ada, audit.ByUser(ada.ID)
}

func settingsOf(t *testing.T, a *apptest.App, u user.User) notice.Settings {
	t.Helper()
	s, err := a.Notices.Settings(t.Context(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	return s.Thing
}

func TestSettingsByDefault(t *testing.T) {
	a, ada, by := newPerson(t)
	s := settingsOf(t, a, ada)
	for _, subject := range notice.Subjects {
		if !s.Mails(subject) {
			t.Errorf("nobody is mailed of %s", subject)
		}
	}
	if s.Quiet.Active || s.Quiet.From.String() != "22:00" || s.Quiet.To.String() != "07:00" || len(s.Quiet.On()) != 7 || !s.Grave("unknown") {
		t.Errorf("the settings are %+v", s)
	}
	if _, err := a.Notices.Change(t.Context(), by, notice.Change{}); err != nil {
		t.Fatal(err)
	}
	found, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: ada.ID, Name: notice.EventChanged, Size: 10})
	if err != nil || len(found.Entries) != 0 {
		t.Errorf("an empty change leaves %v, %v", found.Entries, err)
	}
}

// One setting changes, and all others stay.
func TestChangeOfOneSetting(t *testing.T) {
	a, ada, by := newPerson(t)
	days := []string{"sunday", "Monday", "monday"}
	for name, c := range map[string]notice.Change{
		"mails":    {Mail: map[notice.Subject]*bool{notice.Alerts: ptr(false)}},
		"severity": {Severity: ptr("high")},
		"quiet":    {Quiet: ptr(true)},
		"from":     {From: ptr("21:15")},
		"zone":     {Timezone: ptr("Asia/Kolkata")},
		"days":     {Days: &days},
	} {
		if _, err := a.Notices.Change(t.Context(), by, c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := settingsOf(t, a, ada)
	if s.Mails(notice.Alerts) || !s.Mails(notice.Shifts) || s.LowestSeverity() != "high" || s.Grave("medium") || !s.Grave("critical") || !s.Quiet.Active ||
		s.Quiet.From.String() != "21:15" || s.Quiet.To.String() != "07:00" || s.Quiet.Zone.String() != "Asia/Kolkata" {
		t.Errorf("the settings are %+v", s)
	}
	if diff := gocmp.Diff([]time.Weekday{time.Monday, time.Sunday}, s.Quiet.On()); diff != "" {
		t.Error(diff)
	}
	if _, err := a.Notices.Change(t.Context(), by, notice.Change{Severity: ptr("unknown"), Mail: map[notice.Subject]*bool{notice.Alerts: ptr(true)}}); err != nil {
		t.Fatal(err)
	}
	if s := settingsOf(t, a, ada); !s.Mails(notice.Alerts) || !s.Grave("unknown") || !s.Quiet.Active {
		t.Errorf("afterwards they are %+v", s)
	}
}

func TestWrongSettings(t *testing.T) {
	a, ada, by := newPerson(t)
	none, bogus := []string{}, []string{"monday", "someday"}
	for want, c := range map[string]notice.Change{
		"email_pages":     {Mail: map[notice.Subject]*bool{notice.Pages: ptr(false)}},
		"alerts_severity": {Severity: ptr("grave")},
		"quiet_from":      {From: ptr("24:00")},
		"quiet_to":        {To: ptr("7:00")},
		"quiet_timezone":  {Timezone: ptr("Local")},
		"quiet_days":      {Days: &none},
	} {
		_, err := a.Notices.Change(t.Context(), by, c)
		var fields fault.Fields
		if !errors.As(err, &fields) || len(fields[want]) != 1 || len(fields) != 1 {
			t.Errorf("%s: %v", want, err)
		}
	}
	_, err := a.Notices.Change(t.Context(), by, notice.Change{Quiet: ptr(true), From: ptr("08:00"), To: ptr("08:00"), Days: &bogus, Severity: ptr("")})
	var fields fault.Fields
	if !errors.As(err, &fields) || len(fields) != 3 {
		t.Errorf("several mistakes: %v, want three complaints", err)
	}
	if s := settingsOf(t, a, ada); !s.Mails(notice.Pages) || s.Quiet.Active || s.Quiet.From.String() != "22:00" {
		t.Errorf("they leave %+v", s)
	}
}

// Pages can do without mails only while another channel has shown that it works.
func TestPagesAlwaysHaveAChannel(t *testing.T) {
	a, ada, by := newPerson(t)
	withoutMail := notice.Change{Mail: map[notice.Subject]*bool{notice.Pages: ptr(false)}}
	refused := func(when string) {
		t.Helper()
		if _, err := a.Notices.Change(t.Context(), by, withoutMail); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want a complaint", when, err)
		}
	}
	hook, _, err := a.Webhooks.Own().Create(t.Context(), by, "https://chat.example/ada", true)
	if err != nil {
		t.Fatal(err)
	}
	refused("before a message was delivered")
	deliver := func() {
		_ = a.Webhooks.Own().Deliver(t.Context(), ada.ID, hook.ID, webhook.Message{ID: "1", Type: "test", At: a.Now()})
	}
	a.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) { return webhook.Answer{Status: 500}, nil }
	deliver()
	refused("after a failure")
	a.Receiver.Answers = nil
	deliver()
	if _, err := a.Notices.Change(t.Context(), by, withoutMail); err != nil {
		t.Fatalf("after a delivery: %v", err)
	}
	byMail := func(want bool, when string) {
		t.Helper()
		p, err := a.Notices.Person(t.Context(), ada.ID)
		if err != nil || p.ByMail(notice.Pages) != want {
			t.Errorf("%s pages go by mail: %t, %v", when, p.ByMail(notice.Pages), err)
		}
	}
	byMail(false, "with a webhook")
	a.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) { return webhook.Answer{Status: 500}, nil }
	deliver()
	byMail(true, "while it fails")
	a.Receiver.Answers = nil
	deliver()
	byMail(false, "once it works again")
	s, err := a.Webhooks.Own().Find(t.Context(), ada.ID, hook.ID)
	if err == nil {
		_, err = a.Webhooks.Own().Change(t.Context(), by, s, webhook.Change{Active: ptr(false)})
	}
	if err != nil {
		t.Fatal(err)
	}
	byMail(true, "once it is switched off")
	refusedNothing := notice.Change{Severity: ptr("low"), Mail: withoutMail.Mail}
	if _, err := a.Notices.Change(t.Context(), by, refusedNothing); err != nil {
		t.Errorf("the same again: %v", err)
	}
}

func TestTestsHaveALimit(t *testing.T) {
	a, ada, by := newPerson(t)
	messages := func() int {
		t.Helper()
		waiting, err := a.Store.Waiting(t.Context(), "notice-test/1", 100)
		if err != nil {
			t.Fatal(err)
		}
		return len(waiting)
	}
	if ada.ID != 1 {
		t.Fatalf("ada is %d", ada.ID)
	}
	for n := range notice.MostTests {
		if _, err := a.Notices.Test(t.Context(), by); err != nil || messages() != n+1 {
			t.Fatalf("test %d: %v, %d messages", n, err, messages())
		}
	}
	_, err := a.Notices.Test(t.Context(), by)
	var later interface{ RetryAfter() time.Duration }
	if !fault.Is(err, fault.TooMany) || !errors.As(err, &later) || later.RetryAfter() != time.Hour || messages() != notice.MostTests {
		t.Errorf("one more: %v", err)
	}
	if _, err := a.Notices.Change(t.Context(), by, notice.Change{Quiet: ptr(true)}); err != nil || messages() != notice.MostTests {
		t.Errorf("a change of the settings: %v, %d messages", err, messages())
	}
	a.Pass(time.Hour)
	if _, err := a.Notices.Test(t.Context(), by); err != nil || messages() != notice.MostTests+1 {
		t.Errorf("an hour later: %v", err)
	}
}

func TestWebhooksOfOthersAreUnreachable(t *testing.T) {
	a, ada, by := newPerson(t)
	ben := a.User("ben")
	hook, own, err := a.Webhooks.Own().Create(t.Context(), by, "https://chat.example/ada", true)
	if err != nil || own.Reveal() == "" {
		t.Fatal(err)
	}
	if _, err := a.Webhooks.Own().Find(t.Context(), ben.ID, hook.ID); !errors.Is(err, webhook.ErrNotFound) {
		t.Errorf("Find by another user: %v", err)
	}
	if all, err := a.Webhooks.Own().All(t.Context(), ben.ID); err != nil || len(all) != 0 {
		t.Errorf("another user has %v, %v", all, err)
	}
	if err := a.Webhooks.Own().Deliver(t.Context(), ben.ID, hook.ID, webhook.Message{ID: "1"}); !errors.Is(err, webhook.ErrNotFound) {
		t.Errorf("Deliver for another user: %v", err)
	}
	for n := range webhook.MaxOwn - 1 {
		if _, _, err := a.Webhooks.Own().Create(t.Context(), by, fmt.Sprint("https://chat.example/", n), true); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := a.Webhooks.Own().Create(t.Context(), by, "https://chat.example/more", true); !fault.Is(err, fault.Conflict) {
		t.Errorf("one too many: %v", err)
	}
	if err := a.Webhooks.Own().Delete(t.Context(), by, hook); err != nil {
		t.Fatal(err)
	}
	if all, err := a.Webhooks.Own().All(t.Context(), ada.ID); err != nil || len(all) != webhook.MaxOwn-1 {
		t.Errorf("after a deletion there are %d, %v", len(all), err)
	}
}

// A receiver that is gone switches the webhook off, in the trail of its owner.
func TestOwnWebhookThatIsGone(t *testing.T) {
	a, ada, by := newPerson(t)
	hook, _, err := a.Webhooks.Own().Create(t.Context(), by, "https://chat.example/ada", true)
	if err != nil {
		t.Fatal(err)
	}
	a.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) { return webhook.Answer{Status: 410}, nil }
	if err := a.Webhooks.Own().Deliver(t.Context(), ada.ID, hook.ID, webhook.Message{ID: "1", At: a.Now()}); !errors.Is(err, webhook.ErrGone) {
		t.Errorf("Deliver: %v", err)
	}
	found, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: ada.ID, Name: webhook.EventOwnDisabled, Size: 10})
	if s, findErr := a.Webhooks.Own().Find(t.Context(), ada.ID, hook.ID); err != nil || findErr != nil || s.Thing.Active || len(found.Entries) != 1 {
		t.Errorf("the webhook is %+v, %v; the trail has %v, %v", s.Thing, findErr, found.Entries, err)
	}
}
