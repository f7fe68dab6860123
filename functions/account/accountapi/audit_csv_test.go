package accountapi_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/signin"
)

const auditFile = "/admin/audit.csv"

// linesOf returns the lines of the file at the address, without the first, and where its
// header Link leads.
func linesOf(t *testing.T, b *apptest.Browser, address string) (lines [][]string, next string) {
	t.Helper()
	file := b.Get(address).Want(200)
	lines, err := csv.NewReader(strings.NewReader(file.Body.String())).ReadAll()
	if err != nil || lines[0][0] != "time" || !strings.Contains(file.Body.String(), "\r\n") {
		t.Fatalf("the file is %v, %v", lines, err)
	}
	if link := regexp.MustCompile(`^<` + apptest.BaseURL + `(.*)>; rel="next"$`).FindStringSubmatch(file.Header().Get("Link")); link != nil {
		next = link[1]
	}
	return lines[1:], next
}

// write adds entries of the user to the trail, the oldest first.
func writeEntries(t *testing.T, a *apptest.App, n int, userID int64, agent string) {
	t.Helper()
	for i := range n {
		at := a.Now().UTC()
		e := audit.Entry{
			ID: fmt.Sprintf("%s%08x%08x", audit.Start(at)[:16], userID, i), At: at,
			Event:  audit.Event{Name: signin.EventSignIn, ActorID: userID, UserID: userID, Outcome: audit.Done, Details: audit.Details{"a": "=1+1"}},
			Source: audit.Source{Browser: audit.Browser{UserAgent: agent}},
		}
		if err := a.Store.WriteEntry(context.Background(), e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTrailAsAFile(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, a.Admin("root"))
	for _, agent := range []string{"=cmd()", "+1", "-1", "@SUM(A1)", "Mozilla, \"5.0\""} {
		writeEntries(t, a, 1, ada.ID, agent)
		lines, _ := linesOf(t, b, auditFile+"?actor=ada")
		got := strings.Join(lines[0], "|")
		if want := "|user.sign_in|Signed in|done||ada|"; !strings.Contains(got, want) || !strings.HasSuffix(got, `|{"a":"=1+1"}`) {
			t.Errorf("the entry is %s, want %s in it", got, want)
		}
		want := agent
		if strings.ContainsAny(agent[:1], "=+-@") {
			want = "'" + agent
		}
		if lines[0][11] != want {
			t.Errorf("the user agent %q is %q, want %q", agent, lines[0][11], want)
		}
	}
	if lines, next := linesOf(t, b, auditFile+"?event=project.deleted"); len(lines) != 0 || next != "" {
		t.Errorf("the file of nothing has %v, and goes on at %q", lines, next)
	}
	b.Get(auditFile + "?user=eve").Want(404)
	signedIn(t, a, ada).Get(auditFile).Want(404)
}

// A file that is cut says so in its last line and in a header, and the next one has the rest.
func TestLongTrailIsSeveralFiles(t *testing.T) {
	a := apptest.New(t)
	ada, ben := a.User("ada"), a.User("ben")
	b := signedIn(t, a, a.Admin("root"))
	writeEntries(t, a, 1, ben.ID, "")
	a.Pass(1000)
	writeEntries(t, a, 5100, ada.ID, "")
	lines, next := linesOf(t, b, auditFile+"?user=ada")
	last := lines[len(lines)-1][0]
	if len(lines) != 5001 || last != "More entries: "+apptest.BaseURL+next || !strings.Contains(next, "user=ada") {
		t.Fatalf("the file has %d lines, the last one is %q, and the next file is %q", len(lines), last, next)
	}
	if lines, next := linesOf(t, b, next); len(lines) != 100 || next != "" {
		t.Errorf("the next file has %d lines, and goes on at %q", len(lines), next)
	}
	// Of an actor no list is kept: the page says how far it looked, and goes on.
	text := b.Get(auditTrail+"?actor=ben").Want(200, "Searched back to", "Search further").Text()
	if !strings.Contains(text, "actor=ben") {
		t.Error("the way on loses the actor")
	}
}
