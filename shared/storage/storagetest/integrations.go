package storagetest

import (
	"bytes"
	"context"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
)

var integrationPromises = []promise{
	{"are created and found by their endpoint", createIntegration},
	{"are created only beside those that were read", createBeside},
	{"racing for an endpoint get it once", raceForEndpoint},
	{"change", changeIntegration},
	{"changed by many at once change once", changeIntegrationRace},
	{"are removed", deleteIntegration},
	{"end with their project, also for a later one with its path", integrationsOfGoneProject},
	{"keep a key that is sealed anew", putSealedKey},
	{"keep a path key that is sealed anew", putSealedPathKey},
	{"note how they do", addHealth},
	{"keep a sample", keepSample},
	{"take as many requests a minute as they may", takeRate},
	{"taking requests at once take no more than they may", takeRateRace},
}

var alertSettings = []promise{
	{"have defaults and change", putSettings},
	{"changed by many at once change once", putSettingsRace},
	{"need their project", settingsOfGoneProject},
}

var environments = []promise{
	{"are created, listed and removed", createEnvironment},
	{"never share a name in a project", takenEnvironment},
	{"created by many at once are all there", environmentRace},
	{"come with an endpoint", environmentsOfEndpoint},
}

func addOwnProject(t *testing.T, s storage.Store) project.Project {
	t.Helper()
	return addProject(t, s, namespaceOf(t, s, addUser(t, s)))
}

func newIntegration(p project.Project, endpoint string) integration.Integration {
	return integration.Integration{
		ProjectID: p.ID, Name: "Uptime check", Type: integration.HTTP, Active: true, Endpoint: endpoint,
		KeyDigest: secret.New("", 16).Digest(), SealedKey: secret.Random(60), APIURL: "https://uptime.example",
		Mapping: []byte(`{"title":{"path":["name"],"type":"string"}}`), RateLimit: 60, Preset: "uptime_kuma", CreatedAt: now,
		SNSTopic: "arn:aws:sns:eu-central-1:111122223333:alarms",
	}
}

func addIntegration(t *testing.T, s storage.Store, p project.Project) integration.Integration {
	t.Helper()
	i := newIntegration(p, hex.EncodeToString(secret.Random(8)))
	return must[integration.Integration](t)(s.CreateIntegration(t.Context(), p, i, integrationsOf(t, s, p)))
}

func integrationsOf(t *testing.T, s storage.Store, p project.Project) []integration.Integration {
	t.Helper()
	return must[[]integration.Integration](t)(s.Integrations(t.Context(), p))
}

func createIntegration(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	wantSame(t, "Integrations of a new project", integrationsOf(t, s, p), []integration.Integration{})
	first, second := addIntegration(t, s, p), addIntegration(t, s, p)
	addIntegration(t, s, addOwnProject(t, s))
	if first.ID <= 0 || second.ID <= first.ID {
		t.Errorf("CreateIntegration gave ids %d then %d, want them to rise", first.ID, second.ID)
	}
	wantSame(t, "Integrations", integrationsOf(t, s, p), []integration.Integration{first, second})
	for _, path := range []string{p.FullPath, strings.ToUpper(p.FullPath)} {
		got := must[integration.Endpoint](t)(s.EndpointOf(t.Context(), path, second.Endpoint))
		wantSame(t, "EndpointOf", got, integration.Endpoint{Integration: second, Settings: integration.DefaultSettings(p.ID)})
	}
	for _, endpoint := range []string{"", "unheard", strings.Repeat("long", 1000)} {
		_, err := s.EndpointOf(t.Context(), p.FullPath, endpoint)
		wantError(t, "EndpointOf an unknown endpoint", err, integration.ErrNotFound)
		if err == integration.ErrNoProject {
			t.Error("EndpointOf an unknown endpoint = ErrNoProject, want another error")
		}
	}
	for _, path := range []string{"", "no/such", p.NamespacePath, strings.Repeat("long/", 1000)} {
		if _, err := s.EndpointOf(t.Context(), path, second.Endpoint); err != integration.ErrNoProject {
			t.Errorf("EndpointOf in %.40q = %v, want ErrNoProject", path, err)
		}
	}
	_, err := s.CreateIntegration(t.Context(), project.Project{ID: unknownID, FullPath: unique("no")}, first, nil)
	wantError(t, "CreateIntegration in no project", err, project.ErrNotFound)
}

