package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// terminal runs commands over an instance.
type terminal struct {
	*apptest.App
	t *testing.T
}

// run runs a command with an input and returns its output with the exit code at the end.
func (c terminal) run(in string, args ...string) string {
	c.t.Helper()
	return runOver(c.t, c.App.App, in, args...)
}

func runOver(t *testing.T, a *app.App, in string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	found, rest, err := commandOf(args)
	if err == nil && found != nil {
		err = found.run(t.Context(), &session{App: a, in: strings.NewReader(in), out: &out}, rest)
	}
	return fmt.Sprintf("%s%d", out.String(), report(&out, err))
}

func (c terminal) want(got, want string) {
	c.t.Helper()
	if !regexp.MustCompile("^(?s:" + want + ")$").MatchString(got) {
		c.t.Errorf("got %q, want %q", got, want)
	}
}

func (c terminal) signsIn(name, password string, want bool) {
	c.t.Helper()
	_, err := c.Users.Authenticate(c.t.Context(), name, secret.NewText(password))
	if (err == nil) != want {
		c.t.Errorf("signing in as %s = %v, want it to succeed: %t", name, err, want)
	}
}

// Somebody who has lost the password and the second factor of the only administrator
// gets in again.
func TestSoleAdministratorGetsInAgain(t *testing.T) {
	c := terminal{apptest.New(t), t}
	root := c.Admin("root")
	e := c.TwoFactor.Begin(root, "session")
	root, _, err := c.TwoFactor.Enable(t.Context(), root, e, e.Seed.Code(c.Now()))
	if err != nil {
		t.Fatal(err)
	}
	epoch := root.SessionEpoch
	c.want(c.run("", "users", "block", "root"), "root is blocked, and the sessions have ended.\n0")
	c.want(c.run("a new password\n", "users", "password", "--stdin", "root"),
		"root has a new password, .* second-factor root removes it.\n.*users unblock root ends that.\n0")
	c.want(c.run("", "users", "second-factor", "root"), "root signs in with the password alone, .*0")
	c.want(c.run("", "users", "second-factor", "root"), "root has no second factor.\n0")
	c.signsIn("root", "a new password", false)
	c.want(c.run("", "users", "unblock", "root"), "root can sign in again.\n0")
	c.signsIn("root", "a new password", true)
	after, err := c.Users.UserByLogin(t.Context(), "root")
	if err != nil || after.TwoFactorEnabled || !after.SessionEpoch.After(epoch) {
		t.Errorf("root is %+v, %v, want no second factor and a later end of sessions than %v", after, err, epoch)
	}
}

func TestUsersAreMade(t *testing.T) {
	c := terminal{apptest.New(t), t}
	made := c.run("", "users", "create", "eve", "eve@example.com", "--name", "Eve Moss")
	c.want(made, "eve is an administrator, with the ID 1.\nThe password, shown this once: [0-9a-f]{24}\n0")
	c.signsIn("eve", regexp.MustCompile("[0-9a-f]{24}").FindString(made), true)
	c.want(c.run("correct horse\n", "users", "create", "bob", "bob@example.com", "--user", "--stdin"), "bob is a user, with the ID 2.\n0")
	c.signsIn("bob", "correct horse", true)
	bob, err := c.Users.UserByLogin(t.Context(), "bob@example.com")
	if err != nil || bob.Admin || bob.Name != "bob" {
		t.Errorf("bob is %+v, %v", bob, err)
	}
}

func TestUsersAreListed(t *testing.T) {
	c := terminal{apptest.New(t), t}
	c.want(c.run("", "users", "list"), "No users.\n0")
	c.Admin("root")
	for n := range usersShown {
		c.User(fmt.Sprintf("user%d", n))
	}
	first := c.run("", "users", "list")
	if !strings.Contains(first, "user49 ") || strings.Contains(first, "root") || !strings.Contains(first, "--page 2\n0") {
		t.Errorf("the first page is %s", first)
	}
	c.want(c.run("", "users", "list", "--page", "2"), "ID .*root.* administrator\n0")
	c.want(c.run("", "users", "list", "--search", "ROOT"), "ID .*root.*0")
	c.want(c.run("", "users", "list", "--search", "user1", "--page", "2"), "No users.\n0")
}

// What was typed wrongly ends with the exit code 2 and says why; nothing is changed.
func TestMistakesAreExplained(t *testing.T) {
	c := terminal{apptest.New(t), t}
	c.Admin("root")
	for _, of := range []struct {
		args []string
		want string
	}{
		{[]string{"users"}, "which one\\?\n  scripts/admin users list.*"},
		{[]string{"users", "rename"}, "there is no command \"users rename\".*"},
		{[]string{"users", "list", "root"}, "what is \"root\"\\?.*"},
		{[]string{"users", "list", "--page", "0"}, "--page has to be 1 or more"},
		{[]string{"users", "list", "--what"}, "flag provided but not defined: -what.*"},
		{[]string{"users", "block"}, "USER is missing"},
		{[]string{"users", "block", "nobody"}, "there is no user \"nobody\".*"},
		{[]string{"users", "create", "eve"}, "EMAIL is missing"},
		{[]string{"users", "create", "eve", "nowhere"}, "email is invalid"},
		{[]string{"users", "create", "root", "root@example.com"}, "email has already been taken; username.*"},
		{[]string{"users", "password", "root", "--stdin"}, "password is too short.*"},
	} {
		c.want(c.run("", of.args...), "2")
		var said bytes.Buffer
		found, rest, err := commandOf(of.args)
		if err == nil {
			err = found.run(t.Context(), &session{App: c.App.App, in: strings.NewReader(""), out: &said}, rest)
		}
		report(&said, err)
		c.want(said.String(), "scripts/admin: "+of.want+"\n")
	}
	all, err := c.Users.Users(t.Context(), page.First)
	if err != nil || len(all.Items) != 1 {
		t.Errorf("there are %d users, %v, want root alone", len(all.Items), err)
	}
}

// The trail tells that it was done on the command line.
func TestCommandsAreInTheTrail(t *testing.T) {
	c := terminal{apptest.New(t), t}
	c.Admin("root")
	c.run("", "users", "block", "root")
	entries, err := c.Trail.Entries(t.Context(), audit.Filter{Everybody: true, Size: 10})
	if err != nil || len(entries.Entries) != 1 {
		t.Fatalf("%+v, %v, want one entry", entries, err)
	}
	if e := entries.Entries[0]; e.Name != user.EventBlocked || e.ActorID != audit.CommandLine.ID {
		t.Errorf("the entry is %s by %d", e.Name, e.ActorID)
	}
}
