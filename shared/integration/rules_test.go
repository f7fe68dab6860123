package integration_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

// store keeps integrations and samples in memory, and fails where it is told
// to; that the real ones keep their promises is tested elsewhere.
type store struct {
	integration.Store
	all       []integration.Integration
	samples   map[int64]string
	putFails  error
	setFails  error
	lastGiven int64
	last      audit.Event
}

func (s *store) Integrations(context.Context, project.Project) ([]integration.Integration, error) {
	return slices.Clone(s.all), nil
}

func (s *store) CreateIntegration(_ context.Context, _ project.Project, i integration.Integration, _ []integration.Integration) (integration.Integration, error) {
	s.lastGiven++
	i.ID, i.Version = s.lastGiven, 1
	s.all = append(s.all, i)
	return i, nil
}

func (s *store) UpdateIntegration(_ context.Context, _ project.Project, i integration.Integration, _ []integration.Integration) (integration.Integration, error) {
	if s.setFails != nil {
		return integration.Integration{}, s.setFails
	}
	i.Version++
	s.all[slices.IndexFunc(s.all, func(o integration.Integration) bool { return o.ID == i.ID })] = i
	return i, nil
}

func (s *store) DeleteIntegration(_ context.Context, _ project.Project, i integration.Integration) error {
	s.all = slices.DeleteFunc(s.all, func(o integration.Integration) bool { return o.ID == i.ID })
	return nil
}

func (s *store) Sample(_ context.Context, _ project.Project, i integration.Integration) ([]byte, error) {
	return []byte(s.samples[i.ID]), nil
}

func (s *store) PutSample(_ context.Context, _ project.Project, i integration.Integration, sample []byte) error {
	if s.putFails != nil {
		return s.putFails
	}
	s.samples[i.ID] = string(sample)
	return nil
}

// trail keeps the last event.
type trail struct {
	audit.Store
	*store
}

func (t trail) WriteEntry(_ context.Context, e audit.Entry) error {
	t.last = e.Event
	return nil
}

var web = project.Project{ID: 7, FullPath: "acme/web"}

func newRules(t *testing.T, f integration.Features) (*integration.Rules, *store) {
	t.Helper()
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	s := &store{samples: map[int64]string{}}
	return integration.NewRules(s, s.trail(), keys, f, func() time.Time { return time.Unix(0, 0) }), s
}

func (s *store) trail() *audit.Trail { return audit.NewTrail(trail{store: s}, time.Now) }

func draft(kind integration.Type, active bool) integration.Draft {
	d := integration.Draft{Name: "The " + string(kind), Type: kind, Active: active}
	if kind != integration.HTTP {
		d.APIURL = "https://there.example"
	}
	return d
}

func create(t *testing.T, r *integration.Rules, d integration.Draft) integration.Integration {
	t.Helper()
	i, err := r.Create(t.Context(), audit.Setup, web, d)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestOnCallLinkAndOthersExcludeEachOther(t *testing.T) {
	const http, metrics, link = integration.HTTP, integration.Metrics, integration.OnCallLink
	tests := []struct {
		has   integration.Type
		wants integration.Type
		free  bool
	}{
		{link, http, false}, {link, metrics, false}, {link, link, false},
		{http, link, false}, {metrics, link, false},
		{http, http, true}, {http, metrics, true}, {metrics, http, true},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s beside %s", test.wants, test.has), func(t *testing.T) {
			r, _ := newRules(t, integration.AllFeatures)
			first := create(t, r, draft(test.has, true))
			check := func(what string, err error) {
				t.Helper()
				if test.free && err != nil {
					t.Errorf("%s: %v", what, err)
				}
				if !test.free && (!fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), `"The `+string(test.has)+`"`)) {
					t.Errorf("%s gave %v, want a conflict with the one that is active", what, err)
				}
			}
			_, err := r.Create(t.Context(), audit.Setup, web, draft(test.wants, true))
			check("creating it active", err)
			second := create(t, r, draft(test.wants, false))
			on, off := true, false
			_, err = r.Change(t.Context(), audit.Setup, web, second.ID, integration.Change{Active: &on})
			check("activating it", err)
			if _, err := r.Change(t.Context(), audit.Setup, web, first.ID, integration.Change{Active: &off}); err != nil {
				t.Error(err)
			}
			if test.free {
				return
			}
			if _, err := r.Change(t.Context(), audit.Setup, web, second.ID, integration.Change{Active: &on}); err != nil {
				t.Errorf("activating it alone: %v", err)
			}
		})
	}
}

