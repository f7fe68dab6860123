package instance_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/instance"
	"gatehouse/shared/project"
)

var byDevelopers = project.BranchProtection{Push: []project.Role{project.Developer}, Merge: []project.Role{project.Administrators}, ForcePush: true}

func wantSettings(t *testing.T, a *apptest.App, want instance.Settings) {
	t.Helper()
	got, err := a.Instance.Settings(t.Context())
	if diff := cmp.Diff(want, got.Settings); err != nil || diff != "" {
		t.Errorf("Settings = %v, differ (-want +got):\n%s", err, diff)
	}
}

// changes returns what the trail says of each change, the newest first.
func changes(t *testing.T, a *apptest.App) (all []audit.Details) {
	t.Helper()
	found, err := a.Trail.Entries(t.Context(), audit.Filter{Everybody: true, Name: instance.EventChanged, From: a.Now().AddDate(0, 0, -1), Size: 20})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found.Entries {
		all = append(all, e.Details)
	}
	return all
}

func change(t *testing.T, a *apptest.App, c instance.Change) (instance.Current, error) {
	return a.Instance.Change(t.Context(), audit.Setup, c)
}

func protect(p project.BranchProtection) instance.Change {
	return instance.Change{NewGroups: []project.Edit[project.GroupSettings]{project.Protect(p)}}
}

var byEverybody, byAdministrators = project.TopLevelByEverybody, project.TopLevelByAdministrators

func TestSettingsChange(t *testing.T) {
	a := apptest.New(t)
	by := audit.ByUser(a.Admin("root").ID)
	defaults := instance.Defaults("")
	wantSettings(t, a, defaults)
	protected := defaults
	if err := project.Protect(byDevelopers)(&protected.NewGroups); err != nil {
		t.Fatal(err)
	}
	with := func(edit func(*instance.Settings)) instance.Settings {
		next := defaults
		edit(&next)
		return next
	}
	tests := []struct {
		change  instance.Change
		want    instance.Settings
		changed string // "": nothing
	}{
		{protect(byDevelopers), protected, "default_branch_protection_defaults"},
		{protect(byDevelopers), protected, ""},
		{protect(project.FactoryProtection()), defaults, "default_branch_protection_defaults"},
		{instance.Change{}, defaults, ""},
		{instance.Change{TopLevel: &byAdministrators, GroupVisibility: new(project.Internal)},
			with(func(s *instance.Settings) { s.TopLevel, s.GroupVisibility = byAdministrators, project.Internal }), "can_create_group, default_group_visibility"},
		{instance.Change{TopLevel: new(project.TopLevel), GroupVisibility: new(project.Visibility)}, defaults, "can_create_group, default_group_visibility"},
		{instance.Change{ProjectVisibility: new(project.Public)}, with(func(s *instance.Settings) { s.ProjectVisibility = project.Public }), "default_project_visibility"},
		{instance.Change{ProjectVisibility: new(project.Visibility), SignInText: new("\r\nAsk \r\nus.\n"), SupportURL: new("help@example.com")},
			with(func(s *instance.Settings) { s.SignInText, s.SupportURL = "Ask \nus.", "mailto:help@example.com" }), "default_project_visibility, help_page_support_url, sign_in_text"},
		{instance.Change{SignInText: new("Ask \nus.")}, with(func(s *instance.Settings) { s.SignInText, s.SupportURL = "Ask \nus.", "mailto:help@example.com" }), ""},
		{instance.Change{SignInText: new(""), SupportURL: new("")}, defaults, "help_page_support_url, sign_in_text"},
	}
	var told []audit.Details
	for n, test := range tests {
		a.Pass(time.Second)
		got, err := a.Instance.Change(t.Context(), by, test.change)
		if diff := cmp.Diff(test.want, got.Settings); err != nil || diff != "" {
			t.Errorf("%d: Change = %v, differs (-want +got):\n%s", n, err, diff)
		}
		wantSettings(t, a, test.want)
		if test.changed != "" {
			told = append([]audit.Details{{"changed": test.changed}}, told...)
		}
	}
	if diff := cmp.Diff(told, changes(t, a)); diff != "" {
		t.Errorf("the trail has one entry for each change (-want +got):\n%s", diff)
	}
}

// What administrators choose counts more than the environment, until they leave it to that.
func TestChosenSettingsCountMoreThanTheEnvironment(t *testing.T) {
	a := apptest.New(t)
	rules := instance.NewRules(a.Store, audit.NewTrail(a.Store, a.Now), instance.Defaults(byAdministrators), a.Now)
	for _, test := range []struct {
		chosen *project.TopLevel
		want   project.TopLevel
	}{{nil, byAdministrators}, {&byEverybody, byEverybody}, {new(project.TopLevel), byAdministrators}, {&byAdministrators, byAdministrators}} {
		if _, err := rules.Change(t.Context(), audit.Setup, instance.Change{TopLevel: test.chosen}); err != nil {
			t.Fatal(err)
		}
		if got, err := rules.Policy(t.Context()); err != nil || got.TopLevel != test.want {
			t.Errorf("Policy = %q, %v, want %q", got.TopLevel, err, test.want)
		}
	}
}

