package record_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/storage/sqlite/sqlitetest"
)

type shelf struct {
	Name  string   `json:"name"`
	Books []string `json:"books"`
}

var shelves = record.Of[shelf]{
	Kind:  "shelf",
	Words: func(s shelf) record.Words { return record.Words{"name": s.Name} },
}

// arrange returns a store with one shelf.
func arrange(t *testing.T) (record.Store, record.Stored[shelf]) {
	t.Helper()
	s := sqlitetest.Open(t)
	made, err := shelves.Create(t.Context(), s, record.Instance, shelf{Name: "Poems"}, time.UnixMicro(1))
	if err != nil {
		t.Fatal(err)
	}
	return s, made
}

func wantShelf(t *testing.T, s record.Store, id int64, want shelf) {
	t.Helper()
	got, err := shelves.Find(t.Context(), s, record.Instance, id)
	if diff := cmp.Diff(want, got.Thing); err != nil || diff != "" {
		t.Errorf("Find = %v, differs (-want +got):\n%s", err, diff)
	}
}

func TestThingsAreFoundAndListed(t *testing.T) {
	s, made := arrange(t)
	wantShelf(t, s, made.ID, shelf{Name: "Poems"})
	byName, err := shelves.FindByWord(t.Context(), s, record.Instance, "name", "POEMS")
	if err != nil || byName.ID != made.ID || byName.Thing.Name != "Poems" {
		t.Errorf("FindByWord = %+v, %v, want the shelf", byName, err)
	}
	listed, err := shelves.List(t.Context(), s, record.Instance, page.First)
	if err != nil || len(listed.Items) != 1 || listed.Items[0].Thing.Name != "Poems" || listed.Total != 1 {
		t.Errorf("List = %+v, %v, want the shelf", listed, err)
	}
	_, err = shelves.Create(t.Context(), s, record.Instance, shelf{Name: "poems"}, time.UnixMicro(1))
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("Create with a taken name = %v, want a complaint", err)
	}
}

// Every change begins with the same shelf, which all but the first one have to read
// again.
func TestNoConcurrentChangeIsLost(t *testing.T) {
	s, made := arrange(t)
	errs := make([]error, 8)
	var callers sync.WaitGroup
	for n := range errs {
		callers.Go(func() {
			_, errs[n] = shelves.Change(t.Context(), s, made, func(s *shelf) error {
				s.Books = append(s.Books, strconv.Itoa(n))
				return nil
			})
		})
	}
	callers.Wait()
	got, err := shelves.Find(t.Context(), s, record.Instance, made.ID)
	if err := errors.Join(append(errs, err)...); err != nil || len(got.Thing.Books) != len(errs) {
		t.Errorf("after %d changes the shelf is %+v, %v", len(errs), got.Thing, err)
	}
}

// A thing that is not there yet is made by its first change, and the changes of all
// who found none are kept.
func TestNoFirstChangeIsLost(t *testing.T) {
	s, _ := arrange(t)
	settings := record.Of[shelf]{Kind: "settings"}
	errs := make([]error, 8)
	var callers sync.WaitGroup
	for n := range errs {
		was, err := settings.FindOr(t.Context(), s, record.Instance, 0, shelf{Name: "default"}, time.UnixMicro(1))
		if err != nil || was.Thing.Name != "default" {
			t.Fatalf("FindOr = %+v, %v, want the default", was, err)
		}
		callers.Go(func() {
			_, errs[n] = settings.Change(t.Context(), s, was, func(s *shelf) error {
				s.Books = append(s.Books, strconv.Itoa(n))
				return nil
			})
		})
	}
	callers.Wait()
	got, err := settings.Find(t.Context(), s, record.Instance, 0)
	if err := errors.Join(append(errs, err)...); err != nil || len(got.Thing.Books) != len(errs) || got.Thing.Name != "default" {
		t.Errorf("after %d changes there is %+v, %v", len(errs), got.Thing, err)
	}
}

func TestARefusedEditStoresNothing(t *testing.T) {
	s, made := arrange(t)
	refusal := errors.New("no")
	_, err := shelves.Change(t.Context(), s, made, func(s *shelf) error {
		s.Name = "Prose"
		return refusal
	})
	if !errors.Is(err, refusal) {
		t.Errorf("Change = %v, want the refusal", err)
	}
	wantShelf(t, s, made.ID, shelf{Name: "Poems"})
}

