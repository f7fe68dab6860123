package web_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/fault"
	"gatehouse/shared/web"
)

const (
	jsonType = "application/json"
	formType = "application/x-www-form-urlencoded"
)

func post(query, contentType, body string) *http.Request {
	r := httptest.NewRequest("POST", "/?"+query, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	return r
}

func readParams(t *testing.T, r *http.Request) *web.Values {
	t.Helper()
	params := web.Params(r)
	if err := params.Err(); err != nil {
		t.Fatalf("Params() = %v, want no error", err)
	}
	return params
}

func TestParamsComeFromQueryFormAndJSON(t *testing.T) {
	var multi bytes.Buffer
	writer := multipart.NewWriter(&multi)
	writer.WriteField("name", "Ada")
	writer.WriteField("admin", "true")
	writer.WriteField("user_id", "5")
	writer.WriteField("scopes[]", "api")
	writer.Close()
	tests := map[string]*http.Request{
		"query":     post("name=Ada&admin=true&user_id=5&scopes[]=api", "", ""),
		"form":      post("", formType, "name=Ada&admin=1&user_id=5&scopes%5B%5D=api"),
		"JSON":      post("", jsonType+"; charset=utf-8", `{"name":"Ada","admin":true,"user_id":5,"scopes":["api"]}`),
		"multipart": post("", writer.FormDataContentType(), multi.String()),
		"body wins": post("name=Ben&admin=false&user_id=6&scopes=sudo", jsonType, `{"name":"Ada","admin":"yes","user_id":"5","scopes":"api"}`),
		"split":     post("name=Ada&admin=on", formType, "user_id=5&scopes=api"),
	}
	for name, r := range tests {
		params := readParams(t, r)
		got := []any{params.String("name"), params.Bool("admin"), params.Int("user_id"), params.Words("scopes")}
		if diff := cmp.Diff([]any{"Ada", true, int64(5), []string{"api"}}, got); diff != "" {
			t.Errorf("%s: parameters differ (-want +got):\n%s", name, diff)
		}
		if err := params.Err(); err != nil {
			t.Errorf("%s: Err() = %v, want none", name, err)
		}
	}
}

func TestParamsRefuseUnreadableBodies(t *testing.T) {
	tests := []struct {
		name string
		r    *http.Request
		kind fault.Kind
	}{
		{"broken query", post("a=%zz", "", ""), fault.Invalid},
		{"JSON list", post("", jsonType, `["a"]`), fault.Invalid},
		{"JSON null", post("", jsonType, `null`), fault.Invalid},
		{"broken JSON", post("", jsonType, `{"a":`), fault.Invalid},
		{"two JSON values", post("", jsonType, `{"a":1}{"a":2}`), fault.Invalid},
		{"broken form", post("", formType, `a=%zz`), fault.Invalid},
		{"broken multipart", post("", "multipart/form-data; boundary=x", "--y"), fault.Invalid},
		{"other media type", post("", "text/plain", "a=b"), fault.Unsupported},
		{"no media type", post("", "", "a=b"), fault.Unsupported},
		{"too large", post("", jsonType, `{"a":"`+strings.Repeat("x", web.MaxBody)+`"}`), fault.TooLarge},
	}
	for _, test := range tests {
		if err := web.Params(test.r).Err(); !errors.Is(err, test.kind) {
			t.Errorf("Params() of a %s = %v, want kind %q", test.name, err, test.kind)
		}
	}
}

func TestParamsComplaints(t *testing.T) {
	tests := []struct {
		name string
		r    *http.Request
		read func(*web.Values)
		want string
	}{
		{"missing", post("", "", ""), func(v *web.Values) {
			v.String("name")
			v.Bool("active")
			v.Int("user_id")
			v.Words("scopes")
		}, "name is missing, active is missing, user_id is missing, scopes is missing, scopes is empty"},
		{"empty", post("active=&scopes=", "", ""), func(v *web.Values) {
			v.Bool("active")
			v.Words("scopes")
		}, "active is empty, scopes is empty"},
		{"null integer", post("", jsonType, `{"user_id":null}`), func(v *web.Values) { v.Int("user_id") }, "user_id is empty"},
		{"not boolean", post("a=maybe", jsonType, `{"b":2,"c":[],"d":{}}`), func(v *web.Values) {
			v.OptionalBool("a")
			v.Bool("b")
			v.BoolOr("c", true)
			v.OptionalBool("d")
		}, "a is invalid, b is invalid, c is invalid, d is invalid"},
		{"not an integer", post("a=x", jsonType, `{"b":1.5,"c":true,"d":99999999999999999999}`), func(v *web.Values) {
			v.OptionalInt("a")
			v.Int("b")
			v.Int("c")
			v.Int("d")
		}, "a is invalid, b is invalid, c is invalid, d is invalid"},
		{"not a text", post("", jsonType, `{"a":[],"b":{},"c":true}`), func(v *web.Values) {
			v.String("a")
			v.OptionalString("b")
			v.String("c")
		}, "a is invalid, b is invalid, c is invalid"},
		{"repeated", post("a=1&a=2&b=true&b=true", "", ""), func(v *web.Values) {
			v.String("a")
			v.OptionalBool("b")
		}, "a is invalid, b is invalid"},
		{"not storable", post("a=%00&b=%ff&c[]=%ff", "", ""), func(v *web.Values) {
			v.String("a")
			v.String("b")
			v.Words("c")
		}, "a is invalid, b is invalid, c is invalid, c is empty"},
		{"not a date", post("a=tomorrow&b=2026-02-30", "", ""), func(v *web.Values) {
			v.OptionalDate("a")
			v.OptionalDate("b")
		}, "a is invalid, b is invalid"},
		{"not an instant", post("a=2026-11-22&b=2026-11-22T12:00:00&c=1969-12-31T23:59:59Z&d=9999-12-31T23:59:59-01:00", "", ""), func(v *web.Values) {
			for _, name := range []string{"a", "b", "c", "d"} {
				v.OptionalTime(name)
			}
		}, "a is invalid, b is invalid, c is invalid, d is invalid"},
		{"not words", post("", jsonType, `{"scopes":[1]}`), func(v *web.Values) { v.Words("scopes") }, "scopes is invalid, scopes is empty"},
	}
	for _, test := range tests {
		params := readParams(t, test.r)
		test.read(params)
		if err := params.Err(); !errors.Is(err, fault.Invalid) || err.Error() != test.want {
			t.Errorf("%s: Err() = %v, want %q", test.name, err, test.want)
		}
	}
}

func TestNullAndAbsentParams(t *testing.T) {
	params := readParams(t, post("", jsonType, `{"text":null,"flag":null,"number":null,"day":null}`))
	if s := params.OptionalString("text"); s != nil {
		t.Errorf("OptionalString of null = %q, want nil", *s)
	}
	if b := params.OptionalBool("flag"); b == nil || *b {
		t.Errorf("OptionalBool of null = %v, want false", b)
	}
	if b := params.OptionalBool("absent"); b != nil {
		t.Errorf("OptionalBool of nothing = %v, want nil", *b)
	}
	if !params.BoolOr("flag", true) || !params.BoolOr("absent", true) {
		t.Error("BoolOr of null or nothing is false, want the other value")
	}
	if n := params.OptionalInt("number"); n != nil {
		t.Errorf("OptionalInt of null = %d, want nil", *n)
	}
	if day := params.OptionalDate("day"); !day.IsZero() {
		t.Errorf("OptionalDate of null = %v, want the zero time", day)
	}
	if instant := params.OptionalTime("day"); !instant.IsZero() {
		t.Errorf("OptionalTime of null = %v, want the zero time", instant)
	}
	if !params.Has("text") || params.Has("absent") {
		t.Error("Has() does not tell null from absent")
	}
	if err := params.Err(); err != nil {
		t.Errorf("Err() = %v, want none", err)
	}
}

func TestOptionalTime(t *testing.T) {
	for _, text := range []string{"2026-11-22T12:00:00.123Z", "2026-11-22T13:00:00.123+01:00"} {
		params := readParams(t, post("at="+url.QueryEscape(text), "", ""))
		if got, want := params.OptionalTime("at"), time.Date(2026, 11, 22, 12, 0, 0, 123e6, time.UTC); got != want || params.Err() != nil {
			t.Errorf("OptionalTime of %s = %v, %v, want %v", text, got, params.Err(), want)
		}
	}
}

func TestOptionalDateAndWords(t *testing.T) {
	params := readParams(t, post("day=2026-11-21&scopes=api,+read_user++sudo", "", ""))
	if got, want := params.OptionalDate("day"), time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("OptionalDate() = %v, want %v", got, want)
	}
	first := readParams(t, post("day=0001-01-01", "", ""))
	if first.OptionalDate("day"); first.Err() == nil || first.Err().Error() != "day is invalid" {
		t.Errorf("the day that is none = %v, want a complaint", first.Err())
	}
	if diff := cmp.Diff([]string{"api", "read_user", "sudo"}, params.Words("scopes")); diff != "" {
		t.Errorf("Words() differs (-want +got):\n%s", diff)
	}
}

