package dynamodb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"gatehouse/shared/alert"
	"gatehouse/shared/storage/archive"
	"gatehouse/shared/storage/packed"
)

func (a *archived) daysOf(ctx context.Context, projectID int64, now time.Time) (found []archive.AlertDay, err error) {
	days, err := a.Store.AlertDays(ctx, projectID, now.Add(-archive.AlertDaysKept))
	for _, d := range days {
		if day := (archive.AlertDay{ProjectID: projectID, Day: d}); day.Counts(now) {
			found = append(found, day)
		}
	}
	return found, err
}

func putDay(d archive.AlertDay) []change {
	ends := d.Date.Add(daysKept).Unix()
	fs := fields{{"day", &d.Date}, {"ttl", &ends}, {"total", &d.Total}}
	if d.Grave > 0 {
		fs = append(fs, field{"grave", &d.Grave})
	}
	return []change{replace(alertDay.key(d.ProjectID, d.Date.Format(time.DateOnly), shardOf(alert.Alert{})), fs)}
}

func (a *archived) dumpAlerts(ctx context.Context, after any, now time.Time, yield func(any) error) error {
	var last alert.Alert
	if after != nil {
		last = after.(archive.Alert).Alert
	}
	return a.idsFrom(ctx, projectList.key(), last.ProjectID, func(ids []int64) error {
		for _, id := range ids {
			first := int64(1)
			if id == last.ProjectID {
				first = last.IID
			}
			if err := a.alertsOf(ctx, id, first, now, yield); err != nil {
				return err
			}
		}
		return nil
	})
}

// alertsOf calls yield with a project's alerts from a number on.
func (a *archived) alertsOf(ctx context.Context, projectID, first int64, now time.Time, yield func(any) error) error {
	list := alertItem.key(projectID)
	low, high := alertItem.key(projectID, first), alertItem.key(projectID, int64(1<<62))
	var some []storedAlert
	flush := func() error {
		found := make([]archive.Alert, len(some))
		places := make([]int, len(some))
		for n := range places {
			places[n] = n
		}
		err := inParallel(ctx, places, func(ctx context.Context, n int) (err error) {
			found[n], err = a.withPayloads(ctx, some[n], now)
			return err
		})
		some = some[:0]
		return dumpedAll(found, err, yield)
	}
	err := a.run(ctx, &sdk.QueryInput{
		TableName: a.table(list), ScanIndexForward: aws.Bool(forward), KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :low AND :high"),
		ExpressionAttributeValues: item{":pk": text(list.pk), ":low": text(low.sk), ":high": text(high.sk)},
	}, func(it item) (bool, error) {
		one, err := readAlert(it)
		if err != nil || one.Expired(now) {
			return true, err
		}
		if some = append(some, one); len(some) == maxBatch {
			err = flush()
		}
		return true, err
	})
	if err != nil {
		return fmt.Errorf("list alerts: %w", err)
	}
	return flush()
}

// withPayloads returns the alert with its payloads, and with what its slot counted.
func (a *archived) withPayloads(ctx context.Context, one storedAlert, now time.Time) (archive.Alert, error) {
	if countsOnSlot(one.Alert) {
		var err error
		if one, err = a.alert(ctx, one.ProjectID, one.IID); err != nil {
			return archive.Alert{}, err
		}
	}
	dumped := archive.Alert{Alert: one.Alert}
	whole, err := a.joined(ctx, payloadKeys(one.payload, one.chunks))
	if err == nil && one.chunks > 0 {
		dumped.Payload, err = packed.Unpack(whole)
	}
	if err == nil && one.latest > 0 {
		dumped.Latest, err = a.LatestPayload(ctx, one.ProjectID, one.IID, now)
	}
	return dumped, err
}

func (a *archived) loadAlerts(ctx context.Context, things []any) error {
	return inParallel(ctx, things, func(ctx context.Context, thing any) error { return a.loadAlert(ctx, thing.(archive.Alert)) })
}

// loadAlert stores the payloads of an alert, and then the alert with its slot, in the
// lists and counts but not for its day.
func (a *archived) loadAlert(ctx context.Context, one archive.Alert) error {
	of := one.Alert
	first := newPayload(one.Payload)
	first.name = fmt.Sprintf("alert-%d-%d", of.ProjectID, of.IID)
	expires := field{"ttl", (*expiry)(&of.ExpiresAt)}
	chunks := first.changes(func(k key, chunk []byte) change { return replace(k, fields{{"chunk", &chunk}, expires}) })
	var latest int64
	if !one.Latest.At.IsZero() {
		parts := slices.Collect(slices.Chunk(packed.Pack(one.Latest.Text), maxChunk))
		latest = int64(len(parts))
		for n, part := range parts {
			c := latestChunk{at: one.Latest.At, chunks: latest, part: part, expiresAt: of.ExpiresAt}
			chunks = append(chunks, replace(latestItem.key(of.ProjectID, of.IID, int64(n)), latestFields(&c)))
		}
	}
	if err := a.putAll(ctx, chunks); err != nil {
		return err
	}
	return a.create(ctx, 0, loadChanges(of, first, latest, one.Latest.At))
}

func loadChanges(a alert.Alert, first payload, latest int64, latestAt time.Time) []change {
	attributes := slices.Concat(alertFields(&a), first.fields(), fields{listedField(a.Status)})
	if latest > 0 {
		attributes = append(attributes, latestChunks(&latest))
	}
	changes := append([]change{create(alertItem.key(a.ProjectID, a.IID), attributes)}, listEntries(a)...)
	changes = append(changes, count(alertCount.key(a.ProjectID, shardOf(a)), nil, item{className(a.Class()): number(1)}))
	changes = append(changes, reassign(alert.Alert{}, a)...)
	if !a.ExpiresAt.IsZero() {
		changes = append(changes, countExpiry(a, 1))
	}
	switch {
	case countsOnSlot(a):
		open := slotOf(a, latest)
		open.payloadAt = latestAt
		changes = append(changes, create(slotKey(a.ProjectID, a.Fingerprint), slotFields(&open)))
	case a.Open() && a.Fingerprint != "":
		changes = append(changes, createAlone(a))
	}
	return changes
}