func createBeside(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	first := addIntegration(t, s, p)
	for name, had := range map[string][]integration.Integration{
		"none": nil, "another": {{ID: first.ID + 1, Version: 1}}, "another version": {{ID: first.ID, Version: 2}},
	} {
		_, err := s.CreateIntegration(t.Context(), p, newIntegration(p, unique("e")), had)
		wantError(t, "CreateIntegration beside "+name, err, integration.ErrOthersChanged)
	}
	_, err := s.CreateIntegration(t.Context(), p, newIntegration(p, first.Endpoint), []integration.Integration{first})
	wantError(t, "CreateIntegration at a taken endpoint", err, integration.ErrTaken)
	wantSame(t, "Integrations", integrationsOf(t, s, p), []integration.Integration{first})
}

func raceForEndpoint(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	errs := race(8, func(int) error {
		_, err := s.CreateIntegration(t.Context(), p, newIntegration(p, integration.Legacy), nil)
		return err
	})
	wantOneWinner(t, "CreateIntegration", errs, is(integration.ErrOthersChanged))
	if got := integrationsOf(t, s, p); len(got) != 1 {
		t.Errorf("after the race the project has %d integrations, want 1", len(got))
	}
}

func changeIntegration(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	other, i := addIntegration(t, s, p), addIntegration(t, s, p)
	had := []integration.Integration{other, i}
	i.Name, i.Active, i.APIURL, i.Mapping, i.RateLimit = "Renamed", false, "", nil, 0
	i.KeyDigest, i.SealedKey, i.SNSTopic = secret.New("", 16).Digest(), secret.Random(61), ""
	i.PathKeyDigest, i.SealedPathKey = secret.Random(32), secret.Random(61)
	changed := must[integration.Integration](t)(s.UpdateIntegration(t.Context(), p, i, had))
	want := i
	want.Version = 2
	wantSame(t, "UpdateIntegration", changed, want)
	wantSame(t, "Integrations", integrationsOf(t, s, p), []integration.Integration{other, want})
	wantSame(t, "EndpointOf", must[integration.Endpoint](t)(s.EndpointOf(t.Context(), p.FullPath, i.Endpoint)).Integration, want)

	_, err := s.UpdateIntegration(t.Context(), p, i, had)
	wantError(t, "UpdateIntegration of an old version", err, integration.ErrChanged)
	_, err = s.UpdateIntegration(t.Context(), p, want, had)
	wantError(t, "UpdateIntegration beside others than there are", err, integration.ErrOthersChanged)
	wantSame(t, "Integrations", integrationsOf(t, s, p), []integration.Integration{other, want})

	want.PathKeyDigest, want.SealedPathKey = nil, nil
	changed = must[integration.Integration](t)(s.UpdateIntegration(t.Context(), p, want, integrationsOf(t, s, p)))
	wantSame(t, "Integrations without a path key", integrationsOf(t, s, p), []integration.Integration{other, changed})
	if changed.HasPathKey() {
		t.Error("the integration that lost its path key has one")
	}
}

func putSealedKey(t *testing.T, s storage.Store) {
	sealedAnew(t, s, s.PutSealedKey, func(i *integration.Integration) *[]byte { return &i.SealedKey })
}

func putSealedPathKey(t *testing.T, s storage.Store) {
	sealedAnew(t, s, s.PutSealedPathKey, func(i *integration.Integration) *[]byte { return &i.SealedPathKey })
}

// sealedAnew checks the promises about a key of an integration that is sealed anew.
func sealedAnew(
	t *testing.T, s storage.Store, put func(context.Context, string, integration.Integration, []byte) error, of func(*integration.Integration) *[]byte,
) {
	t.Helper()
	p := addOwnProject(t, s)
	i := newIntegration(p, hex.EncodeToString(secret.Random(8)))
	i.PathKeyDigest, i.SealedPathKey = secret.Random(32), secret.Random(60)
	i = must[integration.Integration](t)(s.CreateIntegration(t.Context(), p, i, nil))
	anew := secret.Random(62)
	wantOK(t, "sealing a key anew", put(t.Context(), p.FullPath, i, anew))
	want := i
	*of(&want) = anew
	wantSame(t, "Integrations", integrationsOf(t, s, p), []integration.Integration{want})
	wantOK(t, "sealing a key anew that was changed", put(t.Context(), p.FullPath, i, secret.Random(63)))
	wantSame(t, "Integrations", integrationsOf(t, s, p), []integration.Integration{want})
	readBefore := i
	readBefore.Name = "Renamed"
	must[integration.Integration](t)(s.UpdateIntegration(t.Context(), p, readBefore, []integration.Integration{i}))
	want.Name, want.Version = "Renamed", 2
	wantSame(t, "Integrations after a change of what was read before", integrationsOf(t, s, p), []integration.Integration{want})
	wantOK(t, "DeleteIntegration", s.DeleteIntegration(t.Context(), p, want))
	wantOK(t, "sealing a key of an integration that is gone", put(t.Context(), p.FullPath, want, anew))
	if got := integrationsOf(t, s, p); len(got) > 0 {
		t.Errorf("the integration that is gone is %+v", got)
	}
}

