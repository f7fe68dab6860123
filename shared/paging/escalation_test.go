package paging_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/oncall"
	"gatehouse/shared/page"
	"gatehouse/shared/paging/permit"
	"gatehouse/shared/user"
)

const (
	pagedAda = "ada: Alert opened"
	pagedBen = "ben: Alert opened"
)

func TestOpenedAlertPagesWhoIsOnCall(t *testing.T) {
	x := newScene(t)
	x.webhook()
	x.policy(0, afterOn(0, oncall.Acknowledged, x.schedule("Night", x.ben)))
	iid := x.fire("Disk full", alert.SeverityHigh)
	x.sweep()
	m := x.wantMails(pagedBen)[0]
	for _, part := range []string{"Disk full", "It hurts.", "You are on call.", "acme/web"} {
		if !strings.Contains(m.Text, part) {
			t.Errorf("the mail lacks %q: %s", part, m.Text)
		}
	}
	_, link, _ := strings.Cut(m.Text, "https://gatehouse.example"+permit.Path+"?token=")
	token, _, _ := strings.Cut(link, "\n")
	permitted, err := permit.NewLinks(x.BaseURL, x.Keys).Permit(strings.TrimSpace(token), x.Now())
	if err != nil || permitted.UserID != x.ben.ID || permitted.IID != iid || !permitted.Covers(must(x.Alerts.Alert(t.Context(), x.p.ID, iid))) {
		t.Errorf("the link permits %+v, %v", permitted, err)
	}
	got := x.wantHooks("alert.opened")[0]
	for key, want := range map[string]any{
		"alert_iid": 1.0, "project": "acme/web", "title": "Disk full", "severity": "high", "status": "triggered", "description": "It hurts.",
		"url": x.BaseURL + "/console/acme/web/alerts/1",
	} {
		if got.Data[key] != want {
			t.Errorf("%s = %v, want %v", key, got.Data[key], want)
		}
	}
	if _, err := url.Parse(got.Data["url"].(string)); err != nil || !strings.Contains(got.Text, "Disk full") {
		t.Errorf("text %q", got.Text)
	}
}

// The rule of ada comes ten minutes after that of ben.
func TestEscalation(t *testing.T) {
	for name, test := range map[string]struct {
		until  oncall.Status
		repeat int
		do     func(x *scene, iid int64)
		later  []string // after 9 minutes and 59 seconds
		second []string // after ten minutes
		hour   []string // in the next hour
	}{
		"nobody looks":                     {oncall.Acknowledged, 0, nil, nil, []string{pagedAda}, nil},
		"acknowledged":                     {oncall.Acknowledged, 0, func(x *scene, iid int64) { x.set(iid, alert.Acknowledged) }, nil, nil, nil},
		"acknowledged, but until resolved": {oncall.Resolved, 0, func(x *scene, iid int64) { x.set(iid, alert.Acknowledged) }, nil, []string{pagedAda}, nil},
		"resolved":                         {oncall.Resolved, 0, func(x *scene, iid int64) { x.set(iid, alert.Resolved) }, nil, nil, nil},
		"recovered":                        {oncall.Resolved, 0, func(x *scene, _ int64) { x.recover("a") }, nil, nil, nil},
		"ignored":                          {oncall.Resolved, 0, func(x *scene, iid int64) { x.set(iid, alert.Ignored) }, nil, nil, nil},
		"repeated at 20, 30, 40 and 50":    {oncall.Acknowledged, 2, nil, nil, []string{pagedAda}, []string{pagedBen, pagedAda, pagedBen, pagedAda}},
		"graver": {oncall.Acknowledged, 0, func(x *scene, _ int64) {
			x.Pass(5 * time.Minute)
			x.fire("a", alert.SeverityCritical)
			x.sweep()
			x.Pass(-5 * time.Minute)
		}, []string{pagedBen}, nil, []string{pagedAda}},
		"as grave": {oncall.Acknowledged, 0, func(x *scene, _ int64) { x.fire("a", alert.SeverityHigh) }, nil, []string{pagedAda}, nil},
		"triggered anew": {oncall.Acknowledged, 0, func(x *scene, iid int64) {
			x.set(iid, alert.Acknowledged)
			x.Pass(5 * time.Minute)
			x.set(iid, alert.Triggered)
			x.sweep()
			x.Pass(-5 * time.Minute)
		}, []string{pagedBen}, nil, []string{pagedAda}},
		"opened again": {oncall.Acknowledged, 0, func(x *scene, iid int64) {
			x.set(iid, alert.Resolved)
			x.sweep()
			x.Pass(5 * time.Minute)
			x.set(iid, alert.Triggered)
			x.sweep()
			x.Pass(-5 * time.Minute)
		}, []string{pagedBen}, nil, []string{pagedAda}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newScene(t)
			x.policy(test.repeat, after(0, oncall.Acknowledged, x.ben), after(10, test.until, x.ada))
			iid := x.fire("a", alert.SeverityHigh)
			x.sweep()
			x.wantMails(pagedBen)
			x.Pass(10 * time.Second)
			if test.do != nil {
				test.do(x, iid)
			}
			x.pass(9*time.Minute + 49*time.Second)
			x.wantMails(test.later...)
			x.pass(time.Second)
			x.wantMails(test.second...)
			x.pass(time.Hour)
			x.wantMails(test.hour...)
			x.wantNoneDead()
		})
	}
}

