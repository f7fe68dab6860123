package platformapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/accesstoken"
	"gatehouse/shared/apptest"
	"gatehouse/shared/scope"
)

const tokens = api + "/personal_access_tokens"

func tokenBody(t accesstoken.Token) object {
	scopes := []any{}
	for _, s := range t.Scopes {
		scopes = append(scopes, s)
	}
	return object{
		"id": float64(t.ID), "name": t.Name, "scopes": scopes, "expires_at": t.ExpiresAt.Format(time.DateOnly),
		"active": true, "revoked": false, "user_id": float64(t.UserID), "created_at": t.CreatedAt.Format("2006-01-02T15:04:05.000Z"), "last_used_at": nil,
	}
}

func tokenPath(t accesstoken.Token) string { return fmt.Sprintf("%s/%d", tokens, t.ID) }

func TestMakeATokenForOneself(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada := a.User("ada")
	day := a.Now().AddDate(0, 0, 30).Format(time.DateOnly)
	made := apptest.Call(t, h, "POST", api+"/user/personal_access_tokens", a.Token(ada), object{
		"name": "deploy", "scopes": []string{"read_user", "api"}, "expires_at": day,
	})
	made.Want(t, 201, nil)
	body := made.Object(t)
	text, _ := body["token"].(string)
	delete(body, "token")
	want := object{
		"id": float64(made.ID(t)), "name": "deploy", "scopes": []any{"read_user", "api"}, "expires_at": day,
		"active": true, "revoked": false, "user_id": float64(ada.ID), "created_at": a.Now().Format("2006-01-02T15:04:05.000Z"), "last_used_at": nil,
	}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("body differs (-want +got):\n%s", diff)
	}
	apptest.Call(t, h, "GET", api+"/user", text, nil).Want(t, 200, userBody(ada))

	// The secret was shown once.
	self := apptest.Call(t, h, "GET", tokens+"/self", text, nil)
	self.Want(t, 200, nil)
	if _, shown := self.Object(t)["token"]; shown || self.ID(t) != made.ID(t) || self.Object(t)["last_used_at"] == nil {
		t.Errorf("GET self gave %v, want token %d without its secret, used", self.Body, made.ID(t))
	}
	year := a.Now().AddDate(0, 0, 365).Format(time.DateOnly)
	unlimited := apptest.Call(t, h, "POST", api+"/user/personal_access_tokens", a.Token(ada), object{"name": "x", "scopes": "api"})
	if got := unlimited.Object(t)["expires_at"]; got != year {
		t.Errorf("a token without a last day ends on %v, want %s", got, year)
	}
}

func TestMakeATokenRefusals(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, root := a.User("ada"), a.Admin("root")
	own, of := api+"/user/personal_access_tokens", func(id int64) string { return fmt.Sprintf("%s/users/%d/personal_access_tokens", api, id) }
	field := func(name, complaint string) object { return object{"message": object{name: []any{complaint}}} }
	exceeds := object{"message": "403 Forbidden - The new token's scopes exceed those of the token in use"}
	application := object{"message": "403 Forbidden - Applications cannot make personal access tokens"}
	adas, roots, sudoer := a.Token(ada), a.Token(root), a.Token(root, scope.API, scope.Sudo)
	tests := []struct {
		name, path, token string
		params            object
		status            int
		want              object
	}{
		{"nothing", own, adas, object{}, 400, object{"error": "name is missing, scopes is missing, scopes is empty"}},
		{"no scope", own, adas, object{"name": "x", "scopes": []string{}}, 400, object{"error": "scopes is empty"}},
		{"unknown scope", own, adas, object{"name": "x", "scopes": "admin_mode"}, 400, field("scopes", "can only contain available scopes")},
		{"blank name", own, adas, object{"name": "", "scopes": "api"}, 400, field("name", "can't be blank")},
		{"not a date", own, adas, object{"name": "x", "scopes": "api", "expires_at": "soon"}, 400, object{"error": "expires_at is invalid"}},
		{"today", own, adas, object{"name": "x", "scopes": "api", "expires_at": a.Now().Format(time.DateOnly)}, 400, field("expires_at", "must be in the future")},
		{"too far", own, adas, object{"name": "x", "scopes": "api", "expires_at": "2999-01-01"}, 400, field("expires_at", "must be within 365 days")},
		{"by an application", own, a.OAuthToken(ada, scope.API), object{"name": "x", "scopes": "read_user"}, 403, application},
		{"by an administrator's application", of(ada.ID), a.OAuthToken(root, scope.API), object{"name": "x", "scopes": "api"}, 403, application},
		{"sudo without sudo", own, roots, object{"name": "x", "scopes": "api sudo"}, 403, exceeds},
		{"sudo for oneself by way of the users", of(root.ID), roots, object{"name": "x", "scopes": "sudo"}, 403, exceeds},
		{"sudo for a user", of(ada.ID), sudoer, object{"name": "x", "scopes": "sudo"}, 400, field("scopes", "sudo is for administrators only")},
		{"with a token that only reads", own, a.Token(ada, scope.ReadAPI), object{"name": "x", "scopes": "read_api"}, 403, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer := apptest.Call(t, h, "POST", test.path, test.token, test.params)
			if test.want == nil {
				answer.Want(t, test.status, nil)
				return
			}
			answer.Want(t, test.status, test.want)
		})
	}
	apptest.Call(t, h, "POST", own, sudoer, object{"name": "x", "scopes": "api sudo"}).Want(t, 201, nil)
}

