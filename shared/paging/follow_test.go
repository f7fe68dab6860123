package paging_test

import (
	"fmt"
	"testing"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/incident"
	"gatehouse/shared/integration"
	"gatehouse/shared/oncall"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/webhook"
)

func TestIncidentIsOpenedOnceAndClosedByTheRecovery(t *testing.T) {
	x := newScene(t)
	x.webhook()
	x.settings(integration.SettingsChange{CreateIncident: ptr(true), IncidentTemplate: ptr("Call the baker.")})
	iid := x.fire("Oven cold", alert.SeverityHigh)
	x.sweep()
	x.fire("Oven cold", alert.SeverityCritical)
	x.sweep()
	all := x.incidents()
	if len(all) != 1 || all[0].Thing.Title != "Oven cold" || all[0].Thing.Severity != alert.SeverityHigh {
		t.Fatalf("incidents %+v", all)
	}
	if a := must(x.Alerts.Alert(t.Context(), x.p.ID, iid)); a.IncidentIID != all[0].Number {
		t.Errorf("the alert has the incident %d", a.IncidentIID)
	}
	x.wantHooks("alert.opened", "alert.graver", "incident.opened")
	x.recover("Oven cold")
	x.pass(time.Minute)
	if got := x.incidents()[0].Thing.State; got != incident.Closed {
		t.Errorf("the incident is %s", got)
	}
	got := x.wantHooks("alert.resolved", "incident.closed")
	for _, h := range got {
		if h.Data["incident_iid"] != 1.0 {
			t.Errorf("%s has the incident %v", h.Type, h.Data["incident_iid"])
		}
	}
	x.fire("Oven cold", alert.SeverityHigh)
	x.sweep()
	x.wantHooks("alert.opened", "incident.opened")
	x.wantNoneDead()
}

func TestRecoveryLeavesIncidentOpenWhereTheSettingSaysSo(t *testing.T) {
	x := newScene(t)
	x.settings(integration.SettingsChange{CreateIncident: ptr(true), AutoCloseIncident: ptr(false)})
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.recover("a")
	x.sweep()
	if got := x.incidents()[0].Thing.State; got != incident.Opened {
		t.Errorf("the incident is %s", got)
	}
}

// Whoever closes an incident resolves its alert, which pages nobody any more.
func TestClosedIncidentEndsTheEscalation(t *testing.T) {
	x := newScene(t)
	x.settings(integration.SettingsChange{CreateIncident: ptr(true)})
	x.policy(0, after(0, oncall.Acknowledged, x.ben), after(10, oncall.Resolved, x.ada))
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.wantMails(pagedBen)
	must(x.Incidents.Change(t.Context(), x.by, x.p, x.incidents()[0], incident.Change{State: ptr(incident.Closed)}))
	x.pass(time.Hour)
	x.wantMails()
}

func TestAssigneeIsTold(t *testing.T) {
	x := newScene(t)
	x.settings(integration.SettingsChange{CreateIncident: ptr(true)})
	iid := x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.changeBy(audit.ByUser(x.ben.ID), iid, alert.Change{AssigneeID: ptr(x.ben.ID)})
	x.pass(2 * time.Minute)
	x.wantMails() // who takes it knows
	x.changeBy(audit.ByUser(x.ben.ID), iid, alert.Change{AssigneeID: ptr(x.ada.ID)})
	x.pass(2 * time.Minute)
	x.wantMails("ada: Alert assigned to you")
	x.change(iid, alert.Change{AssigneeID: ptr(int64(0))})
	x.pass(2 * time.Minute)
	x.wantMails()
	must(x.Incidents.Change(t.Context(), x.by, x.p, x.incidents()[0], incident.Change{AssigneeID: ptr(x.ben.ID)}))
	x.pass(2 * time.Minute)
	x.wantMails("ben: Incident assigned to you")
	must(x.Incidents.Change(t.Context(), x.by, x.p, x.incidents()[0], incident.Change{AssigneeID: ptr(x.ada.ID)}))
	x.pass(2 * time.Minute)
	x.wantMails()
}

