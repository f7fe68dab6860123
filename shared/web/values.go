package web

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/shared/fault"
)

// Has reports whether the parameter was sent, even as null.
func (v *Values) Has(name string) bool {
	_, sent := v.values[name]
	return sent
}

// Sent reports whether the parameter was sent with a value: not null and no empty text.
func (v *Values) Sent(name string) bool { return v.values[name] != nil && v.values[name] != "" }

// String returns a required text. It may be blank: the rules check each field.
func (v *Values) String(name string) string {
	if !v.Has(name) {
		v.complain(name, "is missing")
	}
	if s := v.OptionalString(name); s != nil {
		return *s
	}
	return ""
}

// OptionalString returns a text, or nil when it was not sent or is null.
func (v *Values) OptionalString(name string) *string {
	switch value := v.values[name].(type) {
	case nil:
		return nil
	case string:
		if storable(value) {
			return &value
		}
	case json.Number:
		s := value.String()
		return &s
	}
	v.complain(name, "is invalid")
	return new(string)
}

// storable reports whether every store can keep the text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

// Bool returns a required boolean.
func (v *Values) Bool(name string) bool {
	switch {
	case !v.Has(name):
		v.complain(name, "is missing")
	case v.values[name] == "":
		v.complain(name, "is empty")
	default:
		if b := v.OptionalBool(name); b != nil {
			return *b
		}
	}
	return false
}

// OptionalBool returns a boolean, or nil when it was not sent. A null is false.
func (v *Values) OptionalBool(name string) *bool {
	value, sent := v.values[name]
	if !sent {
		return nil
	}
	b, ok := boolean(value)
	if !ok {
		v.complain(name, "is invalid")
	}
	return &b
}

func boolean(value any) (b, ok bool) {
	switch value := value.(type) {
	case nil:
		return false, true
	case bool:
		return value, true
	case json.Number:
		return value == "1", value == "0" || value == "1"
	case string:
		switch strings.ToLower(value) {
		case "true", "t", "1", "on", "yes":
			return true, true
		case "false", "f", "0", "off", "no":
			return false, true
		}
	}
	return false, false
}

// Int returns a required integer.
func (v *Values) Int(name string) int64 {
	if !v.Has(name) {
		v.complain(name, "is missing")
		return 0
	}
	complaints := len(v.complaints)
	n := v.OptionalInt(name)
	switch {
	case n != nil:
		return *n
	case len(v.complaints) == complaints:
		v.complain(name, "is empty")
	}
	return 0
}

// BoolOr returns a boolean, or otherwise when it was not sent or is null.
func (v *Values) BoolOr(name string, otherwise bool) bool {
	if b := v.NullableBool(name); b != nil {
		return *b
	}
	return otherwise
}

// NullableBool returns a boolean, or nil when it was not sent or is null.
func (v *Values) NullableBool(name string) *bool {
	if v.values[name] == nil {
		return nil
	}
	return v.OptionalBool(name)
}

// OptionalInt returns an integer, or nil when it was not sent, is null or invalid.
func (v *Values) OptionalInt(name string) *int64 {
	var digits string
	switch value := v.values[name].(type) {
	case nil:
		return nil
	case string:
		digits = value
	case json.Number:
		digits = value.String()
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		v.complain(name, "is invalid")
		return nil
	}
	return &n
}

// OptionalDate returns the start of a day in UTC, or the zero time when it was not
// sent or is null or blank.
func (v *Values) OptionalDate(name string) time.Time {
	s := v.OptionalString(name)
	if s == nil || *s == "" {
		return time.Time{}
	}
	day, err := time.Parse(time.DateOnly, *s)
	if err != nil || day.IsZero() { // the zero time means that no day was sent
		v.complain(name, "is invalid")
	}
	return day
}

// OptionalTime returns an instant (RFC 3339), or the zero time when it was not sent or
// is null or blank.
func (v *Values) OptionalTime(name string) time.Time {
	s := v.OptionalString(name)
	if s == nil || *s == "" {
		return time.Time{}
	}
	instant, err := time.Parse(time.RFC3339, *s)
	if instant = instant.UTC(); err != nil || instant.Year() < 1970 || instant.Year() > 9999 {
		v.complain(name, "is invalid")
		return time.Time{}
	}
	return instant
}

// looseTimes are forms of instants that clients of the field send besides RFC 3339. One
// without a zone is in UTC.
var looseTimes = []string{"2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700"}

// OptionalDayOrTime returns an instant, also in one of looseTimes, or the start of a day
// in UTC, or the zero time when it was not sent or is null or blank.
func (v *Values) OptionalDayOrTime(name string) time.Time {
	s, _ := v.values[name].(string)
	if len(s) == len(time.DateOnly) {
		return v.OptionalDate(name)
	}
	for _, layout := range looseTimes {
		if instant, err := time.Parse(layout, s); err == nil && instant.UTC().Year() >= 1970 {
			return instant.UTC()
		}
	}
	return v.OptionalTime(name)
}

