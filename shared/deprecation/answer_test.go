package deprecation_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"gatehouse/shared/deprecation"
)

// integration is the call of which the tests read answers.
const integration = "GET /api/v4/projects/{id}/monitor/integrations/{integration_id}"

func TestOmitDropsMembersAndLeavesTheRest(t *testing.T) {
	info, runner := deprecation.At("GET /oauth/token/info"), deprecation.At("GET /api/v4/runners/{runner_id}")
	tests := []struct {
		name      string
		places    []deprecation.Named
		in, wants string
	}{
		{"nothing deprecated", info, `{"scope":["api"]}`, `{"scope":["api"]}`},
		{"the first member", info, `{"scopes":["api","a,b}"],"scope":1.0}`, `{"scope":1.0}`},
		{"the last member", info, `{"scope":1e3,"scopes":[]}`, `{"scope":1e3}`},
		{"members one after the other", info, `{"a":0,"scopes":[{"x":[]}],"expires_in_seconds":null,"b":-0.50}`, `{"a":0,"b":-0.50}`},
		{"the first two", info, `{"scopes":1,"expires_in_seconds":2,"b":3}`, `{"b":3}`},
		{"all members", info, `{"scopes":1,"expires_in_seconds":2}`, `{}`},
		{"an empty object", info, `{}`, `{}`},
		{"members of others", info, `{"a":{"scopes":1},"b":[{"scopes":1}]}`, `{"a":{"scopes":1},"b":[{"scopes":1}]}`},
		{"texts that look like members", info, `{"a":"\",\"scopes\":1","scopes":"\\"}`, `{"a":"\",\"scopes\":1"}`},
		{"white space", info, "{ \"a\" : 1 ,\n \"scopes\" : [ 1 , 2 ] }\n", "{ \"a\" : 1 }\n"},
		{"objects of a list", runner, `[{"id":1,"active":true},{"active":true,"id":2},3,[],{}]`, `[{"id":1},{"id":2},3,[],{}]`},
		{"an empty list", runner, `[]`, `[]`},
		{"beside another value", deprecation.At(integration), `{"type":"http","api_url":"x"}`, `{"type":"http","api_url":"x"}`},
		{"beside the value", deprecation.At(integration), `{"api_url":"x","type":"metrics"}`, `{"type":"metrics"}`},
		{"no object", info, `"scopes"`, `"scopes"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := deprecation.Omit([]byte(test.in), test.places)
			if err != nil || string(got) != test.wants {
				t.Errorf("Omit(%s) = %s, %v, want %s", test.in, got, err, test.wants)
			}
		})
	}
}

func TestToldFindsFactsUnderDeprecatedNamesAlone(t *testing.T) {
	tests := map[string]int{
		`{"type":"metrics","api_url":"https://x.example"}`: 1,
		`{"type":"metrics","api_url":null}`:                0,
		`{"type":"metrics","api_url":""}`:                  0,
		`{"type":"metrics"}`:                               0,
		`{"type":"http","api_url":"https://x.example"}`:    0,
		`[{"type":"http"},{"type":"oncall_link","api_url":"x"},{"type":"metrics","api_url":"x"}]`: 2,
		`[]`: 0,
	}
	for answer, want := range tests {
		told, err := deprecation.Told([]byte(answer), deprecation.At(integration))
		if err != nil || len(told) != want {
			t.Errorf("Told(%s) = %v, %v, want %d places", answer, told, err, want)
		}
	}
}

func TestAnswersThatEndTooEarly(t *testing.T) {
	whole := `[{"a":"\"x","scopes":[1,{"b":null}]},2]`
	for n := range len(whole) {
		if got, err := deprecation.Omit([]byte(whole[:n]), deprecation.At("GET /oauth/token/info")); err == nil && n > 0 {
			t.Errorf("Omit(%s) = %s, want an error", whole[:n], got)
		}
	}
}

// What is omitted is what encoding/json would leave out.
func FuzzOmit(f *testing.F) {
	for _, text := range []string{`{"scopes":1}`, `[{"a":{"scopes":[]}}]`, `{"a":"\\\"","scopes":"}"}`, "{ \"scopes\" :1e9\n}", `nul`} {
		f.Add(text)
	}
	places := deprecation.At("GET /oauth/token/info")
	f.Fuzz(func(t *testing.T, text string) {
		var object map[string]json.RawMessage
		got, err := deprecation.Omit([]byte(text), places)
		if json.Unmarshal([]byte(text), &object) != nil || object == nil || bytes.ContainsRune([]byte(text), '\\') {
			return // it must only not panic
		}
		var left map[string]json.RawMessage
		if err != nil || json.Unmarshal(got, &left) != nil {
			t.Fatalf("Omit(%s) = %s, %v, want JSON", text, got, err)
		}
		delete(object, "scopes")
		delete(object, "expires_in_seconds")
		if len(left) != len(object) {
			t.Errorf("Omit(%s) = %s, which has %d members, want %d", text, got, len(left), len(object))
		}
		for name, value := range object {
			if !bytes.Equal(left[name], value) {
				t.Errorf("Omit(%s) = %s, which has another %s", text, got, name)
			}
		}
	})
}
