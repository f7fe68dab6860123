package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// meter is an HTTP client that counts the requests to DynamoDB and what they read.
// It asks DynamoDB for that in each request, which changes a body that is signed:
// emulators do not check the signature.
type meter struct {
	client http.Client
	puts   batches            // while nothing is counted
	steps  dynamodbtest.Steps // while it is on
	mu     sync.Mutex
	on     bool
	paused bool
	cost   cost
}

// cost is what a call takes of DynamoDB.
type cost struct {
	reads, writes int     // requests
	inRow         int     // requests one after the other; those side by side are one
	units         float64 // read units
	written       float64 // write units
}

// minus returns what is left beyond another cost.
func (c cost) minus(other cost) cost {
	return cost{max(0, c.reads-other.reads), max(0, c.writes-other.writes), max(0, c.inRow-other.inRow), max(0, c.units-other.units), max(0, c.written-other.written)}
}

// budget is what a call may take beyond its base.
var budget = cost{inRow: 3, units: 60}

func (c cost) within(most cost) bool { return c.inRow <= most.inRow && c.units <= most.units }

// during returns what a call costs.
func (m *meter) during(call func()) cost {
	m.set(true)
	inRow, _ := m.steps.During(call)
	m.set(false)
	m.cost.inRow = inRow
	return m.cost
}

func (m *meter) set(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.on = on; on {
		m.cost = cost{}
	}
}

// pause has nothing counted until it ends.
func (m *meter) pause(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paused = on
}

func (m *meter) counting() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.on && !m.paused
}

func (m *meter) Do(r *http.Request) (*http.Response, error) {
	if !m.counting() {
		return m.fill(r)
	}
	if _, err := askForCapacity(r); err != nil {
		return nil, err
	}
	answer, err := m.steps.Do(r)
	if err != nil {
		return nil, err
	}
	body, err := readAnswer(answer)
	if err == nil {
		err = m.add(r, body)
	}
	return answer, err
}

var token = regexp.MustCompile(`,?"ClientRequestToken":"[^"]*"`)

// fill makes a request without the token with which a transaction can be repeated: the
// emulator looks through those of the last ten minutes at each. Puts without a condition
// go together.
func (m *meter) fill(r *http.Request) (*http.Response, error) {
	if answer, taken, err := m.puts.take(r); taken || err != nil {
		return answer, err
	}
	if operationOf(r) != "TransactWriteItems" {
		return m.client.Do(r)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	setBody(r, bytes.Replace(token.ReplaceAll(body, nil), []byte("{,"), []byte("{"), 1))
	return m.client.Do(r)
}

func setBody(r *http.Request, body []byte) {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
}

// askForCapacity has the request ask, and returns its body.
func askForCapacity(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	body = append([]byte(`{"ReturnConsumedCapacity":"TOTAL",`), bytes.TrimPrefix(body, []byte("{"))...)
	setBody(r, body)
	return body, nil
}

// readAnswer returns the body of an answer, which can be read again.
func readAnswer(answer *http.Response) ([]byte, error) {
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return body, err
}

func operationOf(r *http.Request) string {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return operation
}

// add adds what an answer says.
func (m *meter) add(r *http.Request, body []byte) error {
	units, err := consumed(body)
	if err != nil {
		return err
	}
	took := cost{writes: 1, written: units}
	if operation := operationOf(r); strings.HasSuffix(operation, "GetItem") || operation == "Query" || operation == "Scan" {
		took = cost{reads: 1, units: units}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cost.reads, m.cost.writes, m.cost.units = m.cost.reads+took.reads, m.cost.writes+took.writes, m.cost.units+took.units
	m.cost.written += took.written
	return nil
}

// consumed reads the units in an answer, which has one number for each table.
func consumed(body []byte) (units float64, err error) {
	var answer struct{ ConsumedCapacity json.RawMessage }
	type capacity struct{ CapacityUnits float64 }
	var all []capacity
	if err := json.Unmarshal(body, &answer); err != nil || answer.ConsumedCapacity == nil {
		return 0, err
	}
	if answer.ConsumedCapacity[0] == '[' {
		err = json.Unmarshal(answer.ConsumedCapacity, &all)
	} else {
		all = make([]capacity, 1)
		err = json.Unmarshal(answer.ConsumedCapacity, &all[0])
	}
	for _, c := range all {
		units += c.CapacityUnits
	}
	return units, err
}
