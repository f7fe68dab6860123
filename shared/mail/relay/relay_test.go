package relay_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"gatehouse/shared/mail"
	"gatehouse/shared/mail/relay"
	"gatehouse/shared/secret"
)

var message = mail.Message{
	From: mail.Address{Name: "Gatehouse", Email: "gatehouse@example.com"}, To: mail.Address{Email: "ada@example.com"},
	At: time.UnixMicro(0), Subject: "Disk full", Text: "It is.\n.\n..\n", HTML: "<p>It is.\n", ID: "1@example.com",
}

// server is a mail server that nobody here wrote, with what it was told to answer.
type server struct {
	*smtp.Server
	mechanisms                     []string
	onAuth, onMail, onRcpt, onData error

	mu       sync.Mutex
	accepted []envelope
	tried    []string // user names and passwords
}

type envelope struct {
	from, to, user string
	tls            bool
	data           []byte
}

func (s *server) NewSession(c *smtp.Conn) (smtp.Session, error) {
	_, encrypted := c.TLSConnectionState()
	return &session{server: s, now: envelope{tls: encrypted}}, nil
}

// session is one conversation.
type session struct {
	server *server
	now    envelope
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.now.from = from
	return s.server.onMail
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.now.to = to
	return s.server.onRcpt
}

func (s *session) Data(r io.Reader) (err error) {
	if s.now.data, err = io.ReadAll(r); err != nil {
		return err
	}
	if s.server.onData != nil {
		return s.server.onData
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.accepted = append(s.server.accepted, s.now)
	return nil
}

func (s *session) AuthMechanisms() []string { return s.server.mechanisms }

func (s *session) Auth(mechanism string) (sasl.Server, error) {
	check := func(user, password string) error {
		s.now.user = user
		s.server.mu.Lock()
		defer s.server.mu.Unlock()
		s.server.tried = append(s.server.tried, user+" "+password)
		return s.server.onAuth
	}
	if mechanism == sasl.Plain {
		return sasl.NewPlainServer(func(_, user, password string) error { return check(user, password) }), nil
	}
	return &loginServer{check: check}, nil
}

// loginServer asks as servers with LOGIN do.
type loginServer struct {
	check func(user, password string) error
	asked int
	user  string
}

func (l *loginServer) Next(response []byte) (question []byte, done bool, err error) {
	l.asked++
	switch l.asked {
	case 1:
		return []byte("Username:"), false, nil
	case 2:
		l.user = string(response)
		return []byte("Password:"), false, nil
	}
	return nil, true, l.check(l.user, string(response))
}

// certified returns a certificate for 127.0.0.1 and a pool that trusts it.
func certified(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	made := httptest.NewTLSServer(nil)
	t.Cleanup(made.Close)
	roots := x509.NewCertPool()
	roots.AddCert(made.Certificate())
	return &tls.Config{Certificates: made.TLS.Certificates}, roots
}

// arrange starts a mail server. With implicit TLS it begins with that, and with neither it
// has none.
func arrange(t *testing.T, startTLS, implicit bool) (*server, relay.Options) {
	t.Helper()
	config, roots := certified(t)
	s := &server{mechanisms: []string{"PLAIN"}}
	s.Server = smtp.NewServer(s)
	s.ErrorLog = log.New(io.Discard, "", 0)
	if startTLS {
		s.TLSConfig = config
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if implicit {
		listener = tls.NewListener(listener, config)
	}
	go s.Serve(listener)
	t.Cleanup(func() { s.Close() })
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	return s, relay.Options{Server: mail.SMTP{Host: host, Port: port, TLS: implicit}, Roots: roots}
}

// signingIn returns the options with a user and a password.
func signingIn(o relay.Options) relay.Options {
	o.Server.User, o.Server.Password = "ada", secret.NewText("hidden-word")
	return o
}

// only returns the one mail that was accepted.
func (s *server) only(t *testing.T) envelope {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.accepted) != 1 {
		t.Fatalf("the server accepted %d mails, want one", len(s.accepted))
	}
	return s.accepted[0]
}

// wantFailure checks a failure and that it says nothing of the password.
func wantFailure(t *testing.T, err error, permanent bool, want string) {
	t.Helper()
	if err == nil || mail.Permanent(err) != permanent || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden-word") {
		t.Errorf("Send = %v, permanent %t, want %q, permanent %t", err, mail.Permanent(err), want, permanent)
	}
}

