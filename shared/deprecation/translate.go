package deprecation

import (
	"encoding/json"
	"strconv"
)

// Levels of access as the API writes them.
const (
	developer  = 30
	maintainer = 40
)

// Protection says who may change a default branch: from which level of access on
// one may push and merge.
type Protection struct {
	Push, Merge int
	ForcePush   bool
	InitialPush bool // developers may push to an empty repository
}

// protections are those that a number stands for.
var protections = []Protection{
	{Push: developer, Merge: developer, ForcePush: true},
	{Push: developer, Merge: developer},
	{Push: maintainer, Merge: maintainer},
	{Push: maintainer, Merge: developer},
	{Push: maintainer, Merge: maintainer, InitialPush: true},
}

// ProtectionOf returns what the former number stands for.
func ProtectionOf(level int) (p Protection, known bool) {
	if level < 0 || level >= len(protections) {
		return Protection{}, false
	}
	return protections[level], true
}

// Level returns the former number that comes closest.
func (p Protection) Level() int {
	switch {
	case p.InitialPush:
		return 4
	case p.Push == developer && p.ForcePush:
		return 0
	case p.Push == developer:
		return 1
	case p.Merge == developer:
		return 3
	}
	return 2
}

func protectionPairs() (pairs []Pair) {
	type level struct {
		Access int `json:"access_level"`
	}
	for n, p := range protections {
		object, err := json.Marshal(map[string]any{
			"allowed_to_push": []level{{p.Push}}, "allowed_to_merge": []level{{p.Merge}},
			"allow_force_push": p.ForcePush, "developer_can_initial_push": p.InitialPush,
		})
		if err != nil {
			panic(err) // of numbers and booleans
		}
		pairs = append(pairs, Pair{strconv.Itoa(n), string(object)})
	}
	return pairs
}

// Roles from which on one may set variables of a pipeline.
const (
	VariablesByNobody      = "no_one_allowed"
	VariablesByDevelopers  = "developer"
	VariablesByMaintainers = "maintainer"
	VariablesByOwners      = "owner"
)

// Restricted returns the former setting for a role.
func Restricted(role string) bool { return role != VariablesByDevelopers }

// OverrideRole returns the role that the former setting makes of the stored one,
// which stays if it is as strict.
func OverrideRole(restricted bool, stored string) string {
	switch {
	case !restricted:
		return VariablesByDevelopers
	case Restricted(stored) && stored != "":
		return stored
	}
	return VariablesByMaintainers
}
