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

// ErrSignInAgain means that the user signed in too long ago for the client.
var ErrSignInAgain = errors.New("the request wants a fresh sign-in")

// RequireFreshSignIn stamps a request that wants a fresh sign-in with the current
// time, so that the sign-in that follows satisfies it; without the stamp the user
// would have to sign in forever. The stamp comes back through the browser, so it
// is authenticated together with the request and cannot be forged.
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

// signedInSince returns the time that RequireFreshSignIn wrote into this request,
// or the zero time.
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
		req.CodeChallenge, req.CodeChallengeMethod, req.Nonce, req.Prompt, req.MaxAge, req.IDTokenHint,
	} {
		parts = append(parts, []byte(parameter))
	}
	sum := mac.Sum(parts...)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
