package platformapi_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

func TestChangeSelf(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada := a.User("ada")
	token := a.Token(ada)
	ada.Name, ada.PrivateProfile = "Ada King", true
	apptest.Call(t, h, "PUT", api+"/user", token, object{"name": "Ada King", "private_profile": true}).Want(t, 200, userBody(ada))
	apptest.Call(t, h, "PUT", api+"/user", token, object{"email": ada.Email}).Want(t, 200, userBody(ada)) // is its address
	ada.Email = "king@example.com"
	apptest.Call(t, h, "PUT", api+"/user", token, object{
		"email": ada.Email, "password": "difference engine", "current_password": apptest.Password,
	}).Want(t, 200, userBody(ada))
	u, err := a.Users.Authenticate(t.Context(), "king@example.com", secret.NewText("difference engine"))
	if err != nil || u.SessionValid(ada.SessionEpoch) {
		t.Errorf("the new password does not work, or what began before it does: %v", err)
	}
}

func TestChangeSelfRefusals(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada := a.User("ada")
	a.User("ben")
	token := a.Token(ada)
	field := func(name, complaint string) object { return object{"message": object{name: []any{complaint}}} }
	tests := []struct {
		name         string
		params, want object
	}{
		{"an address alone", object{"email": "king@example.com"}, field("current_password", "can't be blank")},
		{"a password alone", object{"password": "difference engine"}, field("current_password", "can't be blank")},
		{"a wrong password", object{"password": "difference engine", "current_password": "x"}, field("current_password", "is not right")},
		{"a short password", object{"password": "short", "current_password": apptest.Password}, field("password", "is too short (minimum is 8 characters)")},
		{"another's address", object{"email": "ben@example.com", "current_password": apptest.Password}, field("email", "has already been taken")},
		{"no name", object{"name": ""}, field("name", "can't be blank")},
		{"no text", object{"name": []string{"x"}}, object{"error": "name is invalid"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			apptest.Call(t, h, "PUT", api+"/user", token, test.params).Want(t, 400, test.want)
		})
	}
	apptest.Call(t, h, "PUT", api+"/user", a.Token(ada, scope.ReadUser), object{"name": "x"}).Want(t, 403, nil)
	apptest.Call(t, h, "PUT", api+"/user", "", object{"name": "x"}).WantMessage(t, 401, "401 Unauthorized")
	apptest.Call(t, h, "GET", api+"/user", token, nil).Want(t, 200, userBody(ada))
}

// A stolen token must not find out the password by trying.
func TestChangeSelfCountsWrongPasswords(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.User("ada"))
	wrong := object{"password": "difference engine", "current_password": "x"}
	for range 10 {
		apptest.Call(t, h, "PUT", api+"/user", token, wrong).Want(t, 400, nil)
	}
	right := with(wrong, object{"current_password": apptest.Password})
	refused := apptest.Call(t, h, "PUT", api+"/user", token, right)
	refused.Want(t, 429, nil)
	if refused.Header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
}

func TestResetLink(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, root := a.User("ada"), a.Admin("root")
	path := fmt.Sprintf("%s/users/%d/reset_link", api, ada.ID)
	made := apptest.Call(t, h, "POST", path, a.Token(root), nil)
	made.Want(t, 201, nil)
	body := made.Object(t)
	address, err := url.Parse(fmt.Sprint(body["url"]))
	if err != nil || address.Path != "/users/password" {
		t.Errorf("the link is %v, %v", body["url"], err)
	}
	if want := a.Now().Add(24 * time.Hour).Truncate(time.Second).Format("2006-01-02T15:04:05.000Z"); body["expires_at"] != want {
		t.Errorf("it expires at %v, want %s", body["expires_at"], want)
	}
	if u, err := a.Recovery.User(t.Context(), secret.NewText(address.Query().Get("token"))); err != nil || u.ID != ada.ID {
		t.Errorf("the link is for user %d, %v, want ada", u.ID, err)
	}
	entries, err := a.Trail.Entries(t.Context(), audit.Filter{UserID: ada.ID, Size: 1})
	if err != nil || len(entries.Entries) != 1 || entries.Entries[0].Name != "user.reset_link_made" || entries.Entries[0].ActorID != root.ID {
		t.Errorf("the trail has %+v, %v, want root's link", entries.Entries, err)
	}
	apptest.Call(t, h, "POST", path, a.Token(ada), nil).WantMessage(t, 403, "403 Forbidden")
	apptest.Call(t, h, "POST", api+"/users/9999/reset_link", a.Token(root), nil).WantMessage(t, 404, "404 User Not Found")
	if _, err := a.Users.Update(t.Context(), audit.ByUser(root.ID), ada.ID, user.Change{State: new(user.Blocked)}); err != nil {
		t.Fatal(err)
	}
	apptest.Call(t, h, "POST", path, a.Token(root), nil).Want(t, 409, nil)
}
