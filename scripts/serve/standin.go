package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"gatehouse/shared/boot"
)

// containerHost is the name by which containers call this machine.
const containerHost = "host.docker.internal"

// standIn answers what functions in containers of `sam local` ask of AWS: Secrets
// Manager with the instance key of this machine, and DynamoDB with an emulator. So the
// functions are those of a deployment, which take their key from Secrets Manager alone.
type standIn struct {
	key      string
	network  *net.IPNet // of the callers, with the address of this machine in it
	dynamoDB http.Handler
}

// newStandIn returns the stand-in for callers of a network.
func newStandIn(env boot.Env, network *net.IPNet) (http.Handler, error) {
	key, err := os.ReadFile(filepath.Join(env.Data, boot.KeyFileName))
	if err != nil {
		return nil, err
	}
	emulator, err := url.Parse(env.DynamoDBEndpoint)
	if err != nil {
		return nil, fmt.Errorf("AWS_ENDPOINT_URL_DYNAMODB: %w", err)
	}
	return standIn{string(key), network, &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(emulator) },
		Transport: signer{env},
	}}, nil
}

// ServeHTTP answers only callers of its network, and no pages of other sites that a
// browser on this machine shows.
func (s standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	service, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	switch {
	case r.Method != http.MethodPost || !s.mayCall(r):
		http.Error(w, "This is for functions in sam local.", http.StatusForbidden)
	case strings.HasPrefix(service, "DynamoDB_"):
		s.dynamoDB.ServeHTTP(w, r)
	case service == "secretsmanager" && operation == "GetSecretValue":
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		json.NewEncoder(w).Encode(map[string]string{"SecretString": s.key})
	default:
		http.Error(w, `{"__type":"UnknownOperationException"}`, http.StatusBadRequest)
	}
}

func (s standIn) mayCall(r *http.Request) bool {
	caller, _, err := net.SplitHostPort(r.RemoteAddr)
	address := net.ParseIP(caller)
	if err != nil || !s.network.Contains(address) || s.isHere(address) {
		return false
	}
	host, _, err := net.SplitHostPort(r.Host)
	return err == nil && (host == containerHost || s.network.Contains(net.ParseIP(host)))
}

// isHere reports whether the address is that of this machine in the network of containers.
// Other people on the machine call from there. On loopback, where Docker Desktop passes the
// calls of containers on, nothing tells them apart.
func (s standIn) isHere(address net.IP) bool {
	return !s.network.IP.IsLoopback() && s.network.IP.Equal(address)
}

// signer signs requests with the credentials of this process: the emulators that keep
// data apart by access key find the tables then, with any credentials of `sam local`.
type signer struct{ env boot.Env }

func (s signer) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	credentials, err := s.env.Provider().Retrieve(r.Context())
	if err != nil {
		return nil, err
	}
	r.Header.Del("X-Amz-Security-Token")
	digest := sha256.Sum256(body)
	if err := v4.NewSigner().SignHTTP(r.Context(), credentials, r, hex.EncodeToString(digest[:]), "dynamodb", s.env.Region, time.Now()); err != nil {
		return nil, err
	}
	return http.DefaultTransport.RoundTrip(r)
}
