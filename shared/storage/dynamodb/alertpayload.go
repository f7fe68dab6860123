package dynamodb

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"gatehouse/shared/secret"
	"gatehouse/shared/storage/packed"
)

var payloadItem = shape{alerts, "PAYLOAD#<name>", "<number>", "a chunk of a payload or a sample", "with the alert of a payload"}

func payloadKeys(name string, chunks int64) []key {
	var keys []key
	for n := range chunks {
		keys = append(keys, payloadItem.key(name, n))
	}
	return keys
}

// maxChunk keeps an item below the 400 KB that DynamoDB takes.
const maxChunk = 350 << 10

// payload is what a monitoring tool sent, or a sample of it, in chunks under a
// unique name. A caller that finishes the work of another stores a second
// payload, and the alert refers to one of the two.
type payload struct {
	name   string
	chunks [][]byte
}

func newPayload(text []byte) payload {
	return payload{hex.EncodeToString(secret.Random(16)), slices.Collect(slices.Chunk(packed.Pack(text), maxChunk))}
}

func payloadFields(name *string, chunks *int64) fields {
	return fields{{"payload", name}, {"payload_chunks", chunks}}
}

// payloadIn returns where the payload of an item is; the name is empty if it has
// none.
func payloadIn(it item) (name string, chunks int64, err error) {
	err = payloadFields(&name, &chunks).read(it)
	return name, chunks, err
}

// fields are how an alert or an integration refers to the payload.
func (p payload) fields() fields {
	n := int64(len(p.chunks))
	return payloadFields(&p.name, &n)
}

// changes returns a change for each chunk.
func (p payload) changes(of func(k key, chunk []byte) change) []change {
	var all []change
	for n, k := range payloadKeys(p.name, int64(len(p.chunks))) {
		all = append(all, of(k, p.chunks[n]))
	}
	return all
}

func (s *Store) putPayload(ctx context.Context, p payload) error {
	return s.writeEach(ctx, p.changes(func(k key, chunk []byte) change {
		return create(k, fields{{"chunk", &chunk}})
	}))
}

// removePayload removes a payload that nothing refers to.
func (s *Store) removePayload(ctx context.Context, p payload) error {
	return s.writeEach(ctx, p.changes(func(k key, _ []byte) change { return remove(k) }))
}

// writeEach makes the changes in parallel, each in its own write.
func (s *Store) writeEach(ctx context.Context, changes []change) error {
	return inParallel(ctx, changes, func(ctx context.Context, c change) error { return s.write(ctx, c) })
}

// AlertPayload returns the payload of the occurrence that opened the alert.
func (s *Store) AlertPayload(ctx context.Context, projectID, iid int64, now time.Time) ([]byte, error) {
	it, err := s.get(ctx, alertItem.key(projectID, iid))
	if err != nil {
		return nil, fmt.Errorf("get alert: %w", err)
	}
	a, err := readAlert(it)
	if err == nil && a.Expired(now) {
		err = alertKind.notFound
	}
	if err != nil {
		return nil, err
	}
	whole, err := s.joined(ctx, payloadKeys(a.payload, a.chunks))
	if err != nil {
		return nil, fmt.Errorf("get payload of an alert: %w", err)
	}
	return packed.Unpack(whole)
}

// joined returns the chunks with these keys, joined.
func (s *Store) joined(ctx context.Context, keys []key) ([]byte, error) {
	found, err := s.getAll(ctx, keys)
	if err != nil {
		return nil, err
	}
	return joinedChunks(found, keys)
}

func joinedChunks(found map[key]item, keys []key) (whole []byte, err error) {
	for _, k := range keys {
		var chunk []byte
		if err := (fields{{"chunk", &chunk}}).read(found[k]); err != nil {
			return nil, err
		}
		whole = append(whole, chunk...)
	}
	return whole, nil
}
