package deprecation_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatehouse/shared/deprecation"
)

// rows are the subjects of the specification, in our words, with their entries.
var rows = map[string]string{
	"the addresses of geo nodes":                              "geo-nodes",
	"who merged a merge request":                              "merged-by",
	"the status of a merge request":                           "merge-status",
	"null as a user's private profile":                        "private-profile-null",
	"the changes of a single merge request":                   "merge-request-changes",
	"the addresses of managed licenses":                       "managed-licenses",
	"the empty lists of approvers and approval groups":        "approvers",
	"the property active of runners, and its statuses":        "runner-active",
	"the IP address of runners":                               "runner-ip-address",
	"the number for the protection of default branches":       "default-branch-protection",
	"the password that approvals need":                        "require-password-to-approve",
	"pull mirrors among the properties of a project":          "pull-mirror",
	"whether users may define variables of a pipeline":        "restrict-user-defined-variables",
	"the former names of two fields of the token information": "token-info-aliases",
	"the API base URL of metrics alerting":                    "metrics-api-url",
	"the direct link from the alerts to an on-call tool":      "oncall-link",
}

func TestEveryRowHasAnEntry(t *testing.T) {
	var ids []string
	for _, e := range deprecation.Table {
		ids = append(ids, e.ID)
	}
	slices.Sort(ids)
	if want := slices.Sorted(maps.Values(rows)); !slices.Equal(ids, want) {
		t.Errorf("the table has %v, want %v", ids, want)
	}
}

func TestEntriesAreComplete(t *testing.T) {
	word, call := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`), regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE) /(api/v4|oauth)/[a-z0-9_/{}]+$`)
	for _, e := range deprecation.Table {
		for _, text := range []string{e.Subject, e.Old, e.New, e.Instead, e.Before, e.After} {
			if text == "" || strings.HasSuffix(text, ".") {
				t.Errorf("%s has the text %q, want one without a full stop", e.ID, text)
			}
		}
		if !word.MatchString(e.ID) || len(e.Places) == 0 || strings.Contains(e.Instead, ",") {
			t.Errorf("%s, %d places, instead %q", e.ID, len(e.Places), e.Instead)
		}
		for _, p := range e.Places {
			if !call.MatchString(p.Call) || (p.Name == "") != (p.In == deprecation.Address) || (p.Successor != "") != (p.In == deprecation.Address) || p.Sole && p.In != deprecation.Answer {
				t.Errorf("%s has the place %+v", e.ID, p)
			}
		}
		for _, v := range e.Values {
			if !json.Valid([]byte(v.Old)) || !json.Valid([]byte(v.New)) {
				t.Errorf("%s has the values %v, want JSON", e.ID, v)
			}
		}
		if found, ok := deprecation.Find(e.ID); !ok || found.Subject != e.Subject {
			t.Errorf("Find(%q) = %v, %t", e.ID, found, ok)
		}
	}
	if _, ok := deprecation.Find("nothing"); ok {
		t.Error("Find found nothing")
	}
}

func TestDatesAreThoseOfReleases(t *testing.T) {
	for id, want := range map[string]string{
		"runner-ip-address": "2024-05-16", "pull-mirror": "2024-11-21", "restrict-user-defined-variables": "2024-12-19",
		"require-password-to-approve": "2024-02-15", "metrics-api-url": "2023-05-22", "geo-nodes": "2026-11-22",
	} {
		e, _ := deprecation.Find(id)
		if got := e.Date().Format("2006-01-02"); got != want {
			t.Errorf("%s is deprecated since %s, want %s", id, got, want)
		}
	}
	for _, e := range deprecation.Table {
		if _, known := deprecation.Releases[e.Since]; e.Since != "" && !known || e.Date().IsZero() {
			t.Errorf("%s is deprecated since %q, which is no release", e.ID, e.Since)
		}
	}
}

func TestSuccessorsKeepTheThing(t *testing.T) {
	value := func(name string) string { return "<" + name + ">" }
	for call, want := range map[string]string{
		"GET /api/v4/geo_nodes":                                   "/api/v4/geo_sites",
		"PUT /api/v4/geo_nodes/{id}":                              "/api/v4/geo_sites/<id>",
		"GET /api/v4/projects/{id}/merge_requests/{iid}/changes":  "/api/v4/projects/<id>/merge_requests/<iid>/diffs",
		"DELETE /api/v4/projects/{id}/managed_licenses/{license}": "/api/v4/projects/<id>/license_approval_policies/<license>",
		"GET /oauth/token/info":                                   "",
	} {
		at := deprecation.At(call)
		if n := slices.IndexFunc(at, func(n deprecation.Named) bool { return n.In == deprecation.Address }); n > 0 {
			at = at[n:]
		}
		if got := at[0].SuccessorPath(value); got != want {
			t.Errorf("the successor of %s is %q, want %q", call, got, want)
		}
	}
}

func TestComplaintsNameTheSuccessor(t *testing.T) {
	for call, want := range map[string]string{
		"GET /api/v4/geo_nodes":      "this address is deprecated: use geo_sites",
		"PUT /api/v4/users/{id}":     "private_profile is deprecated with this value: send true or false",
		"POST /api/v4/runners":       "active is deprecated: send paused",
		"GET /api/v4/runners/all":    "status is deprecated with this value: send paused",
		"POST /api/v4/users/nothing": "",
	} {
		got := ""
		if at := deprecation.At(call); len(at) > 0 {
			got = at[0].Complaint()
		}
		if got != want {
			t.Errorf("the complaint about %s is %q, want %q", call, got, want)
		}
	}
}

func TestPlacesTakeTheirValues(t *testing.T) {
	profile, runner := deprecation.At("PUT /api/v4/users/{id}")[0], deprecation.At("PUT /api/v4/runners/{runner_id}")[0]
	for _, test := range []struct {
		place deprecation.Place
		value any
		want  bool
	}{
		{profile.Place, nil, true}, {profile.Place, false, false}, {profile.Place, "null", false}, {profile.Place, []any{}, false},
		{runner.Place, nil, true}, {runner.Place, true, true},
	} {
		if got := test.place.Takes(test.value); got != test.want {
			t.Errorf("%s takes %v: %t, want %t", test.place.Name, test.value, got, test.want)
		}
	}
}
