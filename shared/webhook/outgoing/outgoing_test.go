package outgoing_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"gatehouse/shared/webhook"
	"gatehouse/shared/webhook/outgoing"
)

func request(url string) webhook.Request {
	return webhook.Request{URL: url, Header: map[string]string{"webhook-id": "1"}, Body: []byte(`{"text":"hidden"}`)}
}

// serve starts a receiver on loopback.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL + "/secret-path"
}

// allowed may post to loopback.
func allowed() *outgoing.Client { return outgoing.New(outgoing.Options{Private: true}) }

// wantReason checks why there is no answer, and that the reason is all that is told.
func wantReason(t *testing.T, err error, want string) {
	t.Helper()
	var unanswered *webhook.Unanswered
	if !errors.As(err, &unanswered) || err.Error() != want {
		t.Errorf("Post = %v, want %s", err, want)
	}
}

func TestPost(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != "POST" || r.URL.Path != "/secret-path" || r.Header.Get("webhook-id") != "1" || string(body) != `{"text":"hidden"}` || r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("the receiver gets %s %s %v %s", r.Method, r.URL, r.Header, body)
		}
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(503)
	})
	got, err := allowed().Post(t.Context(), request(url))
	if want := (webhook.Answer{Status: 503, RetryAfter: "7"}); got != want || err != nil {
		t.Errorf("Post = %+v, %v, want %+v", got, err, want)
	}
}

func TestGet(t *testing.T) {
	target := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirect is followed") })
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.RawQuery {
		case "moved":
			http.Redirect(w, r, target, http.StatusFound)
		case "broken":
			panic(http.ErrAbortHandler)
		case "cut":
			w.Header().Set("Content-Length", "100")
			w.Write([]byte("half"))
		default:
			io.WriteString(w, r.Method+" "+r.URL.Path)
		}
	})
	const page = "GET /secret-path"
	if status, got, err := allowed().Get(t.Context(), url, int64(len(page))); status != 200 || string(got) != page || err != nil {
		t.Errorf("Get = %d %q, %v, want 200 %q", status, got, err, page)
	}
	if status, _, err := allowed().Get(t.Context(), url+"?moved", 100); status != 302 || err != nil {
		t.Errorf("Get of what moved = %d, %v, want 302", status, err)
	}
	for query, want := range map[string]string{"": "the answer is too long", "?broken": "the connection to the receiver broke", "?cut": "the connection to the receiver broke"} {
		_, _, err := allowed().Get(t.Context(), url+query, int64(len(page))-1)
		wantReason(t, err, want)
	}
	for _, refused := range []string{url, "http://[", "https://169.254.169.254/latest"} {
		if _, _, err := outgoing.New(outgoing.Options{}).Get(t.Context(), refused, 100); !errors.Is(err, webhook.ErrRefused) {
			t.Errorf("Get of %s = %v, want ErrRefused", refused, err)
		}
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		followed := false
		target := serve(t, func(http.ResponseWriter, *http.Request) { followed = true })
		url := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, status) })
		if got, err := allowed().Post(t.Context(), request(url)); got.Status != status || err != nil || followed {
			t.Errorf("Post = %+v, %v, followed %t, want %d", got, err, followed, status)
		}
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	url := serve(t, func(http.ResponseWriter, *http.Request) {})
	if got, err := allowed().Post(t.Context(), request(url)); got.Status != 200 || err != nil {
		t.Errorf("Post = %+v, %v, want 200", got, err)
	}
}

// A receiver that never answers, or never ends its answer, takes its time limit and no
// more. What it answered counts.
func TestSlowReceiver(t *testing.T) {
	hanging := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // so that the server sees the end of the connection
		<-r.Context().Done()
	})
	client := outgoing.New(outgoing.Options{Private: true, Limit: 50 * time.Millisecond})
	_, err := client.Post(t.Context(), request(hanging))
	wantReason(t, err, "the receiver did not answer in time")

	dripping := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Write([]byte("x"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	if got, err := client.Post(t.Context(), request(dripping)); got.Status != 200 || err != nil {
		t.Errorf("Post = %+v, %v, want 200", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Post(ctx, request(hanging)); !errors.Is(err, context.Canceled) {
		t.Errorf("Post of a caller who is gone = %v, want context.Canceled", err)
	}
}

func TestHugeAnswer(t *testing.T) {
	var failed error
	done := make(chan struct{})
	huge := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		defer close(done)
		block := []byte(strings.Repeat("x", 1<<16))
		for failed == nil { // until the client hangs up
			_, failed = w.Write(block)
		}
	})
	if got, err := allowed().Post(t.Context(), request(huge)); got.Status != 200 || err != nil {
		t.Errorf("Post = %+v, %v, want 200", got, err)
	}
	<-done
	headers := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X", strings.Repeat("x", 1<<17))
	})
	_, err := allowed().Post(t.Context(), request(headers))
	wantReason(t, err, "the connection to the receiver broke")
}

