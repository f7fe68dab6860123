package dynamodb

import (
	"fmt"
	"strings"

	"gatehouse/shared/secret"
)

// table is what distinguishes the name of a table from those beside it.
type table string

const (
	directory    table = "directory"
	applications table = "applications"
	tokens       table = "tokens"
	clientKeys   table = "client-keys"
	alerts       table = "alerts"
	messages     table = "messages"
)

// shape declares a kind of item: its table and keys, in which a <word> stands
// for a value, what the item is, and when DynamoDB may remove it. The file of
// the noun has the shape; the test of doc.go holds the list there to all shapes.
type shape struct {
	table
	pk, sk  string
	is, ttl string
}

// key returns the key with these values in place of the words. When values are
// missing for the sort key, it ends there, and the key names all items that
// begin with it. Numbers in sort keys are padded, for their order.
func (s shape) key(values ...any) key {
	pk, rest := fill(s.pk, "%d", values)
	sk, _ := fill(s.sk, padded, rest)
	return key{s.table, pk, sk}
}

// padded writes a number so that the order of the text is that of the numbers.
const padded = "%019d"

func fill(pattern, number string, values []any) (filled string, rest []any) {
	for {
		text, word, more := strings.Cut(pattern, "<")
		filled += text
		if !more || len(values) == 0 {
			return filled, values
		}
		if n, ok := values[0].(int64); ok {
			filled += fmt.Sprintf(number, n)
		} else {
			filled += values[0].(string)
		}
		_, pattern, _ = strings.Cut(word, ">")
		values = values[1:]
	}
}

// key finds one item, or those of a partition whose sort keys begin with its own.
type key struct {
	table
	pk, sk string
}

// The longest keys that DynamoDB takes, in bytes.
const maxPK, maxSK = 2048, 1024

// possible reports whether an item can have the key. Some keys hold words that
// a stranger sent.
func (k key) possible() bool { return len(k.pk) <= maxPK && len(k.sk) <= maxSK }

func (k key) item() item { return item{"pk": text(k.pk), "sk": text(k.sk)} }

// entry returns the key of a list's entry for the thing with this number.
func (k key) entry(id int64) key {
	k.sk += fmt.Sprintf(padded, id)
	return k
}

// bounded returns the word, or a digest in place of one that is too long for a
// key.
func bounded(word string) string {
	if len(word) > 1024 {
		return "sha256:" + secret.NewText(word).Digest().String()
	}
	return word
}

var idCounter = shape{directory, "COUNTER#<kind>", "COUNTER", "the last id of a kind", ""}
