package main

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatehouse/shared/record"
	"gatehouse/shared/storage/archive"
)

const stored = "../../shared/storage/"

// tablesOf says in which kind of an export a table of SQLite is, or why in none.
var tablesOf = map[string]string{
	"users": "user", "namespaces": "group", "projects": "project", "members": "member", "access_tokens": "access_token",
	"clients": "application", "grants": "grant", "grant_summaries": "authorization", "signing_keys": "signing_keys",
	"audit_entries": "audit_entry", "tracking_settings": "error_tracking", "client_keys": "client_key",
	"integrations": "integration", "alert_settings": "alert_settings", "environments": "environment", "alerts": "alert",
	"alert_payloads": "alert", "alert_latest_payloads": "alert", "alert_counters": "number", "alert_days": "alert_day",
	"second_factors": "second_factor", "deprecated_uses": "deprecated_use", "records": "record", "record_ids": "number",
	"messages": "message", "dead_messages": "dead_message", "reserved_paths": "reserved_path",

	"paths": follows, "member_counts": follows, "inside": follows, "contents": follows, "alert_counts": follows,
	"record_words": follows, "record_lists": follows, "project_summaries": follows, "projects_in_need": follows,
	"client_uses": passing, "sessions": passing, "attempts": passing, "deleted_projects": passing,
}

const (
	follows = "(made anew from other things)"
	passing = "(left out: people sign in again, and attempts are counted anew)"
)

// itemsOf says the same of the items on DynamoDB, by what doc.go says that they are.
var itemsOf = map[string]string{
	"an alert": "alert", "the last iid in a project": "number", "a part of the numbers of alerts that were opened on a day": "alert_day",
	"a chunk of the newest payload of a repeat": "alert", "a chunk of a payload or a sample": "alert",
	"counts the events of an open alert": "alert", "an application": "application", "the last number of an application": "number",
	"a client key; its id is part of it": "client_key", "the error tracking of a project": "error_tracking",
	"the last id of a kind": "number", "a group or a user's namespace": "group", "a membership, found from the group": "member",
	"a membership, found from the project": "member", "a project's rules for alerts, and environments": "alert_settings",
	"an integration of a project": "integration", "a project": "project", "a user": "user",
	"the last number of a kind of records that the place counts": "number", "a record that the REST API keeps": "record",
	"a message that could not be handled": "dead_message", "a message about what has to follow from a change": "message",
	"one to a receiver that may be slow": "message", "an audit entry among those of the month": "audit_entry",
	"the last id of a token": "number", "a personal access token": "access_token", "the keys of id_tokens, sealed": "signing_keys",
	"how often an application, token or user used something deprecated on a day": "deprecated_use", "a grant": "grant",
	"the summary of a user's grants to an application": "authorization", "the second factor of a user": "second_factor",

	"an alert among those with the status, by its severity":                                         follows,
	"an alert in the list of those with the status, with what orders and filters need":              follows,
	"a part of the numbers of alerts by status and severity":                                        follows,
	"a part of the numbers of alerts that expire when the day begins, by severity":                  follows,
	"an open alert that is not grouped":                                                             follows,
	"an alert in the list of those that wait for a user":                                            follows,
	"how many alerts and incidents of a project are open":                                           follows,
	"a project in the list of a group above it: with the rank of what is open in it, and with zero": follows,
	"finds an application by its number":                                                            follows,
	"how many applications there are":                                                               follows,
	"an application in the list of its owner":                                                       follows,
	"how many applications an owner has":                                                            follows,
	"a client key in the list of its project":                                                       follows,
	"a group or project in the list of a group above it":                                            follows,
	"how many users, groups and projects there are":                                                 follows,
	"who has the e-mail address":                                                                    follows,
	"how many members a group has":                                                                  follows,
	"how many members a project has":                                                                follows,
	"a group in the list of all, with what filters need":                                            follows,
	"a project in the list of all, with what filters need":                                          follows,
	"a user in the list of all":                                                                     follows,
	"a group in the list of those that are not private":                                             follows,
	"a project in the list of those that are not private":                                           follows,
	"says that all users, groups and projects are listed":                                           follows,
	"who has the path, or for whom it is reserved":                                                  "reserved_path",
	"a reserved path in the list of all":                                                            follows,
	"how many records of the kind there are":                                                        follows,
	"a record in a list of the place":                                                               follows,
	"the record that alone has the word in a field":                                                 follows,
	"a membership, found from the user":                                                             follows,
	"an audit entry among those of the event":                                                       follows,
	"an audit entry among those of the project":                                                     follows,
	"an audit entry among those of the user and event":                                              follows,
	"an audit entry among those of the user":                                                        follows,
	"a caller in the list of a deprecated entry":                                                    follows,
	"finds a token by its id":                                                                       follows,
	"how many tokens there are":                                                                     follows,
	"a token in the list of its user":                                                               follows,
	"how many tokens a user has":                                                                    follows,
	"says that the user's grants are all in summaries":                                              follows,
	"a user with a summary of their grants to the application":                                      follows,
	"the day of the last use of an application":                                                     passing,
	"a session; its id begins with the time":                                                        passing,
	"a counter of failed attempts or invitations":                                                   passing,
	"a deleted project that may have alerts left":                                                   passing,
	"an audit entry of a release before":                                                            passing,
	"how far an import has come, until it has ended":                                                passing,
}