func TestChangeOfWhatWasSeen(t *testing.T) {
	r, _ := newRules(t, integration.AllFeatures)
	i, name := create(t, r, draft(integration.HTTP, true)), "Another"
	for _, test := range []struct {
		seen int64
		want error
	}{{i.Version + 1, integration.ErrChanged}, {i.Version, nil}, {i.Version, integration.ErrChanged}, {0, nil}} {
		if _, err := r.Change(t.Context(), audit.Setup, web, i.ID, integration.Change{Name: &name, Seen: test.seen}); !errors.Is(err, test.want) {
			t.Errorf("a change as version %d gave %v, want %v", test.seen, err, test.want)
		}
	}
}

func TestSecondOfAType(t *testing.T) {
	r, _ := newRules(t, integration.Features{})
	first := create(t, r, draft(integration.HTTP, true))
	if _, err := r.Create(t.Context(), audit.Setup, web, draft(integration.HTTP, false)); !fault.Is(err, fault.Forbidden) {
		t.Errorf("a second HTTP endpoint gave %v, want fault.Forbidden", err)
	}
	create(t, r, draft(integration.Metrics, true))
	if err := r.Delete(t.Context(), audit.Setup, web, first); err != nil {
		t.Fatal(err)
	}
	create(t, r, draft(integration.HTTP, true))
}

func TestEndpointsOfAProject(t *testing.T) {
	r, _ := newRules(t, integration.AllFeatures)
	var got []string
	for _, kind := range []integration.Type{integration.HTTP, integration.Metrics, integration.HTTP, integration.Metrics, integration.OnCallLink} {
		got = append(got, create(t, r, draft(kind, false)).Endpoint)
	}
	if got[0] != integration.Legacy || got[1] != integration.LegacyMetrics {
		t.Errorf("the first endpoints are %v, want the plain ones", got[:2])
	}
	slices.Sort(got)
	if len(slices.Compact(got)) != 5 || len(got[0]) != 16 {
		t.Errorf("the endpoints are %v, want others of 16 digits", got)
	}
}

func TestMostIntegrations(t *testing.T) {
	r, _ := newRules(t, integration.AllFeatures)
	for range integration.MaxIntegrations {
		create(t, r, draft(integration.HTTP, true))
	}
	if _, err := r.Create(t.Context(), audit.Setup, web, draft(integration.HTTP, true)); !fault.Is(err, fault.Conflict) {
		t.Errorf("one too many gave %v, want fault.Conflict", err)
	}
}

const (
	nameMapping  = `{"title":{"path":["name"],"type":"STRING"}}`
	ignoring     = `{"ignore_when":{"source":{"path":["labels","alertname"]},"equals":["Watchdog"]}}`
	severities   = `{"severity":{"values":{"warning":"medium"}}}`
	bothEditions = `{"hosts":{"path":["h"],"type":"ARRAY"},"resolved_when":{"source":{"path":["state"]},"equals":["OK"]},"title":{"sources":[{"template":"{a}/{b}"}]}}`
)

