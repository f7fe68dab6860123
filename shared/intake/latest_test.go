package intake_test

import (
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
)

func TestLatestPayloadIsOfTheNewestAlertOfTheIntegration(t *testing.T) {
	a := apptest.New(t)
	web := a.Project("web", a.Namespace(a.User("ada")), project.Private)
	newIntegration := func(name string) integration.Integration {
		i, err := a.Integrations.Create(t.Context(), web, integration.Draft{Name: name, Type: integration.HTTP, Active: true})
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	mine, other := newIntegration("mine"), newIntegration("other")
	want := func(payload string) {
		t.Helper()
		got, err := a.Intake.LatestPayload(t.Context(), web, mine)
		if err != nil || string(got) != payload {
			t.Errorf("the latest payload is %q, %v, want %q", got, err, payload)
		}
	}
	send := func(i integration.Integration, payload string) {
		t.Helper()
		if _, err := a.Intake.Test(t.Context(), web, i, []byte(payload)); err != nil {
			t.Fatal(err)
		}
	}
	want("")
	send(mine, `{"title": "first"}`)
	send(mine, `{"title": "second"}`)
	send(other, `{"title": "of another"}`)
	want(`{"title": "second"}`)
	send(mine, `{"title": "first"}`) // repeats, and is not kept
	want(`{"title": "second"}`)
}
