package mirror

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"gatehouse/shared/host"
)

func TestParseURL(t *testing.T) {
	const (
		noURL  = "must be an http, https, ssh or git URL"
		noHost = "must have a public host"
		query  = "must have neither a query nor a fragment"
	)
	tests := []struct{ text, bare, user, password, complaint string }{
		{"https://git.example/acme/web.git", "https://git.example/acme/web.git", "", "", ""},
		{"HTTP://Git.Example:8080", "http://Git.Example:8080", "", "", ""},
		{"ssh://git@git.example:22/web.git", "ssh://git.example:22/web.git", "git", "", ""},
		{"git://8.8.8.8/web.git", "git://8.8.8.8/web.git", "", "", ""},
		{"https://[2001:4860::8888]/@scope/web", "https://[2001:4860::8888]/@scope/web", "", "", ""},
		{"https://ada:p%40ss%2Fword@git.example/web", "https://git.example/web", "ada", "p@ss/word", ""},
		{"https://:token@git.example/web", "https://git.example/web", "", "token", ""},
		{"https://@git.example/web", "https://git.example/web", "", "", ""},
		{"", "", "", "", noURL},
		{"git.example/web", "", "", "", noURL},
		{"//git.example/web", "", "", "", noURL},
		{"git@git.example:web.git", "", "", "", noURL},
		{"file:///etc/passwd", "", "", "", noURL},
		{"ftp://git.example/web", "", "", "", noURL},
		{"ext::sh -c id", "", "", "", noURL},
		{"javascript:alert(1)//git.example", "", "", "", noURL},
		{"https:git.example", "", "", "", noURL},
		{"https://", "", "", "", noURL},
		{"https://ada@/web", "", "", "", noURL},
		{"https://git.example:/web", "", "", "", noURL},
		{"https://git.example:0/web", "", "", "", noURL},
		{"https://ada:pass/word@git.example/web", "", "", "", noURL},
		{" https://git.example/web", "", "", "", noURL},
		{"https://git.example/web\n", "", "", "", noURL},
		{"https://git.example/a web", "", "", "", noURL},
		{"https://git.example/\u00a0web", "", "", "", noURL},
		{`https://git.example\@127.0.0.1/web`, "", "", "", noURL},
		{`https://git.example/\web`, "", "", "", noURL},
		{"https://git.example/%zz", "", "", "", noURL},
		{"https://git.example/web?private_token=x", "", "", "", query},
		{"https://git.example/web?", "", "", "", query},
		{"https://git.example#@127.0.0.1/web", "", "", "", query},
		{"https://a@127.0.0.1@git.example/web", "", "", "", "must have credentials with percent-encoding"},
		{"https://localhost/web", "", "", "", noHost},
		{"ssh://git@git/web", "", "", "", noHost},
		{"http://127.0.0.1/web", "", "", "", noHost},
		{"http://2130706433/web", "", "", "", noHost},
		{"http://017700000001/web", "", "", "", noHost},
		{"http://0x7f.1/web", "", "", "", noHost},
		{"http://0.0.0.0/web", "", "", "", noHost},
		{"http://169.254.169.254/latest/meta-data", "", "", "", noHost},
		{"http://metadata.google.internal/", "", "", "", noHost},
		{"git://10.0.0.1/web", "", "", "", noHost},
		{"http://[::ffff:10.0.0.1]/web", "", "", "", noHost},
		{"http://[fd00:ec2::254]/web", "", "", "", noHost},
		{"http://[fe80::1%25eth0]/web", "", "", "", noHost},
		{"https://ada:secret@10.0.0.1/web", "", "", "", noHost},
		{"https://git.example/" + strings.Repeat("x", maxURL-len("https://git.example/")), "", "", "", ""},
		{"https://git.example/" + strings.Repeat("é", maxURL/5), "", "", "", "is too long (maximum is 2048 bytes)"},
		{"https://ada@git.example/" + strings.Repeat("x", maxURL-len("https://git.example/")), "", "", "", "is too long (maximum is 2048 bytes)"},
		{"https://git.example/" + strings.Repeat("x", maxURL), "", "", "", "is too long (maximum is 2048 bytes)"},
	}
	for _, test := range tests {
		bare, c, complaint := parseURL(test.text)
		want := test.bare
		if want == "" && test.complaint == "" {
			want = test.text
		}
		if bare != want || c.User.Reveal() != test.user || c.Password.Reveal() != test.password || complaint != test.complaint {
			t.Errorf("parseURL(%q) = %q, %q, %q, %q, want %q, %q, %q, %q",
				test.text, bare, c.User.Reveal(), c.Password.Reveal(), complaint, want, test.user, test.password, test.complaint)
		}
	}
}

// What passes names a public host to every reader of URLs, has no credentials left in
// it, and passes again unchanged.
func FuzzParseURL(f *testing.F) {
	for _, text := range []string{
		"", "https://git.example/acme/web.git", "ssh://git@git.example:22/web.git", "https://ada:p%40ss@git.example/web", "http://[::1]/web",
		"https://a@b@git.example", "https://127.1/web", "git://git.example/\\", "https://git.example/é?x#y", "https://%zz", "\x00",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		bare, c, complaint := parseURL(text)
		if complaint != "" {
			if bare != "" || !c.empty() {
				t.Fatalf("parseURL(%q) = %q beside a complaint", text, bare)
			}
			return
		}
		u, err := url.Parse(bare)
		if err != nil || !slices.Contains(schemes, u.Scheme) || u.User != nil || !host.Public(u.Hostname()) || strings.ContainsAny(bare, " \"<>\\?#\n\r\t\x00") {
			t.Fatalf("parseURL(%q) = %q, %v", text, bare, err)
		}
		authority, _, _ := strings.Cut(strings.TrimPrefix(bare, u.Scheme+"://"), "/")
		if authority != u.Host || strings.Contains(authority, "@") {
			t.Fatalf("the authority of %q is %q", bare, authority)
		}
		if again, c, complaint := parseURL(bare); again != bare || !c.empty() || complaint != "" {
			t.Fatalf("parseURL(%q) = %q, %q the second time", bare, again, complaint)
		}
	})
}
