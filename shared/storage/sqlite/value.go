package sqlite

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

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

// reader is a sql.Scanner made of a function.
type reader func(stored any) error

func (r reader) Scan(stored any) error { return r(stored) }

func intoTime(t *time.Time) sql.Scanner {
	return reader(func(stored any) error {
		n, ok := stored.(int64)
		if !ok {
			return fmt.Errorf("stored time is a %T", stored)
		}
		*t = time.Time{}
		if n != 0 {
			*t = time.UnixMicro(n).UTC()
		}
		return nil
	})
}

func intoBytes(b []byte) sql.Scanner {
	return reader(func(stored any) error {
		from, ok := stored.([]byte)
		if !ok || len(from) != len(b) {
			return fmt.Errorf("stored value is no %d bytes", len(b))
		}
		copy(b, from)
		return nil
	})
}

func intoScopes(s *scope.Set) sql.Scanner {
	return reader(func(stored any) error {
		from, ok := stored.(string)
		if !ok {
			return fmt.Errorf("stored scopes are a %T", stored)
		}
		*s = scope.Of(strings.Fields(from)...)
		return nil
	})
}

// intoList reads what text wrote.
func intoList[T any](list *[]T) sql.Scanner {
	return reader(func(stored any) error {
		from, ok := stored.(string)
		if !ok {
			return fmt.Errorf("stored list is a %T", stored)
		}
		return json.Unmarshal([]byte(from), list)
	})
}

func scanInt64(r row) (n int64, err error)  { return n, r.Scan(&n) }
func scanBool(r row) (b bool, err error)    { return b, r.Scan(&b) }
func scanBytes(r row) (b []byte, err error) { return b, r.Scan(&b) }
