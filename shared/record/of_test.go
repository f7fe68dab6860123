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
