package web_test

import (
	"net/http/httptest"
	"testing"

	"gatehouse/shared/web"
)

func TestWhoTakesGzip(t *testing.T) {
	tests := map[string]bool{
		"gzip":                          true,
		"gzip, deflate, br, zstd":       true,
		"br;q=1.0, GZIP;q=0.8, *;q=0.1": true,
		"x-gzip":                        true,
		"*":                             true,
		"gzip;q=0.001":                  true,
		"identity, gzip":                true,
		"gzip ; q=0.5":                  true,
		"*;q=0, gzip":                   true,
		"":                              false,
		"identity":                      false,
		"br, deflate":                   false,
		"gzip;q=0":                      false,
		"gzip;q=0.000":                  false,
		"gzip;q=0, *":                   false,
		"*;q=0":                         false,
		"identity;q=1, gzip;q=0.5":      false,
		"gzip;q=many":                   false,
		"gzip;q=-1":                     false,
		"gzip;q=2":                      false,
		"gzip;level=9":                  false,
		"gzipped":                       false,
	}
	for accepted, want := range tests {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", accepted)
		if got := web.TakesGzip(r); got != want {
			t.Errorf("TakesGzip(%q) = %t, want %t", accepted, got, want)
		}
	}
	if web.TakesGzip(httptest.NewRequest("GET", "/", nil)) {
		t.Error("a client that says nothing takes gzip")
	}
}
