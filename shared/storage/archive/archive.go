// Package archive says what an export of everything that a store keeps consists of:
// things of kinds, in a canonical order, in a form that no store has a part in. What
// follows from them, such as lists, counts and claims of names, is not among them: a
// store that loads them makes it anew.
package archive

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/reservation"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// Store is a store that can be exported and imported.
type Store interface {
	// Dump calls yield with the things of the kind behind the given one, by their
	// positions; nil: with all. What has expired by now is left out.
	Dump(ctx context.Context, k Kind, after any, now time.Time, yield func(thing any) error) error
	// Load stores things of the kind, after all of the kinds before it and of the places
	// before theirs, in a store that is empty otherwise. Those that are there stay as
	// they are.
	Load(ctx context.Context, k Kind, things []any) error
	// Empty reports whether the store has no users, as before its first start.
	Empty(ctx context.Context) (bool, error)
	// Unfinished returns the import that has begun and not ended; none: the zero Progress.
	Unfinished(ctx context.Context) (Progress, error)
	// Note keeps how far an import has come; the zero Progress: it has ended.
	Note(ctx context.Context, p Progress) error
}

// Progress is how far an import has come.
type Progress struct {
	File string // the checksum of what is imported
	Line int64  // so many lines are loaded
}

// Kind is a kind of things.
type Kind interface {
	Name() string
	// Position orders the things of the kind.
	Position(thing any) string
	// Encode returns the thing as JSON, and Decode does the reverse.
	Encode(thing any) ([]byte, error)
	Decode(text []byte) (any, error)
}

// Of is a kind of things of type T.
type Of[T any] struct {
	name     string
	position func(T) string
}

// Name returns the name of the kind in an export.
func (o Of[T]) Name() string { return o.name }

// Position orders the things of the kind.
func (o Of[T]) Position(thing any) string { return o.position(thing.(T)) }

// Encode returns the thing as JSON, always the same for equal things.
func (o Of[T]) Encode(thing any) ([]byte, error) { return encode(thing) }

// Decode returns the thing that the JSON is.
func (o Of[T]) Decode(text []byte) (any, error) {
	var thing T
	err := decode(text, &thing)
	return thing, err
}

// Number is the last one that a counter gave. Later ones are higher, so that nothing gets
// the number of something that was deleted.
type Number struct {
	Place project.Place // that counts its own; record.Instance: the instance
	Of    string        // what is counted, see the names below
	Last  int64
}

// What the numbers of the instance count, besides records, and those of a project.
const (
	OfUsers        = "users"
	OfNamespaces   = "namespaces"
	OfProjects     = "projects"
	OfAccessTokens = "access_tokens"
	OfClients      = "applications"
	OfIntegrations = "integrations"
	OfEnvironments = "environments"
	OfDeadMessages = "dead_messages"
	OfAlerts       = "alerts"
	ofRecords      = "records/"
)

// OfRecords names the counter of a kind of records.
func OfRecords(k record.Kind) string { return ofRecords + string(k) }

// Records returns the kind of records that a counter is for, and false for another one.
func (n Number) Records() (record.Kind, bool) {
	k, ok := strings.CutPrefix(n.Of, ofRecords)
	return record.Kind(k), ok
}

// Integration is an integration with its sample payload.
type Integration struct {
	integration.Integration
	Sample []byte
}

// Alert is an alert with its payloads.
type Alert struct {
	alert.Alert
	Payload []byte
	Latest  alert.LatestPayload
}

// AlertDay is how many alerts of a project were opened on a day. Some may be gone.
type AlertDay struct {
	ProjectID int64
	alert.Day
}

// AlertDaysKept is how long the alerts of a day are counted.
const AlertDaysKept = 90 * 24 * time.Hour

// Counts reports whether the day is counted still.
func (d AlertDay) Counts(now time.Time) bool { return d.Date.Add(AlertDaysKept).After(now) }

// Pending returns the message as it is exported: nobody works on it.
func Pending(m outbox.Message) outbox.Message {
	m.Claim, m.ClaimedTo = "", time.Time{}
	return m
}

