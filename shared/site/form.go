package site

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"gatehouse/shared/fault"
	"gatehouse/shared/web"
)

// Form is a form that was sent from a page. A field has at most one value, unless
// its name ends in "[]".
type Form struct{ values url.Values }

// ReadForm reads the form in a request's body.
func ReadForm(r *http.Request) (Form, error) {
	values, err := FormValues(r)
	return newForm(values, err)
}

// ReadLargeForm reads a form with a field that may be as large as a request to the
// API. A form can need three bytes for each of its bytes.
func ReadLargeForm(r *http.Request) (Form, error) {
	values, err := formValues(r, 4*web.MaxBody)
	return newForm(values, err)
}

func newForm(values url.Values, err error) (Form, error) {
	if err != nil {
		return Form{}, err
	}
	for name, all := range values {
		if len(all) > 1 && !strings.HasSuffix(name, "[]") {
			return Form{}, fault.New(fault.Invalid, "A field of the form came more than once.")
		}
	}
	return Form{values}, nil
}

// Get returns the field's value, or "".
func (f Form) Get(name string) string { return f.values.Get(name) }

// All returns all values of the field.
func (f Form) All(name string) []string { return f.values[name] }

// Checked reports whether a box of the form was ticked.
func (f Form) Checked(name string) bool { return f.values.Get(name) != "" }

// FormValues returns the fields of the form in a request's body, as they came. It
// leaves out the query: what a form sends must not end up in a log.
func FormValues(r *http.Request) (url.Values, error) { return formValues(r, web.MaxBody) }

func formValues(r *http.Request, most int64) (url.Values, error) {
	body, err := web.ReadBodyUpTo(r, most)
	if err != nil || len(body) == 0 {
		return url.Values{}, err
	}
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/x-www-form-urlencoded" {
		return nil, fault.New(fault.Unsupported, "A form is sent as application/x-www-form-urlencoded.")
	}
	return ParseValues(string(body))
}

// ParseValues reads a query or form, which must be valid UTF-8 without NUL.
func ParseValues(encoded string) (url.Values, error) {
	values, err := url.ParseQuery(encoded)
	if err != nil {
		return nil, errMalformed
	}
	for _, all := range values {
		for _, value := range all {
			if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
				return nil, errMalformed
			}
		}
	}
	return values, nil
}

// Complaints are sentences about the fields of a form, in the order of the
// fields.
type Complaints []fieldComplaint

type fieldComplaint struct{ field, text string }

// NewComplaints takes the names of the form's fields, each followed by the
// words that a sentence about it begins with.
func NewComplaints(wrong fault.Fields, subjects ...string) (all Complaints) {
	for pair := range slices.Chunk(subjects, 2) {
		if text := Sentence(pair[1], wrong[pair[0]]); text != "" {
			all = append(all, fieldComplaint{pair[0], text})
		}
	}
	return all
}

// Complain returns the sentence as the only complaint, about the field.
func Complain(field, sentence string) Complaints { return Complaints{{field, sentence}} }

// About returns the complaint about the field, or "".
func (c Complaints) About(field string) string {
	for _, one := range c {
		if one.field == field {
			return one.text
		}
	}
	return ""
}

// Focus returns the first field with a mistake, or "".
func (c Complaints) Focus() string {
	if len(c) == 0 {
		return ""
	}
	return c[0].field
}

// Sentence makes a sentence of a subject and the complaints about it, or returns ""
// when there are none.
func Sentence(subject string, complaints []string) string {
	if len(complaints) == 0 {
		return ""
	}
	return subject + " " + strings.TrimSuffix(strings.Join(complaints, " and "), ".") + "."
}

var errMalformed = fault.New(fault.Invalid, "The parameters of the request are malformed.")
