package sqlite

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/alert"
	"gatehouse/shared/audit"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/outbox"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/reservation"
	"gatehouse/shared/storage/archive"
	"gatehouse/shared/storage/packed"
	"gatehouse/shared/twofactor"
	"gatehouse/shared/user"
)

// shelves returns where the things of each kind are, by its name.
func shelves() map[string]shelf {
	return map[string]shelf{
		archive.Numbers.Name():        numberShelf{},
		archive.SigningKeys.Name():    signingKeyShelf(),
		archive.Users.Name():          plainShelf(users, "id", "", nil, func(u user.User) []any { return []any{u.ID} }, addedUser),
		archive.Namespaces.Name():     plainShelf(groups, "owner_id", "owner_id IS NOT NULL", nil, func(g project.Group) []any { return []any{g.OwnerID} }, addedGroup),
		archive.Groups.Name():         plainShelf(groups, "id", "owner_id IS NULL", nil, func(g project.Group) []any { return []any{g.ID} }, addedGroup),
		archive.Projects.Name():       plainShelf(projects, "projects.id", "", nil, func(p project.Project) []any { return []any{p.ID} }, addedProject),
		archive.Members.Name():        plainShelf(members, "kind, place_id, user_id", "", nil, func(m project.Member) []any { return []any{m.Kind, m.ID, m.UserID} }, nil),
		archive.ReservedPaths.Name():  plainShelf(reservations, "path", "until > ?", byNow, func(r reservation.Reservation) []any { return []any{r.Path} }, nil),
		archive.SecondFactors.Name():  plainShelf(secondFactors, "user_id", "", nil, func(f twofactor.Factor) []any { return []any{f.UserID} }, nil),
		archive.AccessTokens.Name():   plainShelf(accessTokens, "id", "", nil, func(t accesstoken.Token) []any { return []any{t.ID} }, nil),
		archive.Clients.Name():        plainShelf(clients, "id", "", nil, func(c oauth.Client) []any { return []any{c.ID} }, nil),
		archive.Grants.Name():         plainShelf(grants, "user_id, client_id, random", "ends_at > ?", ofGrants, func(g oauth.Grant) []any { return []any{g.UserID, g.ClientID, g.Random[:]} }, nil),
		archive.Authorizations.Name(): plainShelf(summaries, "user_id, client_id", "", nil, func(a oauth.Summary) []any { return []any{a.UserID, a.ClientID} }, nil),
		archive.Tracking.Name():       plainShelf(trackings, "project_id", "", nil, func(s errortracking.Settings) []any { return []any{s.ProjectID} }, nil),
		archive.ClientKeys.Name():     plainShelf(clientKeys, "project_id, created_at, id", "", nil, positionOfClientKey, nil),
		archive.AlertSettings.Name():  plainShelf(settings, "project_id", "", nil, func(s integration.Settings) []any { return []any{s.ProjectID} }, nil),
		archive.Environments.Name():   plainShelf(environments, "project_id, id", "", nil, func(e project.Environment) []any { return []any{e.ProjectID, e.ID} }, nil),
		archive.Integrations.Name():   integrationShelf(),
		archive.AlertDays.Name():      plainShelf(alertDays, "project_id, day", "day > ? AND "+projectExists, ofDays, func(d archive.AlertDay) []any { return []any{d.ProjectID, dayNumber(d.Date)} }, nil),
		archive.Alerts.Name():         alertShelf(),
		archive.Records.Name():        plainShelf(records, "place_kind, place_id, kind, number", "(expires_at = 0 OR expires_at > ?)", byNow, func(r record.Record) []any { return recordPosition(r) }, addedRecord),
		archive.Messages.Name():       messageShelf(),
		archive.DeadMessages.Name():   plainShelf(deadMessages, "project_id, number", "died_at > ? AND (project_id = 0 OR "+projectExists+")", ofDead, func(d outbox.Dead) []any { return []any{d.ProjectID, d.Number} }, nil),
		archive.DeprecatedUses.Name(): plainShelf(deprecatedUses, "entry, day, caller", "day >= ?", ofUses, func(u deprecation.Use) []any { return []any{u.Entry, micros(u.Day), u.Number()} }, nil),
		archive.AuditEntries.Name():   plainShelf(entries, "id", "id >= ?", ofEntries, func(e audit.Entry) []any { return []any{e.ID} }, nil),
	}
}

// projectExists leaves out what is to be swept with a deleted project.
const projectExists = "project_id IN (SELECT projects.id FROM projects)"

