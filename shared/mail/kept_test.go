package mail_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/mail"
	"gatehouse/shared/page"
	"gatehouse/shared/record"
	"gatehouse/shared/storage/sqlite/sqlitetest"
)

// keeper keeps mails; its clock stands still until the test moves it.
type keeper struct {
	*mail.Rules
	store   record.Store
	elapsed atomic.Int64
}

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	k := &keeper{store: sqlitetest.Open(t)}
	k.Rules = mail.NewRules(k.store, func() time.Time { return at.Add(time.Duration(k.elapsed.Load())) })
	return k
}

// keep keeps mails with these subjects.
func (k *keeper) keep(t *testing.T, n int, subject string) {
	t.Helper()
	for i := range n {
		m := message()
		m.Subject = fmt.Sprint(subject, i)
		if err := k.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
}

// stored returns how many mails the store has, shown or not.
func (k *keeper) stored(t *testing.T) int {
	t.Helper()
	found, err := k.store.Records(t.Context(), "kept_mail", record.Instance, nil, page.First)
	if err != nil {
		t.Fatal(err)
	}
	return found.Total
}

func TestKeptMailIsShown(t *testing.T) {
	k := newKeeper(t)
	k.keep(t, 2, "Disk full\r\n")
	found, err := k.Kept(t.Context(), page.First)
	if err != nil || len(found.Items) != 2 {
		t.Fatalf("Kept = %+v, %v, want two mails", found, err)
	}
	want := mail.Kept{From: from, To: ada, At: at.UTC(), Subject: "Disk full 1", Text: message().Text, HTML: message().HTML}
	got, err := k.Find(t.Context(), found.Items[0].Number)
	if err != nil || got.Thing != want || found.Items[0].Thing != want {
		t.Errorf("Find = %+v, %v, want %+v", got.Thing, err, want)
	}
	if _, err := k.Find(t.Context(), 99); !fault.Is(err, fault.NotFound) {
		t.Errorf("Find of another = %v, want not found", err)
	}
}

func TestMailThatCannotBeSentIsNotKept(t *testing.T) {
	k := newKeeper(t)
	m := message()
	m.To.Email = "nobody"
	if err := k.Send(t.Context(), m); !mail.Permanent(err) || k.stored(t) != 0 {
		t.Errorf("Send = %v, want a permanent failure", err)
	}
}

func TestLongMailIsKeptInPart(t *testing.T) {
	k := newKeeper(t)
	m := message()
	m.Text = strings.Repeat("\x00x", 64<<10-1) + "üü"
	m.HTML = strings.Repeat("x", 64<<10+1)
	if err := k.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	got, err := k.Find(t.Context(), 1)
	if err != nil || got.Thing.HTML != "" || got.Thing.Text != strings.Repeat("x", 64<<10-1) {
		t.Errorf("kept are %d bytes of text and %d of HTML, %v", len(got.Thing.Text), len(got.Thing.HTML), err)
	}
}

func TestNewestMailsAreKept(t *testing.T) {
	k := newKeeper(t)
	k.keep(t, mail.MaxKept+30, "")
	if got := k.stored(t); got != mail.MaxKept {
		t.Errorf("%d mails are stored, want %d", got, mail.MaxKept)
	}
	for number, want := range map[int64]bool{30: false, 31: true, 230: true} {
		if _, err := k.Find(t.Context(), number); (err == nil) != want {
			t.Errorf("mail %d: %v, want that it is there: %t", number, err, want)
		}
	}
}

func TestMailsAreKeptForAMonth(t *testing.T) {
	k := newKeeper(t)
	k.keep(t, 25, "old")
	k.elapsed.Store(int64(mail.KeptFor))
	found, err := k.Kept(t.Context(), page.First)
	if err != nil || len(found.Items) != 0 {
		t.Errorf("Kept = %d mails, %v, want none", len(found.Items), err)
	}
	if _, err := k.Find(t.Context(), 1); !fault.Is(err, fault.NotFound) {
		t.Errorf("Find = %v, want not found", err)
	}
	// New mails remove the old ones, a few each.
	for _, left := range []int{16, 7, 3, 4} {
		k.keep(t, 1, "new")
		if got := k.stored(t); got != left {
			t.Errorf("%d mails are stored, want %d", got, left)
		}
	}
}

// Removing goes on where it was interrupted, past mails that are gone already.
func TestMailsThatAreGoneAlready(t *testing.T) {
	k := newKeeper(t)
	k.keep(t, mail.MaxKept, "")
	for _, number := range []int64{1, 2, 3} {
		r, err := k.store.Record(t.Context(), "kept_mail", record.Instance, number)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.store.RemoveRecord(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	k.keep(t, 5, "")
	if got := k.stored(t); got != mail.MaxKept {
		t.Errorf("%d mails are stored, want %d", got, mail.MaxKept)
	}
}

func TestKeptMailHidesTheSecretsOfLinks(t *testing.T) {
	k := mail.Kept{Text: "Acknowledge:\nhttps://id.example/console/-/acknowledge?token=c2VjcmV0_-9\n\nShow:\nhttps://id.example/a?page=2&token=x.y~z%3D#top\n"}
	want := "Acknowledge:\nhttps://id.example/console/-/acknowledge?token=[hidden]\n\nShow:\nhttps://id.example/a?page=2&token=[hidden]#top\n"
	if got := k.Masked(); got != want {
		t.Errorf("Masked = %q, want %q", got, want)
	}
}
