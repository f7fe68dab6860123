package twofactor

import (
	"strings"

	"gatehouse/shared/secret"
)

// Answer is a code of the app or a recovery code, as given at a sign-in.
type Answer struct {
	code     secret.Text
	recovery bool
}

// Recovery reports whether the answer is a recovery code.
func (a Answer) Recovery() bool { return a.recovery }

// ungrouped removes the spaces and hyphens between groups. asRecovery replaces
// digits that recovery codes do not have by the letters that look like them.
var (
	ungrouped  = strings.NewReplacer(" ", "", "-", "")
	asRecovery = strings.NewReplacer("0", "o", "1", "l")
)

// ParseAnswer parses an answer as typed. It is not ok if it cannot be a code of
// either kind.
func ParseAnswer(typed string) (answer Answer, ok bool) {
	text := ungrouped.Replace(strings.TrimSpace(typed))
	switch len(text) {
	case digits:
		return Answer{code: secret.NewText(text)}, strings.Trim(text, "0123456789") == ""
	case recoveryLength:
		text = asRecovery.Replace(strings.ToLower(text))
		_, err := lowerBase32.DecodeString(text)
		return Answer{secret.NewText(text), true}, err == nil
	}
	return Answer{}, false
}
