package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/boot"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/incident"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/storage/archive"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/sqlite/sqlitetest"
	"gatehouse/shared/user"

	"gatehouse/scripts/backend"
)

// house is an instance with things of every kind.
type house struct {
	*apptest.App
	t     *testing.T
	root  user.User
	token string
	group project.Group
	web   project.Project
}

func ok[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func furnished(t *testing.T, store storage.Store) house {
	a := apptest.Over(t, store)
	h := house{App: a, t: t, root: a.Admin("root")}
	h.token = a.Token(h.root, scope.API)
	parent := a.Group("acme", project.Group{}, h.root, project.Internal)
	h.group = a.Group("shops", parent, h.root, project.Private)
	h.web = a.Project("web", h.group, project.Private)
	a.Member(h.web.Place(), a.User("ada"), project.Developer)
	h.own()
	h.credentials()
	h.tracking()
	h.alerts()
	h.incidents()
	h.messages()
	gone := a.User("gone")
	if err := a.Users.Delete(t.Context(), audit.ByUser(h.root.ID), gone.ID); err != nil {
		t.Fatal(err)
	}
	former := a.Group("former", project.Group{}, h.root, project.Private)
	if err := a.Projects.DeleteGroup(t.Context(), audit.ByUser(h.root.ID), former); err != nil {
		t.Fatal(err)
	}
	return h
}

// own is what root has.
func (h house) own() {
	ctx := h.t.Context()
	e := h.TwoFactor.Begin(h.root, "session")
	u, _, err := h.TwoFactor.Enable(ctx, h.root, e, e.Seed.Code(h.Now()))
	if err != nil {
		h.t.Fatal(err)
	}
	h.root = u
	if _, _, err := h.Webhooks.Own().Create(ctx, audit.ByUser(h.root.ID), "https://chat.example", true); err != nil {
		h.t.Fatal(err)
	}
}

func (h house) credentials() {
	ctx := h.t.Context()
	client, _, err := h.OAuth.Register(ctx, audit.Setup, h.root.ID, oauth.Registration{
		Name: "Dashboard <&> ☃", RedirectURIs: "https://client.example/callback", Scopes: scope.Of(scope.API), Confidential: true,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.OAuthToken(h.User("bo"), scope.API)
	for range 2 {
		g := oauth.Grant{
			GrantID: oauth.GrantID{UserID: h.root.ID, ClientID: client.ID, Random: [12]byte(secret.Random(12))}, Application: client.ClientID,
			Nonce: [16]byte(secret.Random(16)), Scopes: scope.Of(scope.API), Refreshable: true, CreatedAt: h.Now(),
		}
		if err := h.Store.CreateGrant(ctx, g); err != nil {
			h.t.Fatal(err)
		}
	}
	if _, err := h.OpenID().KeySet(ctx); err != nil {
		h.t.Fatal(err)
	}
	if err := h.Store.AddDeprecatedUse(ctx, deprecation.IDs[0], deprecation.Caller{UserID: h.root.ID}, h.Now()); err != nil {
		h.t.Fatal(err)
	}
}

func (h house) tracking() {
	ctx := h.t.Context()
	trackElsewhere(h.t, h.App.App, h.web)
	if _, err := h.Tracking.CreateKey(ctx, audit.Setup, h.web); err != nil {
		h.t.Fatal(err)
	}
	ok[project.Environment](h.t)(h.Store.CreateEnvironment(ctx, h.web, project.Environment{Name: "production"}))
	ok[project.Environment](h.t)(h.Store.CreateEnvironment(ctx, h.web, project.Environment{Name: "staging"}))
	settings := ok[integration.Settings](h.t)(h.Store.AlertSettings(ctx, h.web))
	settings.Fingerprinting, settings.RetentionDays, settings.AutoCloseIncident = true, new(int64(30)), false
	ok[integration.Settings](h.t)(h.Store.PutAlertSettings(ctx, h.web, settings))
	i := ok[integration.Integration](h.t)(h.Integrations.Create(ctx, audit.Setup, h.web, integration.Draft{Name: "Uptime", Type: integration.HTTP, Active: true}))
	if err := h.Store.PutSample(ctx, h.web, i, []byte(`{"title": "sample"}`)); err != nil {
		h.t.Fatal(err)
	}
}

// occurrence is one of an alert with this fingerprint.
func (h house) occurrence(fingerprint string, s alert.Severity) alert.Occurrence {
	return alert.Occurrence{
		Fingerprint: alert.Fingerprint(fingerprint), Title: "Disk full", Severity: s, Hosts: []string{"web-1"}, Count: 1,
		StartedAt: h.Now(), IntegrationID: 1, Payload: []byte(`{"title": "Disk full", "fingerprint": "` + fingerprint + `"}`),
	}
}

func (h house) report(o alert.Occurrence) alert.Recorded {
	h.t.Helper()
	recorded := ok[[][]alert.Recorded](h.t)(h.Store.RecordOccurrences(h.t.Context(), h.web.ID, [][]alert.Occurrence{{o}}, h.Now()))
	return recorded[0][0]
}

// alerts has some of each state: repeated and graver by now, alone, resolved, and without
// a fingerprint.
func (h house) alerts() {
	h.report(h.occurrence("repeated", alert.SeverityLow))
	h.Pass(2 * time.Minute)
	h.report(h.occurrence("repeated", alert.SeverityCritical))
	alone := h.occurrence("alone", alert.SeverityHigh)
	alone.Ungrouped = true
	h.report(alone)
	h.report(h.occurrence("", alert.SeverityInfo))
	resolved := h.report(h.occurrence("resolved", alert.SeverityMedium))
	h.Pass(time.Minute)
	was := ok[alert.Alert](h.t)(h.Store.Alert(h.t.Context(), h.web.ID, resolved.IID, h.Now()))
	status := alert.Resolved
	ok[alert.Alert](h.t)(h.Store.ChangeAlert(h.t.Context(), was, alert.Change{Status: &status, At: h.Now(), ActorID: h.root.ID, KeptDays: 30}))
}

func (h house) incidents() {
	ctx, by := h.t.Context(), audit.ByUser(h.root.ID)
	for n := range 3 {
		s, err := h.Incidents.Create(ctx, by, h.web, incident.Draft{Title: fmt.Sprintf("Shop is down %d", n), Severity: alert.SeverityHigh})
		if err == nil {
			_, err = h.Incidents.Note(ctx, by, h.web, s, "Looking into it.")
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
	if _, _, err := h.Webhooks.Create(ctx, by, h.web, "https://chat.example", true); err != nil {
		h.t.Fatal(err)
	}
	pull(h.t, h.App.App, h.web)
}

func (h house) messages() {
	ctx := h.t.Context()
	m := outbox.Message{Lane: "slow/test", Seq: "1", Kind: "test", ProjectID: h.web.ID, Data: json.RawMessage(`{"n": 1}`), CreatedAt: h.Now(), DueAt: h.Now()}
	dead := m
	dead.Lane = "test"
	if err := h.Store.PutMessages(ctx, []outbox.Message{m, dead}); err != nil {
		h.t.Fatal(err)
	}
	claimed := ok[outbox.Message](h.t)(h.Store.ClaimMessage(ctx, dead, "me", h.Now(), h.Now().Add(time.Minute)))
	if err := h.Store.BuryMessage(ctx, claimed, h.Now()); err != nil {
		h.t.Fatal(err)
	}
}

// stores are pairs of a store to export and one to import into.
var stores = []struct {
	name     string
	from, to func(t *testing.T) storage.Store
}{
	{"sqlite to sqlite", onSQLite, onSQLite},
	{"sqlite to dynamodb", onSQLite, onDynamoDB},
	{"dynamodb to sqlite", onDynamoDB, onSQLite},
	{"dynamodb to dynamodb", onDynamoDB, onDynamoDB},
}

func onSQLite(t *testing.T) storage.Store   { return sqlitetest.Open(t) }
func onDynamoDB(t *testing.T) storage.Store { return dynamodb.New(emulated(t)) }

// sessionOver returns what a command works with over a store.
func sessionOver(t *testing.T, s storage.Store, keys secret.Keys) *session {
	return &session{env: boot.Env{Data: t.TempDir()}, from: t.TempDir(), out: io.Discard, err: io.Discard, backend: &backend.Backend{Store: s, Keys: keys}}
}

// exported returns an export of the store.
func exported(t *testing.T, s storage.Store, keys secret.Keys) string {
	t.Helper()
	c := sessionOver(t, s, keys)
	if err := exportData(t.Context(), c, []string{"file"}); err != nil {
		t.Fatal(err)
	}
	return read(t, c.path("file"))
}

// imports imports the text of an export.
func imports(t *testing.T, s storage.Store, keys secret.Keys, text string) error {
	t.Helper()
	c := sessionOver(t, s, keys)
	if err := os.WriteFile(c.path("file"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return importData(t.Context(), c, []string{"file"})
}

// What is exported and imported is the same in every way, and an export of it too.
func TestExportComesBack(t *testing.T) {
	for _, of := range stores {
		t.Run(of.name, func(t *testing.T) {
			from := furnished(t, of.from(t))
			text := exported(t, from.Store, from.Keys)
			for _, k := range archive.Kinds() {
				if !strings.Contains(text, `{"kind":"`+k.Name()+`",`) {
					t.Errorf("there is nothing of the kind %s to compare", k.Name())
				}
			}
			to := of.to(t)
			if err := imports(t, to, from.Keys, text); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(text, "\n"), strings.Split(exported(t, to, from.Keys), "\n")); diff != "" {
				t.Fatalf("the export of what was imported differs (-want +got):\n%s", diff)
			}
			moved := from
			moved.App = from.App.Moved(to)
			from.goesOnAs(moved)
		})
	}
}

// goesOnAs compares what clients see of an instance and of another one, and what both do
// next.
func (h house) goesOnAs(other house) {
	h.t.Helper()
	want, got := h.seen(), other.seen()
	if diff := cmp.Diff(want, got); diff != "" {
		h.t.Errorf("clients see something else (-want +got):\n%s", diff)
	}
	want, got = h.next(), other.next()
	if diff := cmp.Diff(want, got); diff != "" {
		h.t.Errorf("what comes next differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(h.seen(), other.seen()); diff != "" {
		h.t.Errorf("after that clients see something else (-want +got):\n%s", diff)
	}
}

// seen is what lists and counts show.
func (h house) seen() map[string]any {
	h.t.Helper()
	ctx, s := h.t.Context(), h.Store
	seen := map[string]any{}
	see := func(name string, what any, err error) {
		h.t.Helper()
		if err != nil {
			h.t.Fatal(name, err)
		}
		seen[name] = what
	}
	all := project.Selection{All: true}
	users, err := s.Users(ctx, page.First)
	see("users", []any{len(users.Items), users.Total}, err)
	groups, err := s.Groups(ctx, all, page.First)
	see("groups", []any{groups.Items, groups.Total}, err)
	projects, err := s.Projects(ctx, all, page.First)
	see("projects", []any{projects.Items, projects.Total}, err)
	found, err := s.Projects(ctx, project.Selection{All: true, Search: "SHOPS/web"}, page.First)
	see("found projects", found.Items, err)
	widest, err := s.WidestBelow(ctx, h.group.ParentID)
	see("widest", widest, err)
	n, err := s.CountMembers(ctx, h.Now(), h.web.Place(), h.group.Place())
	see("members", n, err)
	memberships, err := s.SomeMemberships(ctx, h.root.ID, 10)
	see("memberships", memberships, err)
	tokens, err := s.AccessTokens(ctx, 0, page.First)
	see("tokens", []any{tokens.Items, tokens.Total}, err)
	clients, err := s.ClientsOf(ctx, h.root.ID, page.First)
	see("clients", clients.Items, err)
	summaries, err := s.Summaries(ctx, h.root.ID, page.First)
	see("authorizations", summaries.Items, err)
	caller, err := h.Auth.Recognise(ctx, secret.NewText(h.token))
	see("caller", caller.User.Username, err)
	counts, err := s.AlertCounts(ctx, h.web.ID, h.Now())
	for class, n := range counts {
		if n == 0 {
			delete(counts, class)
		}
	}
	see("alert counts", counts, err)
	days, err := s.AlertDays(ctx, h.web.ID, h.Now().AddDate(0, 0, -2))
	see("alert days", days, err)
	alerts, err := s.Alerts(ctx, h.web.ID, alert.Query{}, page.First, h.Now())
	see("alerts", []any{alerts.Items, alerts.Total}, err)
	bySeverity, err := s.Alerts(ctx, h.web.ID, alert.Query{Order: alert.BySeverity}, page.First, h.Now())
	see("alerts by severity", bySeverity.Items, err)
	endpoint, err := s.EndpointOf(ctx, h.web.FullPath, "legacy")
	if err != nil {
		all, listErr := s.Integrations(ctx, h.web)
		if listErr == nil && len(all) > 0 {
			endpoint, err = s.EndpointOf(ctx, h.web.FullPath, all[0].Endpoint)
		}
	}
	see("endpoint", endpoint, err)
	for _, k := range recordKinds() {
		for _, at := range []project.Place{record.Instance, h.web.Place()} {
			found, err := s.Records(ctx, k, at, nil, page.First)
			see("records "+string(k)+" "+string(at.Kind), []any{found.Items, found.Total}, err)
		}
	}
	entries, err := s.Entries(ctx, audit.Filter{ProjectID: h.web.ID, Size: 100, From: h.Now().AddDate(0, -1, 0), Until: h.Now().Add(time.Hour)})
	see("audit", len(entries.Entries), err)
	lanes, err := s.DueLanes(ctx, outbox.Slow, h.Now(), 10)
	see("lanes", lanes, err)
	return seen
}

// next does what the numbers of something new, and the state of open alerts, tell of.
func (h house) next() map[string]any {
	h.t.Helper()
	ctx := h.t.Context()
	next := map[string]any{}
	next["repeat"] = h.report(h.occurrence("repeated", alert.SeverityHigh))
	next["opened"] = h.report(h.occurrence("new", alert.SeverityHigh))
	recovery := h.occurrence("alone", alert.SeverityHigh)
	recovery.Recovery, recovery.EndedAt = true, h.Now()
	next["recovery"] = h.report(recovery)
	next["again"] = h.report(h.occurrence("resolved", alert.SeverityMedium))
	eve := h.User("eve")
	next["user"] = eve.ID
	next["group"] = h.Group("next", h.group, h.root, project.Private).ID
	next["project"] = h.Project("next-web", h.group, project.Private).ID
	s, err := h.Incidents.Create(ctx, audit.Setup, h.web, incident.Draft{Title: "Next", Severity: alert.SeverityLow})
	next["incident"] = fmt.Sprint(s.Number, s.ID, err)
	e, err := h.Store.CreateEnvironment(ctx, h.web, project.Environment{Name: "next"})
	next["environment"] = fmt.Sprint(e.ID, err)
	_, err = h.Store.CreateGroup(ctx, project.Group{Path: "former", FullPath: "former", CreatedAt: h.Now()}, eve.ID)
	next["reserved"] = fmt.Sprint(err)
	_, err = h.Users.Create(ctx, audit.Setup, user.Registration{Username: "ROOT", Name: "x", Email: "Root@example.com", Password: secret.NewText("correct horse")})
	next["taken"] = fmt.Sprint(err)
	_, err = h.Users.Authenticate(ctx, "ada", secret.NewText(apptest.Password))
	next["signs in"] = fmt.Sprint(err)
	return next
}

// interrupted fails after so many things.
type interrupted struct {
	archive.Store
	left *int
}

var errInterrupted = errors.New("interrupted")

func (i interrupted) Dump(ctx context.Context, k archive.Kind, after any, now time.Time, yield func(any) error) error {
	return i.Store.Dump(ctx, k, after, now, func(thing any) error {
		if *i.left--; *i.left < 0 {
			return errInterrupted
		}
		return yield(thing)
	})
}

// Load may store some of the things, and ends before that is noted.
func (i interrupted) Load(ctx context.Context, k archive.Kind, things []any) error {
	if *i.left -= len(things); *i.left < 0 {
		return errors.Join(i.Store.Load(ctx, k, things[:len(things)/2+1]), errInterrupted)
	}
	return i.Store.Load(ctx, k, things)
}

// An export that was cut off anywhere, within a line too, ends as if it had not been.
func TestInterruptedExportGoesOn(t *testing.T) {
	for _, of := range stores[1:3] {
		t.Run(of.name, func(t *testing.T) {
			h := furnished(t, of.from(t))
			want := exported(t, h.Store, h.Keys)
			store := ok[archive.Store](t)(archiveOf(h.Store))
			path := filepath.Join(t.TempDir(), "file")
			for n := 1; ; n++ {
				left := 7
				e := export{
					store: interrupted{store, &left}, show: newBar(io.Discard, "", 0),
					header: header{Format: formatVersion, Key: keyIDs(h.Keys)[0], Since: time.Now().UTC().Truncate(24 * time.Hour)},
				}
				err := e.run(t.Context(), path)
				if err == nil {
					break
				}
				if n > 100 || !errors.Is(err, errInterrupted) {
					t.Fatalf("attempt %d: %v", n, err)
				}
				cut(t, path+".part", n%3*9)
			}
			if got := read(t, path); got != want {
				t.Errorf("the export is\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// busy has something happen when the export comes to a kind.
type busy struct {
	archive.Store
	at      archive.Kind
	happens func()
}

func (b busy) Dump(ctx context.Context, k archive.Kind, after any, now time.Time, yield func(any) error) error {
	if k.Name() == b.at.Name() {
		b.happens()
	}
	return b.Store.Dump(ctx, k, after, now, yield)
}

// What is made while an export runs does not lend its number to what is made after the
// import.
func TestExportBesideAServer(t *testing.T) {
	for _, of := range stores[1:3] {
		t.Run(of.name, func(t *testing.T) {
			h := furnished(t, of.from(t))
			var late user.User
			e := export{
				store: busy{ok[archive.Store](t)(archiveOf(h.Store)), archive.Users, func() { late = h.User("late") }},
				show:  newBar(io.Discard, "", 0), header: header{Format: formatVersion, Key: keyIDs(h.Keys)[0], Since: time.Now().UTC()},
			}
			path := filepath.Join(t.TempDir(), "file")
			if err := e.run(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			moved := h
			moved.App = h.App.Moved(of.to(t))
			if err := imports(t, moved.Store, h.Keys, read(t, path)); err != nil {
				t.Fatal(err)
			}
			if next := moved.User("next"); next.ID != late.ID+1 {
				t.Errorf("the next user has the ID %d, want the one behind %d", next.ID, late.ID)
			}
		})
	}
}

// An export goes into no file that others can read.
func TestExportIsSecret(t *testing.T) {
	c := sessionOver(t, onSQLite(t), ok[secret.Keys](t)(secret.NewKeys(secret.Random(secret.KeySize))))
	part := c.path("file.part")
	if err := os.WriteFile(part, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := exportData(t.Context(), c, []string{"file"}); err == nil || !strings.Contains(err.Error(), "others may read it") {
		t.Errorf("export into a file of others = %v", err)
	}
	if err := errors.Join(os.Remove(part), exportData(t.Context(), c, []string{"file"})); err != nil {
		t.Fatal(err)
	}
	if info := ok[os.FileInfo](t)(os.Stat(c.path("file"))); info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the file is %v", info.Mode())
	}
}

// An export goes on when the day is over, but not for ever.
func TestExportGoesOnTheNextDay(t *testing.T) {
	h := furnished(t, onSQLite(t))
	path, day := filepath.Join(t.TempDir(), "file"), time.Now().UTC().Truncate(24*time.Hour)
	run := func(day time.Time, things int) error {
		e := export{
			store: interrupted{ok[archive.Store](t)(archiveOf(h.Store)), &things}, show: newBar(io.Discard, "", 0),
			header: header{Format: formatVersion, Key: keyIDs(h.Keys)[0], Since: day},
		}
		return e.run(t.Context(), path)
	}
	if err := run(day, 5); !errors.Is(err, errInterrupted) {
		t.Fatal(err)
	}
	if err := run(day.AddDate(0, 0, 2), 1000); err == nil || !strings.Contains(err.Error(), "days ago") {
		t.Errorf("going on after two days = %v", err)
	}
	if err := run(day.AddDate(0, 0, 1), 1000); err != nil {
		t.Fatal(err)
	}
	if err := imports(t, onSQLite(t), h.Keys, read(t, path)); err != nil {
		t.Error(err)
	}
}

// cut takes bytes from the end of a file.
func cut(t *testing.T, path string, n int) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, max(0, info.Size()-int64(n)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestInterruptedImportGoesOn(t *testing.T) {
	for _, of := range stores {
		t.Run(of.name, func(t *testing.T) {
			h := furnished(t, of.from(t))
			text := exported(t, h.Store, h.Keys)
			whole, err := readWhole(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			to := of.to(t)
			store := ok[archive.Store](t)(archiveOf(to))
			for n := 1; ; n++ {
				left := 13
				if n > 3 {
					left = 40
				}
				in := importing{store: interrupted{store, &left}, whole: whole, show: newBar(io.Discard, "", 1), verify: newBar(io.Discard, "", 1)}
				err := in.run(t.Context(), strings.NewReader(text))
				if err == nil {
					break
				}
				if n > 100 || !errors.Is(err, errInterrupted) {
					t.Fatalf("attempt %d: %v", n, err)
				}
				if p := ok[archive.Progress](t)(store.Unfinished(t.Context())); p.Line >= whole.lines {
					break // what is left is to compare, which has to be done at once
				}
			}
			if err := imports(t, to, h.Keys, text); err != nil {
				t.Fatal(err)
			}
			if got := exported(t, to, h.Keys); got != text {
				t.Error("what was imported in parts differs")
			}
		})
	}
}

// What cannot be imported is refused before anything is written.
func TestImportIsRefused(t *testing.T) {
	h := furnished(t, onSQLite(t))
	text := exported(t, h.Store, h.Keys)
	lines := strings.SplitAfter(text, "\n")
	other := ok[secret.Keys](t)(secret.NewKeys(secret.Random(secret.KeySize)))
	for name, of := range map[string]struct {
		text string
		keys secret.Keys
		want string
	}{
		"nothing":         {"", h.Keys, "read the first line"},
		"something else":  {"{\"a\":1}\n", h.Keys, "no export"},
		"another format":  {strings.Replace(text, `"gatehouse_export":1`, `"gatehouse_export":2`, 1), h.Keys, "format 2"},
		"a line less":     {strings.Replace(text, lines[5], "", 1), h.Keys, "there should be"},
		"a line changed":  {strings.Replace(text, "Disk full", "Disk fill", 1), h.Keys, "checksums differ"},
		"an end that was": {strings.Join(lines[:len(lines)-2], ""), h.Keys, "not whole"},
		"cut off":         {text[:len(text)-20], h.Keys, "not whole"},
		"more behind":     {text + "{}\n", h.Keys, "behind its end"},
		"a new kind":      {again(t, lines, `"kind":"group"`, `"kind":"novelty"`), h.Keys, `no kind "novelty"`},
		"a new field":     {again(t, lines, `"title":`, `"novelty":1,"title":`), h.Keys, `no field "novelty"`},
		"new records":     {again(t, lines, `"kind":"incident_note`, `"kind":"novelty`), h.Keys, `records of the kind "novelty`},
		"another key":     {text, other, "--key-file"},
	} {
		t.Run(name, func(t *testing.T) {
			to := onSQLite(t)
			err := imports(t, to, of.keys, of.text)
			if err == nil || !strings.Contains(err.Error(), of.want) {
				t.Errorf("import = %v, want %q in it", err, of.want)
			}
			var said bytes.Buffer
			if code := report(&said, err); code != mistaken {
				t.Errorf("the exit code is %d: %s", code, said.String())
			}
			store := ok[archive.Store](t)(archiveOf(to))
			if p := ok[archive.Progress](t)(store.Unfinished(t.Context())); p != (archive.Progress{}) {
				t.Errorf("an import has begun: %+v", p)
			}
		})
	}
	if err := imports(t, h.Store, h.Keys, text); err == nil || !strings.Contains(err.Error(), "there are users") {
		t.Errorf("import into a store with users = %v", err)
	}
}

// again returns an export in which a text is replaced, as a newer release could have
// written it: with counts and checksums that agree.
func again(t *testing.T, lines []string, from, to string) string {
	t.Helper()
	all, end := sums{}, len(lines)-2 // a line ends behind the last one
	out := lines[0]
	for _, text := range lines[1:end] {
		text = strings.ReplaceAll(text, from, to)
		out += text
		all.add(ok[line](t)(parseLine([]byte(text))).Kind, []byte(text))
	}
	return out + string(ok[[]byte](t)(json.Marshal(ending{all}))) + "\n"
}

// Secrets may be sealed under any key of an instance, so an import needs all of them.
func TestImportNeedsEveryKey(t *testing.T) {
	h := furnished(t, onSQLite(t))
	newest := ok[secret.Keys](t)(secret.NewKeys(secret.Random(secret.KeySize)))
	text := exported(t, h.Store, newest.With(h.Keys))
	to := onSQLite(t)
	if err := imports(t, to, newest, text); err == nil || !strings.Contains(err.Error(), keyIDs(h.Keys)[0]) {
		t.Errorf("import without the former key = %v, want its name", err)
	}
	if err := imports(t, to, newest.With(h.Keys), text); err != nil {
		t.Error(err)
	}
}

// Secrets under the key of another instance are sealed under the own one.
func TestImportSealsAnew(t *testing.T) {
	h := furnished(t, onSQLite(t))
	text := exported(t, h.Store, h.Keys)
	own := secret.Random(secret.KeySize)
	c := sessionOver(t, onSQLite(t), ok[secret.Keys](t)(secret.NewKeys(own)))
	theirs := filepath.Join(c.from, "their.key")
	for path, content := range map[string]string{c.path("file"): text, theirs: h.KeyFile} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	c.out = &out
	if err := importData(t.Context(), c, []string{"file", "--key-file", "their.key"}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "7 sealed anew under the instance key in use, 0 that no key opens.\n") {
		t.Error(out.String())
	}
	a := under(t, h.Moved(c.backend.Store), own)
	out.Reset()
	if err := reseal(t.Context(), a, &out); err != nil || !strings.HasPrefix(out.String(), "0 sealed anew under the instance key in use, 0 that no key opens.") {
		t.Errorf("reseal = %v: %s", err, out.String())
	}
	if _, err := a.OpenID().KeySet(t.Context()); err != nil {
		t.Errorf("the keys of id_tokens: %v", err)
	}
}
