package functions_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"

	"gatehouse/shared/storage/dynamodb/dynamodbtest"
)

// cost is what a request takes in round trips to DynamoDB.
type cost struct {
	steps   int // round trips one after the other
	writes  int
	entries int // writes to the audit trail, which are not among the others: four for each entry, five in a project
}

// steps counts what a request costs.
type steps struct {
	dynamodbtest.Steps
	mu sync.Mutex
	cost
}

func (s *steps) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.note(r.Header.Get("X-Amz-Target"), bytes.Contains(body, []byte(`"AUDIT#`)))
	return s.Steps.Do(r)
}

func (s *steps) note(target string, audit bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, operation, _ := strings.Cut(target, ".")
	switch {
	case strings.HasSuffix(operation, "GetItem"), operation == "Query":
	case audit:
		s.entries++
	default:
		s.writes++
	}
}

// during returns what a call takes.
func (s *steps) during(call func()) cost {
	s.reset()
	took, _ := s.During(call)
	s.mu.Lock()
	defer s.mu.Unlock()
	return cost{took, s.writes, s.entries}
}

func (s *steps) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost = cost{}
}
