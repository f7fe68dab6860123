package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gatehouse/shared/boot"
	"gatehouse/shared/secret"
)

const testKey = "a key that is base64 of 32 bytes, or so"

// besideEmulator returns the stand-in for callers from loopback, over an emulator that
// answers what it was asked.
func besideEmulator(t *testing.T) http.Handler {
	t.Helper()
	emulator := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		credential, _, _ := strings.Cut(r.Header.Get("Authorization"), ",")
		fmt.Fprint(w, r.URL.Path, " ", r.Header.Get("X-Amz-Target"), " ", string(body), " ", credential, r.Header.Get("X-Amz-Security-Token"))
	}))
	t.Cleanup(emulator.Close)
	env := boot.Env{
		Data: t.TempDir(), DynamoDBEndpoint: emulator.URL, Region: "us-east-1",
		Credentials: boot.Credentials{AccessKeyID: "ours", SecretKey: secret.NewText("secret")},
	}
	if err := os.WriteFile(filepath.Join(env.Data, boot.KeyFileName), []byte(testKey), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := newStandIn(env, &net.IPNet{IP: net.IPv4(172, 17, 0, 1), Mask: net.CIDRMask(16, 32)})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// fromContainer is a request as a function in a container makes it.
func fromContainer(target string) *http.Request {
	r := httptest.NewRequest("POST", "http://host.docker.internal:40000/", strings.NewReader("{}"))
	r.RemoteAddr = "172.17.0.2:50000"
	r.Header.Set("X-Amz-Target", target)
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=somebody/20260301/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	r.Header.Set("X-Amz-Security-Token", "of somebody")
	return r
}

func TestStandInAnswersFunctions(t *testing.T) {
	h := besideEmulator(t)
	tests := map[string]struct {
		status int
		body   string
	}{
		"secretsmanager.GetSecretValue": {200, `{"SecretString":"` + testKey + `"}`},
		"DynamoDB_20120810.GetItem":     {200, "/ DynamoDB_20120810.GetItem {} AWS4-HMAC-SHA256 Credential=ours/"},
		"secretsmanager.ListSecrets":    {400, "UnknownOperationException"},
		"":                              {400, "UnknownOperationException"},
	}
	for target, want := range tests {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, fromContainer(target))
		if w.Code != want.status || !strings.Contains(w.Body.String(), want.body) || strings.Contains(w.Body.String(), "somebody") {
			t.Errorf("%q: %d %s, want %d %s, signed anew", target, w.Code, w.Body, want.status, want.body)
		}
	}
}

func TestStandInAnswersNobodyElse(t *testing.T) {
	h := besideEmulator(t)
	tests := map[string]func(*http.Request){
		"another machine":                        func(r *http.Request) { r.RemoteAddr = "192.0.2.7:50000" },
		"somebody on this machine":               func(r *http.Request) { r.RemoteAddr = "172.17.0.1:50000" },
		"a page of a site":                       func(r *http.Request) { r.Host = "attacker.example:40000" },
		"a page of a site that names no port":    func(r *http.Request) { r.Host = "attacker.example" },
		"a browser that asks for a page's leave": func(r *http.Request) { r.Method = "OPTIONS" },
		"a link":                                 func(r *http.Request) { r.Method = "GET" },
	}
	for name, change := range tests {
		for _, target := range []string{"secretsmanager.GetSecretValue", "DynamoDB_20120810.GetItem"} {
			r := fromContainer(target)
			change(r)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != http.StatusForbidden || strings.Contains(w.Body.String(), testKey) {
				t.Errorf("%s asks for %s: %d %s, want 403", name, target, w.Code, w.Body)
			}
		}
	}
}

func TestContainersReachOnlyWhereTheyAre(t *testing.T) {
	listener, network, err := listenForContainers("no such interface")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if host, _, _ := net.SplitHostPort(listener.Addr().String()); host != "127.0.0.1" || network.Contains(net.IPv4(192, 0, 2, 7)) {
		t.Errorf("listens at %s for callers of %s, want loopback", host, network)
	}
}

func TestOnlyAnEmulatorIsServedToContainers(t *testing.T) {
	env := boot.Env{Listen: "127.0.0.1:3000", KeySecretARN: "arn:aws:secretsmanager:eu-west-1:123456789012:secret:example", Data: t.TempDir()}
	if err := besideSAM(t.Context(), env, samOptions{}); err == nil || !strings.Contains(err.Error(), "AWS_ENDPOINT_URL_DYNAMODB") {
		t.Errorf("without an emulator: %v, want an error", err)
	}
}

func TestSAMIsNotStartedOnATakenPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	err = besideSAM(t.Context(), boot.Env{Listen: taken.Addr().String()}, samOptions{command: []string{"true"}})
	if err == nil || !strings.Contains(err.Error(), "is taken by another program") {
		t.Errorf("on a taken port: %v, want advice", err)
	}
}

func TestSAMIsAskedToEndOnce(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		script := `trap 'rm "$0"; exit 0' TERM; echo >"$0"; while :; do sleep 0.1; done`
		ended <- runSAM(ctx, []string{"sh", "-c", script, fifo}, "127.0.0.1:1", "")
	}()
	if _, err := os.ReadFile(fifo); err != nil { // until it runs
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("ended with %v", err)
	}
	if _, err := os.Stat(fifo); err == nil {
		t.Error("the command did not get to clean up")
	}
}

func TestAnEndOfSAMIsAnError(t *testing.T) {
	for _, status := range []string{"0", "3"} {
		if err := runSAM(t.Context(), []string{"sh", "-c", "exit " + status}, "127.0.0.1:1", ""); err == nil {
			t.Errorf("exit %s: no error", status)
		}
	}
}
