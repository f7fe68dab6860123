package archive

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatehouse/shared/record"
)

// derived are the fields of a type that are made anew from the others.
var derived = map[reflect.Type][]string{
	reflect.TypeFor[record.Record](): {"Words", "Lists", "Hint", "Tell"},
}

// fieldOf is a field of a type with its name in an export.
type fieldOf struct {
	name  string
	index []int
}

// fieldsOf returns the fields of a type in their order. Those of embedded types stand
// among them.
func fieldsOf(t reflect.Type) (all []fieldOf) {
	for n := range t.NumField() {
		f := t.Field(n)
		switch {
		case slices.Contains(derived[t], f.Name):
		case f.Anonymous:
			for _, inner := range fieldsOf(f.Type) {
				all = append(all, fieldOf{inner.name, append([]int{n}, inner.index...)})
			}
		default:
			all = append(all, fieldOf{snake(f.Name), []int{n}})
		}
	}
	return all
}

// snake writes ProjectID as project_id.
func snake(name string) string {
	letters := []rune(strings.ReplaceAll(name, "URIs", "Uris"))
	var out strings.Builder
	for n, r := range letters {
		if n > 0 && unicode.IsUpper(r) && (unicode.IsLower(letters[n-1]) || n+1 < len(letters) && unicode.IsLower(letters[n+1])) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// encode returns a thing as JSON. Empty fields are left out.
func encode(thing any) ([]byte, error) {
	var out bytes.Buffer
	err := write(&out, reflect.ValueOf(thing))
	return out.Bytes(), err
}

// plain returns the JSON of a text, a number or the like.
func plain(v any) ([]byte, error) { return record.Encode(v) }

func write(out *bytes.Buffer, v reflect.Value) error {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		return writePlain(out, v.Interface().(time.Time).UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		return writeBytes(out, v.Bytes())
	case v.Kind() == reflect.Array:
		var text []byte
		for n := range v.Len() {
			text = append(text, byte(v.Index(n).Uint()))
		}
		return writePlain(out, hex.EncodeToString(text))
	case v.Kind() == reflect.Pointer:
		return write(out, v.Elem())
	case v.Kind() == reflect.Struct:
		return writeStruct(out, v)
	case v.Kind() == reflect.Slice:
		return writeSlice(out, v)
	}
	return writePlain(out, v.Interface())
}

func writePlain(out *bytes.Buffer, v any) error {
	text, err := plain(v)
	out.Write(text)
	return err
}

// writeBytes writes a text as it is, and other bytes in base64.
func writeBytes(out *bytes.Buffer, b []byte) error {
	if utf8.Valid(b) {
		return writePlain(out, string(b))
	}
	return writePlain(out, map[string]string{"base64": base64.StdEncoding.EncodeToString(b)})
}

func writeSlice(out *bytes.Buffer, v reflect.Value) error {
	out.WriteByte('[')
	for n := range v.Len() {
		if n > 0 {
			out.WriteByte(',')
		}
		if err := write(out, v.Index(n)); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

func writeStruct(out *bytes.Buffer, v reflect.Value) error {
	before := byte('{')
	for _, f := range fieldsOf(v.Type()) {
		field := v.FieldByIndex(f.index)
		if isEmpty(field) {
			continue
		}
		out.WriteByte(before)
		before = ','
		fmt.Fprintf(out, "%q:", f.name)
		if err := write(out, field); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if before == '{' {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return nil
}

// isEmpty reports whether a field is left out.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return v.Interface().(time.Time).IsZero()
		}
		for _, f := range fieldsOf(v.Type()) {
			if !isEmpty(v.FieldByIndex(f.index)) {
				return false
			}
		}
		return true
	}
	return v.IsZero()
}

// decode reads what encode wrote into the variable to which the pointer leads.
func decode(text []byte, into any) error { return read(text, reflect.ValueOf(into).Elem()) }

func read(text []byte, v reflect.Value) (err error) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		var t time.Time
		err = json.Unmarshal(text, &t)
		v.Set(reflect.ValueOf(t.UTC()))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		var b []byte
		b, err = readBytes(text)
		v.SetBytes(b)
	case v.Kind() == reflect.Array:
		err = readArray(text, v)
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		err = read(text, v.Elem())
	case v.Kind() == reflect.Struct:
		err = readStruct(text, v)
	case v.Kind() == reflect.Slice:
		err = readSlice(text, v)
	default:
		err = json.Unmarshal(text, v.Addr().Interface())
	}
	return err
}

func readBytes(text []byte) ([]byte, error) {
	var plain string
	if len(text) > 0 && text[0] == '"' {
		err := json.Unmarshal(text, &plain)
		return []byte(plain), err
	}
	var coded map[string]string
	if err := json.Unmarshal(text, &coded); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(coded["base64"])
}

func readArray(text []byte, v reflect.Value) error {
	var digits string
	if err := json.Unmarshal(text, &digits); err != nil {
		return err
	}
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) != v.Len() {
		return fmt.Errorf("%q is not %d bytes in hexadecimal digits", digits, v.Len())
	}
	reflect.Copy(v, reflect.ValueOf(b))
	return nil
}

func readSlice(text []byte, v reflect.Value) error {
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), len(all), len(all)))
	for n, one := range all {
		if err := read(one, v.Index(n)); err != nil {
			return err
		}
	}
	return nil
}

func readStruct(text []byte, v reflect.Value) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	for _, f := range fieldsOf(v.Type()) {
		one, ok := all[f.name]
		if !ok {
			continue
		}
		delete(all, f.name)
		if err := read(one, v.FieldByIndex(f.index)); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	for name := range all {
		return fmt.Errorf("there is no field %q in this release", name)
	}
	return nil
}
