package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
)

// Document is a content that is read again and again and seldom changes.
type Document struct {
	content              []byte
	etag, mediaType, use string
}

// NewDocument returns JSON that is the same for everybody. Caches may keep it for as long
// as a deployment may take to be noticed.
func NewDocument(content []byte) Document {
	return newDocument(content, "application/json", "public, max-age=300")
}

// NewPrivateDocument returns a content of this type for its reader alone, who asks each
// time whether it changed.
func NewPrivateDocument(content []byte, mediaType string) Document {
	return newDocument(content, mediaType, "private, no-cache")
}

func newDocument(content []byte, mediaType, use string) Document {
	sum := sha256.Sum256(content)
	return Document{content, `"` + hex.EncodeToString(sum[:8]) + `"`, mediaType, use}
}

// ServeHTTP answers with the document.
func (d Document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", d.mediaType)
	h.Set("ETag", d.etag)
	h.Set("Cache-Control", d.use)
	if strings.Contains(r.Header.Get("If-None-Match"), d.etag) { // in a list, or as a weak one
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Write(d.content)
}
