package payload_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/fault"
	"gatehouse/shared/payload"
)

func value(t *testing.T, text string) any {
	t.Helper()
	document, err := payload.Read([]byte(`{"v":` + text + `}`))
	if err != nil {
		t.Fatalf("Read(%s): %v", text, err)
	}
	return document.Object["v"]
}

func TestTime(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	minute, midnight := at.Truncate(time.Minute), at.Truncate(24*time.Hour)
	tests := map[string]time.Time{
		"2026-02-03T04:05:06Z":                           at,
		"2026-02-03t04:05:06z":                           at,
		"2026-02-03T04:05:06.123456789Z":                 at.Add(123456789),
		"2026-02-03T04:05:06,5Z":                         at.Add(5e8),
		"2026-02-03T04:05:06+00:00":                      at,
		"2026-02-03T09:50:06+05:45":                      at,
		"2026-02-02T23:05:06-0500":                       at,
		"2026-02-03T06:05:06+02":                         at,
		"2026-02-03T04:05:06":                            at,
		"2026-02-03T04:05Z":                              minute,
		"2026-02-03T04:05":                               minute,
		"  2026-02-03   04:05:06 ":                       at,
		"2026-02-03 04:05:06.5":                          at.Add(5e8),
		"2026-02-03 00:05:06 -0400":                      at,
		"2026-02-03 00:05:06 -04:00":                     at,
		"2026-02-03 04:05:06 UTC":                        at,
		"2026-02-03 04:05:06 GMT":                        at,
		"2026-02-02 23:05:06 EST":                        at,
		"2026-02-03 05:05:06 +0100 CET":                  at,
		"2026-02-03 04:05":                               minute,
		"2026-02-03":                                     midnight,
		"2026-2-3":                                       midnight,
		"2026/02/03 04:05:06":                            at,
		"20260203T040506Z":                               at,
		"20260203T050506+0100":                           at,
		"20260203":                                       midnight,
		"Tue, 03 Feb 2026 04:05:06 +0000":                at,
		"Tue, 3 Feb 2026 04:05:06 GMT":                   at,
		"3 Feb 2026 04:05 Z":                             minute,
		"03 Feb 2026 00:05:06 -0400 (Atlantic Time)":     at,
		"3 February 2026 04:05:06":                       at,
		"3 Feb 2026":                                     midnight,
		"Tue, 03 Feb 26 04:05:06 GMT":                    at,
		"Tue Feb  3 04:05:06 2026":                       at,
		"Tue Feb  3 04:05:06 UTC 2026":                   at,
		"Tue Feb 03 05:05:06 +0100 2026":                 at,
		"2026-02-03 09:50:06 +05:45":                     at,
		"2026-02-03 00:35:06 -0330":                      at,
		"2026-02-04 04:04:06 +23:59":                     at,
		"2026-02-04 04:05:06 +24:00":                     {},
		"2026-02-03 00:05:06 EDT":                        at,
		"2026-02-02 22:05:06 CST":                        at,
		"2026-02-02 23:05:06 CDT":                        at,
		"2026-02-02 21:05:06 MST":                        at,
		"2026-02-02 22:05:06 MDT":                        at,
		"2026-02-02 20:05:06 PST":                        at,
		"2026-02-02 21:05:06 PDT":                        at,
		"":                                               {},
		" ":                                              {},
		"now":                                            {},
		"5":                                              {},
		"1770091506":                                     {},
		"1770091506000":                                  {},
		"04:05:06":                                       {},
		"02/03/2026":                                     {},
		"2026-02-30":                                     {},
		"2026-13-01":                                     {},
		"2026-02-03 25:00:00":                            {},
		"2026-02-03 04:05:06 CET":                        {},
		"2026-02-03 04:05:06 +99:00":                     {},
		"2026-02-03 04:05:06 +01:60":                     {},
		"2026-02-03T04:05:06Z and more":                  {},
		"0001-01-01T00:00:00Z":                           {},
		"1969-12-31T23:59:59Z":                           {},
		"1970-01-01T00:00:00Z":                           {},
		"1970-01-01 01:00:00 +0100":                      {},
		"1970-01-01T00:00:01Z":                           time.Unix(1, 0).UTC(),
		"2199-12-31T23:59:59Z":                           time.Date(2199, 12, 31, 23, 59, 59, 0, time.UTC),
		"2199-12-31T23:59:59-01:00":                      {},
		"2200-01-01":                                     {},
		"99999-01-01T00:00:00Z":                          {},
		strings.Repeat(" ", 60) + "2026-02-03T04:05:06Z": at, // 80 characters
		strings.Repeat(" ", 61) + "2026-02-03T04:05:06Z": {},
	}
	for text, want := range tests {
		got, ok := payload.Time(text)
		if got != want || ok == want.IsZero() {
			t.Errorf("Time(%q) = %v, %v, want %v", text, got, ok, want)
		}
	}
	if got, ok := payload.Time(json.Number("1770091506000")); ok {
		t.Errorf("Time of a number = %v, want none", got)
	}
}

