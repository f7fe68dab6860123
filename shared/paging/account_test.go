package paging_test

import (
	netmail "net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/mail"
	"gatehouse/shared/page"
	"gatehouse/shared/recovery"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"
)

// newAccounts returns a scene of an instance that sends mails.
func newAccounts(t *testing.T) *scene {
	t.Helper()
	x := newScene(t)
	x.KeepsMails = false
	x.dispatcher = x.dispatcherOver(x.Store)
	return x
}

const (
	passwordBen     = "ben: Choose a new password"
	confirmationBen = "ben: Is this your address?"
	invitationBen   = "ben: Your account"
)

// askFor asks for a mail to set the password of this login, from an own address.
func (x *scene) askFor(login string) {
	x.t.Helper()
	x.check(x.Recovery.Ask(x.t.Context(), login, netip.MustParseAddr("192.0.2.1")))
}

// account changes ben's account.
func (x *scene) account(c user.Change) {
	x.t.Helper()
	must(x.Users.Update(x.t.Context(), audit.Setup, x.ben.ID, c))
}

// linkIn returns the token of the link in a mail, which leads to the page at the path.
func linkIn(t *testing.T, m mail.Message, path string) secret.Text {
	t.Helper()
	link := regexp.MustCompile(`https?://\S+`).FindString(m.Text)
	address, err := url.Parse(link)
	if err != nil || !strings.HasPrefix(link, apptest.BaseURL+path+"?token=") || !strings.HasPrefix(m.HTML[strings.Index(m.HTML, "https:"):], link) {
		t.Fatalf("the mail's link is %q, want one to %s\n%s", link, path, m.Text)
	}
	return secret.NewText(address.Query().Get("token"))
}

func TestMailToSetAPassword(t *testing.T) {
	tests := map[string]struct {
		login string
		then  func(x *scene) // between the question and the mail
		want  []string
	}{
		"by user name":           {"ben", nil, []string{passwordBen}},
		"by address":             {"BEN@example.com", nil, []string{passwordBen}},
		"of nobody":              {"nobody", nil, nil},
		"of nobody's address":    {"nobody@example.com", nil, nil},
		"of a blocked user":      {"ben", func(x *scene) { x.account(user.Change{State: ptr(user.Blocked)}) }, nil},
		"of a deleted user":      {"ben", func(x *scene) { x.check(x.Users.Delete(x.t.Context(), audit.Setup, x.ben.ID)) }, nil},
		"to another address":     {"ben", func(x *scene) { x.account(user.Change{Email: ptr("king@example.com"), Confirmed: true}) }, []string{"king: Choose a new password"}},
		"by a former address":    {"ben@example.com", func(x *scene) { x.account(user.Change{Email: ptr("king@example.com"), Confirmed: true}) }, nil},
		"that was set meanwhile": {"ben", func(x *scene) { x.account(user.Change{Password: ptr(secret.NewText("difference engine"))}) }, []string{passwordBen}},
		"where mails are kept":   {"ben", func(x *scene) { x.KeepsMails = true; x.dispatcher = x.dispatcherOver(x.Store) }, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newAccounts(t)
			x.askFor(test.login)
			if test.then != nil {
				test.then(x)
			}
			x.sweep()
			for _, m := range x.wantMails(test.want...) {
				if u := must(x.Recovery.User(t.Context(), linkIn(t, m, recovery.PasswordPath))); u.ID != x.ben.ID || u.Email != m.To.Email {
					t.Errorf("the link is for %s, and came to %s", u.Email, m.To.Email)
				}
			}
			x.wantAllHandled()
		})
	}
}

func TestMailToConfirmAnAddress(t *testing.T) {
	tests := map[string]struct {
		then func(x *scene) // between the question and the mail
		want []string
	}{
		"of a user":            {nil, []string{confirmationBen}},
		"that is confirmed":    {func(x *scene) { x.account(user.Change{Confirmed: true}) }, nil},
		"of a blocked user":    {func(x *scene) { x.account(user.Change{State: ptr(user.Blocked)}) }, nil},
		"of a deleted user":    {func(x *scene) { x.check(x.Users.Delete(x.t.Context(), audit.Setup, x.ben.ID)) }, nil},
		"that changed since":   {func(x *scene) { x.account(user.Change{Email: ptr("king@example.com"), Confirmed: true}) }, nil},
		"where mails are kept": {func(x *scene) { x.KeepsMails = true; x.dispatcher = x.dispatcherOver(x.Store) }, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newAccounts(t)
			x.check(x.Recovery.SendConfirmation(t.Context(), x.ben))
			if test.then != nil {
				test.then(x)
			}
			x.sweep()
			for _, m := range x.wantMails(test.want...) {
				if u := must(x.Recovery.AddressOf(t.Context(), linkIn(t, m, recovery.ConfirmationPath))); u.ID != x.ben.ID || u.Email != m.To.Email {
					t.Errorf("the link confirms %s, and came to %s", u.Email, m.To.Email)
				}
			}
			x.wantAllHandled()
		})
	}
}

