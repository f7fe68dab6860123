// Package openapi holds the description of the REST API, openapi.json, and
// serves it. It is written by hand. The test suite compares it with every
// answer of the API, the parameters of every request that is served, the
// routes, and the tables of the interface below functions/.
//
// A new endpoint adds its operation under "paths" and its bodies, which are
// closed ("additionalProperties": false), under "components", and a row to its
// table. A new parameter, field, header or status adds itself to these. Until
// then the tests that meet it fail.
package openapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"strings"
)

// Document is the description, in OpenAPI 3.1.
//
//go:embed openapi.json
var Document []byte

// Serve answers with the document. It says the same to everybody, so caches
// may keep it, for as long as a deployment may take to be noticed.
func Serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("ETag", etag)
	h.Set("Cache-Control", "public, max-age=300")
	if strings.Contains(r.Header.Get("If-None-Match"), etag) { // in a list, or as a weak one
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(Document)
}

var etag = newETag(Document)

func newETag(content []byte) string {
	sum := sha256.Sum256(content)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}
