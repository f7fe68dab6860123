package platformapi_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
)

func TestNullAsPrivateProfile(t *testing.T) {
	a := apptest.New(t)
	h, token, ada := platformapi.New(a.App), a.Token(a.Admin("root")), a.User("ada")
	one := fmt.Sprintf("%s/users/%d", api, ada.ID)
	send := func(method, target, body, preview string) apptest.Answer {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		if preview != "" {
			r.Header.Set("Gatehouse-Api-Preview", preview)
		}
		return apptest.Send(t, h, r)
	}
	registration := func(name, profile string) string {
		return fmt.Sprintf(`{"username":%q,"name":"Ben","email":"%s@example.com","password":"the password of ben","private_profile":%s}`, name, name, profile)
	}
	tests := []struct {
		method, target, body string
		status               int
		told                 bool
		profile              any
		refused              int // by the preview
	}{
		{"PUT", one, `{"private_profile":true}`, 200, false, true, 200},
		{"PUT", one, `{"private_profile":null}`, 200, true, false, 400},
		{"PUT", one, `{"private_profile":false}`, 200, false, false, 200},
		{"PUT", one, `{"private_profile":"maybe"}`, 400, false, nil, 400},
		{"PUT", one, `{"private_profile":""}`, 400, false, nil, 400},
		{"PUT", one, `{}`, 200, false, false, 200},
		{"POST", api + "/users", registration("ben", "null"), 201, true, false, 400},
		{"POST", api + "/users", registration("eve", "true"), 201, false, true, 400}, // who exists by then
	}
	for _, test := range tests {
		got := send(test.method, test.target, test.body, "")
		got.Want(t, test.status, nil)
		link := `<` + apptest.BaseURL + `/-/deprecations#private-profile-null>; rel="deprecation"`
		if told := got.Header.Get("Deprecation") != ""; told != test.told || told && got.Header.Get("Link") != link {
			t.Errorf("%s %s tells %q with %q, want it told: %t", test.method, test.body, got.Header.Get("Deprecation"), got.Header.Get("Link"), test.told)
		}
		if test.profile != nil && got.Object(t)["private_profile"] != test.profile {
			t.Errorf("%s %s makes %v, want %v", test.method, test.body, got.Object(t)["private_profile"], test.profile)
		}
		previewed := send(test.method, test.target, test.body, "v5")
		previewed.Want(t, test.refused, nil)
		if test.told {
			previewed.WantError(t, 400, "private_profile is deprecated with this value: send true or false")
		}
	}
	send("GET", one, "", "v6").WantError(t, 400, "Gatehouse-Api-Preview does not have a valid value")
}

func TestEverybodyMayListDeprecations(t *testing.T) {
	h := platformapi.New(apptest.New(t).App)
	got := apptest.Call(t, h, "GET", api+"/deprecations", "", nil)
	got.Want(t, 200, nil)
	rows := got.Each(t, "id")
	if len(rows) != len(deprecation.Table) || rows[0] != "geo-nodes" || got.Header.Get("Cache-Control") != "public, max-age=300" {
		t.Errorf("lists %v with %v", rows, got.Header)
	}
	for _, row := range got.Body.([]any) {
		row := row.(object)
		places := row["place"].([]any)
		switch row["id"] {
		case "private-profile-null":
			want := object{"call": "POST /api/v4/users", "in": "parameter", "name": "private_profile", "values": []any{nil}, "beside": nil}
			if diff := cmp.Diff(want, places[0]); diff != "" || row["since"] != nil || row["date"] != "2026-11-22" {
				t.Errorf("%v differs (-want +got):\n%s", row, diff)
			}
		case "metrics-api-url":
			if row["since"] != "16.0" || row["date"] != "2023-05-22" || row["link"] != apptest.BaseURL+"/-/deprecations#metrics-api-url" ||
				!cmp.Equal(places[0].(object)["beside"], any(object{"type": "metrics"})) {
				t.Errorf("lists %v", row)
			}
		case "geo-nodes":
			if first := places[0].(object); first["in"] != "address" || first["name"] != nil || first["values"] != nil {
				t.Errorf("lists %v", row)
			}
		}
	}
	r := httptest.NewRequest("GET", api+"/deprecations", nil)
	r.Header.Set("If-None-Match", got.Header.Get("ETag"))
	apptest.Send(t, h, r).Want(t, 304, nil)
}