func TestMappings(t *testing.T) {
	long := `{"title":{"path":["` + strings.Repeat(strings.Repeat("x", 1000)+`","`, 35) + `"],"type":"S"}}`
	const start, end = `{"title":{"path":["`, `"],"type":"S"}}`
	full := strings.Repeat(strings.Repeat("x", 1000)+`","`, 32)
	full = start + full + strings.Repeat("x", 32<<10-len(start+full+end)) + end
	tests := map[string]struct {
		kind   integration.Type
		active bool
		text   string
		want   string // kept, or the complaint
	}{
		"none":                   {integration.HTTP, true, "", ""},
		"null":                   {integration.HTTP, false, "null", ""},
		"an empty one":           {integration.Metrics, true, " {} ", ""},
		"one that maps nothing":  {integration.HTTP, false, `{"title":null}`, ""},
		"one":                    {integration.HTTP, true, ` {"title" : {"type": "STRING", "path":["name"]} }`, nameMapping},
		"for an inactive one":    {integration.HTTP, false, nameMapping, "needs an active integration"},
		"for a metrics webhook":  {integration.Metrics, true, nameMapping, nameMapping},
		"of its severities":      {integration.Metrics, true, severities, severities},
		"of more than it takes":  {integration.Metrics, true, `{"hosts":{"path":["a"],"type":"S"}}`, "of a metrics integration has title, severity and ignore_when alone"},
		"of when it resolves":    {integration.Metrics, true, `{"resolved_when":{"source":{"path":["a"]},"equals":["b"]}}`, "of a metrics integration has title, severity and ignore_when alone"},
		"of what it ignores":     {integration.Metrics, true, ignoring, ignoring},
		"of all editions":        {integration.HTTP, true, bothEditions, bothEditions},
		"for an on-call link":    {integration.OnCallLink, true, nameMapping, "is for integrations that take alerts"},
		"that only escapes":      {integration.HTTP, true, `{"title":{"default":"<` + strings.Repeat(`"},"hosts":{"sources":[{"constant":"<<`, 0) + `"}}`, `{"title":{"default":"\u003c"}}`},
		"of an unknown field":    {integration.HTTP, true, `{"colour":{}}`, `has "colour", which is no field of an alert`},
		"that is no JSON object": {integration.HTTP, true, `[`, "must be a JSON object"},
		"of the longest length":  {integration.HTTP, true, full, full},
		"one byte too long":      {integration.HTTP, true, strings.Replace(full, `"]`, `x"]`, 1), "is too long (maximum is 32768 bytes)"},
		"that is too long":       {integration.HTTP, true, long, "is too long (maximum is 32768 bytes)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, _ := newRules(t, integration.AllFeatures)
			d := draft(test.kind, test.active)
			d.Mapping = []byte(test.text)
			created, createErr := r.Create(t.Context(), audit.Setup, web, d)
			text := []byte(test.text)
			changed, changeErr := r.Change(t.Context(), audit.Setup, web, create(t, r, draft(test.kind, test.active)).ID, integration.Change{Mapping: &text})
			if test.want != "" && test.want[0] != '{' {
				want := fault.Field("payload_attribute_mapping", test.want)
				if !cmp.Equal(createErr, want) || !cmp.Equal(changeErr, want) {
					t.Errorf("create gave %v, change gave %v, want %v", createErr, changeErr, want)
				}
				return
			}
			if createErr != nil || changeErr != nil || string(created.Mapping) != test.want || string(changed.Mapping) != test.want {
				t.Errorf("created with %q, %v; changed to %q, %v, want %q", created.Mapping, createErr, changed.Mapping, changeErr, test.want)
			}
		})
	}
}

func TestRateLimits(t *testing.T) {
	want := fault.Field("rate_limit", "must be between 0 and 1000000")
	for limit, valid := range map[int]bool{-1: false, 0: true, 1_000_000: true, 1_000_001: false} {
		r, _ := newRules(t, integration.AllFeatures)
		d := draft(integration.HTTP, true)
		d.RateLimit = limit
		if i, err := r.Create(t.Context(), audit.Setup, web, d); valid && (err != nil || i.RateLimit != limit) || !valid && !cmp.Equal(err, want) {
			t.Errorf("a limit of %d gave %d, %v", limit, i.RateLimit, err)
		}
	}
}

const topicARN = "arn:aws:sns:eu-central-1:111122223333:alarms"

func TestTopics(t *testing.T) {
	const noARN = "must be the ARN of a topic of SNS, such as arn:aws:sns:eu-central-1:111122223333:alarms"
	for _, test := range []struct{ preset, topic, complaint string }{
		{integration.CloudWatchSNS, topicARN, ""},
		{integration.CloudWatchSNS, "", ""},
		{"", "", ""},
		{integration.CloudWatchSNS, "alarms", noARN},
		{integration.CloudWatchSNS, "arn:aws:sqs:eu-central-1:111122223333:alarms", noARN},
		{"", topicARN, "is for integrations made from the preset cloudwatch_sns"},
		{"grafana", topicARN, "is for integrations made from the preset cloudwatch_sns"},
	} {
		r, _ := newRules(t, integration.AllFeatures)
		d := draft(integration.HTTP, true)
		d.Preset = test.preset
		i := create(t, r, d)
		changed, changeErr := r.Change(t.Context(), audit.Setup, web, i.ID, integration.Change{SNSTopic: &test.topic})
		d.SNSTopic = test.topic
		made, makeErr := r.Create(t.Context(), audit.Setup, web, d)
		if test.complaint != "" {
			if want := fault.Field("sns_topic_arn", test.complaint); !cmp.Equal(changeErr, want) || !cmp.Equal(makeErr, want) {
				t.Errorf("%q for %q: %v, %v, want %v", test.topic, test.preset, changeErr, makeErr, want)
			}
			continue
		}
		if changed.SNSTopic != test.topic || made.SNSTopic != test.topic || changeErr != nil || makeErr != nil {
			t.Errorf("%q for %q gave %q, %v and %q, %v", test.topic, test.preset, changed.SNSTopic, changeErr, made.SNSTopic, makeErr)
		}
	}
}

