package runner

import (
	"testing"

	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
)

var places = []project.Place{record.Instance, {Kind: project.InGroup, ID: 3}, {Kind: project.InProject, ID: 5}}

func TestTokensLeadToTheirPlace(t *testing.T) {
	own := secret.NewText("0123abc")
	for n, text := range []string{"i0", "g3", "p5"} {
		at := places[n]
		registration := registrationToken(at, own)
		if want := "gtrr-" + text + "-0123abc"; registration.Reveal() != want {
			t.Errorf("registrationToken(%v) = %q, want %q", at, registration.Reveal(), want)
		}
		if place, got, ok := parseRegistrationToken(registration); place != at || got != own || !ok {
			t.Errorf("parseRegistrationToken(%q) = %v, %q, %t", registration.Reveal(), place, got.Reveal(), ok)
		}
		token := runnerToken(Stored{Record: record.Record{Place: at, ID: 12}}, own)
		if want := "gtrt-" + text + "-12-0123abc"; token.Reveal() != want {
			t.Errorf("runnerToken(%v) = %q, want %q", at, token.Reveal(), want)
		}
		if place, id, got, ok := parseRunnerToken(token); place != at || id != 12 || got != own || !ok {
			t.Errorf("parseRunnerToken(%q) = %v, %d, %q, %t", token.Reveal(), place, id, got.Reveal(), ok)
		}
	}
}

func TestWhatIsNoToken(t *testing.T) {
	for _, text := range []string{"", "gtrr-", "gtrr-p5", "gtrr-p-x", "gtrr-p0-x", "gtrr-p-5-x", "gtrr-i-x", "gtrr-i1-x", "gtrr-5-x", "gtrr-x5-x", "gtrt-p5-1-x"} {
		if at, _, ok := parseRegistrationToken(secret.NewText(text)); ok {
			t.Errorf("parseRegistrationToken(%q) = %v, want none", text, at)
		}
	}
	for _, text := range []string{"", "gtrt-", "gtrt-p5-1", "gtrt-p5-0-x", "gtrt-p5--1-x", "gtrt-p5-x-x", "gtrt-q5-1-x", "gtrr-p5-1-x"} {
		if at, id, _, ok := parseRunnerToken(secret.NewText(text)); ok {
			t.Errorf("parseRunnerToken(%q) = %v, %d, want none", text, at, id)
		}
	}
}

func TestDigestMatchesItsSecretAlone(t *testing.T) {
	digest := secret.NewText("one").Digest().String()
	if !matches(digest, secret.NewText("one")) || matches(digest, secret.NewText("two")) || matches("", secret.NewText("")) {
		t.Error("a digest matches another secret than its own")
	}
}

// What is read leads to a place that can exist, with an id that can.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{"gtrr-p5-x", "gtrt-g3-12-x", "gtrr-i0-", "gtrt-i0-99999999999999999999-x"} {
		f.Add(seed)
	}
	possible := func(at project.Place) bool { return (at == record.Instance) != (at.Kind != "" && at.ID > 0) }
	f.Fuzz(func(t *testing.T, text string) {
		if at, _, ok := parseRegistrationToken(secret.NewText(text)); ok && !possible(at) {
			t.Errorf("parseRegistrationToken(%q) leads to %v", text, at)
		}
		if at, id, _, ok := parseRunnerToken(secret.NewText(text)); ok && (!possible(at) || id <= 0) {
			t.Errorf("parseRunnerToken(%q) leads to %v and %d", text, at, id)
		}
	})
}
