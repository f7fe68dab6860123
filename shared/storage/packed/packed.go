// Package packed makes long texts short before a store keeps them: the
// payloads of monitoring tools, which repeat the same words.
package packed

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"sync"
)

// writers are kept, because each brings more than half a megabyte of tables.
var writers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // only for a level that does not exist
	}
	return w
}}

// Pack returns a form of the text that Unpack turns back. It is hardly longer
// than a text that does not compress.
func Pack(text []byte) []byte {
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	var packed bytes.Buffer
	w.Reset(&packed)
	w.Write(text) // a Buffer takes everything
	w.Close()
	return packed.Bytes()
}

// Unpack returns the text that was packed.
func Unpack(packed []byte) ([]byte, error) {
	text, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, fmt.Errorf("unpack: %w", err)
	}
	return text, nil
}
