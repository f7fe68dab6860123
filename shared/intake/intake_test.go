package intake_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

var (
	now = time.Date(2026, 1, 1, 12, 0, 20, 0, time.UTC)
	web = project.Project{ID: 7, FullPath: "acme/web"}
	key = secret.NewText("gtin-right")

	errDisk = errors.New("the disk is full")
)

// store has one endpoint, notes what is written, and fails where it is told
// to. What an intake has no reason to call panics.
type store struct {
	integration.Store
	endpoint                               integration.Endpoint
	findFails, rateFails, recordFails      error
	healthFails, settingsFails, placesFail error
	overRate                               bool
	outcome                                alert.Outcome
	topics                                 topics

	mu       sync.Mutex
	writes   []string
	health   integration.Health // all that was added
	recorded [][]alert.Occurrence
}

func (s *store) wrote(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = append(s.writes, what)
	slices.Sort(s.writes)
}

func (s *store) EndpointOf(_ context.Context, path, endpoint string) (integration.Endpoint, error) {
	if s.findFails != nil || path != web.FullPath || endpoint != s.endpoint.Endpoint {
		return integration.Endpoint{}, s.findFails
	}
	return s.endpoint, nil
}

func (s *store) AlertSettings(context.Context, project.Project) (integration.Settings, error) {
	return s.endpoint.Settings, s.settingsFails
}

func (s *store) Environments(context.Context, project.Project) ([]project.Environment, error) {
	return []project.Environment{{Name: "production"}}, s.placesFail
}

func (s *store) PutSealedKey(context.Context, string, integration.Integration, []byte) error {
	s.wrote("key")
	return nil
}

func (s *store) TakeRate(_ context.Context, path string, i integration.Integration, at time.Time) (bool, error) {
	s.wrote("rate")
	return !s.overRate && path == web.FullPath && i.ID == 1 && at.Equal(now), s.rateFails
}

func (s *store) AddHealth(_ context.Context, path string, i integration.Integration, h integration.Health) error {
	s.wrote("health")
	if path != web.FullPath || i.ID != 1 {
		return fmt.Errorf("health of integration %d in %s", i.ID, path)
	}
	s.health = s.health.Plus(h)
	return s.healthFails
}

func (s *store) RecordOccurrences(_ context.Context, projectID int64, occurrences [][]alert.Occurrence, at time.Time) ([][]alert.Recorded, error) {
	s.wrote("alerts")
	s.recorded = occurrences
	if s.recordFails != nil || projectID != web.ID || !at.Equal(now) {
		return nil, s.recordFails
	}
	results := make([][]alert.Recorded, len(occurrences))
	for n := range occurrences {
		results[n] = []alert.Recorded{{Outcome: s.outcome, IID: int64(n + 1), Title: "Disk full"}}
	}
	return results, nil
}

// newStore returns a store with an endpoint that takes plain alerts.
func newStore() *store {
	return &store{outcome: alert.Opened, endpoint: integration.Endpoint{
		Integration: integration.Integration{
			ID: 1, ProjectID: web.ID, Type: integration.HTTP, Active: true, Endpoint: integration.Legacy, KeyDigest: key.Digest(),
		},
		Settings:     integration.Settings{Fingerprinting: true},
		Environments: []string{"production"},
	}}
}

// rules returns the rules over the store.
func (s *store) rules(t testing.TB, f integration.Features) *intake.Rules {
	t.Helper()
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	clock := func() time.Time { return now }
	return intake.NewRules(s, integration.NewRules(s, nil, keys, f, clock), s.topics, clock)
}

