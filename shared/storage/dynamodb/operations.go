package dynamodb

import (
	"context"

	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// operations are the calls that the store makes. They are functions, and neither
// the client nor an interface, to keep Lambda functions with pages small: with
// html/template the linker keeps every method of a type that an interface holds,
// and the client has more than fifty that nobody calls.
type operations struct {
	GetItem            func(context.Context, *sdk.GetItemInput, ...func(*sdk.Options)) (*sdk.GetItemOutput, error)
	BatchGetItem       func(context.Context, *sdk.BatchGetItemInput, ...func(*sdk.Options)) (*sdk.BatchGetItemOutput, error)
	Query              func(context.Context, *sdk.QueryInput, ...func(*sdk.Options)) (*sdk.QueryOutput, error)
	PutItem            func(context.Context, *sdk.PutItemInput, ...func(*sdk.Options)) (*sdk.PutItemOutput, error)
	UpdateItem         func(context.Context, *sdk.UpdateItemInput, ...func(*sdk.Options)) (*sdk.UpdateItemOutput, error)
	DeleteItem         func(context.Context, *sdk.DeleteItemInput, ...func(*sdk.Options)) (*sdk.DeleteItemOutput, error)
	BatchWriteItem     func(context.Context, *sdk.BatchWriteItemInput, ...func(*sdk.Options)) (*sdk.BatchWriteItemOutput, error)
	TransactWriteItems func(context.Context, *sdk.TransactWriteItemsInput, ...func(*sdk.Options)) (*sdk.TransactWriteItemsOutput, error)
}

func operationsOf(c *sdk.Client) operations {
	return operations{c.GetItem, c.BatchGetItem, c.Query, c.PutItem, c.UpdateItem, c.DeleteItem, c.BatchWriteItem, c.TransactWriteItems}
}
