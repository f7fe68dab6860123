package mail

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"strings"
	"time"
)

// maxSubject is the longest subject, in characters.
const maxSubject = 300

// Encode returns the mail as RFC 5322 says: in text or, with HTML, in both as alternatives
// (RFC 2046 section 5.1.4). The error is a *Failure if an address is not one.
func (m Message) Encode() ([]byte, error) {
	for _, a := range []Address{m.From, m.To} {
		if err := a.check(); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	m.headers(&out)
	write := m.alternatives
	if m.HTML == "" {
		write = m.onlyText
	}
	err := write(&out)
	return out.Bytes(), err
}

// header is one header. Long ones have several words, on lines of their own.
type header struct {
	name  string
	words []string
}

func writeHeaders(out *bytes.Buffer, all []header) {
	for _, h := range all {
		out.WriteString(h.name + ": " + strings.Join(h.words, "\r\n ") + "\r\n")
	}
}

func (m Message) headers(out *bytes.Buffer) {
	all := []header{
		{"From", words(m.From.String())}, {"To", words(m.To.String())}, {"Subject", subjectWords(m.Subject)},
		{"Date", []string{m.At.UTC().Format(time.RFC1123Z)}}, {"Message-ID", []string{"<" + m.ID + ">"}},
	}
	if m.Thread != "" {
		all = append(all, header{"In-Reply-To", []string{"<" + m.Thread + ">"}}, header{"References", []string{"<" + m.Thread + ">"}})
	}
	// So that nobody's out-of-office notice answers (RFC 3834 section 5).
	all = append(all, header{"Auto-Submitted", []string{"auto-generated"}}, header{"X-Auto-Response-Suppress", []string{"All"}}, header{"MIME-Version", []string{"1.0"}})
	writeHeaders(out, all)
}

// subjectWords returns the subject as encoded words (RFC 2047) if it needs them.
func subjectWords(subject string) []string {
	subject = OneLine(subject, maxSubject)
	if strings.Contains(subject, "=?") { // would be decoded by the receiver
		subject = strings.ReplaceAll(subject, "=?", "=\u200b?")
	}
	return words(mime.QEncoding.Encode("utf-8", subject))
}

// words splits what is written in a header behind each encoded word.
func words(text string) []string {
	all := strings.SplitAfter(text, "?= ")
	for i, word := range all {
		all[i] = strings.TrimSuffix(word, " ")
	}
	return all
}

func partHeaders(contentType string) []header {
	return []header{{"Content-Type", []string{contentType + "; charset=utf-8"}}, {"Content-Transfer-Encoding", []string{"quoted-printable"}}}
}

func (m Message) onlyText(out *bytes.Buffer) error {
	writeHeaders(out, partHeaders("text/plain"))
	out.WriteString("\r\n")
	return writeQuoted(out, m.Text)
}

// alternatives writes the text and the HTML. The boundary follows from the mail, so that
// sending it again sends the same bytes, and nobody who writes a part of a mail can know
// the boundary in advance.
func (m Message) alternatives(out *bytes.Buffer) error {
	sum := sha256.Sum256([]byte(m.ID + "\x00" + m.Text + "\x00" + m.HTML))
	parts := multipart.NewWriter(out)
	if err := parts.SetBoundary(hex.EncodeToString(sum[:])); err != nil {
		return err
	}
	writeHeaders(out, []header{{"Content-Type", []string{"multipart/alternative;", `boundary="` + parts.Boundary() + `"`}}})
	out.WriteString("\r\n")
	for _, part := range []struct{ contentType, text string }{{"text/plain", m.Text}, {"text/html", m.HTML}} {
		described := textproto.MIMEHeader{}
		for _, h := range partHeaders(part.contentType) {
			described.Set(h.name, h.words[0])
		}
		if _, err := parts.CreatePart(described); err != nil {
			return err
		}
		if err := writeQuoted(out, part.text); err != nil {
			return err
		}
	}
	return parts.Close()
}

// writeQuoted writes the text as quoted-printable, on lines of at most 76 bytes.
func writeQuoted(out *bytes.Buffer, text string) error {
	quoted := quotedprintable.NewWriter(out)
	if _, err := quoted.Write([]byte(strings.ToValidUTF8(text, "\ufffd"))); err != nil {
		return err
	}
	return quoted.Close()
}
