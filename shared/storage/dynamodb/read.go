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

	"gatehouse/shared/batch"
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

// getAll returns the items that exist.
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

// wanted are keys that somebody asks for.
type wanted struct {
	keys       []key
	consistent bool
}

// getBatches asks for the keys together with what others ask for at the same time: one
// request can be about several tables.
func (s *Store) getBatches(ctx context.Context, keys []key, consistent bool) (map[key]item, error) {
	found := map[key]item{}
	if len(keys) == 0 {
		return found, nil
	}
	all, err := batch.Ask(ctx, wanted{keys, consistent}, s.getWanted)
	for _, k := range keys {
		if it, there := all[k]; there {
			found[k] = it
		}
	}
	return found, err
}

// getWanted reads each item once. A table is read in the way of the strictest who asks for it.
func (s *Store) getWanted(ctx context.Context, all []wanted) (map[key]item, error) {
	consistent, seen, keys := map[table]bool{}, map[key]bool{}, []key(nil)
	for _, w := range all {
		for _, k := range w.keys {
			if !seen[k] {
				keys = append(keys, k)
			}
			seen[k] = true
			consistent[k.table] = consistent[k.table] || w.consistent
		}
	}
	found := map[key]item{}
	var mu sync.Mutex
	batches := slices.Collect(slices.Chunk(keys, maxBatch))
	return found, inParallel(ctx, batches, func(ctx context.Context, some []key) error {
		items, err := s.getBatch(ctx, some, consistent)
		mu.Lock()
		defer mu.Unlock()
		maps.Copy(found, items)
		return err
	})
}

func (s *Store) getBatch(ctx context.Context, keys []key, consistent map[table]bool) (map[key]item, error) {
	requests, tables := map[string]types.KeysAndAttributes{}, map[string]table{}
	for _, k := range keys {
		name := *s.table(k)
		tables[name] = k.table
		requests[name] = types.KeysAndAttributes{
			ConsistentRead: aws.Bool(consistent[k.table]), Keys: append(requests[name].Keys, k.item()),
		}
	}
	found := map[key]item{}
	for len(requests) > 0 { // every answer has at least one item
		out, err := s.client.BatchGetItem(ctx, &sdk.BatchGetItemInput{RequestItems: requests})
		if err != nil {
			return nil, err
		}
		for name, items := range out.Responses {
			for _, it := range items {
				k := key{table: tables[name]}
				if err := (fields{{"pk", &k.pk}, {"sk", &k.sk}}).read(it); err != nil {
					return nil, err
				}
				found[k] = it
			}
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
