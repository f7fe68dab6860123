package geo_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/fault"
	"gatehouse/shared/geo"
)

type raw = map[string]json.RawMessage

// report returns the members of a JSON object.
func report(t *testing.T, object string) (members raw) {
	t.Helper()
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		t.Fatalf("%s: %v", object, err)
	}
	return members
}

func TestParseStatus(t *testing.T) {
	for object, want := range map[string]geo.Status{
		`{}`:                                   {Health: "Unknown"},
		`{"health":null,"healthy":null}`:       {Health: "Unknown"},
		`{"health":"Healthy"}`:                 {Health: "Healthy", Healthy: true},
		`{"health":"Degraded"}`:                {Health: "Degraded"},
		`{"healthy":true}`:                     {Health: "Healthy", Healthy: true},
		`{"healthy":false}`:                    {Health: "Unhealthy"},
		`{"health":"Healthy","healthy":false}`: {Health: "Healthy"},
		`{"health":"Degraded","healthy":true}`: {Health: "Degraded", Healthy: true},
		`{"projects_count":3,"x":[null]}`:      {Health: "Unknown", Members: raw{"projects_count": []byte("3"), "x": []byte("[null]")}},
		`{"failures":[{"project_id":1},{}],"a":"b"}`: {
			Health: "Unknown", Members: raw{"a": []byte(`"b"`)}, Failures: []raw{{"project_id": []byte("1")}, {}},
		},
		`{"failures":null}`: {Health: "Unknown"},
	} {
		got, err := geo.ParseStatus(report(t, object))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("ParseStatus(%s) = %v, differs (-want +got):\n%s", object, err, diff)
		}
	}
}

func TestStatusesThatAreRefused(t *testing.T) {
	const invalid = "is invalid"
	for object, want := range map[string]fault.Fields{
		`{"health":1}`:                       {"health": {invalid}},
		`{"healthy":"yes"}`:                  {"healthy": {invalid}},
		`{"failures":{}}`:                    {"failures": {invalid}},
		`{"failures":[1]}`:                   {"failures": {invalid}},
		`{"failures":[{},null]}`:             {"failures": {invalid}},
		`{"health":[],"healthy":7,"x":"ok"}`: {"health": {invalid}, "healthy": {invalid}},
	} {
		_, err := geo.ParseStatus(report(t, object))
		var got fault.Fields
		errors.As(err, &got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ParseStatus(%s) = %v, differs (-want +got):\n%s", object, err, diff)
		}
	}
}

// The names count too.
func TestStatusesHaveALimit(t *testing.T) {
	for extra, refused := range map[int]bool{0: false, 1: true} {
		text := strings.Repeat("x", 32<<10-len(`some""`)+extra)
		_, err := geo.ParseStatus(raw{"some": []byte(`"` + text + `"`)})
		if fault.Is(err, fault.Invalid) != refused || (err != nil) != refused {
			t.Errorf("ParseStatus of %d bytes = %v, want it refused: %t", 32<<10+extra, err, refused)
		}
	}
}

func TestReportsStayAsTheyWere(t *testing.T) {
	sent := report(t, `{"health":"Healthy","x":1}`)
	if _, err := geo.ParseStatus(sent); err != nil || len(sent) != 2 {
		t.Errorf("ParseStatus made the report %v, %v", sent, err)
	}
}

func TestHealthText(t *testing.T) {
	for health, want := range map[string]string{"": "Unknown", "Healthy": "Healthy", "Degraded": "Degraded"} {
		if got := (geo.Status{Health: health}).HealthText(); got != want {
			t.Errorf("HealthText of %q = %q, want %q", health, got, want)
		}
	}
}

func TestFailed(t *testing.T) {
	s, err := geo.ParseStatus(report(t, `{"failures":[
		{"id":1,"last_repository_sync_failure":"timeout"},
		{"id":2,"last_wiki_sync_failure":"timeout"},
		{"id":3,"last_repository_verification_failure":"x"},
		{"id":4,"last_wiki_verification_failure":"x","last_repository_sync_failure":""},
		{"id":5,"repository_checksum_mismatch":true,"wiki_checksum_mismatch":false},
		{"id":6,"wiki_checksum_mismatch":true,"repository_checksum_mismatch":null},
		{"id":7}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		of   geo.FailedType
		how  geo.FailureType
		want string
	}{
		{"", "", "1 2 3 4 5 6 7"},
		{geo.FailedRepository, "", "1 3 5"},
		{geo.FailedWiki, "", "2 4 6"},
		{"", geo.SyncFailure, "1 2"},
		{"", geo.VerificationFailure, "3 4"},
		{"", geo.ChecksumMismatch, "5 6"},
		{geo.FailedRepository, geo.SyncFailure, "1"},
		{geo.FailedWiki, geo.SyncFailure, "2"},
		{geo.FailedRepository, geo.VerificationFailure, "3"},
		{geo.FailedWiki, geo.VerificationFailure, "4"},
		{geo.FailedRepository, geo.ChecksumMismatch, "5"},
		{geo.FailedWiki, geo.ChecksumMismatch, "6"},
	} {
		var got []string
		for _, failure := range s.Failed(test.of, test.how) {
			got = append(got, string(failure["id"]))
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("Failed(%q, %q) = %s, want %s", test.of, test.how, got, test.want)
		}
	}
	if got := (geo.Status{}).Failed("", ""); got != nil {
		t.Errorf("Failed of no report = %v", got)
	}
}
