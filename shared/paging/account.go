package paging

import (
	"context"

	"gatehouse/shared/mail/letter"
	"gatehouse/shared/outbox"
	"gatehouse/shared/recovery"
)

// mailPassword mails a link to somebody who forgot the password, if there is such a user.
// Where mails are kept, none is: it would reach nobody, and the link would be stored.
func (r *Rules) mailPassword(ctx context.Context, m outbox.Message, a recovery.Asked) ([]outbox.Message, error) {
	if r.KeepsMails {
		return nil, nil
	}
	to, link, err := r.Recovery.PasswordMail(ctx, a)
	if err != nil || to.ID == 0 {
		return nil, err
	}
	e := r.envelope(to, m.ID(), "Somebody asked for it on the sign-in page. If it was not you, there is nothing to do.")
	e.Settings = ""
	return nil, r.send(ctx, letter.ForPassword(e, to.Username, link.Reveal()))
}

// mailConfirmation mails a link that confirms the address that it goes to. Where mails are
// kept, none is, as above.
func (r *Rules) mailConfirmation(ctx context.Context, m outbox.Message, n recovery.NewAddress) ([]outbox.Message, error) {
	if r.KeepsMails {
		return nil, nil
	}
	to, link, err := r.Recovery.ConfirmationMail(ctx, n)
	if err != nil || to.ID == 0 {
		return nil, err
	}
	e := r.envelope(to, m.ID(), "An account has this address. If it is not yours, there is nothing to do.")
	e.Settings = ""
	return nil, r.send(ctx, letter.ForConfirmation(e, to.Username, link.Reveal()))
}

// mailInvitation mails a link to a user whom an administrator invites. Where mails are kept,
// none is, as above.
func (r *Rules) mailInvitation(ctx context.Context, m outbox.Message, n recovery.NewAddress) ([]outbox.Message, error) {
	if r.KeepsMails {
		return nil, nil
	}
	to, link, err := r.Recovery.InvitationMail(ctx, n)
	if err != nil || to.ID == 0 {
		return nil, err
	}
	e := r.envelope(to, m.ID(), "An administrator made it for you.")
	e.Settings = ""
	return nil, r.send(ctx, letter.ForInvitation(e, to.Username, link.Reveal()))
}