func TestAThingIsRemovedAsItIsNow(t *testing.T) {
	s, made := arrange(t)
	_, err := shelves.Change(t.Context(), s, made, func(s *shelf) error {
		s.Name = "Prose"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := shelves.Remove(t.Context(), s, made); err != nil {
		t.Errorf("Remove = %v", err)
	}
	if err := shelves.Remove(t.Context(), s, made); !fault.Is(err, fault.NotFound) {
		t.Errorf("Remove again = %v, want not found", err)
	}
	for _, name := range []string{"Poems", "Prose"} { // are free
		if _, err := shelves.Create(t.Context(), s, record.Instance, shelf{Name: name}, time.UnixMicro(2)); err != nil {
			t.Errorf("Create = %v", err)
		}
	}
}

func TestSearchKeepsWhatItIsAskedFor(t *testing.T) {
	s, made := arrange(t)
	other, err := shelves.Create(t.Context(), s, record.Instance, shelf{Name: "Prose"}, time.UnixMicro(2))
	if err != nil {
		t.Fatal(err)
	}
	for want, keep := range map[int64]func(record.Stored[shelf]) bool{
		made.ID:  func(s record.Stored[shelf]) bool { return s.Thing.Name == "Poems" },
		other.ID: func(s record.Stored[shelf]) bool { return s.ID == other.ID },
		0:        func(record.Stored[shelf]) bool { return false },
	} {
		found, err := shelves.Search(t.Context(), s, record.Instance, keep, page.First)
		if err != nil || (len(found.Items) == 1) != (want != 0) || len(found.Items) == 1 && found.Items[0].ID != want || found.Total != -1 {
			t.Errorf("Search = %+v, %v, want the shelf %d", found, err, want)
		}
	}
}

// What cannot be decoded is an error everywhere, and no search passes it over.
func TestWhatIsNoThingIsReported(t *testing.T) {
	s, made := arrange(t)
	numbers := record.Of[int]{Kind: "shelf"}
	_, finding := numbers.Find(t.Context(), s, record.Instance, made.ID)
	_, otherwise := numbers.FindOr(t.Context(), s, record.Instance, made.ID, 7, time.UnixMicro(1))
	_, byWord := numbers.FindByWord(t.Context(), s, record.Instance, "name", "Poems")
	_, listing := numbers.List(t.Context(), s, record.Instance, page.First)
	_, searching := numbers.Search(t.Context(), s, record.Instance, func(record.Stored[int]) bool { return false }, page.First)
	for call, err := range map[string]error{"Find": finding, "FindOr": otherwise, "FindByWord": byWord, "List": listing, "Search": searching} {
		if err == nil || fault.KindOf(err) != "" {
			t.Errorf("%s = %v, want an internal error", call, err)
		}
	}
	if _, err := (record.Of[func()]{Kind: "shelf"}).Create(t.Context(), s, record.Instance, func() {}, time.UnixMicro(1)); err == nil {
		t.Error("Create stores what JSON cannot say")
	}
}

func TestAThingThatIsNotThere(t *testing.T) {
	s, _ := arrange(t)
	_, finding := shelves.Find(t.Context(), s, record.Instance, 99)
	_, byWord := shelves.FindByWord(t.Context(), s, record.Instance, "name", "Prose")
	for call, err := range map[string]error{"Find": finding, "FindByWord": byWord} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s = %v, want not found", call, err)
		}
	}
}

// Each of these characters takes one byte, not six.
func TestEncodeLeavesMarkupAsItIs(t *testing.T) {
	if got, err := record.Encode("<&>"); string(got) != `"<&>"` || err != nil {
		t.Errorf("Encode = %s, %v", got, err)
	}
}

// Things are in the lists that follow from them, and leave them with a change.
func TestThingsAreInLists(t *testing.T) {
	s := sqlitetest.Open(t)
	withBooks := record.List{Place: record.Instance, Name: "with books"}
	lent := record.Of[shelf]{Kind: "lent shelf", Lists: func(at project.Place, s shelf) []record.List {
		if len(s.Books) == 0 {
			return nil
		}
		return []record.List{{Place: at, Name: withBooks.Name}}
	}}
	made, err := lent.Create(t.Context(), s, record.Instance, shelf{Name: "Poems", Books: []string{"Odes"}}, time.UnixMicro(1))
	if err != nil {
		t.Fatal(err)
	}
	found, err := lent.FindListed(t.Context(), s, withBooks, made.ID)
	if err != nil || found.Thing.Name != "Poems" {
		t.Errorf("FindListed = %+v, %v, want the shelf", found, err)
	}
	for name, want := range map[string]int{"Poems": 1, "Prose": 0} {
		keep := func(s record.Stored[shelf]) bool { return s.Thing.Name == name }
		listed, err := lent.Listed(t.Context(), s, []record.List{withBooks}, record.Find[shelf]{Keep: keep}, page.First)
		if err != nil || len(listed.Items) != want {
			t.Errorf("Listed with the name %s = %+v, %v, want %d", name, listed, err, want)
		}
	}
	if _, err := lent.Change(t.Context(), s, found, func(s *shelf) error { s.Books = nil; return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := lent.FindListed(t.Context(), s, withBooks, made.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("FindListed of an empty shelf = %v, want not found", err)
	}
}
