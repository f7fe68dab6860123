package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"gatehouse/shared/fault"
)

// operations are the calls that the store makes. They are functions, and neither
// the client nor an interface, to keep Lambda functions with pages small: with
// html/template the linker keeps every method of a type that an interface holds,
// and the client has more than fifty that nobody calls.
type operations struct {
	GetItem            func(context.Context, *sdk.GetItemInput, ...func(*sdk.Options)) (*sdk.GetItemOutput, error)
	BatchGetItem       func(context.Context, *sdk.BatchGetItemInput, ...func(*sdk.Options)) (*sdk.BatchGetItemOutput, error)
	Query              func(context.Context, *sdk.QueryInput, ...func(*sdk.Options)) (*sdk.QueryOutput, error)
	Scan               func(context.Context, *sdk.ScanInput, ...func(*sdk.Options)) (*sdk.ScanOutput, error)
	PutItem            func(context.Context, *sdk.PutItemInput, ...func(*sdk.Options)) (*sdk.PutItemOutput, error)
	UpdateItem         func(context.Context, *sdk.UpdateItemInput, ...func(*sdk.Options)) (*sdk.UpdateItemOutput, error)
	DeleteItem         func(context.Context, *sdk.DeleteItemInput, ...func(*sdk.Options)) (*sdk.DeleteItemOutput, error)
	BatchWriteItem     func(context.Context, *sdk.BatchWriteItemInput, ...func(*sdk.Options)) (*sdk.BatchWriteItemOutput, error)
	TransactWriteItems func(context.Context, *sdk.TransactWriteItemsInput, ...func(*sdk.Options)) (*sdk.TransactWriteItemsOutput, error)
}

func operationsOf(c *sdk.Client) operations {
	return operations{
		explained(c.GetItem), explained(c.BatchGetItem), explained(c.Query), explained(c.Scan), explained(c.PutItem),
		explained(c.UpdateItem), explained(c.DeleteItem), explained(c.BatchWriteItem), explained(c.TransactWriteItems),
	}
}

// explained is a call that returns errUnanswered, too, where DynamoDB did not decide.
func explained[In, Out any](call func(context.Context, *In, ...func(*sdk.Options)) (*Out, error)) func(context.Context, *In, ...func(*sdk.Options)) (*Out, error) {
	return func(ctx context.Context, input *In, options ...func(*sdk.Options)) (*Out, error) {
		out, err := call(ctx, input, options...)
		if err != nil && !decided(err) && !errors.Is(ctx.Err(), context.Canceled) {
			err = fmt.Errorf("%w: %w", errUnanswered, err)
		}
		return out, err
	}
}

var errUnanswered = fault.New(fault.Unavailable, "The request could not be carried out. Send it again.")

// decided reports whether the error is DynamoDB's answer to the request itself, rather
// than that it was not reached, failed, or had too much to do.
func decided(err error) bool { return answered(err) && !rejected(err) }

// answered reports whether the error is an answer that says that nothing was done.
func answered(err error) bool {
	var response interface{ HTTPStatusCode() int } // 0: there was none
	return errors.As(err, &response) && response.HTTPStatusCode() > 0 && response.HTTPStatusCode() < http.StatusInternalServerError
}

// rejected reports whether DynamoDB did nothing because it had too much to do.
func rejected(err error) bool {
	return errors.Is(err, gone{}) || rejections.IsErrorRetryable(err) == aws.TrueTernary
}
