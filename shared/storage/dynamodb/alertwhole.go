package dynamodb

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"gatehouse/shared/alert"
	"gatehouse/shared/batch"
	"gatehouse/shared/storage/packed"
)

// WholeAlert returns the alert with its payloads, in two requests: what the alert refers
// to is read at once, with what the others get by key. What was changed meanwhile is read
// again.
func (s *Store) WholeAlert(ctx context.Context, projectID, iid int64, now time.Time, others ...alert.Beside) (alert.Whole, error) {
	it, err := s.get(ctx, alertItem.key(projectID, iid))
	if err != nil {
		return alert.Whole{}, fmt.Errorf("get alert: %w", err)
	}
	a, err := readAlert(it)
	if err == nil && a.Expired(now) {
		err = alertKind.notFound
	}
	if err != nil {
		return alert.Whole{}, err
	}
	var found map[key]item
	reads := append(besides(a.Alert, others), func(ctx context.Context) (err error) {
		found, err = s.getAll(ctx, a.parts())
		return err
	})
	if err := batch.Together(ctx, reads...); err != nil {
		return alert.Whole{}, fmt.Errorf("get the payloads of an alert: %w", err)
	}
	whole, err := s.wholeAlert(ctx, a, found, now)
	if err == nil && whole.Version != a.Version {
		err = batch.Together(ctx, besides(whole.Alert, others)...)
	}
	return whole, err
}

// WholeAlertsFrom returns the newest alerts that the integration opened, with their payloads,
// in two requests.
func (s *Store) WholeAlertsFrom(ctx context.Context, projectID, integrationID int64, n int, now time.Time) ([]alert.Whole, error) {
	newest, err := s.newestFrom(ctx, projectID, integrationID, n, now)
	if err != nil {
		return nil, fmt.Errorf("list the newest alerts of an integration: %w", err)
	}
	var parts []key
	for _, a := range newest {
		parts = append(parts, a.parts()...)
	}
	found, err := s.getAll(ctx, parts)
	if err != nil {
		return nil, fmt.Errorf("get the payloads of alerts: %w", err)
	}
	var all []alert.Whole
	for _, a := range newest {
		whole := alert.Whole{Alert: a.Alert}
		whole.Activity = nil
		if whole.Payload, err = payloadAmong(found, a); err == nil {
			whole.Latest, err = s.latestAmong(ctx, found, a, now)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, whole)
	}
	return all, nil
}

// newestFrom looks at the newest alerts for those that the integration opened.
func (s *Store) newestFrom(ctx context.Context, projectID, integrationID int64, n int, now time.Time) (newest []storedAlert, err error) {
	input := s.partition(alertItem.key(projectID), backward)
	input.Limit = aws.Int32(alertsRead)
	looked := 0
	err = s.run(ctx, input, func(it item) (more bool, err error) {
		a, err := readAlert(it)
		if a.IntegrationID == integrationID && !a.Expired(now) {
			newest = append(newest, a)
		}
		looked++
		return len(newest) < n && looked < alertsRead, err
	})
	return newest, err
}

func besides(of alert.Alert, others []alert.Beside) (reads []func(context.Context) error) {
	for _, read := range others {
		reads = append(reads, func(ctx context.Context) error { return read(ctx, of) })
	}
	return reads
}

// parts are the keys of all that belongs to the alert.
func (a storedAlert) parts() []key {
	parts := payloadKeys(a.payload, a.chunks)
	if countsOnSlot(a.Alert) {
		parts = append(parts, slotKey(a.ProjectID, a.Fingerprint))
	}
	if a.Grouped {
		parts = append(parts, a.latestKeys()...)
	}
	return parts
}

// latestKeys are those that the newest payload of a repeat can have.
func (a storedAlert) latestKeys() (keys []key) {
	for n := range int64(maxLatestChunks) {
		keys = append(keys, latestItem.key(a.ProjectID, a.IID, n))
	}
	return keys
}

// wholeAlert puts the alert together.
func (s *Store) wholeAlert(ctx context.Context, a storedAlert, found map[key]item, now time.Time) (whole alert.Whole, err error) {
	whole.Alert = a.Alert
	if countsOnSlot(a.Alert) {
		slot, err := readSlot(found[slotKey(a.ProjectID, a.Fingerprint)])
		if err != nil {
			return alert.Whole{}, err
		}
		whole.Alert = slot.counted(a.Alert)
		if slot.iid != a.IID {
			if whole.Alert, err = s.Alert(ctx, a.ProjectID, a.IID, now); err != nil {
				return alert.Whole{}, err
			}
		}
	}
	if whole.Payload, err = payloadAmong(found, a); err == nil {
		whole.Latest, err = s.latestAmong(ctx, found, a, now)
	}
	return whole, err
}

func payloadAmong(found map[key]item, a storedAlert) ([]byte, error) {
	whole, err := joinedChunks(found, payloadKeys(a.payload, a.chunks))
	if err != nil {
		return nil, fmt.Errorf("read payload of an alert: %w", err)
	}
	return packed.Unpack(whole)
}

// latestAmong returns the newest payload of a repeat. Where another is being kept, its
// chunks are of two, and it is read again.
func (s *Store) latestAmong(ctx context.Context, found map[key]item, a storedAlert, now time.Time) (alert.LatestPayload, error) {
	var all []latestChunk
	for _, k := range a.latestKeys() {
		if it := found[k]; it != nil {
			var c latestChunk
			if err := latestFields(&c).read(it); err != nil {
				return alert.LatestPayload{}, err
			}
			all = append(all, c)
		}
	}
	if len(all) == 0 || passed(all[0].expiresAt, now) {
		return alert.LatestPayload{}, nil
	}
	whole, ok := joinLatest(all[:min(len(all), int(all[0].chunks))])
	if !ok {
		return s.LatestPayload(ctx, a.ProjectID, a.IID, now)
	}
	text, err := packed.Unpack(whole)
	return alert.LatestPayload{Text: text, At: all[0].at}, err
}