func TestRefusedChangeOfSettings(t *testing.T) {
	a := apptest.New(t)
	refusal := errors.New("no")
	refused := protect(byDevelopers)
	refused.NewGroups = append(refused.NewGroups, func(*project.GroupSettings) error { return refusal })
	if _, err := change(t, a, refused); !errors.Is(err, refusal) {
		t.Errorf("Change = %v, want the refusal", err)
	}
	const notListed, noAddress = "is not included in the list", "must be an http or https URL, or an e-mail address"
	wrong := func(address string) fault.Fields {
		_, err := change(t, a, instance.Change{SupportURL: &address})
		return apptest.Complaints(err)
	}
	for _, address := range []string{"javascript:alert(1)", "ftp://a.example", "https://", "https://ada:pw@a.example", "help", "a b@example.com",
		"mailto:a@example.com?bcc=b@example.com", "mailto:Ada <a@example.com>", "data:text/html,x", "//a.example", `https://a.example\b`} {
		if diff := cmp.Diff(fault.Fields{"help_page_support_url": {noAddress}}, wrong(address)); diff != "" {
			t.Errorf("Change to %q (-want +got):\n%s", address, diff)
		}
	}
	for _, address := range []string{"https://a.example/help?x=1#now", "http://a.example", "mailto:help@example.com", " help@example.com "} {
		if got := wrong(address); got != nil {
			t.Errorf("Change to %q: %v, want no complaint", address, got)
		}
	}
	for _, test := range []struct {
		change instance.Change
		want   fault.Fields
	}{
		{instance.Change{TopLevel: new(project.TopLevel("owners"))}, fault.Fields{"can_create_group": {notListed}}},
		{instance.Change{GroupVisibility: new(project.Visibility("secret")), ProjectVisibility: new(project.Visibility("x"))},
			fault.Fields{"default_group_visibility": {notListed}, "default_project_visibility": {notListed}}},
		{instance.Change{SignInText: new(strings.Repeat("ä", 2000))}, nil},
		{instance.Change{SignInText: new(strings.Repeat("ä", 2001))}, fault.Fields{"sign_in_text": {"is too long (maximum is 2000 characters)"}}},
		{instance.Change{SignInText: new("a\u202eb")}, fault.Fields{"sign_in_text": {"contains a control character"}}},
		{instance.Change{SupportURL: new("https://a.example/" + strings.Repeat("a", 255))}, fault.Fields{"help_page_support_url": {"is too long (maximum is 255 characters)"}}},
	} {
		_, err := change(t, a, test.change)
		if diff := cmp.Diff(test.want, apptest.Complaints(err)); diff != "" {
			t.Errorf("Change (-want +got):\n%s", diff)
		}
	}
}

// Of two administrators who saw the same settings, the second is told.
func TestSecondEditorIsTold(t *testing.T) {
	a := apptest.New(t)
	for _, text := range []string{"first", "next"} {
		seen, err := a.Instance.Settings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := change(t, a, instance.Change{SignInText: &text, Seen: &seen.Version}); err != nil {
			t.Errorf("Change to %q = %v", text, err)
		}
		if _, err := change(t, a, instance.Change{SignInText: new("second"), Seen: &seen.Version}); !errors.Is(err, instance.ErrChanged) {
			t.Errorf("Change of settings that changed meanwhile = %v, want ErrChanged", err)
		}
		if current, err := a.Instance.Settings(t.Context()); err != nil || current.SignInText != text {
			t.Errorf("Settings = %q, %v, want %q", current.SignInText, err, text)
		}
	}
}

func TestNewGroupsBeginWithTheSettings(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	with := protect(byDevelopers)
	with.GroupVisibility = new(project.Internal)
	if _, err := change(t, a, with); err != nil {
		t.Fatal(err)
	}
	secret := a.Group("secret", project.Group{}, ada, project.Private)
	for _, test := range []struct {
		draft  project.Draft
		parent project.Group
		want   project.Visibility
	}{
		{project.Draft{Name: "Acme", Path: "acme"}, project.Group{}, project.Internal},
		{project.Draft{Name: "Open", Path: "open", Visibility: project.Public}, project.Group{}, project.Public},
		{project.Draft{Name: "Below", Path: "below"}, secret, project.Private},
	} {
		g, err := a.Projects.CreateGroup(t.Context(), audit.ByUser(ada.ID), test.draft, test.parent)
		if err != nil || !g.Settings.BranchProtection().Equal(byDevelopers) || g.Visibility != test.want {
			t.Errorf("CreateGroup = %+v, %v, want the protection of the instance and the visibility %s", g, err, test.want)
		}
	}
}
