package accountapi_test

import (
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/recovery"
)

func TestForgottenPasswordPage(t *testing.T) {
	a := apptest.New(t)
	a.User("ada")
	b := newBrowser(t, a.App)
	b.Get("/users/sign_in").Want(200, `href="/users/password/new"`)
	b.Get("/users/password/new").Want(200, "Ask an administrator").WantNot("Send the mail")
	b.Post("/users/password/new", apptest.Form("login", "ada")).Want(404)

	a.KeepsMails = false
	b = newBrowser(t, a.App)
	b.Get("/users/password/new").Want(200, "Send the mail")
	for _, login := range []string{"ada", "nobody"} {
		b.Post("/users/password/new", apptest.Form("login", login)).WantRedirect("/users/sign_in")
		b.Get("/users/sign_in").Want(200, "If there is such an account, a mail with a link is on its way to it.")
		for range 4 {
			b.Post("/users/password/new", apptest.Form("login", login)).WantRedirect("/users/sign_in")
		}
		b.Post("/users/password/new", apptest.Form("login", login)).Want(429)
	}
}

func TestConfirmOwnAddress(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	signedIn(t, a, ada).Get(profile).Want(200).WantNot("Send me a mail")
	a.KeepsMails = false
	b := signedIn(t, a, ada)
	b.Get(profile).Want(200, "Send me a mail")
	for range 3 {
		b.Post(profile+"/confirmation", nil).WantRedirect(profile)
		b.Get(profile).Want(200, "A mail with a link is on its way to your address.")
	}
	b.Post(profile+"/confirmation", nil).WantRedirect(profile)
	b.Get(profile).Want(200, "You were sent enough mails for now.")

	_, link, err := a.Recovery.ConfirmationMail(t.Context(), recovery.NewAddress{UserID: ada.ID, Email: ada.Email})
	if err != nil {
		t.Fatal(err)
	}
	address := link.Reveal()[len(apptest.BaseURL):]
	token := address[len("/users/confirmation?token="):]
	mail := newBrowser(t, a.App)
	mail.Get(address).Want(200, "Is this your address?", ada.Email)
	b.Get(profile).Want(200, "Not confirmed") // a link that is only followed does nothing
	mail.Post("/users/confirmation", apptest.Form("token", token)).Want(200, "The address is confirmed")
	b.Get(profile).Want(200, "Confirmed").WantNot("Not confirmed", "Send me a mail")
	mail.Get(address).Want(404, "This link does not work any more")
	mail.Post("/users/confirmation", apptest.Form("token", token)).Want(404, "This link does not work any more")
}
