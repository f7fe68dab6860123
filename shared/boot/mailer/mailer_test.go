package mailer_test

import (
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/boot"
	"gatehouse/shared/boot/mailer"
	"gatehouse/shared/mail"
	"gatehouse/shared/mail/relay"
	"gatehouse/shared/mail/ses"
)

func TestSenderIsTheConfiguredOne(t *testing.T) {
	keeping := apptest.New(t).Mails
	for _, way := range []mail.Way{mail.ByKeeping, mail.BySMTP, mail.BySES} {
		sender := mailer.New(boot.Env{Mail: mail.Settings{Way: way}, Region: "us-east-1"}, keeping)
		var ok bool
		switch way {
		case mail.BySMTP:
			_, ok = sender.(*relay.Client)
		case mail.BySES:
			_, ok = sender.(*ses.Client)
		default:
			ok = sender == keeping
		}
		if !ok {
			t.Errorf("mails are sent by %s with a %T", way, sender)
		}
	}
}
