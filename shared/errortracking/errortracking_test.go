package errortracking_test

import (
	"errors"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/errortracking"
	"gatehouse/shared/fault"
)

const (
	here  = "https://tracker.example/api/0/projects/acme/web/"
	there = "https://evil.example/api/0/projects/acme/web/"
)

func text(s string) *string { return &s }

func sealed(s string) *[]byte { b := []byte(s); return &b }

func yes(b bool) *bool { return &b }

func TestApply(t *testing.T) {
	configured := errortracking.External{APIURL: here, ProjectName: "Web", TrackerURL: "https://t.example", SealedToken: []byte("old")}
	tests := map[string]struct {
		was    errortracking.Settings
		change errortracking.Change
		want   errortracking.Settings
	}{
		"switch on what is integrated": {
			errortracking.Settings{Integrated: true}, errortracking.Change{Active: true},
			errortracking.Settings{Integrated: true, Active: true},
		},
		"switch off without a tracker": {
			errortracking.Settings{Integrated: true, Active: true}, errortracking.Change{Integrated: yes(false)},
			errortracking.Settings{},
		},
		"back to the external tracker": {
			errortracking.Settings{Integrated: true, External: configured}, errortracking.Change{Active: true, Integrated: yes(false)},
			errortracking.Settings{Active: true, External: configured},
		},
		"another token": {
			errortracking.Settings{External: configured}, errortracking.Change{Active: true, APIURL: text(here), SealedToken: sealed("new")},
			errortracking.Settings{Active: true, External: errortracking.External{
				APIURL: here, ProjectName: "Web", TrackerURL: "https://t.example", SealedToken: []byte("new"),
			}},
		},
		"the same address keeps its token": {
			errortracking.Settings{External: configured}, errortracking.Change{Active: true, APIURL: text(here)},
			errortracking.Settings{Active: true, External: configured},
		},
		"another address loses the token": {
			errortracking.Settings{External: configured}, errortracking.Change{APIURL: text(there), ProjectName: text(""), TrackerURL: text("")},
			errortracking.Settings{External: errortracking.External{APIURL: there}},
		},
	}
	for name, test := range tests {
		got, err := test.change.Apply(test.was)
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: Apply gave %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestApplyComplains(t *testing.T) {
	const blank = "can't be blank"
	configured := errortracking.Settings{External: errortracking.External{APIURL: here, SealedToken: []byte("old")}}
	tests := map[string]struct {
		was    errortracking.Settings
		change errortracking.Change
		want   fault.Fields
	}{
		"no tracker": {
			errortracking.Settings{Integrated: true}, errortracking.Change{Active: true, Integrated: yes(false)},
			fault.Fields{"api_url": {blank}, "token": {blank}},
		},
		"no token": {
			errortracking.Settings{}, errortracking.Change{Active: true, APIURL: text(here)}, fault.Fields{"token": {blank}},
		},
		"a stored token for another address": {
			configured, errortracking.Change{Active: true, APIURL: text(there)}, fault.Fields{"token": {blank}},
		},
		"no address": {
			configured, errortracking.Change{Active: true, APIURL: text("")}, fault.Fields{"api_url": {blank}, "token": {blank}},
		},
		"everything odd, even while switched off": {
			configured,
			errortracking.Change{APIURL: text("x"), ProjectName: text("a\nb"), TrackerURL: text("javascript:alert(1)")},
			fault.Fields{"api_url": {noURL}, "project_name": {"contains a control character"}, "tracker_external_url": {noURL}},
		},
	}
	for name, test := range tests {
		_, err := test.change.Apply(test.was)
		var got fault.Fields
		errors.As(err, &got)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: Apply complains (-want +got):\n%s", name, diff)
		}
	}
}

func TestNewClientKey(t *testing.T) {
	now := time.Now()
	form := regexp.MustCompile(`^gtet_[0-9a-f]{32}$`)
	seen := map[string]bool{}
	for range 1000 {
		k := errortracking.NewClientKey(5, now)
		if !form.MatchString(k.PublicKey) || seen[k.PublicKey] {
			t.Fatalf("NewClientKey made the public key %q", k.PublicKey)
		}
		first, err := strconv.ParseInt(k.PublicKey[5:13], 16, 64)
		if err != nil || k.ID != first/4+1 || !k.Active || k.ProjectID != 5 || k.CreatedAt != now {
			t.Fatalf("NewClientKey made %+v", k)
		}
		seen[k.PublicKey] = true
	}
}

func TestDSN(t *testing.T) {
	k := errortracking.ClientKey{ID: 7, ProjectID: 42, PublicKey: "gtet_0123"}
	tests := map[string]string{
		"https://gatehouse.example":       "https://gtet_0123@gatehouse.example/api/v4/error_tracking/collector/42",
		"http://127.0.0.1:3000":           "http://gtet_0123@127.0.0.1:3000/api/v4/error_tracking/collector/42",
		"https://[::1]:8443":              "https://gtet_0123@[::1]:8443/api/v4/error_tracking/collector/42",
		"https://gatehouse.example/below": "https://gtet_0123@gatehouse.example/below/api/v4/error_tracking/collector/42",
	}
	for base, want := range tests {
		if got := k.DSN(base); got != want {
			t.Errorf("DSN at %s = %s, want %s", base, got, want)
		}
	}
}
