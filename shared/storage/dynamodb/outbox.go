package dynamodb

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

var (
	messageItem = shape{messages, "LANE#<lane>", "<seq>", "a message about what has to follow from a change", ""}
	slowItem    = shape{messages, "SLOW#<lane>", "<seq>", "one to a receiver that may be slow", ""}
	deadItem    = shape{messages, "DEAD#<project>", "<number>", "a message that could not be handled", "30 days later"}
)

// The index in which messages are found by when to look at them.
const (
	dueIndex    = "due"
	messageDues = 32 // partitions of the index, for each group; functions/docs/deployment.md reckons with them
	formerDues  = 16 // in the release before
)

var messageKind = kind[outbox.Message]{noun: "message", notFound: outbox.ErrNotFound, fields: messageFields, key: messageKey}

var deadKind = kind[outbox.Dead]{noun: "dead message", notFound: outbox.ErrNotFound, fields: deadFields, entry: deadFields}

func messageFields(m *outbox.Message) fields {
	return fields{
		{"lane", (*string)(&m.Lane)}, {"seq", &m.Seq}, {"kind", (*string)(&m.Kind)}, {"project_id", &m.ProjectID},
		{"data", (*[]byte)(&m.Data)}, {"created_at", &m.CreatedAt}, {"due_at", &m.DueAt}, {"attempts", &m.Attempts},
		{"last_error", &m.LastError}, {"claim", &m.Claim}, {"claimed_to", &m.ClaimedTo},
	}
}

func deadFields(d *outbox.Dead) fields {
	return append(messageFields(&d.Message), field{"number", &d.Number}, field{"died_at", &d.DiedAt})
}

func messageKey(m outbox.Message) key { return laneItem(m.Lane).key(string(m.Lane), m.Seq) }

// laneItem is the shape of the lane's messages. The stream tells the groups apart by it.
func laneItem(l outbox.Lane) shape {
	if l.Group() == outbox.Slow {
		return slowItem
	}
	return messageItem
}

// dueOf is the partition of the index that has the lane.
func dueOf(l outbox.Lane) string { return dueAmong(l, messageDues) }

// formerlyDueOf is the one in which the release with fewer partitions stored its messages.
func formerlyDueOf(l outbox.Lane) string { return dueAmong(l, formerDues) }

func dueAmong(l outbox.Lane, partitions uint32) string {
	h := fnv.New32a()
	h.Write([]byte(l))
	return duePartition(l.Group(), int(h.Sum32()%partitions))
}

func duePartition(g outbox.Group, n int) string {
	if g == outbox.Slow {
		return fmt.Sprintf("SLOW#%02d", n)
	}
	return fmt.Sprintf("DUE#%02d", n)
}

// tell stores a message together with what it is about. One that is there stays as it is.
func tell(m outbox.Message) change {
	due := dueOf(m.Lane)
	all := append(messageFields(&m), field{"due_in", &due}, field{"look_at", &m.DueAt})
	return change{key: messageKey(m), action: update, once: all.item(), keepsNonce: true}
}

func tellAll(all []outbox.Message) (changes []change) {
	for _, m := range all {
		changes = append(changes, tell(m))
	}
	return changes
}

// PutMessages stores messages.
func (s *Store) PutMessages(ctx context.Context, all []outbox.Message) error {
	if len(all) == 0 {
		return nil
	}
	return s.write(ctx, tellAll(all)...)
}

// AnyMessages reports whether there are messages. They alone are in the index, and to see
// that it is empty costs far less than a query of each of its partitions.
func (s *Store) AnyMessages(ctx context.Context) (bool, error) {
	out, err := s.client.Scan(ctx, &sdk.ScanInput{
		TableName: s.table(key{table: messages}), IndexName: aws.String(dueIndex), Limit: aws.Int32(1),
	})
	if err != nil {
		return false, fmt.Errorf("look for messages: %w", err)
	}
	return len(out.Items) > 0 || len(out.LastEvaluatedKey) > 0, nil
}

