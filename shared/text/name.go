// Package text checks what people write for other people to read.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the longest name, in characters.
const maxName = 255

// CheckName returns what is wrong with the name by which people know a user, a
// group, a project, an application or a token, or "". Pages that ask for trust
// show such names, so what could make them read differently from what they say
// is refused: characters that turn or break the line, and names of which
// nothing can be seen.
func CheckName(name string) string {
	switch {
	case !strings.ContainsFunc(name, visible):
		return "can't be blank"
	case utf8.RuneCountInString(name) > maxName:
		return "is too long (maximum is 255 characters)"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }):
		return "contains a control character"
	}
	return ""
}

// visible reports whether the character leaves a mark. The fillers of Hangul
// count as letters and the blank of Braille as a symbol, but show nothing.
func visible(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u2800', '\u3164', '\uffa0':
		return false
	}
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.M, r)
}
