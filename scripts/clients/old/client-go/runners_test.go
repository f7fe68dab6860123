package clientgo

import (
	"errors"
	"slices"
	"testing"

	"gatehouse/scripts/clients/old/judge"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

const active = "runner-active"

// register makes a runner of the project, which takes jobs at once.
func register(t *testing.T, git *gitlab.Client, p *gitlab.Project) *gitlab.Runner {
	t.Helper()
	registration := call(git.Runners.ResetProjectRunnerRegistrationToken(p.ID)).Silent(t)
	return call(git.Runners.RegisterNewRunner(&gitlab.RegisterNewRunnerOptions{
		Token: registration.Token, Description: gitlab.Ptr("builder"), TagList: &[]string{"linux", "go"}, RunUntagged: gitlab.Ptr(false),
		Locked: gitlab.Ptr(false), AccessLevel: gitlab.Ptr("ref_protected"), MaximumTimeout: gitlab.Ptr(3600), MaintenanceNote: gitlab.Ptr("in the cellar"),
		Info: &gitlab.RegisterNewRunnerInfoOptions{Name: gitlab.Ptr("gitlab-runner"), Version: gitlab.Ptr("17.9.0")},
	})).Silent(t)
}

func TestRunner(t *testing.T) {
	admin := administrator(t)
	project := newProject(t, admin, newGroup(t, admin))
	made := register(t, admin, project)
	if made.ID == 0 || made.Token == "" {
		t.Fatalf("the registration gave the id %d and a token of %d characters", made.ID, len(made.Token))
	}
	got := call(admin.Runners.GetRunnerDetails(made.ID)).Silent(t)
	want := gitlab.RunnerDetails{
		ID: made.ID, Description: "builder", RunnerType: "project_type", Active: true, Status: "not_connected",
		TagList: []string{"go", "linux"}, AccessLevel: "ref_protected", MaximumTimeout: 3600, MaintenanceNote: "in the cellar",
		Name: got.Name, Groups: got.Groups, Projects: got.Projects, // below
	}
	slices.Sort(got.TagList)
	judge.Equal(t, "the runner", got, &want)
	judge.Equal(t, "ip_address", got.IPAddress, "")
	judge.Equal(t, "how many projects it has", len(got.Projects), 1)
	judge.Equal(t, "its project", got.Projects[0].PathWithNamespace, project.PathWithNamespace)
	judge.Equal(t, "how many groups it has", len(got.Groups), 0)
}

func TestContactOfRunner(t *testing.T) {
	admin := administrator(t)
	made := register(t, admin, newProject(t, admin, newGroup(t, admin)))
	done(admin.Runners.VerifyRegisteredRunner(&gitlab.VerifyRegisteredRunnerOptions{Token: &made.Token})).Silent(t)
	got := call(admin.Runners.GetRunnerDetails(made.ID)).Silent(t)
	judge.Equal(t, "status", got.Status, "online")
	judge.Equal(t, "online", got.Online, true)
	if got.ContactedAt == nil {
		t.Error("the runner has no contacted_at")
	}
	done(admin.Runners.VerifyRegisteredRunner(&gitlab.VerifyRegisteredRunnerOptions{Token: gitlab.Ptr("unknown")})).Refused(t, "403")
	done(admin.Runners.DeleteRegisteredRunner(&gitlab.DeleteRegisteredRunnerOptions{Token: &made.Token})).Silent(t)
	if _, _, err := admin.Runners.GetRunnerDetails(made.ID); !errors.Is(err, gitlab.ErrNotFound) {
		t.Errorf("the deleted runner gave %v", err)
	}
}

func TestPausedRunner(t *testing.T) {
	admin := administrator(t)
	id := register(t, admin, newProject(t, admin, newGroup(t, admin))).ID
	update := func(change gitlab.UpdateRunnerDetailsOptions) judge.Answer[*gitlab.RunnerDetails] {
		return call(admin.Runners.UpdateRunnerDetails(id, &change))
	}
	check := func(r *gitlab.RunnerDetails, paused bool) {
		t.Helper()
		judge.Equal(t, "paused and active", []bool{r.Paused, r.Active}, []bool{paused, !paused})
	}
	check(update(gitlab.UpdateRunnerDetailsOptions{Active: gitlab.Ptr(false)}).Told(t, active), true)
	check(call(admin.Runners.GetRunnerDetails(id)).Silent(t), true)
	check(update(gitlab.UpdateRunnerDetailsOptions{Active: gitlab.Ptr(true)}).Told(t, active), false)
	check(update(gitlab.UpdateRunnerDetailsOptions{Paused: gitlab.Ptr(true)}).Silent(t), true)
	check(update(gitlab.UpdateRunnerDetailsOptions{Paused: gitlab.Ptr(false), Description: gitlab.Ptr("tester"), TagList: &[]string{"arm"}}).Silent(t), false)
	update(gitlab.UpdateRunnerDetailsOptions{Paused: gitlab.Ptr(true), Active: gitlab.Ptr(false)}).Refused(t, "400")
	got := call(admin.Runners.GetRunnerDetails(id)).Silent(t)
	check(got, false)
	judge.Equal(t, "description", got.Description, "tester")
	judge.Equal(t, "tag_list", got.TagList, []string{"arm"})
	done(admin.Runners.RemoveRunner(id)).Silent(t)
}

func TestRegistration(t *testing.T) {
	admin := administrator(t)
	group := newGroup(t, admin)
	ofGroup := call(admin.Runners.ResetGroupRunnerRegistrationToken(group.ID)).Silent(t)
	ofInstance := call(admin.Runners.ResetInstanceRunnerRegistrationToken()).Silent(t)
	for kind, token := range map[string]*string{"group_type": ofGroup.Token, "instance_type": ofInstance.Token} {
		made := call(admin.Runners.RegisterNewRunner(&gitlab.RegisterNewRunnerOptions{Token: token, Active: gitlab.Ptr(false)})).Told(t, active)
		got := call(admin.Runners.GetRunnerDetails(made.ID)).Silent(t)
		judge.Equal(t, "runner_type", got.RunnerType, kind)
		judge.Equal(t, "is_shared", got.IsShared, kind == "instance_type")
		judge.Equal(t, "paused and active", []bool{got.Paused, got.Active}, []bool{true, false})
	}
	again := call(admin.Runners.ResetGroupRunnerRegistrationToken(group.ID)).Silent(t)
	if *again.Token == *ofGroup.Token {
		t.Error("the reset gave the same token again")
	}
	call(admin.Runners.RegisterNewRunner(&gitlab.RegisterNewRunnerOptions{Token: ofGroup.Token})).Refused(t, "403")
}

func TestRunnerLists(t *testing.T) {
	admin := administrator(t)
	group := newGroup(t, admin)
	project := newProject(t, admin, group)
	made := register(t, admin, project)
	registration := call(admin.Runners.ResetGroupRunnerRegistrationToken(group.ID)).Silent(t)
	ofGroup := call(admin.Runners.RegisterNewRunner(&gitlab.RegisterNewRunnerOptions{Token: registration.Token, Paused: gitlab.Ptr(true)})).Silent(t)
	check := func(what string, listed []*gitlab.Runner, want bool) {
		t.Helper()
		at := slices.IndexFunc(listed, func(r *gitlab.Runner) bool { return r.ID == made.ID })
		judge.Equal(t, "whether the runner is among "+what, at >= 0, want)
		if at >= 0 {
			r := *listed[at]
			judge.Equal(t, "paused, active and online", []bool{r.Paused, r.Active, r.Online}, []bool{false, true, false})
			judge.Equal(t, "type, status and address", []string{r.RunnerType, r.Status, r.IPAddress}, []string{"project_type", "not_connected", ""})
		}
	}
	check("all", call(admin.Runners.ListAllRunners(&gitlab.ListRunnersOptions{Type: gitlab.Ptr("project_type"), TagList: &[]string{"go", "linux"}})).Silent(t), true)
	check("those with another tag", call(admin.Runners.ListAllRunners(&gitlab.ListRunnersOptions{TagList: &[]string{"arm"}})).Silent(t), false)
	check("the active ones", call(admin.Runners.ListAllRunners(&gitlab.ListRunnersOptions{Status: gitlab.Ptr("active")})).Told(t, active), true)
	check("the paused ones", call(admin.Runners.ListAllRunners(&gitlab.ListRunnersOptions{Scope: gitlab.Ptr("paused")})).Told(t, active), false)
	check("own ones", call(admin.Runners.ListRunners(&gitlab.ListRunnersOptions{Paused: gitlab.Ptr(false)})).Silent(t), true)
	check("own ones that are online", call(admin.Runners.ListRunners(&gitlab.ListRunnersOptions{Status: gitlab.Ptr("online")})).Silent(t), false)
	check("the project's", call(admin.Runners.ListProjectRunners(project.ID, &gitlab.ListProjectRunnersOptions{Status: gitlab.Ptr("not_connected")})).Silent(t), true)
	ofTheGroup := call(admin.Runners.ListGroupsRunners(group.ID, &gitlab.ListGroupsRunnersOptions{Type: gitlab.Ptr("group_type")})).Silent(t)
	judge.Equal(t, "how many runners the group has", len(ofTheGroup), 1)
	judge.Equal(t, "the group's runner", ofTheGroup[0].ID, ofGroup.ID)
	judge.Equal(t, "paused and active of the group's", []bool{ofTheGroup[0].Paused, ofTheGroup[0].Active}, []bool{true, false})
}

func TestRunnerOfProjects(t *testing.T) {
	admin := administrator(t)
	group := newGroup(t, admin)
	made := register(t, admin, newProject(t, admin, group))
	second := newProject(t, admin, group)
	enabled := call(admin.Runners.EnableProjectRunner(second.ID, &gitlab.EnableProjectRunnerOptions{RunnerID: made.ID})).Silent(t)
	judge.Equal(t, "the runner of the other project", enabled.ID, made.ID)
	judge.Equal(t, "how many projects it has", len(call(admin.Runners.GetRunnerDetails(made.ID)).Silent(t).Projects), 2)
	done(admin.Runners.DisableProjectRunner(second.ID, made.ID)).Silent(t)
	judge.Equal(t, "how many projects it has left", len(call(admin.Runners.GetRunnerDetails(made.ID)).Silent(t).Projects), 1)
	done(admin.Runners.DeleteRegisteredRunnerByID(made.ID)).Silent(t)
}
