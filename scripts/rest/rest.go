// Package rest runs a test program against a server and calls REST APIs for it.
package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// Main runs a test against the server that GATEHOUSE_URL names, with the
// administrator's token in GATEHOUSE_ROOT_TOKEN. An error ends the program.
func Main(name string, test func(ctx context.Context, admin Client) error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	err := test(ctx, Client{os.Getenv("GATEHOUSE_URL"), os.Getenv("GATEHOUSE_ROOT_TOKEN")})
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}

// Client calls the server at Base, with the token if there is one.
type Client struct{ Base, Token string }

// API calls Gatehouse's REST API.
func (c Client) API(ctx context.Context, method, path string, params, into any) error {
	return c.Call(ctx, method, "/api/v4"+path, params, into)
}

// Call sends the parameters as JSON and reads the answer, which must be a success,
// into a value. Both may be nil.
func (c Client) Call(ctx context.Context, method, path string, params, into any) error {
	var sent bytes.Buffer
	if params != nil {
		if err := json.NewEncoder(&sent).Encode(params); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, c.Base+path, &sent)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.Token != "" {
		r.Header.Set("PRIVATE-TOKEN", c.Token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return err
	case answer.StatusCode >= 300:
		return fmt.Errorf("%s %s: %s %s", method, path, answer.Status, strings.TrimSpace(string(body)))
	case into == nil, answer.StatusCode == http.StatusNoContent:
		return nil
	}
	return json.Unmarshal(body, into)
}

// FreeAddress returns a loopback address that nobody listens on.
func FreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}