func TestRepetitionsComeAtTheirTimes(t *testing.T) {
	x := newScene(t)
	x.policy(1, after(0, oncall.Acknowledged, x.ben), after(10, oncall.Acknowledged, x.ada))
	x.fire("a", alert.SeverityHigh)
	for minute := range 60 {
		var want []string
		switch minute {
		case 0, 20:
			want = []string{pagedBen}
		case 10, 30:
			want = []string{pagedAda}
		}
		x.sweep()
		x.wantMails(want...)
		x.Pass(time.Minute)
	}
}

// A store bounds the keys of messages, and so must an escalation with the most steps.
func TestKeysStayShort(t *testing.T) {
	x := newScene(t)
	x.webhook()
	x.policy(9, after(0, oncall.Acknowledged, x.ben), after(1, oncall.Acknowledged, x.ben), after(2, oncall.Acknowledged, x.ben))
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	for range 90 {
		x.pass(time.Minute)
		for _, m := range must(x.Store.Waiting(t.Context(), "escalation/1/1", 10)) {
			if len(m.Seq) > 100 {
				t.Fatalf("a key has %d bytes: %s", len(m.Seq), m.Seq)
			}
		}
	}
	if got := len(x.box.got); got != 30 {
		t.Errorf("%d mails, want 30", got)
	}
}

func TestSilencePostpones(t *testing.T) {
	x := newScene(t)
	x.policy(1, after(0, oncall.Acknowledged, x.ben), after(10, oncall.Acknowledged, x.ada))
	iid := x.fire("a", alert.SeverityHigh)
	x.silence(iid, x.Now().Add(2*time.Hour))
	x.pass(2*time.Hour - time.Second)
	x.wantMails()
	x.pass(time.Second)
	x.wantMails(pagedBen)
	x.pass(10*time.Minute - time.Second)
	x.wantMails() // the silence moved the second rule too
	x.pass(time.Second)
	x.wantMails(pagedAda)
	x.pass(10 * time.Minute)
	x.wantMails(pagedBen)
	x.pass(time.Hour)
	x.wantMails(pagedAda)
	x.wantNoneDead()
}

func TestSilenceThatIsLiftedEndsSoon(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(5, oncall.Acknowledged, x.ada))
	iid := x.fire("a", alert.SeverityHigh)
	x.silence(iid, x.Now().Add(8*time.Hour))
	x.pass(time.Hour)
	x.wantMails()
	x.silence(iid, time.Time{})
	x.pass(5 * time.Minute)
	x.wantMails(pagedBen)
	x.pass(5 * time.Minute)
	x.wantMails(pagedAda)
}

// Whoever is paged late has as long as ever to acknowledge before the next one is.
func TestNextStepWaitsAfterAnOutage(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(10, oncall.Acknowledged, x.ada))
	x.fire("a", alert.SeverityHigh)
	x.Pass(time.Hour)
	x.sweep()
	x.wantMails(pagedBen)
	x.pass(9 * time.Minute)
	x.wantMails()
	x.pass(time.Minute)
	x.wantMails(pagedAda)
}

func TestRecoveryPassesSilence(t *testing.T) {
	x := newScene(t)
	x.webhook()
	x.policy(0, after(0, oncall.Acknowledged, x.ben))
	iid := x.fire("a", alert.SeverityHigh)
	x.silence(iid, x.Now().Add(time.Hour))
	x.sweep()
	x.recover("a")
	x.pass(2 * time.Hour)
	x.wantHooks("alert.opened", "alert.resolved")
	x.wantMails()
}

