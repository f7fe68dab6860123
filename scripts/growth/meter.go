package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// meter is an HTTP client that counts the requests to DynamoDB and what they read.
// It asks DynamoDB for that in each request, which changes a body that is signed:
// emulators do not check the signature.
type meter struct {
	client http.Client
	mu     sync.Mutex
	on     bool
	cost   cost
}

// cost is what a call takes of DynamoDB.
type cost struct {
	reads, writes int     // requests
	units         float64 // read units
}

// minus returns what is left beyond another cost.
func (c cost) minus(other cost) cost {
	return cost{max(0, c.reads-other.reads), max(0, c.writes-other.writes), max(0, c.units-other.units)}
}

// budget is what a call may read beyond its base.
var budget = cost{reads: 3, units: 60}

func (c cost) within(most cost) bool { return c.reads <= most.reads && c.units <= most.units }

// during returns what a call costs.
func (m *meter) during(call func()) cost {
	m.set(true)
	call()
	m.set(false)
	return m.cost
}

func (m *meter) set(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.on = on; on {
		m.cost = cost{}
	}
}

func (m *meter) counting() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.on
}

func (m *meter) Do(r *http.Request) (*http.Response, error) {
	if !m.counting() {
		return m.client.Do(r)
	}
	if err := askForCapacity(r); err != nil {
		return nil, err
	}
	answer, err := m.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	if err == nil {
		err = m.add(r, body)
	}
	return answer, err
}

func askForCapacity(r *http.Request) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	body = append([]byte(`{"ReturnConsumedCapacity":"TOTAL",`), bytes.TrimPrefix(body, []byte("{"))...)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return nil
}

// add adds what an answer says. Only reads have read units.
func (m *meter) add(r *http.Request, body []byte) error {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	took := cost{writes: 1}
	if strings.HasSuffix(operation, "GetItem") || operation == "Query" {
		units, err := consumed(body)
		if err != nil {
			return err
		}
		took = cost{reads: 1, units: units}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cost = cost{m.cost.reads + took.reads, m.cost.writes + took.writes, m.cost.units + took.units}
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
