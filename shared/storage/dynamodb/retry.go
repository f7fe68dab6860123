package dynamodb

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/telemetry"
)

// A request is tried maxAttempts times, with pauses that double up to
// longestPause: some three seconds in all, or until its context ends.
const (
	maxAttempts   = 10
	shortestPause = 20 * time.Millisecond
	longestPause  = time.Second
)

// newRetryer returns the SDK's own rules, which also retry what collided with
// another transaction. The pauses are short, as for DynamoDB, and only
// maxAttempts limits them, because many callers of one item collide often.
func newRetryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = maxAttempts
		o.Backoff = retry.BackoffDelayerFunc(pause)
		o.RateLimiter = ratelimit.None
		o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(measured)}, append(o.Retryables, retry.IsErrorRetryableFunc(contended))...)
	})
}

// retryRejected is for an update that must not be made twice and cannot detect
// that it was: it retries only what DynamoDB certainly rejected. When the answer
// is lost, the caller gets the error.
var retryRejected = retry.NewStandard(func(o *retry.StandardOptions) {
	o.MaxAttempts = maxAttempts
	o.Backoff = retry.BackoffDelayerFunc(pause)
	o.RateLimiter = ratelimit.None
	o.Retryables = append([]retry.IsErrorRetryable{retry.IsErrorRetryableFunc(measured)}, rejections...)
})

// rejections recognise what DynamoDB certainly rejected because it had too much to do.
var rejections = retry.IsErrorRetryables{
	retry.RetryableErrorCode{Codes: retry.DefaultThrottleErrorCodes}, retry.IsErrorRetryableFunc(contended),
}

// pause is a random part of the longest pause before the attempt, so that callers
// who collided do not collide again.
func pause(attempt int, _ error) (time.Duration, error) {
	return rand.N(min(shortestPause<<attempt, longestPause)), nil
}

// throttled recognises what DynamoDB had no room for.
var throttled = retry.ThrottleErrorCode{Codes: retry.DefaultThrottleErrorCodes}

// measured counts attempts that DynamoDB refused for the sake of others, and decides nothing.
func measured(err error) aws.Ternary {
	if throttled.IsErrorThrottle(err) == aws.TrueTernary {
		telemetry.Add(telemetry.StoreThrottled, 1)
	} else if contended(err) == aws.TrueTernary {
		telemetry.Add(telemetry.StoreConflicts, 1)
	}
	return aws.UnknownTernary
}

// contended reports whether a write failed only because a transaction on one of
// its items was under way.
func contended(err error) aws.Ternary {
	var conflict *types.TransactionConflictException
	if errors.As(err, &conflict) {
		return aws.TrueTernary
	}
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return aws.UnknownTernary
	}
	met := false
	for _, reason := range canceled.CancellationReasons {
		switch aws.ToString(reason.Code) {
		case "ConditionalCheckFailed":
			return aws.FalseTernary
		case "TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError":
			met = true
		}
	}
	return aws.BoolTernary(met)
}