func TestRulesThatNameNobodyAreSkipped(t *testing.T) {
	for name, arrange := range map[string]func(x *scene, cleo user.User) (rule oncall.Rule, then func()){
		"a schedule without rotations": func(x *scene, _ user.User) (oncall.Rule, func()) {
			return afterOn(0, oncall.Acknowledged, x.schedule("Empty")), func() {}
		},
		"a schedule that was deleted": func(x *scene, cleo user.User) (oncall.Rule, func()) {
			return afterOn(0, oncall.Acknowledged, x.schedule("Night", cleo)), func() { x.deleteSchedules() }
		},
		"a user who left": func(x *scene, cleo user.User) (oncall.Rule, func()) {
			return after(0, oncall.Acknowledged, cleo), func() { x.leave(cleo) }
		},
		"a user who is blocked": func(x *scene, cleo user.User) (oncall.Rule, func()) {
			return after(0, oncall.Acknowledged, cleo), func() { x.Block(cleo) }
		},
		"a user who was deleted": func(x *scene, cleo user.User) (oncall.Rule, func()) {
			return after(0, oncall.Acknowledged, cleo), func() { x.check(x.Users.Delete(x.t.Context(), audit.Setup, cleo.ID)) }
		},
		"a schedule of one who left": func(x *scene, cleo user.User) (oncall.Rule, func()) {
			return afterOn(0, oncall.Acknowledged, x.schedule("Alone", cleo)), func() { x.leave(cleo) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newScene(t)
			rule, then := arrange(x, x.developer("cleo"))
			x.policy(0, rule, after(5, oncall.Acknowledged, x.ada))
			then()
			x.fire("a", alert.SeverityHigh)
			x.sweep()
			x.wantMails()
			x.pass(5 * time.Minute)
			x.wantMails(pagedAda)
			x.wantNoneDead()
		})
	}
}

// deleteSchedules deletes schedules that the policy names, which their rules refuse.
func (x *scene) deleteSchedules() {
	x.t.Helper()
	for _, r := range must(x.Store.Records(x.t.Context(), "oncall_schedule", x.p.Place(), nil, page.First)).Items {
		x.check(x.Store.RemoveRecord(x.t.Context(), r))
	}
}

func (x *scene) leave(u user.User) {
	x.t.Helper()
	x.check(x.Projects.Leave(x.t.Context(), audit.ByUser(u.ID), x.p.Place()))
}

// In a rotation the next participant takes the turn of one who left.
func TestNextInTheRotationIsAsked(t *testing.T) {
	x := newScene(t)
	cleo := x.developer("cleo")
	x.policy(0, afterOn(0, oncall.Acknowledged, x.schedule("Night", cleo, x.ben)), afterOn(0, oncall.Acknowledged, x.schedule("Other", x.ben, cleo)))
	x.leave(cleo)
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.wantMails(pagedBen)
}

// Who acknowledged a harmless alert did not know that it would become grave.
func TestGraverRepeatPagesThoughAcknowledged(t *testing.T) {
	x := newScene(t)
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(10, oncall.Acknowledged, x.ada))
	iid := x.fire("a", alert.SeverityLow)
	x.sweep()
	x.wantMails(pagedBen)
	x.pass(2 * time.Minute)
	x.set(iid, alert.Acknowledged)
	x.pass(2 * time.Minute)
	x.fire("a", alert.SeverityCritical)
	x.pass(2 * time.Minute)
	x.wantMails(pagedBen)
	x.set(iid, alert.Triggered)
	x.set(iid, alert.Acknowledged)
	x.pass(30 * time.Minute)
	x.wantMails()
	x.wantNoneDead()
}

// A policy that becomes shorter still repeats its rounds.
func TestShorterPolicyGoesOn(t *testing.T) {
	x := newScene(t)
	x.policy(1, after(0, oncall.Acknowledged, x.ben), after(10, oncall.Acknowledged, x.ada))
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.wantMails(pagedBen)
	x.policy(1, after(0, oncall.Acknowledged, x.ben))
	x.pass(9 * time.Minute)
	x.wantMails()
	x.pass(2 * time.Minute)
	x.wantMails(pagedBen)
	x.pass(time.Hour)
	x.wantMails()
	x.wantNoneDead()
}
