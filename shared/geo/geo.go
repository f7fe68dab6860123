// Package geo keeps what a platform's operators say of its geo sites: the places where
// copies of the platform run. Gatehouse copies nothing itself; it stores the sites'
// settings and the status that each reports (Interface: "Geo sites").
package geo

import (
	"net/url"
	"unicode/utf8"

	"gatehouse/shared/fault"
	"gatehouse/shared/record"
	"gatehouse/shared/text"
)

// Site is a geo site.
type Site struct {
	Name        string `json:"name"`
	URL         string `json:"url"`
	InternalURL string `json:"internal_url"` // empty: the URL
	Primary     bool   `json:"primary"`
	Enabled     bool   `json:"enabled"`
	Limits
	SelectiveSync
	SyncObjectStorage bool   `json:"sync_object_storage"`
	Status            Status `json:"status"`
}

// Limits say how much a site does at once, and after how many days it verifies again.
type Limits struct {
	Files                         int64 `json:"files_max_capacity"`
	Repositories                  int64 `json:"repos_max_capacity"`
	Verifications                 int64 `json:"verification_max_capacity"`
	ContainerRepositories         int64 `json:"container_repositories_max_capacity"`
	MinimumReverificationInterval int64 `json:"minimum_reverification_interval"`
}

// defaultLimits are those of a new site.
var defaultLimits = Limits{
	Files: 10, Repositories: 10, Verifications: 100, ContainerRepositories: 10, MinimumReverificationInterval: 7,
}

// SelectiveSync says what a site copies if not everything.
type SelectiveSync struct {
	Type         SyncType `json:"selective_sync_type"`
	Shards       []string `json:"selective_sync_shards"`
	NamespaceIDs []int64  `json:"selective_sync_namespace_ids"`
}

// SyncType is what a site is selective about.
type SyncType string

// The kinds of selective copying.
const (
	Everything SyncType = ""
	Namespaces SyncType = "namespaces"
	Shards     SyncType = "shards"
)

// Internal returns the address that other sites use.
func (s Site) Internal() string {
	if s.InternalURL == "" {
		return s.URL
	}
	return s.InternalURL
}

// Change is a change of a site; nil leaves a field as it is, and an empty text or
// list clears it.
type Change struct {
	Name, URL, InternalURL *string
	Enabled                *bool
	Files                  *int64
	Repositories           *int64
	Verifications          *int64
	ContainerRepositories  *int64
	ReverificationInterval *int64
	SyncType               *SyncType
	Shards                 []string
	NamespaceIDs           []int64
	SyncObjectStorage      *bool
}

// apply changes the site, or returns the complaints about it.
func (c Change) apply(s *Site) error {
	replace(&s.Name, c.Name)
	replace(&s.URL, c.URL)
	replace(&s.InternalURL, c.InternalURL)
	replace(&s.Enabled, c.Enabled)
	replace(&s.Files, c.Files)
	replace(&s.Repositories, c.Repositories)
	replace(&s.Verifications, c.Verifications)
	replace(&s.ContainerRepositories, c.ContainerRepositories)
	replace(&s.MinimumReverificationInterval, c.ReverificationInterval)
	replace(&s.Type, c.SyncType)
	replace(&s.SyncObjectStorage, c.SyncObjectStorage)
	if c.Shards != nil {
		s.Shards = c.Shards
	}
	if c.NamespaceIDs != nil {
		s.NamespaceIDs = c.NamespaceIDs
	}
	return s.check()
}

func replace[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// check returns the complaints about a site.
func (s Site) check() error {
	complaints := fault.Fields{}
	complaints.Add("name", text.CheckName(s.Name))
	complaints.Add("url", checkURL(s.URL))
	if s.InternalURL != "" {
		complaints.Add("internal_url", checkURL(s.InternalURL))
	}
	if s.Primary && !s.Enabled {
		complaints.Add("enabled", "cannot be false for the primary site")
	}
	s.Limits.check(complaints)
	s.SelectiveSync.check(complaints)
	return complaints.Err()
}

const maxURL = 255

func checkURL(address string) string {
	if address == "" {
		return "can't be blank"
	}
	if utf8.RuneCountInString(address) > maxURL {
		return "is too long (maximum is 255 characters)"
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "must be an http or https URL"
	}
	if u.User != nil {
		return "must not contain credentials"
	}
	return ""
}

// maxLimit is more than any site does at once.
const maxLimit = 1_000_000

func (l Limits) check(complaints fault.Fields) {
	for _, limit := range []struct {
		name          string
		value, lowest int64
	}{
		{"files_max_capacity", l.Files, 0},
		{"repos_max_capacity", l.Repositories, 0},
		{"verification_max_capacity", l.Verifications, 0},
		{"container_repositories_max_capacity", l.ContainerRepositories, 0},
		{"minimum_reverification_interval", l.MinimumReverificationInterval, 1},
	} {
		if limit.value < limit.lowest || limit.value > maxLimit {
			complaints.Add(limit.name, "is out of range")
		}
	}
}

// The most shards and namespaces that a site selects.
const maxShards, maxNamespaces = 100, 1000

func (s SelectiveSync) check(complaints fault.Fields) {
	if len(s.Shards) > maxShards {
		complaints.Add("selective_sync_shards", "has too many (maximum is 100)")
	}
	for _, shard := range s.Shards {
		if complaint := text.CheckName(shard); complaint != "" {
			complaints.Add("selective_sync_shards", complaint)
			break
		}
	}
	if len(s.NamespaceIDs) > maxNamespaces {
		complaints.Add("selective_sync_namespace_ids", "has too many (maximum is 1000)")
	}
}

// sites are stored below the instance. Names differ, and one site alone is primary.
var sites = record.Of[Site]{Kind: "geo_site", Words: func(s Site) record.Words {
	words := record.Words{"name": s.Name}
	if s.Primary {
		words["primary"] = "true"
	}
	return words
}}

// StoredSite is a site with its id.
type StoredSite = record.Stored[Site]

// Nouns lists the kinds of records of this package, for an export.
func Nouns() []record.Noun { return []record.Noun{sites} }
