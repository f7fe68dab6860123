package dynamodb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"gatehouse/shared/audit"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// entryAt returns the entry with this number at a time.
func entryAt(n int, name audit.Name, at time.Time) audit.Entry {
	return audit.Entry{
		ID: fmt.Sprintf("%016x%016x", at.UnixMicro(), n), At: at,
		Event: audit.Event{Name: name, ActorID: 7, UserID: 7, Details: audit.Details{}, Outcome: audit.Done},
	}
}

func writeEntries(t *testing.T, s storage.Store, entries ...audit.Entry) {
	t.Helper()
	for _, e := range entries {
		if err := s.WriteEntry(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// lastYear selects everybody's entries with this name.
func lastYear(name audit.Name) audit.Filter {
	return audit.Filter{Everybody: true, Name: name, From: now.Add(-audit.Retention), Until: now.Add(time.Hour), Size: 30}
}

// However rare an event is, a page of it is three steps.
func TestRareEventsAreListedInThreeSteps(t *testing.T) {
	o, counter := options(t), &dynamodbtest.Steps{}
	o.HTTPClient = counter
	s := openWith(t, o)
	rare := entryAt(1, "rare", now.AddDate(0, -10, 0))
	writeEntries(t, s, rare, entryAt(2, "usual", now), entryAt(3, "usual", now.AddDate(0, -5, 0)))
	ofUser := lastYear("rare")
	ofUser.Everybody, ofUser.UserID = false, 7
	for name, test := range map[string]struct {
		f     audit.Filter
		want  int
		steps int
	}{
		"absent": {lastYear("absent"), 0, 3}, "rare": {lastYear("rare"), 1, 3}, "all": {lastYear(""), 3, 3}, "of a user": {ofUser, 1, 1},
	} {
		var found audit.Page
		var err error
		steps, widest := counter.During(func() { found, err = s.Entries(t.Context(), test.f) })
		if err != nil || len(found.Entries) != test.want || steps > test.steps || widest > 9 {
			t.Errorf("%s: %d entries, %v, in %d steps of up to %d requests, want %d in %d of up to 9",
				name, len(found.Entries), err, steps, widest, test.want, test.steps)
		}
	}
}

// The events of one name in a project are looked for among 500 entries at a time.
func TestEventsOfAProjectAreSearched(t *testing.T) {
	s := open(t)
	const web = 9
	var all []audit.Entry
	for n := range 501 {
		e := entryAt(n, "usual", now.Add(-time.Minute))
		if n == 0 {
			e.Name = "rare" // the oldest
		}
		e.ProjectID = web
		all = append(all, e)
	}
	inParallel(t, len(all), func(n int) error { return s.WriteEntry(t.Context(), all[n]) })
	f := audit.Filter{ProjectID: web, Name: "rare", From: now.Add(-time.Hour), Until: now, Size: 30}
	first := must[audit.Page](t)(s.Entries(t.Context(), f))
	if f.Before = first.Next; len(first.Entries) != 0 || f.Before == "" {
		t.Fatalf("the first look finds %d entries, next %q, want none and a next", len(first.Entries), first.Next)
	}
	second := must[audit.Page](t)(s.Entries(t.Context(), f))
	if diff := gocmp.Diff(audit.Page{Entries: all[:1]}, second); diff != "" {
		t.Errorf("the second look (-want +got):\n%s", diff)
	}
}

// What a release before wrote gets into the lists that it did not have.
func TestAuditIsListedAnew(t *testing.T) {
	o := options(t)
	s, db := openWith(t, o), o.Client()
	old := entryAt(1, "old", now.AddDate(0, -3, 0))
	writeEntries(t, s, old)
	key := func(pk string) map[string]types.AttributeValue {
		return map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: pk}, "sk": &types.AttributeValueMemberS{Value: "AUDIT#" + old.ID},
		}
	}
	table, month := aws.String(o.Prefix+"-tokens"), "AUDIT#"+old.At.Format("2006-01")
	stored := must[*sdk.GetItemOutput](t)(db.GetItem(t.Context(), &sdk.GetItemInput{TableName: table, Key: key(month)}))
	stored.Item["pk"] = &types.AttributeValueMemberS{Value: "AUDIT#" + old.At.Format(time.DateOnly)}
	delete(stored.Item, "project_id")
	must[*sdk.PutItemOutput](t)(db.PutItem(t.Context(), &sdk.PutItemInput{TableName: table, Item: stored.Item}))
	for _, pk := range []string{month, month + "#old"} {
		must[*sdk.DeleteItemOutput](t)(db.DeleteItem(t.Context(), &sdk.DeleteItemInput{TableName: table, Key: key(pk)}))
	}
	for n := range 3 {
		for _, name := range []audit.Name{"", "old"} {
			want := audit.Page{}
			if n > 0 {
				want.Entries = []audit.Entry{old}
			}
			if diff := gocmp.Diff(want, must[audit.Page](t)(s.Entries(t.Context(), lastYear(name)))); diff != "" {
				t.Errorf("listed anew %d times, by the name %q (-want +got):\n%s", n, name, diff)
			}
		}
		if err := s.ListAuditAnew(t.Context(), now); err != nil {
			t.Fatal(err)
		}
	}
}
