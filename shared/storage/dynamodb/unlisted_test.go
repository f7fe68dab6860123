package dynamodb_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	gocmp "github.com/google/go-cmp/cmp"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/user"
)

// former brings a directory to what earlier releases stored.
func former(t *testing.T, o dynamodb.Options) {
	t.Helper()
	eachItem(t, o, func(client *sdk.Client, table *string, pk string, it map[string]types.AttributeValue) error {
		for _, later := range []string{"BELOW#", "LIST#visible-", "COUNT#", "LISTS"} {
			if strings.HasPrefix(pk, later) {
				return remove(t, client, table, it)
			}
		}
		for name := range it {
			counts := strings.HasSuffix(name, "_groups") || strings.HasSuffix(name, "_projects")
			if counts || name == "listed" || name == "created_at" && pk == "LIST#projects" {
				delete(it, name)
			}
		}
		_, err := client.PutItem(t.Context(), &sdk.PutItemInput{TableName: table, Item: it})
		return err
	})
}

// unmark removes the mark that the lists are complete.
func unmark(t *testing.T, o dynamodb.Options) {
	t.Helper()
	eachItem(t, o, func(client *sdk.Client, table *string, pk string, it map[string]types.AttributeValue) error {
		if pk != "LISTS" {
			return nil
		}
		return remove(t, client, table, it)
	})
}

func remove(t *testing.T, client *sdk.Client, table *string, it map[string]types.AttributeValue) error {
	t.Helper()
	key := map[string]types.AttributeValue{"pk": it["pk"], "sk": it["sk"]}
	_, err := client.DeleteItem(t.Context(), &sdk.DeleteItemInput{TableName: table, Key: key})
	return err
}

func eachItem(t *testing.T, o dynamodb.Options, do func(*sdk.Client, *string, string, map[string]types.AttributeValue) error) {
	t.Helper()
	o.HTTPClient = nil
	client, input := o.Client(), &sdk.ScanInput{TableName: aws.String(o.Prefix + "-directory")}
	var all []map[string]types.AttributeValue
	for {
		out, err := client.Scan(t.Context(), input)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, out.Items...)
		if input.ExclusiveStartKey = out.LastEvaluatedKey; len(out.LastEvaluatedKey) == 0 {
			break
		}
	}
	for _, it := range all {
		if err := do(client, input.TableName, it["pk"].(*types.AttributeValueMemberS).Value, it); err != nil {
			t.Fatal(err)
		}
	}
}

// tree is a directory with nested groups, and projects of every visibility.
type tree struct {
	users    []user.User
	groups   []project.Group
	projects []project.Project
}

