package apptest

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

// Caller makes calls with a role in a place.
type Caller struct {
	Name, Token string
	Role        project.Role
	ReadOnly    bool // the token has the scope read_api alone
	Refused     int  // the status of every call, if the role does not matter
}

// Callers adds a caller of every kind: an anonymous one, one of each role in the
// place, an administrator, and owners with a token or account that does not allow
// calls. A day passes, in which one of the tokens expires.
func (a *App) Callers(at project.Place) []Caller {
	a.t.Helper()
	owner := func(name string) user.User {
		u := a.User(name)
		a.Member(at, u, project.Owner)
		return u
	}
	late := a.expiring(owner("late"))
	a.Pass(25 * time.Hour)
	blocked := owner("blocked")
	callers := []Caller{
		{Name: "anonymous", Refused: http.StatusUnauthorized},
		{Name: "unknown token", Token: "gtpat-unheard", Refused: http.StatusUnauthorized},
		{Name: "expired token", Token: late, Refused: http.StatusUnauthorized},
		{Name: "revoked token", Token: a.RevokedToken(owner("sorry")), Refused: http.StatusUnauthorized},
		{Name: "blocked user", Token: a.Token(blocked), Refused: http.StatusForbidden},
		{Name: "token without a scope for REST", Token: a.Token(owner("fetcher"), scope.WriteRepository), Refused: http.StatusForbidden},
		{Name: "read-only scope", Token: a.Token(owner("reader"), scope.ReadAPI), Role: project.Owner, ReadOnly: true},
		{Name: "administrator", Token: a.Token(a.Admin("boss")), Role: project.Owner},
		{Name: "owner by OAuth", Token: a.OAuthToken(owner("app-user"), scope.API), Role: project.Owner},
		{Name: "no role", Token: a.Token(a.User("stranger"))},
	}
	a.Block(blocked)
	for name, role := range map[string]project.Role{
		"guest": project.Guest, "planner": project.Planner, "reporter": project.Reporter,
		"developer": project.Developer, "maintainer": project.Maintainer, "owner": project.Owner,
	} {
		u := a.User(name)
		a.Member(at, u, role)
		callers = append(callers, Caller{Name: name, Token: a.Token(u), Role: role})
	}
	return callers
}

// expiring returns a token that is valid until tomorrow.
func (a *App) expiring(u user.User) string {
	a.t.Helper()
	_, text, err := a.Tokens.Create(a.t.Context(), audit.Setup, accesstoken.Request{
		UserID: u.ID, Name: "expiring", Scopes: scope.Of(scope.API), ExpiresAt: a.Now().Truncate(24*time.Hour).AddDate(0, 0, 1),
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return text.Reveal()
}

// Access is a call about a private place and the role that it needs.
type Access struct {
	Method, Path string // {id} stands for the place
	Params       any
	Needs        project.Role
	Status       int // when the role suffices
}

func (x Access) writes() bool { return x.Method != http.MethodGet && x.Method != http.MethodHead }

func (x Access) status(c Caller) int {
	switch {
	case c.Refused != 0:
		return c.Refused
	case c.ReadOnly && x.writes():
		return http.StatusForbidden
	case c.Role == project.NoRole:
		return http.StatusNotFound
	case c.Role < x.Needs:
		return http.StatusForbidden
	}
	return x.Status
}

// CheckAccess makes every call as every caller about a private place, which
// arrange makes and names in every form that a path can have.
func CheckAccess(t *testing.T, h http.Handler, callers []Caller, calls []Access, arrange func() (forms []string)) {
	for _, x := range calls {
		t.Run(x.Method+" "+x.Path, func(t *testing.T) { x.Check(t, h, callers, arrange) })
	}
}

// Check makes the call as every caller. A refused call has changed nothing, so a new
// place is made only after a call that wrote.
func (x Access) Check(t *testing.T, h http.Handler, callers []Caller, arrange func() (forms []string)) {
	t.Helper()
	forms := arrange()
	for _, c := range callers {
		for i := range forms {
			target := strings.ReplaceAll(x.Path, "{id}", forms[i])
			answer := Call(t, h, x.Method, target, c.Token, x.Params)
			if want := x.status(c); answer.Status != want {
				t.Errorf("%s: %s %s answered %d %v, want %d", c.Name, x.Method, target, answer.Status, answer.Body, want)
			}
			if x.writes() && answer.Status < 300 {
				forms = arrange()
			}
		}
	}
}

// Forms returns every form in which a path names a place: its id, and its full
// path with the slashes encoded or not, in any letter case.
func Forms(id int64, fullPath string) []string {
	escaped := strings.ReplaceAll(fullPath, "/", "%2F")
	return []string{strconv.FormatInt(id, 10), escaped, strings.ReplaceAll(strings.ToUpper(fullPath), "/", "%2f"), fullPath, strings.ToUpper(fullPath)}
}
