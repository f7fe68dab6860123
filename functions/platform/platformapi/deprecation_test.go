package platformapi_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/apptest"
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