func TestChoices(t *testing.T) {
	type word string
	from := []word{"red", "green"}
	const unknown = " does not have a valid value"
	tests := map[string]struct {
		one       word
		some      []word
		complaint string // of both
	}{
		"":                  {"", nil, ""},
		"w=red":             {"red", []word{"red"}, ""},
		"w=red,+green":      {"red, green", []word{"red", "green"}, "one w" + unknown},
		"w[]=red&w[]=green": {"", []word{"red", "green"}, "one w is invalid"},
		"w=":                {"", nil, "one w" + unknown + "; some w" + unknown},
		"w=blue":            {"blue", []word{"blue"}, "one w" + unknown + "; some w" + unknown},
		"w=red&w=red":       {"", nil, "one w is invalid; some w is invalid"},
		"w[]=":              {"", nil, "one w is invalid; some w" + unknown},
		"w[]=red&w[]=blue":  {"", []word{"red", "blue"}, "one w is invalid; some w" + unknown},
		"w[red]=1":          {"", nil, "one w is invalid; some w is invalid"},
		"w=%ff":             {"", nil, "one w is invalid; some w is invalid"},
	}
	for query, test := range tests {
		first, second := readParams(t, post(query, "", "")), readParams(t, post(query, "", ""))
		if one, some := web.Choice(first, "w", from), web.Choices(second, "w", from); one != test.one || !cmp.Equal(test.some, some) {
			t.Errorf("%q: Choice() = %q, Choices() = %q, want %q and %q", query, one, some, test.one, test.some)
		}
		var complaints []string
		for name, v := range map[string]*web.Values{"one": first, "some": second} {
			if err := v.Err(); err != nil {
				complaints = append(complaints, name+" "+err.Error())
			}
		}
		slices.Sort(complaints)
		if got := strings.Join(complaints, "; "); got != test.complaint {
			t.Errorf("%q: the complaints are %q, want %q", query, got, test.complaint)
		}
	}
	null := readParams(t, post("", jsonType, `{"w":null}`))
	if one, some := web.Choice(null, "w", from), web.Choices(null, "w", from); one != "" || some != nil || null.Err() != nil {
		t.Errorf("null: %q, %q, %v", one, some, null.Err())
	}
}

