package intake_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
)

// OpenAlert finds none: only a replay looks for one.
func (*store) OpenAlert(context.Context, int64, alert.Fingerprint) (alert.Alert, error) {
	return alert.Alert{}, alert.ErrNotFound
}

// replaying is a project with an integration whose payloads are replayed.
type replaying struct {
	*apptest.App
	t       *testing.T
	project project.Project
	integration.Integration
}

func newReplaying(t *testing.T) *replaying {
	t.Helper()
	a := apptest.New(t)
	r := &replaying{App: a, t: t, project: a.Project("web", a.Group("acme", project.Group{}, a.User("ada"), project.Private), project.Private)}
	i, err := a.Integrations.Create(t.Context(), audit.Setup, r.project, integration.Draft{Name: "Tool", Type: integration.HTTP, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	r.Integration = i
	return r
}

func (r *replaying) mapped(text string) {
	r.t.Helper()
	mapping := []byte(text)
	if _, err := r.Integrations.Change(r.t.Context(), audit.Setup, r.project, r.ID, integration.Change{Mapping: &mapping}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *replaying) send(body string) {
	r.t.Helper()
	if _, err := r.Intake.Test(r.t.Context(), r.project, r.Integration, []byte(body)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *replaying) kept(iid int64) intake.Kept {
	r.t.Helper()
	whole, err := r.Alerts.WholeAlert(r.t.Context(), r.project.ID, iid)
	if err != nil {
		r.t.Fatal(err)
	}
	return intake.Kept{Of: whole}
}

// want has the payload foreseen and then replayed: what is foreseen is what happens, with the
// number of an alert that is opened then.
func (r *replaying) want(kept intake.Kept, foreseen, did alert.Recorded) {
	r.t.Helper()
	would, err := r.Intake.Foresee(r.t.Context(), r.project, r.Integration, kept)
	if diff := cmp.Diff([]alert.Recorded{foreseen}, would.Alerts); err != nil || diff != "" {
		r.t.Errorf("Foresee: %v (-want +got):\n%s", err, diff)
	}
	done, err := r.Intake.Replay(r.t.Context(), audit.Setup, r.project, r.Integration, kept)
	if diff := cmp.Diff([]alert.Recorded{did}, done.Alerts); err != nil || diff != "" {
		r.t.Errorf("Replay: %v (-want +got):\n%s", err, diff)
	}
}

// A payload goes through the mapping as it is now, and does what a payload of the tool does.
func TestReplay(t *testing.T) {
	r := newReplaying(t)
	r.send(`{"what":"Disk full","id":1,"state":"on"}`)
	r.mapped(`{"title":{"path":["what"],"type":"STRING"},"fingerprint":{"path":["id"],"type":"STRING"}}`)
	first := r.kept(1)
	r.want(first, alert.Recorded{Outcome: alert.Opened, Title: "Disk full"}, alert.Recorded{Outcome: alert.Opened, IID: 2, Title: "Disk full"})
	again := alert.Recorded{Outcome: alert.Repeated, IID: 2, Title: "Disk full"}
	r.want(first, again, again)
	if events := r.kept(2).Of.Events; events != 2 {
		t.Errorf("the alert has %d events, want 2: a replay counts", events)
	}
	r.Pass(time.Minute)
	r.send(`{"what":"Disk full","id":1,"more":true}`)
	newest := r.kept(2)
	newest.Newest = true
	r.want(newest, again, again)

	r.mapped(`{"title":{"path":["what"],"type":"STRING"},"fingerprint":{"path":["id"],"type":"STRING"},"resolved_when":{"source":{"path":["state"]},"equals":["on"]}}`)
	ends := alert.Recorded{Outcome: alert.Recovered, IID: 2, Title: "Disk full"}
	r.want(first, ends, ends)
	if _, err := r.Intake.Replay(t.Context(), audit.Setup, r.project, r.Integration, first); !fault.Is(err, fault.Invalid) {
		t.Errorf("a recovery that finds no alert is %v, want an invalid payload", err)
	}
}

// Of a list the part that the alert keeps is read again, as a part.
func TestReplayAPartOfAPayload(t *testing.T) {
	r := newReplaying(t)
	r.mapped(`{"split":{"path":["data","list"]},"title":{"path":["n"],"type":"STRING"},"fingerprint":{"path":["n"],"type":"STRING"}}`)
	r.send(`{"data":{"list":[{"n":"one"},{"n":"two"}]}}`)
	again := alert.Recorded{Outcome: alert.Repeated, IID: 2, Title: "two"}
	r.want(r.kept(2), again, again)
}

func TestWhatCannotBeReplayed(t *testing.T) {
	r := newReplaying(t)
	r.send(`{"title":"A"}`)
	newest := r.kept(1)
	newest.Newest = true
	elsewhere := r.kept(1)
	elsewhere.Of.IntegrationID++
	r.refuses("a repeat that was not kept", newest, fault.NotFound)
	r.refuses("an alert of another integration", elsewhere, fault.NotFound)
	off := false
	if _, err := r.Integrations.Change(t.Context(), audit.Setup, r.project, r.ID, integration.Change{Active: &off}); err != nil {
		t.Fatal(err)
	}
	r.refuses("a payload of an inactive integration", r.kept(1), fault.Forbidden)
}

func (r *replaying) refuses(name string, kept intake.Kept, kind fault.Kind) {
	r.t.Helper()
	if _, err := r.Intake.Foresee(r.t.Context(), r.project, r.Integration, kept); !fault.Is(err, kind) {
		r.t.Errorf("%s is foreseen: %v", name, err)
	}
	if _, err := r.Intake.Replay(r.t.Context(), audit.Setup, r.project, r.Integration, kept); !fault.Is(err, kind) {
		r.t.Errorf("%s is replayed: %v", name, err)
	}
}
