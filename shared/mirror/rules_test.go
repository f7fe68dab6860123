package mirror_test

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/mirror"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

// newMirror returns an instance with a project that is a mirror.
func newMirror(t *testing.T) (*apptest.App, project.Project) {
	t.Helper()
	a := apptest.New(t)
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	return a, change(t, a.App, p, mirror.Change{Enabled: new(true), URL: new(full)})
}

func change(t *testing.T, a *app.App, p project.Project, c mirror.Change) project.Project {
	t.Helper()
	p, err := a.Projects.ChangeProject(t.Context(), audit.Setup, p, project.Change{}, a.Mirrors.Edit(p.FullPath, c))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// under returns the instance with other keys.
func under(t *testing.T, a *apptest.App, current []byte, previous ...[]byte) *app.App {
	t.Helper()
	keys, err := secret.NewKeys(current, previous...)
	if err != nil {
		t.Fatal(err)
	}
	return app.New(a.Store, app.Config{BaseURL: apptest.BaseURL, Keys: keys, Now: a.Now})
}

// A platform can report even of a mirror with credentials that no key opens.
func TestReportWithoutTheKey(t *testing.T) {
	a, p := newMirror(t)
	for _, test := range []struct {
		rules *mirror.Rules
		want  string
	}{
		{a.Mirrors, "*****: https://*****@git.example"},
		{under(t, a, secret.Random(secret.KeySize)).Mirrors, "secret: https://*****@git.example"},
	} {
		s, err := test.rules.Report(t.Context(), p, mirror.Report{Status: mirror.Failed, LastError: new("secret: https://ada:secret@git.example")})
		if err != nil || s.LastError != test.want {
			t.Errorf("Report = %q, %v, want %q", s.LastError, err, test.want)
		}
	}
}

// The first reports and requests of many at once are all stored, one after the other.
func TestStateIsMadeOnce(t *testing.T) {
	a, p := newMirror(t)
	errs := make([]error, 8)
	var callers sync.WaitGroup
	for n := range errs {
		callers.Go(func() {
			if n%2 == 0 {
				_, errs[n] = a.Mirrors.Schedule(t.Context(), audit.Setup, p)
			} else {
				_, errs[n] = a.Mirrors.Report(t.Context(), p, mirror.Report{Status: mirror.Started})
			}
		})
	}
	callers.Wait()
	for n, err := range errs {
		if err != nil {
			t.Errorf("caller %d: %v", n, err)
		}
	}
	if s, err := a.Mirrors.State(t.Context(), p); err != nil || !s.StartedAt.Equal(a.Now().UTC().Truncate(time.Microsecond)) {
		t.Errorf("the state is %+v, %v", s, err)
	}
}

func TestNoStateWithoutAProject(t *testing.T) {
	a, p := newMirror(t)
	if err := a.Projects.DeleteProject(t.Context(), audit.Setup, p); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Mirrors.Schedule(t.Context(), audit.Setup, p); !fault.Is(err, fault.NotFound) {
		t.Errorf("Schedule = %v, want not found", err)
	}
	if _, err := a.Mirrors.Report(t.Context(), p, mirror.Report{Status: mirror.Started}); !fault.Is(err, fault.NotFound) {
		t.Errorf("Report = %v, want not found", err)
	}
}

// Somebody may change the project between the reading and the writing of Reseal.
func TestResealOfAChangedProject(t *testing.T) {
	a := apptest.New(t)
	old := secret.Random(secret.KeySize)
	before := under(t, a, old)
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	stale := change(t, before, p, mirror.Change{URL: new(full)})
	now := change(t, before, stale, mirror.Change{TriggerBuilds: new(true)})
	during := under(t, a, secret.Random(secret.KeySize), old)
	if done, err := during.Mirrors.Reseal(t.Context(), stale); !done || err != nil {
		t.Errorf("Reseal = %t, %v, want that it did", done, err)
	}
	got, err := a.Projects.Project(t.Context(), p.ID)
	if err != nil || !got.Settings.Mirror.TriggerBuilds || got.Settings.Mirror.Sealed == now.Settings.Mirror.Sealed {
		t.Errorf("the mirror is %+v, %v", got.Settings.Mirror, err)
	}
	if done, err := during.Mirrors.Reseal(t.Context(), got); done || err != nil {
		t.Errorf("Reseal again = %t, %v, want that there was nothing to do", done, err)
	}
	got = change(t, during, got, mirror.Change{Password: hidden("")})
	if strings.Count(got.Settings.Mirror.ShownURL(), "*****") != 1 {
		t.Errorf("the mirror shows %s, want that the credentials open", got.Settings.Mirror.ShownURL())
	}
}

// rotate changes the mirror as people do.
func rotate(t *testing.T, a *app.App, p project.Project, c mirror.Change) project.Project {
	t.Helper()
	p, err := a.Mirrors.ChangeProject(t.Context(), audit.Setup, p, project.Change{}, a.Mirrors.Edit(p.FullPath, c))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func report(t *testing.T, a *app.App, p project.Project, r mirror.Report) mirror.State {
	t.Helper()
	s, err := a.Mirrors.Report(t.Context(), p, r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A pull that began with former credentials can end after they were replaced, and say
// which they were.
func TestFormerCredentialsAreMaskedUntilAPullIsFinished(t *testing.T) {
	const text = "remote: secret, secondword and thirdword99 were rejected"
	a, p := newMirror(t)
	p = rotate(t, a.App, p, mirror.Change{Password: hidden("secondword")})
	p = rotate(t, a.App, p, mirror.Change{URL: new("https://other.example"), User: hidden("ada"), Password: hidden("thirdword99")})
	for _, test := range []struct {
		status mirror.Status
		want   string
	}{
		{mirror.Failed, "remote: *****, ***** and ***** were rejected"},
		{mirror.Started, "remote: *****, ***** and ***** were rejected"},
		{mirror.Finished, "remote: *****, ***** and ***** were rejected"},
		{mirror.Failed, "remote: secret, secondword and ***** were rejected"},
	} {
		if s := report(t, a.App, p, mirror.Report{Status: test.status, LastError: new(text)}); s.LastError != test.want {
			t.Errorf("%s: the error is %q, want %q", test.status, s.LastError, test.want)
		}
	}
	p = rotate(t, a.App, p, mirror.Change{Enabled: new(false), URL: new("")})
	if s := report(t, a.App, p, mirror.Report{Status: mirror.Failed, LastError: new("thirdword99")}); s.LastError != "*****" {
		t.Errorf("without a mirror the error is %q", s.LastError)
	}
}

// Credentials are remembered before they are replaced, also by a change that somebody
// else makes first, and a pull that is finished in between does not forget them.
func TestReportDuringAChange(t *testing.T) {
	a, stale := newMirror(t)
	now := rotate(t, a.App, stale, mirror.Change{TriggerBuilds: new(true)})
	edit := a.Mirrors.Edit(stale.FullPath, mirror.Change{Password: hidden("next")})
	if _, err := a.Mirrors.ChangeProject(t.Context(), audit.Setup, stale, project.Change{}, edit); !errors.Is(err, project.ErrChanged) {
		t.Fatalf("ChangeProject = %v, want that the project was changed", err)
	}
	report(t, a.App, now, mirror.Report{Status: mirror.Finished}) // as if the change was under way still
	now = change(t, a.App, now, mirror.Change{Password: hidden("next")})
	if s := report(t, a.App, now, mirror.Report{Status: mirror.Failed, LastError: new("secret")}); s.LastError != "*****" {
		t.Errorf("the error is %q", s.LastError)
	}
}

// Of many former credentials, the last are remembered.
func TestFormerCredentialsAreLimited(t *testing.T) {
	a, p := newMirror(t)
	for n := range 10 {
		p = rotate(t, a.App, p, mirror.Change{Password: hidden("word" + strconv.Itoa(n))})
	}
	const want = "secret word0 ***** ***** ***** ***** ***** ***** ***** ***** *****"
	s := report(t, a.App, p, mirror.Report{Status: mirror.Failed, LastError: new("secret word0 word1 word2 word3 word4 word5 word6 word7 word8 word9")})
	if s.LastError != want {
		t.Errorf("the error is %q, want %q", s.LastError, want)
	}
}

// What was reported of a repository says nothing of another one, and an error with
// former credentials nothing of others.
func TestStateOfAFormerMirrorGoes(t *testing.T) {
	tests := map[string]struct {
		change mirror.Change
		want   func(*mirror.State)
	}{
		"the same":            {mirror.Change{URL: new(masked), TriggerBuilds: new(true)}, func(*mirror.State) {}},
		"not enabled":         {mirror.Change{Enabled: new(false)}, func(*mirror.State) {}},
		"another password":    {mirror.Change{Password: hidden("next")}, func(s *mirror.State) { s.LastError = "" }},
		"no credentials":      {mirror.Change{User: hidden(""), Password: hidden("")}, func(s *mirror.State) { s.LastError = "" }},
		"the URL with others": {mirror.Change{URL: new("https://ben:word@git.example/web.git")}, func(s *mirror.State) { s.LastError = "" }},
		"another URL":         {mirror.Change{URL: new("https://other.example")}, func(s *mirror.State) { *s = mirror.State{Status: mirror.None} }},
		"no URL":              {mirror.Change{Enabled: new(false), URL: new("")}, func(s *mirror.State) { *s = mirror.State{Status: mirror.None} }},
	}
	for name, test := range tests {
		a, p := newMirror(t)
		report(t, a.App, p, mirror.Report{Status: mirror.Finished})
		report(t, a.App, p, mirror.Report{Status: mirror.Started})
		want := report(t, a.App, p, mirror.Report{Status: mirror.Failed, LastError: new("gone")})
		test.want(&want)
		got, err := a.Mirrors.State(t.Context(), rotate(t, a.App, p, test.change))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: State = %v, differs (-want +got):\n%s", name, err, diff)
		}
	}
}

// A pull that was asked for is wanted from the new repository too.
func TestScheduledPullStays(t *testing.T) {
	a, p := newMirror(t)
	report(t, a.App, p, mirror.Report{Status: mirror.Failed, LastError: new("gone")})
	if _, err := a.Mirrors.Schedule(t.Context(), audit.Setup, p); err != nil {
		t.Fatal(err)
	}
	got, err := a.Mirrors.State(t.Context(), rotate(t, a.App, p, mirror.Change{URL: new(plain + "/other")}))
	if diff := cmp.Diff(mirror.State{Status: mirror.Scheduled}, got); err != nil || diff != "" {
		t.Errorf("State = %v, differs (-want +got):\n%s", err, diff)
	}
}

// A change that is refused leaves what was reported.
func TestRefusedChangeLeavesTheState(t *testing.T) {
	a, p := newMirror(t)
	want := report(t, a.App, p, mirror.Report{Status: mirror.Failed, LastError: new("gone")})
	for name, c := range map[string]project.Change{"a bad name": {Name: new("")}, "a bad URL": {}} {
		edit := a.Mirrors.Edit(p.FullPath, mirror.Change{URL: new(plain)})
		if name == "a bad URL" {
			edit = a.Mirrors.Edit(p.FullPath, mirror.Change{URL: new("x")})
		}
		if _, err := a.Mirrors.ChangeProject(t.Context(), audit.Setup, p, c, edit); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: ChangeProject = %v, want a complaint", name, err)
		}
		got, err := a.Mirrors.State(t.Context(), p)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: State = %v, differs (-want +got):\n%s", name, err, diff)
		}
	}
}

// Former credentials are masked after the key that sealed them is gone, too. What no key
// opens any more is of no use.
func TestResealOfFormerCredentials(t *testing.T) {
	a := apptest.New(t)
	lost, old, next := secret.Random(secret.KeySize), secret.Random(secret.KeySize), secret.Random(secret.KeySize)
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	p = rotate(t, under(t, a, lost), p, mirror.Change{URL: new(full)})
	p = rotate(t, under(t, a, old), p, mirror.Change{User: hidden("ada"), Password: hidden("secondword")})
	p = rotate(t, under(t, a, old), p, mirror.Change{Enabled: new(false), URL: new("")})
	during, after := under(t, a, next, old), under(t, a, next)
	for _, want := range []bool{true, false} {
		if done, err := during.Mirrors.Reseal(t.Context(), p); done != want || err != nil {
			t.Errorf("Reseal = %t, %v, want %t", done, err, want)
		}
	}
	if s := report(t, after, p, mirror.Report{Status: mirror.Failed, LastError: new("secondword")}); s.LastError != "*****" {
		t.Errorf("the error is %q", s.LastError)
	}
}

// What no key opens is told of, with or without former credentials.
func TestResealOfLostCredentials(t *testing.T) {
	a, p := newMirror(t)
	p = rotate(t, a.App, p, mirror.Change{Password: hidden("next")})
	after := under(t, a, secret.Random(secret.KeySize))
	if _, err := after.Mirrors.Reseal(t.Context(), p); !errors.Is(err, secret.ErrSealed) {
		t.Errorf("Reseal = %v, want ErrSealed", err)
	}
	if _, err := after.Mirrors.Reseal(t.Context(), p); !errors.Is(err, secret.ErrSealed) {
		t.Errorf("Reseal again = %v, want ErrSealed", err)
	}
}