// What is JSON stays as it was sent, with its order and its spaces.
func TestJSONOfAParameter(t *testing.T) {
	tests := []struct{ query, contentType, body, want, complaint string }{
		{"", jsonType, `{"p": {"b":1, "a":[1.0,"<"]}}`, `{"b":1, "a":[1.0,"<"]}`, ""},
		{"", jsonType, `{"p":null}`, "null", ""},
		{"", jsonType, `{"p":"{\"a\":1}"}`, `{"a":1}`, ""},
		{"", jsonType, `{"p":5}`, "5", ""},
		{"", jsonType, `{}`, "", "p is missing"},
		{"", jsonType, `{"p":1,"p":1}`, "", "p is invalid"},
		{"", formType, `p={"b":1}`, `{"b":1}`, ""},
		{"", formType, `p[b]=1`, `{"b":"1"}`, ""},
		{"", formType, `p[]=1&p[]=2`, `["1","2"]`, ""},
		{"", formType, `p[b]=1&p[b]=2`, "", "p is invalid"},
		{"", formType, `p[b][]=1&p[b][]=2&p[c][d]=3`, `{"b":["1","2"],"c":{"d":"3"}}`, ""},
		{"", formType, `p[b][][c]=1&p[b][][c]=2&p[b][][d]=3`, `{"b":[{"c":"1","d":"3"},{"c":"2"}]}`, ""},
		{"p={}", "", "", "{}", ""},
		{"p={}", jsonType, `{"p":[]}`, "[]", ""},
		{"p={}", jsonType, `{"q":[]}`, "{}", ""},
	}
	for _, test := range tests {
		params := readParams(t, post(test.query, test.contentType, test.body))
		got, complaint := string(params.JSON("p")), ""
		if err := params.Err(); err != nil {
			complaint = err.Error()
		}
		if got != test.want || complaint != test.complaint {
			t.Errorf("%s %s: JSON() = %s with %q, want %s with %q", test.query, test.body, got, complaint, test.want, test.complaint)
		}
	}
}