func TestEventsOfChanges(t *testing.T) {
	name, address, limit, sample, mapped := "New", "https://new.example", 5, []byte(`{"a":1}`), []byte(nameMapping)
	on, off, topic := true, false, topicARN
	tests := map[string]struct {
		was      bool // active
		change   integration.Change
		event    audit.Name
		changed  string
		formerly string
	}{
		"nothing":      {true, integration.Change{}, integration.EventChanged, "", ""},
		"name":         {true, integration.Change{Name: &name}, integration.EventChanged, "name", "The http"},
		"address":      {true, integration.Change{APIURL: &address}, integration.EventChanged, "address", ""},
		"mapping":      {true, integration.Change{Mapping: &mapped}, integration.EventChanged, "mapping", ""},
		"sample":       {true, integration.Change{Sample: &sample}, integration.EventChanged, "sample", ""},
		"rate limit":   {true, integration.Change{RateLimit: &limit}, integration.EventChanged, "rate limit", ""},
		"topic":        {true, integration.Change{SNSTopic: &topic}, integration.EventChanged, "topic of SNS", ""},
		"still active": {true, integration.Change{Active: &on}, integration.EventChanged, "", ""},
		"still off":    {false, integration.Change{Active: &off}, integration.EventChanged, "", ""},
		"on":           {false, integration.Change{Active: &on, Name: &name}, integration.EventEnabled, "name", "The http"},
		"off":          {true, integration.Change{Active: &off, RateLimit: &limit}, integration.EventDisabled, "rate limit", ""},
	}
	for what, test := range tests {
		t.Run(what, func(t *testing.T) {
			r, s := newRules(t, integration.AllFeatures)
			made := draft(integration.HTTP, test.was)
			made.Preset = integration.CloudWatchSNS
			i := create(t, r, made)
			if _, err := r.Change(t.Context(), audit.ByUser(3), web, i.ID, test.change); err != nil {
				t.Fatal(err)
			}
			got := s.last
			if got.Name != test.event || got.Details["integration_id"] != "1" || got.Details["changed"] != test.changed || got.Details["formerly"] != test.formerly {
				t.Errorf("the event is %s %v", got.Name, got.Details)
			}
		})
	}
}

func TestEventOfANewIntegrationHasNoID(t *testing.T) {
	r, s := newRules(t, integration.AllFeatures)
	if _, err := r.Create(t.Context(), audit.ByUser(3), web, draft(integration.HTTP, true)); err != nil {
		t.Fatal(err)
	}
	want := audit.Details{"in": "acme/web", "integration": "The http", "type": "http"}
	if s.last.Name != integration.EventCreated || !cmp.Equal(s.last.Details, want) {
		t.Errorf("the event is %s %v, want %v", s.last.Name, s.last.Details, want)
	}
}

func TestMappingSwitchedOff(t *testing.T) {
	r, _ := newRules(t, integration.AllFeatures)
	d := draft(integration.HTTP, true)
	d.Mapping = []byte(nameMapping)
	i := create(t, r, d)
	r.Features.Mapping = false
	if _, err := r.Create(t.Context(), audit.Setup, web, d); !errors.Is(err, integration.ErrNoMapping) {
		t.Errorf("creating one with a mapping gave %v", err)
	}
	other, same, off := []byte("null"), []byte(" "+nameMapping), false
	if _, err := r.Change(t.Context(), audit.Setup, web, i.ID, integration.Change{Mapping: &other}); !errors.Is(err, integration.ErrNoMapping) {
		t.Errorf("taking the mapping away gave %v", err)
	}
	i, err := r.Change(t.Context(), audit.Setup, web, i.ID, integration.Change{Mapping: &same, Active: &off})
	if err != nil || string(i.Mapping) != nameMapping || i.Active {
		t.Errorf("sending it back as it was gave %+v, %v", i, err)
	}
}

