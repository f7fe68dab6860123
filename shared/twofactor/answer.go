package twofactor

import (
	"strings"

	"gatehouse/shared/secret"
)

// Answer is what somebody gives as the second factor: a code of the app, or a
// recovery code.
type Answer struct {
	code     secret.Text
	recovery bool
}

// Recovery reports whether it is a recovery code.
func (a Answer) Recovery() bool { return a.recovery }

// read turns what people type into what was made: without the blanks and
// hyphens of the groups, and with the letters for the digits that look like
// them, of which recovery codes have none.
var (
	ungrouped  = strings.NewReplacer(" ", "", "-", "")
	asRecovery = strings.NewReplacer("0", "o", "1", "l")
)

// ParseAnswer reads an answer as somebody typed it. What cannot be a code of
// either kind is none.
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
