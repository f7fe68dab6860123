package functions_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"gatehouse/shared/project"
)

var writeDocs = flag.Bool("update", false, "write docs/who-may.md")

//go:generate go test -run TestWhoMayIsDocumented -update .

const whoMayPage = "docs/who-may.md"

const introduction = `# Who may do what

Made from the table that the tests check every call with: ` + "`go generate ./functions`" + ` writes it.

A role is one in the project or group that the address names, or in a group above it; it is good until the day before it
ends. Higher roles may do what lower ones may: Guest (10), Planner (15), Reporter (20), Developer (30), Maintainer (40),
Owner (50). Administrators may do what owners may.

| who makes the call | a call below ` + "`/api/v4`" + ` answers | a page or form |
|---|---|---|
| nobody, or with a token or session that is unknown, expired, ended or revoked, or that still waits for its second factor | 401 | leads to the page to sign in |
| a blocked user | 403 | 403 |
| a token without one of the scopes | 403 ` + "`insufficient_scope`" + ` | |
| who does not see the project or group: it is private, and they have no role in it | 404 | 404 |
| a lower role | 403 | 403 |
| not the one whose own it is | 404 | 404 |
| no administrator | 403 | 404 |
| an application, where a call is for people | 403 | |
| an administrator's application without the scope ` + "`sudo`" + `, where [the instance asks for it](../oauth/README.md#applications-of-administrators) | as to anybody else, but 403 ` + "`insufficient_scope`" + ` for "no administrator" | |

What is refused changes nothing. A call with another proof than a token or session (a client's secret, a link, a key) refuses
who does not have it.

`

func whoMayText() string {
	var page strings.Builder
	page.WriteString(introduction)
	section := func(title string, has func(permission) bool) {
		fmt.Fprintf(&page, "## %s\n\n| call | who | scopes |\n|---|---|---|\n", title)
		for n, r := range permissions {
			again := n > 0 && permissions[n-1].call == r.call // with a body that says more
			if has(r) && !again {
				fmt.Fprintf(&page, "| `%s` | %s | %s |\n", r.call, r.documented(), r.scopes())
			}
		}
		page.WriteString("\n")
	}
	section("The REST API", permission.isREST)
	section("Pages and forms", permission.isPage)
	section("OAuth, OpenID Connect and the rest", func(r permission) bool { return !r.isREST() && !r.isPage() })
	return strings.TrimSuffix(page.String(), "\n")
}

func (r permission) isREST() bool { return strings.Contains(r.call, " /api/v4/") }

func (r permission) documented() string {
	if r.who.person && r.isREST() {
		return r.who.says + "; no applications"
	}
	return r.who.says
}

func (r permission) scopes() string {
	if !r.isREST() || r.who.kind == anybody || r.who.kind == bearers {
		return ""
	}
	var quoted []string
	for _, s := range r.enough() {
		quoted = append(quoted, "`"+s+"`")
	}
	return strings.Join(quoted, ", ")
}

func TestWhoMayIsDocumented(t *testing.T) {
	if *writeDocs {
		if err := os.WriteFile(whoMayPage, []byte(whoMayText()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(whoMayPage)
	if err != nil || string(text) != whoMayText() {
		t.Errorf("functions/%s is not that of the table in whomay_test.go, %v: go generate ./functions", whoMayPage, err)
	}
}

// The pages of the interface say of each call what the table does.
func TestInterfaceSaysWhoMay(t *testing.T) {
	said := map[string]string{}
	for path, text := range filesBelow(t, ".md", ".") {
		if path == whoMayPage {
			continue
		}
		for line := range strings.Lines(text) {
			cells := strings.Split(line, " | ")
			if call, found := strings.CutPrefix(cells[0], "| `"); found && len(cells) > 2 {
				said[strings.TrimSuffix(call, "`")] = cells[1]
			}
		}
	}
	for _, r := range permissions {
		if got := said[r.call]; r.isREST() && got != r.who.says {
			t.Errorf("the interface says of %s that it is for %q, and the table in whomay_test.go %q", r.call, got, r.who.says)
		}
	}
}

// The table and the page know the roles that there are.
func TestWhoMayKnowsEveryRole(t *testing.T) {
	for role := range roleNames {
		if !strings.Contains(introduction, fmt.Sprintf("(%d)", role)) {
			t.Errorf("the page about who may do what does not name the role %d", role)
		}
	}
	for role := project.Role(1); role < 1000; role++ {
		if role.Valid() && roleNames[role] == "" {
			t.Errorf("no caller of the table has the role %d", role)
		}
	}
}
