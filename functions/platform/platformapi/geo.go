package platformapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"gatehouse/shared/auth"
	"gatehouse/shared/geo"
	"gatehouse/shared/page"
	"gatehouse/shared/web"
)

// geoFamily serves the geo sites below one of their two names. Addresses in its
// answers have that name.
type geoFamily struct {
	*api
	name, pages string // below /api/v4, and of the platform's pages below /admin/geo
	site        string // names the link to a site in its status
}

func (a *api) routeGeo(mux *web.Mux) {
	for _, f := range []*geoFamily{{a, "geo_sites", "sites", "site"}, {a, "geo_nodes", "nodes", "node"}} {
		admin, all := a.app.Auth.Admin(), "/api/v4/"+f.name
		one := all + "/{id}"
		mux.Handle("GET "+all, admin(f.list))
		mux.Handle("POST "+all, admin(f.create))
		mux.Handle("GET "+all+"/status", admin(f.listStatuses))
		mux.Handle("GET "+all+"/current/failures", admin(f.listFailures))
		mux.Handle("GET "+one, admin(f.of(f.show)))
		mux.Handle("PUT "+one, admin(f.of(f.change)))
		mux.Handle("DELETE "+one, admin(f.of(f.remove)))
		mux.Handle("GET "+one+"/status", admin(f.of(f.showStatus)))
		mux.Handle("PUT "+one+"/status", admin(f.of(f.report)))
		mux.Handle("POST "+one+"/repair", admin(f.of(f.repair)))
	}
}

const geoSite = "Geo Site"

func (f *geoFamily) of(next handlerOf[geo.StoredSite]) auth.UserHandler {
	return of(geoSite, f.app.Geo.Site, next)
}

// siteBody is a geo site on the wire.
type siteBody struct {
	ID                               int64         `json:"id"`
	Name                             string        `json:"name"`
	URL                              string        `json:"url"`
	InternalURL                      string        `json:"internal_url"`
	Primary                          bool          `json:"primary"`
	Enabled                          bool          `json:"enabled"`
	Current                          bool          `json:"current"`
	FilesMaxCapacity                 int64         `json:"files_max_capacity"`
	ReposMaxCapacity                 int64         `json:"repos_max_capacity"`
	VerificationMaxCapacity          int64         `json:"verification_max_capacity"`
	ContainerRepositoriesMaxCapacity int64         `json:"container_repositories_max_capacity"`
	SelectiveSyncType                *geo.SyncType `json:"selective_sync_type"` // null: everything
	SelectiveSyncShards              []string      `json:"selective_sync_shards"`
	SelectiveSyncNamespaceIDs        []int64       `json:"selective_sync_namespace_ids"`
	MinimumReverificationInterval    int64         `json:"minimum_reverification_interval"`
	SyncObjectStorage                bool          `json:"sync_object_storage"`
	WebEditURL                       string        `json:"web_edit_url"`
	WebGeoReplicationDetailsURL      string        `json:"web_geo_replication_details_url,omitempty"` // of sites that copy
	Links                            siteLinks     `json:"_links"`
}

type siteLinks struct {
	Self   string `json:"self"`
	Status string `json:"status"`
	Repair string `json:"repair"`
}

func (f *geoFamily) newSiteBody(stored geo.StoredSite) siteBody {
	s, self := stored.Thing, f.address(stored)
	body := siteBody{
		ID: stored.ID, Name: s.Name, URL: s.URL, InternalURL: s.Internal(), Primary: s.Primary, Enabled: s.Enabled, Current: f.isCurrent(s),
		FilesMaxCapacity: s.Files, ReposMaxCapacity: s.Repositories, VerificationMaxCapacity: s.Verifications,
		ContainerRepositoriesMaxCapacity: s.ContainerRepositories, MinimumReverificationInterval: s.MinimumReverificationInterval,
		SelectiveSyncShards: append([]string{}, s.Shards...), SelectiveSyncNamespaceIDs: append([]int64{}, s.NamespaceIDs...),
		SyncObjectStorage: s.SyncObjectStorage,
		WebEditURL:        f.page(stored) + "/edit",
		Links:             siteLinks{Self: self, Status: self + "/status", Repair: self + "/repair"},
	}
	if !s.Primary {
		body.WebGeoReplicationDetailsURL = f.page(stored) + "/replication/lfs_objects"
	}
	if s.Type != geo.Everything {
		body.SelectiveSyncType = &s.Type
	}
	return body
}

func (f *geoFamily) address(s geo.StoredSite) string {
	return fmt.Sprintf("%s/api/v4/%s/%d", f.app.BaseURL, f.name, s.ID)
}

// page returns the address of the platform's own page about the site.
func (f *geoFamily) page(s geo.StoredSite) string {
	return fmt.Sprintf("%s/admin/geo/%s/%d", strings.TrimSuffix(s.Thing.URL, "/"), f.pages, s.ID)
}

// isCurrent reports whether the site is the one that Gatehouse belongs to.
func (f *geoFamily) isCurrent(s geo.Site) bool {
	return slices.ContainsFunc([]string{s.URL, s.Internal()}, func(address string) bool {
		return strings.TrimSuffix(address, "/") == f.app.BaseURL
	})
}

func (f *geoFamily) list(w http.ResponseWriter, r *http.Request, _ auth.Caller) error {
	return listSites(f, w, r, f.newSiteBody)
}

func listSites[B any](f *geoFamily, w http.ResponseWriter, r *http.Request, body func(geo.StoredSite) B) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	sites, err := f.app.Geo.Sites(r.Context(), req)
	if err != nil {
		return err
	}
	return web.List(w, r, f.app.BaseURL, req, sites, body)
}

