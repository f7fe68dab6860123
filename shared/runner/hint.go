package runner

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"time"

	"gatehouse/shared/record"
)

// hint is what lists keep of a runner, so that a search need not read those that it
// cannot keep. It changes seldom, because every list that has the runner keeps it.
type hint struct {
	Paused bool    `json:"p,omitempty"`
	Tags   uint64  `json:"t,omitempty"` // a bit for each
	Day    int64   `json:"d,omitempty"` // that of the last contact, since 1970; zero: it never was
	Above  []int64 `json:"a,omitempty"`
	Owner  int64   `json:"o,omitempty"`
}

// hintOf returns the stored hint of a runner.
func hintOf(r Runner) string {
	h := hint{Paused: r.Paused, Tags: tagBits(r.Tags), Above: r.Above, Owner: r.OwnerID}
	if !r.ContactedAt.IsZero() {
		h.Day = int64(r.ContactedAt.Sub(time.Unix(0, 0)) / day)
	}
	text, _ := json.Marshal(h) // numbers cannot fail
	return string(text)
}

// readHint returns what is stored.
func readHint(text string) (h hint) {
	_ = json.Unmarshal([]byte(text), &h) // checked when it was written
	return h
}

// stand returns what the hint has of the runner of an entry.
func (h hint) stand(e record.Record) Stored {
	return Stored{Record: e, Thing: Runner{Above: h.Above, OwnerID: h.Owner}}
}

// tagBits returns a bit for each tag, which other tags may share.
func tagBits(tags []string) (bits uint64) {
	for _, tag := range tags {
		digest := fnv.New64a()
		digest.Write([]byte(tag))
		bits |= 1 << (digest.Sum64() % 64)
	}
	return bits
}

const day = 24 * time.Hour

// may reports whether the filter can keep a runner with this hint, whatever the type.
func (f Filter) may(h hint, now time.Time) bool {
	return !slices.Contains(f.Paused, !h.Paused) && tagBits(f.Tags)&^h.Tags == 0 &&
		!slices.ContainsFunc(f.Statuses, func(wanted Status) bool { return !h.mayBe(wanted, now) })
}

// mayBe reports whether a runner with this hint can have the status.
func (h hint) mayBe(wanted Status, now time.Time) bool {
	earliest := time.Unix(0, 0).Add(time.Duration(h.Day) * day)
	latest := earliest.Add(day - 1)
	if h.Day == 0 {
		earliest, latest = time.Time{}, time.Time{}
	}
	return wanted.isAfter(latest, now) || wanted.isAfter(earliest, now)
}