func TestMailArrives(t *testing.T) {
	encoded, err := message.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ startTLS, implicit, signedIn, encrypted bool }{
		"without TLS": {}, "STARTTLS": {startTLS: true, encrypted: true}, "implicit TLS": {implicit: true, encrypted: true},
		"STARTTLS with a password": {startTLS: true, signedIn: true, encrypted: true}, "implicit TLS with a password": {implicit: true, signedIn: true, encrypted: true},
	} {
		t.Run(name, func(t *testing.T) {
			s, options := arrange(t, test.startTLS, test.implicit)
			user := ""
			if test.signedIn {
				options, user = signingIn(options), "ada"
			}
			if err := relay.New(options).Send(t.Context(), message); err != nil {
				t.Fatal(err)
			}
			got := s.only(t)
			if got.from != "gatehouse@example.com" || got.to != "ada@example.com" || got.tls != test.encrypted || got.user != user || !bytes.Equal(bytes.TrimSpace(got.data), bytes.TrimSpace(encoded)) {
				t.Errorf("the server got %+v %s", got, got.data)
			}
		})
	}
}

func TestLoginWherePlainIsNotOffered(t *testing.T) {
	s, options := arrange(t, true, false)
	s.mechanisms = []string{"CRAM-MD5", "LOGIN"}
	if err := relay.New(signingIn(options)).Send(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	if s.only(t); len(s.tried) != 1 || s.tried[0] != "ada hidden-word" {
		t.Errorf("the server was sent %q", s.tried)
	}
	s, options = arrange(t, true, false)
	s.mechanisms = []string{"CRAM-MD5"}
	wantFailure(t, relay.New(signingIn(options)).Send(t.Context(), message), false, "takes no password")
}

func TestPasswordIsNotSentWithoutTLS(t *testing.T) {
	s, options := arrange(t, false, false)
	s.AllowInsecureAuth = true // so that it asks for the password
	wantFailure(t, relay.New(signingIn(options)).Send(t.Context(), message), false, "offers no TLS")
	if len(s.tried)+len(s.accepted) != 0 {
		t.Errorf("the server got %q and %d mails", s.tried, len(s.accepted))
	}
}

// A server that offers TLS but cannot do it gets neither the password nor the mail.
func TestCertificateIsChecked(t *testing.T) {
	for _, implicit := range []bool{false, true} {
		s, options := arrange(t, true, implicit)
		options.Roots = x509.NewCertPool()
		wantFailure(t, relay.New(signingIn(options)).Send(t.Context(), message), false, "certificate")
		if len(s.tried)+len(s.accepted) != 0 {
			t.Errorf("the server got %q and %d mails", s.tried, len(s.accepted))
		}
	}
}

func TestWrongPasswordIsForLater(t *testing.T) {
	s, options := arrange(t, true, false)
	s.onAuth = &smtp.SMTPError{Code: 535, Message: "no: hidden-word"}
	wantFailure(t, relay.New(signingIn(options)).Send(t.Context(), message), false, "does not take the user and password (535)")
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		code      int
		permanent bool
	}{{421, false}, {450, false}, {452, false}, {550, true}, {552, true}, {554, true}} {
		refusal := &smtp.SMTPError{Code: test.code, EnhancedCode: smtp.NoEnhancedCode, Message: "because\nof this"}
		for step, set := range map[string]func(*server){
			"MAIL": func(s *server) { s.onMail = refusal }, "RCPT": func(s *server) { s.onRcpt = refusal }, "DATA": func(s *server) { s.onData = refusal },
		} {
			s, options := arrange(t, true, false)
			set(s)
			err := relay.New(options).Send(t.Context(), message)
			wantFailure(t, err, test.permanent, fmt.Sprintf("the mail server refuses the mail: %d because of this", test.code))
			if len(s.accepted) != 0 {
				t.Errorf("the server accepted a mail in spite of %s", step)
			}
		}
	}
}

func TestServerThatIsAway(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	options := relay.Options{Server: mail.SMTP{Host: host, Port: port}, Limit: 50 * time.Millisecond}
	wantFailure(t, relay.New(options).Send(t.Context(), message), false, "broke") // it accepts, and says nothing
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := relay.New(options).Send(ctx, message); err == nil || mail.Permanent(err) {
		t.Errorf("Send of a caller who is gone = %v, want an error", err)
	}
	listener.Close()
	wantFailure(t, relay.New(options).Send(t.Context(), message), false, "cannot be reached")
}

func TestMailToNobodyIsNotSent(t *testing.T) {
	s, options := arrange(t, false, false)
	m := message
	m.To.Email = "ada@example.com>\r\nRCPT TO:<eve@example.com"
	wantFailure(t, relay.New(options).Send(t.Context(), m), true, "not one that mails can go to")
	if len(s.accepted) != 0 {
		t.Error("the server got a mail")
	}
}
