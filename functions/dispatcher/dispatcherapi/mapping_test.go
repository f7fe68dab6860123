package dispatcherapi_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"gatehouse/functions/dispatcher/dispatcherapi"
)

// record is a change as a stream tells it.
type record map[string]any

func (r record) at(path ...string) (found any) {
	found = map[string]any(r)
	for _, name := range path {
		inner, _ := found.(map[string]any)
		found = inner[name]
	}
	return found
}

func (r record) sequence() string { return r.at("dynamodb", "SequenceNumber").(string) }

func (r record) partition() string { return r.at("dynamodb", "Keys", "pk", "S").(string) }

// mapping hands the records of a stream to the function as an event source mapping of
// Lambda does.
type mapping struct {
	Type       string `yaml:"Type"`
	Properties struct {
		BatchSize                  int      `yaml:"BatchSize"`
		MaximumRetryAttempts       int      `yaml:"MaximumRetryAttempts"`
		BisectBatchOnFunctionError bool     `yaml:"BisectBatchOnFunctionError"`
		FunctionResponseTypes      []string `yaml:"FunctionResponseTypes"`
		FilterCriteria             struct {
			Filters []struct {
				Pattern string `yaml:"Pattern"`
			} `yaml:"Filters"`
		} `yaml:"FilterCriteria"`
	} `yaml:"Properties"`

	handler dispatcherapi.Handler
	invoked [][]string // the sequence numbers of each call
	dropped int        // records that no filter matches
	lost    []record   // went to the failure destination
}

// mappings returns the function's event source mappings in template.yaml by their names.
func mappings(t *testing.T, h dispatcherapi.Handler) map[string]*mapping {
	t.Helper()
	text, err := os.ReadFile("../../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources struct {
			DispatcherFunction struct {
				Properties struct {
					Events map[string]*mapping `yaml:"Events"`
				} `yaml:"Properties"`
			} `yaml:"DispatcherFunction"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	all := template.Resources.DispatcherFunction.Properties.Events
	for name, m := range all {
		if m.handler = h; m.Type != "DynamoDB" {
			delete(all, name)
		} else if !slices.Contains(m.Properties.FunctionResponseTypes, "ReportBatchItemFailures") {
			t.Errorf("the mapping %s does not take the function's report of failures", name)
		}
	}
	return all
}

// matches reports whether a filter of the mapping lets the record through.
func (m *mapping) matches(r record) bool {
	for _, filter := range m.Properties.FilterCriteria.Filters {
		var pattern map[string]any
		if err := json.Unmarshal([]byte(filter.Pattern), &pattern); err != nil {
			panic(err)
		}
		if matches(pattern, map[string]any(r)) {
			return true
		}
	}
	return false
}

// matches applies a pattern of objects, lists of what is allowed, and prefixes.
func matches(pattern, value any) bool {
	switch pattern := pattern.(type) {
	case map[string]any:
		if prefix, ok := pattern["prefix"].(string); ok {
			text, isText := value.(string)
			return isText && strings.HasPrefix(text, prefix)
		}
		inner, ok := value.(map[string]any)
		for name := range pattern {
			ok = ok && matches(pattern[name], inner[name])
		}
		return ok
	case []any:
		return slices.ContainsFunc(pattern, func(one any) bool { return matches(one, value) })
	}
	return pattern == value
}

// deliver hands the records to the function in batches.
func (m *mapping) deliver(ctx context.Context, all []record) {
	var some []record
	for _, r := range all {
		if m.matches(r) {
			some = append(some, r)
		}
	}
	m.dropped += len(all) - len(some)
	for batch := range slices.Chunk(some, m.Properties.BatchSize) {
		m.try(ctx, batch, m.Properties.MaximumRetryAttempts)
	}
}

// try hands over a batch until it is done. What the function reports as failed, and all
// behind it, is tried again. A call that fails as a whole has the batch halved first.
func (m *mapping) try(ctx context.Context, batch []record, retries int) {
	for {
		failed, err := m.invoke(ctx, batch)
		if err != nil && m.Properties.BisectBatchOnFunctionError && len(batch) > 1 {
			m.try(ctx, batch[:len(batch)/2], retries)
			m.try(ctx, batch[len(batch)/2:], retries)
			return
		}
		if batch = batch[failed:]; len(batch) == 0 {
			return
		}
		if retries == 0 {
			m.lost = append(m.lost, batch...)
			return
		}
		retries--
	}
}

// invoke calls the function, and returns the position of the first record that failed.
func (m *mapping) invoke(ctx context.Context, batch []record) (failed int, err error) {
	var sequences []string
	for _, r := range batch {
		sequences = append(sequences, r.sequence())
	}
	m.invoked = append(m.invoked, sequences)
	event, err := json.Marshal(map[string]any{"Records": batch})
	if err != nil {
		return 0, err
	}
	answered, err := m.handler.Invoke(ctx, event)
	if err != nil {
		return 0, err
	}
	var answer struct {
		BatchItemFailures []struct {
			ItemIdentifier string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(answered, &answer); err != nil {
		return 0, err
	}
	failed = len(batch)
	for _, f := range answer.BatchItemFailures {
		failed = min(failed, max(slices.Index(sequences, f.ItemIdentifier), 0)) // an unknown one: all failed
	}
	return failed, nil
}

// The filters of template.yaml let new messages through, each to one mapping.
func TestFilters(t *testing.T) {
	const expired = `{"eventName":"REMOVE","userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"},
		"dynamodb":{"Keys":{"pk":{"S":"DEAD#5"},"sk":{"S":"1"}},"SequenceNumber":"106"}}`
	claimed := strings.Replace(first, "INSERT", "MODIFY", 1)
	slow := strings.Replace(first, "LANE#alert/5/1", "SLOW#slow/webhook/5/1/alert/1", 1)
	all := mappings(t, dispatcherapi.Handler{})
	for text, want := range map[string]string{
		first: "Messages", slow: "SlowMessages", gone: "", dead: "", expired: "", claimed: "",
		strings.Replace(slow, "INSERT", "REMOVE", 1): "", strings.Replace(slow, "INSERT", "MODIFY", 1): "",
	} {
		var r record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		for name, m := range all {
			if got := m.matches(r); got != (name == want) {
				t.Errorf("the mapping %s takes %s: %t, want %t", name, text, got, name == want)
			}
		}
	}
}

// A call that fails as a whole is halved until what fails is alone.
func TestBatchesAreHalved(t *testing.T) {
	m := mappings(t, dispatcherapi.Handler{})["Messages"]
	var all []record
	for _, text := range []string{first, again, second} {
		var r record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		r["dynamodb"].(map[string]any)["Keys"] = "what the function cannot read"
		all = append(all, r)
	}
	m.try(t.Context(), all, 0)
	if len(m.lost) != 3 || len(m.invoked) != 5 {
		t.Errorf("lost %d records in the calls %v", len(m.lost), m.invoked)
	}
}