func TestAddresses(t *testing.T) {
	const wrong = "must be a valid http or https URL"
	tests := map[string]string{
		"":                                      "can't be blank",
		"https://x.example":                     "",
		"http://localhost:9090/path?query#part": "",
		"https://x.example/" + strings.Repeat("é", 237): "",
		"https://x.example/" + strings.Repeat("é", 238): "is too long (maximum is 255 characters)",
		"x.example":              wrong,
		"/path":                  wrong,
		"https:///path":          wrong,
		"ftp://x.example":        wrong,
		"javascript:alert(1)":    wrong,
		"https://x y.example":    wrong,
		"https://a@x.example":    "must not hold credentials",
		"https://a:b@x.example/": "must not hold credentials",
	}
	for _, kind := range []integration.Type{integration.HTTP, integration.Metrics, integration.OnCallLink} {
		for address, want := range tests {
			r, _ := newRules(t, integration.AllFeatures)
			_, err := r.Create(t.Context(), audit.Setup, web, integration.Draft{Name: "x", Type: kind, APIURL: address})
			if address == "" && kind == integration.HTTP || want == "" {
				if err != nil {
					t.Errorf("%s with %q gave %v", kind, address, err)
				}
			} else if diff := cmp.Diff(fault.Field("api_url", want), err); diff != "" {
				t.Errorf("%s with %q (-want +got):\n%s", kind, address, diff)
			}
		}
	}
}

func TestSamplesAreKeptWithTheirIntegration(t *testing.T) {
	r, s := newRules(t, integration.AllFeatures)
	d := draft(integration.HTTP, true)
	d.Sample = []byte(` {"a": 1} `)
	i := create(t, r, d)
	if got := s.samples[i.ID]; got != `{"a": 1}` {
		t.Errorf("the sample is %q", got)
	}
	down := errors.New("down")
	s.setFails = down
	name, sample := "New", []byte(`{"b": 2}`)
	if _, err := r.Change(t.Context(), audit.Setup, web, i.ID, integration.Change{Name: &name, Sample: &sample}); !errors.Is(err, down) {
		t.Errorf("a change that fails gave %v", err)
	}
	if got := s.samples[i.ID]; got != `{"a": 1}` {
		t.Errorf("after a change that failed the sample is %q, want the former one", got)
	}
	s.setFails = nil
	if _, err := r.Change(t.Context(), audit.Setup, web, i.ID, integration.Change{Sample: &sample}); err != nil || s.samples[i.ID] != `{"b": 2}` {
		t.Errorf("after a change the sample is %q, %v", s.samples[i.ID], err)
	}
	s.putFails = down
	if _, err := r.Create(t.Context(), audit.Setup, web, d); !errors.Is(err, down) || len(s.all) != 1 {
		t.Errorf("one whose sample cannot be kept gave %v and left %d integrations, want the first alone", err, len(s.all))
	}
	if _, err := r.Change(t.Context(), audit.Setup, web, i.ID, integration.Change{Name: &name, Sample: &sample}); !errors.Is(err, down) || s.all[0].Name == name {
		t.Errorf("a change whose sample cannot be kept gave %v and left %q", err, s.all[0].Name)
	}
}

func TestSamplesThatAreNone(t *testing.T) {
	tests := map[string]string{
		"":     "",
		"null": "",
		" {} ": "",
		"[]":   "the payload must be a JSON object",
		"{":    "the payload is not valid JSON at line 1, column 1",
		`{"a":"` + strings.Repeat("x", 1<<20) + `"}`: "the payload exceeds 1 MiB",
	}
	for sample, want := range tests {
		r, s := newRules(t, integration.AllFeatures)
		d := draft(integration.HTTP, true)
		d.Sample = []byte(sample)
		_, err := r.Create(t.Context(), audit.Setup, web, d)
		if want == "" && (err != nil || len(s.samples) > 0) {
			t.Errorf("%q gave %v and left %v", sample, err, s.samples)
		}
		if want != "" && (!cmp.Equal(err, fault.Field("payload_example", want)) || len(s.all) > 0) {
			t.Errorf("%.20q gave %v and left %d integrations, want %q", sample, err, len(s.all), want)
		}
	}
}

