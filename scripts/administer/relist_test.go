package main

import (
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/attention"
	"gatehouse/shared/audit"
	"gatehouse/shared/incident"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/user"
)

// Of a release before there was a home, relisting lists the projects of groups and what waits
// for people, and has the dispatcher count.
func TestRelistingGivesPeopleAHome(t *testing.T) {
	options := emulated(t)
	store := dynamodb.New(options)
	a := apptest.Over(t, store)
	ada := a.User("ada")
	acme := a.Group("acme", project.Group{}, ada, project.Private)
	h := house{App: a, t: t, root: ada, web: a.Project("web", acme, project.Private)}
	h.assign(ada)
	forgetHome(t, options)
	h.wantHome(store, 0)
	for range 2 { // it can be repeated
		if err := relist(t.Context(), store, a.Now(), io.Discard); err != nil {
			t.Fatal(err)
		}
		h.wantHome(store, 1)
	}
}

// assign gives the user an alert and an incident.
func (h house) assign(u user.User) {
	h.t.Helper()
	h.report(h.occurrence("disk", alert.SeverityHigh))
	was, err := h.Alerts.Current(h.t.Context(), h.web, 1)
	if err == nil {
		_, err = h.Alerts.Change(h.t.Context(), audit.Setup, h.web, was, alert.Change{AssigneeID: &u.ID})
	}
	if err == nil {
		_, err = h.Incidents.Create(h.t.Context(), audit.Setup, h.web, incident.Draft{Title: "Down", Severity: alert.SeverityHigh, AssigneeID: u.ID})
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// wantHome checks how many projects, alerts, incidents and messages to count lead to the home
// of root.
func (h house) wantHome(store *dynamodb.Store, want int) {
	h.t.Helper()
	ctx := h.t.Context()
	listed := ok[[]attention.Needing](h.t)(store.ProjectsBelow(ctx, h.web.Lineage, true, 9))
	alerts := ok[[]alert.Alert](h.t)(store.AssignedAlerts(ctx, h.root.ID, 9, h.Now()))
	incidents, _, err := h.Incidents.AssignedTo(ctx, h.root.ID, 9)
	if err != nil {
		h.t.Fatal(err)
	}
	counts := ok[[]outbox.Message](h.t)(store.Waiting(ctx, alert.Recount(h.web.ID, "", h.Now()).Lane, 9))
	if len(listed) != want || len(alerts) != want || len(incidents) != want || len(counts) != want {
		h.t.Errorf("%d projects, %d alerts, %d incidents and %d messages are listed, want %d of each", len(listed), len(alerts), len(incidents), len(counts), want)
	}
}

// forgetHome removes what releases before did not store.
func forgetHome(t *testing.T, o dynamodb.Options) {
	t.Helper()
	c := o.Client()
	for table, later := range map[string][]string{
		"directory": {"ATTENTION#", "ENTRY#incidents-user-"}, "alerts": {"ASSIGNED#"}, "messages": {"LANE#counts/"},
	} {
		name := aws.String(o.Prefix + "-" + table)
		out, err := c.Scan(t.Context(), &sdk.ScanInput{TableName: name})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range out.Items {
			pk, sk := it["pk"].(*types.AttributeValueMemberS).Value, it["sk"].(*types.AttributeValueMemberS).Value
			for _, prefix := range later {
				if !strings.HasPrefix(pk, prefix) && !strings.HasPrefix(sk, prefix) {
					continue
				}
				if _, err := c.DeleteItem(t.Context(), &sdk.DeleteItemInput{TableName: name, Key: map[string]types.AttributeValue{"pk": it["pk"], "sk": it["sk"]}}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