func byNow(now time.Time) []any     { return []any{micros(now)} }
func ofGrants(now time.Time) []any  { return []any{micros(now.Add(-grace))} }
func ofDays(now time.Time) []any    { return []any{dayNumber(now.Add(-archive.AlertDaysKept))} }
func ofDead(now time.Time) []any    { return []any{micros(now.Add(-outbox.DeadFor))} }
func ofUses(now time.Time) []any    { return []any{micros(deprecation.OldestKept(now))} }
func ofEntries(now time.Time) []any { return []any{audit.OldestKept(now)} }

func recordPosition(r record.Record) []any { return recordKey(r) }

func positionOfClientKey(k errortracking.ClientKey) []any {
	return []any{k.ProjectID, micros(k.CreatedAt), k.ID}
}

func signingKeyShelf() shelf {
	only := newKind("signing_keys", func(k *oidc.SealedKeys) columns {
		return columns{{"id", derived(func() any { return 1 })}, {"sealed", &k.Sealed}, {"version", &k.Version}}
	}, nil, nil)
	return plainShelf(only, "id", "", nil, func(oidc.SealedKeys) []any { return []any{1} }, nil)
}

func addedUser(tx *transaction, _ user.User, _ int64) error { return tx.tally(allUsers, "", 1) }

func addedGroup(tx *transaction, g project.Group, _ int64) error {
	err := tx.exec("INSERT INTO paths (key, namespace_id) VALUES (?, ?)", key(g.FullPath), g.ID)
	if err != nil || g.OwnerID != 0 {
		return err
	}
	return tx.enter(project.InGroup, g.ID, g.Visibility, g.Lineage())
}

func addedProject(tx *transaction, p project.Project, _ int64) error {
	if err := tx.exec("INSERT INTO paths (key, project_id) VALUES (?, ?)", key(p.FullPath), p.ID); err != nil {
		return err
	}
	return tx.enter(project.InProject, p.ID, p.Visibility, p.Lineage)
}

func addedRecord(tx *transaction, r record.Record, _ int64) error {
	if err := tx.claimWords(r); err != nil {
		return err
	}
	var there []record.List
	for _, in := range r.Lists {
		switch err := tx.requirePlaceOf(record.Record{Place: in.Place}); {
		case err == nil:
			there = append(there, in)
		case !fault.Is(err, fault.NotFound):
			return err
		}
	}
	r.Lists = there
	return tx.listRecord(r, nil)
}

func messageShelf() shelf {
	return completeShelf(shelfOf[waiting, outbox.Message]{
		kind: messages, order: "lane, seq",
		position: func(m outbox.Message) []any { return []any{string(m.Lane), m.Seq} },
		complete: func(_ context.Context, _ statements, w waiting) (outbox.Message, error) {
			return archive.Pending(w.Message), nil
		},
		stored: func(m outbox.Message) waiting { return waiting{m, m.DueAt} },
	})
}

func integrationShelf() shelf {
	return completeShelf(shelfOf[integration.Integration, archive.Integration]{
		kind: integrations, order: "project_id, id",
		position: func(i archive.Integration) []any { return []any{i.ProjectID, i.ID} },
		complete: func(ctx context.Context, on statements, i integration.Integration) (archive.Integration, error) {
			sample, err := one(ctx, on, scalar[[]byte], "SELECT sample FROM integrations WHERE id = ?", i.ID)
			return archive.Integration{Integration: i, Sample: sample}, err
		},
		stored: func(i archive.Integration) integration.Integration { return i.Integration },
		added: func(tx *transaction, i archive.Integration, _ int64) error {
			if i.Sample == nil {
				return nil
			}
			return tx.exec("UPDATE integrations SET sample = ? WHERE id = ?", i.Sample, i.ID)
		},
	})
}

var alertDays = newKind("alert_days", func(d *archive.AlertDay) columns {
	return columns{
		{"project_id", &d.ProjectID}, {"day", (*dayOf)(&d.Date)}, {"alerts", &d.Total}, {"grave", &d.Grave},
	}
}, nil, nil)

// dayOf is a day, stored as its number.
type dayOf time.Time

func (d *dayOf) Scan(stored any) error {
	n, ok := stored.(int64)
	if !ok {
		return errors.New("stored day is no number")
	}
	*d = dayOf(time.Unix(n*secondsOfDay, 0).UTC())
	return nil
}

func (d *dayOf) value() any { return dayNumber(time.Time(*d)) }

func alertShelf() shelf {
	return completeShelf(shelfOf[alert.Alert, archive.Alert]{
		kind: alerts, order: "project_id, iid", condition: "(expires_at = 0 OR expires_at > ?) AND " + projectExists, limits: byNow,
		position: func(a archive.Alert) []any { return []any{a.ProjectID, a.IID} },
		complete: withPayloads,
		stored:   func(a archive.Alert) alert.Alert { return a.Alert },
		added:    addedAlert,
	})
}

