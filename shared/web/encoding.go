package web

import (
	"net/http"
	"strconv"
	"strings"
)

// TakesGzip reports whether the client would rather have a content in gzip than as it is
// (RFC 9110 section 12.5.3).
func TakesGzip(r *http.Request) bool {
	zipped, plain, others := -1.0, 0.0, 0.0
	for coding := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		name, weight := codingOf(coding)
		switch name {
		case "gzip", "x-gzip":
			zipped = max(zipped, weight)
		case "identity":
			plain = weight
		case "*":
			others = weight
		}
	}
	if zipped < 0 {
		zipped = others
	}
	return zipped > 0 && zipped >= plain
}

// codingOf reads an element of Accept-Encoding. One with a weight that cannot be read is
// not taken.
func codingOf(element string) (name string, weight float64) {
	name, parameters, _ := strings.Cut(element, ";")
	weight = 1
	if parameters = strings.ToLower(strings.TrimSpace(parameters)); parameters != "" {
		value, isWeight := strings.CutPrefix(parameters, "q=")
		var err error
		if weight, err = strconv.ParseFloat(value, 64); !isWeight || err != nil || weight < 0 || weight > 1 {
			weight = 0
		}
	}
	return strings.ToLower(strings.TrimSpace(name)), weight
}

// KeepPlain has nobody compress the answer, on its way neither: it shows a secret, and the
// size of a compressed answer tells of what is in it.
func KeepPlain(w http.ResponseWriter) { w.Header().Set("Cache-Control", "no-store, no-transform") }