func TestMaintainersAreTold(t *testing.T) {
	x := newScene(t)
	mia := x.User("mia")
	x.Member(x.p.Place(), mia, project.Maintainer)
	x.settings(integration.SettingsChange{SendEmail: ptr(true)})
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.wantMails(pagedAda, "mia: Alert opened")
	x.pass(time.Hour)
	x.recover("a")
	x.sweep()
	x.wantMails("ada: Alert resolved", "mia: Alert resolved")
	x.pass(time.Hour)
	x.wantMails()
}

func TestManyMaintainersAreTold(t *testing.T) {
	x := newScene(t)
	want := []string{pagedAda}
	for _, name := range names(170, "mia%d") {
		x.Member(x.p.Place(), x.User(name), project.Maintainer)
		want = append(want, name+": Alert opened")
	}
	x.settings(integration.SettingsChange{SendEmail: ptr(true)})
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.wantMails(want...)
}

// Messages about one alert come in their order, also to a webhook that was out of reach.
func TestWebhooksHaveTheirOrder(t *testing.T) {
	x := newScene(t)
	x.webhook()
	down := true
	x.Receiver.Answers = func(webhook.Request) (webhook.Answer, error) {
		if down {
			return webhook.Answer{Status: 503}, nil
		}
		return webhook.Answer{Status: 200}, nil
	}
	iid := x.fire("a", alert.SeverityHigh)
	for _, s := range []alert.Status{alert.Acknowledged, alert.Triggered, alert.Resolved} {
		x.set(iid, s)
	}
	x.sweep()
	x.told, down = len(x.Receiver.Got()), false
	x.pass(time.Minute)
	var got []string
	ids := map[string]bool{}
	for _, request := range x.Receiver.Got()[x.told:] {
		ids[request.Header["webhook-id"]] = true
	}
	for _, h := range x.wantHooks("alert.opened", "alert.acknowledged", "alert.triggered", "alert.resolved") {
		got = append(got, h.Type)
	}
	if want := "[alert.opened alert.acknowledged alert.triggered alert.resolved]"; len(ids) != 4 || fmt.Sprint(got) != want {
		t.Errorf("%d ids, order %v", len(ids), got)
	}
}

func TestRetriedWebhookKeepsItsID(t *testing.T) {
	x := newScene(t)
	x.webhook()
	x.Receiver.Answers = unreachable
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	x.Receiver.Answers = nil
	x.pass(time.Minute)
	got := x.Receiver.Got()
	if len(got) != 2 || got[0].Header["webhook-id"] != got[1].Header["webhook-id"] || got[0].Header["webhook-id"] == "" {
		t.Errorf("got %+v", got)
	}
}

// Whoever deletes a project wants to hear no more of it.
func TestNothingFollowsInADeletedProject(t *testing.T) {
	for name, waits := range map[string]func(x *scene){
		"the alert":    func(*scene) {},
		"the steps":    func(x *scene) { x.sweep() },
		"the delivery": func(x *scene) { x.Receiver.Answers = unreachable; x.sweep() },
		"the mails":    func(x *scene) { x.box.refuse = refused; x.sweep() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newScene(t)
			x.webhook()
			x.settings(integration.SettingsChange{CreateIncident: ptr(true), SendEmail: ptr(true)})
			x.policy(2, after(0, oncall.Acknowledged, x.ben), after(10, oncall.Resolved, x.ada))
			x.fire("a", alert.SeverityHigh)
			waits(x)
			x.check(x.Projects.DeleteProject(t.Context(), x.by, x.p))
			x.Receiver.Answers, x.box.refuse, x.box.got, x.told = nil, nil, nil, len(x.Receiver.Got())
			x.pass(2 * time.Hour)
			x.wantMails()
			x.wantHooks()
			x.wantNoneDead()
			if left := x.left(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestWebhookThatIsDeletedMeanwhileGetsNothing(t *testing.T) {
	x := newScene(t)
	x.webhook()
	x.Receiver.Answers = unreachable
	x.fire("a", alert.SeverityHigh)
	x.sweep()
	all := must(x.Webhooks.List(t.Context(), x.p, page.First))
	x.check(x.Webhooks.Delete(t.Context(), x.by, x.p, all.Items[0]))
	x.told = len(x.Receiver.Got())
	x.pass(time.Hour)
	x.wantHooks()
	x.wantNoneDead()
}
