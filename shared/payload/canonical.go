package payload

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// AppendCanonical appends a text that is the same for two values exactly if they
// are equal as JSON. The order of members, white space, escapes and the notation
// of numbers do not matter.
func AppendCanonical(text []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(text, "null"...)
	case bool:
		return strconv.AppendBool(text, v)
	case string:
		return strconv.AppendQuote(text, v)
	case json.Number:
		return append(text, canonicalNumber(v.String())...)
	case []any:
		return appendArray(text, v)
	case map[string]any:
		return appendObject(text, v)
	}
	return text
}

func appendArray(text []byte, array []any) []byte {
	text = append(text, '[')
	for _, element := range array {
		text = append(AppendCanonical(text, element), ',')
	}
	return append(text, ']')
}

func appendObject(text []byte, object Object) []byte {
	text = append(text, '{')
	for _, name := range slices.Sorted(maps.Keys(object)) {
		text = append(strconv.AppendQuote(text, name), ':')
		text = append(AppendCanonical(text, object[name]), ',')
	}
	return append(text, '}')
}

// canonicalNumber writes a number as its significant digits and a power of ten:
// 1, 1.0 and 10e-1 are equal, and no digit is lost.
func canonicalNumber(number string) string {
	unsigned, negative := strings.CutPrefix(number, "-")
	mantissa, power, _ := strings.Cut(strings.ToLower(unsigned), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return "0"
	}
	exponent, err := strconv.ParseInt(cmp.Or(power, "0"), 10, 32)
	if err != nil {
		return number // an exponent beyond any sense; the text itself will do
	}
	sign := ""
	if negative {
		sign = "-"
	}
	exponent += int64(len(digits) - len(significant) - len(fraction))
	return sign + significant + "e" + strconv.FormatInt(exponent, 10)
}
