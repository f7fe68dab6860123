package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/page"
)

const rootToken = "a-token-of-at-least-20-characters"

var binary struct {
	sync.Once
	path string
	err  error
}

// program returns the path of the built server.
func program(t *testing.T) string {
	t.Helper()
	binary.Do(func() {
		dir, err := os.MkdirTemp("", "gatehouse")
		if err != nil {
			binary.err = err
			return
		}
		binary.path = filepath.Join(dir, "gatehouse")
		out, err := exec.Command("go", "build", "-o", binary.path, ".").CombinedOutput()
		if err != nil {
			binary.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.path
}

func TestMain(m *testing.M) {
	status := m.Run()
	if binary.path != "" {
		os.RemoveAll(filepath.Dir(binary.path))
	}
	os.Exit(status)
}

// process is a running server.
type process struct {
	*exec.Cmd
	url    string
	output *bytes.Buffer
	read   chan struct{} // closed when all output was read
}

// start runs the server on a free port and waits until it says where it is.
func start(t *testing.T, data string, env ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(program(t)), output: &bytes.Buffer{}, read: make(chan struct{})}
	p.Env = append(os.Environ(), append(env, "GATEHOUSE_LISTEN=127.0.0.1:0", "GATEHOUSE_DATA="+data, "GATEHOUSE_ROOT_TOKEN="+rootToken)...)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	lines := bufio.NewReader(out)
	for p.url == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the server ended after %q: %v", p.output, err)
		}
		p.output.WriteString(line)
		p.url, _ = strings.CutPrefix(strings.TrimSpace(line), "Gatehouse is at ")
		if !strings.HasPrefix(p.url, "http") {
			p.url = ""
		}
	}
	go func() {
		defer close(p.read)
		io.Copy(p.output, lines)
	}()
	return p
}

// stop ends the server by the signal and returns everything it printed.
func (p *process) stop(t *testing.T, signal syscall.Signal) string {
	t.Helper()
	if err := p.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	<-p.read
	err := p.Wait()
	if signal == syscall.SIGTERM && err != nil {
		t.Errorf("on SIGTERM the server ended with %v", err)
	}
	return p.output.String()
}

// call sends a request with the administrator's token.
func (p *process) call(method, path string, body any) (int, []byte, error) {
	var encoded bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&encoded).Encode(body); err != nil {
			return 0, nil, err
		}
	}
	req, err := http.NewRequest(method, p.url+path, &encoded)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("PRIVATE-TOKEN", rootToken)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// madeUp is the line with a password that the server made up.
var madeUp = regexp.MustCompile(`password   [0-9a-f]{24}\n`)

func TestFirstStartShowsTheCredentialsOnce(t *testing.T) {
	data := t.TempDir()
	first := start(t, data)
	if status, _, err := first.call("GET", "/api/v4/user", nil); status != http.StatusOK {
		t.Errorf("/user with the given token: %d, %v", status, err)
	}
	out := first.stop(t, syscall.SIGTERM)
	if !madeUp.MatchString(out) || strings.Contains(out, rootToken) || strings.Count(out, "  1. ") != 1 {
		t.Errorf("the first start printed %q, want the password that was made up and not the token that was given", out)
	}
	second := start(t, data)
	if out := second.stop(t, syscall.SIGTERM); strings.Contains(out, rootToken) || strings.Contains(out, "password") {
		t.Errorf("the second start printed %q", out)
	}
}

// Two that start at once on an empty directory both come up, and one of them makes the
// administrator.
func TestTwoFirstStartsAtOnce(t *testing.T) {
	data, ready := t.TempDir(), make(chan *process)
	program(t)
	for range 2 {
		go func() { ready <- start(t, data) }()
	}
	shown := 0
	for range 2 {
		p := <-ready
		if status, _, err := p.call("GET", "/api/v4/user", nil); status != http.StatusOK {
			t.Errorf("/user with the given token: %d, %v", status, err)
		}
		if madeUp.MatchString(p.stop(t, syscall.SIGTERM)) {
			shown++
		}
	}
	if shown != 1 {
		t.Errorf("%d of two showed a password, want one", shown)
	}
}

// What was answered before the process was killed is there afterwards.
func TestKillLosesNoAcknowledgedWrite(t *testing.T) {
	data := t.TempDir()
	for round := range 3 {
		p := start(t, data)
		var made sync.Map
		var count atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		var writers sync.WaitGroup
		for writer := range 4 {
			writers.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					path := fmt.Sprintf("g-%d-%d-%d", round, writer, i)
					if status, _, _ := p.call("POST", "/api/v4/groups", map[string]string{"name": path, "path": path}); status == http.StatusCreated {
						made.Store(path, true)
						count.Add(1)
					}
				}
			})
		}
		for count.Load() < 50 {
			time.Sleep(time.Millisecond)
		}
		p.stop(t, syscall.SIGKILL)
		cancel()
		writers.Wait()

		p = start(t, data)
		made.Range(func(path, _ any) bool {
			if status, _, err := p.call("GET", "/api/v4/groups/"+path.(string), nil); status != http.StatusOK {
				t.Errorf("group %s was made before the kill; after it: %d, %v", path, status, err)
			}
			return true
		})
		p.stop(t, syscall.SIGTERM)
	}
}

// A server that cannot start says what to do about it.
func TestStartErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, env, want string
	}{
		{"address taken", "GATEHOUSE_LISTEN=" + taken.Addr().String(), "is taken by another program"},
		{"bad address", "GATEHOUSE_LISTEN=nowhere", "GATEHOUSE_LISTEN"},
		{"data is a file", "GATEHOUSE_DATA=" + file, "GATEHOUSE_DATA"},
		{"unknown store", "GATEHOUSE_STORE=postgres", "GATEHOUSE_STORE"},
		{"bad token", "GATEHOUSE_ROOT_TOKEN=short", "GATEHOUSE_ROOT_TOKEN cannot be used: a token has"},
		{"short password", "GATEHOUSE_ROOT_PASSWORD=x", "GATEHOUSE_ROOT_PASSWORD cannot be used: password is too short"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cmd := exec.Command(program(t))
			cmd.Env = append(os.Environ(), "GATEHOUSE_LISTEN=127.0.0.1:0", "GATEHOUSE_DATA="+t.TempDir(), test.env)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), test.want) {
				t.Errorf("ended with %v and said %q, want %q", err, out, test.want)
			}
		})
	}
}

func TestDemoCanBeLoadedTwice(t *testing.T) {
	a := apptest.New(t)
	for range 2 {
		account, err := loadDemo(t.Context(), a.App)
		if err != nil || account.clientID == "" {
			t.Fatalf("demo: %+v, %v", account, err)
		}
	}
	p, err := a.Projects.FindProject(t.Context(), "acme/web-shop")
	if err != nil {
		t.Fatal(err)
	}
	if members, err := a.Projects.MembersOf(t.Context(), page.First, p.Places()...); err != nil || len(members.Items) != len(demoPeople) {
		t.Errorf("%d members, %v, want %d", len(members.Items), err, len(demoPeople))
	}
	found, err := a.Alerts.List(t.Context(), p.ID, alert.Query{}, page.First)
	if err != nil {
		t.Fatal(err)
	}
	want := map[alert.Status]int{alert.Triggered: 3, alert.Acknowledged: 1, alert.Resolved: 3}
	if diff := cmp.Diff(want, found.Counts); diff != "" {
		t.Errorf("alerts by status (-want +got):\n%s", diff)
	}
}
