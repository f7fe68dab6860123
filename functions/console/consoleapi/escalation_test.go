package consoleapi_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/oncall"
)

const escalationPage = onCallPage + "/escalation"

// policyForm returns the fields of the form: of each rule the minutes, the status and whom
// it notifies, which is a user name or a schedule.
func policyForm(do, seen string, rules ...[3]string) url.Values {
	form := apptest.Form("do", do, "seen", seen, "repeat", "2")
	for _, rule := range rules {
		whom, person := "person", rule[2]
		if len(rule[2]) > 9 && rule[2][:9] == "schedule-" {
			whom, person = rule[2], ""
		}
		form.Add("after[]", rule[0])
		form.Add("until[]", rule[1])
		form.Add("whom[]", whom)
		form.Add("person[]", person)
	}
	return form
}

func TestTheEscalationPolicyOnThePage(t *testing.T) {
	s := newTeam(t)
	made := s.weekly(t)
	primary := fmt.Sprintf("schedule-%d", made.ID)
	none := s.b.Get(escalationPage).Want(200, "No escalation policy yet", "Nobody is paged: alerts are only shown", "Add a step")
	seen := none.Fields(escalationPage).Get("seen")

	s.b.Post(escalationPage, policyForm("add", seen)).Want(200, "Step 1", `value="0"`, `<option value="`+primary+`" selected>On call in Primary`)
	s.b.Post(escalationPage, policyForm("add", seen, [3]string{"5", "acknowledged", "dana"})).Want(200, "Step 2", `name="after[]" value="10"`, `name="person[]" value="dana"`)
	s.b.Post(escalationPage, policyForm("remove-0", seen, [3]string{"5", "resolved", "dana"}, [3]string{"7", "resolved", "erik"})).
		Want(200, `name="after[]" value="7"`).WantNot("Step 2", `value="dana" maxlength`)
	s.b.Post(escalationPage, policyForm("down-0", seen, [3]string{"5", "resolved", "dana"}, [3]string{"7", "resolved", "erik"})).
		Want(200, "Step 2", `id="after-0" name="after[]" value="5"`, `id="person-0" name="person[]" value="erik"`, `id="after-1" name="after[]" value="7"`, `id="person-1" name="person[]" value="dana"`)

	for says, form := range map[string]url.Values{
		"The list of steps must have minutes from 0 to 1440":    policyForm("save", seen, [3]string{"soon", "acknowledged", primary}),
		"This is not the user name of somebody":                 policyForm("save", seen, [3]string{"0", "acknowledged", "nobody"}),
		"The list of steps is not a member of the project":      policyForm("save", seen, [3]string{"0", "acknowledged", s.User("stranger").Username}),
		"The list of steps has a schedule that the project":     policyForm("save", seen, [3]string{"0", "acknowledged", "schedule-99"}),
		"The list of steps has a rule more than once":           policyForm("save", seen, [3]string{"0", "acknowledged", primary}, [3]string{"0", "acknowledged", primary}),
		"The number of repetitions must be from 0 to 9":         with(policyForm("save", seen, [3]string{"0", "acknowledged", primary}), "repeat", "10"),
		"The list of steps must have the until_status acknowle": policyForm("save", seen, [3]string{"0", "never", primary}),
	} {
		s.b.Post(escalationPage, form).Want(422, says, "Nothing was saved yet")
	}
	s.b.Post(escalationPage, apptest.Form("after[]", "0", "seen", seen)).Want(400)
	many := slices.Repeat([][3]string{{"0", "acknowledged", primary}}, oncall.MaxRules+1)
	s.b.Post(escalationPage, policyForm("save", seen, many...)).Want(422, "The list of steps has too many (maximum is 10)", `id="after-0" name="after[]" value="0" maxlength="4" autocomplete="off" autofocus>`)
	s.b.Post(escalationPage, with(policyForm("save", seen, [3]string{"0", "acknowledged", primary}), "repeat", "10")).Want(422, `repeat-complaint" aria-invalid="true" autofocus>`)
	for _, do := range []string{"save", "add"} {
		s.b.Post(escalationPage, policyForm(do, seen, slices.Repeat(many, 10)...)).Want(400)
	}

	s.b.Post(escalationPage, policyForm("save", seen, [3]string{"15", "resolved", "@otto"}, [3]string{"0", "acknowledged", primary})).WantRedirect(escalationPage)
	policy, err := s.OnCall.Policy(t.Context(), s.web)
	want := oncall.Policy{Repeat: 2, Rules: []oncall.Rule{{Until: oncall.Acknowledged, ScheduleID: made.ID}, {ElapsedMinutes: 15, Until: oncall.Resolved, UserID: s.otto.ID}}}
	if diff := cmp.Diff(want, policy); err != nil || diff != "" {
		t.Fatalf("the policy (-want +got):\n%s%v", diff, err)
	}
	people, err := s.OnCall.People(t.Context(), s.web, made.Thing)
	if err != nil {
		t.Fatal(err)
	}
	now, _ := people.User(made.Thing.At(s.Now(), people.Present)[0].UserID)
	plan := []string{"If an alert opened now", "At once: <b><bdi>" + now.Name, "on call in <bdi>Primary", "After 15 minutes, unless it is resolved: <b><bdi>The user otto", "2 times again"}
	s.b.Get(escalationPage).Want(200, append(plan, "The escalation policy was saved.")...)
	signedIn(t, s.App, s.erik).Get(escalationPage).Want(200, plan...).WantNot("Save the policy")
	again := s.b.Post(escalationPage, policyForm("save", seen, [3]string{"7", "resolved", "erik"})).Want(409, "Someone else changed this", `name="after[]" value="7" maxlength="4" autocomplete="off" autofocus>`, `value="erik"`, "After 15 minutes")

	seen = again.Fields(escalationPage).Get("seen")
	s.b.Post(escalationPage, policyForm("save", seen)).WantRedirect(escalationPage)
	s.b.Get(escalationPage).Want(200, "No escalation policy yet")
}

// A step that notifies nobody says so.
func TestAStepWithNobodyIsMarked(t *testing.T) {
	s := newTeam(t)
	made := s.weekly(t)
	s.b.Post(fmt.Sprintf("%s/%d/rotations/1/delete", onCallPage, made.ID), nil).WantRedirect(fmt.Sprintf("%s/%d", onCallPage, made.ID))
	seen := s.b.Get(escalationPage).Fields(escalationPage).Get("seen")
	s.b.Post(escalationPage, policyForm("save", seen, [3]string{"0", "acknowledged", fmt.Sprintf("schedule-%d", made.ID)})).WantRedirect(escalationPage)
	s.b.Get(escalationPage).Want(200, `At once: <span class="badge caution">nobody`)
}
