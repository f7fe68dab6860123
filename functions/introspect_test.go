package functions_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A server asks about a token with every request that it gets, so that must
// not take longer than the token's own use does.
func TestRoundTripsOfIntrospection(t *testing.T) {
	s, counter := overDynamoDB(t)
	browser := s.signIn(t)
	pair, other := s.exchange(t, s.code(t, browser)), s.exchange(t, s.code(t, browser))
	tests := map[string]func(){
		"by client": func() { s.post(t, "/oauth/introspect", url.Values{"token": {pair.Access}}) },
		"by bearer": func() { s.introspect(t, other.Access, pair.Access) },
	}
	for name, ask := range tests {
		if taken, writes, _ := counter.during(ask); taken != 2 || writes != 0 {
			t.Errorf("introspection %s takes %d steps with %d writes, want 2 with 0", name, taken, writes)
		}
	}
}

// introspect asks about a token as the bearer of another and expects 200.
func (s *server) introspect(t *testing.T, bearer, token string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.URL+"/oauth/introspect", strings.NewReader(url.Values{"token": {token}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+bearer)
	s.do(t, req)
}
