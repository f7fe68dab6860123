package dynamodb

import (
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// change is what a write does to one item, if the item meets the condition.
// Only ifEqual can put an attribute into a condition whose name is one of
// DynamoDB's reserved words.
type change struct {
	key
	action     action
	item       item   // the whole item, or the attributes of an update
	add        item   // numbers, and members of sets, that an update adds
	once       item   // attributes that an update sets unless they are there
	condition  string // empty: none
	names      map[string]string
	values     item // what the condition refers to, like names
	keepsNonce bool // of the write before

	// What the write returns where there is no item, and where it does not meet the
	// condition; nil: a conditionError.
	missing, unmet error
	stored         *item // set to the stored item if that does not meet the condition
}

type action int

const (
	put action = iota
	update
	removal
	check // changes nothing
)

// Conditions on the item as a whole.
const (
	isNew  = "attribute_not_exists(pk)"
	exists = "attribute_exists(pk)"
)

// create stores a new item.
func create(k key, fs fields) change {
	return change{key: k, action: put, item: fs.item(), condition: isNew}
}

// replace stores an item, whether it exists or not.
func replace(k key, fs fields) change { return change{key: k, action: put, item: fs.item()} }

// set changes attributes of an item that exists. An attribute that becomes empty
// is removed.
func set(k key, fs fields) change {
	attributes := item{}
	for _, f := range fs {
		attributes[f.name] = f.value()
	}
	return change{key: k, action: update, item: attributes, condition: exists}
}

// add adds to a number of an item that exists.
func add(k key, name string, n int64) change {
	return change{key: k, action: update, add: item{name: number(n)}, condition: exists}
}

// mustRemove removes an item that exists.
func mustRemove(k key) change { return change{key: k, action: removal, condition: exists} }

// remove removes an item, whether it exists or not.
func remove(k key) change { return change{key: k, action: removal} }

// requireExists fails the write unless the item exists.
func requireExists(k key) change { return change{key: k, action: check, condition: exists} }

// when replaces the condition.
func (c change) when(condition string, values item) change {
	c.condition, c.values = condition, values
	return c
}

// and adds to the condition.
func (c change) and(condition string, values item) change {
	all := maps.Clone(c.values)
	maps.Copy(all, values)
	return c.when(c.condition+" AND "+condition, all)
}

// orElse has the write return the error if the condition fails.
func (c change) orElse(err error) change {
	c.missing, c.unmet = err, err
	return c
}

// ifMissing has the write return the error if there is no item.
func (c change) ifMissing(err error) change {
	c.missing = err
	return c
}

// tell has the write set the variable to the stored item if that does not meet the
// condition.
func (c change) tell(stored *item) change {
	c.stored = stored
	return c
}

// version requires the version of the item that the caller read.
func (c change) version(was int64) change {
	return c.when("version = :was", item{":was": number(was)})
}

// unlessWritten requires that nothing wrote the item since it was read; nil: that it is
// still not there.
func (c change) unlessWritten(stored item) change {
	if stored == nil {
		return c.when(isNew, nil)
	}
	return c.when(nonceName+" = :was", item{":was": stored[nonceName]})
}

// ifEqual also requires the stored attributes to equal these.
func (c change) ifEqual(fs fields) change {
	names, values := map[string]string{}, item{}
	maps.Copy(names, c.names)
	maps.Copy(values, c.values)
	for _, f := range fs {
		names["#"+f.name] = f.name
		if value := f.value(); value == nil {
			c.condition += " AND attribute_not_exists(#" + f.name + ")"
		} else {
			c.condition += " AND #" + f.name + " = :was_" + f.name
			values[":was_"+f.name] = value
		}
	}
	c.names, c.values = names, values
	return c
}

// keepNonce leaves the nonce of the write before on the item. That write may be
// repeated because its answer was lost, and must find its nonce. It is for
// changes that do no harm when they are made twice, or that another change of
// their transaction keeps from being made twice. An item that is put has no nonce.
func (c change) keepNonce() change {
	c.keepsNonce = true
	return c
}

// part returns the change as DynamoDB wants it.
func (s *Store) part(c change, nonce []byte) types.TransactWriteItem {
	table, condition, old := s.table(c.key), (*string)(nil), types.ReturnValuesOnConditionCheckFailureNone
	if c.condition != "" {
		condition, old = aws.String(c.condition), types.ReturnValuesOnConditionCheckFailureAllOld
	}
	switch c.action {
	case put:
		it := c.key.item()
		maps.Copy(it, c.item)
		if !c.keepsNonce {
			it[nonceName] = binary(nonce)
		}
		return types.TransactWriteItem{Put: &types.Put{
			TableName: table, Item: it, ConditionExpression: condition, ExpressionAttributeNames: c.names,
			ExpressionAttributeValues: c.values, ReturnValuesOnConditionCheckFailure: old,
		}}
	case update:
		e := c.expression(nonce)
		return types.TransactWriteItem{Update: &types.Update{
			TableName: table, Key: c.key.item(), ConditionExpression: condition,
			UpdateExpression: aws.String(e.text()), ExpressionAttributeNames: e.names,
			ExpressionAttributeValues: e.values, ReturnValuesOnConditionCheckFailure: old,
		}}
	case removal:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: table, Key: c.key.item(), ConditionExpression: condition, ExpressionAttributeNames: c.names,
			ExpressionAttributeValues: c.values, ReturnValuesOnConditionCheckFailure: old,
		}}
	default:
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: table, Key: c.key.item(), ConditionExpression: condition, ExpressionAttributeNames: c.names,
			ExpressionAttributeValues: c.values, ReturnValuesOnConditionCheckFailure: old,
		}}
	}
}

// expression is an update expression with what it refers to.
type expression struct {
	set, remove, add []string
	names            map[string]string
	values           item
}

func (c change) expression(nonce []byte) expression {
	e := expression{names: map[string]string{}, values: item{}}
	maps.Copy(e.names, c.names)
	maps.Copy(e.values, c.values)
	for name, value := range c.item {
		if value == nil {
			e.remove = append(e.remove, e.name(name))
		} else {
			e.set = append(e.set, e.name(name)+" = "+e.value(name, value))
		}
	}
	for name, value := range c.once {
		e.set = append(e.set, e.name(name)+" = if_not_exists("+e.name(name)+", "+e.value(name, value)+")")
	}
	for name, n := range c.add {
		e.add = append(e.add, e.name(name)+" "+e.value(name, n))
	}
	if !c.keepsNonce {
		e.set = append(e.set, e.name(nonceName)+" = "+e.value(nonceName, binary(nonce)))
	}
	return e
}

func (e expression) name(name string) string {
	e.names["#"+name] = name
	return "#" + name
}

func (e expression) value(name string, value types.AttributeValue) string {
	e.values[":"+name] = value
	return ":" + name
}

func (e expression) text() string {
	var clauses []string
	for _, c := range []struct {
		keyword string
		actions []string
	}{{"SET ", e.set}, {"REMOVE ", e.remove}, {"ADD ", e.add}} {
		if len(c.actions) > 0 {
			clauses = append(clauses, c.keyword+strings.Join(c.actions, ", "))
		}
	}
	return strings.Join(clauses, " ")
}
