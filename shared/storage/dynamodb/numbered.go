package dynamodb

import (
	"context"
	"fmt"
	"math"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// numberedPage returns a page of the things that the entries of the list name, by
// descending number.
func (k kind[T]) numberedPage(ctx context.Context, s *Store, list, count key, number func(T) int64, r page.Request) (page.Of[T], error) {
	return k.pageOf(ctx, s, walk.List[T]{
		Sources:  []walk.Source[T]{k.ordered(s, r.Oldest, list)},
		Order:    r.Order(),
		Position: func(entry T) page.Position { return page.At(number(entry)) },
		Count:    func(ctx context.Context) (int, error) { return s.count(ctx, list, count) },
	}, r)
}

// pageOf returns a page of the things that the list's entries name.
func (k kind[T]) pageOf(ctx context.Context, s *Store, list walk.List[T], r page.Request) (page.Of[T], error) {
	found, err := list.Page(ctx, r)
	if err != nil {
		return page.Of[T]{}, err
	}
	found.Items, err = k.complete(ctx, s, found.Items)
	return found, err
}

// few is how many entries are counted each time.
const few = 100

// count returns how many entries the list has, and at most page.CountLimit+1.
func (s *Store) count(ctx context.Context, list, count key) (n int, err error) {
	var stored item
	err = callAll(ctx, func(ctx context.Context) (err error) {
		stored, err = s.get(ctx, count)
		return err
	}, func(ctx context.Context) (err error) {
		n, err = s.countUpTo(ctx, list, few+1)
		return err
	})
	if err != nil || n <= few {
		return n, err
	}
	kept, begun, err := readCount(stored)
	if err != nil || begun {
		return min(kept.total(), page.CountLimit+1), err
	}
	if n, err = s.countUpTo(ctx, list, math.MaxInt32); err != nil {
		return 0, err
	}
	return min(n, page.CountLimit+1), s.writeIf(ctx, kept.begin(count, stored, n))
}

// countUpTo counts the entries of the list, so many at most.
func (s *Store) countUpTo(ctx context.Context, list key, most int) (n int, err error) {
	input := &sdk.QueryInput{
		TableName: s.table(list), Select: types.SelectCount, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :pk AND sk BETWEEN :low AND :high"),
		ExpressionAttributeValues: item{
			":pk": text(list.pk), ":low": text(list.entry(0).sk), ":high": text(list.entry(math.MaxInt64).sk + "~"),
		},
	}
	for n < most {
		input.Limit = aws.Int32(int32(most - n))
		out, err := s.client.Query(ctx, input)
		if err != nil {
			return 0, fmt.Errorf("count %s: %w", list.pk, err)
		}
		n += int(out.Count)
		if input.ExclusiveStartKey = out.LastEvaluatedKey; len(out.LastEvaluatedKey) == 0 {
			break
		}
	}
	return n, nil
}