// read asks for everything that a parameter can be.
func read(v *web.Values, name string) {
	v.JSON(name)
	web.Choice(v, name, []string{"1"})
	web.Choices(v, name, []string{"1"})
	v.String(name)
	v.OptionalString(name)
	v.Bool(name)
	v.OptionalBool(name)
	v.BoolOr(name, true)
	v.Int(name)
	v.OptionalInt(name)
	v.OptionalDate(name)
	v.Words(name)
	v.Page()
	web.OptionalIntsOf(v, name, "k", []int{1})
	if object := v.OptionalObject(name); object != nil {
		object.OptionalInts("k")
	}
}

func FuzzParams(f *testing.F) {
	f.Add("a=1&b[]=2&c[k]=v", formType, "a=1&a=2&b[]=&[]=x&c[=1")
	f.Add("page=0&per_page=101", jsonType, `{"a":1e400,"b":[null,{}],"c":{"k":"v"}}`)
	f.Add("a[b][]=1&a[b][c]=2&a[b][][k]=3&b[][k]=1&b[]=2&c[][][][]=x&c[[]]=y", formType, "a[b][][k]=1&a=1&a[]=2")
	f.Add("%", "multipart/form-data; boundary=x", "--x\r\n\r\n--x--")
	f.Fuzz(func(t *testing.T, query, contentType, body string) {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.URL.RawQuery = query
		r.Header.Set("Content-Type", contentType)
		params := web.Params(r)
		if err := params.Err(); err != nil {
			if web.Status(err) >= http.StatusInternalServerError {
				t.Errorf("Params() = %v, want an error of the caller's", err)
			}
			return
		}
		for _, name := range []string{"a", "b", "c", "", "page"} {
			read(params, name)
		}
		if err := params.Err(); err != nil && !errors.Is(err, fault.Invalid) {
			t.Errorf("Err() = %v, want kind %q", err, fault.Invalid)
		}
	})
}

// Who reads a body first must not make it an empty one for the next.
func TestABodyThatIsTooLargeStaysSo(t *testing.T) {
	r := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("x", web.MaxBody+1)))
	for range 3 {
		if err := web.Params(r).Err(); !errors.Is(err, fault.TooLarge) {
			t.Errorf("Params = %v, want it too large every time", err)
		}
	}
}

// A body whose length says that it is too large is not read.
func TestABodyThatIsTooLargeIsNotRead(t *testing.T) {
	r := httptest.NewRequest("POST", "/", nil)
	r.Body, r.ContentLength = io.NopCloser(iotest.ErrReader(errors.New("was read"))), web.MaxBody+1
	for range 2 {
		if err := web.Params(r).Err(); !errors.Is(err, fault.TooLarge) {
			t.Errorf("Params = %v, want it too large", err)
		}
	}
}