// captureLog returns what is logged until the test ends.
func captureLog(t *testing.T) *bytes.Buffer {
	t.Helper()
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

func (s *store) metrics() { s.endpoint.Type = integration.Metrics }

const (
	fire    = `{"title": "Disk full"}`
	recover = `{"title": "Disk full", "end_time": "2026-01-01T12:00:00Z"}`
	webhook = `{"version": "4", "groupKey": "", "status": "", "receiver": "", "groupLabels": {}, "commonLabels": {},
		"commonAnnotations": {}, "externalURL": "", "truncatedAlerts": 7, "alerts": [%s]}`
	item     = `{"status": "firing", "labels": {"alertname": "Disk full"}, "startsAt": "2026-01-01T12:00:00Z"}`
	itemOver = `{"status": "resolved", "labels": {"alertname": "Disk full"}, "startsAt": "2026-01-01T12:00:00Z"}`
)

// ending is how a delivery ends.
type ending struct {
	kind    fault.Kind // empty: it is accepted
	says    string     // a part of the error's message
	wait    time.Duration
	touched int // alerts
	health  integration.Health
	writes  string
	logs    string // empty: nothing
}

func refused(kind fault.Kind, says, writes string) ending {
	return ending{kind: kind, says: says, health: integration.Health{Rejected: 1, LastError: says, LastErrorAt: now}, writes: writes}
}

// byStranger says that the key was wrong, so that no error of the integration is noted.
func (e ending) byStranger() ending {
	e.health = integration.Health{WrongKeys: 1, LastWrongKeyAt: now}
	return e
}

func (e ending) logged(line string) ending {
	e.logs = line
	return e
}

func (e ending) retryAfter(wait time.Duration) ending {
	e.wait = wait
	return e
}

// read says that the payload could be read.
func (e ending) read() ending {
	e.health.LastReceivedAt = now
	return e
}

func (e ending) unknown() ending {
	e.health = integration.Health{}
	return e
}

// accepted is the health after one delivery without a flaw.
var accepted = integration.Health{LastReceivedAt: now, Received: 1}

const (
	inactive = "There is no active integration with this address. See the project's Monitor settings."
	noKey    = "Send the integration's authorization key: as a Bearer token, as the password of Basic authentication or as X-Api-Key."
	wrongKey = "The authorization key is not this integration's. See the project's Monitor settings."
	slower   = "The integration takes no more requests in this minute."
	again    = "The payload could not be recorded. Send it again."
	notOpen  = "The payload resolves an alert, and none with its fingerprint is open."
	tooDeep  = "the payload is nested more than 100 levels deep"
)

var unread = fault.New(fault.Invalid, "the body exceeds 1 MiB")

// check compares how a delivery ended with how it should have.
func (e ending) check(t *testing.T, s *store, touched []alert.Recorded, err error, log *bytes.Buffer) {
	t.Helper()
	var wait interface{ RetryAfter() time.Duration }
	switch {
	case e.kind == "" && (err != nil || len(touched) != e.touched):
		t.Errorf("gave %v, %v, want %d alerts", touched, err, e.touched)
	case e.kind != "" && (!fault.Is(err, e.kind) || fault.Message(err) != e.says || touched != nil):
		t.Errorf("gave %v, %v, want %s: %s", touched, err, e.kind, e.says)
	case errors.As(err, &wait) != (e.wait != 0), e.wait != 0 && wait.RetryAfter() != e.wait:
		t.Errorf("%v is to be tried again after %v, want %v", err, wait, e.wait)
	}
	if diff := cmp.Diff(e.health, s.health); diff != "" {
		t.Errorf("the health noted (-want +got):\n%s", diff)
	}
	if got := strings.Join(s.writes, " "); got != e.writes {
		t.Errorf("the writes are %q, want %q", got, e.writes)
	}
	if e.logs == "" && log.Len() > 0 || !strings.Contains(log.String(), e.logs) || strings.Count(log.String(), "\n") > 1 {
		t.Errorf("the log is %q, want one line with %q", log, e.logs)
	}
}

// unreadType says that a body was taken as empty, and why.
func unreadType(why string) ending {
	h := accepted
	h.LastError, h.LastErrorAt = why, now
	return ending{touched: 1, health: h, writes: "alerts health key"}
}

var metricsNames = []string{
	"version", "groupKey", "status", "receiver", "groupLabels", "commonLabels", "commonAnnotations", "externalURL", "alerts",
}

// large returns an object with a text that is longer than the limit, and the names in it.
func large(most int, names ...string) string {
	quoted := make([]string, len(names))
	for n, name := range names {
		quoted[n] = strconv.Quote(name)
	}
	return `{"x":[` + strings.Join(quoted, ",") + `,"` + strings.Repeat("x", most) + `"]}`
}

func TestHowADeliveryEnds(t *testing.T) {
	failed := refused(fault.Unavailable, again, "").logged(`msg="payload not recorded" error="the disk is full"`)
	received := func(e ending) ending {
		e.health = e.health.Plus(accepted)
		return e
	}
	writing := func(e ending, writes string) ending {
		e.writes = writes
		return e
	}
	tests := map[string]struct {
		arrange func(*store, *intake.Delivery)
		body    string
		want    ending
	}{
		"no such project": {
			func(s *store, _ *intake.Delivery) { s.findFails = integration.ErrNoProject }, fire,
			ending{kind: fault.NotFound, says: "Project Not Found"},
		},
		"no such integration": {
			func(s *store, _ *intake.Delivery) { s.findFails = fault.New(fault.NotFound, "none") }, fire,
			ending{kind: fault.Forbidden, says: inactive},
		},
		"no such integration at a metrics address": {
			func(s *store, d *intake.Delivery) {
				s.findFails, d.Metrics = fault.New(fault.NotFound, "none"), true
			}, fire,
			ending{kind: fault.Unauthorized, says: inactive},
		},
		"the store cannot find it": {
			func(s *store, _ *intake.Delivery) { s.findFails = errDisk }, fire, failed.unknown().logged("integration_id=0"),
		},
		"inactive": {
			func(s *store, _ *intake.Delivery) { s.endpoint.Active = false }, fire, refused(fault.Forbidden, inactive, "health"),
		},
		"inactive for metrics": {
			func(s *store, _ *intake.Delivery) { s.metrics(); s.endpoint.Active = false }, fire,
			refused(fault.Unauthorized, inactive, "health"),
		},
		"an on-call link": {
			func(s *store, _ *intake.Delivery) { s.endpoint.Type = integration.OnCallLink }, fire,
			refused(fault.Forbidden, inactive, "health"),
		},
		"no key":    {func(_ *store, d *intake.Delivery) { d.Key = secret.Text{} }, fire, refused(fault.Unauthorized, noKey, "health").byStranger()},
		"wrong key": {func(_ *store, d *intake.Delivery) { d.Key = secret.NewText("x") }, fire, refused(fault.Unauthorized, wrongKey, "health").byStranger()},
		"throttled": {
			func(s *store, _ *intake.Delivery) { s.endpoint.RateLimit, s.overRate = 1, true }, fire,
			refused(fault.TooMany, slower, "health rate").retryAfter(40 * time.Second),
		},
		"throttled for metrics": {
			func(s *store, _ *intake.Delivery) { s.metrics(); s.endpoint.RateLimit, s.overRate = 1, true }, fire,
			refused(fault.Unavailable, slower, "health rate").retryAfter(40 * time.Second),
		},
		"the rate cannot be taken": {
			func(s *store, _ *intake.Delivery) { s.endpoint.RateLimit, s.rateFails = 1, errDisk }, fire,
			writing(failed, "health rate").logged("integration_id=1"),
		},
		"within the rate": {
			func(s *store, _ *intake.Delivery) { s.endpoint.RateLimit = 1 }, fire,
			ending{touched: 1, health: accepted, writes: "alerts health key rate"},
		},
		"a body that was not read": {
			func(_ *store, d *intake.Delivery) { d.Unread = unread }, "", refused(fault.Invalid, "the body exceeds 1 MiB", "health"),
		},
		"a body that was not read, for no project": {
			func(s *store, d *intake.Delivery) { d.Unread, s.findFails = unread, integration.ErrNoProject }, "",
			ending{kind: fault.Invalid, says: "the body exceeds 1 MiB"},
		},
		"a body that was not read, and the store fails": {
			func(s *store, d *intake.Delivery) { d.Unread, s.findFails = unread, errDisk }, "",
			ending{kind: fault.Invalid, says: "the body exceeds 1 MiB", logs: `msg="refusal not noted" error="the disk is full"`},
		},
		"too deep, with a wrong key": {
			func(_ *store, d *intake.Delivery) { d.Key = secret.NewText("x") }, strings.Repeat("[", 101),
			refused(fault.Invalid, tooDeep, "health").byStranger(),
		},
		"too deep, without claiming to be JSON": {
			func(_ *store, d *intake.Delivery) { d.OtherType = "text/plain" }, strings.Repeat("[", 101),
			unreadType("the body (text/plain) counts as empty: the payload is nested more than 100 levels deep"),
		},
		"JSON that does not claim to be": {
			func(_ *store, d *intake.Delivery) { d.OtherType = "text/plain" }, fire,
			ending{touched: 1, health: accepted, writes: "alerts health key"},
		},
		"nothing that does not claim to be JSON": {
			func(_ *store, d *intake.Delivery) { d.OtherType = "text/plain" }, "",
			ending{touched: 1, health: accepted, writes: "alerts health key"},
		},
		"no JSON, as it says": {
			func(_ *store, d *intake.Delivery) { d.OtherType = strings.Repeat("x", 100) }, "Disk full",
			unreadType("the body (" + strings.Repeat("x", 57) + "...) counts as empty: the payload is not valid JSON at line 1, column 1"),
		},
		"no JSON, as it says, for metrics": {
			func(s *store, d *intake.Delivery) { s.metrics(); d.OtherType = "text/plain" }, "[]",
			refused(fault.Unprocessable, "the body (text/plain) counts as empty: the payload must be a JSON object", "health key"),
		},
		"larger than a plain payload may be":  {nil, large(1<<20, "title"), refused(fault.Invalid, "the payload exceeds 1 MiB", "health")},
		"larger, and plain for all its names": {nil, large(1<<20, metricsNames...), refused(fault.Invalid, "the payload exceeds 1 MiB", "health key")},
		"larger, without claiming to be JSON": {
			func(_ *store, d *intake.Delivery) { d.OtherType = "text/plain" }, large(1<<20, "title"),
			refused(fault.Invalid, "the payload exceeds 1 MiB", "health"),
		},
		"a large group at a plain address": {
			nil, strings.Replace(fmt.Sprintf(webhook, item), `7, "alerts"`, `0, "x": "`+strings.Repeat("x", 4<<20)+`", "alerts"`, 1),
			ending{touched: 1, health: accepted, writes: "alerts health key"},
		},
		"a group that is too large": {
			func(s *store, _ *intake.Delivery) { s.metrics() }, large(5<<20, metricsNames...),
			refused(fault.Invalid, "the payload exceeds 5 MiB", "health"),
		},
		"malformed": {nil, `{"title":`, refused(fault.Invalid, "the payload is not valid JSON at line 1, column 9", "health key")},
		"another format for metrics": {
			func(s *store, _ *intake.Delivery) { s.metrics() }, `{"alerts": []}`,
			refused(fault.Unprocessable, "not in the metrics-alerting format: commonAnnotations, commonLabels, externalURL, groupKey, "+
				"groupLabels, receiver, status, version missing", "health key"),
		},
		"another format at a metrics address": {
			func(_ *store, d *intake.Delivery) { d.Metrics = true }, strings.Replace(webhook, "[%s]", "{}", 1),
			refused(fault.Unprocessable, "not in the metrics-alerting format: alerts must be an array", "health key"),
		},
		"a stored mapping that cannot be read": {
			func(s *store, _ *intake.Delivery) { s.endpoint.Mapping = []byte("[]") }, fire,
			writing(refused(fault.Unavailable, again, ""), "health key").logged(`error="mapping must be a JSON object"`),
		},
		"nothing open to resolve": {
			func(s *store, _ *intake.Delivery) { s.outcome = alert.Unmatched }, recover,
			refused(fault.Invalid, notOpen, "alerts health key").read(),
		},
		"resolved": {
			func(s *store, _ *intake.Delivery) { s.outcome = alert.Recovered }, recover,
			ending{touched: 1, health: accepted, writes: "alerts health key"},
		},
		"metrics with nothing open to resolve": {
			func(s *store, _ *intake.Delivery) { s.outcome = alert.Unmatched }, strings.Replace(fmt.Sprintf(webhook, itemOver), "7", "0", 1),
			ending{health: accepted, writes: "alerts health key"},
		},
		"items skipped and left out": {
			nil, fmt.Sprintf(webhook, item+`, {}, 1`),
			ending{touched: 1, health: integration.Health{LastReceivedAt: now, Received: 1, SkippedItems: 2, TruncatedAlerts: 7}, writes: "alerts health key"},
		},
		"with a note": {
			nil, `{"title": "Disk full", "severity": "bad"}`,
			ending{touched: 1, writes: "alerts health key", health: integration.Health{
				LastReceivedAt: now, Received: 1, LastError: `severity "bad" is none, so it is critical`, LastErrorAt: now,
			}},
		},
		"the alert cannot be stored": {
			func(s *store, _ *intake.Delivery) { s.recordFails = errDisk }, fire, received(writing(failed, "alerts health health key")),
		},
		"a recovery cannot be stored": {
			func(s *store, _ *intake.Delivery) { s.recordFails = errDisk }, recover, writing(failed, "alerts health key").read(),
		},
		"the store does not know": {
			func(s *store, _ *intake.Delivery) {
				s.recordFails = fmt.Errorf("%w: %w", fault.New(fault.Unavailable, "try again"), errDisk)
			}, fire,
			received(refused(fault.Unavailable, "try again", "alerts health health key")).logged(`error="try again: the disk is full"`),
		},
		"the health cannot be stored": {
			func(s *store, _ *intake.Delivery) { s.healthFails = errDisk }, fire,
			ending{touched: 1, health: accepted, writes: "alerts health key", logs: `msg="health of an integration not written" error="the disk is full"`},
		},
		"one alert": {nil, fire, ending{touched: 1, health: accepted, writes: "alerts health key"}},
		"nothing":   {nil, "", ending{touched: 1, health: accepted, writes: "alerts health key"}},
		"several alerts": {
			func(s *store, _ *intake.Delivery) { s.metrics() },
			strings.Replace(fmt.Sprintf(webhook, item+","+strings.Replace(item, "Disk", "Tape", 1)), "7", "0", 1),
			ending{touched: 2, health: accepted, writes: "alerts health key"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			log := captureLog(t)
			s := newStore()
			d := intake.Delivery{Project: web.FullPath, Endpoint: integration.Legacy, Key: key, Body: []byte(test.body)}
			if test.arrange != nil {
				test.arrange(s, &d)
			}
			touched, err := s.rules(t, integration.AllFeatures).Deliver(t.Context(), d)
			test.want.check(t, s, touched, err, log)
		})
	}
}

func TestHowATestEnds(t *testing.T) {
	tests := map[string]struct {
		arrange func(*store)
		body    string
		want    ending
	}{
		"one alert": {nil, fire, ending{touched: 1, health: accepted, writes: "alerts health"}},
		"beyond the rate": {
			func(s *store) { s.endpoint.RateLimit, s.overRate = 1, true }, fire,
			ending{touched: 1, health: accepted, writes: "alerts health"},
		},
		"malformed": {nil, "{", refused(fault.Invalid, "the payload is not valid JSON at line 1, column 1", "health")},
		"inactive": {
			func(s *store) { s.endpoint.Active = false }, fire, ending{kind: fault.Forbidden, says: inactive},
		},
		"nothing open to resolve": {
			func(s *store) { s.outcome = alert.Unmatched }, recover, refused(fault.Invalid, notOpen, "alerts health").read(),
		},
		"an integration that is gone": {
			func(s *store) { s.findFails = fault.New(fault.NotFound, "none") }, fire, ending{kind: fault.NotFound, says: "none"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			log := captureLog(t)
			s := newStore()
			if test.arrange != nil {
				test.arrange(s)
			}
			touched, err := s.rules(t, integration.AllFeatures).Test(t.Context(), web, s.endpoint.Integration, []byte(test.body))
			test.want.check(t, s, touched, err, log)
		})
	}
}

// What an endpoint says about its payloads reaches the alerts.
func TestHowAPayloadIsRead(t *testing.T) {
	const body = `{"title": "Own", "check": {"name": "Mapped"}, "platform_environment_name": "production"}`
	tests := map[string]struct {
		features       integration.Features
		fingerprinting bool
		title          string
		grouped        bool
	}{
		"all on":          {integration.AllFeatures, true, "Mapped", true},
		"no mapping":      {integration.Features{Grouping: true}, true, "Own", true},
		"no grouping":     {integration.Features{Mapping: true}, true, "Mapped", false},
		"no fingerprints": {integration.AllFeatures, false, "Mapped", false},
	}
	for name, test := range tests {
		s := newStore()
		s.endpoint.Mapping = []byte(`{"title": {"path": ["check", "name"], "type": "STRING"}}`)
		s.endpoint.Settings.Fingerprinting = test.fingerprinting
		if _, err := s.rules(t, test.features).Test(t.Context(), web, s.endpoint.Integration, []byte(body)); err != nil {
			t.Errorf("%s: Test gave %v", name, err)
			continue
		}
		o := s.recorded[0][0]
		if o.Title != test.title || o.Joins() != test.grouped || o.Environment != "production" || o.IntegrationID != 1 || !o.StartedAt.Equal(now) {
			t.Errorf("%s: the occurrence is %+v, want the title %s, grouped: %v", name, o, test.title, test.grouped)
		}
	}
}

func TestPreview(t *testing.T) {
	m := mapping.Mapping{Rules: map[mapping.Target]mapping.Rule{mapping.Title: {Path: mapping.Path{mapping.Name("name")}}}}
	const body = `{"name": "Mapped", "platform_environment_name": "production"}`
	tests := map[string]struct {
		features integration.Features
		mapping  mapping.Mapping
		arrange  func(*store)
		title    string
		err      error
	}{
		"with a mapping":                  {integration.AllFeatures, m, nil, "Mapped", nil},
		"without one":                     {integration.Features{}, mapping.Mapping{}, nil, "New: Alert", nil},
		"with one where there is none":    {integration.Features{Grouping: true}, m, nil, "", integration.ErrNoMapping},
		"of another format than is taken": {integration.AllFeatures, mapping.Mapping{}, (*store).metrics, "", fault.Unprocessable},
		"the settings cannot be read":     {integration.AllFeatures, mapping.Mapping{}, func(s *store) { s.settingsFails = errDisk }, "", errDisk},
		"the environments cannot be read": {integration.AllFeatures, mapping.Mapping{}, func(s *store) { s.placesFail = errDisk }, "", errDisk},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStore()
			if test.arrange != nil {
				test.arrange(s)
			}
			got, err := s.rules(t, test.features).Preview(t.Context(), web, s.endpoint.Integration, test.mapping, []byte(body))
			if !errors.Is(err, test.err) || len(s.writes) > 0 {
				t.Errorf("Preview gave %v and wrote %v, want %v and nothing", err, s.writes, test.err)
			}
			if test.err == nil && (got.Occurrences[0][0].Title != test.title || got.Occurrences[0][0].Environment != "production") {
				t.Errorf("Preview gave %+v, want the title %s", got.Occurrences, test.title)
			}
		})
	}
}

