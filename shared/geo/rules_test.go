package geo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/geo"
	"gatehouse/shared/page"
)

// arranged is an instance with an administrator.
type arranged struct {
	*apptest.App
	by audit.Actor
}

func arrange(t *testing.T) arranged {
	t.Helper()
	a := apptest.New(t)
	return arranged{a, audit.ByUser(a.Admin("root").ID)}
}

func ptr[T any](v T) *T { return &v }

// called is a new site with this name.
func called(name string) geo.Change {
	return geo.Change{Name: &name, URL: ptr("https://" + strings.ToLower(name) + ".example")}
}

func (a arranged) add(t *testing.T, primary bool, c geo.Change) geo.StoredSite {
	t.Helper()
	s, err := a.Geo.Create(t.Context(), a.by, primary, c)
	if err != nil {
		t.Fatalf("Create = %v", err)
	}
	return s
}

func (a arranged) want(t *testing.T, id int64, want geo.Site) {
	t.Helper()
	got, err := a.Geo.Site(t.Context(), id)
	if diff := cmp.Diff(want, got.Thing, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("Site(%d) = %v, differs (-want +got):\n%s", id, err, diff)
	}
}

func TestSitesChangeFieldByField(t *testing.T) {
	a := arrange(t)
	s := a.add(t, false, called("Berlin"))
	want := geo.Site{
		Name: "Berlin", URL: "https://berlin.example", Enabled: true,
		Limits: geo.Limits{Files: 10, Repositories: 10, Verifications: 100, ContainerRepositories: 10, MinimumReverificationInterval: 7},
	}
	a.want(t, s.ID, want)
	for _, step := range []struct {
		change geo.Change
		apply  func()
	}{
		{geo.Change{}, func() {}},
		{geo.Change{Name: ptr("Bonn")}, func() { want.Name = "Bonn" }},
		{geo.Change{URL: ptr("http://bonn.example:8080/x")}, func() { want.URL = "http://bonn.example:8080/x" }},
		{geo.Change{InternalURL: ptr("http://10.0.0.1")}, func() { want.InternalURL = "http://10.0.0.1" }},
		{geo.Change{InternalURL: ptr("")}, func() { want.InternalURL = "" }},
		{geo.Change{Enabled: ptr(false)}, func() { want.Enabled = false }},
		{geo.Change{Files: ptr[int64](0)}, func() { want.Files = 0 }},
		{geo.Change{Repositories: ptr[int64](1_000_000)}, func() { want.Repositories = 1_000_000 }},
		{geo.Change{Verifications: ptr[int64](3)}, func() { want.Verifications = 3 }},
		{geo.Change{ContainerRepositories: ptr[int64](4)}, func() { want.ContainerRepositories = 4 }},
		{geo.Change{ReverificationInterval: ptr[int64](1)}, func() { want.MinimumReverificationInterval = 1 }},
		{geo.Change{SyncType: ptr(geo.Shards)}, func() { want.Type = geo.Shards }},
		{geo.Change{Shards: []string{"a", "b"}}, func() { want.Shards = []string{"a", "b"} }},
		{geo.Change{NamespaceIDs: []int64{1, 2}}, func() { want.NamespaceIDs = []int64{1, 2} }},
		{geo.Change{SyncObjectStorage: ptr(true)}, func() { want.SyncObjectStorage = true }},
		{geo.Change{Shards: []string{}, NamespaceIDs: []int64{}, SyncType: ptr(geo.Everything)}, func() {
			want.Shards, want.NamespaceIDs, want.Type = nil, nil, geo.Everything
		}},
	} {
		step.apply()
		var err error
		if s, err = a.Geo.Change(t.Context(), a.by, s, step.change); err != nil {
			t.Fatalf("Change(%+v) = %v", step.change, err)
		}
		a.want(t, s.ID, want)
	}
}