func TestListsOfNumbersAndWords(t *testing.T) {
	tests := []struct {
		query, body string
		ints        []int64
		words       []string
		complaints  string
	}{
		{"", `{}`, nil, nil, ""},
		{"", `{"a":null}`, nil, nil, ""},
		{"", `{"a":[]}`, []int64{}, []string{}, ""},
		{"a[]=", "", []int64{}, []string{}, ""},
		{"a[]=3&a[]=4", "", []int64{3, 4}, []string{"3", "4"}, ""},
		{"a=3,4", "", []int64{3, 4}, []string{"3", "4"}, ""},
		{"", `{"a":[3,"4"]}`, []int64{3, 4}, []string{"4"}, "a is invalid"},
		{"", `{"a":["x"]}`, []int64{0}, []string{"x"}, "a is invalid"},
		{"", `{"a":[true]}`, []int64{0}, []string{}, "a is invalid"},
		{"a=1&a=2", "", []int64{}, []string{}, "a is invalid"},
	}
	for _, test := range tests {
		params := web.Params(post(test.query, "application/json", test.body))
		ints, words := params.OptionalInts("a"), params.OptionalWords("a")
		if err := params.Err(); !slices.Equal(ints, test.ints) || (ints == nil) != (test.ints == nil) || (err != nil) != (test.complaints != "") || err != nil && err.Error() != test.complaints {
			t.Errorf("%s %s: OptionalInts = %v, complaints %v, want %v, %q", test.query, test.body, ints, err, test.ints, test.complaints)
		}
		if test.complaints == "" && (!slices.Equal(words, test.words) || (words == nil) != (test.words == nil)) {
			t.Errorf("%s %s: OptionalWords = %q, want %q", test.query, test.body, words, test.words)
		}
	}
}

func TestObjectHasEveryParameter(t *testing.T) {
	params := web.Params(post("a=1&l[]=x", "application/json", `{"b":12345678901234567890,"c":{"d":[null]}}`))
	encoded, err := json.Marshal(params.Object())
	if want := `{"a":"1","b":12345678901234567890,"c":{"d":[null]},"l":["x"]}`; err != nil || string(encoded) != want || params.Err() != nil {
		t.Errorf("Object() = %s, %v, %v, want %s", encoded, err, params.Err(), want)
	}
	twice := web.Params(post("a=1&a=2", "", ""))
	if twice.Object(); twice.Err() == nil {
		t.Error("Object() takes a parameter that came twice")
	}
}

func TestOptionalTexts(t *testing.T) {
	for _, test := range []struct {
		query, body string
		want        []string
		complaint   string
	}{
		{"", "", nil, ""},
		{"", `{"a":null}`, nil, ""},
		{"a=", "", []string{}, ""},
		{"a=x+y,+z+,,", "", []string{"x y", "z"}, ""},
		{"a[]=x,y&a[]=+z", "", []string{"x,y", "z"}, ""},
		{"", `{"a":[]}`, []string{}, ""},
		{"", `{"a":["x y",""," "]}`, []string{"x y"}, ""},
		{"", `{"a":["x",1]}`, []string{"x"}, "a is invalid"},
		{"", `{"a":{"b":1}}`, []string{}, "a is invalid"},
	} {
		params := web.Params(post(test.query, "application/json", test.body))
		got, err := params.OptionalTexts("a"), params.Err()
		if !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) || (err != nil) != (test.complaint != "") || err != nil && err.Error() != test.complaint {
			t.Errorf("%s %s: OptionalTexts = %q, complaints %v, want %q, %q", test.query, test.body, got, err, test.want, test.complaint)
		}
	}
}

func TestDaysAndTimes(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-02": "2026-01-02T00:00:00Z", "2026-01-02T03:04:05Z": "2026-01-02T03:04:05Z", "2026-01-02T03:04:05%2B02:00": "2026-01-02T01:04:05Z",
		"2026-01-02T03:04:05": "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5": "2026-01-02T03:04:05.5Z", "2026-01-02T03:04:05%2B0200": "2026-01-02T01:04:05Z",
		"": "0001-01-01T00:00:00Z",
	} {
		v := web.Params(httptest.NewRequest("GET", "/?at="+text, nil))
		if got := v.OptionalDayOrTime("at").Format(time.RFC3339Nano); got != want || v.Err() != nil {
			t.Errorf("%q is %s, %v, want %s", text, got, v.Err(), want)
		}
	}
	for _, text := range []string{"x", "2026-13-01", "20260102", "1969-01-02T03:04:05", "2026-01-02T03:04", "2026-01-02T03:04:05X"} {
		v := web.Params(httptest.NewRequest("GET", "/?at="+text, nil))
		if v.OptionalDayOrTime("at"); v.Err() == nil || v.Err().Error() != "at is invalid" {
			t.Errorf("%q: %v, want at is invalid", text, v.Err())
		}
	}
}
