package consoleapi

import (
	"slices"
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

// complaints are sentences about the fields of a form, in the order of the
// fields.
type complaints []complaint

type complaint struct{ field, text string }

// newComplaints takes the names of the form's fields, each followed by the
// words that a sentence about it begins with.
func newComplaints(wrong fault.Fields, subjects ...string) (all complaints) {
	for pair := range slices.Chunk(subjects, 2) {
		if text := site.Sentence(pair[1], wrong[pair[0]]); text != "" {
			all = append(all, complaint{pair[0], text})
		}
	}
	return all
}

// About returns the complaint about the field, or "".
func (c complaints) About(field string) string {
	for _, one := range c {
		if one.field == field {
			return one.text
		}
	}
	return ""
}

// Focus returns the first field with a mistake, or "".
func (c complaints) Focus() string {
	if len(c) == 0 {
		return ""
	}
	return c[0].field
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
