package oauth

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/secret"
)

// ErrSignInAgain tells that the user is signed in, but not recently enough for
// what the client wants.
var ErrSignInAgain = errors.New("the request wants a fresh sign-in")

// RequireFreshSignIn returns the request as it is to come back after the sign-in that
// begins now, and whether that is another one: of one that wants a fresh
// sign-in it says since when one is, or it would send the user to sign in for
// ever. It comes back by way of the browser, so the time is authenticated, for
// this very request: nobody can write one down and be spared the sign-in.
func (s *Server) RequireFreshSignIn(req AuthorizeRequest) (later AuthorizeRequest, changed bool) {
	words := strings.Fields(req.Prompt)
	wants := slices.Contains(words, promptLogin) || slices.Contains(words, promptSelect) || req.MaxAge != ""
	if !req.identifies() || !wants {
		return req, false
	}
	micros := strconv.FormatInt(s.now().UnixMicro(), 10)
	req.SignedInSince = micros + "." + req.seal(s.returns[0], micros)
	return req, true
}

// signedInSince reads what Again wrote into this request. What it did not write
// is no time.
func (s *Server) signedInSince(req AuthorizeRequest) time.Time {
	text, seal, _ := strings.Cut(req.SignedInSince, ".")
	micros, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}
	}
	for _, mac := range s.returns {
		if subtle.ConstantTimeCompare([]byte(seal), []byte(req.seal(mac, text))) == 1 {
			return time.UnixMicro(micros)
		}
	}
	return time.Time{}
}

// seal authenticates a text together with every parameter of the request.
func (req AuthorizeRequest) seal(mac secret.MAC, text string) string {
	parts := [][]byte{[]byte(text)}
	for _, parameter := range []string{
		req.ClientID, req.RedirectURI, req.ResponseType, req.ResponseMode, req.Scope, req.State,
		req.CodeChallenge, req.CodeChallengeMethod, req.Nonce, req.Prompt, req.MaxAge,
	} {
		parts = append(parts, []byte(parameter))
	}
	sum := mac.Sum(parts...)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
