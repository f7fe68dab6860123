package accountapi_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"gatehouse/shared/apptest"
	"gatehouse/shared/secret"
)

const profile = "/user_settings/profile"

func TestChangeOwnProfile(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b, other := signedIn(t, a, ada), signedIn(t, a, ada)
	b.Get(profile).Want(200, ada.Name, ada.Email, "Not confirmed", `href="/users/ada"`)
	b.Post(profile, apptest.Form("name", " ", "private_profile", "1")).Want(422, "The name can't be blank.")
	b.Post(profile, apptest.Form("name", "Ada King", "private_profile", "1")).WantRedirect(profile)
	b.Get(profile).Want(200, "Your profile is saved.", "Ada King", `name="private_profile" value="1" checked`)

	b.Post(profile+"/email", apptest.Form("email", "king@example.com")).Want(422, "Your password can't be blank.", "king@example.com").
		WantNot("badge") // the address in the field is not the one that is confirmed or not
	b.Post(profile+"/email", apptest.Form("email", "king@example.com", "current_password", "x")).Want(422, "Your password is not right.")
	b.Post(profile+"/email", apptest.Form("email", "king", "current_password", apptest.Password)).Want(422, "The address is invalid.")
	b.Post(profile+"/email", apptest.Form("email", "king@example.com", "current_password", apptest.Password)).WantRedirect(profile)

	b.Post(profile+"/password", apptest.Form("password", "difference engine")).Want(422, "Your password can't be blank.")
	b.Post(profile+"/password", apptest.Form("password", "short", "current_password", apptest.Password)).Want(422, "The new password is too short (minimum is 8 characters).")
	b.Post(profile+"/password", apptest.Form("password", "difference engine", "current_password", apptest.Password)).WantRedirect(profile)
	b.Get(profile).Want(200, "Your password is changed. You are signed out everywhere else.")
	other.Get(profile).WantRedirect("/users/sign_in?return_to=%2Fuser_settings%2Fprofile")
	u, err := a.Users.Authenticate(t.Context(), "king@example.com", secret.NewText("difference engine"))
	if err != nil || u.Name != "Ada King" || !u.PrivateProfile {
		t.Errorf("the account is %+v, %v", u, err)
	}
}

func TestProfileCountsWrongPasswords(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.User("ada"))
	wrong := apptest.Form("password", "difference engine", "current_password", "x")
	for range 10 {
		b.Post(profile+"/password", wrong).Want(422)
	}
	b.Post(profile+"/password", wrong).Want(429, "Your password was wrong too often: wait 10 minutes.")
}

var copied = regexp.MustCompile(`id="reset-link">([^<]+)<`)

func TestAdministratorMakesALink(t *testing.T) {
	a := apptest.New(t)
	ada, root := a.User("ada"), a.Admin("root")
	admin := signedIn(t, a, root)
	path := fmt.Sprintf("/admin/users/%d/reset_link", ada.ID)
	admin.Get(strings.TrimSuffix(path, "/reset_link")).Want(200, path)
	found := copied.FindStringSubmatch(admin.Post(path, nil).Want(201, "Copy the link now.", "@ada").Text())
	if len(found) != 2 {
		t.Fatal("the page shows no link")
	}
	address := strings.TrimPrefix(html.UnescapeString(found[1]), apptest.BaseURL)
	b := newBrowser(t, a.App)
	b.Get(address).Want(200, "Choose a new password", "@ada")
	_, token, _ := strings.Cut(address, "?token=")
	b.Post("/users/password", apptest.Form("token", token, "password", "short")).Want(422, "The password is too short (minimum is 8 characters).", token)
	b.Post("/users/password", apptest.Form("token", token, "password", "difference engine")).WantRedirect("/users/sign_in")
	b.Get("/users/sign_in").Want(200, "Your password is set. Sign in with it.")
	b.Post("/users/sign_in", apptest.Form("login", "ada", "password", "difference engine")).WantRedirect("/")
	b.Get(address).Want(404, "This link does not work any more")
	b.Post("/users/password", apptest.Form("token", token, "password", "difference engine 2")).Want(404, "This link does not work any more")

	admin.Post(fmt.Sprintf("/admin/users/%d/reset_link", root.ID), nil).Want(400, "Change your own password in your settings.")
	b.Post(path, nil).Want(404)
}
