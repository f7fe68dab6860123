package mail

import (
	"errors"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"

	"gatehouse/shared/host"
	"gatehouse/shared/secret"
)

// Way is how an instance sends mails.
type Way string

// The ways.
const (
	ByKeeping Way = "keep" // it keeps them for an administrator to look at
	BySMTP    Way = "smtp"
	BySES     Way = "ses"
)

// Settings say how an instance sends mails.
type Settings struct {
	Way  Way
	From Address // see Sender
	SMTP SMTP    // BySMTP
}

// SMTP is a mail server.
type SMTP struct {
	Host, Port string
	TLS        bool   // from the beginning; otherwise by STARTTLS
	User       string // empty: it asks for no password
	Password   secret.Text
}

// ParseSMTP reads the URL of a mail server, such as
// smtp://user:password@mail.example.com:587. The error does not show it.
func ParseSMTP(text string) (SMTP, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || !host.PossiblePort(u),
		strings.Trim(u.Path, "/") != "", u.RawQuery != "", u.Fragment != "", strings.ContainsAny(u.Hostname(), " \r\n"):
		return SMTP{}, errors.New("want smtp://user:password@host:587 or smtps://user:password@host:465, with a percent sign for special characters")
	}
	s := SMTP{Host: u.Hostname(), Port: u.Port(), TLS: u.Scheme == "smtps", User: u.User.Username()}
	password, _ := u.User.Password()
	s.Password = secret.NewText(password)
	if (s.User == "") != (password == "") {
		return SMTP{}, errors.New("want both a user and a password, or neither")
	}
	if s.Port == "" {
		s.Port = map[bool]string{false: "587", true: "465"}[s.TLS]
	}
	return s, nil
}

// ParseAddress reads an address, with a name or without: Gatehouse <gatehouse@example.com>.
func ParseAddress(text string) (Address, error) {
	parsed, err := mail.ParseAddress(text)
	if err != nil {
		return Address{}, errors.New("want an address such as gatehouse@example.com")
	}
	a := Address{parsed.Name, parsed.Address}
	return a, a.check()
}

// DefaultFrom returns the address that mails of the instance at this base URL come from.
func DefaultFrom(baseURL string) Address {
	domain := "localhost"
	if u, err := url.Parse(baseURL); err == nil && u.Hostname() != "" {
		domain = u.Hostname()
	}
	if _, err := netip.ParseAddr(domain); err == nil { // is not the domain of any mailbox
		domain = "localhost"
	}
	return Address{"Gatehouse", "gatehouse@" + domain}
}
