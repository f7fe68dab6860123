package dynamodb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/storage/packed"
)

var latestItem = shape{alerts, "LATEST#<project>#<iid>", "<number>", "a chunk of the newest payload of a repeat", "with the alert"}

// maxLatestChunks is how many chunks the largest payload that intake takes can have.
const maxLatestChunks = 4

// latestChunk is a part of the newest payload of a repeat. A payload with fewer chunks
// leaves those behind its last one as they are, so that there is nothing to clean up.
type latestChunk struct {
	at        time.Time
	chunks    int64 // of the payload
	part      []byte
	expiresAt time.Time // zero: never
}

func latestFields(c *latestChunk) fields {
	return fields{{"at", &c.at}, {"chunks", &c.chunks}, {"chunk", &c.part}, expiryField(&c.expiresAt)}
}

// latestChunks is how many chunks the newest payload of an alert has, or an earlier one
// had if that is more.
func latestChunks(n *int64) field { return field{"latest_chunks", n} }

// latestUnknown reports whether the alert may have newest payloads whose chunks were not
// counted: a function of an earlier release kept them, or a caller resolved the alert
// without reading its slot. Once it is open again, its slot tells the most that there can be.
func (a storedAlert) latestUnknown() bool {
	return a.Grouped && a.Events > 1 && (a.latest == 0 || a.latest == maxLatestChunks)
}

// withLatest returns the alert with the number of chunks that there are of newest payloads.
func (s *Store) withLatest(ctx context.Context, a storedAlert) (storedAlert, error) {
	a.latest = 0
	err := s.query(ctx, latestItem.key(a.ProjectID, a.IID), forward, func(item) (bool, error) {
		a.latest++
		return true, nil
	})
	if err != nil {
		return a, fmt.Errorf("count the newest payloads of an alert: %w", err)
	}
	return a, nil
}

// keepLatest keeps the payload of a repeat instead of the former one, all of it in one
// transaction with the slot, unless another caller did so in the last minute.
func (s *Store) keepLatest(ctx context.Context, projectID int64, k key, found slot, text []byte, now time.Time) error {
	parts := slices.Collect(slices.Chunk(packed.Pack(text), maxChunk))
	chunks := max(found.latest, int64(len(parts)))
	changes := []change{set(k, fields{{"payload_at", &now}, latestChunks(&chunks)}).when("iid = :iid AND (attribute_not_exists(payload_at) OR payload_at <= :before)",
		item{":iid": number(found.iid), ":before": number(now.Add(-alert.LatestPayloadEvery).UnixMicro())})}
	for n, part := range parts {
		c := latestChunk{at: now, chunks: int64(len(parts)), part: part}
		changes = append(changes, replace(latestItem.key(projectID, found.iid, int64(n)), latestFields(&c)))
	}
	err := s.write(ctx, changes...)
	if _, unmet := failed(err, 0); unmet {
		return nil
	}
	return err
}

// LatestPayload returns the newest payload of a repeat that is kept. Where another is
// being kept while a large one is read, it begins again.
func (s *Store) LatestPayload(ctx context.Context, projectID, iid int64, now time.Time) (alert.LatestPayload, error) {
	for {
		var all []latestChunk
		err := s.query(ctx, latestItem.key(projectID, iid), forward, func(it item) (bool, error) {
			var c latestChunk
			err := latestFields(&c).read(it)
			all = append(all, c)
			return int64(len(all)) < all[0].chunks, err
		})
		if err != nil {
			return alert.LatestPayload{}, fmt.Errorf("get the newest payload of an alert: %w", err)
		}
		if len(all) == 0 || passed(all[0].expiresAt, now) {
			return alert.LatestPayload{}, nil
		}
		if whole, ok := joinLatest(all); ok {
			text, err := packed.Unpack(whole)
			return alert.LatestPayload{Text: text, At: all[0].at}, err
		}
	}
}

// joinLatest returns the chunks joined, if all are of the same payload.
func joinLatest(all []latestChunk) (whole []byte, ok bool) {
	for _, c := range all {
		if !c.at.Equal(all[0].at) {
			return nil, false
		}
		whole = append(whole, c.part...)
	}
	return whole, int64(len(all)) == all[0].chunks
}

// removeLatest removes the newest payload of a repeat, if the alert can have one.
func removeLatest(a alert.Alert) (changes []change) {
	if !a.Grouped || !a.Open() && a.Events < 2 {
		return nil
	}
	for n := range int64(maxLatestChunks) {
		changes = append(changes, remove(latestItem.key(a.ProjectID, a.IID, n)))
	}
	return changes
}