func TestMailThatInvites(t *testing.T) {
	tests := map[string]struct {
		then func(x *scene) // between the deed and the mail
		want []string
	}{
		"a user":               {nil, []string{invitationBen}},
		"a blocked user":       {func(x *scene) { x.account(user.Change{State: ptr(user.Blocked)}) }, nil},
		"a deleted user":       {func(x *scene) { x.check(x.Users.Delete(x.t.Context(), audit.Setup, x.ben.ID)) }, nil},
		"to a former address":  {func(x *scene) { x.account(user.Change{Email: ptr("king@example.com"), Confirmed: true}) }, nil},
		"where mails are kept": {func(x *scene) { x.KeepsMails = true; x.dispatcher = x.dispatcherOver(x.Store) }, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newAccounts(t)
			x.check(x.Recovery.Invite(t.Context(), audit.Setup, x.ben))
			if test.then != nil {
				test.then(x)
			}
			x.sweep()
			for _, m := range x.wantMails(test.want...) {
				if u := must(x.Recovery.User(t.Context(), linkIn(t, m, recovery.PasswordPath))); u.ID != x.ben.ID || u.Email != m.To.Email {
					t.Errorf("the link is for %s, and came to %s", u.Email, m.To.Email)
				}
			}
			x.wantAllHandled()
		})
	}
}

// wantAllHandled checks that no message waits and none is dead.
func (x *scene) wantAllHandled() {
	x.t.Helper()
	if left := x.left(); len(left) > 0 {
		x.t.Errorf("left: %v", left)
	}
	for _, d := range must(x.Store.DeadMessages(x.t.Context(), 0, x.Now(), page.First)).Items {
		x.t.Errorf("dead: %s %s: %s", d.Kind, d.ID(), d.LastError)
	}
}

// A user's name makes no header and no line of the mail, and only the person gets it.
func TestAccountMailsToStrangeNames(t *testing.T) {
	for _, name := range []string{`Ben" <eve@example.com>, "x`, "Ben, eve@example.com", "=?utf-8?q?eve?="} {
		x := newAccounts(t)
		x.account(user.Change{Name: &name})
		x.askFor("ben")
		x.sweep()
		encoded := string(must(x.wantMails(passwordBen)[0].Encode()))
		header, _, _ := strings.Cut(encoded, "\r\n\r\n")
		parsed := must(netmail.ReadMessage(strings.NewReader(encoded)))
		to, err := parsed.Header.AddressList("To")
		if err != nil || len(to) != 1 || to[0].Address != x.ben.Email {
			t.Errorf("%q: the mail goes to %v, %v\n%s", name, to, err, header)
		}
	}
}

// A dispatcher that dies at any write leaves the mail to another one. It comes once or
// twice, as the same mail, and any of its links works until one is used.
func TestCrashesLoseNoAccountMail(t *testing.T) {
	for _, stored := range []bool{false, true} {
		for n := int64(0); !crashOfAccountMail(t, n, stored); n++ {
			if n == 20 {
				t.Fatal("the dispatcher never came to its end")
			}
		}
	}
}

// crashOfAccountMail has a dispatcher die after n writes. It reports whether that was too late.
func crashOfAccountMail(t *testing.T, n int64, stored bool) (finished bool) {
	t.Helper()
	f := &fuse{stored: stored}
	f.set(never)
	x := over(t, crashing{sqlitetest.Open(t), f})
	x.KeepsMails = false
	x.dispatcher = x.dispatcherOver(crashing{x.Store, f})
	x.askFor("ben")
	x.check(x.Recovery.SendConfirmation(t.Context(), x.ben))
	f.set(n)
	_, _ = x.dispatcher.Sweep(t.Context())
	finished = !f.blown.Load()
	f.set(never)
	x.pass(3 * time.Minute)
	got := map[string][]mail.Message{}
	for _, m := range x.box.got {
		got[line(m)] = append(got[line(m)], m)
	}
	for _, want := range []string{passwordBen, confirmationBen} {
		mails := got[want]
		if len(mails) < 1 || len(mails) > 2 || mails[0].ID != mails[len(mails)-1].ID {
			t.Errorf("after %d writes (%t): %s came %d times", n, stored, want, len(mails))
		}
	}
	links := got[passwordBen]
	x.check(x.Recovery.SetPassword(t.Context(), linkIn(t, links[len(links)-1], recovery.PasswordPath), secret.NewText("difference engine")))
	for _, m := range links {
		if _, err := x.Recovery.User(t.Context(), linkIn(t, m, recovery.PasswordPath)); err == nil {
			t.Errorf("after %d writes (%t): a link works after one was used", n, stored)
		}
	}
	x.wantAllHandled()
	return finished
}