func changeIntegrationRace(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	one, two := addIntegration(t, s, p), addIntegration(t, s, p)
	had := []integration.Integration{one, two}
	errs := race(8, func(n int) error { // two that exclude each other are changed at once
		_, err := s.UpdateIntegration(t.Context(), p, had[n%2], had)
		return err
	})
	wantOneWinner(t, "UpdateIntegration", errs, is(integration.ErrChanged, integration.ErrOthersChanged))
}

func deleteIntegration(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	first, second := addIntegration(t, s, p), addIntegration(t, s, p)
	wantOK(t, "DeleteIntegration", s.DeleteIntegration(t.Context(), p, first))
	wantError(t, "DeleteIntegration again", s.DeleteIntegration(t.Context(), p, first), integration.ErrNotFound)
	_, err := s.EndpointOf(t.Context(), p.FullPath, first.Endpoint)
	wantError(t, "EndpointOf a removed integration", err, integration.ErrNotFound)
	wantSame(t, "Integrations", integrationsOf(t, s, p), []integration.Integration{second})
	_, err = s.UpdateIntegration(t.Context(), p, first, []integration.Integration{second})
	wantError(t, "UpdateIntegration of a removed one", err, integration.ErrNotFound)

	again := newIntegration(p, first.Endpoint)
	again = must[integration.Integration](t)(s.CreateIntegration(t.Context(), p, again, []integration.Integration{second}))
	wantSame(t, "Integrations", integrationsOf(t, s, p), []integration.Integration{second, again})
}

func integrationsOfGoneProject(t *testing.T, s storage.Store) {
	namespace := namespaceOf(t, s, addUser(t, s))
	p := addProject(t, s, namespace)
	i := addIntegration(t, s, p)
	must[project.Environment](t)(s.CreateEnvironment(t.Context(), p, project.Environment{ProjectID: p.ID, Name: "production"}))
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))
	if _, err := s.EndpointOf(t.Context(), p.FullPath, i.Endpoint); err != integration.ErrNoProject {
		t.Errorf("EndpointOf in a removed project = %v, want ErrNoProject", err)
	}

	later := must[project.Project](t)(s.CreateProject(t.Context(), projectAt(namespace, p.Path)))
	wantSame(t, "Integrations of the later project", integrationsOf(t, s, later), []integration.Integration{})
	wantSame(t, "Environments of the later project",
		must[[]project.Environment](t)(s.Environments(t.Context(), later)), []project.Environment{})
	_, err := s.EndpointOf(t.Context(), later.FullPath, i.Endpoint)
	wantError(t, "EndpointOf in the later project", err, integration.ErrNotFound)
	again := must[integration.Integration](t)(s.CreateIntegration(t.Context(), later, newIntegration(later, i.Endpoint), nil))
	wantSame(t, "Integrations of the later project", integrationsOf(t, s, later), []integration.Integration{again})
}

