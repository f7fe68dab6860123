// Package relay sends mails through a mail server by SMTP (RFC 5321).
package relay

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/smtp"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/mail"
)

// DefaultLimit bounds the whole exchange with the mail server.
const DefaultLimit = 30 * time.Second

// Options of a Client.
type Options struct {
	Server mail.SMTP
	Limit  time.Duration  // zero: DefaultLimit
	Roots  *x509.CertPool // nil: those of the system
}

// Client is a mail.Sender. It uses the standard library's net/smtp, which has all that
// one mail to one person needs and adds the least to a function that has to start.
type Client struct{ Options }

// New returns a Client.
func New(o Options) *Client {
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	return &Client{o}
}

// Send sends the mail. A refusal of the mail itself (a status of 5xx) is permanent;
// everything else may be better another time, also that the server does not take the
// password.
func (c *Client) Send(ctx context.Context, m mail.Message) error {
	encoded, err := m.Encode()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	conversation, stop, err := c.begin(ctx, m.From.Domain())
	if err != nil {
		return err
	}
	defer stop()
	if err := transfer(conversation, m, encoded); err != nil {
		return failure("the mail", err)
	}
	conversation.Quit() // the mail is accepted by now, whatever the answer
	return nil
}

// begin connects to the server and signs in. The caller calls stop at the end.
func (c *Client) begin(ctx context.Context, own string) (conversation *smtp.Client, stop func(), err error) {
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(c.Server.Host, c.Server.Port))
	if err != nil {
		return nil, nil, later("the mail server cannot be reached", err)
	}
	unwatch := context.AfterFunc(ctx, func() { connection.Close() })
	stop = func() {
		unwatch()
		connection.Close()
	}
	if conversation, err = c.greet(connection, own); err == nil {
		err = c.signIn(conversation)
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	return conversation, stop, nil
}

// greet begins the conversation, with TLS from the beginning or if the server offers it.
func (c *Client) greet(connection net.Conn, own string) (*smtp.Client, error) {
	config := &tls.Config{ServerName: c.Server.Host, RootCAs: c.Roots, MinVersion: tls.VersionTLS12}
	if c.Server.TLS {
		connection = tls.Client(connection, config)
	}
	conversation, err := smtp.NewClient(connection, c.Server.Host)
	if err != nil {
		return nil, failure("the connection", err)
	}
	if err := conversation.Hello(own); err != nil {
		return nil, failure("the connection", err)
	}
	if offered, _ := conversation.Extension("STARTTLS"); offered && !c.Server.TLS {
		if err := conversation.StartTLS(config); err != nil {
			return nil, later("no TLS with the mail server", err)
		}
	}
	return conversation, nil
}

// signIn sends the password, if there is one, and never without TLS.
func (c *Client) signIn(conversation *smtp.Client) error {
	if c.Server.User == "" {
		return nil
	}
	if _, encrypted := conversation.TLSConnectionState(); !encrypted {
		return later("the mail server offers no TLS, so it does not get the password", nil)
	}
	_, offered := conversation.Extension("AUTH")
	switch mechanisms := strings.Fields(strings.ToUpper(offered)); {
	case slices.Contains(mechanisms, "PLAIN"):
		return refusal(conversation.Auth(smtp.PlainAuth("", c.Server.User, c.Server.Password.Reveal(), c.Server.Host)))
	case slices.Contains(mechanisms, "LOGIN"):
		return refusal(conversation.Auth(login{c.Server.User, c.Server.Password}))
	}
	return later("the mail server takes no password, neither by PLAIN nor by LOGIN", nil)
}

// transfer hands the mail over.
func transfer(conversation *smtp.Client, m mail.Message, encoded []byte) error {
	if err := conversation.Mail(m.From.Email); err != nil {
		return err
	}
	if err := conversation.Rcpt(m.To.Email); err != nil {
		return err
	}
	data, err := conversation.Data()
	if err != nil {
		return err
	}
	if _, err := data.Write(encoded); err != nil {
		return err
	}
	return data.Close()
}

// refusal says that the server did not take the password. Its words are left out, because
// it may repeat what it was sent.
func refusal(err error) error {
	var answer *textproto.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer):
		return later(fmt.Sprintf("the mail server does not take the user and password (%d)", answer.Code), nil)
	}
	return later("the mail server does not take the user and password", nil)
}

// failure says what the server refused, in its own words.
func failure(what string, err error) error {
	var answer *textproto.Error
	if !errors.As(err, &answer) {
		return later("the connection to the mail server broke", err)
	}
	words := strings.ToValidUTF8(strings.Join(strings.Fields(answer.Msg), " "), "?")
	return &mail.Failure{
		Reason:    fmt.Sprintf("the mail server refuses %s: %d %.200s", what, answer.Code, words),
		Permanent: what == "the mail" && answer.Code >= 500,
	}
}

// later is a failure that may be gone another time.
func later(reason string, err error) error {
	if err != nil {
		reason += ": " + err.Error()
	}
	return &mail.Failure{Reason: reason}
}