func TestInternal(t *testing.T) {
	for internal, want := range map[string]string{"": "https://a.example", "http://10.0.0.1": "http://10.0.0.1"} {
		if got := (geo.Site{URL: "https://a.example", InternalURL: internal}).Internal(); got != want {
			t.Errorf("Internal with %q = %q, want %q", internal, got, want)
		}
	}
}

func TestSitesThatAreRefused(t *testing.T) {
	a := arrange(t)
	a.add(t, true, called("Berlin"))
	const (
		noURL, outOfRange = "must be an http or https URL", "is out of range"
		longURL           = "is too long (maximum is 255 characters)"
	)
	url := func(n int) *string {
		return ptr("https://a.example/" + strings.Repeat("ü", n-len("https://a.example/")))
	}
	words := func(n int) []string { return strings.Fields(strings.Repeat("x ", n)) }
	for _, test := range []struct {
		change geo.Change
		want   fault.Fields
	}{
		{geo.Change{Name: ptr(" ")}, fault.Fields{"name": {"can't be blank"}}},
		{geo.Change{Name: ptr("BERLIN")}, fault.Fields{"name": {fault.Taken}}},
		{geo.Change{URL: ptr("")}, fault.Fields{"url": {"can't be blank"}}},
		{geo.Change{URL: url(256)}, fault.Fields{"url": {longURL}}},
		{geo.Change{URL: ptr("ftp://a.example")}, fault.Fields{"url": {noURL}}},
		{geo.Change{URL: ptr("https://:80")}, fault.Fields{"url": {noURL}}},
		{geo.Change{URL: ptr("https://a b")}, fault.Fields{"url": {noURL}}},
		{geo.Change{URL: ptr("https://me@a.example")}, fault.Fields{"url": {"must not contain credentials"}}},
		{geo.Change{InternalURL: ptr("x")}, fault.Fields{"internal_url": {noURL}}},
		{geo.Change{InternalURL: url(256)}, fault.Fields{"internal_url": {longURL}}},
		{geo.Change{Files: ptr[int64](-1)}, fault.Fields{"files_max_capacity": {outOfRange}}},
		{geo.Change{Files: ptr[int64](1_000_001)}, fault.Fields{"files_max_capacity": {outOfRange}}},
		{geo.Change{Repositories: ptr[int64](-1)}, fault.Fields{"repos_max_capacity": {outOfRange}}},
		{geo.Change{Verifications: ptr[int64](-1)}, fault.Fields{"verification_max_capacity": {outOfRange}}},
		{geo.Change{ContainerRepositories: ptr[int64](-1)}, fault.Fields{"container_repositories_max_capacity": {outOfRange}}},
		{geo.Change{ReverificationInterval: ptr[int64](0)}, fault.Fields{"minimum_reverification_interval": {outOfRange}}},
		{geo.Change{Shards: words(101)}, fault.Fields{"selective_sync_shards": {"has too many (maximum is 100)"}}},
		{geo.Change{Shards: []string{"a", "", " "}}, fault.Fields{"selective_sync_shards": {"can't be blank"}}},
		{geo.Change{NamespaceIDs: make([]int64, 1001)}, fault.Fields{"selective_sync_namespace_ids": {"has too many (maximum is 1000)"}}},
		{geo.Change{Name: ptr(""), URL: ptr("x"), Files: ptr[int64](-1)}, fault.Fields{"name": {"can't be blank"}, "url": {noURL}, "files_max_capacity": {outOfRange}}},
		{geo.Change{URL: url(255), InternalURL: url(255), Shards: words(100), NamespaceIDs: make([]int64, 1000)}, nil},
	} {
		c := called("Bonn")
		if test.change.Name == nil {
			test.change.Name = c.Name
		}
		if test.change.URL == nil {
			test.change.URL = c.URL
		}
		_, err := a.Geo.Create(t.Context(), a.by, false, test.change)
		apptest.WantComplaints(t, fmt.Sprintf("Create(%.99v)", test.change), err, test.want)
	}
}