func TestEpochTime(t *testing.T) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	tests := map[string]time.Time{
		`1770091506000`:          at,
		`1770091506999`:          at.Add(999 * time.Millisecond),
		`1770091506000.9`:        at,
		`1770091506`:             at,
		`"2026-02-03T04:05:06Z"`: at,
		`"1770091506000"`:        {},
		`100000000000`:           time.UnixMilli(1e11).UTC(), // in 1973
		`99999999999`:            {},                         // seconds, in 5138
		`0`:                      {},
		`0.0001`:                 {},
		`-1770091506000`:         {},
		`1770091506000000`:       {}, // microseconds
		`7258118400000`:          {}, // in 2200
		`1e5000`:                 {},
		`true`:                   {},
		`null`:                   {},
		`[1770091506000]`:        {},
	}
	for text, want := range tests {
		got, ok := payload.EpochTime(value(t, text))
		if got != want || ok == want.IsZero() {
			t.Errorf("EpochTime(%s) = %v, %v, want %v", text, got, ok, want)
		}
	}
}

func TestCanonicalTexts(t *testing.T) {
	lines := [][]string{
		{`1`, `1.0`, `1e0`, `10e-1`, `0.1E+1`, `100E-2`},
		{`-1`, `-1.0`, `-10e-1`},
		{`0`, `-0`, `0.0`, `0e5`, `0e99999999999`},
		{`100`, `1e2`, `1.0e+2`},
		{`1e5000`, `10e4999`},
		{`1e99999999999`},
		{`1e99999999998`},
		{`9007199254740993`, `9007199254740993.0`},
		{`9007199254740992`},
		{`0.10`, `1e-1`},
		{`-0.05`, `-5e-2`},
		{`12.5`, `125e-1`},
		{`"1"`},
		{`"a"`, `"\u0061"`},
		{`null`},
		{`"null"`},
		{`true`},
		{`false`},
		{`[]`},
		{`{}`},
		{`[[]]`},
		{`[{}]`},
		{`["a","b"]`, `[ "a" , "b" ]`},
		{`["a,b"]`},
		{`["a\",\"b"]`},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, `{"a":0,"b":2,"a":1}`},
		{`{"a":{"b":2}}`},
	}
	seen := map[string]string{}
	for _, line := range lines {
		want := string(payload.AppendCanonical(nil, value(t, line[0])))
		if other, ok := seen[want]; ok {
			t.Errorf("%s and %s have one canonical text, %s", other, line[0], want)
		}
		seen[want] = line[0]
		for _, text := range line {
			if got := string(payload.AppendCanonical(nil, value(t, text))); got != want {
				t.Errorf("canonical text of %s is %s, want %s", text, got, want)
			}
		}
	}
}

// Stored fingerprints are digests of these texts, so they must never change.
func TestCanonicalTextsStay(t *testing.T) {
	tests := map[string]string{
		`100`:                         `1e2`,
		`12.5`:                        `125e-1`,
		`-0.050`:                      `-5e-2`,
		`120e7`:                       `12e8`,
		`0`:                           `0`,
		`{"b":[1,null],"a":"\u00e9"}`: `{"a":"é","b":[1e0,null,],}`,
	}
	for text, want := range tests {
		if got := string(payload.AppendCanonical(nil, value(t, text))); got != want {
			t.Errorf("canonical text of %s is %s, want %s", text, got, want)
		}
	}
}

// A group of notifications may be larger than a payload for one alert.
func TestReadUpTo(t *testing.T) {
	for size, want := range map[int]string{payload.MaxGroupBytes: "", payload.MaxGroupBytes + 1: "the payload exceeds 5 MiB"} {
		text := `{"a":"` + strings.Repeat("x", size-len(`{"a":""}`)) + `"}`
		if _, err := payload.ReadUpTo([]byte(text), payload.MaxGroupBytes); fault.Message(err) != want {
			t.Errorf("ReadUpTo of %d bytes gave %v, want %q", size, err, want)
		}
	}
}