// DueLanes returns lanes with a message to look at, from all partitions in turn.
func (s *Store) DueLanes(ctx context.Context, g outbox.Group, now time.Time, n int) ([]outbox.Lane, error) {
	var mu sync.Mutex
	found := make([][]outbox.Lane, messageDues)
	partitions := make([]int, messageDues)
	for i := range partitions {
		partitions[i] = i
	}
	err := inParallel(ctx, partitions, func(ctx context.Context, i int) error {
		some, err := s.dueIn(ctx, duePartition(g, i), now, n)
		mu.Lock()
		defer mu.Unlock()
		found[i] = some
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find due messages: %w", err)
	}
	return inTurn(found, n), nil
}

// inTurn returns the first n lanes: the first of each list, then the second.
func inTurn(lists [][]outbox.Lane, n int) (lanes []outbox.Lane) {
	for i := 0; len(lanes) < n; i++ {
		more := false
		for _, list := range lists {
			if i < len(list) {
				lanes, more = append(lanes, list[i]), true
			}
		}
		if !more {
			break
		}
	}
	return lanes[:min(n, len(lanes))]
}

func (s *Store) dueIn(ctx context.Context, partition string, now time.Time, n int) (lanes []outbox.Lane, err error) {
	input := s.dueQuery(partition, now)
	input.Limit = atOnce(n)
	out, err := s.client.Query(ctx, input)
	if err != nil {
		return nil, err
	}
	seen := map[outbox.Lane]bool{}
	for _, it := range out.Items {
		k, err := keyOf(it)
		if err != nil {
			return nil, err
		}
		if l, ok := LaneOf(k.pk); ok && !seen[l] {
			lanes, seen[l] = append(lanes, l), true
		}
	}
	return lanes, nil
}

// dueQuery finds the messages to look at in a partition of the index.
func (s *Store) dueQuery(partition string, now time.Time) *sdk.QueryInput {
	return &sdk.QueryInput{
		TableName: s.table(key{table: messages}), IndexName: aws.String(dueIndex),
		KeyConditionExpression:    aws.String("due_in = :partition AND look_at <= :now"),
		ExpressionAttributeValues: item{":partition": text(partition), ":now": number(now.UnixMicro())},
	}
}

// keyOf reads the key of a message.
func keyOf(it item) (key, error) {
	k := key{table: messages}
	return k, fields{{"pk", &k.pk}, {"sk", &k.sk}}.read(it)
}

// LaneOf returns the lane that has the partition key, and false for another partition.
func LaneOf(pk string) (outbox.Lane, bool) {
	for _, s := range []shape{messageItem, slowItem} {
		if lane, ok := strings.CutPrefix(pk, s.key("").pk); ok {
			return outbox.Lane(lane), true
		}
	}
	return "", false
}

// Waiting returns the first messages of a lane.
func (s *Store) Waiting(ctx context.Context, l outbox.Lane, n int) ([]outbox.Message, error) {
	return messageKind.some(ctx, s, laneItem(l).key(string(l)), n)
}

// DelayLane changes when to look at messages, those that the index tells of.
func (s *Store) DelayLane(ctx context.Context, l outbox.Lane, now, until time.Time) error {
	for _, partition := range slices.Compact([]string{dueOf(l), formerlyDueOf(l)}) {
		if err := s.delayIn(ctx, partition, l, now, until); err != nil {
			return err
		}
	}
	return nil
}

// delayIn delays the lane's messages in a partition of the index.
func (s *Store) delayIn(ctx context.Context, partition string, l outbox.Lane, now, until time.Time) error {
	input := s.dueQuery(partition, now)
	for {
		out, err := s.client.Query(ctx, input)
		if err != nil {
			return fmt.Errorf("find due messages of a lane: %w", err)
		}
		if err := s.delay(ctx, out.Items, l, now, until); err != nil {
			return fmt.Errorf("delay messages: %w", err)
		}
		if input.ExclusiveStartKey = out.LastEvaluatedKey; len(out.LastEvaluatedKey) == 0 {
			return nil
		}
	}
}

// delay changes when to look at those of the messages that are in the lane.
func (s *Store) delay(ctx context.Context, found []map[string]types.AttributeValue, l outbox.Lane, now, until time.Time) error {
	lane := laneItem(l).key(string(l)).pk
	return inParallel(ctx, found, func(ctx context.Context, it map[string]types.AttributeValue) error {
		k, err := keyOf(it)
		if err != nil || k.pk != lane {
			return err
		}
		return s.writeIf(ctx, set(k, fields{{"look_at", &until}}).when("look_at <= :now", item{":now": number(now.UnixMicro())}))
	})
}

// ClaimMessage claims a message that is ready.
func (s *Store) ClaimMessage(ctx context.Context, m outbox.Message, claim string, now, until time.Time) (outbox.Message, error) {
	m.Claim, m.ClaimedTo = claim, until
	c := set(messageKey(m), claimedFields(&claim, &until)).when("due_at <= :ready AND (attribute_not_exists(claimed_to) OR claimed_to <= :ready)", item{":ready": number(now.UnixMicro())})
	return m, s.write(ctx, c.orElse(outbox.ErrTaken))
}

func claimedFields(claim *string, until *time.Time) fields {
	return fields{{"claim", claim}, {"claimed_to", until}, {"look_at", until}}
}

// mine requires the caller's claim.
func (c change) mine(m outbox.Message) change {
	return c.when("claim = :mine", item{":mine": text(m.Claim)}).orElse(outbox.ErrTaken)
}

// FinishMessages removes messages and stores those that follow. The second message gets the
// claim of the first with the transaction and goes last, so that nobody handles those behind
// the first while they are removed. If the caller dies meanwhile, those that are left are
// handled again when the claim ends.
func (s *Store) FinishMessages(ctx context.Context, done, follow []outbox.Message) error {
	first, behind := done[0], done[1:]
	changes := append([]change{mustRemove(messageKey(first)).mine(first)}, tellAll(follow)...)
	if len(behind) > 0 {
		guarded := set(messageKey(behind[0]), claimedFields(&first.Claim, &first.ClaimedTo))
		changes = append(changes, guarded.orElse(outbox.ErrTaken))
	}
	if err := s.write(ctx, changes...); err != nil || len(behind) == 0 {
		return err
	}
	for _, some := range [][]outbox.Message{behind[1:], behind[:1]} {
		if err := s.removeMessages(ctx, some); err != nil {
			return fmt.Errorf("remove messages: %w", err)
		}
	}
	return nil
}

// maxBatchWrite is how many items one request can remove.
const maxBatchWrite = 25

// removeMessages removes messages, whether they exist or not.
func (s *Store) removeMessages(ctx context.Context, all []outbox.Message) error {
	var requests []types.WriteRequest
	for _, m := range all {
		requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: messageKey(m).item()}})
	}
	return inParallel(ctx, slices.Collect(slices.Chunk(requests, maxBatchWrite)), func(ctx context.Context, some []types.WriteRequest) error {
		left := map[string][]types.WriteRequest{*s.table(key{table: messages}): some}
		for len(left) > 0 { // a request fails that does nothing
			out, err := s.client.BatchWriteItem(ctx, &sdk.BatchWriteItemInput{RequestItems: left})
			if err != nil {
				return err
			}
			left = out.UnprocessedItems
		}
		return nil
	})
}

