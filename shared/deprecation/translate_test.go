package deprecation_test

import (
	"fmt"
	"testing"

	"gatehouse/shared/deprecation"
)

func TestNumbersOfProtectionComeBack(t *testing.T) {
	tests := []deprecation.Protection{
		{Push: 30, Merge: 30, ForcePush: true}, {Push: 30, Merge: 30}, {Push: 40, Merge: 40}, {Push: 40, Merge: 30},
		{Push: 40, Merge: 40, InitialPush: true},
	}
	for level, want := range tests {
		got, known := deprecation.ProtectionOf(level)
		if !known || got != want || got.Level() != level {
			t.Errorf("ProtectionOf(%d) = %+v, %t, which is %d, want %+v", level, got, known, got.Level(), want)
		}
	}
	for _, level := range []int{-1, 5} {
		if _, known := deprecation.ProtectionOf(level); known {
			t.Errorf("ProtectionOf(%d) is known", level)
		}
	}
	for p, want := range map[deprecation.Protection]int{
		{Push: 30, Merge: 30, InitialPush: true}: 4,
		{Push: 30, Merge: 40, ForcePush: true}:   0,
		{Push: 0, Merge: 30}:                     3,
		{Push: 0, Merge: 0}:                      2,
		{Push: 40, Merge: 40, ForcePush: true}:   2,
		{Push: 60, Merge: 30, ForcePush: true}:   3,
		{Push: 30, Merge: 40}:                    1,
	} {
		if got := p.Level(); got != want {
			t.Errorf("%+v is %d, want %d", p, got, want)
		}
	}
}

func TestRolesForVariables(t *testing.T) {
	for _, role := range []string{deprecation.VariablesByNobody, deprecation.VariablesByDevelopers, deprecation.VariablesByMaintainers, deprecation.VariablesByOwners} {
		restricted := deprecation.Restricted(role)
		if restricted != (role != "developer") {
			t.Errorf("Restricted(%s) = %t", role, restricted)
		}
		if got := deprecation.OverrideRole(restricted, role); got != role {
			t.Errorf("OverrideRole(%t, %s) = %s, want the stored role", restricted, role, got)
		}
		if got := deprecation.OverrideRole(false, role); got != "developer" {
			t.Errorf("OverrideRole(false, %s) = %s, want developer", role, got)
		}
	}
	for _, stored := range []string{"", "developer"} {
		if got := deprecation.OverrideRole(true, stored); got != "maintainer" {
			t.Errorf("OverrideRole(true, %q) = %s, want maintainer", stored, got)
		}
	}
}

// The values that the table shows are those that the functions translate.
func TestPairsFollowTheFunctions(t *testing.T) {
	protection, _ := deprecation.Find("default-branch-protection")
	if len(protection.Values) != 5 {
		t.Fatalf("%d values of the protection, want 5", len(protection.Values))
	}
	for level, pair := range protection.Values {
		p, _ := deprecation.ProtectionOf(level)
		want := fmt.Sprintf(`{"allow_force_push":%t,"allowed_to_merge":[{"access_level":%d}],"allowed_to_push":[{"access_level":%d}],"developer_can_initial_push":%t}`,
			p.ForcePush, p.Merge, p.Push, p.InitialPush)
		if pair.Old != fmt.Sprint(level) || pair.New != want {
			t.Errorf("%d has the pair %v, want %s", level, pair, want)
		}
	}
	variables, _ := deprecation.Find("restrict-user-defined-variables")
	for _, pair := range variables.Values {
		if got := `"` + deprecation.OverrideRole(pair.Old == "true", "") + `"`; got != pair.New {
			t.Errorf("%s stands for %s, want %s", pair.Old, got, pair.New)
		}
	}
}
