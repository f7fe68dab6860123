package partition

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
)

// Use is what one request takes of one partition, in units.
type Use struct {
	Table, Key    string
	Reads, Writes float64
}

// Call is one request to DynamoDB, and its answer.
type Call struct {
	Operation       string
	Request, Answer []byte
}

// attribute values and items, as in DynamoDB's JSON.
type (
	value map[string]json.RawMessage
	item  map[string]value
)

// SizeOf returns the size of the stored item with this key, 0 for none.
type SizeOf func(table string, key json.RawMessage) (bytes int, err error)

// Uses returns what the request takes of each partition. Where it is about one
// partition, that is what DynamoDB says in its answer, which the request has to ask
// for. Otherwise it follows from the sizes of the items by DynamoDB's rules: reads
// are counted in steps of 4 KB, at half a unit if they may miss the latest writes,
// and writes in steps of 1 KB, at two units each in a transaction. An update in a
// transaction counts as the item before it and the values that it sets.
func (c Call) Uses(sizeOf SizeOf) ([]Use, error) {
	switch c.Operation {
	case "GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem":
		return c.single()
	case "BatchGetItem":
		return c.batch()
	case "TransactWriteItems":
		return c.transaction(sizeOf)
	}
	return nil, fmt.Errorf("the units of %s are not known", c.Operation)
}

// action is a request, or a part of a transaction, that names one partition.
type action struct {
	TableName                 string
	Key                       json.RawMessage
	Item                      item
	ExpressionAttributeValues item
}

// partition returns the partition key.
func (a action) partition() (pk string, err error) {
	named := a.Item["pk"]
	if a.Key != nil {
		var key item
		if err := json.Unmarshal(a.Key, &key); err != nil {
			return "", err
		}
		named = key["pk"]
	} else if named == nil {
		named = a.ExpressionAttributeValues[":pk"]
	}
	return pk, json.Unmarshal(named["S"], &pk)
}

func (c Call) single() ([]Use, error) {
	var asked action
	if err := json.Unmarshal(c.Request, &asked); err != nil {
		return nil, err
	}
	pk, err := asked.partition()
	if err != nil {
		return nil, err
	}
	var answered struct {
		ConsumedCapacity struct{ CapacityUnits float64 }
		Item             item // in the error of a condition: the stored one
	}
	if err := json.Unmarshal(c.Answer, &answered); err != nil {
		return nil, err
	}
	use, units := Use{Table: asked.TableName, Key: pk}, answered.ConsumedCapacity.CapacityUnits
	switch {
	case c.Operation == "GetItem" || c.Operation == "Query":
		use.Reads = units
	case units > 0:
		use.Writes = units
	default: // a condition failed, which costs as much
		use.Writes = writeUnits(answered.Item.size())
	}
	return []Use{use}, nil
}

func (c Call) batch() (uses []Use, err error) {
	var asked struct {
		RequestItems map[string]struct {
			Keys                 []item
			ConsistentRead       bool
			ProjectionExpression string
		}
	}
	var answered struct{ Responses map[string][]item }
	if err := json.Unmarshal(c.Request, &asked); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(c.Answer, &answered); err != nil {
		return nil, err
	}
	for table, batch := range asked.RequestItems {
		if batch.ProjectionExpression != "" {
			return nil, fmt.Errorf("the items of %s are read in part, so that their sizes are not known", table)
		}
		sizes := map[string]int{}
		for _, it := range answered.Responses[table] {
			sizes[it.key()] = it.size()
		}
		for _, k := range batch.Keys {
			use := Use{Table: table, Reads: readUnits(sizes[k.key()], batch.ConsistentRead)}
			if use.Key, err = (action{Item: k}).partition(); err != nil {
				return nil, err
			}
			uses = append(uses, use)
		}
	}
	return uses, nil
}

// key is the text of an item's key.
func (it item) key() string { return string(it["pk"]["S"]) + string(it["sk"]["S"]) }

func (c Call) transaction(sizeOf SizeOf) (uses []Use, err error) {
	var asked struct{ TransactItems []map[string]action }
	if err := json.Unmarshal(c.Request, &asked); err != nil {
		return nil, err
	}
	for _, part := range asked.TransactItems {
		for _, a := range part { // there is one
			size := a.Item.size()
			if a.Key != nil {
				stored, err := sizeOf(a.TableName, a.Key)
				if err != nil {
					return nil, err
				}
				size = stored + a.ExpressionAttributeValues.size()
			}
			use := Use{Table: a.TableName, Writes: 2 * writeUnits(size)}
			if use.Key, err = a.partition(); err != nil {
				return nil, err
			}
			uses = append(uses, use)
		}
	}
	return uses, nil
}

func readUnits(bytes int, consistent bool) float64 {
	units := steps(bytes, 4<<10)
	if !consistent {
		units /= 2
	}
	return units
}

func writeUnits(bytes int) float64 { return steps(bytes, 1<<10) }

// steps is how often the step is counted, at least once.
func steps(bytes, step int) float64 { return float64(max(1, (bytes+step-1)/step)) }

// Size returns the size of the item in DynamoDB's JSON, in bytes.
func Size(of json.RawMessage) (int, error) {
	var it item
	err := json.Unmarshal(of, &it)
	return it.size(), err
}

func (it item) size() (bytes int) {
	for name, v := range it {
		bytes += len(name) + v.size()
	}
	return bytes
}

// size returns the size of a value by DynamoDB's rules. The emptiest list or map
// takes three bytes, and each element one more than itself.
func (v value) size() (bytes int) {
	for kind, raw := range v { // there is one
		var text string
		var texts []string
		var list []value
		var fields item
		switch kind {
		case "S", "N", "B":
			_ = json.Unmarshal(raw, &text)
			return scalarSize(kind, text)
		case "SS", "NS", "BS":
			_ = json.Unmarshal(raw, &texts)
			for _, t := range texts {
				bytes += scalarSize(strings.TrimSuffix(kind, "S"), t)
			}
			return bytes
		case "L":
			_ = json.Unmarshal(raw, &list)
			for _, element := range list {
				bytes += 1 + element.size()
			}
			return 3 + bytes
		case "M":
			_ = json.Unmarshal(raw, &fields)
			return 3 + len(fields) + fields.size()
		}
	}
	return 1 // true, false or null
}

func scalarSize(kind, text string) int {
	switch kind {
	case "N": // two digits a byte, and one for the exponent
		return (len(strings.Trim(text, "-.0"))+1)/2 + 1
	case "B":
		decoded, _ := base64.StdEncoding.DecodeString(text)
		return len(decoded)
	}
	return len(text)
}