func TestUsesAreCountedByCaller(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root, ada, ben := a.Admin("root"), a.User("ada"), a.User("ben")
	record, token := a.AddToken(root)
	password := a.OAuthToken(root, scope.API)
	client, text, err := a.OAuth.Register(t.Context(), audit.Setup, ada.ID, oauth.Registration{
		Name: "App", RedirectURIs: "https://app.example/", Scopes: scope.Of(scope.API), Confidential: true, PasswordGrant: true, ByAdmin: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := a.OAuth.Token(t.Context(), oauth.TokenRequest{
		GrantType: "password", Username: root.Username, Password: secret.NewText(apptest.Password), Scope: "api",
		Client: oauth.Credentials{ClientID: client.ClientID, Secret: text},
	})
	if err != nil {
		t.Fatal(err)
	}
	one := fmt.Sprintf("%s/users/%d", api, ben.ID)
	use := func(by string, times int) {
		for range times {
			apptest.Call(t, h, "PUT", one, by, object{"private_profile": nil}).Want(t, 200, nil)
		}
	}
	use(token, 2)
	use(password, 1)
	use(tokens.Access.Reveal(), 3)
	apptest.Call(t, h, "PUT", one, token, object{"private_profile": false}).Want(t, 200, nil)
	apptest.Call(t, h, "PUT", one, "unknown", object{"private_profile": nil}).Want(t, 401, nil)
	acting, sudo := a.AddToken(root, scope.API, scope.Sudo)
	apptest.Call(t, h, "PUT", one+"?sudo=ada", sudo, object{"private_profile": nil}).Want(t, 403, nil) // counts for the token
	a.Pass(24 * time.Hour)
	use(token, 1)

	day, last := a.Now().Format(time.DateOnly), a.Now().Format("2006-01-02T15:04:05.000Z")
	before, lastBefore := a.Now().AddDate(0, 0, -1).Format(time.DateOnly), a.Now().AddDate(0, 0, -1).Format("2006-01-02T15:04:05.000Z")
	row := func(day, last string, application, token any, uses int) object {
		return object{
			"row": "private-profile-null", "day": day, "application_id": application, "token_id": token, "user_id": float64(root.ID),
			"uses": float64(uses), "last_used_at": last,
		}
	}
	byToken, byApp, byPassword := row(before, lastBefore, nil, float64(record.ID), 2), row(before, lastBefore, client.ClientID, nil, 3), row(before, lastBefore, nil, nil, 1)
	refused := row(before, lastBefore, nil, float64(acting.ID), 1)
	later := row(day, last, nil, float64(record.ID), 1)
	uses := api + "/deprecations/uses"
	anyOrder := cmpopts.SortSlices(func(a, b any) bool { return fmt.Sprint(a) < fmt.Sprint(b) })
	for query, want := range map[string][]any{
		"":                                   {later, byToken, byApp, byPassword, refused},
		"?from=" + day:                       {later},
		"?to=" + before:                      {byToken, byApp, byPassword, refused},
		"?row=geo-nodes":                     {},
		"?row=private-profile-null":          {later, byToken, byApp, byPassword, refused},
		"?from=" + day + "&to=" + before:     {},
		"?application_id=" + client.ClientID: {byApp},
	} {
		got := apptest.Call(t, h, "GET", uses+query, token, nil)
		got.Want(t, 200, nil)
		if diff := cmp.Diff(any(want), got.Body, anyOrder); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", query, diff)
		}
	}
	apptest.Call(t, h, "GET", uses+"?application_id="+client.ClientID, a.Token(ada), nil).Want(t, 200, []any{byApp})
	apptest.Call(t, h, "GET", uses+"?application_id="+client.ClientID, a.Token(ben), nil).WantMessage(t, 404, "404 Application Not Found")
	apptest.Call(t, h, "GET", uses+"?application_id=x", token, nil).WantMessage(t, 404, "404 Application Not Found")
	apptest.Call(t, h, "GET", uses, a.Token(ada), nil).WantMessage(t, 403, "403 Forbidden")
	apptest.Call(t, h, "GET", uses, "", nil).Want(t, 401, nil)
	apptest.Call(t, h, "GET", uses+"?row=x&from=y&to=z&page=0", token, nil).
		WantError(t, 400, "page is invalid, row does not have a valid value, from is invalid, to is invalid")
	a.Pass(91 * 24 * time.Hour)
	apptest.Call(t, h, "GET", uses, a.Token(root), nil).Want(t, 200, []any{})
}
