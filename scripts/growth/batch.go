package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// batches sends items that are put without a condition together: an emulator takes
// 25 in one request about as fast as one.
type batches struct {
	client *http.Client
	mu     sync.Mutex
	next   *batch
}

// batch is a request that is yet to be sent, and how it went once it was.
type batch struct {
	request *http.Request
	puts    []put
	done    chan struct{}
	err     error
}

// put is what a request asks to be put.
type put struct {
	TableName           string
	Item                json.RawMessage
	ConditionExpression string
	ReturnValues        string
}

// The most puts that DynamoDB takes together, and how long the first waits for others.
const (
	mostPuts = 25
	gather   = 3 * time.Millisecond
)

// take puts the item of the request together with others. It reports false if the
// request puts nothing, or something only on a condition; its body can be read again then.
func (b *batches) take(r *http.Request) (*http.Response, bool, error) {
	if operationOf(r) != "PutItem" {
		return nil, false, nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, false, err
	}
	setBody(r, body)
	var one put
	if err := json.Unmarshal(body, &one); err != nil {
		return nil, false, err
	}
	if one.ConditionExpression != "" || one.ReturnValues != "" {
		return nil, false, nil
	}
	joined := b.join(r, one)
	<-joined.done
	if joined.err != nil {
		return nil, true, joined.err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: r}, true, nil
}

// join adds the item to the next batch, which is sent when it is full or a moment has
// passed.
func (b *batches) join(r *http.Request, one put) *batch {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		joined := &batch{request: r, done: make(chan struct{})}
		b.next = joined
		time.AfterFunc(gather, func() { b.flush(joined) })
	}
	joined := b.next
	if joined.puts = append(joined.puts, one); len(joined.puts) == mostPuts {
		b.next = nil
		go joined.send(b.client)
	}
	return joined
}

func (b *batches) flush(waiting *batch) {
	b.mu.Lock()
	mine := b.next == waiting
	if mine {
		b.next = nil
	}
	b.mu.Unlock()
	if mine {
		waiting.send(b.client)
	}
}

func (b *batch) send(client *http.Client) {
	defer close(b.done)
	b.err = b.write(client)
}

func (b *batch) write(client *http.Client) error {
	type request struct {
		PutRequest struct{ Item json.RawMessage }
	}
	items := map[string][]request{}
	for _, one := range b.puts {
		var r request
		r.PutRequest.Item = one.Item
		items[one.TableName] = append(items[one.TableName], r)
	}
	body, err := json.Marshal(map[string]any{"RequestItems": items})
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, b.request.URL.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = b.request.Header.Clone()
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.BatchWriteItem")
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	told, err := readAnswer(answer)
	if err != nil {
		return err
	}
	return complete(answer.StatusCode, told)
}

// complete returns an error unless the answer says that all was put.
func complete(status int, body []byte) error {
	if status != http.StatusOK {
		return fmt.Errorf("a batch of puts was answered %d %s", status, body)
	}
	var left struct{ UnprocessedItems map[string]json.RawMessage }
	if err := json.Unmarshal(body, &left); err != nil {
		return err
	}
	if len(left.UnprocessedItems) > 0 {
		return errors.New("a part of a batch of puts was not processed")
	}
	return nil
}