// Words returns a required list of words: a list of texts, or one text with spaces
// or commas between the words. It must not be empty.
func (v *Values) Words(name string) []string {
	words := v.words(name)
	if !v.Has(name) {
		v.complain(name, "is missing")
	}
	if len(words) == 0 {
		v.complain(name, "is empty")
	}
	return words
}

// OptionalWords returns a list of words, as Words reads it, or nil when it was not sent
// or is null.
func (v *Values) OptionalWords(name string) []string {
	if v.values[name] == nil {
		return nil
	}
	return append([]string{}, v.words(name)...)
}

// OptionalTexts returns a list of texts, or one text with commas between them, each
// without the space around it, or nil when it was not sent or is null.
func (v *Values) OptionalTexts(name string) []string {
	if v.values[name] == nil {
		return nil
	}
	texts := []string{}
	for _, s := range v.texts(name, func(r rune) bool { return r == ',' }) {
		if s = strings.TrimSpace(s); s != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

// OptionalInts returns a list of integers, which may also be one text with spaces or
// commas between them, or nil when it was not sent or is null.
func (v *Values) OptionalInts(name string) []int64 {
	if v.values[name] == nil {
		return nil
	}
	numbers := []int64{}
	for _, digits := range v.digits(name) {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			v.complain(name, "is invalid")
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// digits returns the texts of a list of numbers.
func (v *Values) digits(name string) (texts []string) {
	all, isList := v.values[name].([]any)
	if !isList {
		return v.words(name)
	}
	for _, item := range all {
		switch item := item.(type) {
		case json.Number:
			texts = append(texts, item.String())
		case string:
			if item != "" {
				texts = append(texts, item)
			}
		default:
			texts = append(texts, "is none")
		}
	}
	return texts
}

// Object returns every parameter as JSON.
func (v *Values) Object() map[string]json.RawMessage {
	object := map[string]json.RawMessage{}
	for name, value := range v.values {
		encoded, err := json.Marshal(value)
		if err != nil { // it came more than once
			v.complain(name, "is invalid")
		}
		object[name] = encoded
	}
	return object
}

// Choice returns a word that must be one of from, or "" when it was not sent or is
// null.
func Choice[T ~string](v *Values, name string, from []T) T {
	complaints := len(v.complaints)
	s := v.OptionalString(name)
	switch {
	case s == nil:
		return ""
	case len(v.complaints) == complaints && !slices.Contains(from, T(*s)):
		v.complain(name, "does not have a valid value")
	}
	return T(*s)
}

// RequiredChoice is Choice for a word that must be sent.
func RequiredChoice[T ~string](v *Values, name string, from []T) T {
	if v.values[name] == nil {
		v.complain(name, "is missing")
	}
	return Choice(v, name, from)
}

// Choices returns a list of such words, as Words reads it, or nil when it was not
// sent or is null.
func Choices[T ~string](v *Values, name string, from []T) []T {
	complaints := len(v.complaints)
	var chosen []T
	for _, word := range v.words(name) {
		chosen = append(chosen, T(word))
	}
	unknown := func(word T) bool { return !slices.Contains(from, word) }
	if v.values[name] != nil && len(v.complaints) == complaints && (len(chosen) == 0 || slices.ContainsFunc(chosen, unknown)) {
		v.complain(name, "does not have a valid value")
	}
	return chosen
}

// JSON returns the JSON text of a required value, see OptionalJSON.
func (v *Values) JSON(name string) []byte {
	if !v.Has(name) {
		v.complain(name, "is missing")
	}
	return v.OptionalJSON(name)
}

// OptionalJSON returns the JSON text of a value as it was sent in a JSON body, or nil
// when it was not sent. A string, such as a form field, is returned as it is and may
// not be valid JSON.
func (v *Values) OptionalJSON(name string) []byte {
	value, sent := v.values[name]
	if !sent {
		return nil
	}
	if text, ok := value.(string); ok {
		return []byte(text)
	}
	encoded, err := json.Marshal(value)
	if err != nil { // it came more than once
		v.complain(name, "is invalid")
		return nil
	}
	var asSent map[string]json.RawMessage
	if json.Unmarshal(v.body, &asSent) == nil && asSent[name] != nil {
		return asSent[name]
	}
	return encoded
}

func (v *Values) words(name string) []string {
	return v.texts(name, func(r rune) bool { return r == ' ' || r == ',' })
}

// texts returns the texts of a list, or the parts of one text.
func (v *Values) texts(name string, between func(rune) bool) []string {
	all, isList := v.values[name].([]any)
	if !isList {
		s := v.OptionalString(name)
		if s == nil {
			return nil
		}
		return strings.FieldsFunc(*s, between)
	}
	var words []string
	for _, item := range all {
		word, ok := item.(string)
		if !ok || !storable(word) {
			v.complain(name, "is invalid")
		} else if word != "" {
			words = append(words, word)
		}
	}
	return words
}

func (v *Values) addMultipart(body []byte, boundary string) error {
	form, err := multipart.NewReader(bytes.NewReader(body), boundary).ReadForm(MaxBody)
	if err != nil {
		return fault.New(fault.Invalid, "the form is malformed")
	}
	v.addForm(form.Value)
	return nil
}