func addHealth(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	i := addIntegration(t, s, p)
	wantOK(t, "AddHealth", s.AddHealth(t.Context(), p.FullPath, i, integration.Health{LastReceivedAt: now, Received: 3, SkippedItems: 2}))
	wantOK(t, "AddHealth", s.AddHealth(t.Context(), p.FullPath, i, integration.Health{
		Rejected: 1, TruncatedAlerts: 5, Received: 1, LastError: "the title is empty", LastErrorAt: now.Add(time.Second),
	}))
	wantOK(t, "AddHealth", s.AddHealth(t.Context(), p.FullPath, i, integration.Health{WrongKeys: 3, LastWrongKeyAt: now.Add(time.Minute)}))
	wantOK(t, "AddHealth", s.AddHealth(t.Context(), p.FullPath, i, integration.Health{WrongKeys: 1, LastWrongKeyAt: now.Add(time.Hour)}))
	i.Health = integration.Health{
		LastReceivedAt: now, Received: 4, Rejected: 1, SkippedItems: 2, TruncatedAlerts: 5,
		LastError: "the title is empty", LastErrorAt: now.Add(time.Second),
		WrongKeys: 4, LastWrongKeyAt: now.Add(time.Hour),
	}
	wantSame(t, "Integrations", integrationsOf(t, s, p), []integration.Integration{i})
	i.Name = "Renamed"
	changed := must[integration.Integration](t)(s.UpdateIntegration(t.Context(), p, i, integrationsOf(t, s, p)))
	wantSame(t, "Integrations", integrationsOf(t, s, p), []integration.Integration{changed})

	wantOK(t, "DeleteIntegration", s.DeleteIntegration(t.Context(), p, i))
	wantOK(t, "AddHealth of a removed integration", s.AddHealth(t.Context(), p.FullPath, i, integration.Health{Received: 1}))
	wantSame(t, "Integrations", integrationsOf(t, s, p), []integration.Integration{})
}

func keepSample(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	i := addIntegration(t, s, p)
	wantSampled(t, s, p, i, nil)
	for _, sample := range [][]byte{[]byte(`{"a":1}`), secret.Random(1 << 20), []byte(`{}`)} {
		wantOK(t, "PutSample", s.PutSample(t.Context(), p, i, sample))
		wantSampled(t, s, p, i, sample)
	}
	wantOK(t, "PutSample(nil)", s.PutSample(t.Context(), p, i, nil))
	wantSampled(t, s, p, i, nil)

	wantOK(t, "DeleteIntegration", s.DeleteIntegration(t.Context(), p, i))
	wantError(t, "PutSample of a removed integration", s.PutSample(t.Context(), p, i, []byte(`{}`)), integration.ErrNotFound)
	_, err := s.Sample(t.Context(), p, i)
	wantError(t, "Sample of a removed integration", err, integration.ErrNotFound)
	_, _, err = s.EndpointWithSample(t.Context(), p, i)
	wantError(t, "EndpointWithSample of a removed integration", err, integration.ErrNotFound)
}

func wantSampled(t *testing.T, s storage.Store, p project.Project, i integration.Integration, want []byte) {
	t.Helper()
	e, beside, err := s.EndpointWithSample(t.Context(), p, i)
	if err != nil || !bytes.Equal(beside, want) {
		t.Errorf("EndpointWithSample has the sample %.40q, %v, want %.40q", beside, err, want)
	}
	wantSame(t, "EndpointWithSample", e, must[integration.Endpoint](t)(s.EndpointOf(t.Context(), p.FullPath, i.Endpoint)))
	if got := must[[]byte](t)(s.Sample(t.Context(), p, i)); !bytes.Equal(got, want) {
		t.Errorf("Sample = %d bytes %.40q, want %d bytes %.40q", len(got), got, len(want), want)
	}
}

func takeRate(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	i := addIntegration(t, s, p)
	i.RateLimit = 2
	minute := now.Truncate(time.Minute)
	for n, take := range []struct {
		at   time.Time
		want bool
	}{
		{minute, true}, {minute.Add(59 * time.Second), true}, {minute.Add(59 * time.Second), false},
		{minute.Add(time.Minute), true}, {minute.Add(time.Minute), true}, {minute.Add(time.Minute), false},
		{minute.Add(time.Hour), true},
	} {
		if got := must[bool](t)(s.TakeRate(t.Context(), p.FullPath, i, take.at)); got != take.want {
			t.Errorf("request %d at %v: TakeRate = %v, want %v", n, take.at, got, take.want)
		}
	}
}

func takeRateRace(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	i := addIntegration(t, s, p)
	i.RateLimit = 5
	taken := make([]bool, 16)
	for _, err := range race(len(taken), func(n int) (err error) {
		taken[n], err = s.TakeRate(t.Context(), p.FullPath, i, now)
		return err
	}) {
		wantOK(t, "TakeRate", err)
	}
	count := 0
	for _, ok := range taken {
		if ok {
			count++
		}
	}
	if count != 5 {
		t.Errorf("%d of 16 requests at once were taken, want 5", count)
	}
}

