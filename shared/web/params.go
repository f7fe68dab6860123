package web

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gatehouse/shared/fault"
)

// MaxBody is the largest request body that is read, in bytes.
const MaxBody = 1 << 20

// Values are a request's parameters, from the query and from a form or JSON body.
// Reading one remembers what is wrong with it, and Err returns all of that.
type Values struct {
	values     map[string]any // string, []any, map[string]any, bool, json.Number or nil
	body       []byte         // where that is JSON
	complaints []string
	unread     error // why there are no parameters, if the request is malformed

	name string  // of the object that has the values as members
	in   *Values // that has the object; nil: the values are the parameters
}

// paramsKey is the key of the Values in the context of a request that were read
// before.
type paramsKey struct{}

// Params reads the parameters of a request. Those of the body override those of the
// query.
func Params(r *http.Request) *Values {
	if read, ok := r.Context().Value(paramsKey{}).(*Values); ok {
		return &Values{values: read.values, body: read.body, unread: read.unread}
	}
	v := &Values{values: map[string]any{}}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		v.unread = fault.New(fault.Invalid, "the query string is malformed")
		return v
	}
	v.addForm(query)
	v.unread = v.addBody(r)
	return v
}

// BodyHas reports whether the request's body has the parameter. A body without
// parameters has none.
func BodyHas(r *http.Request, name string) bool {
	v := &Values{values: map[string]any{}}
	return v.addBody(r) == nil && v.Has(name)
}

func (v *Values) addBody(r *http.Request) error {
	body, err := ReadBody(r)
	if err != nil || len(body) == 0 {
		return err
	}
	mediaType, options, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && mediaType == "application/json":
		return v.addJSON(body)
	case err == nil && mediaType == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(body))
		if err != nil {
			return fault.New(fault.Invalid, "the form is malformed")
		}
		v.addForm(form)
		return nil
	case err == nil && mediaType == "multipart/form-data":
		return v.addMultipart(body, options["boundary"])
	}
	return fault.New(fault.Unsupported, "send application/json or application/x-www-form-urlencoded")
}

// ReadBody reads a request's whole body, up to MaxBody bytes, and lets it be read
// again. A body that could not be read fails every time.
func ReadBody(r *http.Request) ([]byte, error) { return ReadBodyUpTo(r, MaxBody) }

// ReadBodyUpTo is ReadBody with another limit, in bytes.
func ReadBodyUpTo(r *http.Request, most int64) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	var body []byte
	err := error(&http.MaxBytesError{Limit: most})
	if r.ContentLength <= most {
		body, err = io.ReadAll(http.MaxBytesReader(nil, r.Body, most))
	}
	if err != nil {
		r.Body = unreadable{err}
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, fault.New(fault.TooLarge, fmt.Sprintf("the body exceeds %d MiB", most>>20))
	case err != nil:
		return nil, fault.New(fault.Invalid, "the body could not be read")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return body, nil
}

// unreadable replaces a body that could not be read.
type unreadable struct{ err error }

func (u unreadable) Read([]byte) (int, error) { return 0, u.err }
func (u unreadable) Close() error             { return nil }

func (v *Values) addJSON(body []byte) error {
	object, err := Object(body)
	v.body = body
	for name, values := range object {
		v.values[name] = values[0]
		if len(values) > 1 {
			v.values[name] = repeated{}
		}
	}
	return err
}

// addForm adds the fields of a query or form: "a[]" is a list, "h[k]" a member of an
// object, "h[k][]" a list there, and "h[k][][m]" a member of each object in that list.
func (v *Values) addForm(form url.Values) {
	for _, key := range slices.Sorted(maps.Keys(form)) {
		name, rest, nested := strings.Cut(key, "[")
		var steps []string
		if nested {
			steps = strings.SplitN(strings.TrimSuffix(rest, "]"), "][", maxSteps)
		}
		v.values[name] = placed(v.values[name], steps, form[key])
	}
}

// maxSteps is how deep a field of a form leads into a parameter.
const maxSteps = 3

// placed returns the value with those of a field where the steps lead: to a member, or
// with "" to a list.
func placed(into any, steps, all []string) any {
	switch {
	case len(steps) == 0:
		return single(all)
	case steps[0] == "":
		return list(into, steps[1:], all)
	}
	object, ok := into.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object[steps[0]] = placed(object[steps[0]], steps[1:], all)
	return object
}

// list returns a list of the values, or of objects into each of which one of them is
// placed.
func list(into any, steps, all []string) []any {
	values, isList := into.([]any)
	if !isList || len(steps) == 0 {
		values = nil
	}
	for i, s := range all {
		if i == len(values) {
			values = append(values, nil)
		}
		values[i] = placed(values[i], steps, []string{s})
	}
	return values
}

// repeated is the value of a parameter that is no list and came more than once.
type repeated struct{}

// MarshalJSON fails, because no value was chosen.
func (repeated) MarshalJSON() ([]byte, error) { return nil, errRepeated }

var errRepeated = errors.New("came more than once")

func single(all []string) any {
	if len(all) != 1 {
		return repeated{}
	}
	return all[0]
}

func (v *Values) complain(name, complaint string) {
	v.complaints = append(v.complaints, name+" "+complaint)
	if v.in != nil {
		v.in.complain(v.name+"["+name+"]", complaint)
	}
}

// Err returns why the request could not be read, else everything that was wrong with
// the parameters, in the order in which they were read:
// {"error": "active is missing, integrated is invalid"}.
func (v *Values) Err() error {
	if v.unread != nil || len(v.complaints) == 0 {
		return v.unread
	}
	return BadParameters(strings.Join(slices.Compact(v.complaints), ", "))
}

// BadParameters is an error about parameters, in words for the caller.
type BadParameters string

// Error returns the complaints.
func (b BadParameters) Error() string { return string(b) }

// Is reports whether target is fault.Invalid.
func (b BadParameters) Is(target error) bool { return target == fault.Invalid }

// Answer writes the 400.
func (b BadParameters) Answer(w http.ResponseWriter) {
	JSON(w, http.StatusBadRequest, map[string]string{"error": string(b)})
}
