// Package mailer makes the sender of mails that the environment configures. Only what
// sends mails imports it.
package mailer

import (
	"gatehouse/shared/boot"
	"gatehouse/shared/mail"
	"gatehouse/shared/mail/relay"
	"gatehouse/shared/mail/ses"
)

// New returns the sender. The rules keep the mails of an instance that has no other.
func New(env boot.Env, keeping *mail.Rules) mail.Sender {
	switch env.Mail.Way {
	case mail.BySMTP:
		return relay.New(relay.Options{Server: env.Mail.SMTP})
	case mail.BySES:
		return ses.New(ses.Options{Region: env.Region, Endpoint: env.SESEndpoint, Credentials: env.Provider()})
	}
	return keeping
}
