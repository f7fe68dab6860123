package accountapi

import (
	"net/http"
	"strconv"

	"gatehouse/shared/mail"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

const adminMailsPath = "/admin/mails"

// mailsBody is the data of the list of kept mails.
type mailsBody struct {
	Keeps  bool // new mails are kept too
	Days   int
	Most   int
	Rows   []mailRow
	Paging site.Paging
}

type mailRow struct {
	mail.Stored
	Address string
}

func newMailRow(s mail.Stored) mailRow {
	return mailRow{s, adminMailsPath + "/" + strconv.FormatInt(s.Number, 10)}
}

// listMails shows administrators the mails that could not be sent.
func (a *api) listMails(w http.ResponseWriter, r *http.Request, _ user.User) error {
	wanted := site.PageOf(r)
	found, err := a.app.Mails.Kept(r.Context(), wanted)
	if err != nil {
		return err
	}
	body := mailsBody{
		Keeps: a.app.KeepsMails, Days: int(mail.KeptFor.Hours()) / 24, Most: mail.MaxKept,
		Paging: site.NewPaging(adminMailsPath, wanted, found),
	}
	for _, s := range found.Items {
		body.Rows = append(body.Rows, newMailRow(s))
	}
	return a.renderAdmin(w, r, site.Page{Template: "mails", Title: "Mails", Body: body})
}

// showMail shows administrators one of them. The links in it act as the person whom it is
// for, so their secrets are left out.
func (a *api) showMail(w http.ResponseWriter, r *http.Request, _ user.User) error {
	number, err := web.PathID(r, "id")
	if err != nil {
		return err
	}
	s, err := a.app.Mails.Find(r.Context(), number)
	if err != nil {
		return err
	}
	return a.renderAdmin(w, r, site.Page{Template: "mail", Secret: true, Title: s.Thing.Subject, Body: newMailRow(s)})
}
