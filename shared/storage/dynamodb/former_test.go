package dynamodb_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/user"
)

// formerStore makes changes as a function of the release before lists.
type formerStore struct {
	t       *testing.T
	options dynamodb.Options
}

func (f formerStore) update(pk, sk, expression string, values map[string]types.AttributeValue) {
	f.t.Helper()
	names := map[string]string{}
	for _, name := range []string{"name", "visibility", "version", "children", "settings"} {
		if strings.Contains(expression, "#"+name) {
			names["#"+name] = name
		}
	}
	_, err := f.options.Client().UpdateItem(f.t.Context(), &sdk.UpdateItemInput{
		TableName: aws.String(f.options.Prefix + "-directory"), Key: keyOf(pk, sk), UpdateExpression: aws.String(expression),
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	})
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f formerStore) remove(pk, sk string) {
	f.t.Helper()
	if err := remove(f.t, f.options.Client(), aws.String(f.options.Prefix+"-directory"), keyOf(pk, sk)); err != nil {
		f.t.Fatal(err)
	}
}

func keyOf(pk, sk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"pk": word(pk), "sk": word(sk)}
}

func word(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func numeral(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func padded(id int64) string { return fmt.Sprintf("%019d", id) }

// changeProject changes the name and the visibility.
func (f formerStore) changeProject(p project.Project, name string, v project.Visibility) {
	f.t.Helper()
	changed := map[string]types.AttributeValue{":name": word(name), ":v": word(string(v))}
	f.update("LIST#projects", padded(p.ID), "SET #name = :name, #visibility = :v", changed)
	changed[":version"] = numeral(p.Version + 1)
	f.update(fmt.Sprintf("PROJECT#%d", p.ID), "PROJECT", "SET #name = :name, #visibility = :v, #version = :version", changed)
}

// changeGroup changes the visibility.
func (f formerStore) changeGroup(g project.Group, v project.Visibility) {
	f.t.Helper()
	changed := map[string]types.AttributeValue{":v": word(string(v))}
	f.update("LIST#groups", padded(g.ID), "SET #visibility = :v", changed)
	changed[":version"] = numeral(g.Version + 1)
	f.update(fmt.Sprintf("GROUP#%d", g.ID), "GROUP", "SET #visibility = :v, #version = :version", changed)
}

func (f formerStore) deleteProject(p project.Project) {
	f.t.Helper()
	f.remove(fmt.Sprintf("PROJECT#%d", p.ID), "PROJECT")
	f.remove("PATH#"+p.FullPath, "PATH")
	f.remove("LIST#projects", padded(p.ID))
	f.update(fmt.Sprintf("GROUP#%d", p.NamespaceID), "GROUP", "ADD #children :n", map[string]types.AttributeValue{":n": numeral(-1)})
}

func (f formerStore) deleteGroup(g project.Group) {
	f.t.Helper()
	f.remove(fmt.Sprintf("GROUP#%d", g.ID), "GROUP")
	f.remove("PATH#"+g.FullPath, "PATH")
	f.remove("LIST#groups", padded(g.ID))
	if g.ParentID != 0 {
		f.update(fmt.Sprintf("GROUP#%d", g.ParentID), "GROUP", "ADD #children :n", map[string]types.AttributeValue{":n": numeral(-1)})
	}
}

func (f formerStore) deleteUser(u user.User) {
	f.t.Helper()
	f.remove(fmt.Sprintf("GROUP#%d", u.NamespaceID), "GROUP")
	f.remove(fmt.Sprintf("USER#%d", u.ID), "USER")
	f.remove("PATH#"+u.Username, "PATH")
	f.remove("EMAIL#"+u.Email, "EMAIL")
	f.remove("LIST#users", padded(u.ID))
}

// change makes changes to the tree, which is listed.
func (f formerStore) change(all *tree, s *dynamodb.Store) {
	f.t.Helper()
	others := []project.Visibility{project.Private, project.Public, project.Internal}
	for n, p := range all.projects {
		f.changeProject(p, unique("renamed"), others[n%3])
	}
	for n, g := range all.groups {
		f.changeGroup(g, others[n%3])
	}
	admin := addUser(f.t, s)
	top := addGroup(f.t, s, project.Group{}, unique("top"), admin.ID)
	below := newGroup(top, unique("below"))
	below.Visibility = project.Public
	below = must[project.Group](f.t)(s.CreateGroup(f.t.Context(), below, admin.ID))
	p := newProject(below)
	p.Visibility = project.Internal
	p = must[project.Project](f.t)(s.CreateProject(f.t.Context(), p))
	f.deleteProject(p)
	f.deleteGroup(below)
	f.deleteProject(all.projects[0])
	all.projects = all.projects[1:]
	f.deleteUser(addUser(f.t, s))
	lone := addGroup(f.t, s, project.Group{}, unique("lone"), admin.ID)
	f.deleteProject(must[project.Project](f.t)(s.CreateProject(f.t.Context(), newProject(lone))))
	f.deleteGroup(lone)
}

// again reads what changed in the tree.
func (all *tree) again(t *testing.T, s *dynamodb.Store) {
	t.Helper()
	for n, p := range all.projects {
		all.projects[n] = must[project.Project](t)(s.Project(t.Context(), p.ID))
	}
	for n, g := range all.groups {
		all.groups[n] = must[project.Group](t)(s.Group(t.Context(), g.ID))
	}
}

// wantPrivate checks that a list for everybody shows nothing private.
func wantPrivate(t *testing.T, s *dynamodb.Store) {
	t.Helper()
	first := page.Request{Number: 1, Size: 100}
	for _, p := range must[page.Of[project.Project]](t)(s.Projects(t.Context(), project.Selection{}, first)).Items {
		if p.Visibility == project.Private {
			t.Errorf("everybody is shown the private project %d", p.ID)
		}
	}
	for _, g := range must[page.Of[project.Group]](t)(s.Groups(t.Context(), project.Selection{}, first)).Items {
		if g.Visibility == project.Private {
			t.Errorf("everybody is shown the private group %d", g.ID)
		}
	}
}

// wantNoLeftovers checks that the lists have nothing but what exists.
func wantNoLeftovers(t *testing.T, o dynamodb.Options) {
	t.Helper()
	exist, entries := map[string]bool{}, map[string]string{}
	eachItem(t, o, func(_ *sdk.Client, _ *string, pk string, it map[string]types.AttributeValue) error {
		sk := it["sk"].(*types.AttributeValueMemberS).Value
		switch {
		case sk == "GROUP" || sk == "PROJECT":
			exist[pk] = true
		case strings.HasPrefix(pk, "BELOW#"):
			kind, id, _ := strings.Cut(sk[strings.Index(sk, "#")+1:], "#")
			entries[pk+" "+sk] = fmt.Sprintf("%s#%s", strings.ToUpper(kind), strings.TrimLeft(id, "0"))
		case strings.HasPrefix(pk, "LIST#visible-"):
			kind := strings.TrimSuffix(strings.TrimPrefix(pk, "LIST#visible-"), "s")
			entries[pk+" "+sk] = fmt.Sprintf("%s#%s", strings.ToUpper(kind), strings.TrimLeft(sk, "0"))
		}
		return nil
	})
	for entry, of := range entries {
		if !exist[of] {
			t.Errorf("the entry %s is of %s, which does not exist", entry, of)
		}
	}
}

// Functions of the release before change and delete what is listed. Nothing private
// is shown because of that, and FillLists brings the lists and the counts in order,
// also beside changes.
func TestFillListsAfterChangesOfAnEarlierRelease(t *testing.T) {
	for _, beside := range []bool{false, true} {
		t.Run(fmt.Sprintf("beside changes: %t", beside), func(t *testing.T) {
			o := options(t)
			s := openWith(t, o)
			all := newTree(t, s)
			formerStore{t, o}.change(&all, s)
			wantPrivate(t, s)
			all.again(t, s)

			var filling sync.WaitGroup
			for range 2 {
				filling.Go(func() {
					if _, err := dynamodb.New(o).FillLists(t.Context()); err != nil {
						t.Errorf("FillLists = %v", err)
					}
				})
			}
			if beside {
				all.change(t, s)
			}
			filling.Wait()
			all.wantInOrder(t, o)
			if filled, err := s.FillLists(t.Context()); filled != 0 || err != nil {
				t.Errorf("FillLists again = %d, %v, want nothing left to do", filled, err)
			}
		})
	}
}

// wantInOrder checks that the lists have what is stored.
func (all tree) wantInOrder(t *testing.T, o dynamodb.Options) {
	t.Helper()
	got := all.lists(t, dynamodb.New(o))
	unmark(t, o)
	want := all.lists(t, dynamodb.New(o))
	if _, err := dynamodb.New(o).FillLists(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantDirectory(t, "brought in order", got, want)
	wantNoLeftovers(t, o)
}

// A change that a function of this release makes to what one of the release before
// changed leaves nothing of it behind.
func TestChangeAfterOneOfAnEarlierRelease(t *testing.T) {
	o := options(t)
	s := openWith(t, o)
	all := newTree(t, s)
	former := formerStore{t, o}
	for n, p := range all.projects {
		former.changeProject(p, unique("renamed"), []project.Visibility{project.Private, project.Public, project.Internal}[n%3])
	}
	for n, g := range all.groups {
		former.changeGroup(g, []project.Visibility{project.Private, project.Public, project.Internal}[n%3])
	}
	all.again(t, s)
	for n, p := range all.projects {
		if n%3 == 1 {
			if err := s.DeleteProject(t.Context(), p.ID); err != nil {
				t.Fatal(err)
			}
			continue
		}
		p.Name = unique("again")
		if err := s.UpdateProject(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range all.groups {
		g.Name = unique("again")
		if err := s.UpdateGroup(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	if filled, err := s.FillLists(t.Context()); filled != 0 || err != nil {
		t.Errorf("FillLists = %d, %v, want nothing left to do", filled, err)
	}
	all.wantInOrder(t, o)
}

// removeMember ends a membership of a group.
func (f formerStore) removeMember(m project.Member) {
	f.t.Helper()
	f.remove(fmt.Sprintf("GROUP#%d", m.ID), "MEMBER#"+padded(m.UserID))
	f.remove(fmt.Sprintf("USER#%d", m.UserID), "MEMBER#group#"+padded(m.ID))
}
