package audit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/page"
)

func TestBrowserIsNamedInAFewWords(t *testing.T) {
	tests := map[string]string{
		"": "Unknown browser",
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                                     "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36":                            "Chrome on Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0":              "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15":                      "Safari on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0 Mobile/15E148 Safari/604.1":     "Chrome on iPhone",
		"Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1":             "Safari on iPad",
		"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36":                      "Chrome on Android",
		"Mozilla/5.0 (Linux; Android 15; SM-S931B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36": "Samsung Internet on Android",
		"Mozilla/5.0 (X11; CrOS x86_64 16181.61.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36":                            "Chrome on ChromeOS",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 OPR/120.0.0.0":              "Opera on Windows",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Ubuntu Chromium/141.0.0.0 Chrome/141.0.0.0 Safari/537.36":            "Chromium on Linux",
		"curl/8.14.1":                "curl",
		"Lynx/2.9 (X11; Linux)":      "Unknown browser on Linux",
		"<script>alert(1)</script>":  "Unknown browser",
		strings.Repeat("x", 100_000): "Unknown browser",
	}
	for userAgent, want := range tests {
		if got := (audit.Browser{UserAgent: userAgent}).String(); got != want {
			t.Errorf("Browser of %.80q is %q, want %q", userAgent, got, want)
		}
	}
}

// What a browser says of itself is kept within bounds, whatever it says.
func TestBrowserIsKeptClean(t *testing.T) {
	tests := []struct{ said, kept audit.Browser }{
		{audit.Browser{UserAgent: "curl/8", Address: "203.0.113.7"}, audit.Browser{UserAgent: "curl/8", Address: "203.0.113.7"}},
		{audit.Browser{Address: "2001:DB8::1"}, audit.Browser{Address: "2001:db8::1"}},
		{audit.Browser{Address: "::ffff:203.0.113.7"}, audit.Browser{Address: "203.0.113.7"}},
		{audit.Browser{Address: "fe80::1%eth0"}, audit.Browser{Address: "fe80::1"}},
		{audit.Browser{Address: "somewhere <b>"}, audit.Browser{}},
		{audit.Browser{UserAgent: "~ x 1 ~"}, audit.Browser{UserAgent: "~ x 1 ~"}},
		{audit.Browser{UserAgent: "a\x00b\r\nc\u202ed\xffe"}, audit.Browser{UserAgent: "abcde"}},
		{audit.Browser{UserAgent: strings.Repeat("é", 10) + strings.Repeat("x", 1000)}, audit.Browser{UserAgent: strings.Repeat("x", 255)}},
	}
	for _, test := range tests {
		a := apptest.New(t)
		u := a.User("ada")
		if _, err := a.Sessions.Start(t.Context(), u, test.said); err != nil {
			t.Fatal(err)
		}
		found, err := a.Sessions.Of(t.Context(), u, page.First)
		if err != nil || len(found.Items) != 1 {
			t.Fatalf("Of() = %v, %v, want one session", found, err)
		}
		if diff := cmp.Diff(test.kept, found.Items[0].Browser); diff != "" {
			t.Errorf("%.40q is kept otherwise (-want +got):\n%s", test.said, diff)
		}
	}
}

func FuzzBrowser(f *testing.F) {
	f.Add("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	f.Fuzz(func(t *testing.T, userAgent string) {
		if got := (audit.Browser{UserAgent: userAgent}).String(); got == "" || len(got) > 40 {
			t.Errorf("Browser of %q is %q", userAgent, got)
		}
	})
}