// withPayloads returns the alert with its payloads.
func withPayloads(ctx context.Context, on statements, a alert.Alert) (archive.Alert, error) {
	dumped := archive.Alert{Alert: a}
	const query = `SELECT alert_payloads.packed, coalesce(at, 0), latest.packed FROM alerts
		LEFT JOIN alert_payloads ON alert_payloads.alert_id = alerts.id
		LEFT JOIN alert_latest_payloads AS latest ON latest.alert_id = alerts.id WHERE project_id = ? AND iid = ?`
	var first, latest []byte
	_, err := one(ctx, on, func(r row) (bool, error) {
		return true, r.Scan(&first, (*moment)(&dumped.Latest.At), &latest)
	}, query, a.ProjectID, a.IID)
	if err == nil && first != nil {
		dumped.Payload, err = packed.Unpack(first)
	}
	if err == nil && latest != nil {
		dumped.Latest.Text, err = packed.Unpack(latest)
	}
	return dumped, err
}

func addedAlert(tx *transaction, a archive.Alert, row int64) error {
	if err := tx.exec("INSERT INTO alert_payloads (alert_id, packed) VALUES (?, ?)", row, packed.Pack(a.Payload)); err != nil {
		return err
	}
	if !a.Latest.At.IsZero() {
		at := micros(a.Latest.At)
		err := errors.Join(
			tx.exec("UPDATE alerts SET latest_payload_at = ? WHERE id = ?", at, row),
			tx.exec("INSERT INTO alert_latest_payloads (alert_id, at, packed) VALUES (?, ?, ?)", row, at, packed.Pack(a.Latest.Text)),
		)
		if err != nil {
			return err
		}
	}
	counts := newTally()
	counts.counts[a.Class()]++
	return counts.keep(tx, a.ProjectID)
}

// numberTables are the tables that count, by the name in an export.
var numberTables = map[string]string{
	archive.OfUsers: "users", archive.OfNamespaces: "namespaces", archive.OfProjects: "projects",
	archive.OfAccessTokens: "access_tokens", archive.OfClients: "clients", archive.OfIntegrations: "integrations",
	archive.OfEnvironments: "environments", archive.OfDeadMessages: "dead_messages",
}

// numberShelf has the counters.
type numberShelf struct{}

func (numberShelf) some(ctx context.Context, on statements, after any, _ time.Time) ([]any, error) {
	const all = `SELECT '', 0, name, seq FROM sqlite_sequence
		UNION ALL SELECT place_kind, place_id, 'records/' || kind, last_id FROM record_ids
		UNION ALL SELECT 'project', project_id, 'alerts', last_iid FROM alert_counters WHERE ` + projectExists
	found, err := many(ctx, on, func(r row) (n archive.Number, err error) {
		return n, r.Scan(&n.Place.Kind, &n.Place.ID, &n.Of, &n.Last)
	}, all)
	if err != nil {
		return nil, err
	}
	var things []any
	for _, n := range found {
		name, known := numberName(n)
		n.Of = name
		if known && n.Last > 0 && (after == nil || archive.Numbers.Position(n) > archive.Numbers.Position(after)) {
			things = append(things, n)
		}
	}
	slices.SortFunc(things, func(a, b any) int {
		return strings.Compare(archive.Numbers.Position(a), archive.Numbers.Position(b))
	})
	return things, nil
}

// numberName returns what an export calls a counter; false: it has none that is kept.
func numberName(n archive.Number) (string, bool) {
	if n.Place != record.Instance {
		return n.Of, true
	}
	if _, ok := n.Records(); ok {
		return n.Of, true
	}
	for name, table := range numberTables {
		if table == n.Of {
			return name, true
		}
	}
	return "", false
}

func (numberShelf) load(tx *transaction, thing any) error {
	n := thing.(archive.Number)
	if k, ok := n.Records(); ok {
		return tx.exec("INSERT OR IGNORE INTO record_ids (place_kind, place_id, kind, last_id) VALUES (?, ?, ?, ?)", n.Place.Kind, n.Place.ID, k, n.Last)
	}
	if n.Of == archive.OfAlerts {
		return tx.exec("INSERT OR IGNORE INTO alert_counters (project_id, last_iid) VALUES (?, ?)", n.Place.ID, n.Last)
	}
	found, err := tx.change("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", n.Last, numberTables[n.Of])
	if err == nil && !found {
		err = tx.exec("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", numberTables[n.Of], n.Last)
	}
	return err
}