// readSite reads the parameters that a new site and a change have in common, but for
// the name and the address.
func readSite(params *web.Values) geo.Change {
	c := geo.Change{
		InternalURL: params.OptionalString("internal_url"), Files: params.OptionalInt("files_max_capacity"),
		Repositories: params.OptionalInt("repos_max_capacity"), Verifications: params.OptionalInt("verification_max_capacity"),
		ContainerRepositories:  params.OptionalInt("container_repositories_max_capacity"),
		ReverificationInterval: params.OptionalInt("minimum_reverification_interval"),
		Shards:                 params.OptionalWords("selective_sync_shards"),
		NamespaceIDs:           params.OptionalInts("selective_sync_namespace_ids"),
		Enabled:                params.OptionalBool("enabled"), SyncObjectStorage: params.OptionalBool("sync_object_storage"),
	}
	syncType := web.Choice(params, "selective_sync_type", []geo.SyncType{geo.Everything, geo.Namespaces, geo.Shards})
	if params.Has("selective_sync_type") {
		c.SyncType = &syncType
	}
	return c
}

func (f *geoFamily) create(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	name, url := params.String("name"), params.String("url")
	primary, change := params.BoolOr("primary", false), readSite(params)
	if err := params.Err(); err != nil {
		return err
	}
	change.Name, change.URL = &name, &url
	s, err := f.app.Geo.Create(r.Context(), c.Actor(), primary, change)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusCreated, f.newSiteBody(s))
}

func (f *geoFamily) show(w http.ResponseWriter, _ *http.Request, _ auth.Caller, s geo.StoredSite) error {
	return web.JSON(w, http.StatusOK, f.newSiteBody(s))
}

func (f *geoFamily) change(w http.ResponseWriter, r *http.Request, c auth.Caller, s geo.StoredSite) error {
	params := web.Params(r)
	change := readSite(params)
	change.Name, change.URL = params.OptionalString("name"), params.OptionalString("url")
	if err := params.Err(); err != nil {
		return err
	}
	s, err := f.app.Geo.Change(r.Context(), c.Actor(), s, change)
	if err != nil {
		return web.NotFound(geoSite, err)
	}
	return web.JSON(w, http.StatusOK, f.newSiteBody(s))
}

func (f *geoFamily) remove(w http.ResponseWriter, r *http.Request, c auth.Caller, s geo.StoredSite) error {
	return web.Deleted(w, geoSite, f.app.Geo.Delete(r.Context(), c.Actor(), s))
}

func (f *geoFamily) repair(w http.ResponseWriter, r *http.Request, c auth.Caller, s geo.StoredSite) error {
	f.app.Geo.Repair(r.Context(), c.Actor(), s)
	return web.JSON(w, http.StatusOK, f.newSiteBody(s))
}

// newStatusBody is what the site reported, with what follows from the site.
func (f *geoFamily) newStatusBody(s geo.StoredSite) map[string]any {
	body := map[string]any{}
	for name, value := range s.Thing.Status.Members {
		body[name] = value
	}
	self := f.address(s)
	body["geo_node_id"] = s.ID
	body["health"], body["healthy"] = s.Thing.Status.HealthText(), s.Thing.Status.Healthy
	body["_links"] = map[string]string{"self": self + "/status", f.site: self}
	return body
}

func (f *geoFamily) listStatuses(w http.ResponseWriter, r *http.Request, _ auth.Caller) error {
	return listSites(f, w, r, f.newStatusBody)
}

func (f *geoFamily) showStatus(w http.ResponseWriter, _ *http.Request, _ auth.Caller, s geo.StoredSite) error {
	return web.JSON(w, http.StatusOK, f.newStatusBody(s))
}

// report stores what a site reports, which is any JSON object.
func (f *geoFamily) report(w http.ResponseWriter, r *http.Request, _ auth.Caller, s geo.StoredSite) error {
	report, err := readReport(r)
	if err != nil {
		return err
	}
	status, err := geo.ParseStatus(report)
	if err != nil {
		return err
	}
	s, err = f.app.Geo.Report(r.Context(), s, status)
	if err != nil {
		return web.NotFound(geoSite, err)
	}
	return web.JSON(w, http.StatusOK, f.newStatusBody(s))
}

// readReport reads the parameters, but for those of every request and the members that
// answers add.
func readReport(r *http.Request) (map[string]json.RawMessage, error) {
	params := web.Params(r)
	report := params.Object()
	for _, name := range []string{"sudo", "access_token", "private_token", "geo_node_id", "_links"} {
		delete(report, name)
	}
	return report, params.Err()
}

// listFailures lists what the current site reported as its failures.
func (f *geoFamily) listFailures(w http.ResponseWriter, r *http.Request, _ auth.Caller) error {
	params := web.Params(r)
	req := params.Page()
	of := web.Choice(params, "type", []geo.FailedType{geo.FailedRepository, geo.FailedWiki})
	kind := web.Choice(params, "failure_type", []geo.FailureType{geo.SyncFailure, geo.VerificationFailure, geo.ChecksumMismatch})
	if err := params.Err(); err != nil {
		return err
	}
	sites, err := f.app.Geo.Sites(r.Context(), page.Request{Number: 1, Size: page.MaxSize})
	if err != nil {
		return err
	}
	var failures []map[string]json.RawMessage
	for _, s := range sites.Items {
		if f.isCurrent(s.Thing) {
			failures = append(failures, s.Thing.Status.Failed(of, kind)...)
		}
	}
	return web.List(w, r, f.app.BaseURL, req, page.Cut(failures, req), func(failure map[string]json.RawMessage) map[string]json.RawMessage { return failure })
}
