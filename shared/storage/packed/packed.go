// Package packed compresses long texts for the stores: the payloads of monitoring
// tools, which repeat the same words.
package packed

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"sync"
)

// writers are reused, because each has more than half a megabyte of tables.
var writers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // only for a level that does not exist
	}
	return w
}}

// Pack compresses the text. A text that does not compress becomes hardly longer.
func Pack(text []byte) []byte {
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	var packed bytes.Buffer
	w.Reset(&packed)
	w.Write(text) // a Buffer takes everything
	w.Close()
	return packed.Bytes()
}

// Unpack returns the text that Pack compressed.
func Unpack(packed []byte) ([]byte, error) {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return text, nil
}
