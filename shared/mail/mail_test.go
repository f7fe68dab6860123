package mail_test

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/mail"
)

var (
	from = mail.Address{Name: "Gatehouse", Email: "gatehouse@example.com"}
	ada  = mail.Address{Name: "Ada Lovelace", Email: "ada@example.com"}
	at   = time.Date(2026, 11, 22, 16, 30, 5, 0, time.FixedZone("", 3600))
)

func message() mail.Message {
	return mail.Message{
		From: from, To: ada, At: at, Subject: "Größe: 日本 ≥ 5", Text: "Grüße\n.\n" + strings.Repeat("x", 2000) + "\n", HTML: "<p>Grüße</p>\n",
		ID: "1@example.com", Thread: "2@example.com",
	}
}

// parsed is a mail as another program reads it.
type parsed struct {
	netmail.Header
	parts map[string]string // by their types
}

// read encodes the mail and reads it with the standard library.
func read(t *testing.T, m mail.Message) parsed {
	t.Helper()
	encoded, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	checkLines(t, encoded)
	got, err := netmail.ReadMessage(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	p := parsed{got.Header, map[string]string{}}
	kind, params, err := mime.ParseMediaType(p.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "multipart/alternative" {
		p.parts[kind] = decode(t, p.Get("Content-Transfer-Encoding"), got.Body)
		return p
	}
	for parts := multipart.NewReader(got.Body, params["boundary"]); ; {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return p
		}
		if err != nil {
			t.Fatal(err)
		}
		kind, params, err := mime.ParseMediaType(part.Header.Get("Content-Type"))
		if err != nil || params["charset"] != "utf-8" {
			t.Errorf("a part is %v, %v", part.Header, err)
		}
		p.parts[kind] = decode(t, part.Header.Get("Content-Transfer-Encoding"), part)
	}
}

func decode(t *testing.T, encoding string, body io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(quotedprintable.NewReader(body))
	if err != nil || encoding != "quoted-printable" {
		t.Errorf("a part in %s cannot be read: %v", encoding, err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// checkLines checks what every mail server takes: ASCII on lines that are not too long
// and end with CRLF.
func checkLines(t *testing.T, encoded []byte) {
	t.Helper()
	for line := range strings.SplitSeq(string(encoded), "\r\n") {
		if len(line) > 400 || strings.ContainsFunc(line, func(c rune) bool { return c < ' ' && c != '\t' || c > '~' }) {
			t.Errorf("the mail has the line %q", line)
		}
	}
}

func (p parsed) subject(t *testing.T) string {
	t.Helper()
	text, err := new(mime.WordDecoder).DecodeHeader(p.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestMailIsReadAsItWasWritten(t *testing.T) {
	got := read(t, message())
	for name, want := range map[string]string{
		"Date": "Sun, 22 Nov 2026 15:30:05 +0000", "Message-Id": "<1@example.com>", "In-Reply-To": "<2@example.com>", "References": "<2@example.com>",
		"Auto-Submitted": "auto-generated", "Mime-Version": "1.0", "To": `"Ada Lovelace" <ada@example.com>`, "From": `"Gatehouse" <gatehouse@example.com>`,
	} {
		if got.Get(name) != want {
			t.Errorf("%s is %s, want %s", name, got.Get(name), want)
		}
	}
	if got.subject(t) != message().Subject || got.parts["text/plain"] != message().Text || got.parts["text/html"] != message().HTML || len(got.parts) != 2 {
		t.Errorf("the mail is %s with %v", got.subject(t), got.parts)
	}
	plain := message()
	plain.HTML, plain.Thread = "", ""
	if got = read(t, plain); got.parts["text/plain"] != plain.Text || len(got.parts) != 1 || got.Get("References") != "" {
		t.Errorf("the mail without HTML is %v", got)
	}
}

func TestMailIsTheSameWhenItIsSentAgain(t *testing.T) {
	first, _ := message().Encode()
	again, _ := message().Encode()
	if !bytes.Equal(first, again) {
		t.Error("a mail is encoded in two ways")
	}
}

// Whatever the texts hold, the headers are those of Encode and the parts are two.
func TestNothingIsInjected(t *testing.T) {
	want := read(t, message())
	for _, evil := range []string{
		"a\r\nBcc: eve@example.com", "a\nBcc: eve@example.com\n\nbody", "a\rBcc: x", "a\x00b", "a\u2028Bcc: x", "a\u202eb", "=?utf-8?q?=0D=0ABcc:_x?=",
		"\xff\xfe", strings.Repeat("ü", 5000), strings.Repeat("日 ", 5000), strings.Repeat("x", 100_000), "", " ", `"quoted" <eve@example.com>`, "a\r\n.\r\nQUIT\r\n", "--boundary--",
	} {
		m := message()
		m.Subject, m.To.Name, m.From.Name, m.Text, m.HTML = evil, evil, evil, evil, "<p>"+evil
		got := read(t, m)
		if len(got.Header) != len(want.Header) || len(got.parts) != 2 {
			t.Errorf("%.40q makes the headers %v and %d parts", evil, got.Header, len(got.parts))
		}
		for name, values := range got.Header {
			if len(values) != 1 {
				t.Errorf("%.40q makes %s %d times", evil, name, len(values))
			}
		}
		to, err := got.AddressList("To")
		if err != nil || len(to) != 1 || to[0].Address != "ada@example.com" {
			t.Errorf("%.40q goes to %v, %v", evil, to, err)
		}
		if subject := got.subject(t); len([]rune(subject)) > 302 || strings.ContainsAny(subject, "\r\n\x00\u2028\u202e") {
			t.Errorf("%.40q makes the subject %.300q", evil, subject)
		}
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("Größe\r\nBcc: x", "text\r\n.\r\n")
	f.Fuzz(func(t *testing.T, line, text string) {
		m := message()
		m.Subject, m.To.Name, m.Text, m.HTML = line, line, text, "<p>"+text
		if got := read(t, m); len(got.Header) != 11 || len(got.parts) != 2 {
			t.Errorf("%q and %q make the headers %v and %d parts", line, text, got.Header, len(got.parts))
		}
	})
}

func TestAddressesThatMailsCannotGoTo(t *testing.T) {
	for _, email := range []string{
		"", "nobody", "@example.com", "ada@", "ada@example.com, eve@example.com", "Ada <ada@example.com>", "ada@example.com\r\nBcc: x", "ada @example.com",
		"ada@example.com>", "a\u00fc@example.com", "ada@b\u00fccher.example", strings.Repeat("x", 250) + "@example.com",
	} {
		for _, m := range []mail.Message{{From: from, To: mail.Address{Email: email}}, {From: mail.Address{Email: email}, To: ada}} {
			if _, err := m.Encode(); !mail.Permanent(err) {
				t.Errorf("a mail with %.40q: %v, want a permanent failure", email, err)
			}
		}
	}
}

func TestIDsNameTheirThing(t *testing.T) {
	one := mail.NewID(from, "alert", int64(5), int64(17))
	if again := mail.NewID(from, "alert", int64(5), int64(17)); one != again || !strings.HasSuffix(one, "@example.com") || len(one) != 32+12 {
		t.Errorf("the ID is %s and %s", one, again)
	}
	seen := map[string]bool{}
	for _, parts := range [][]any{{"alert", 5, 17}, {"alert", 51, 7}, {"incident", 5, 17}, {"alert", 5, 17, "ada"}, {"alert", "5 17"}} {
		seen[mail.NewID(from, parts...)] = true
	}
	if len(seen) != 5 {
		t.Errorf("five things have %d IDs", len(seen))
	}
}

func TestParseSMTP(t *testing.T) {
	tests := map[string]string{
		"smtp://ada:pw@mail.example:2525": "mail.example 2525 false ada pw",
		"smtp://mail.example":             "mail.example 587 false  ",
		"smtps://ada%40x:p%2F%3A@[::1]":   "::1 465 true ada@x p/:",
		"smtps://mail.example:587/":       "mail.example 587 true  ",
		"SMTP://mail.example":             "mail.example 587 false  ",
		"smtp://ada:hidden@":              "", "mail.example:25": "", "http://mail.example": "", "smtp://ada@mail.example": "",
		"smtp://:hidden@mail.example": "", "smtp://ada:hidden@mail.example/x": "", "smtp://ada:hidden@mail.example?x": "",
		"smtp://ada:hid/den@mail.example": "", "smtp://ada:hidden@mail.example:0": "", "smtp://ada:hid%zzden@mail.example": "", "": "",
	}
	for url, want := range tests {
		s, err := mail.ParseSMTP(url)
		got := fmt.Sprint(s.Host, " ", s.Port, " ", s.TLS, " ", s.User, " ", s.Password.Reveal())
		if want != "" && (err != nil || got != want) {
			t.Errorf("ParseSMTP(%s) = %s, %v, want %s", url, got, err, want)
		}
		if want == "" && (err == nil || strings.Contains(err.Error(), "hid")) {
			t.Errorf("ParseSMTP(%s) = %v, want an error without the password", url, err)
		}
	}
}

func FuzzParseSMTP(f *testing.F) {
	f.Add("smtp://ada:pw@mail.example:2525")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := mail.ParseSMTP(text); err == nil && (s.Host == "" || s.Port == "" || (s.User == "") != s.Password.Empty()) {
			t.Errorf("ParseSMTP(%q) = %+v", text, s)
		}
	})
}

func FuzzParseAddress(f *testing.F) {
	f.Add("Web team <web@example.com>")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := mail.ParseAddress(text)
		if err != nil {
			return
		}
		m := message()
		m.From = a
		if _, err := m.Encode(); err != nil || a.Domain() == "" {
			t.Errorf("ParseAddress(%q) = %+v, and no mail comes from there: %v", text, a, err)
		}
	})
}

func TestDefaultFrom(t *testing.T) {
	for base, want := range map[string]string{
		"https://id.example.com": "gatehouse@id.example.com", "http://localhost:3000": "gatehouse@localhost", "http://127.0.0.1:3000": "gatehouse@localhost",
		"http://[::1]:3000": "gatehouse@localhost", "": "gatehouse@localhost",
	} {
		if got := mail.DefaultFrom(base); got.Email != want || got.Name != "Gatehouse" {
			t.Errorf("DefaultFrom(%s) = %v, want %s", base, got, want)
		}
	}
}

func TestParseAddress(t *testing.T) {
	if got, err := mail.ParseAddress("Web team <web@example.com>"); err != nil || got != (mail.Address{Name: "Web team", Email: "web@example.com"}) {
		t.Errorf("ParseAddress = %+v, %v", got, err)
	}
	for _, text := range []string{"", "web", "web@example.com, x@example.com", "web@b\u00fccher.example"} {
		if _, err := mail.ParseAddress(text); err == nil {
			t.Errorf("%s is taken for an address", text)
		}
	}
}
