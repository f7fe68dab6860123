package mirror

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"gatehouse/shared/secret"
)

func credentials(user, password string) Credentials {
	return Credentials{secret.NewText(user), secret.NewText(password)}
}

func TestRedact(t *testing.T) {
	own := credentials("ada", "p@ss/word +é")
	tests := []struct {
		text, want string
		own        Credentials
	}{
		{"fatal: unable to access 'https://ada:secret@git.example/web.git/': 403", "fatal: unable to access 'https://*****@git.example/web.git/': 403", Credentials{}},
		{"ssh://git@git.example and git+https://:token@git.example", "ssh://*****@git.example and git+https://*****@git.example", Credentials{}},
		{"https://ada:p@ss@git.example", "https://*****@git.example", Credentials{}},
		{"https://git.example/@scope/web and ada@example.com", "https://git.example/@scope/web and ada@example.com", Credentials{}},
		{"no credentials here", "no credentials here", own},
		{"wrong password p@ss/word +é for ada", "wrong password ***** for ada", own},
		{"https://ada:p@ss/word +é@git.example", "https://*****@git.example", own},
		{"bad token in https://longtoken@git.example: longtoken", "bad token in https://*****@git.example: *****", credentials("longtoken", "x-oauth-basic")},
		{"bad token eightlet", "bad token *****", credentials("eightlet", "x-oauth-basic")},
		{"bad token of deploys", "bad token of deploys", credentials("deploys", "x-oauth-basic")},
		{"bad token abc", "bad token *****", credentials("abc", "")},
		{"git could not read", "git could not read", credentials("git", "a key")},
	}
	for _, test := range tests {
		if got := redact(test.text, test.own); got != test.want {
			t.Errorf("redact(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

// A password is often the former one with something added.
func TestRedactMasksTheLongerFirst(t *testing.T) {
	short, long := credentials("", "secret"), credentials("", "secret99")
	for _, own := range [][]Credentials{{short, long}, {long, short}} {
		if got := redact("secret99 or secret", own...); got != "***** or *****" {
			t.Errorf("redact = %q, want nothing left of either", got)
		}
	}
}

// However a tool writes the mirror's password, nothing of it is left.
func TestRedactKnowsEveryForm(t *testing.T) {
	const user, password = "ada", "p@ss/word +é"
	for name, form := range map[string]string{
		"plain": password, "path": url.PathEscape(password), "query": url.QueryEscape(password), "userinfo": url.UserPassword(user, password).String(),
		"basic": base64.StdEncoding.EncodeToString([]byte(user + ":" + password)),
	} {
		got := redact("before "+form+" after", credentials(user, password))
		if strings.Contains(got, form) || !strings.Contains(got, stars) || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
			t.Errorf("redact of the %s form = %q", name, got)
		}
	}
}
