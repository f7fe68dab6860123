package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"

	"gatehouse/scripts/growth/partition"
)

// recorder is an HTTP client that notes what requests to DynamoDB take of which
// partition. Like the meter, it is for emulators.
type recorder struct {
	client http.Client
	mu     sync.Mutex
	on     bool
	uses   []partition.Use
}

// during returns what a call takes.
func (rec *recorder) during(call func()) []partition.Use {
	rec.set(true)
	call()
	rec.set(false)
	return rec.uses
}

func (rec *recorder) set(on bool) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if rec.on = on; on {
		rec.uses = nil
	}
}

func (rec *recorder) recording() bool {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.on
}

func (rec *recorder) Do(r *http.Request) (*http.Response, error) {
	if !rec.recording() {
		return rec.client.Do(r)
	}
	request, err := askForCapacity(r)
	if err != nil {
		return nil, err
	}
	call := partition.Call{Operation: operationOf(r), Request: request}
	if call.Operation == "TransactWriteItems" { // while the items that it writes are as before
		if err := rec.add(r, call); err != nil {
			return nil, err
		}
		return rec.client.Do(r)
	}
	answer, err := rec.client.Do(r)
	if err != nil {
		return nil, err
	}
	if call.Answer, err = readAnswer(answer); err == nil {
		err = rec.add(r, call)
	}
	return answer, err
}

func (rec *recorder) add(r *http.Request, call partition.Call) error {
	uses, err := call.Uses(func(table string, key json.RawMessage) (int, error) { return rec.storedSize(r, table, key) })
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.uses = append(rec.uses, uses...)
	return err
}

// storedSize reads an item with the credentials of another request.
func (rec *recorder) storedSize(of *http.Request, table string, key json.RawMessage) (int, error) {
	body := fmt.Appendf(nil, `{"TableName":%q,"Key":%s,"ConsistentRead":true}`, table, key)
	r, err := http.NewRequestWithContext(of.Context(), of.Method, of.URL.String(), bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	maps.Copy(r.Header, of.Header)
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.GetItem")
	answer, err := rec.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	var found struct{ Item json.RawMessage }
	text, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return 0, err
	case answer.StatusCode != http.StatusOK:
		return 0, fmt.Errorf("read an item of %s: %s", table, text)
	}
	if err := json.Unmarshal(text, &found); err != nil || found.Item == nil {
		return 0, err
	}
	return partition.Size(found.Item)
}
