package sqlite

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/scope"
)

// key is the form of a name by which names are compared.
func key(name string) string { return strings.ToLower(name) }

// micros is the stored form of a time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// text is the stored form of a list.
func text(list any) string {
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // lists of numbers, strings and places always have one
	}
	return string(b)
}

// moment is a time in microseconds; 0 is the zero time.
type moment time.Time

func (m *moment) Scan(stored any) error {
	n, ok := stored.(int64)
	if !ok {
		return fmt.Errorf("stored time is a %T", stored)
	}
	*m = moment{}
	if n != 0 {
		*m = moment(time.UnixMicro(n).UTC())
	}
	return nil
}

// fixed is a slice over bytes of a fixed length.
type fixed []byte

func (f fixed) Scan(stored any) error {
	from, ok := stored.([]byte)
	if !ok || len(from) != len(f) {
		return fmt.Errorf("stored value is no %d bytes", len(f))
	}
	copy(f, from)
	return nil
}

// reference is an id; NULL stands for zero, which refers to nothing.
type reference int64

func (r *reference) Scan(stored any) error {
	n, ok := stored.(int64)
	if !ok && stored != nil {
		return fmt.Errorf("stored id is a %T", stored)
	}
	*r = reference(n)
	return nil
}

func (r *reference) value() any { return sql.NullInt64{Int64: int64(*r), Valid: *r != 0} }

// scopes are separated by spaces.
type scopes scope.Set

func (s *scopes) Scan(stored any) error {
	from, ok := stored.(string)
	if !ok {
		return fmt.Errorf("stored scopes are a %T", stored)
	}
	*s = scopes(scope.Of(strings.Fields(from)...))
	return nil
}

// list is stored as JSON.
type list[T any] []T

func (l *list[T]) Scan(stored any) error {
	from, ok := stored.(string)
	if !ok {
		return fmt.Errorf("stored list is a %T", stored)
	}
	return json.Unmarshal([]byte(from), (*[]T)(l))
}

func (l *list[T]) value() any { return text(*l) }

// labels are stored as JSON.
type labels alert.Labels

func (l *labels) Scan(stored any) error {
	from, ok := stored.(string)
	if !ok {
		return fmt.Errorf("stored labels are a %T", stored)
	}
	*l = nil
	if from == "{}" {
		return nil
	}
	return json.Unmarshal([]byte(from), (*alert.Labels)(l))
}

func (l *labels) value() any {
	if len(*l) == 0 {
		return "{}"
	}
	return text(*l)
}

// scalar reads a row of one column.
func scalar[T any](r row) (v T, err error) { return v, r.Scan(&v) }
