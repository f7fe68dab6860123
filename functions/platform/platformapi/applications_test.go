package platformapi_test

import (
	"fmt"
	"reflect"
	"regexp"
	"testing"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
)

const applications = api + "/applications"

// proves reports whether the secret is the client's, by way of the password
// grant.
func proves(t *testing.T, a *apptest.App, clientID any, text string) bool {
	t.Helper()
	_, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
		GrantType: "password", Username: "root", Password: secret.NewText(apptest.Password),
		Client: oauth.Credentials{ClientID: clientID.(string), Secret: secret.NewText(text)},
	})
	return err == nil
}

func TestRegisterApplication(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.Admin("root"))
	made := apptest.Call(t, h, "POST", applications, token, object{
		"name": "Shop", "redirect_uri": "https://shop.example/callback\n\n com.example.shop:/callback", "scopes": "api read_user",
	})
	made.Want(t, 201, nil)
	body := made.Object(t)
	clientID, text := fmt.Sprint(body["application_id"]), fmt.Sprint(body["secret"])
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(clientID) {
		t.Errorf("application_id is %s, want 64 hexadecimal characters", clientID)
	}
	if !regexp.MustCompile(`^gtoas-[0-9a-f]{64}$`).MatchString(text) {
		t.Errorf("secret is %s, want gtoas- and 64 hexadecimal characters", text)
	}
	want := object{
		"id": float64(made.ID(t)), "application_id": clientID, "application_name": "Shop", "secret": text,
		"callback_url": "https://shop.example/callback\ncom.example.shop:/callback", "confidential": true, "scopes": []any{"api", "read_user"}, "refresh_retry_seconds": nil,
	}
	made.Want(t, 201, want)
	if !proves(t, a, clientID, text) {
		t.Error("the secret does not work")
	}
	delete(want, "secret")
	apptest.Call(t, h, "GET", applications, token, nil).Want(t, 200, []any{want})
}

func TestApplicationOptions(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.Admin("root"))
	tests := []struct {
		options object
		want    oauth.Client
	}{
		{object{}, oauth.Client{Confidential: true, PasswordGrant: true}},
		{object{"confidential": nil, "trusted": nil, "password_grant": nil, "require_secret": nil}, oauth.Client{Confidential: true, PasswordGrant: true}},
		{object{"confidential": false}, oauth.Client{PasswordGrant: true}},
		{object{"confidential": "true", "trusted": "1"}, oauth.Client{Confidential: true, Trusted: true, PasswordGrant: true}},
		{object{"password_grant": false}, oauth.Client{Confidential: true}},
		{object{"require_secret": "true"}, oauth.Client{Confidential: true, PasswordGrant: true, RequireSecret: true}},
		{object{"refresh_retry_seconds": 10}, oauth.Client{Confidential: true, PasswordGrant: true, OwnRefreshRetry: true, RefreshRetry: 10}},
		{object{"refresh_retry_seconds": "0"}, oauth.Client{Confidential: true, PasswordGrant: true, OwnRefreshRetry: true}},
		{object{"refresh_retry_seconds": nil}, oauth.Client{Confidential: true, PasswordGrant: true}},
	}
	for _, test := range tests {
		params := with(object{"name": "x", "redirect_uri": "https://x.example/", "scopes": "api"}, test.options)
		made := apptest.Call(t, h, "POST", applications, token, params)
		made.Want(t, 201, nil)
		c, err := a.OAuth.ClientByID(t.Context(), made.ID(t))
		got := oauth.Client{Confidential: c.Confidential, Trusted: c.Trusted, PasswordGrant: c.PasswordGrant, RequireSecret: c.RequireSecret, OwnRefreshRetry: c.OwnRefreshRetry, RefreshRetry: c.RefreshRetry}
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%v made %+v, %v, want %+v", test.options, got, err, test.want)
		}
	}
}

func TestRegisterApplicationRefusals(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.Admin("root"))
	good := object{"name": "x", "redirect_uri": "https://x.example/", "scopes": "api"}
	field := func(name, complaint string) object { return object{"message": object{name: []any{complaint}}} }
	tests := []struct{ changes, want object }{
		{object{"name": "-"}, object{"error": "name is missing"}},
		{object{"redirect_uri": "-"}, object{"error": "redirect_uri is missing"}},
		{object{"scopes": "-"}, object{"error": "scopes is missing, scopes is empty"}},
		{object{"scopes": ""}, object{"error": "scopes is empty"}},
		{object{"confidential": "maybe"}, object{"error": "confidential is invalid"}},
		{object{"refresh_retry_seconds": "soon"}, object{"error": "refresh_retry_seconds is invalid"}},
		{object{"refresh_retry_seconds": 31}, field("refresh_retry_seconds", "must be between 0 and 30")},
		{object{"refresh_retry_seconds": -1}, field("refresh_retry_seconds", "must be between 0 and 30")},
		{object{"name": ""}, field("name", "can't be blank")},
		{object{"redirect_uri": ""}, field("redirect_uri", "can't be blank")},
		{object{"redirect_uri": "http://"}, field("redirect_uri", "must be a valid URI.")},
		{object{"redirect_uri": "callback"}, field("redirect_uri", "must be an absolute URI.")},
		{object{"redirect_uri": "localhost:8080"}, field("redirect_uri", "must specify a scheme.")},
		{object{"redirect_uri": "https://x.example/#top"}, field("redirect_uri", "cannot contain a fragment.")},
		{object{"redirect_uri": "JavaScript:alert(1)"}, field("redirect_uri", "is forbidden by the server.")},
		{object{"redirect_uri": "https://x.example/ http://"}, field("redirect_uri", "must be a valid URI.")},
		{object{"scopes": "api telepathy"}, field("scopes", "doesn't match configured on the server.")},
		{object{"scopes": "sudo"}, field("scopes", "doesn't match configured on the server.")},
	}
	for _, test := range tests {
		apptest.Call(t, h, "POST", applications, token, with(good, test.changes)).Want(t, 400, test.want)
	}
	apptest.Call(t, h, "GET", applications, token, nil).Want(t, 200, []any{})
}

func TestRenewAndDeleteApplication(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.Admin("root"))
	made := apptest.Call(t, h, "POST", applications, token, object{"name": "x", "redirect_uri": "https://x.example/", "scopes": "api"})
	old := made.Object(t)
	path := fmt.Sprintf("%s/%d", applications, made.ID(t))
	renewed := apptest.Call(t, h, "POST", path+"/renew-secret", token, nil)
	renewed.Want(t, 201, with(old, object{"secret": renewed.Object(t)["secret"]}))
	if proves(t, a, old["application_id"], old["secret"].(string)) {
		t.Error("the old secret still works")
	}
	if !proves(t, a, old["application_id"], renewed.Object(t)["secret"].(string)) {
		t.Error("the new secret does not work")
	}
	for _, id := range []string{old["application_id"].(string), "9999", "x"} {
		apptest.Call(t, h, "DELETE", applications+"/"+id, token, nil).WantMessage(t, 404, "404 Application Not Found")
		apptest.Call(t, h, "POST", applications+"/"+id+"/renew-secret", token, nil).WantMessage(t, 404, "404 Application Not Found")
	}
	apptest.Call(t, h, "DELETE", path, token, nil).Want(t, 204, nil)
	apptest.Call(t, h, "DELETE", path, token, nil).WantMessage(t, 404, "404 Application Not Found")
	apptest.Call(t, h, "GET", applications, token, nil).Want(t, 200, []any{})
	apptest.Call(t, h, "GET", path, token, nil).WantMessage(t, 405, "405 Method Not Allowed")
}