// PostponeMessage gives a claimed message back for later.
func (s *Store) PostponeMessage(ctx context.Context, m outbox.Message) error {
	given := m
	given.Claim, given.ClaimedTo = "", time.Time{}
	changed := append(messageFields(&given), field{"look_at", &m.DueAt})
	return s.write(ctx, set(messageKey(m), changed).mine(m))
}

// BuryMessage moves a claimed message to the dead ones.
func (s *Store) BuryMessage(ctx context.Context, m outbox.Message, now time.Time) error {
	n, err := s.next(ctx, idCounter.key("dead_messages"))
	if err != nil {
		return err
	}
	dead := outbox.Dead{Message: m, Number: n, DiedAt: now}
	return s.write(ctx, mustRemove(messageKey(m)).mine(m),
		create(deadItem.key(m.ProjectID, n), deadFields(&dead).until(now.Add(outbox.DeadFor))))
}

// DeadMessages returns a page of dead messages.
func (s *Store) DeadMessages(ctx context.Context, projectID int64, now time.Time, r page.Request) (page.Of[outbox.Dead], error) {
	kept := func(ctx context.Context, after page.Position, n int) ([]outbox.Dead, error) {
		found, err := deadKind.newest(s, deadItem.key(projectID))(ctx, after, n)
		return slices.DeleteFunc(found, func(d outbox.Dead) bool { return !d.Kept(now) }), err
	}
	return walk.List[outbox.Dead]{
		Sources:  []walk.Source[outbox.Dead]{kept}, // what is not kept is at the end
		Position: func(d outbox.Dead) page.Position { return page.At(d.Number) },
	}.Page(ctx, r)
}

// ReviveMessage puts a dead message back into its lane.
func (s *Store) ReviveMessage(ctx context.Context, projectID, number int64, now time.Time) error {
	dead, err := deadKind.get(ctx, s, deadItem.key(projectID, number))
	if err != nil {
		return err
	}
	if !dead.Kept(now) {
		return outbox.ErrNotFound
	}
	return s.write(ctx, mustRemove(deadItem.key(projectID, number)).orElse(outbox.ErrNotFound), tell(dead.Revived(now)))
}
