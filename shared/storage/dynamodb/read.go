package dynamodb

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// get returns the item with this key, or nil when there is none.
func (s *Store) get(ctx context.Context, k key) (item, error) {
	if !k.possible() {
		return nil, nil
	}
	out, err := s.client.GetItem(ctx, &sdk.GetItemInput{
		TableName: s.table(k), Key: k.item(), ConsistentRead: aws.Bool(true),
	})
	if err != nil || len(out.Item) == 0 {
		return nil, err
	}
	return out.Item, nil
}

// maxBatch is how many items DynamoDB returns in one BatchGetItem at most.
const maxBatch = 100

// getAll returns the items that exist. The keys differ, and are of one table.
func (s *Store) getAll(ctx context.Context, keys []key) (map[key]item, error) {
	return s.getBatches(ctx, keys, true)
}

// getter gets items, as getAll does.
type getter interface {
	getAll(ctx context.Context, keys []key) (map[key]item, error)
}

// rereader gets each item once, and returns it again when it is asked again. It is for
// one caller at a time.
type rereader struct {
	*Store
	read map[key]item
}

func (r *rereader) getAll(ctx context.Context, keys []key) (map[key]item, error) {
	unread := slices.DeleteFunc(slices.Clone(keys), func(k key) bool { return r.read[k] != nil })
	found, err := r.Store.getAll(ctx, unread)
	maps.Copy(r.read, found)
	return r.read, err
}

// getCheaply does the same at half the price, but may miss the latest writes.
func (s *Store) getCheaply(ctx context.Context, keys []key) (map[key]item, error) {
	return s.getBatches(ctx, keys, false)
}

func (s *Store) getBatches(ctx context.Context, keys []key, consistent bool) (map[key]item, error) {
	found := map[key]item{}
	var mu sync.Mutex
	batches := slices.Collect(slices.Chunk(keys, maxBatch))
	return found, inParallel(ctx, batches, func(ctx context.Context, batch []key) error {
		some, err := s.getBatch(ctx, batch, consistent)
		mu.Lock()
		defer mu.Unlock()
		maps.Copy(found, some)
		return err
	})
}

func (s *Store) getBatch(ctx context.Context, keys []key, consistent bool) (map[key]item, error) {
	found := map[key]item{}
	wanted := types.KeysAndAttributes{ConsistentRead: aws.Bool(consistent)}
	for _, k := range keys {
		wanted.Keys = append(wanted.Keys, k.item())
	}
	requests := map[string]types.KeysAndAttributes{*s.table(keys[0]): wanted}
	for len(requests) > 0 { // every answer has at least one item
		out, err := s.client.BatchGetItem(ctx, &sdk.BatchGetItemInput{RequestItems: requests})
		if err != nil {
			return nil, err
		}
		for _, it := range out.Responses[*s.table(keys[0])] {
			k := key{table: keys[0].table}
			if err := (fields{{"pk", &k.pk}, {"sk", &k.sk}}).read(it); err != nil {
				return nil, err
			}
			found[k] = it
		}
		requests = out.UnprocessedKeys
	}
	return found, nil
}

// The directions of a query.
const (
	forward  = true
	backward = false
)

// query calls each with the items whose sort keys begin with the key's, in
// their order, until each returns false.
func (s *Store) query(ctx context.Context, k key, forward bool, each func(item) (more bool, err error)) error {
	return s.run(ctx, s.partition(k, forward), each)
}

// partition is the query for the items whose sort keys begin with the key's.
func (s *Store) partition(k key, forward bool) *sdk.QueryInput {
	condition, values := "pk = :pk", item{":pk": text(k.pk)}
	if k.sk != "" {
		condition, values[":sk"] = "pk = :pk AND begins_with(sk, :sk)", text(k.sk)
	}
	return &sdk.QueryInput{
		TableName: s.table(k), ScanIndexForward: aws.Bool(forward),
		KeyConditionExpression: aws.String(condition), ExpressionAttributeValues: values,
	}
}

// between queries the sort keys from k.sk+low to k.sk+high, both included, the
// newest first. It reads a few at a time.
func (s *Store) between(ctx context.Context, k key, low, high string, few int, each func(item) (more bool, err error)) error {
	if low > high {
		return nil // which DynamoDB rejects
	}
	return s.run(ctx, &sdk.QueryInput{
		TableName: s.table(k), ScanIndexForward: aws.Bool(backward), Limit: aws.Int32(int32(min(few, math.MaxInt32))),
		KeyConditionExpression:    aws.String("pk = :pk AND sk BETWEEN :low AND :high"),
		ExpressionAttributeValues: item{":pk": text(k.pk), ":low": text(k.sk + low), ":high": text(k.sk + high)},
	}, each)
}

func (s *Store) run(ctx context.Context, input *sdk.QueryInput, each func(item) (more bool, err error)) error {
	input.ConsistentRead = aws.Bool(true)
	for {
		out, err := s.client.Query(ctx, input)
		if err != nil {
			return err
		}
		for _, it := range out.Items {
			if more, err := each(it); !more || err != nil {
				return err
			}
		}
		if len(out.LastEvaluatedKey) == 0 {
			return nil
		}
		input.ExclusiveStartKey = out.LastEvaluatedKey
	}
}
