package partition

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSizesOfItems(t *testing.T) {
	for item, want := range map[string]int{
		`{}`:                                 0,
		`{"pk":{"S":"USER#1"}}`:              2 + 6,
		`{"name":{"S":"Zoë"}}`:               4 + 4,
		`{"n":{"N":"12345"}}`:                1 + 4,
		`{"n":{"N":"-7"}}`:                   1 + 2,
		`{"b":{"B":"AAECAw=="}}`:             1 + 4,
		`{"yes":{"BOOL":true}}`:              3 + 1,
		`{"none":{"NULL":true}}`:             4 + 1,
		`{"s":{"SS":["ab","c"]}}`:            1 + 3,
		`{"l":{"L":[{"S":"ab"},{"N":"1"}]}}`: 1 + 3 + 1 + 2 + 1 + 2,
		`{"m":{"M":{"k":{"S":"ab"}}}}`:       1 + 3 + 1 + 1 + 2,
	} {
		if got, err := Size(json.RawMessage(item)); got != want || err != nil {
			t.Errorf("%s: %d bytes, %v, want %d", item, got, err, want)
		}
	}
}

func TestUnitsByPartition(t *testing.T) {
	long := strings.Repeat("a", 5000) // two steps of a read, five of a write
	stored := func(_ string, key json.RawMessage) (int, error) {
		if strings.Contains(string(key), "BIG") {
			return 1500, nil
		}
		return 0, nil
	}
	for _, tt := range []struct {
		name, operation, request, answer string
		want                             []Use
	}{
		{"one item", "GetItem", `{"TableName":"t","Key":{"pk":{"S":"A"},"sk":{"S":"B"}}}`,
			`{"ConsumedCapacity":{"CapacityUnits":2}}`, []Use{{"t", "A", 2, 0}}},
		{"a query", "Query", `{"TableName":"t","KeyConditionExpression":"pk = :pk","ExpressionAttributeValues":{":pk":{"S":"A"}}}`,
			`{"Count":3,"ConsumedCapacity":{"CapacityUnits":1.5}}`, []Use{{"t", "A", 1.5, 0}}},
		{"an update", "UpdateItem", `{"TableName":"t","Key":{"pk":{"S":"A"}},"ExpressionAttributeValues":{":pk":{"S":"X"}}}`,
			`{"ConsumedCapacity":{"CapacityUnits":1}}`, []Use{{"t", "A", 0, 1}}},
		{"an unmet condition", "PutItem", `{"TableName":"t","Item":{"pk":{"S":"A"}}}`,
			`{"__type":"ConditionalCheckFailedException","Item":{"text":{"S":"` + long + `"}}}`, []Use{{"t", "A", 0, 5}}},
		{"a batch", "BatchGetItem", `{"RequestItems":{"t":{"ConsistentRead":true,"Keys":[{"pk":{"S":"A"},"sk":{"S":"1"}},{"pk":{"S":"B"},"sk":{"S":"1"}}]}}}`,
			`{"Responses":{"t":[{"pk":{"S":"B"},"sk":{"S":"1"},"text":{"S":"` + long + `"}}]}}`, []Use{{"t", "A", 1, 0}, {"t", "B", 2, 0}}},
		{"a cheap batch", "BatchGetItem", `{"RequestItems":{"t":{"Keys":[{"pk":{"S":"A"},"sk":{"S":"1"}}]}}}`,
			`{"Responses":{"t":[]}}`, []Use{{"t", "A", 0.5, 0}}},
		{"a transaction", "TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"t","Item":{"pk":{"S":"A"},"text":{"S":"` + long + `"}}}},
			{"Update":{"TableName":"t","Key":{"pk":{"S":"BIG"}},"ExpressionAttributeValues":{":v":{"S":"` + strings.Repeat("b", 1000) + `"}}}},
			{"Delete":{"TableName":"u","Key":{"pk":{"S":"BIG"}}}},{"ConditionCheck":{"TableName":"u","Key":{"pk":{"S":"C"}}}}]}`,
			``, []Use{{"t", "A", 0, 10}, {"t", "BIG", 0, 6}, {"u", "BIG", 0, 4}, {"u", "C", 0, 2}}},
	} {
		got, err := Call{tt.operation, []byte(tt.request), []byte(tt.answer)}.Uses(stored)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s takes %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}

func TestRequestsOfUnknownUnitsAreRefused(t *testing.T) {
	for operation, request := range map[string]string{
		"Scan":         `{}`,
		"BatchGetItem": `{"RequestItems":{"t":{"ProjectionExpression":"a","Keys":[{"pk":{"S":"A"}}]}}}`,
		"GetItem":      `{"TableName":"t"}`,
	} {
		if got, err := (Call{operation, []byte(request), []byte(`{}`)}).Uses(nil); err == nil {
			t.Errorf("%s takes %s", operation, fmt.Sprint(got))
		}
	}
}
