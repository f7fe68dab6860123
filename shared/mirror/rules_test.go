package mirror_test

import (
	"strings"
	"sync"
	"testing"
	"time"

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