// One site alone is primary, and it is enabled.
func TestThePrimarySite(t *testing.T) {
	a := arrange(t)
	disabled := fault.Fields{"enabled": {"cannot be false for the primary site"}}
	c := called("Berlin")
	c.Enabled = ptr(false)
	_, err := a.Geo.Create(t.Context(), a.by, true, c)
	apptest.WantComplaints(t, "Create", err, disabled)
	s := a.add(t, true, called("Berlin"))
	_, err = a.Geo.Change(t.Context(), a.by, s, geo.Change{Enabled: ptr(false)})
	apptest.WantComplaints(t, "Change", err, disabled)
	_, err = a.Geo.Create(t.Context(), a.by, true, called("Bonn"))
	apptest.WantComplaints(t, "Create of a second one", err, fault.Fields{"primary": {fault.Taken}})
	if err := a.Geo.Delete(t.Context(), a.by, s); err != nil {
		t.Errorf("Delete = %v", err)
	}
	a.add(t, true, called("Bonn"))
}

func TestSitesAreListedAndDeleted(t *testing.T) {
	a := arrange(t)
	first, second := a.add(t, true, called("Berlin")), a.add(t, false, called("Bonn"))
	if !first.CreatedAt.Equal(a.Now()) {
		t.Errorf("the site is of %v, want the present", first.CreatedAt)
	}
	list, err := a.Geo.Sites(t.Context(), page.First)
	if err != nil || len(list.Items) != 2 || list.Items[0].ID != second.ID || list.Items[1].ID != first.ID {
		t.Errorf("Sites = %+v, %v, want both, the newest first", list, err)
	}
	if err := a.Geo.Delete(t.Context(), a.by, first); err != nil {
		t.Errorf("Delete = %v", err)
	}
	_, finding := a.Geo.Site(t.Context(), first.ID)
	_, changing := a.Geo.Change(t.Context(), a.by, first, geo.Change{})
	_, reporting := a.Geo.Report(t.Context(), first, geo.Status{})
	for call, err := range map[string]error{"Site": finding, "Change": changing, "Report": reporting, "Delete": a.Geo.Delete(t.Context(), a.by, first)} {
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("%s of a deleted site = %v, want not found", call, err)
		}
	}
}

func TestReportsReplaceTheStatusAlone(t *testing.T) {
	a := arrange(t)
	was := a.add(t, false, called("Berlin"))
	if _, err := a.Geo.Change(t.Context(), a.by, was, geo.Change{Files: ptr[int64](3)}); err != nil {
		t.Fatal(err)
	}
	want := was.Thing
	want.Files = 3
	for _, want.Status = range []geo.Status{{Members: raw{"a": []byte("1")}, Health: "Healthy", Healthy: true}, {Health: "Unknown"}} {
		reported, err := a.Geo.Report(t.Context(), was, want.Status) // was is of before the change
		if diff := cmp.Diff(want, reported.Thing); diff != "" || err != nil {
			t.Errorf("Report = %v, differs (-want +got):\n%s", err, diff)
		}
		a.want(t, was.ID, want)
	}
}

func TestTheTrailHasEveryDeed(t *testing.T) {
	a := arrange(t)
	s := a.add(t, false, called("Berlin"))
	a.Geo.Repair(t.Context(), a.by, s)
	if _, err := a.Geo.Report(t.Context(), s, geo.Status{}); err != nil {
		t.Fatal(err)
	}
	s, err := a.Geo.Change(t.Context(), a.by, s, geo.Change{Name: ptr("Bonn")})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Geo.Delete(t.Context(), a.by, s); err != nil {
		t.Fatal(err)
	}
	found, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: a.by.UserID, Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, e := range found.Entries {
		got[fmt.Sprint(e.Name, " ", e.Details["geo_site"], " ", e.Details["url"])] = true
	}
	const url = " https://berlin.example"
	want := map[string]bool{
		"geo_site.created Berlin" + url: true, "geo_site.repaired Berlin" + url: true, "geo_site.changed Bonn" + url: true, "geo_site.deleted Bonn" + url: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the trail differs (-want +got):\n%s", diff)
	}
}
