package functions_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// right is what a function's policy allows: to write with an action to the partitions of a
// pattern, or to read a table with an action, or to read the partitions of a pattern. Which
// action reads which partitions is not told apart: who may read an item may read it in any way.
type right struct{ function, table, action, pattern string }

func (r right) String() string {
	return strings.Join(strings.Fields(strings.Join([]string{r.function + ":", r.action, r.table, r.pattern}, " ")), " ")
}

// everything is the pattern of a statement about a whole table.
const everything = "*"

// reads reports whether the action changes nothing.
func reads(action string) bool {
	return slices.Contains([]string{"GetItem", "BatchGetItem", "Query", "ConditionCheckItem"}, action)
}

// rights collects those that were used.
type rights struct {
	mu    sync.Mutex
	used  map[right]bool
	ended map[string]bool // the tests that used theirs
}

var usedRights = rights{used: map[right]bool{}, ended: map[string]bool{}}

// note remembers that the statement was needed.
func (all *rights) note(function string, s statement, a access) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, r := range s.rights(function, a.action) {
		if r.pattern == "" || slices.ContainsFunc(a.pks, func(pk string) bool { return leads(pk, r.pattern) }) {
			all.used[r] = true
		}
	}
}

// end says that a test has used what it uses.
func (all *rights) end(name string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.ended[name] = true
}

// granted returns what the statement allows in DynamoDB.
func (s statement) granted(function string) (all []right) {
	for _, action := range s.Action {
		if action, ok := strings.CutPrefix(action, "dynamodb:"); ok {
			all = append(all, s.rights(function, action)...)
		}
	}
	return all
}

// rights returns what the statement allows with the action.
func (s statement) rights(function, action string) (all []right) {
	r := right{function: function, table: tableOf(s.Resource), action: action}
	patterns := s.patterns()
	if reads(action) {
		all = append(all, r)
		r.action = ""
	} else if patterns == nil {
		patterns = []string{everything}
	}
	for _, pattern := range patterns {
		r.pattern = pattern
		all = append(all, r)
	}
	return all
}

// unused returns the rights that nothing used, though every test took part that uses some,
// and the exceptions that are none.
func (all *rights) unused(policies map[string][]statement) (unused []string) {
	granted := map[right]bool{}
	for function, statements := range policies {
		for _, s := range statements {
			for _, r := range s.granted(function) {
				granted[r] = true
				if !all.used[r] && unreached[r] == "" {
					unused = append(unused, r.String())
				}
			}
		}
	}
	for r := range unreached {
		if all.used[r] || !granted[r] {
			unused = append(unused, r.String()+", which is no exception")
		}
	}
	slices.Sort(unused)
	return slices.Compact(unused)
}

// Why functions have rights that no test here uses.
const (
	before   = "functions of the release before put messages, see TestRightsToTellWhatFollows"
	unlisted = "an alert that a release without lists stored is listed with its first change"
	gone     = "a chunk of a payload that DynamoDB removed when it expired is left out"
	first    = "the first use of a grant on a day, which the tests make at another function"
	race     = "another request opened the alert, and its payload is the one that stays"
)

// unreached are those rights.
var unreached = map[right]string{
	{"alerts", "messages", "PutItem", "LANE#*"}:      before,
	{"console", "messages", "PutItem", "LANE#*"}:     before,
	{"console", "messages", "PutItem", "SLOW#*"}:     before,
	{"dispatcher", "messages", "PutItem", "LANE#*"}:  before,
	{"dispatcher", "messages", "PutItem", "SLOW#*"}:  before,
	{"monitor", "messages", "PutItem", "LANE#*"}:     before,
	{"monitor", "messages", "PutItem", "SLOW#*"}:     before,
	{"projects", "messages", "PutItem", "LANE#*"}:    before,
	{"projects", "messages", "PutItem", "SLOW#*"}:    before,
	{"platform", "tokens", "UpdateItem", "APP#*"}:    first,
	{"alerts", "alerts", "BatchGetItem", ""}:         gone,
	{"alerts", "alerts", "", "PAYLOAD#*"}:            gone,
	{"alerts", "alerts", "DeleteItem", "PAYLOAD#*"}:  race,
	{"dispatcher", "alerts", "UpdateItem", "DAYS#*"}: unlisted,
}

// usersOfRights are the tests that use all that functions may.
var usersOfRights = []string{"scenarios", "names", "dispatcher", "roles", "configured"}

// TestMain compares the policies of template.yaml with what the tests needed of them, if all
// of those ran: no function may do more.
func TestMain(m *testing.M) {
	status := m.Run()
	if status == 0 && !slices.ContainsFunc(usersOfRights, func(name string) bool { return !usedRights.ended[name] }) {
		all, err := readPolicies()
		if err != nil {
			fmt.Println(err)
			status = 1
		}
		for _, r := range usedRights.unused(all) {
			fmt.Println("template.yaml allows what nothing uses:", r)
			status = 1
		}
	}
	os.Exit(status)
}
