package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
)

// conn is a kept-alive HTTP/1.1 connection that does only what the measurement needs,
// because the load generator shares its processors with the server.
type conn struct {
	net.Conn
	reader *bufio.Reader
}

// response is the answer to a request.
type response struct {
	status   int
	location string
	cookie   string
	body     []byte
}

// expect turns any answer but the expected one into an error, and passes err.
func (r response) expect(status int, err error) error {
	if err == nil && r.status != status {
		return fmt.Errorf("status %d %s, want %d", r.status, r.body, status)
	}
	return err
}

func (c *conn) close() {
	if c.Conn != nil {
		c.Conn.Close()
	}
}

// send writes a request and reads its response.
func (c *conn) send(address *url.URL, method, target, headers, body string) (response, error) {
	if c.Conn == nil {
		connection, err := net.Dial("tcp", address.Host)
		if err != nil {
			return response{}, err
		}
		c.Conn, c.reader = connection, bufio.NewReader(connection)
	}
	_, err := io.WriteString(c.Conn, method+" "+target+" HTTP/1.1\r\nHost: "+address.Host+"\r\n"+headers+
		"Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
	if err != nil {
		return response{}, err
	}
	return c.read()
}

func (c *conn) read() (response, error) {
	lines := textproto.NewReader(c.reader)
	status, err := lines.ReadLine()
	if err != nil {
		return response{}, err
	}
	var r response
	if _, err := fmt.Sscanf(status, "HTTP/1.1 %d", &r.status); err != nil {
		return response{}, fmt.Errorf("status line %q", status)
	}
	length := 0
	for {
		line, err := lines.ReadLine()
		if err != nil {
			return response{}, err
		}
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ": ")
		switch strings.ToLower(name) {
		case "content-length":
			length, err = strconv.Atoi(value)
		case "location":
			r.location = value
		case "set-cookie":
			r.cookie, _, _ = strings.Cut(value, ";")
		case "transfer-encoding":
			err = fmt.Errorf("an answer came in chunks, which this client does not read")
		}
		if err != nil {
			return response{}, err
		}
	}
	r.body = make([]byte, length)
	_, err = io.ReadFull(c.reader, r.body)
	return r, err
}
