package dynamodb_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/alert"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage/dynamodb"
)

// eachKey calls do with the keys of the items of alerts in partitions with this prefix.
func eachKey(t *testing.T, o dynamodb.Options, prefix string, do func(key map[string]types.AttributeValue)) {
	t.Helper()
	err := eachAlertItem(t.Context(), o, func(it map[string]types.AttributeValue) error {
		if strings.HasPrefix(it["pk"].(*types.AttributeValueMemberS).Value, prefix) {
			do(map[string]types.AttributeValue{"pk": it["pk"], "sk": it["sk"]})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// keptBefore makes the slots such as a function of an earlier release left them, which
// counted no chunks.
func keptBefore(t *testing.T, o dynamodb.Options) {
	t.Helper()
	eachKey(t, o, "OPEN#", func(key map[string]types.AttributeValue) {
		_, err := o.Client().UpdateItem(t.Context(), &sdk.UpdateItemInput{
			TableName: aws.String(o.Prefix + "-alerts"), Key: key, UpdateExpression: aws.String("REMOVE latest_chunks"),
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// removeChunks removes all chunks of newest payloads but the first.
func removeChunks(t *testing.T, o dynamodb.Options) {
	t.Helper()
	eachKey(t, o, "LATEST#", func(key map[string]types.AttributeValue) {
		if !strings.HasSuffix(key["sk"].(*types.AttributeValueMemberS).Value, "0") {
			if err := remove(t, o.Client(), aws.String(o.Prefix+"-alerts"), key); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Whatever became of an alert before, the chunks of its newest payload expire with it, and
// none is made for those that are gone.
func TestNewestPayloadsExpireAfterAll(t *testing.T) {
	t.Parallel()
	const chunks = 2
	for name, test := range map[string]struct {
		before func(t *testing.T, o dynamodb.Options, change func(alert.Status, int))
		want   int
	}{
		"counted":                    {func(*testing.T, dynamodb.Options, func(alert.Status, int)) {}, chunks},
		"kept by an earlier release": {func(t *testing.T, o dynamodb.Options, _ func(alert.Status, int)) { keptBefore(t, o) }, chunks},
		"reopened since that": {func(t *testing.T, o dynamodb.Options, change func(alert.Status, int)) {
			keptBefore(t, o)
			change(alert.Resolved, 0)
			change(alert.Triggered, 0)
		}, chunks},
		"resolved while all was kept": {func(_ *testing.T, _ dynamodb.Options, change func(alert.Status, int)) {
			change(alert.Resolved, 0)
			change(alert.Triggered, 0)
		}, chunks},
		"with a chunk that is gone": {func(t *testing.T, o dynamodb.Options, _ func(alert.Status, int)) { removeChunks(t, o) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			s, p := openWith(t, o), newProjectID()
			fired, repeat := newOccurrence(), newOccurrence()
			repeat.Fingerprint, repeat.Payload = fired.Fingerprint, secret.Random(chunks*300<<10)
			report(t, s, p, fired)
			report(t, s, p, repeat)
			change := func(to alert.Status, keptDays int) {
				a := must[alert.Alert](t)(s.Alert(t.Context(), p, 1, now))
				must[alert.Alert](t)(s.ChangeAlert(t.Context(), a, alert.Change{Status: &to, At: now, KeptDays: keptDays}))
			}
			test.before(t, o, change)
			change(alert.Resolved, 5)
			end := must[alert.Alert](t)(s.Alert(t.Context(), p, 1, now)).ExpiresAt.Unix()
			latest := map[string]int{}
			for kind, n := range itemsOfAlerts(t, o) {
				if ttl, found := strings.CutPrefix(kind, "LATEST "); found {
					latest[ttl] = n
				}
			}
			if len(latest) != 1 || latest[numeral(end).(*types.AttributeValueMemberN).Value] != test.want {
				t.Errorf("the chunks by when they expire are %v, want %d at %d", latest, test.want, end)
			}
		})
	}
}
