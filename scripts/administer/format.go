package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"time"

	"gatehouse/shared/secret"
	"gatehouse/shared/storage/archive"
)

// formatVersion is the version of the format of exports.
const formatVersion = 1

// header is the first line of an export.
type header struct {
	Format int       `json:"gatehouse_export"`
	Key    string    `json:"key"`                   // the name of the instance key that was in use
	Former []string  `json:"former_keys,omitempty"` // those that still opened what was made under them
	Since  time.Time `json:"since"`                 // what had expired then is left out
}

// keys returns the names of all keys that the export needs.
func (h header) keys() []string { return append([]string{h.Key}, h.Former...) }

// missing returns the first key that the export needs and that is not among these.
func (h header) missing(keys secret.Keys) (name string, missing bool) {
	has := keyIDs(keys)
	for _, name := range h.keys() {
		if !slices.Contains(has, name) {
			return name, true
		}
	}
	return "", false
}

func (h header) text() []byte {
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // not reached: it always has one
	}
	return append(text, '\n')
}

// line is a line in between: a thing of a kind.
type line struct {
	Kind  string          `json:"kind"`
	Thing json.RawMessage `json:"thing"`
}

func lineOf(k archive.Kind, text []byte) []byte {
	return fmt.Appendf(nil, "{\"kind\":%q,\"thing\":%s}\n", k.Name(), text)
}

func parseLine(text []byte) (l line, err error) {
	if err := json.Unmarshal(text, &l); err != nil {
		return line{}, fmt.Errorf("a line is damaged: %w", err)
	}
	return l, nil
}

// ending is the last line.
type ending struct {
	End sums `json:"end"`
}

// sums are how many things there are of each kind, and the checksums of their lines.
type sums map[string]*sum

type sum struct {
	Count  int64
	digest hash.Hash
	given  string // the checksum of one that was read
}

func (all sums) add(kind string, line []byte) {
	if all[kind] == nil {
		all[kind] = &sum{digest: sha256.New()}
	}
	all[kind].Count++
	all[kind].digest.Write(line)
}

func (s *sum) checksum() string {
	if s.digest == nil {
		return s.given
	}
	return hex.EncodeToString(s.digest.Sum(nil))
}

type sumText struct {
	Count  int64  `json:"count"`
	SHA256 string `json:"sha256"`
}

// MarshalJSON returns the count and the checksum.
func (s *sum) MarshalJSON() ([]byte, error) { return json.Marshal(sumText{s.Count, s.checksum()}) }

// UnmarshalJSON reads them.
func (s *sum) UnmarshalJSON(text []byte) error {
	var t sumText
	err := json.Unmarshal(text, &t)
	s.Count, s.given = t.Count, t.SHA256
	return err
}

// differ returns an error for the first kind whose things differ; what says what these are.
func (all sums) differ(want sums, what string) error {
	for _, k := range archive.Kinds() {
		has, wanted := all.of(k), want.of(k)
		switch {
		case has.Count != wanted.Count:
			return fmt.Errorf("%s %d things of the kind %s, and there should be %d", what, has.Count, k.Name(), wanted.Count)
		case has.Count > 0 && has.checksum() != wanted.checksum():
			return fmt.Errorf("%s other things of the kind %s than there should be: the checksums differ", what, k.Name())
		}
	}
	return nil
}

func (all sums) of(k archive.Kind) *sum {
	if found := all[k.Name()]; found != nil {
		return found
	}
	return &sum{}
}

// errCut means that a file ends within a line.
var errCut = errors.New("the file ends within a line")

// reader reads lines, each with its end.
type reader struct{ *bufio.Reader }

func newReader(r io.Reader) reader { return reader{bufio.NewReaderSize(r, 1<<20)} }

func (r reader) next() ([]byte, error) {
	text, err := r.ReadBytes('\n')
	if errors.Is(err, io.EOF) && len(text) > 0 {
		return nil, errCut
	}
	return text, err
}
