package storagetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse/shared/errortracking"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
)

var errorTracking = []promise{
	{"is switched by settings", switchTracking},
	{"is changed only where it is set up, unless the change says so", changeMissingTracking},
	{"keeps what a change leaves out", keepTracking},
	{"forgets what a change empties", emptyTracking},
	{"is not stored as it cannot be", refuseTracking},
	{"has its token sealed anew", resealTracking},
	{"changed by many at once keeps every change", changeTrackingRace},
	{"set up by many at once keeps every change", createTrackingRace},
	{"has client keys", addClientKeys},
	{"has each key's id once", takenClientKey},
	{"lists keys by the page", listClientKeys},
	{"removes keys", removeClientKey},
	{"removes a key once", removeClientKeyRace},
	{"goes with its project", deleteTrackedProject},
	{"is of a project", trackingOfNoProject},
}

func addTrackedProject(t *testing.T, s storage.Store) project.Project {
	t.Helper()
	return addProject(t, s, addGroup(t, s, addUser(t, s).ID))
}

// elsewhere is a change to an external tracker that can be used.
func elsewhere() errortracking.Change {
	api, token := "https://tracker.example/api/0/projects/acme/web-shop/", []byte("sealed\x00")
	name, link := "Käse 🧀", "https://tracker.example/acme"
	return errortracking.Change{
		Create: true, Active: true, Integrated: new(bool),
		APIURL: &api, SealedToken: &token, ProjectName: &name, TrackerURL: &link,
	}
}

func integrated(active, create bool) errortracking.Change {
	yes := true
	return errortracking.Change{Create: create, Active: active, Integrated: &yes}
}

func external(active, create bool) errortracking.Change {
	return errortracking.Change{Create: create, Active: active, Integrated: new(bool)}
}

// changeTracking makes a change that must succeed, and returns the settings.
func changeTracking(t *testing.T, s storage.Store, projectID int64, c errortracking.Change) errortracking.Settings {
	t.Helper()
	return must[errortracking.Settings](t)(s.ChangeTracking(t.Context(), projectID, c))
}

// wantTracking checks what a change returned and what is stored.
func wantTracking(t *testing.T, s storage.Store, call string, got, want errortracking.Settings) {
	t.Helper()
	stored := must[errortracking.Settings](t)(s.TrackingSettings(t.Context(), want.ProjectID))
	wantSame(t, "TrackingSettings after "+call, stored, want)
	if got.Integrated {
		got.External = want.External // need not be there
	}
	wantSame(t, call, got, want)
}

func switchTracking(t *testing.T, s storage.Store) {
	p := addTrackedProject(t, s)
	steps := []struct {
		change errortracking.Change
		want   errortracking.Settings
	}{
		{external(false, true), errortracking.Settings{}},
		{integrated(true, true), errortracking.Settings{Active: true, Integrated: true}},
		{errortracking.Change{}, errortracking.Settings{Integrated: true}},
		{errortracking.Change{Active: true}, errortracking.Settings{Active: true, Integrated: true}},
		{integrated(false, true), errortracking.Settings{Integrated: true}},
		{integrated(true, false), errortracking.Settings{Active: true, Integrated: true}},
		{external(false, false), errortracking.Settings{}},
		{errortracking.Change{}, errortracking.Settings{}},
		{integrated(true, false), errortracking.Settings{Active: true, Integrated: true}},
	}
	for _, step := range steps {
		step.want.ProjectID = p.ID
		wantTracking(t, s, "ChangeTracking", changeTracking(t, s, p.ID, step.change), step.want)
	}
}

func changeMissingTracking(t *testing.T, s storage.Store) {
	p := addTrackedProject(t, s)
	_, err := s.TrackingSettings(t.Context(), p.ID)
	wantError(t, "TrackingSettings of a project without", err, errortracking.ErrNotFound)
	move := elsewhere()
	move.Create = false
	for _, c := range []errortracking.Change{integrated(true, false), external(false, false), {Active: true}, {}, move} {
		_, err = s.ChangeTracking(t.Context(), p.ID, c)
		wantError(t, "ChangeTracking of a project without", err, errortracking.ErrNotFound)
	}
	_, err = s.TrackingSettings(t.Context(), p.ID)
	wantError(t, "TrackingSettings after changes of what is not there", err, errortracking.ErrNotFound)
}

func keepTracking(t *testing.T, s storage.Store) {
	p := addTrackedProject(t, s)
	want := must[errortracking.Settings](t)(elsewhere().Apply(errortracking.Settings{ProjectID: p.ID}))
	wantTracking(t, s, "ChangeTracking", changeTracking(t, s, p.ID, elsewhere()), want)

	link := "https://tracker.example/other"
	for _, c := range []errortracking.Change{
		{}, {Active: true}, integrated(true, false), {}, {Active: true, TrackerURL: &link}, integrated(true, true),
		external(true, false), external(false, true), {Active: true},
	} {
		want = must[errortracking.Settings](t)(c.Apply(want))
		wantTracking(t, s, fmt.Sprintf("ChangeTracking %+v", c), changeTracking(t, s, p.ID, c), want)
	}
}

