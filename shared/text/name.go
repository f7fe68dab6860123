// Package text checks texts that users enter.
package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the longest name, in characters.
const maxName = 255

// CheckName returns what is wrong with the display name of a user, group,
// project, application or token, or "". Pages that ask for trust show such names,
// so it rejects what could disguise them: invisible names, and characters that
// break a line or turn its direction.
func CheckName(name string) string {
	switch {
	case !strings.ContainsFunc(name, visible):
		return "can't be blank"
	case utf8.RuneCountInString(name) > maxName:
		return "is too long (maximum is 255 characters)"
	case strings.ContainsFunc(name, control):
		return "contains a control character"
	}
	return ""
}

// CheckLines returns what is wrong with a text of several lines that may be empty, or "".
// Such a text has at most so many characters. It may break lines, but has nothing else
// that a name may not have.
func CheckLines(lines string, most int) string {
	switch {
	case utf8.RuneCountInString(lines) > most:
		return "is too long (maximum is " + strconv.Itoa(most) + " characters)"
	case strings.ContainsFunc(lines, func(r rune) bool { return r != '\n' && control(r) }):
		return "contains a control character"
	}
	return ""
}

// control reports whether the character breaks a line, turns its direction, or is not shown.
func control(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// visible reports whether the character can be seen. The Hangul fillers are
// letters and the Braille blank is a symbol for Unicode, but they are invisible.
func visible(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u2800', '\u3164', '\uffa0':
		return false
	}
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.M, r)
}
