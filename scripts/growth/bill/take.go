// Package bill reckons what a month of Gatehouse costs on AWS: from what calls take, which
// was measured, from prices with their date, and from how often each call is made.
package bill

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Take is what one call takes of what AWS bills by use, on average.
type Take struct {
	Requests     float64 `json:"requests"`     // to the gateway
	Invocations  float64 `json:"invocations"`  // of functions
	Milliseconds float64 `json:"milliseconds"` // of a whole processor
	Steps        float64 `json:"steps"`        // round trips to DynamoDB, one after the other
	Outside      float64 `json:"outside"`      // mails and webhooks that a function waits for
	Reads        float64 `json:"reads"`        // units of DynamoDB
	Writes       float64 `json:"writes"`
	ByteMonths   float64 `json:"byte_months"` // what it adds to the tables, for as long as that stays
	Sent         float64 `json:"sent"`        // bytes of the answer
	LogLines     float64 `json:"log_lines"`
	LogBytes     float64 `json:"log_bytes"`
	Mails        float64 `json:"mails"`
}

// fields are the parts of a Take in their order.
func (t *Take) fields() []*float64 {
	return []*float64{
		&t.Requests, &t.Invocations, &t.Milliseconds, &t.Steps, &t.Outside, &t.Reads, &t.Writes,
		&t.ByteMonths, &t.Sent, &t.LogLines, &t.LogBytes, &t.Mails,
	}
}

// Plus returns the sum of both, the other one taken so many times.
func (t Take) Plus(times float64, other Take) Take {
	for i, field := range t.fields() {
		*field += times * *other.fields()[i]
	}
	return t
}

// Times returns as much of everything so many times.
func (t Take) Times(n float64) Take { return Take{}.Plus(n, t) }

// Beyond returns what is left beyond another take.
func (t Take) Beyond(other Take) Take {
	rest := t.Plus(-1, other)
	for _, field := range rest.fields() {
		*field = max(0, *field)
	}
	return rest
}

// Measured is what calls take, by name, and when that was measured.
type Measured struct {
	On    string          `json:"on"` // a date
	Takes map[string]Take `json:"takes"`
}

// Take returns what the load takes in a month.
func (m Measured) Take(l Load) (sum Take, err error) {
	for _, name := range slices.Sorted(maps.Keys(l)) {
		one, ok := m.Takes[name]
		if !ok {
			return Take{}, fmt.Errorf("there is no call %q, only %s", name, strings.Join(slices.Sorted(maps.Keys(m.Takes)), ", "))
		}
		sum = sum.Plus(l[name], one)
	}
	return sum, nil
}
