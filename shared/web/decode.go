package web

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"

	"gatehouse/shared/fault"
)

// Codings are the content codings that Decoded knows, as Accept-Encoding names them.
const Codings = "gzip, deflate"

// Decoded returns the body of a request without its content coding, of which there may be
// one (RFC 9110 section 8.4). It never inflates more than the limit, in bytes. A body
// beyond that is a fault.TooLarge error, a coding that is not known a fault.Unsupported
// one, and a body that is not in its coding a fault.Invalid one.
func Decoded(r *http.Request, body []byte, most int64) ([]byte, error) {
	coding := strings.ToLower(strings.TrimSpace(strings.Join(r.Header.Values("Content-Encoding"), ",")))
	open := inflaters[coding]
	switch {
	case coding == "", coding == "identity":
		return body, nil
	case open == nil:
		return nil, fault.New(fault.Unsupported, fmt.Sprintf("the content encoding %.40q is not known here: send one of %s, or none", coding, Codings))
	}
	plain, err := inflated(open, body, most)
	switch {
	case err != nil:
		return nil, fault.New(fault.Invalid, "the body is not valid "+coding)
	case int64(len(plain)) > most:
		return nil, fault.New(fault.TooLarge, fmt.Sprintf("the body exceeds %d MiB once it is inflated", most>>20))
	}
	return plain, nil
}

// inflaters open a stream in each coding.
var inflaters = map[string]func(*bytes.Reader) (io.Reader, error){
	"gzip": gunzip, "x-gzip": gunzip, "deflate": openDeflate,
}

func gunzip(r *bytes.Reader) (io.Reader, error) { return gzip.NewReader(r) }

// openDeflate opens a stream in the format of zlib, which "deflate" means, or one without its
// header, which some senders make of it. No encoder begins the latter like a header.
func openDeflate(r *bytes.Reader) (io.Reader, error) {
	var head [2]byte
	_, err := r.ReadAt(head[:], 0)
	if err != nil || head[0]&0xf != 8 || (int(head[0])<<8|int(head[1]))%31 != 0 {
		return flate.NewReader(r), nil
	}
	return zlib.NewReader(r)
}

// inflated returns a stream as far as the limit and one byte beyond.
func inflated(open func(*bytes.Reader) (io.Reader, error), body []byte, most int64) ([]byte, error) {
	stream, err := open(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	var plain bytes.Buffer
	_, err = plain.ReadFrom(io.LimitReader(stream, most+1))
	return plain.Bytes(), err
}
