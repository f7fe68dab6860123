package dynamodb

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// item is what DynamoDB stores: attributes by name.
type item map[string]types.AttributeValue

// field ties an attribute to the variable that it is read into and written
// from. One list of fields serves both ways, without reflection.
type field struct {
	name     string
	variable any // a pointer, or a slice over bytes of a fixed length
}

type fields []field

// attribute is a variable that knows its own form.
type attribute interface {
	value() types.AttributeValue
	set(types.AttributeValue) error
}

// item returns the attributes; what is empty has none.
func (fs fields) item() item {
	it := item{}
	for _, f := range fs {
		if value := f.value(); value != nil {
			it[f.name] = value
		}
	}
	return it
}

// read sets the variables. One whose attribute is missing keeps its value.
func (fs fields) read(it item) error {
	for _, f := range fs {
		value, ok := it[f.name]
		if !ok {
			continue
		}
		if err := f.set(value); err != nil {
			return fmt.Errorf("attribute %s: %w", f.name, err)
		}
	}
	return nil
}

// value returns the variable as an attribute, or nil where it is an empty
// text, an empty list, a false or the zero time. Numbers are always there, so
// that a condition can ask for zero.
func (f field) value() types.AttributeValue {
	switch v := f.variable.(type) {
	case *int64:
		return number(*v)
	case *int:
		return number(int64(*v))
	case []byte:
		return binary(v)
	case *[]byte:
		return unless(len(*v) == 0, binary(*v))
	case *string:
		return unless(*v == "", text(*v))
	case *bool:
		return unless(!*v, &types.AttributeValueMemberBOOL{Value: *v})
	case *time.Time:
		return unless(v.IsZero(), number(v.UnixMicro()))
	case *[]string:
		return unless(len(*v) == 0, list(*v, text))
	case *[]int64:
		return unless(len(*v) == 0, list(*v, number))
	case attribute:
		return v.value()
	}
	panic(fmt.Sprintf("attribute %s: no way to store a %T", f.name, f.variable))
}

func (f field) set(value types.AttributeValue) (err error) {
	switch v := f.variable.(type) {
	case *int64:
		*v, err = parseNumber(value)
	case *int:
		var n int64
		n, err = parseNumber(value)
		*v = int(n)
	case []byte:
		err = parseBinary(v, value)
	case *[]byte:
		*v, err = parseBytes(value)
	case *string:
		*v, err = parseText(value)
	case *bool:
		*v, err = parseBool(value)
	case *time.Time:
		*v, err = parseTime(value)
	case *[]string:
		*v, err = parseList(value, parseText)
	case *[]int64:
		*v, err = parseList(value, parseNumber)
	case attribute:
		err = v.set(value)
	}
	return err
}

func unless(empty bool, value types.AttributeValue) types.AttributeValue {
	if empty {
		return nil
	}
	return value
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func binary(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

func list[T any](values []T, one func(T) types.AttributeValue) types.AttributeValue {
	l := &types.AttributeValueMemberL{}
	for _, v := range values {
		l.Value = append(l.Value, one(v))
	}
	return l
}

func parseNumber(value types.AttributeValue) (int64, error) {
	n, ok := value.(*types.AttributeValueMemberN)
	if !ok {
		return 0, fmt.Errorf("%T is no number", value)
	}
	return strconv.ParseInt(n.Value, 10, 64)
}

func parseTime(value types.AttributeValue) (time.Time, error) {
	micros, err := parseNumber(value)
	return time.UnixMicro(micros).UTC(), err
}

func parseText(value types.AttributeValue) (string, error) {
	s, ok := value.(*types.AttributeValueMemberS)
	if !ok {
		return "", fmt.Errorf("%T is no text", value)
	}
	return s.Value, nil
}

func parseBool(value types.AttributeValue) (bool, error) {
	b, ok := value.(*types.AttributeValueMemberBOOL)
	if !ok {
		return false, fmt.Errorf("%T is no boolean", value)
	}
	return b.Value, nil
}

func parseBinary(into []byte, value types.AttributeValue) error {
	b, ok := value.(*types.AttributeValueMemberB)
	if !ok || len(b.Value) != len(into) {
		return fmt.Errorf("%T is not %d bytes", value, len(into))
	}
	copy(into, b.Value)
	return nil
}

func parseBytes(value types.AttributeValue) ([]byte, error) {
	b, ok := value.(*types.AttributeValueMemberB)
	if !ok {
		return nil, fmt.Errorf("%T is not binary", value)
	}
	return b.Value, nil
}

func parseList[T any](value types.AttributeValue, one func(types.AttributeValue) (T, error)) ([]T, error) {
	l, ok := value.(*types.AttributeValueMemberL)
	if !ok {
		return nil, fmt.Errorf("%T is no list", value)
	}
	values := make([]T, len(l.Value))
	for i, v := range l.Value {
		var err error
		if values[i], err = one(v); err != nil {
			return nil, err
		}
	}
	return values, nil
}
