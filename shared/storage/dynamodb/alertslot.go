package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/alert"
)

var (
	slotItem  = shape{alerts, "OPEN#<project>#<fingerprint>", "SLOT", "counts the events of an open alert", ""}
	aloneItem = shape{alerts, "OPEN#<project>#<fingerprint>", "ALONE#<iid>", "an open alert that is not grouped", ""}
)

func slotKey(projectID int64, f alert.Fingerprint) key {
	return slotItem.key(projectID, bounded(string(f)))
}

func aloneKey(a alert.Alert) key {
	return aloneItem.key(a.ProjectID, bounded(string(a.Fingerprint)), a.IID)
}

// openOf is the partition of all that is open with a fingerprint.
func openOf(projectID int64, f alert.Fingerprint) key {
	k := slotKey(projectID, f)
	k.sk = ""
	return k
}

// slot is the item that counts the events of an open alert. It exists from the
// first occurrence with its fingerprint until the alert is resolved.
type slot struct {
	events    int64
	begunAt   time.Time // when the first occurrence came
	lastAt    time.Time
	iid       int64     // zero until the alert has a number
	createdAt time.Time // when the alert got the number
	opened    bool      // the alert is stored
	title     string    // of the stored alert
	payloadAt time.Time // when the payload of a repeat was kept; zero: never
	latest    int64     // in how many chunks such payloads are
	peak      int64     // the rank of the gravest severity that the stored alert tells

	gravest alert.Severity // of the occurrences that it counted; none: ""
}

func slotFields(s *slot) fields {
	return fields{
		{"event_count", &s.events}, {"begun_at", &s.begunAt}, {"last_at", &s.lastAt}, {"iid", &s.iid},
		{"created_at", &s.createdAt}, {"opened", &s.opened}, {"title", &s.title},
		{"peak_rank", &s.peak}, {"payload_at", &s.payloadAt}, latestChunks(&s.latest),
	}
}

func readSlot(it item) (s slot, err error) {
	if err := slotFields(&s).read(it); err != nil {
		return s, fmt.Errorf("read stored slot of an alert: %w", err)
	}
	s.gravest = gravestIn(it)
	return s, nil
}

// counted returns the alert with the events of its slot.
func (s slot) counted(a alert.Alert) alert.Alert {
	a.Events, a.LastEventAt = s.events, s.lastAt
	return s.raised(a)
}

// raised returns the alert with what its slot knows of its gravest severity.
func (s slot) raised(a alert.Alert) alert.Alert {
	if s.gravest.Graver(a.PeakSeverity) {
		a.PeakSeverity = s.gravest
	}
	return a
}

// slotOf returns the slot of an alert that is reopened.
func slotOf(a alert.Alert, latest int64) slot {
	return slot{
		events: a.Events, begunAt: a.CreatedAt, lastAt: a.LastEventAt, iid: a.IID, createdAt: a.CreatedAt,
		opened: true, title: a.Title, latest: latest, peak: a.PeakSeverity.Rank(),
	}
}

func (s *Store) slot(ctx context.Context, k key) (found slot, ok bool, err error) {
	it, err := s.get(ctx, k)
	if err != nil {
		return slot{}, false, fmt.Errorf("get slot of an alert: %w", err)
	}
	found, err = readSlot(it)
	return found, it != nil, err
}

// fire counts an occurrence, whatever the state of the slot. DynamoDB's answer
// shows whether it was the first. When the answer is lost, the marks on the slot show
// whether the occurrence was counted; only when they show nothing is it ErrUncertain.
func (s *Store) fire(ctx context.Context, k key, o alert.Occurrence, now time.Time) (slot, error) {
	m := newMark(s.now())
	firing := &sdk.UpdateItemInput{
		TableName: s.table(k), Key: k.item(), UpdateExpression: aws.String(countAndMark + alsoCount(o)),
		ExpressionAttributeValues: item{
			":now": number(now.UnixMicro()), ":count": number(o.Count), ":mark": m.value(), ":none": noMark,
		},
		ReturnValues: types.ReturnValueAllNew,
	}
	out, err := s.client.UpdateItem(ctx, firing, func(o *sdk.Options) { o.Retryer = retryRejected })
	switch {
	case err == nil:
		return readSlot(out.Attributes)
	case answered(err) || rejected(err):
		return slot{}, fmt.Errorf("count an event: %w", err)
	}
	return s.fireAgain(ctx, firing, m)
}

// fireAgain counts an occurrence whose first answer was lost, unless it was counted.
func (s *Store) fireAgain(ctx context.Context, firing *sdk.UpdateItemInput, m mark) (slot, error) {
	firing.ConditionExpression = aws.String(unmarked)
	firing.ExpressionAttributeValues[":began"] = m.earliest().value()
	firing.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	out, err := s.client.UpdateItem(ctx, firing)
	if err == nil {
		return readSlot(out.Attributes)
	}
	if stored := conditionsOf(err)[0]; m.isOn(stored) {
		return readSlot(stored)
	}
	return slot{}, fmt.Errorf("%w: %w", alert.ErrUncertain, err)
}

// alsoCount adds the occurrence to those of its severity.
func alsoCount(o alert.Occurrence) string {
	if o.Severity == "" {
		return ""
	}
	return ", " + severityCount(o.Severity) + " :count"
}

// errGone means that the slot was removed: its alert was opened and resolved.
var errGone = errors.New("the slot is gone")

// assign gives the alert of a slot a number, unless it has one, and returns the
// slot. It is idempotent.
func (s *Store) assign(ctx context.Context, k key, iid int64, now time.Time) (slot, error) {
	out, err := s.client.UpdateItem(ctx, &sdk.UpdateItemInput{
		TableName: s.table(k), Key: k.item(),
		UpdateExpression:          aws.String("SET iid = if_not_exists(iid, :iid), created_at = if_not_exists(created_at, :now)"),
		ConditionExpression:       aws.String(exists),
		ExpressionAttributeValues: item{":iid": number(iid), ":now": number(now.UnixMicro())},
		ReturnValues:              types.ReturnValueAllNew,
	})
	if conditionsOf(err) != nil {
		return slot{}, errGone
	}
	if err != nil {
		return slot{}, fmt.Errorf("number an alert: %w", err)
	}
	return readSlot(out.Attributes)
}

// conclude marks the slot as opened, unless its alert was resolved already.
func (s *Store) conclude(ctx context.Context, k key, a alert.Alert) error {
	yes, peak := true, a.PeakSeverity.Rank()
	return s.writeIf(ctx, set(k, fields{{"opened", &yes}, {"title", &a.Title}, {"peak_rank", &peak}}).
		when("iid = :iid", item{":iid": number(a.IID)}))
}

// The pauses between two reads of a slot.
const (
	shortestLook = 10 * time.Millisecond
	longestLook  = 200 * time.Millisecond
)

// await waits until another caller has opened the alert of a slot, or began so
// long ago that it must have died, and returns the slot, if there still is one.
// When clocks differ, two callers may open the alert, which does no harm.
func (s *Store) await(ctx context.Context, k key, now time.Time) (found slot, ok bool, err error) {
	waited := time.Duration(0)
	for look := min(shortestLook, s.patience); ; look = min(2*look, longestLook) {
		if err := sleep(ctx, look); err != nil {
			return slot{}, false, err
		}
		waited += look
		found, ok, err = s.slot(ctx, k)
		abandoned := waited >= s.patience || now.Sub(found.begunAt) >= s.patience-waited
		if err != nil || !ok || found.opened || abandoned {
			return found, ok, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
