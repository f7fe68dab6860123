package clientgo

import (
	"fmt"
	"testing"

	"gatehouse/scripts/clients/old/judge"

	gitlab "gitlab.com/gitlab-org/api/client-go"
)

const protection = "default-branch-protection"

// protections are those that the former numbers stand for.
var protections = []gitlab.BranchProtectionDefaults{
	{AllowedToPush: levels(gitlab.DeveloperPermissions), AllowedToMerge: levels(gitlab.DeveloperPermissions), AllowForcePush: true},
	{AllowedToPush: levels(gitlab.DeveloperPermissions), AllowedToMerge: levels(gitlab.DeveloperPermissions)},
	{AllowedToPush: levels(gitlab.MaintainerPermissions), AllowedToMerge: levels(gitlab.MaintainerPermissions)},
	{AllowedToPush: levels(gitlab.MaintainerPermissions), AllowedToMerge: levels(gitlab.DeveloperPermissions)},
	{AllowedToPush: levels(gitlab.MaintainerPermissions), AllowedToMerge: levels(gitlab.MaintainerPermissions), DeveloperCanInitialPush: true},
}

func levels(of gitlab.AccessLevelValue) []*gitlab.GroupAccessLevel {
	return []*gitlab.GroupAccessLevel{{AccessLevel: &of}}
}

// options are those that set the protection.
func options(p gitlab.BranchProtectionDefaults) *gitlab.DefaultBranchProtectionDefaultsOptions {
	return &gitlab.DefaultBranchProtectionDefaultsOptions{
		AllowedToPush: &p.AllowedToPush, AllowedToMerge: &p.AllowedToMerge,
		AllowForcePush: &p.AllowForcePush, DeveloperCanInitialPush: &p.DeveloperCanInitialPush,
	}
}

// checkProtection compares both forms with what the former number stands for.
func checkProtection(t *testing.T, what string, former int, object *gitlab.BranchProtectionDefaults, want int) {
	t.Helper()
	judge.Equal(t, "default_branch_protection of "+what, former, want)
	judge.Equal(t, "default_branch_protection_defaults of "+what, object, &protections[want])
}

func TestProtectionOfGroups(t *testing.T) {
	admin := administrator(t)
	check := func(what string, g *gitlab.Group, want int) {
		t.Helper()
		checkProtection(t, what, g.DefaultBranchProtection, g.DefaultBranchProtectionDefaults, want)
	}
	for former := range protections {
		name := gitlab.Ptr(judge.Unique("owls"))
		group := call(admin.Groups.CreateGroup(&gitlab.CreateGroupOptions{Name: name, Path: name, DefaultBranchProtection: &former})).Told(t, protection)
		check("a new group", group, former)
		next := (former + 1) % len(protections)
		group = call(admin.Groups.UpdateGroup(group.ID, &gitlab.UpdateGroupOptions{DefaultBranchProtectionDefaults: options(protections[next])})).Silent(t)
		check("a changed group", group, next)
		check("the group", call(admin.Groups.GetGroup(group.ID, nil)).Silent(t), next)
	}
}

func TestProtectionOfGroupsByBothNames(t *testing.T) {
	admin := administrator(t)
	group := newGroup(t, admin)
	group = call(admin.Groups.UpdateGroup(group.FullPath, &gitlab.UpdateGroupOptions{
		DefaultBranchProtection: gitlab.Ptr(0), DefaultBranchProtectionDefaults: options(protections[3]),
	})).Told(t, protection)
	checkProtection(t, "the group", group.DefaultBranchProtection, group.DefaultBranchProtectionDefaults, 3)
	listed := call(admin.Groups.ListGroups(&gitlab.ListGroupsOptions{ListOptions: gitlab.ListOptions{PerPage: 100}})).Silent(t)
	judge.Equal(t, "the listed group", only(t, listed, func(g *gitlab.Group) bool { return g.ID == group.ID }), group)
}

func TestProtectionOfTheInstance(t *testing.T) {
	admin := administrator(t)
	before := call(admin.Settings.GetSettings()).Silent(t)
	defer func() {
		call(admin.Settings.UpdateSettings(&gitlab.UpdateSettingsOptions{DefaultBranchProtection: &before.DefaultBranchProtection})).Told(t, protection)
	}()
	for former, object := range protections {
		changed := call(admin.Settings.UpdateSettings(&gitlab.UpdateSettingsOptions{DefaultBranchProtection: &former})).Told(t, protection)
		checkProtection(t, fmt.Sprint("the instance after ", former), changed.DefaultBranchProtection, changed.DefaultBranchProtectionDefaults, former)
		changed = call(admin.Settings.UpdateSettings(&gitlab.UpdateSettingsOptions{DefaultBranchProtectionDefaults: options(object)})).Silent(t)
		read := call(admin.Settings.GetSettings()).Silent(t)
		judge.Equal(t, "the settings", read, changed)
		checkProtection(t, "the instance", read.DefaultBranchProtection, read.DefaultBranchProtectionDefaults, former)
		group := newGroup(t, admin)
		checkProtection(t, "a new group", group.DefaultBranchProtection, group.DefaultBranchProtectionDefaults, former)
	}
}
