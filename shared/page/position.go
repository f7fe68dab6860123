package page

import (
	"cmp"
	"errors"
	"math"
	"strconv"
	"strings"
)

// Position is the place of an item in the order of a list: by the value first,
// and then by the number of the item. A list that is ordered by the number alone
// leaves the value zero.
type Position struct {
	Value int64 // what the list is ordered by, such as microseconds since 1970
	ID    int64 // the number of the item, 1 or more
}

// MaxID is more than any number of an item. Stores count on from there.
const MaxID = math.MaxInt64 - 1

// At is the position of an item in a list that is ordered by the number alone.
func At(id int64) Position { return Position{ID: id} }

// Some reports whether the position is that of an item, and not the zero Position.
func (p Position) Some() bool { return p.ID > 0 }

// The orders of lists. In both, equal values have the highest number first.

// Falling is the order from the highest value, and so the newest, to the lowest.
func Falling(a, b Position) int {
	return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(b.ID, a.ID))
}

// Rising is the order from the lowest value to the highest.
func Rising(a, b Position) int { return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(b.ID, a.ID)) }

// Ascending is the order of a list by the number alone, from the lowest to the
// highest.
func Ascending(a, b Position) int { return cmp.Compare(a.ID, b.ID) }

const base = 36

// String returns the form of a position in addresses (Interface: "Lists").
func (p Position) String() string {
	return strconv.FormatInt(p.Value, base) + "." + strconv.FormatInt(p.ID, base)
}

var errPosition = errors.New("not a position")

// ParsePosition reads the form of String.
func ParsePosition(text string) (Position, error) {
	value, id, ok := strings.Cut(text, ".")
	v, errValue := strconv.ParseInt(value, base, 64)
	n, errID := strconv.ParseInt(id, base, 64)
	p := Position{v, n}
	if !ok || errValue != nil || errID != nil || !p.Some() || n > MaxID {
		return Position{}, errPosition
	}
	return p, nil
}
