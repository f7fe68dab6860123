package consoleapi

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/shared/fault"
	"gatehouse/shared/site"
)

// seenVersion returns the version of the thing that the form was shown with,
// zero if the form has none. A form from a page that was open for long must not
// undo later changes.
func seenVersion(form site.Form) (int64, error) {
	text := form.Get("seen")
	if text == "" {
		return 0, nil
	}
	version, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fault.New(fault.Invalid, "There is no such version.")
	}
	return version, nil
}

// sentence returns the message of an error as a sentence.
func sentence(err error) string {
	message := fault.Message(err)
	first, size := utf8.DecodeRuneInString(message)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(message[size:], ".") + "."
}