func emptyTracking(t *testing.T, s storage.Store) {
	p := addTrackedProject(t, s)
	changeTracking(t, s, p.ID, elsewhere())
	empty, none := "", []byte(nil)
	c := errortracking.Change{APIURL: &empty, ProjectName: &empty, TrackerURL: &empty, SealedToken: &none}
	wantTracking(t, s, "ChangeTracking", changeTracking(t, s, p.ID, c), errortracking.Settings{ProjectID: p.ID})
}

func resealTracking(t *testing.T, s storage.Store) {
	p := addTrackedProject(t, s)
	anew := []byte("anew")
	wantOK(t, "PutSealedToken without settings", s.PutSealedToken(t.Context(), p.ID, []byte("sealed"), anew))
	_, err := s.TrackingSettings(t.Context(), p.ID)
	wantError(t, "TrackingSettings", err, errortracking.ErrNotFound)
	want := changeTracking(t, s, p.ID, elsewhere())
	was := want.External.SealedToken
	want.External.SealedToken = anew
	for range 2 { // the second time it is another
		wantOK(t, "PutSealedToken", s.PutSealedToken(t.Context(), p.ID, was, anew))
		wantTracking(t, s, "PutSealedToken", want, want)
		anew = []byte("later")
	}
}

func refuseTracking(t *testing.T, s storage.Store) {
	p := addTrackedProject(t, s)
	_, err := s.ChangeTracking(t.Context(), p.ID, external(true, true))
	wantError(t, "ChangeTracking to no tracker", err, fault.Invalid)
	_, err = s.TrackingSettings(t.Context(), p.ID)
	wantError(t, "TrackingSettings", err, errortracking.ErrNotFound)

	want := changeTracking(t, s, p.ID, external(false, true))
	odd := "ftp://tracker.example"
	for _, c := range []errortracking.Change{external(true, true), external(true, false), {Active: true}, {APIURL: &odd}} {
		_, err = s.ChangeTracking(t.Context(), p.ID, c)
		wantError(t, "ChangeTracking to what cannot be used", err, fault.Invalid)
	}
	wantTracking(t, s, "refused changes", want, want)

	token := []byte("sealed")
	want = changeTracking(t, s, p.ID, errortracking.Change{SealedToken: &token})
	_, err = s.ChangeTracking(t.Context(), p.ID, errortracking.Change{Active: true})
	wantComplaint(t, "ChangeTracking without an address", err, "api_url", "can't be blank")
	wantTracking(t, s, "a refused change", want, want)
}

// many are changes that commute, because each changes another field.
func many() []errortracking.Change {
	c := elsewhere()
	name, link := "Other", "https://tracker.example/other"
	return []errortracking.Change{
		{Create: true, Integrated: new(bool), APIURL: c.APIURL, SealedToken: c.SealedToken},
		{Create: true, Integrated: new(bool), ProjectName: &name},
		{Create: true, Integrated: new(bool), TrackerURL: &link},
	}
}

func wantMany(t *testing.T, s storage.Store, projectID int64) {
	t.Helper()
	changes := many()
	for i, err := range race(len(changes), func(i int) error {
		_, err := s.ChangeTracking(t.Context(), projectID, changes[i])
		return err
	}) {
		wantOK(t, fmt.Sprintf("ChangeTracking %d", i), err)
	}
	want := errortracking.Settings{ProjectID: projectID}
	for _, c := range changes {
		want = must[errortracking.Settings](t)(c.Apply(want))
	}
	wantTracking(t, s, "concurrent changes", want, want)
}

func changeTrackingRace(t *testing.T, s storage.Store) {
	p := addTrackedProject(t, s)
	changeTracking(t, s, p.ID, external(false, true))
	wantMany(t, s, p.ID)
}

func createTrackingRace(t *testing.T, s storage.Store) {
	wantMany(t, s, addTrackedProject(t, s).ID)
}

// addClientKey adds a key that is so much newer than the others.
func addClientKey(t *testing.T, s storage.Store, projectID int64, later time.Duration) errortracking.ClientKey {
	t.Helper()
	k := errortracking.NewClientKey(projectID, now.Add(later))
	wantOK(t, "AddClientKey", s.AddClientKey(t.Context(), k))
	return k
}

func wantClientKeys(t *testing.T, s storage.Store, projectID int64, want ...errortracking.ClientKey) {
	t.Helper()
	got := must[page.Of[errortracking.ClientKey]](t)(s.ClientKeys(t.Context(), projectID, page.First))
	wantSame(t, "ClientKeys", got.Items, want)
}