func TestRead(t *testing.T) {
	nested := func(levels int) string {
		return strings.Repeat(`{"a":[`, levels/2) + strings.Repeat(`]}`, levels/2)
	}
	padded := func(length int) string { return `{"a":"` + strings.Repeat("x", length-len(`{"a":""}`)) + `"}` }
	tests := map[string]string{ // the complaint, or "" for none
		``:                      "",
		nested(100):             "",
		nested(102):             "the payload is nested more than 100 levels deep",
		"[" + nested(100) + "]": "the payload is nested more than 100 levels deep",
		padded(1 << 20):         "",
		padded(1<<20 + 1):       "the payload exceeds 1 MiB",
		`{"a":[` + strings.Repeat("[],", 200) + `{}]}`:    "",
		`{"a":"` + strings.Repeat("[", 200) + `"}`:        "",
		`{"a":"\"` + strings.Repeat("{", 200) + `"}`:      "",
		`{"a":"\\",` + `"b":` + strings.Repeat("[", 100):  "the payload is nested more than 100 levels deep",
		`{"a":"]]]",` + `"b":` + strings.Repeat("[", 100): "the payload is nested more than 100 levels deep",
		`[]`:         "the payload must be a JSON object",
		`"a"`:        "the payload must be a JSON object",
		`null`:       "the payload must be a JSON object",
		`{"a":1}}`:   "the payload is not valid JSON at line 1, column 8",
		`{"a":1} {}`: "the payload is not valid JSON at line 1, column 9",
		`{"a":x}`:    "the payload is not valid JSON at line 1, column 6",
		`{"a":"b`:    "the payload is not valid JSON at line 1, column 7",
		"\ufeff\n\n{\n  \"ä\": \"ö\",\n  \"ü\": x\n}": "the payload is not valid JSON at line 5, column 8",
	}
	for text, want := range tests {
		_, err := payload.Read([]byte(text))
		if got := fault.Message(err); got != want || (err == nil) != (want == "") || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("Read of %d bytes, %.40q: %v, want %q", len(text), text, err, want)
		}
	}
}

func TestBlankTextAndFlatten(t *testing.T) {
	tests := map[string]struct {
		blank bool
		text  string
		flat  int
	}{
		`null`:             {true, "null", 1},
		`false`:            {true, "false", 1},
		`true`:             {false, "true", 1},
		`" \t "`:           {true, " \t ", 1},
		`"a"`:              {false, "a", 1},
		`0`:                {false, "0", 1},
		`1.0`:              {false, "1.0", 1},
		`[]`:               {true, "[]", 0},
		`[1, [[], [2]]]`:   {false, "[1,[[],[2]]]", 2},
		`{}`:               {true, "{}", 1},
		`{"a": "<b> & é"}`: {false, `{"a":"<b> & é"}`, 1},
	}
	for text, want := range tests {
		v := value(t, text)
		if blank, shown, flat := payload.Blank(v), payload.Text(v), len(payload.Flatten(v)); blank != want.blank || shown != want.text || flat != want.flat {
			t.Errorf("%s is blank: %v, has the text %q and %d elements, want %+v", text, blank, shown, flat, want)
		}
	}
	if got := payload.Text(func() {}); got != "" {
		t.Errorf("Text of something that is not JSON = %q, want none", got)
	}
}

func TestTheTextOfADocumentIsWhatWasSent(t *testing.T) {
	tests := map[string]string{
		"":                         `{}`,
		"\ufeff {\"a\": 1.0 }\n":   `{"a": 1.0 }`,
		"{\"a\":\"\xff\xfe\xc3\"}": `{"a":"?"}`,
	}
	for text, want := range tests {
		document, err := payload.Read([]byte(text))
		if err != nil || string(document.Text) != want {
			t.Errorf("Read(%q) keeps %q, %v; want %q", text, document.Text, err, want)
		}
	}
}

func TestElements(t *testing.T) {
	document, err := payload.Read([]byte(`{"l":[1, {"a" :2}],"l":[ "x" ,null],"s":"[1]"}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, element := range document.Elements("l") {
		got = append(got, string(element))
	}
	if diff := cmp.Diff([]string{`"x"`, `null`}, got); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	if got := append(document.Elements("s"), document.Elements("none")...); len(got) > 0 {
		t.Errorf("elements of what is no array: %s", got)
	}
}

func TestCut(t *testing.T) {
	tests := map[string]string{
		"":         "",
		"12345":    "12345",
		"üöäßé":    "üöäßé",
		"123456":   "12...",
		"üöäßéñ":   "üö...",
		"世界世界世界世界": "世界...",
	}
	for text, want := range tests {
		if got := payload.Cut(text, 5); got != want {
			t.Errorf("Cut(%q, 5) = %q, want %q", text, got, want)
		}
	}
}

// A time is in UTC and in the years of alerts, and is read again as itself.
func FuzzTime(f *testing.F) {
	for _, text := range []string{"2026-02-03T04:05:06.7+01:00", "Tue, 3 Feb 2026 04:05:06 EST", "Tue Feb  3 04:05:06 UTC 2026", "20260203T0405Z", "2026/2/3 1:00 (x)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, ok := payload.Time(text)
		if !ok {
			return
		}
		again, ok := payload.Time(at.Format(time.RFC3339Nano))
		if at.Location() != time.UTC || !ok || again != at || at.Year() < 1970 || at.Year() > 2199 {
			t.Errorf("Time(%q) = %v, and again %v", text, at, again)
		}
	})
}
