package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/boot"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/integration"
	"gatehouse/shared/mirror"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/dynamodb"
	"gatehouse/shared/storage/dynamodb/tables"
)

// Whatever was sealed before a rotation opens after the old key was taken away,
// however many there are, and what was lost already does not keep the rest.
func TestEverythingIsSealedAnew(t *testing.T) {
	a := apptest.New(t)
	oldest, old, next := secret.Random(secret.KeySize), secret.Random(secret.KeySize), secret.Random(secret.KeySize)
	before, during, after := under(t, a, old), under(t, a, next, old), under(t, a, next)
	root := a.Admin("root")
	group := a.Group("acme", project.Group{}, root, project.Private)
	for n := range page.MaxSize + 1 {
		trackElsewhere(t, before, a.Project(fmt.Sprintf("p%d", n), group, project.Private))
	}
	lost := a.Project("lost", group, project.Private)
	trackElsewhere(t, under(t, a, oldest), lost)
	web := a.Project("web", group, project.Private)
	i, err := before.Integrations.Create(t.Context(), audit.Setup, web, integration.Draft{Name: "Uptime", Type: integration.HTTP, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	if i, err = before.Integrations.RenewPathKey(t.Context(), audit.Setup, web, i.ID); err != nil {
		t.Fatal(err)
	}
	pull(t, before, web)
	hook, _, err := before.Webhooks.Create(t.Context(), audit.Setup, web, "https://chat.example", true)
	if err != nil {
		t.Fatal(err)
	}
	own, _, err := before.Webhooks.Own().Create(t.Context(), audit.ByUser(root.ID), "https://chat.example", true)
	if err != nil {
		t.Fatal(err)
	}
	e := before.TwoFactor.Begin(root, "session")
	if _, _, err = before.TwoFactor.Enable(t.Context(), root, e, e.Seed.Code(a.Now())); err != nil {
		t.Fatal(err)
	}

	sealed := func(a *app.App) string {
		t.Helper()
		var out strings.Builder
		if err := reseal(t.Context(), a, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	all := page.MaxSize + 6
	for _, step := range []struct {
		name       string
		a          *app.App
		done, lost int
	}{
		{"without the old key", after, 0, all + 1},
		{"during the rotation", during, all, 1},
		{"again", during, 0, 1},
		{"without the old key, again", after, 0, 1},
	} {
		want := fmt.Sprintf("%d sealed anew under the instance key in use, %d that no key opens.\n", step.done, step.lost)
		if got := sealed(step.a); got != want {
			t.Errorf("%s: %q, want %q", step.name, got, want)
		}
	}
	if web, err = after.Projects.Project(t.Context(), web.ID); err != nil {
		t.Fatal(err)
	}
	if done, err := after.Mirrors.Reseal(t.Context(), web); done || err != nil {
		t.Errorf("the credentials of the mirror: %t, %v, want that they open", done, err)
	}
	if hook, err = after.Webhooks.Find(t.Context(), web, hook.ID); err != nil {
		t.Fatal(err)
	}
	if done, err := after.Webhooks.Reseal(t.Context(), hook); done || err != nil {
		t.Errorf("the secret of the webhook: %t, %v, want that it opens", done, err)
	}
	if own, err = after.Webhooks.Own().Find(t.Context(), root.ID, own.ID); err != nil {
		t.Fatal(err)
	}
	if done, err := after.Webhooks.Reseal(t.Context(), own); done || err != nil {
		t.Errorf("the secret of the webhook of root's own: %t, %v, want that it opens", done, err)
	}
	if i, err = after.Integrations.Find(t.Context(), web, i.ID); err != nil {
		t.Fatal(err)
	}
	if key, err := after.Integrations.Key(i); err != nil || !i.Authorizes(key, secret.Text{}) {
		t.Errorf("the key of the integration is %v", err)
	}
	if key, err := after.Integrations.PathKey(i); err != nil || !i.Authorizes(secret.Text{}, key) {
		t.Errorf("the path key of the integration is %v", err)
	}
}

// The present and the former credentials of mirrors are sealed anew on either store.
func TestMirrorsAreSealedAnew(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { sealMirrorsAnew(t, apptest.New(t)) })
	t.Run("dynamodb", func(t *testing.T) { sealMirrorsAnew(t, apptest.Over(t, dynamodb.New(emulated(t)))) })
}

func sealMirrorsAnew(t *testing.T, a *apptest.App) {
	old, next := secret.Random(secret.KeySize), secret.Random(secret.KeySize)
	before, during, after := under(t, a, old), under(t, a, next, old), under(t, a, next)
	p := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	pull(t, before, p)
	p = find(t, before, p)
	password := secret.NewText("next word")
	edit := before.Mirrors.Edit(p.FullPath, mirror.Change{Password: &password})
	if _, err := before.Mirrors.ChangeProject(t.Context(), audit.Setup, p, project.Change{}, edit); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := reseal(t.Context(), during, &out); err != nil || !strings.HasPrefix(out.String(), "1 sealed anew") {
		t.Fatalf("reseal = %v: %s", err, out.String())
	}
	text := "secret or next word"
	s, err := after.Mirrors.Report(t.Context(), find(t, after, p), mirror.Report{Status: mirror.Failed, LastError: &text})
	if err != nil || s.LastError != "***** or *****" {
		t.Errorf("Report = %q, %v, want both masked", s.LastError, err)
	}
}

func find(t *testing.T, a *app.App, p project.Project) project.Project {
	t.Helper()
	p, err := a.Projects.Project(t.Context(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// emulated names fresh tables on the emulator that the environment tells of.
func emulated(t *testing.T) dynamodb.Options {
	t.Helper()
	if os.Getenv("AWS_ENDPOINT_URL_DYNAMODB") == "" {
		t.Skip("AWS_ENDPOINT_URL_DYNAMODB is not set: there is no DynamoDB to test on (scripts/test starts an emulator)")
	}
	env, err := boot.ReadEnv(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	env.TablePrefix = "test-" + hex.EncodeToString(secret.Random(6))
	options := boot.DynamoDB(env)
	if err := tables.Create(t.Context(), options, "../../template.yaml"); err != nil {
		t.Fatal(err)
	}
	return options
}

// under returns the instance with other keys.
func under(t *testing.T, a *apptest.App, current []byte, previous ...[]byte) *app.App {
	t.Helper()
	keys, err := secret.NewKeys(current, previous...)
	if err != nil {
		t.Fatal(err)
	}
	return app.New(a.Store, app.Config{BaseURL: apptest.BaseURL, Keys: keys, Features: integration.AllFeatures, Now: a.Now})
}

// trackElsewhere has the project's errors tracked by another tracker.
func trackElsewhere(t *testing.T, a *app.App, p project.Project) {
	t.Helper()
	api, token := "https://tracker.example/api/0/projects/acme/web/", secret.NewText("a token")
	c := errortracking.Change{Create: true, Active: true, Integrated: new(bool), APIURL: &api}
	if _, err := a.Tracking.Change(t.Context(), audit.Setup, p, c, &token); err != nil {
		t.Fatal(err)
	}
}

// pull has the project pulled from elsewhere.
func pull(t *testing.T, a *app.App, p project.Project) {
	t.Helper()
	url := "https://ada:secret@git.example/web.git"
	edit := a.Mirrors.Edit(p.FullPath, mirror.Change{URL: &url})
	if _, err := a.Projects.ChangeProject(t.Context(), audit.Setup, p, project.Change{}, edit); err != nil {
		t.Fatal(err)
	}
}