func addClientKeys(t *testing.T, s storage.Store) {
	p, other := addTrackedProject(t, s), addTrackedProject(t, s)
	wantClientKeys(t, s, p.ID)
	first := addClientKey(t, s, p.ID, 0)
	inactive := errortracking.NewClientKey(p.ID, now.Add(time.Second))
	inactive.Active = false
	wantOK(t, "AddClientKey", s.AddClientKey(t.Context(), inactive))
	theirs := addClientKey(t, s, other.ID, 0)
	wantClientKeys(t, s, p.ID, inactive, first)
	wantClientKeys(t, s, other.ID, theirs)
}

func takenClientKey(t *testing.T, s storage.Store) {
	p, other := addTrackedProject(t, s), addTrackedProject(t, s)
	first := addClientKey(t, s, p.ID, 0)
	for _, projectID := range []int64{p.ID, other.ID} {
		again := errortracking.NewClientKey(projectID, now.Add(time.Second))
		again.ID = first.ID
		wantError(t, "AddClientKey with a taken id", s.AddClientKey(t.Context(), again), errortracking.ErrKeyTaken)
	}
	wantClientKeys(t, s, p.ID, first)
	wantClientKeys(t, s, other.ID)
}

func listClientKeys(t *testing.T, s storage.Store) {
	p := addTrackedProject(t, s)
	var want []errortracking.ClientKey
	for i := range listed {
		want = append(want, addClientKey(t, s, p.ID, time.Duration(i)*time.Microsecond))
	}
	slices.Reverse(want)
	wantListed(t, "ClientKeys", want, func(r page.Request) (page.Of[errortracking.ClientKey], error) {
		return s.ClientKeys(t.Context(), p.ID, r)
	})
}

func removeClientKey(t *testing.T, s storage.Store) {
	p, other := addTrackedProject(t, s), addTrackedProject(t, s)
	kept, gone := addClientKey(t, s, p.ID, 0), addClientKey(t, s, p.ID, time.Second)
	_, err := s.RemoveClientKey(t.Context(), other.ID, gone.ID)
	wantError(t, "RemoveClientKey of another project", err, errortracking.ErrKeyNotFound)
	_, err = s.RemoveClientKey(t.Context(), p.ID, unknownID)
	wantError(t, "RemoveClientKey of an unknown id", err, errortracking.ErrKeyNotFound)
	wantClientKeys(t, s, p.ID, gone, kept)

	removed := must[errortracking.ClientKey](t)(s.RemoveClientKey(t.Context(), p.ID, gone.ID))
	wantSame(t, "RemoveClientKey", removed, gone)
	_, err = s.RemoveClientKey(t.Context(), p.ID, gone.ID)
	wantError(t, "RemoveClientKey again", err, errortracking.ErrKeyNotFound)
	wantClientKeys(t, s, p.ID, kept)
}

func removeClientKeyRace(t *testing.T, s storage.Store) {
	p := addTrackedProject(t, s)
	k := addClientKey(t, s, p.ID, 0)
	errs := race(8, func(int) error {
		_, err := s.RemoveClientKey(t.Context(), p.ID, k.ID)
		return err
	})
	wantOneWinner(t, "RemoveClientKey", errs, is(errortracking.ErrKeyNotFound))
}

func deleteTrackedProject(t *testing.T, s storage.Store) {
	p := addTrackedProject(t, s)
	changeTracking(t, s, p.ID, elsewhere())
	var keys []errortracking.ClientKey
	for i := range 3 * listed {
		keys = append(keys, addClientKey(t, s, p.ID, time.Duration(i)))
	}
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))

	_, err := s.TrackingSettings(t.Context(), p.ID)
	wantError(t, "TrackingSettings", err, errortracking.ErrNotFound)
	wantClientKeys(t, s, p.ID)
	for _, k := range keys {
		_, err = s.RemoveClientKey(t.Context(), p.ID, k.ID)
		wantError(t, "RemoveClientKey", err, errortracking.ErrKeyNotFound)
	}
}

func trackingOfNoProject(t *testing.T, s storage.Store) {
	for _, c := range []errortracking.Change{integrated(true, true), external(false, true), elsewhere()} {
		_, err := s.ChangeTracking(t.Context(), unknownID, c)
		wantError(t, "ChangeTracking without a project", err, project.ErrNotFound)
	}
	_, err := s.TrackingSettings(t.Context(), unknownID)
	wantError(t, "TrackingSettings", err, errortracking.ErrNotFound)
	k := errortracking.NewClientKey(unknownID, now)
	wantError(t, "AddClientKey without a project", s.AddClientKey(t.Context(), k), project.ErrNotFound)
	wantClientKeys(t, s, unknownID)
}
