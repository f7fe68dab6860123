package sqlite

import (
	"strings"
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
	derived struct{ any } // stored to search by, and never read
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

// values returns what is stored, and then the other arguments of a statement.
func (cs columns) values(others ...any) []any {
	values := make([]any, 0, len(cs)+len(others))
	for _, c := range cs {
		switch v := c.variable.(type) {
		case given:
		case derived:
			values = append(values, v.any)
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
	return append(values, others...)
}

// update returns a statement that changes these columns where the clause says.
func update[T any](table string, of func(*T) columns, clause string) string {
	set := strings.ReplaceAll(of(new(T)).names(""), ",", " = ?,")
	return "UPDATE " + table + " SET " + set + " = ? " + clause
}