func TestAdministratorsMakeTokensForOthers(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, root := a.User("ada"), a.Admin("root")
	made := apptest.Call(t, h, "POST", fmt.Sprintf("%s/users/%d/personal_access_tokens", api, ada.ID), a.Token(root), object{"name": "x", "scopes": []string{"api"}})
	made.Want(t, 201, nil)
	apptest.Call(t, h, "GET", api+"/user", made.Object(t)["token"].(string), nil).Want(t, 200, userBody(ada))
}

func TestListTokens(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, root := a.User("ada"), a.Admin("root")
	first, adas := a.AddToken(ada)
	second, _ := a.AddToken(ada, scope.ReadUser)
	third, roots := a.AddToken(root)
	ids := func(tokens ...accesstoken.Token) []any {
		all := []any{}
		for _, token := range tokens {
			all = append(all, float64(token.ID))
		}
		return all
	}
	tests := []struct {
		token, query string
		want         []any
	}{
		{adas, "", ids(second, first)},
		{adas, fmt.Sprintf("?user_id=%d", ada.ID), ids(second, first)},
		{adas, "?per_page=1&page=2", ids(first)},
		{roots, "", ids(third, second, first)},
		{roots, fmt.Sprintf("?user_id=%d", ada.ID), ids(second, first)},
		{roots, "?user_id=9999", ids()},
	}
	for _, test := range tests {
		answer := apptest.Call(t, h, "GET", tokens+test.query, test.token, nil)
		if diff := cmp.Diff(test.want, answer.Each(t, "id")); diff != "" {
			t.Errorf("GET %s differs (-want +got):\n%s", test.query, diff)
		}
	}
	apptest.Call(t, h, "GET", fmt.Sprintf("%s?user_id=%d", tokens, root.ID), adas, nil).WantMessage(t, 403, "403 Forbidden")
	apptest.Call(t, h, "GET", tokens+"?user_id=0", roots, nil).WantError(t, 400, "user_id is invalid")
	apptest.Call(t, h, "GET", tokens+"?user_id=x", roots, nil).WantError(t, 400, "user_id is invalid")
}

func TestTokensAreTheOwnersAndAdministrators(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, ben, root := a.User("ada"), a.User("ben"), a.Admin("root")
	target, _ := a.AddToken(ada, scope.ReadUser)
	own, admins, others := a.Token(ada), a.Token(root), a.Token(ben)
	for _, token := range []string{own, admins, a.OAuthToken(ada, scope.API)} {
		apptest.Call(t, h, "GET", tokenPath(target), token, nil).Want(t, 200, tokenBody(target))
	}
	for _, method := range []string{"GET", "DELETE"} {
		apptest.Call(t, h, method, tokenPath(target), others, nil).WantMessage(t, 404, "404 Personal Access Token Not Found")
		for _, id := range []string{"9999", "x", "0"} {
			apptest.Call(t, h, method, tokens+"/"+id, admins, nil).WantMessage(t, 404, "404 Personal Access Token Not Found")
		}
	}
	apptest.Call(t, h, "POST", tokenPath(target)+"/rotate", others, nil).WantMessage(t, 404, "404 Personal Access Token Not Found")
	for _, token := range []string{own, admins} { // the second finds it revoked, which is no error
		apptest.Call(t, h, "DELETE", tokenPath(target), token, nil).Want(t, 204, nil)
	}
	revoked := with(tokenBody(target), object{"active": false, "revoked": true})
	apptest.Call(t, h, "GET", tokenPath(target), own, nil).Want(t, 200, revoked)
}

