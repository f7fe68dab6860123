package dynamodb_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/outbox"
)

// Messages that the release with 16 partitions of the index stored are delayed as well.
func TestFormerMessagesAreDelayed(t *testing.T) {
	t.Parallel()
	o := options(t)
	s := openWith(t, o)
	for n := range 8 { // about half of them are in another partition now
		l := outbox.Lane(fmt.Sprintf("former/%d", n))
		m := outbox.Message{Lane: l, Seq: "1", Kind: "note", Data: []byte(`{}`), CreatedAt: now, DueAt: now}
		if err := s.PutMessages(t.Context(), []outbox.Message{m}); err != nil {
			t.Fatal(err)
		}
		h := fnv.New32a()
		h.Write([]byte(l))
		_, err := o.Client().UpdateItem(t.Context(), &sdk.UpdateItemInput{
			TableName: aws.String(o.Prefix + "-messages"), Key: keyOf("LANE#"+string(l), "1"),
			UpdateExpression:          aws.String("SET due_in = :former"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":former": word(fmt.Sprintf("DUE#%02d", h.Sum32()%16))},
		})
		if err != nil {
			t.Fatal(err)
		}
		if due := must[[]outbox.Lane](t)(s.DueLanes(t.Context(), outbox.Prompt, now, 100)); !slices.Contains(due, l) {
			t.Errorf("DueLanes = %v, want %s too", due, l)
		}
		if err := s.DelayLane(t.Context(), l, now, now.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if due := must[[]outbox.Lane](t)(s.DueLanes(t.Context(), outbox.Prompt, now, 100)); slices.Contains(due, l) {
			t.Errorf("DueLanes = %v, want no %s", due, l)
		}
	}
}

// An instance where nothing waits pays for one read a minute, and not for one of each
// partition of the index.
func TestIdleSweep(t *testing.T) {
	o, u := options(t), &readUnits{}
	o.HTTPClient = u
	s := openWith(t, o)
	any := func(want bool) {
		t.Helper()
		u.units = 0
		if got := must[bool](t)(s.AnyMessages(t.Context())); got != want || u.units > 0.5 {
			t.Errorf("AnyMessages = %t for %v units, want %t for half a one", got, u.units, want)
		}
	}
	any(false)
	m := outbox.Message{Lane: "note/1", Seq: "1", Kind: "note", Data: []byte(`{}`), CreatedAt: now, DueAt: now.Add(time.Hour)}
	if err := s.PutMessages(t.Context(), []outbox.Message{m}); err != nil {
		t.Fatal(err)
	}
	any(true)
	m, err := s.ClaimMessage(t.Context(), m, "claim", now.Add(2*time.Hour), now.Add(3*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.BuryMessage(t.Context(), m, now); err != nil {
		t.Fatal(err)
	}
	any(false)
}
