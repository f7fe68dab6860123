package dynamodb

import (
	"bytes"
	bigendian "encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"gatehouse/shared/secret"
)

// A mark tells the updates of a slot apart: the time in milliseconds, so that the bytes
// sort by it, and four random bytes.
type mark []byte

func newMark(at time.Time) mark { return append(markTime(at), secret.Random(4)...) }

func markTime(at time.Time) mark {
	return bigendian.BigEndian.AppendUint64(nil, uint64(at.UnixMilli()))[2:]
}

// maxSkew is by how much the clocks of two callers are taken to differ at most.
const maxSkew = 200 * time.Millisecond

// earliest is below the marks of all updates that came after the one with this mark.
func (m mark) earliest() mark {
	at := int64(bigendian.BigEndian.Uint64(append([]byte{0, 0}, m[:6]...)))
	return markTime(time.UnixMilli(at).Add(-maxSkew))
}

func (m mark) value() types.AttributeValue { return binary(m) }

// isOn reports whether the slot has the mark.
func (m mark) isOn(stored item) bool {
	for _, name := range markNames {
		if v, ok := stored[name].(*types.AttributeValueMemberB); ok && bytes.Equal(v.Value, m) {
			return true
		}
	}
	return false
}

// The marks of the last updates of a slot, the newest first. Each update moves them on by
// one. They are few, since each takes twelve bytes of every slot.
var markNames = []string{"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"}

var noMark = binary([]byte{0})

// countAndMark is the update that counts an occurrence.
var countAndMark = func() string {
	moved := "m0 = :mark"
	for n := range len(markNames) - 1 {
		moved += fmt.Sprintf(", %s = if_not_exists(%s, :none)", markNames[n+1], markNames[n])
	}
	return "SET begun_at = if_not_exists(begun_at, :now), last_at = :now, " + moved + " ADD event_count :count"
}()

// unmarked is the condition that the update with the mark was not made. Where the oldest
// mark is of a later update, that cannot be told.
var unmarked = "NOT (:mark IN (" + strings.Join(markNames, ", ") + ")) AND (attribute_not_exists(" + oldest + ") OR " + oldest + " < :began)"

var oldest = markNames[len(markNames)-1]
