package sqlite

import (
	"database/sql"
	"strings"
	"sync"
	"time"

	"gatehouse/shared/scope"
)

// column ties a column to the variable that it is read into and written from.
type column struct {
	name     string
	variable any // a pointer, or a slice over bytes of a fixed length
}

type columns []column

// Two kinds of variables go one way only.
type (
	given   struct{ any } // read, and never stored: the id of a new row, or of a joined table
	derived func() any    // stored to search by, and never read
)

// names lists the columns to read from the table, and without one those to store.
func (cs columns) names(table string) string {
	var names []string
	for _, c := range cs {
		_, given := c.variable.(given)
		_, derived := c.variable.(derived)
		if table == "" && given || table != "" && derived {
			continue
		}
		if name := c.name; table == "" || strings.Contains(name, ".") {
			names = append(names, name)
		} else {
			names = append(names, table+"."+name)
		}
	}
	return strings.Join(names, ", ")
}

// destinations returns what a row is scanned into.
func (cs columns) destinations() []any {
	into := make([]any, 0, len(cs))
	for _, c := range cs {
		switch v := c.variable.(type) {
		case derived:
		case given:
			into = append(into, v.any)
		case *time.Time:
			into = append(into, (*moment)(v))
		case []byte:
			into = append(into, fixed(v))
		case *scope.Set:
			into = append(into, (*scopes)(v))
		default:
			into = append(into, v)
		}
	}
	return into
}

// appendValues appends what is stored.
func (cs columns) appendValues(values []any) []any {
	for _, c := range cs {
		switch v := c.variable.(type) {
		case given:
		case derived:
			values = append(values, v())
		case *int64:
			values = append(values, *v)
		case *string:
			values = append(values, *v)
		case *time.Time:
			values = append(values, micros(*v))
		case *[]byte:
			values = append(values, append([]byte{}, *v...)) // nil would be NULL
		case *scope.Set:
			values = append(values, v.String())
		case interface{ value() any }:
			values = append(values, v.value())
		default:
			values = append(values, v) // package sql follows pointers
		}
	}
	return values
}

// A rowOf is a thing with its columns. Rows are reused: it takes long to list
// the columns.
type rowOf[T any] struct {
	thing   T
	columns columns
	into    []any
	args    []any
}

func newRows[T any](list func(*T) columns) *sync.Pool {
	return &sync.Pool{New: func() any {
		r := new(rowOf[T])
		r.columns = list(&r.thing)
		r.into = r.columns.destinations()
		return r
	}}
}

// storing is a statement that stores columns of a thing.
type storing[T any] struct {
	query string
	rows  *sync.Pool
}

// update changes these columns where the clause says.
func update[T any](table string, list func(*T) columns, clause string) storing[T] {
	set := strings.ReplaceAll(list(new(T)).names(""), ",", " = ?,")
	return storing[T]{"UPDATE " + table + " SET " + set + " = ? " + clause, newRows(list)}
}

// run runs the statement; the others are the arguments of its clause.
func (s storing[T]) run(tx *transaction, thing *T, others ...any) (sql.Result, error) {
	r := s.rows.Get().(*rowOf[T])
	defer s.rows.Put(r)
	r.thing = *thing
	r.args = append(r.columns.appendValues(r.args[:0]), others...)
	result, err := tx.run(s.query, r.args...)
	clear(r.args)
	r.thing = *new(T)
	return result, err
}

// change runs the statement and reports whether it changed anything.
func (s storing[T]) change(tx *transaction, thing *T, others ...any) (bool, error) {
	return changed(s.run(tx, thing, others...))
}
