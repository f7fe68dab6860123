package payload

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Blank reports whether the value counts as absent: null, false, a string
// without a visible character, an empty array or an empty object.
func Blank(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// Text returns a string as it is, the text of a number, and the JSON of
// everything else.
func Text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // pages escape by themselves
	if err := encoder.Encode(value); err != nil {
		return ""
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// Cut shortens a text of more than max characters to max characters, of which the
// last three are dots.
func Cut(text string, max int) string {
	head := Head(text, max)
	if head == text {
		return text
	}
	return Head(head, max-3) + "..."
}

// Head returns the first max characters of a text.
func Head(text string, max int) string {
	for i := range text {
		if max == 0 {
			return text[:i]
		}
		max--
	}
	return text
}

// Flatten returns the elements of an array and of the arrays in it, in order. For
// any other value it returns that value as the only element.
func Flatten(value any) []any {
	list, ok := value.([]any)
	if !ok {
		return []any{value}
	}
	return flatten(nil, list)
}

func flatten(flat, list []any) []any {
	for _, element := range list {
		if inner, ok := element.([]any); ok {
			flat = flatten(flat, inner)
		} else {
			flat = append(flat, element)
		}
	}
	return flat
}
