package oidc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"gatehouse/shared/oidc"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
)

// many are the groups of every user, the most important first.
type many []project.RoleInGroup

func (m many) Direct(_ context.Context, _ int64, most int) (project.Joined, error) {
	return project.Joined{Groups: m[:min(most, len(m))], More: len(m) > most}, nil
}

func (m many) Joined(ctx context.Context, userID int64, most int) (project.Joined, error) {
	return m.Direct(ctx, userID, most)
}

// manyGroups returns so many groups with full paths of so many characters.
func manyGroups(n, length int, role project.Role) (groups many) {
	for i := range n {
		path := fmt.Sprintf("%s%04d", role, i)
		path += strings.Repeat("x", max(0, length-len(path)))
		groups = append(groups, project.RoleInGroup{Group: project.Group{FullPath: path}, Role: role})
	}
	return groups
}

func (f *fixture) providerOf(t *testing.T, groups oidc.Groups) *oidc.Provider {
	t.Helper()
	keys, err := secret.NewKeys(instanceKey('a'))
	if err != nil {
		t.Fatal(err)
	}
	return oidc.New(f.Store, groups, keys, issuer, f.now)
}

// list returns a claim that is a list, with its length as JSON.
func list(t *testing.T, claims map[string]any, name string) (values []any, bytes int) {
	t.Helper()
	values, _ = claims[name].([]any)
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return values, len(text)
}

func TestGroupsInAnIDTokenHaveALimit(t *testing.T) {
	long := manyGroups(1, 5000, project.Owner)
	tests := []struct {
		name      string
		groups    many
		told      int
		truncated any
	}{
		{"none", nil, 0, nil},
		{"as many as may be", manyGroups(200, 10, project.Guest), 200, nil},
		{"more", manyGroups(201, 10, project.Guest), 200, true},
		{"eight KB", manyGroups(8, 1020, project.Owner), 8, nil},
		{"a byte more", manyGroups(8, 1021, project.Owner), 7, true},
		{"many that are long", manyGroups(200, 1020, project.Owner), 8, true},
		{"one that does not fit beside others", append(append(long, long...), manyGroups(9, 100, project.Guest)...), 10, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			_, claims := parsed(t, f.sign(t, f.providerOf(t, test.groups)))
			groups, bytes := list(t, claims, "groups_direct")
			if len(groups) != test.told || claims["groups_direct_truncated"] != test.truncated {
				t.Errorf("the id_token tells %d groups, truncated %v, want %d, %v", len(groups), claims["groups_direct_truncated"], test.told, test.truncated)
			}
			if bytes > 8<<10 {
				t.Errorf("the groups are %d bytes, want at most 8 KB", bytes)
			}
		})
	}
}

func TestGroupsOfUserInfoHaveALimit(t *testing.T) {
	f := newFixture(t)
	claimsOf := func(groups many) map[string]any {
		t.Helper()
		profile, err := f.providerOf(t, groups).Profile(t.Context(), ada.ID)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(profile.Claims(ada, scope.Of(scope.OpenID)))
		if err != nil {
			t.Fatal(err)
		}
		var claims map[string]any
		if err := json.Unmarshal(text, &claims); err != nil {
			t.Fatal(err)
		}
		return claims
	}
	few := claimsOf(manyGroups(200, 10, project.Owner))
	if groups, _ := list(t, few, "groups"); len(groups) != 200 || few["groups_truncated"] != nil {
		t.Errorf("userinfo tells %d of 200 groups, truncated %v", len(groups), few["groups_truncated"])
	}
	some := claimsOf(append(manyGroups(150, 10, project.Owner), manyGroups(60, 10, project.Developer)...))
	for name, want := range map[string]int{"groups": 200, issuer + "/claims/groups/owner": 150, issuer + "/claims/groups/developer": 50} {
		if groups, _ := list(t, some, name); len(groups) != want {
			t.Errorf("%s tells %d groups, want %d", name, len(groups), want)
		}
	}
	if some["groups_truncated"] != true {
		t.Errorf("groups_truncated is %v, want true", some["groups_truncated"])
	}
}

// What clients discover lists every claim.
func TestTruncationIsAmongTheClaims(t *testing.T) {
	names := strings.Join(newFixture(t).providerOf(t, many(nil)).ClaimNames(), " ")
	for _, name := range []string{"groups_truncated", "groups_direct_truncated"} {
		if !strings.Contains(names, name) {
			t.Errorf("%s is not among %s", name, names)
		}
	}
}