func TestKeys(t *testing.T) {
	r, s := newRules(t, integration.AllFeatures)
	i := create(t, r, draft(integration.HTTP, true))
	first, err := r.Key(i)
	if err != nil || len(first.Reveal()) != len("gtin-")+32 || !i.Authorizes(first, secret.Text{}) {
		t.Fatalf("the key is %q, %v", first.Reveal(), err)
	}
	if strings.Contains(string(i.SealedKey), first.Reveal()) {
		t.Error("the store has the key in the clear")
	}
	reset, err := r.ResetKey(t.Context(), audit.Setup, web, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.Key(reset)
	if err != nil || reset.Authorizes(first, secret.Text{}) || !reset.Authorizes(second, secret.Text{}) {
		t.Errorf("after a reset the key is %q, %v", second.Reveal(), err)
	}
	other := s.all[0]
	other.ProjectID++
	if key, err := r.Key(other); err == nil {
		t.Errorf("another project's integration has opened the key %q", key.Reveal())
	}
	for _, id := range []int64{0, -1, i.ID + 1} {
		if _, err := r.ResetKey(t.Context(), audit.Setup, web, id); !fault.Is(err, fault.NotFound) {
			t.Errorf("ResetKey(%d) gave %v, want fault.NotFound", id, err)
		}
	}
}

// A path key is a key of its own, with its own end.
func TestPathKeys(t *testing.T) {
	r, s := newRules(t, integration.AllFeatures)
	i := create(t, r, draft(integration.HTTP, true))
	own, err := r.Key(i)
	if err != nil {
		t.Fatal(err)
	}
	none, by := secret.Text{}, audit.ByUser(1)
	if key, err := r.PathKey(i); err != nil || !key.Empty() || i.HasPathKey() || i.Authorizes(none, none) || i.Authorizes(none, own) {
		t.Errorf("a new integration has the path key %q, %v", key.Reveal(), err)
	}
	renew := func() (integration.Integration, secret.Text) {
		t.Helper()
		i, err := r.RenewPathKey(t.Context(), by, web, i.ID)
		if err != nil || s.last.Name != integration.EventPathKeyRenewed {
			t.Fatalf("RenewPathKey gave %v and the event %s", err, s.last.Name)
		}
		key, err := r.PathKey(i)
		if err != nil || len(key.Reveal()) != len("gtpk-")+32 || strings.Contains(string(i.SealedPathKey), key.Reveal()) {
			t.Fatalf("the path key is %q, %v", key.Reveal(), err)
		}
		if want := "/acme/web/alerts/notify/the-http/" + i.Endpoint + "/" + key.Reveal() + ".json"; i.PathWithKey(web, key) != want {
			t.Errorf("PathWithKey = %q, want %q", i.PathWithKey(web, key), want)
		}
		return i, key
	}
	_, first := renew()
	i, second := renew()
	for name, test := range map[string]struct {
		key, path secret.Text
		want      bool
	}{
		"the path key": {none, second, true}, "the former one": {none, first, false}, "the path key as the other": {second, none, false},
		"the other as the path key": {none, own, false}, "both": {own, second, true}, "one of them": {own, first, true}, "none": {none, none, false},
	} {
		if got := i.Authorizes(test.key, test.path); got != test.want {
			t.Errorf("%s authorizes: %v, want %v", name, got, test.want)
		}
	}
	for _, want := range []audit.Name{integration.EventPathKeyEnded, ""} { // the second time there is none to end
		s.last = audit.Event{}
		if i, err = r.EndPathKey(t.Context(), by, web, i.ID); err != nil || i.HasPathKey() || i.Authorizes(none, second) || s.last.Name != want {
			t.Errorf("EndPathKey gave %+v, %v and the event %q, want %q", i, err, s.last.Name, want)
		}
	}
	link := draft(integration.OnCallLink, false)
	if _, err := r.RenewPathKey(t.Context(), audit.Setup, web, create(t, r, link).ID); !errors.Is(err, integration.ErrTakesNothing) {
		t.Errorf("RenewPathKey of an on-call link gave %v", err)
	}
	for _, do := range []func(context.Context, audit.Actor, project.Project, int64) (integration.Integration, error){r.RenewPathKey, r.EndPathKey} {
		if _, err := do(t.Context(), audit.Setup, web, 1000); !fault.Is(err, fault.NotFound) {
			t.Errorf("of an integration that is not there: %v, want fault.NotFound", err)
		}
	}
}