func newTree(t *testing.T, s *dynamodb.Store) (all tree) {
	t.Helper()
	visibilities := []project.Visibility{project.Public, project.Internal, project.Private}
	for n := range 3 {
		all.users = append(all.users, addUser(t, s))
		var g project.Group
		for _, v := range visibilities {
			next := newGroup(g, unique("group"))
			next.Visibility = v
			g = must[project.Group](t)(s.CreateGroup(t.Context(), next, all.users[0].ID))
			all.groups = append(all.groups, g)
			p := newProject(g)
			p.Visibility = v
			all.projects = append(all.projects, must[project.Project](t)(s.CreateProject(t.Context(), p)))
		}
		own := must[project.Group](t)(s.Group(t.Context(), all.users[n].NamespaceID))
		all.projects = append(all.projects, must[project.Project](t)(s.CreateProject(t.Context(), newProject(own))))
	}
	for n, p := range all.projects {
		m := project.Member{Place: p.Place(), UserID: all.users[1+n%2].ID, Role: project.Guest, CreatedAt: now}
		if err := s.AddMember(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// lists returns every list of the directory.
func (all tree) lists(t *testing.T, s *dynamodb.Store) map[string]any {
	t.Helper()
	selections := map[string]project.Selection{"all": {All: true}, "nobody": {}, "search": {All: true, Search: "project"}}
	for n, u := range all.users {
		own := project.Selection{In: []int64{u.NamespaceID, all.groups[n].ID, all.groups[n+3].ID}, MemberID: u.ID, Now: now}
		selections[u.Username] = own
		own.MembersOnly = true
		selections[u.Username+" as a member"] = own
	}
	lists := map[string]any{"users": must[page.Of[user.User]](t)(s.Users(t.Context(), page.First))}
	for name, selected := range selections {
		lists["projects "+name] = must[page.Of[project.Project]](t)(s.Projects(t.Context(), selected, page.Request{Number: 1, Size: 7}))
		lists["groups "+name] = must[page.Of[project.Group]](t)(s.Groups(t.Context(), selected, page.Request{Number: 1, Size: 7}))
	}
	for _, g := range all.groups {
		lists[fmt.Sprintf("widest below %d", g.ID)] = must[project.Visibility](t)(s.WidestBelow(t.Context(), g.ID))
	}
	return lists
}

// change changes, deletes and adds something of everything, all at once.
func (all tree) change(t *testing.T, s *dynamodb.Store) {
	var changes sync.WaitGroup
	do := func(call func() error) {
		changes.Go(func() {
			if err := call(); err != nil {
				t.Errorf("a change of an unlisted directory = %v", err)
			}
		})
	}
	for n, p := range all.projects {
		switch n % 3 {
		case 0:
			p.Visibility, p.Name = project.Internal, "Changed"
			do(func() error { return s.UpdateProject(t.Context(), p) })
		case 1:
			do(func() error { return s.DeleteProject(t.Context(), p.ID) })
		}
	}
	for n, g := range all.groups {
		g.Visibility = []project.Visibility{project.Private, project.Internal}[n%2]
		do(func() error { return s.UpdateGroup(t.Context(), g) })
		do(func() error { _, err := s.CreateProject(t.Context(), newProject(g)); return err })
	}
	do(func() error { _, err := s.CreateUser(t.Context(), newUser()); return err })
	changes.Wait()
}

// Lists stay as they were in a directory that an earlier release filled: before
// FillLists, after it, and with changes beside it.
func TestFillLists(t *testing.T) {
	o := options(t)
	all := newTree(t, openWith(t, o))
	want := all.lists(t, dynamodb.New(o))
	former(t, o)
	s := dynamodb.New(o)
	wantDirectory(t, "before they are filled", all.lists(t, s), want)

	var filling sync.WaitGroup
	filling.Go(func() {
		if filled, err := s.FillLists(t.Context()); filled == 0 || err != nil {
			t.Errorf("FillLists = %d, %v", filled, err)
		}
	})
	all.change(t, dynamodb.New(o))
	filling.Wait()
	got := all.lists(t, s)
	if filled, err := s.FillLists(t.Context()); filled != 0 || err != nil {
		t.Errorf("FillLists again = %d, %v, want nothing left to do", filled, err)
	}
	unmark(t, o)
	wantDirectory(t, "filled beside changes", got, all.lists(t, dynamodb.New(o)))
	if filled, err := dynamodb.New(o).FillLists(t.Context()); filled != 0 || err != nil {
		t.Errorf("FillLists without the mark = %d, %v, want nothing left to do", filled, err)
	}
	wantDirectory(t, "marked again", all.lists(t, dynamodb.New(o)), got)
}

func wantDirectory(t *testing.T, when string, got, want map[string]any) {
	t.Helper()
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("lists %s differ (-want +got):\n%s", when, diff)
	}
}

// stopping cancels the context of a call after so many requests.
type stopping struct {
	left atomic.Int32
	stop context.CancelFunc
}

func (s *stopping) Do(r *http.Request) (*http.Response, error) {
	if s.left.Add(-1) < 0 {
		s.stop()
	}
	return http.DefaultClient.Do(r)
}

// FillLists that was interrupted goes on where it was.
func TestFillListsIsRepeated(t *testing.T) {
	o := options(t)
	all := newTree(t, openWith(t, o))
	want := all.lists(t, dynamodb.New(o))
	former(t, o)
	rounds := 0
	for err := error(nil); rounds == 0 || err != nil; rounds++ {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		client := &stopping{stop: cancel}
		client.left.Store(int32(20 + 2*rounds))
		interrupted := o
		interrupted.HTTPClient = client
		_, err = dynamodb.New(interrupted).FillLists(ctx)
	}
	if rounds < 4 {
		t.Errorf("FillLists ended in round %d, want more of them", rounds)
	}
	wantDirectory(t, "filled in the end", all.lists(t, dynamodb.New(o)), want)
}
