package archive

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
)

// filler fills every field of a thing with something else.
type filler int64

func (f *filler) fill(v reflect.Value) {
	*f++
	n := int64(*f)
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.UnixMicro(1_700_000_000_123_456 + n).UTC()))
	case v.Kind() == reflect.Struct:
		for _, field := range fieldsOf(v.Type()) {
			f.fill(v.FieldByIndex(field.index))
		}
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		v.SetBytes([]byte{byte(n), 0xff, 0})
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		f.fill(value)
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), value)
	case v.Kind() == reflect.String:
		v.SetString(fmt.Sprintf("text %d <&> \"\n\u2028", n))
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(n)
	case v.CanUint():
		v.SetUint(uint64(n) % 256)
	default:
		panic("no way to fill a " + v.Type().String())
	}
}

// Whatever a thing has is in its text, and comes back.
func TestEveryFieldComesBack(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(k.Name(), func(t *testing.T) {
			thing := reflect.New(typeOf(t, k)).Elem()
			f := new(filler)
			f.fill(thing)
			text, err := k.Encode(thing.Interface())
			if err != nil || bytes.ContainsRune(text, '\n') {
				t.Fatalf("Encode = %s, %v", text, err)
			}
			back, err := k.Decode(text)
			if err != nil || !reflect.DeepEqual(back, thing.Interface()) {
				t.Errorf("Decode = %+v, %v, want %+v", back, err, thing)
			}
			if name := duplicate(typeOf(t, k)); name != "" {
				t.Errorf("two fields are named %s", name)
			}
		})
	}
}

func typeOf(t *testing.T, k Kind) reflect.Type {
	t.Helper()
	none, err := k.Decode([]byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := k.Encode(none); err != nil || string(text) != "{}" {
		t.Errorf("Encode of nothing = %s, %v", text, err)
	}
	return reflect.TypeOf(none)
}

func duplicate(t reflect.Type) string {
	var names []string
	for _, f := range fieldsOf(t) {
		if slices.Contains(names, f.name) {
			return f.name
		}
		names = append(names, f.name)
	}
	return ""
}

// What this release does not know is not lost silently.
func TestUnknownFieldIsAnError(t *testing.T) {
	if _, err := Users.Decode([]byte(`{"id":1,"shoe_size":44}`)); err == nil {
		t.Error("an unknown field was decoded")
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"ID": "id", "IID": "iid", "ProjectID": "project_id", "RedirectURIs": "redirect_uris", "APIURL": "apiurl",
		"OIDCNonce": "oidc_nonce", "PreviousIssuedAt": "previous_issued_at",
	} {
		if got := snake(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
