package web_test

import (
	"net/http/httptest"
	"testing"

	"gatehouse/shared/web"
)

func TestClientAddress(t *testing.T) {
	tests := map[string]string{
		"203.0.113.7:4711":   "203.0.113.7",
		"[2001:db8::7]:0":    "2001:db8::7",
		"[fe80::7%eth0]:443": "fe80::7%eth0",
		"203.0.113.7":        "invalid IP",
		":0":                 "invalid IP",
		"":                   "invalid IP",
	}
	for remote, want := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = remote
		r.Header.Set("X-Forwarded-For", "198.51.100.1")
		r.Header.Set("Forwarded", "for=198.51.100.1")
		r.Header.Set("X-Real-IP", "198.51.100.1")
		if got := web.ClientAddress(r).String(); got != want {
			t.Errorf("ClientAddress of %q = %s, want %s", remote, got, want)
		}
	}
}