func putSettings(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	settings := must[integration.Settings](t)(s.AlertSettings(t.Context(), p))
	wantSame(t, "AlertSettings of a new project", settings, integration.DefaultSettings(p.ID))
	i := addIntegration(t, s, p)
	settings.Fingerprinting = false
	changed := must[integration.Settings](t)(s.PutAlertSettings(t.Context(), p, settings))
	settings.Version = 1
	wantSame(t, "PutAlertSettings", changed, settings)
	days, never := int64(30), int64(0)
	for _, next := range []integration.Settings{
		settings,
		{Fingerprinting: true, CreateIncident: true, IncidentTemplate: "# Größe\n", RetentionDays: &days, Watched: true},
		{AutoCloseIncident: true, SendEmail: true, RetentionDays: &never},
		{},
	} {
		next.ProjectID, next.Version = p.ID, changed.Version
		changed = must[integration.Settings](t)(s.PutAlertSettings(t.Context(), p, next))
		next.Version++
		wantSame(t, "PutAlertSettings", changed, next)
		wantSame(t, "AlertSettings", must[integration.Settings](t)(s.AlertSettings(t.Context(), p)), next)
		wantSame(t, "EndpointOf", must[integration.Endpoint](t)(s.EndpointOf(t.Context(), p.FullPath, i.Endpoint)),
			integration.Endpoint{Integration: i, Settings: next})
	}
}

func putSettingsRace(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	errs := race(8, func(int) error {
		_, err := s.PutAlertSettings(t.Context(), p, integration.DefaultSettings(p.ID))
		return err
	})
	wantOneWinner(t, "PutAlertSettings", errs, is(integration.ErrSettingsChanged))
}

func settingsOfGoneProject(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))
	_, err := s.PutAlertSettings(t.Context(), p, integration.DefaultSettings(p.ID))
	wantError(t, "PutAlertSettings of a removed project", err, project.ErrNotFound)
}

func addEnvironment(t *testing.T, s storage.Store, p project.Project, name string) project.Environment {
	t.Helper()
	e := project.Environment{ProjectID: p.ID, Name: name}
	return must[project.Environment](t)(s.CreateEnvironment(t.Context(), p, e))
}

func wantEnvironments(t *testing.T, s storage.Store, p project.Project, want ...project.Environment) {
	t.Helper()
	wantSame(t, "Environments", must[[]project.Environment](t)(s.Environments(t.Context(), p)), want)
}

func createEnvironment(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	wantEnvironments(t, s, p)
	first, second := addEnvironment(t, s, p, "production"), addEnvironment(t, s, p, "Staging")
	if first.ID <= 0 || second.ID <= first.ID {
		t.Errorf("CreateEnvironment gave ids %d then %d, want them to rise", first.ID, second.ID)
	}
	wantEnvironments(t, s, p, first, second)
	wantError(t, "DeleteEnvironment of another project",
		s.DeleteEnvironment(t.Context(), addOwnProject(t, s), first.ID), project.ErrEnvironmentNotFound)
	wantOK(t, "DeleteEnvironment", s.DeleteEnvironment(t.Context(), p, first.ID))
	wantError(t, "DeleteEnvironment again", s.DeleteEnvironment(t.Context(), p, first.ID), project.ErrEnvironmentNotFound)
	wantEnvironments(t, s, p, second)
}

func takenEnvironment(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	first := addEnvironment(t, s, p, "production")
	_, err := s.CreateEnvironment(t.Context(), p, project.Environment{ProjectID: p.ID, Name: "production"})
	wantTaken(t, "CreateEnvironment with a taken name", err, "name")
	addEnvironment(t, s, addOwnProject(t, s), "production")
	wantEnvironments(t, s, p, first)
}

func environmentRace(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	for _, err := range race(8, func(n int) error {
		_, err := s.CreateEnvironment(t.Context(), p, project.Environment{ProjectID: p.ID, Name: strings.Repeat("e", n+1)})
		return err
	}) {
		wantOK(t, "CreateEnvironment", err)
	}
	if got := must[[]project.Environment](t)(s.Environments(t.Context(), p)); len(got) != 8 {
		t.Errorf("after 8 at once the project has %d environments", len(got))
	}
}

func environmentsOfEndpoint(t *testing.T, s storage.Store) {
	p := addOwnProject(t, s)
	i := addIntegration(t, s, p)
	addEnvironment(t, s, p, "production")
	addEnvironment(t, s, p, "Staging")
	got := must[integration.Endpoint](t)(s.EndpointOf(t.Context(), p.FullPath, i.Endpoint))
	wantSame(t, "Environments of an endpoint", got.Environments, []string{"production", "Staging"},
		cmpopts.SortSlices(strings.Compare))
}
