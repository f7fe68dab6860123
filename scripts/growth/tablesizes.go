package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"gatehouse/scripts/growth/partition"
	"gatehouse/shared/storage/dynamodb/tables"
)

// tableSizes reads all that the tables of a store hold. It is for emulators, which check
// no signature.
type tableSizes struct {
	endpoint, region string
	names            []string
}

// sizes are of the tables of the store with this name.
func (s *stores) sizes(name string) (*tableSizes, error) {
	all, err := tables.Read(s.template, s.env.TablePrefix+"-"+name)
	t := &tableSizes{endpoint: s.env.DynamoDBEndpoint, region: s.env.Region}
	for _, table := range all {
		t.names = append(t.names, string(table.TableName))
	}
	return t, err
}

// byteMonths sums the sizes of all items, each for as long as it stays: a year, if it has
// no end.
func (t *tableSizes) byteMonths(ctx context.Context, now time.Time) (sum float64, err error) {
	for _, name := range t.names {
		for from := json.RawMessage(nil); ; {
			page, err := t.scan(ctx, name, from)
			if err != nil {
				return 0, fmt.Errorf("read %s: %w", name, err)
			}
			for _, item := range page.Items {
				one, err := itemMonths(item, now)
				if err != nil {
					return 0, err
				}
				sum += one
			}
			if from = page.LastEvaluatedKey; from == nil {
				break
			}
		}
	}
	return sum, nil
}

const (
	hoursOfMonth = 730
	mostMonths   = 12
	besideItem   = 100 // bytes that are stored with each item
)

// itemMonths is the size of an item, times the months that it stays.
func itemMonths(item json.RawMessage, now time.Time) (float64, error) {
	size, err := partition.Size(item)
	if err != nil {
		return 0, err
	}
	var expiring struct {
		TTL struct{ N string } `json:"ttl"`
	}
	if err := json.Unmarshal(item, &expiring); err != nil {
		return 0, err
	}
	months := float64(mostMonths)
	if expiring.TTL.N != "" {
		end, err := strconv.ParseInt(expiring.TTL.N, 10, 64)
		if err != nil {
			return 0, err
		}
		months = min(mostMonths, max(0, time.Unix(end, 0).Sub(now).Hours()/hoursOfMonth))
	}
	return float64(size+besideItem) * months, nil
}

// scanned is a page of a table.
type scanned struct {
	Items            []json.RawMessage
	LastEvaluatedKey json.RawMessage
}

func (t *tableSizes) scan(ctx context.Context, table string, from json.RawMessage) (page scanned, err error) {
	asked, err := json.Marshal(map[string]any{"TableName": table, "ExclusiveStartKey": from})
	if from == nil {
		asked, err = json.Marshal(map[string]any{"TableName": table})
	}
	if err != nil {
		return page, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.endpoint, bytes.NewReader(asked))
	if err != nil {
		return page, err
	}
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810.Scan")
	r.Header.Set("X-Amz-Date", "20260101T000000Z")
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/"+t.region+"/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return page, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("answered %d: %.200s", answer.StatusCode, text)
	}
	if err == nil {
		err = json.Unmarshal(text, &page)
	}
	return page, err
}
