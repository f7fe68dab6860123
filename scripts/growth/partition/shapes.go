// Package partition simulates the load on the single partitions of DynamoDB's
// tables. It takes from requests that were made once what each took of which
// partition, and repeats them many times with other users and projects.
package partition

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Shape is a kind of partition: its table and partition key, in which a <word>
// stands for a value, and the kinds of items in it.
type Shape struct {
	Table, Key string
	Items      []string

	pattern  *regexp.Regexp
	entities []string // what each word names
}

// Entities are things that users and projects have their own of. Simulated
// requests are about different ones. What a word names that is not among them is
// the same for all requests, such as a month.
const (
	User        = "user"
	Project     = "project"
	Group       = "group"
	Application = "application"
	Alert       = "alert"   // an open one of a project
	Request     = "request" // what a request makes that no other request touches
	Shared      = ""        // the same for all requests
)

// words say what the values in partition keys name, and how they look if other
// shapes differ from theirs in nothing else.
var words = map[string]struct{ entity, looks string }{
	"user": {User, ""}, "USER": {User, ""}, "address": {User, ""}, "digest": {User, ""}, "key": {User, ""}, "full_path": {Project, ""},
	"project": {Project, ""}, "PROJECT": {Project, ""}, "place": {Project, ""}, "KEY": {Project, ""}, "group": {Group, ""}, "GROUP": {Group, ""},
	"client_id": {Application, ""}, "client": {Application, ""}, "caller": {Application, ""}, "fingerprint": {Alert, ""}, "iid": {Alert, ""}, "name": {Request, ""}, "lane": {Request, ""},
	"shard": {Shared, ""}, "kind": {Shared, ""}, "status": {Shared, ""}, "severity": {Shared, ""}, "event": {Shared, ""}, "entry": {Shared, ""},
	"month": {Shared, `\d{4}-\d{2}`}, "day": {Shared, `\d{4}-\d{2}-\d{2}`},
}

// gap is between two columns of the table of items.
var gap = regexp.MustCompile(`\s{2,}`)

// ReadShapes reads the table of items in the documentation of the store.
func ReadShapes(doc io.Reader) (all []Shape, err error) {
	lines := bufio.NewScanner(doc)
	begun := false
	for lines.Scan() {
		columns := gap.Split(strings.TrimPrefix(lines.Text(), "//\t"), -1)
		switch {
		case len(columns) < 4:
			if begun {
				return all, nil
			}
		case !begun:
			begun = columns[0] == "table"
		default:
			if all, err = addItem(all, columns[0], columns[1], columns[3]); err != nil {
				return nil, err
			}
		}
	}
	return nil, cmp.Or(lines.Err(), errors.New("the table of items is missing or has no end"))
}

// addItem adds a kind of item to its shape.
func addItem(all []Shape, table, key, is string) ([]Shape, error) {
	n := slices.IndexFunc(all, func(s Shape) bool { return s.Table == table && s.Key == key })
	if n < 0 {
		s, err := newShape(table, key)
		if err != nil {
			return nil, err
		}
		all, n = append(all, s), len(all)
	}
	all[n].Items = append(all[n].Items, is)
	return all, nil
}

var wordPattern = regexp.MustCompile(`<(\w+)>`)

func newShape(table, key string) (Shape, error) {
	s := Shape{Table: table, Key: key}
	pattern, end := "^", 0
	for _, at := range wordPattern.FindAllStringSubmatchIndex(key, -1) {
		name := key[at[2]:at[3]]
		if name == "id" { // of what is before it
			before := strings.Split(strings.TrimSuffix(key[:at[0]], "#"), "#")
			name = before[len(before)-1]
		}
		w, known := words[name]
		if !known {
			return s, fmt.Errorf("nothing says what <%s> in the key %s of %s names", name, key, table)
		}
		looks := cmp.Or(w.looks, "[^#]+")
		if w.looks == "" && at[1] == len(key) {
			looks = ".+" // what ends a key can hold any text
		}
		pattern += regexp.QuoteMeta(key[end:at[0]]) + "(" + looks + ")"
		s.entities, end = append(s.entities, w.entity), at[1]
	}
	s.pattern = regexp.MustCompile(pattern + regexp.QuoteMeta(key[end:]) + "$")
	return s, nil
}

// Find returns the shape of a partition key, and the values in it. The name of the
// table may have a prefix. If several shapes fit, it is that with the most text of
// its own.
func Find(shapes []Shape, table, key string) (found Shape, values []string, err error) {
	for _, s := range shapes {
		match := s.pattern.FindStringSubmatch(key)
		if strings.HasSuffix("-"+table, "-"+s.Table) && match != nil && (values == nil || s.text() > found.text()) {
			found, values = s, match[1:]
		}
	}
	if values == nil {
		return found, nil, fmt.Errorf("no declared item of %s has the key %s", table, key)
	}
	return found, values, nil
}

// text is the length of what is no word.
func (s Shape) text() int { return len(wordPattern.ReplaceAllString(s.Key, "")) }

// Shared reports whether all requests that touch such a partition touch the same
// few.
func (s Shape) Shared() bool {
	return !slices.ContainsFunc(s.entities, func(entity string) bool { return entity != Shared })
}

// String names the shape.
func (s Shape) String() string { return s.Table + " " + s.Key }
