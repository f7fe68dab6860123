package gateway

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"slices"
	"strings"
	"sync"

	"gatehouse/shared/web"
)

// leastToCompress is what fits into one packet anyhow.
const leastToCompress = 1400

// level compresses pages and lists by nearly as much as the best one, in half its time.
const level = 5

// compress returns the body in gzip, if the client takes that, it pays and no secret can
// be guessed by it, and else as it is. It completes the header.
func compress(r *http.Request, header http.Header, status int, body []byte) []byte {
	if !isCompressible(header, status) {
		return body
	}
	unchanged := status == http.StatusNotModified
	if len(body) < leastToCompress && !unchanged {
		return body
	}
	if !slices.Contains(header.Values("Vary"), "Accept-Encoding") {
		header.Add("Vary", "Accept-Encoding")
	}
	if !web.TakesGzip(r) || canBeMadeToAsk(r) {
		return body
	}
	if etag := header.Get("ETag"); strings.HasPrefix(etag, `"`) {
		header.Set("ETag", "W/"+etag) // it is the same only in meaning
	}
	if unchanged {
		return body
	}
	header.Set("Content-Encoding", "gzip")
	header.Del("Content-Length")
	return zip(body)
}

// isCompressible reports whether an answer with this header is text, as a whole, and
// neither compressed already nor to be left as it is.
func isCompressible(header http.Header, status int) bool {
	mediaType, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	switch mediaType {
	case "application/json", "application/problem+json", "application/yaml", "image/svg+xml":
	default:
		if !strings.HasPrefix(mediaType, "text/") {
			return false
		}
	}
	return status != http.StatusPartialContent && header.Get("Content-Encoding") == "" &&
		!strings.Contains(header.Get("Cache-Control"), "no-transform")
}

// canBeMadeToAsk reports whether a page of another site may have made a browser send the
// request, with what the browser knows of the user here. Such a page can put text into the
// answer, and whoever sees the size of many answers learns what else is in them
// (the attack BREACH). Browsers say which site a request comes from.
func canBeMadeToAsk(r *http.Request) bool {
	if _, _, basic := r.BasicAuth(); !basic && r.Header.Get("Cookie") == "" {
		return false
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "same-origin" && site != "none"
}

// writers holds those that are not in use: each has most of a megabyte.
var writers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		panic(err) // not reached: there is such a level
	}
	return w
}}

func zip(body []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(body)/3 + 64)
	w := writers.Get().(*gzip.Writer)
	defer writers.Put(w)
	w.Reset(&out)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}