// wantCovered checks that all that is stored has an entry that is a kind or a reason, and
// that no entry is about something else.
func wantCovered(t *testing.T, all []string, entries map[string]string) {
	t.Helper()
	kinds := []string{follows, passing}
	for _, k := range archive.Kinds() {
		kinds = append(kinds, k.Name())
	}
	for _, what := range all {
		if of := entries[what]; !slices.Contains(kinds, of) {
			t.Errorf("%q is stored, and not in an export: its entry is %q", what, of)
		}
	}
	for what := range entries {
		if !slices.Contains(all, what) {
			t.Errorf("%q has an entry and is not stored", what)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryTableIsExported(t *testing.T) {
	files, err := filepath.Glob(stored + "sqlite/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for _, name := range files {
		for _, found := range regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`).FindAllStringSubmatch(read(t, name), -1) {
			tables = append(tables, found[1])
		}
	}
	wantCovered(t, tables, tablesOf)
}

func TestEveryItemIsExported(t *testing.T) {
	var items []string
	for line := range strings.Lines(read(t, stored+"dynamodb/doc.go")) {
		columns := regexp.MustCompile(`\s{2,}|\t`).Split(strings.TrimSpace(line), -1)
		if len(columns) >= 5 && columns[0] == "//" && columns[1] != "table" {
			items = append(items, columns[4])
		}
	}
	wantCovered(t, items, itemsOf)
}

// Every kind of records that a package declares is among the nouns of an export.
func TestEveryKindOfRecordsIsExported(t *testing.T) {
	declared := regexp.MustCompile(`record\.Of\[[\w.]+\]\{\s*Kind:\s*(?:record\.Kind\(fmt\.Sprintf\()?(?:"([a-z_]+)|record\.(\w+))`)
	ofUsers := map[string]string{}
	for _, named := range regexp.MustCompile(`(\w+)\s+Kind = "([a-z_]+)"`).FindAllStringSubmatch(read(t, "../../shared/record/user.go"), -1) {
		ofUsers[named[1]] = named[2]
	}
	begins := regexp.MustCompile(`record\.Of\[[\w.]+\]\{`)
	found := 0
	err := filepath.WalkDir("../../shared", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "storagetest") {
			return err
		}
		text := read(t, path)
		kinds := declared.FindAllStringSubmatch(text, -1)
		if n := len(begins.FindAllString(text, -1)); n != len(kinds) {
			t.Errorf("%s declares %d kinds of records, of which %d have a name to be found", path, n, len(kinds))
		}
		for _, kind := range kinds {
			found++
			name := cmp.Or(kind[1], ofUsers[kind[2]])
			if !slices.ContainsFunc(nouns(), func(n record.Noun) bool { return family(n.Named()) == name }) {
				t.Errorf("records of the kind %q are not among the nouns", name)
			}
		}
		return nil
	})
	if err != nil || found == 0 || found != len(nouns()) {
		t.Errorf("%d kinds of records are declared, %v, and there are %d nouns", found, err, len(nouns()))
	}
}