// The kinds. Kinds has their order.
var (
	Numbers        = Of[Number]{"number", func(n Number) string { return join(place(n.Place), n.Of) }}
	SigningKeys    = Of[oidc.SealedKeys]{"signing_keys", func(oidc.SealedKeys) string { return "" }}
	Users          = Of[user.User]{"user", func(u user.User) string { return id(u.ID) }}
	Namespaces     = Of[project.Group]{"namespace", func(g project.Group) string { return id(g.OwnerID) }}
	Groups         = Of[project.Group]{"group", func(g project.Group) string { return id(g.ID) }}
	Projects       = Of[project.Project]{"project", func(p project.Project) string { return id(p.ID) }}
	Members        = Of[project.Member]{"member", func(m project.Member) string { return join(place(m.Place), id(m.UserID)) }}
	ReservedPaths  = Of[reservation.Reservation]{"reserved_path", func(r reservation.Reservation) string { return r.Path }}
	SecondFactors  = Of[twofactor.Factor]{"second_factor", func(f twofactor.Factor) string { return id(f.UserID) }}
	AccessTokens   = Of[accesstoken.Token]{"access_token", func(t accesstoken.Token) string { return id(t.ID) }}
	Clients        = Of[oauth.Client]{"application", func(c oauth.Client) string { return id(c.ID) }}
	Grants         = Of[oauth.Grant]{"grant", positionOfGrant}
	Authorizations = Of[oauth.Summary]{"authorization", func(a oauth.Summary) string { return join(id(a.UserID), id(a.ClientID)) }}
	Tracking       = Of[errortracking.Settings]{"error_tracking", func(s errortracking.Settings) string { return id(s.ProjectID) }}
	ClientKeys     = Of[errortracking.ClientKey]{"client_key", positionOfKey}
	AlertSettings  = Of[integration.Settings]{"alert_settings", func(s integration.Settings) string { return id(s.ProjectID) }}
	Environments   = Of[project.Environment]{"environment", func(e project.Environment) string { return join(id(e.ProjectID), id(e.ID)) }}
	Integrations   = Of[Integration]{"integration", func(i Integration) string { return join(id(i.ProjectID), id(i.ID)) }}
	AlertDays      = Of[AlertDay]{"alert_day", func(d AlertDay) string { return join(id(d.ProjectID), d.Date.Format(time.DateOnly)) }}
	Alerts         = Of[Alert]{"alert", func(a Alert) string { return join(id(a.ProjectID), id(a.IID)) }}
	Records        = Of[record.Record]{"record", positionOfRecord}
	Messages       = Of[outbox.Message]{"message", func(m outbox.Message) string { return join(string(m.Lane), m.Seq) }}
	DeadMessages   = Of[outbox.Dead]{"dead_message", func(d outbox.Dead) string { return join(id(d.ProjectID), id(d.Number)) }}
	DeprecatedUses = Of[deprecation.Use]{"deprecated_use", positionOfUse}
	AuditEntries   = Of[audit.Entry]{"audit_entry", func(e audit.Entry) string { return e.ID }}
)

// Kinds returns all kinds in the order of an export: what a thing belongs to comes before
// it. Numbers are the last, so that none is below the number of a thing that was made
// while the export ran.
func Kinds() []Kind {
	return []Kind{
		SigningKeys, Users, Namespaces, Groups, Projects, Members, ReservedPaths, SecondFactors, AccessTokens, Clients, Grants,
		Authorizations, Tracking, ClientKeys, AlertSettings, Environments, Integrations, AlertDays, Alerts, Records,
		Messages, DeadMessages, DeprecatedUses, AuditEntries, Numbers,
	}
}

// id writes a number so that the order of the text is that of the numbers.
func id(n int64) string { return fmt.Sprintf("%019d", n) }

// join joins the parts of a position. No part has the lowest character, which orders a
// part before all that it begins.
func join(parts ...string) string { return strings.Join(parts, "\x00") }

func place(p project.Place) string { return join(string(p.Kind), id(p.ID)) }

func positionOfGrant(g oauth.Grant) string {
	return join(id(g.UserID), id(g.ClientID), hex.EncodeToString(g.Random[:]))
}

func positionOfKey(k errortracking.ClientKey) string {
	return join(id(k.ProjectID), id(k.CreatedAt.UnixMicro()), id(k.ID))
}

func positionOfRecord(r record.Record) string {
	return join(place(r.Place), string(r.Kind), id(r.Number))
}

func positionOfUse(u deprecation.Use) string {
	return join(u.Entry, u.Day.Format(time.DateOnly), id(u.Number()))
}