func TestCertificateIsChecked(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ErrorLog = nil
	t.Cleanup(server.Close)
	_, err := allowed().Post(t.Context(), request(server.URL))
	wantReason(t, err, "the receiver's certificate is not valid")
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	known := outgoing.New(outgoing.Options{Private: true, Roots: roots})
	if got, err := known.Post(t.Context(), request(server.URL)); got.Status != 200 || err != nil {
		t.Errorf("Post = %+v, %v, want 200", got, err)
	}
	_, err = known.Post(t.Context(), request(strings.Replace(server.URL, "127.0.0.1", "localhost", 1)))
	wantReason(t, err, "the receiver's certificate is not valid") // which is for another name
}

func TestReceiverOutOfReach(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	_, err = allowed().Post(t.Context(), request("http://"+listener.Addr().String()))
	wantReason(t, err, "the receiver refuses connections")
	breaking := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	_, err = allowed().Post(t.Context(), request(breaking))
	wantReason(t, err, "the connection to the receiver broke")
	named := outgoing.New(outgoing.Options{Resolver: resolver(t, nil)})
	_, err = named.Post(t.Context(), request("https://nobody.example"))
	wantReason(t, err, "the receiver's name is not known")
}

// A name that looks public may lead anywhere, and somewhere else than when the webhook
// was made. Neither is the connection made nor is told where the name leads.
func TestPrivateAddressesAreRefusedWhenDialling(t *testing.T) {
	port := netip.MustParseAddrPort(strings.TrimSuffix(strings.TrimPrefix(serve(t, func(http.ResponseWriter, *http.Request) {
		t.Error("the receiver gets a request")
	}), "http://"), "/secret-path")).Port()
	for _, address := range []string{
		"127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1", "fe80::1", "fd00::1",
		"::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::", "224.0.0.1",
	} {
		client := outgoing.New(outgoing.Options{Resolver: resolver(t, []netip.Addr{netip.MustParseAddr(address)})})
		for _, host := range []string{"public.example", "[" + address + "]"} {
			if !strings.Contains(address, ":") {
				host = strings.Trim(host, "[]")
			}
			_, err := client.Post(t.Context(), request(fmt.Sprintf("http://%s:%d", host, port)))
			if !errors.Is(err, webhook.ErrRefused) || strings.Contains(err.Error(), address) {
				t.Errorf("Post to %s at %s = %v, want ErrRefused", host, address, err)
			}
		}
	}
}

// Where private addresses are allowed the same names lead there.
func TestPrivateAddressesCanBeAllowed(t *testing.T) {
	url := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := strings.Cut(strings.TrimPrefix(url, "http://"), ":")
	client := outgoing.New(outgoing.Options{Private: true, Resolver: resolver(t, []netip.Addr{netip.MustParseAddr("127.0.0.1")})})
	if got, err := client.Post(t.Context(), request("http://public.example:"+port)); got.Status != 200 || err != nil {
		t.Errorf("Post = %+v, %v, want 200", got, err)
	}
	public := request("http://public.example:" + port)
	public.Public = true
	if _, err := client.Post(t.Context(), public); !errors.Is(err, webhook.ErrRefused) {
		t.Errorf("Post of what is for public addresses = %v, want ErrRefused", err)
	}
}

// resolver asks a name server that leads every name to the addresses, or knows none.
func resolver(t *testing.T, addresses []netip.Addr) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	go func() {
		buffer := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply, err := resolve(buffer[:n], addresses); err == nil {
				server.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func resolve(query []byte, addresses []netip.Addr) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) == 0 {
		return nil, fmt.Errorf("no question: %w", err)
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	if len(addresses) == 0 {
		m.RCode = dnsmessage.RCodeNameError
	}
	header := dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET}
	for _, a := range addresses {
		switch {
		case a.Is4() && m.Questions[0].Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && m.Questions[0].Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	return m.Pack()
}
