package oauth_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/oauth"
)

// wantSignIn checks that the request wants another sign-in of a user whose
// session is nine minutes old.
func (f *fixture) wantSignIn(t *testing.T, what string, req oauth.AuthorizeRequest) {
	t.Helper()
	a, err := f.Check(f.client, req)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if _, err := f.SignedIn(a, f.user.ID, f.now().Add(-9*time.Minute)); !errors.Is(err, oauth.ErrSignInAgain) {
		t.Errorf("%s: %v, want that the user signs in again", what, err)
	}
}

// The time since when a sign-in is fresh travels through the browser, where
// anybody can edit it.
func TestFreshSignInCannotBeWrittenDown(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	forgery := strconv.FormatInt(f.now().Add(-time.Hour).UnixMicro(), 10)
	honest := f.openIDRequest()
	honest.Prompt = "login"
	signed, _ := f.RequireFreshSignIn(honest)
	_, seal, _ := strings.Cut(signed.SignedInSince, ".")
	for name, since := range map[string]string{
		"a time": forgery, "no time": "tomorrow", "nothing": "", "a dot": ".", "no seal": forgery + ".",
		"another time's seal": forgery + "." + seal, "the seal alone": seal, "twice": signed.SignedInSince + "." + seal,
	} {
		req := honest
		req.SignedInSince = since
		f.wantSignIn(t, name, req)
		req.Prompt, req.MaxAge = "", "1"
		f.wantSignIn(t, name+" and max_age", req)
	}
}

// What was sealed for one request serves no other: whatever parameter is
// another, the sign-in is asked for again.
func TestFreshSignInIsForOneRequest(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	honest := f.openIDRequest()
	honest.Prompt = "login"
	f.advance(-9*time.Minute - time.Second)
	signed, _ := f.RequireFreshSignIn(honest)
	f.advance(9*time.Minute + time.Second)
	if a, err := f.Check(f.client, signed); err != nil {
		t.Fatal(err)
	} else if _, err := f.SignedIn(a, f.user.ID, f.now().Add(-9*time.Minute)); err != nil {
		t.Fatalf("the request that was sealed: %v, want the sign-in to suffice", err)
	}
	for name, change := range map[string]func(*oauth.AuthorizeRequest){
		"state":         func(r *oauth.AuthorizeRequest) { r.State += "x" },
		"nonce":         func(r *oauth.AuthorizeRequest) { r.Nonce = "another" },
		"prompt":        func(r *oauth.AuthorizeRequest) { r.Prompt = "login consent" },
		"id_token_hint": func(r *oauth.AuthorizeRequest) { r.IDTokenHint = idToken(issuer, `"1"`) },
		"max_age":       func(r *oauth.AuthorizeRequest) { r.MaxAge = "0" },
		"response_mode": func(r *oauth.AuthorizeRequest) { r.ResponseMode = "fragment" },
		"challenge":     func(r *oauth.AuthorizeRequest) { r.CodeChallenge = string(oauth.ChallengeOf("another verifier")) },
	} {
		req := signed
		change(&req)
		f.wantSignIn(t, name, req)
	}
}
