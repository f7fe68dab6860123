package dynamodb

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// numberedPage returns a page of the things that the entries of the list name, by
// descending number.
func (k kind[T]) numberedPage(ctx context.Context, s *Store, list key, number func(T) int64, r page.Request) (page.Of[T], error) {
	return k.pageOf(ctx, s, walk.List[T]{
		Sources:  []walk.Source[T]{k.newest(s, list)},
		Position: func(entry T) page.Position { return page.At(number(entry)) },
		Count:    s.counting(list),
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

// counting returns the function that counts the items of a list, up to one beyond
// page.CountLimit.
func (s *Store) counting(list key) func(context.Context) (int, error) {
	return func(ctx context.Context) (n int, err error) {
		input := &sdk.QueryInput{
			TableName: s.table(list), Select: types.SelectCount, ConsistentRead: aws.Bool(true),
			KeyConditionExpression:    aws.String("pk = :pk AND begins_with(sk, :sk)"),
			ExpressionAttributeValues: item{":pk": text(list.pk), ":sk": text(list.sk)},
		}
		if list.sk == "" { // begins_with takes no empty text
			input.KeyConditionExpression, input.ExpressionAttributeValues = aws.String("pk = :pk"), item{":pk": text(list.pk)}
		}
		for n <= page.CountLimit {
			input.Limit = aws.Int32(int32(page.CountLimit + 1 - n))
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
}
