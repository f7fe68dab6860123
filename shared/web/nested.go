package web

import (
	"encoding/json"
	"slices"
	"strconv"
)

// OptionalObject returns the members of an object, or nil when it was not sent, is null
// or invalid. What is wrong with them is wrong with the parameters: "object[member] is
// invalid".
func (v *Values) OptionalObject(name string) *Values {
	switch value := v.values[name].(type) {
	case nil:
	case map[string]any:
		return &Values{values: value, name: name, in: v}
	default:
		v.complain(name, "is invalid")
	}
	return nil
}

// OptionalObjects returns the members of each object in a list, or nil when it was not
// sent, is null or invalid. What is wrong with them is wrong with the parameters:
// "list[0][member] is invalid".
func (v *Values) OptionalObjects(name string) []*Values {
	if v.values[name] == nil {
		return nil
	}
	all, isList := v.values[name].([]any)
	objects := make([]*Values, len(all))
	for i, one := range all {
		members, isObject := one.(map[string]any)
		isList = isList && isObject
		objects[i] = &Values{values: members, name: name + "[" + strconv.Itoa(i) + "]", in: v}
	}
	if !isList {
		v.complain(name, "is invalid")
		return nil
	}
	return objects
}

// Require complains about the parameters that were not sent.
func (v *Values) Require(names ...string) {
	for _, name := range names {
		if !v.Has(name) {
			v.complain(name, "is missing")
		}
	}
}

// Invalid complains about a parameter that the caller cannot read.
func (v *Values) Invalid(name string) { v.complain(name, "is invalid") }

// NotAllowed complains about a parameter with a value that is none of those it can have.
func (v *Values) NotAllowed(name string) { v.complain(name, "does not have a valid value") }

// NotSupported complains about a parameter that asks for what Gatehouse cannot tell.
func (v *Values) NotSupported(name string) { v.complain(name, "is not supported") }

// NeedsOneOf complains about the object unless it has one of these members.
func (v *Values) NeedsOneOf(members ...string) {
	if !slices.ContainsFunc(members, v.Has) {
		v.in.complain(v.name, "has no known member")
	}
}

// OptionalIntOf returns an integer that must be one of from, or nil when it was not sent,
// is null or invalid.
func OptionalIntOf[T ~int](v *Values, name string, from []T) *T {
	n := v.OptionalInt(name)
	if n == nil {
		return nil
	}
	chosen := T(*n)
	if !slices.Contains(from, chosen) {
		v.complain(name, "does not have a valid value")
		return nil
	}
	return &chosen
}

// OptionalIntsOf returns a list of integers that must be of from, in ascending order and
// each once, or nil when it was not sent, is null or invalid. Instead of an integer the
// list may have an object with this member.
func OptionalIntsOf[T ~int](v *Values, name, member string, from []T) []T {
	if v.values[name] == nil {
		return nil
	}
	all, isList := v.values[name].([]any)
	chosen := make([]T, len(all))
	for i, one := range all {
		n, ok := integer(one, member)
		isList = isList && ok
		chosen[i] = T(n)
	}
	unknown := func(n T) bool { return !slices.Contains(from, n) }
	switch {
	case !isList:
		v.complain(name, "is invalid")
	case len(all) == 0:
		v.complain(name, "is empty")
	case slices.ContainsFunc(chosen, unknown):
		v.complain(name, "does not have a valid value")
	default:
		slices.Sort(chosen)
		return slices.Compact(chosen)
	}
	return nil
}

// integer returns the integer that the value is, or has as this member.
func integer(value any, member string) (n int, ok bool) {
	if object, isObject := value.(map[string]any); isObject {
		value = object[member]
	}
	digits, isText := value.(string)
	if number, isNumber := value.(json.Number); isNumber {
		digits, isText = number.String(), true
	}
	n, err := strconv.Atoi(digits)
	return n, isText && err == nil
}
