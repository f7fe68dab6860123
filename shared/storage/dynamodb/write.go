package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/secret"
)

// conditionError is the error of a write that stored nothing because items did
// not meet their conditions: the stored items by the position of their changes,
// nil where there is no item.
type conditionError map[int]item

// Error says which conditions failed.
func (r conditionError) Error() string {
	return fmt.Sprintf("conditions of changes %v not met", slices.Sorted(maps.Keys(r)))
}

// failed reports whether the condition of the change at this position failed, and
// returns the stored item, if there is one.
func failed(err error, position int) (stored item, yes bool) {
	var r conditionError
	if !errors.As(err, &r) {
		return nil, false
	}
	stored, yes = r[position]
	return stored, yes
}

// nonceName is the attribute in which an item keeps the nonce of the last
// write to it.
const nonceName = "written_by"

// explain returns the error of the first change that has one for its failed
// condition, or the conditionError.
func (r conditionError) explain(changes []change) error {
	for n, c := range changes {
		stored, failed := r[n]
		if failed && c.stored != nil {
			*c.stored = stored
		}
		switch {
		case failed && stored == nil && c.missing != nil:
			return c.missing
		case failed && stored != nil && c.unmet != nil:
			return c.unmet
		}
	}
	return r
}

// write makes all the changes or none. When items do not meet their conditions,
// the error is that of the first change that has one, or a conditionError; except
// when an item shows that this write succeeded before, in a request whose answer
// was lost.
func (s *Store) write(ctx context.Context, changes ...change) error {
	nonce := secret.Random(16)
	var err error
	if len(changes) == 1 {
		err = s.writeOne(ctx, changes[0], nonce)
	} else {
		err = s.transact(ctx, changes, nonce)
	}
	_, err = outcome(err, nonce)
	if r, ok := err.(conditionError); ok {
		return r.explain(changes)
	}
	return err
}

// writeIf makes the changes if the condition of the first is met, and else does nothing.
func (s *Store) writeIf(ctx context.Context, changes ...change) error {
	err := s.write(ctx, changes...)
	if _, unmet := failed(err, 0); unmet {
		return nil
	}
	return err
}

// writeAndRead makes one update in the same way and returns the changed item.
func (s *Store) writeAndRead(ctx context.Context, c change) (item, error) {
	nonce := secret.Random(16)
	input := updateInput(s.part(c, nonce).Update)
	input.ReturnValues = types.ReturnValueAllNew
	out, err := s.client.UpdateItem(ctx, input)
	if err == nil {
		return out.Attributes, nil
	}
	return outcome(err, nonce)
}

// outcome returns what the error of a write with this nonce means: a
// conditionError when items do not meet their conditions, and no error, with the
// item that shows it, when the write succeeded before.
func outcome(err error, nonce []byte) (written item, _ error) {
	r := conditionsOf(err)
	for _, stored := range r {
		if wrote(nonce, stored) {
			return stored, nil
		}
	}
	if r != nil {
		return nil, r
	}
	return nil, err
}

func wrote(nonce []byte, stored item) bool {
	by, ok := stored[nonceName].(*types.AttributeValueMemberB)
	return ok && slices.Equal(by.Value, nonce)
}

// conditionsOf returns which conditions failed, or nil for another error.
func conditionsOf(err error) conditionError {
	var one *types.ConditionalCheckFailedException
	if errors.As(err, &one) {
		return conditionError{0: one.Item}
	}
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return nil
	}
	var r conditionError
	for i, reason := range canceled.CancellationReasons {
		if aws.ToString(reason.Code) == "ConditionalCheckFailed" {
			if r == nil {
				r = conditionError{}
			}
			r[i] = reason.Item
		}
	}
	return r
}

func (s *Store) transact(ctx context.Context, changes []change, nonce []byte) error {
	input := &sdk.TransactWriteItemsInput{}
	for _, c := range changes {
		input.TransactItems = append(input.TransactItems, s.part(c, nonce))
	}
	_, err := s.client.TransactWriteItems(ctx, input)
	return err
}

// writeOne makes a single change, at half the cost of a transaction.
func (s *Store) writeOne(ctx context.Context, c change, nonce []byte) (err error) {
	switch part := s.part(c, nonce); c.action {
	case put:
		_, err = s.client.PutItem(ctx, &sdk.PutItemInput{
			TableName: part.Put.TableName, Item: part.Put.Item,
			ConditionExpression:                 part.Put.ConditionExpression,
			ExpressionAttributeNames:            part.Put.ExpressionAttributeNames,
			ExpressionAttributeValues:           part.Put.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: part.Put.ReturnValuesOnConditionCheckFailure,
		})
	case update:
		_, err = s.client.UpdateItem(ctx, updateInput(part.Update))
	case removal:
		_, err = s.client.DeleteItem(ctx, &sdk.DeleteItemInput{
			TableName: part.Delete.TableName, Key: part.Delete.Key,
			ConditionExpression:                 part.Delete.ConditionExpression,
			ExpressionAttributeNames:            part.Delete.ExpressionAttributeNames,
			ExpressionAttributeValues:           part.Delete.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: part.Delete.ReturnValuesOnConditionCheckFailure,
		})
	}
	return err
}

func updateInput(u *types.Update) *sdk.UpdateItemInput {
	return &sdk.UpdateItemInput{
		TableName: u.TableName, Key: u.Key,
		UpdateExpression:                    u.UpdateExpression,
		ConditionExpression:                 u.ConditionExpression,
		ExpressionAttributeNames:            u.ExpressionAttributeNames,
		ExpressionAttributeValues:           u.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: u.ReturnValuesOnConditionCheckFailure,
	}
}

// next returns the next number of a counter. Numbers can be skipped, but are
// never reused.
func (s *Store) next(ctx context.Context, counter key) (id int64, err error) {
	return s.reserve(ctx, counter, 1)
}

// reserve takes the next n numbers of a counter and returns the last of them. It
// adds n to the other numbers of the counter as well.
func (s *Store) reserve(ctx context.Context, counter key, n int64, others ...string) (last int64, err error) {
	added := "ADD last_id :n"
	for _, name := range others {
		added += ", " + name + " :n"
	}
	out, err := s.client.UpdateItem(ctx, &sdk.UpdateItemInput{
		TableName: s.table(counter), Key: counter.item(),
		UpdateExpression: aws.String(added), ExpressionAttributeValues: item{":n": number(n)},
		ReturnValues: types.ReturnValueUpdatedNew,
	})
	if err != nil {
		return 0, fmt.Errorf("count up %s: %w", counter.pk, err)
	}
	return last, fields{{"last_id", &last}}.read(out.Attributes)
}