// A project where nobody listens costs no messages.
func TestAlertsTellWhoeverListens(t *testing.T) {
	for _, test := range []struct {
		settings integration.Settings
		want     bool
	}{
		{integration.Settings{}, false},
		{integration.Settings{CreateIncident: true}, true},
		{integration.Settings{SendEmail: true}, true},
		{integration.Settings{Watched: true}, true},
	} {
		for body, kind := range map[string]integration.Type{fire: integration.HTTP, recover: integration.HTTP, fmt.Sprintf(webhook, item+","+itemOver): integration.Metrics} {
			s := newStore()
			s.endpoint.Settings, s.endpoint.Type = test.settings, kind
			r := s.rules(t, integration.AllFeatures)
			if _, err := r.Deliver(t.Context(), intake.Delivery{Project: web.FullPath, Endpoint: integration.Legacy, Key: key, Body: []byte(body)}); err != nil {
				t.Fatal(err)
			}
			for _, o := range slices.Concat(s.recorded...) {
				if o.Tell != test.want {
					t.Errorf("with the settings %+v, an occurrence tells: %t, want %t", test.settings, o.Tell, test.want)
				}
			}
			if len(s.recorded) == 0 {
				t.Error("nothing was recorded")
			}
		}
	}
}

func TestRecoveriesSayForHowLongAlertsAreKept(t *testing.T) {
	days := int64(30)
	for body, kind := range map[string]integration.Type{recover: integration.HTTP, fmt.Sprintf(webhook, itemOver): integration.Metrics} {
		for _, test := range []struct {
			own  *int64
			want int
		}{{nil, 400}, {&days, 30}} {
			s := newStore()
			s.endpoint.Settings.RetentionDays, s.endpoint.Type = test.own, kind
			r := s.rules(t, integration.AllFeatures)
			_, _ = r.Deliver(t.Context(), intake.Delivery{Project: web.FullPath, Endpoint: integration.Legacy, Key: key, Body: []byte(body)})
			if len(s.recorded) != 1 || s.recorded[0][0].KeptDays != test.want {
				t.Errorf("%s: recorded %+v, want alerts kept for %d days", kind, s.recorded, test.want)
			}
		}
	}
}
