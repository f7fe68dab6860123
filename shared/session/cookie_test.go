package session

import (
	"strconv"
	"strings"
	"testing"
)

func FuzzParseCookie(f *testing.F) {
	f.Add("1." + strings.Repeat("a", 32) + "." + strings.Repeat("b", 64))
	f.Add("0." + strings.Repeat("a", 32) + "." + strings.Repeat("b", 64))
	f.Add("-1..")
	f.Add("")
	f.Fuzz(func(t *testing.T, cookie string) {
		userID, id, text, ok := parseCookie(cookie)
		if !ok {
			return
		}
		if userID < 1 || len(id) != 32 || len(text.Reveal()) != 64 {
			t.Errorf("%q was read as user %d, session %q", cookie, userID, id)
		}
		if again, _, _, ok := parseCookie(strconv.FormatInt(userID, 10) + "." + id + "." + text.Reveal()); !ok || again != userID {
			t.Errorf("%q does not read again as it was written", cookie)
		}
	})
}