func TestTokenOfTheRequest(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada := a.User("ada")
	token, text := a.AddToken(ada)
	if got := apptest.Call(t, h, "GET", tokens+"/self", text, nil).ID(t); got != token.ID {
		t.Errorf("GET self gave token %d, want %d", got, token.ID)
	}
	apptest.Call(t, h, "DELETE", tokens+"/self", text, nil).Want(t, 204, nil)
	apptest.Call(t, h, "GET", tokens+"/self", text, nil).Want(t, 401, nil)
	for _, narrow := range scope.Token {
		root := a.Admin("root-" + strings.ReplaceAll(string(narrow), "_", "-"))
		token, text := a.AddToken(root, narrow)
		apptest.Call(t, h, "GET", tokens+"/self", text, nil).Want(t, 200, nil)
		apptest.Call(t, h, "DELETE", tokens+"/self", text, nil).Want(t, 204, nil)
		if got, err := a.Tokens.AccessToken(t.Context(), token.ID); err != nil || !got.Revoked() {
			t.Errorf("a token with the scope %s did not revoke itself: %+v, %v", narrow, got, err)
		}
	}
	byOAuth := a.OAuthToken(ada, scope.API)
	for _, method := range []string{"GET", "DELETE"} {
		apptest.Call(t, h, method, tokens+"/self", byOAuth, nil).WantMessage(t, 404, "404 Personal Access Token Not Found")
	}
}

func TestRotateToken(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, root := a.User("ada"), a.Admin("root")
	target, old := a.AddToken(ada)
	week := a.Now().AddDate(0, 0, 7).Format(time.DateOnly)
	rotated := apptest.Call(t, h, "POST", tokens+"/self/rotate", old, nil)
	rotated.Want(t, 201, nil)
	body := rotated.Object(t)
	fresh := body["token"].(string)
	if body["name"] != target.Name || body["expires_at"] != week || rotated.ID(t) == target.ID {
		t.Errorf("rotate gave %v, want a new token of the same name until %s", body, week)
	}
	apptest.Call(t, h, "GET", api+"/user", old, nil).Want(t, 401, nil)
	apptest.Call(t, h, "GET", api+"/user", fresh, nil).Want(t, 200, userBody(ada))

	admins, sudoer := a.Token(root), a.Token(root, scope.API, scope.Sudo)
	day := a.Now().AddDate(0, 0, 30).Format(time.DateOnly)
	path := fmt.Sprintf("%s/%d/rotate", tokens, rotated.ID(t))
	apptest.Call(t, h, "POST", path, admins, object{"expires_at": "soon"}).WantError(t, 400, "expires_at is invalid")
	apptest.Call(t, h, "POST", path, admins, object{"expires_at": "2999-01-01"}).WantMessage(t, 400, object{"expires_at": []any{"must be within 365 days"}})
	again := apptest.Call(t, h, "POST", path, admins, object{"expires_at": day})
	if again.Want(t, 201, nil); again.Object(t)["expires_at"] != day {
		t.Errorf("rotate gave %v, want a token until %s", again.Body, day)
	}
	apptest.Call(t, h, "POST", path, admins, nil).Want(t, 409, nil)

	powerful, _ := a.AddToken(root, scope.API, scope.Sudo)
	apptest.Call(t, h, "POST", tokenPath(powerful)+"/rotate", admins, nil).
		WantMessage(t, 403, "403 Forbidden - The new token's scopes exceed those of the token in use")
	apptest.Call(t, h, "POST", tokenPath(powerful)+"/rotate", a.OAuthToken(root, scope.API), nil).
		WantMessage(t, 403, "403 Forbidden - Applications cannot make personal access tokens")
	apptest.Call(t, h, "POST", tokenPath(powerful)+"/rotate", sudoer, nil).Want(t, 201, nil)
}
