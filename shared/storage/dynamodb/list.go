package dynamodb

import (
	"context"
	"fmt"
	"math"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// newest is the source of the entries in the part of a partition whose sort keys
// are the key's with a number behind it, by descending number.
func (k kind[T]) newest(s *Store, at key) walk.Source[T] { return k.ordered(s, false, at) }

// ordered is such a source, or one by ascending number.
func (k kind[T]) ordered(s *Store, oldest bool, at key) walk.Source[T] {
	return func(ctx context.Context, after page.Position, n int) ([]T, error) {
		var entries []T
		err := s.inOrder(ctx, oldest, at, after, n, func(it item) error {
			var entry T
			err := k.entry(&entry).read(it)
			entries = append(entries, entry)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("list %ss: %w", k.noun, err)
		}
		return entries, nil
	}
}

// inOrder calls each with the first n items after the position of the part of a
// partition whose sort keys are the key's with a number behind it, by descending or
// ascending number.
func (s *Store) inOrder(ctx context.Context, oldest bool, at key, after page.Position, n int, each func(item) error) error {
	lowest, highest := int64(0), int64(math.MaxInt64)
	switch {
	case oldest:
		lowest = after.ID + 1
	case after.Some():
		highest = after.ID - 1
	}
	return s.run(ctx, &sdk.QueryInput{
		TableName: s.table(at), ScanIndexForward: aws.Bool(oldest), Limit: atOnce(n),
		KeyConditionExpression:    aws.String("pk = :pk AND sk BETWEEN :low AND :high"),
		ExpressionAttributeValues: item{":pk": text(at.pk), ":low": text(at.entry(lowest).sk), ":high": text(at.entry(highest).sk)},
	}, func(it item) (more bool, err error) {
		n--
		return n > 0, each(it)
	})
}

// atOnce is how many items a request reads of the n that are wanted. More take
// further requests.
func atOnce(n int) *int32 { return aws.Int32(int32(min(n, maxAtOnce))) }

// maxAtOnce is more than a page of any list has.
const maxAtOnce = 1000
