package platformapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/platform/platformapi"
	"gatehouse/shared/app"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

const api = "/api/v4"

type object = map[string]any

func userBody(u user.User) object {
	return object{
		"id": float64(u.ID), "username": u.Username, "name": u.Name, "email": u.Email, "state": string(u.State), "admin": u.Admin, "is_admin": u.Admin, "confirmed_at": nil,
		"last_sign_in_at": nil, "current_sign_in_at": nil,
		"private_profile": u.PrivateProfile, "two_factor_enabled": u.TwoFactorEnabled,
		"web_url": apptest.BaseURL + "/users/" + u.Username, "avatar_url": nil,
		"created_at": u.CreatedAt.Format("2006-01-02T15:04:05.000Z"),
	}
}

func TestOwnRecord(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, root := a.User("ada"), a.Admin("root")
	for _, token := range []string{
		a.Token(ada), a.Token(ada, scope.ReadAPI), a.Token(ada, scope.ReadUser),
		a.OAuthToken(ada, scope.API), a.OAuthToken(ada, scope.ReadUser),
	} {
		apptest.Call(t, h, "GET", api+"/user", token, nil).Want(t, 200, userBody(ada))
	}
	apptest.Call(t, h, "GET", api+"/user/", a.Token(root), nil).Want(t, 200, userBody(root))
	apptest.Call(t, h, "GET", api+"/user?sudo=ada", a.Token(root, scope.API, scope.Sudo), nil).Want(t, 200, userBody(ada))
	apptest.Call(t, h, "GET", api+"/user", "", nil).WantMessage(t, 401, "401 Unauthorized")
	apptest.Call(t, h, "GET", api+"/user", a.OAuthToken(ada, scope.OpenID), nil).Want(t, 403, nil)
}

func TestReadUserReadsUsersAndNothingElse(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root := a.Admin("root")
	token, own := a.Token(root, scope.ReadUser), fmt.Sprintf("%s/users/%d", api, root.ID)
	apptest.Call(t, h, "GET", api+"/users", token, nil).Want(t, 200, []any{userBody(root)})
	apptest.Call(t, h, "GET", own, token, nil).Want(t, 200, userBody(root))
	for _, call := range []string{"PUT " + own, "DELETE " + own, "POST " + api + "/users", "GET " + api + "/applications", "GET " + api + "/groups"} {
		method, target, _ := strings.Cut(call, " ")
		apptest.Call(t, h, method, target, token, nil).Want(t, 403, nil)
	}
}

func TestUsersAndApplicationsAreForAdministrators(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada := a.User("ada")
	reader := a.Token(a.Admin("root"), scope.ReadAPI)
	for _, call := range []string{
		"GET /users", "POST /users", "GET /users/1", "PUT /users/1", "DELETE /users/1", "POST /users/1/block", "POST /users/1/unblock",
		"POST /users/1/personal_access_tokens", "GET /applications", "POST /applications", "DELETE /applications/1",
		"POST /applications/1/renew-secret",
	} {
		method, path, _ := strings.Cut(call, " ")
		apptest.Call(t, h, method, api+path, "", nil).WantMessage(t, 401, "401 Unauthorized")
		apptest.Call(t, h, method, api+path, a.Token(ada), nil).WantMessage(t, 403, "403 Forbidden")
		if method != "GET" {
			got := apptest.Call(t, h, method, api+path, reader, nil)
			got.Want(t, 403, nil)
			if got.Object(t)["error"] != "insufficient_scope" {
				t.Errorf("%s with scope read_api answered %v, want insufficient_scope", call, got.Body)
			}
		}
	}
	for _, call := range []string{
		"GET /users/9999", "GET /users/ada", "PUT /users/9999", "DELETE /users/0", "POST /users/9999/block", "POST /users/-1/unblock",
		"POST /users/9999/personal_access_tokens",
	} {
		method, path, _ := strings.Cut(call, " ")
		apptest.Call(t, h, method, api+path, a.Token(a.Admin("root-"+secret.New("", 3).Reveal())), nil).WantMessage(t, 404, "404 User Not Found")
	}
}

func TestCreateUser(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.Admin("root"))
	ada := object{"username": "Ada", "name": "Ada Lovelace", "email": "Ada@example.com", "password": "difference engine"}
	created := apptest.Call(t, h, "POST", api+"/users", token, ada)
	created.Want(t, 201, nil)
	want := object{
		"id": float64(created.ID(t)), "username": "Ada", "name": "Ada Lovelace", "email": "Ada@example.com", "state": "active", "admin": false,
		"private_profile": false, "two_factor_enabled": false, "web_url": apptest.BaseURL + "/users/Ada", "avatar_url": nil, "is_admin": false, "confirmed_at": nil,
		"last_sign_in_at": nil, "current_sign_in_at": nil,
		"created_at": a.Now().Format("2006-01-02T15:04:05.000Z"),
	}
	created.Want(t, 201, want)
	apptest.Call(t, h, "GET", fmt.Sprintf("%s/users/%d", api, created.ID(t)), token, nil).Want(t, 200, want)
	if _, err := a.Users.Authenticate(t.Context(), "ada@EXAMPLE.com", secret.NewText("difference engine")); err != nil {
		t.Errorf("the new user cannot sign in: %v", err)
	}

	form := httptest.NewRequest("POST", api+"/users", strings.NewReader("username=ben&name=Ben&email=ben%40example.com&password=12345678&admin=true"))
	form.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	form.Header.Set("PRIVATE-TOKEN", token)
	answer := apptest.Send(t, h, form)
	answer.Want(t, 201, nil)
	if answer.Object(t)["admin"] != true {
		t.Errorf("POST /users by form gave %v, want an administrator", answer.Body)
	}
}

// Nobody knows the password of such a user, so that no password opens the account.
func TestCreateUserWithoutAPassword(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.Admin("root"))
	for name, password := range map[string]any{"ada": "-", "ben": "difference engine"} {
		params := with(object{"username": name, "name": name, "email": name + "@example.com", "force_random_password": true}, object{"password": password})
		apptest.Call(t, h, "POST", api+"/users", token, params).Want(t, 201, nil)
		for _, guess := range []string{"", "difference engine"} {
			if _, err := a.Users.Authenticate(t.Context(), name, secret.NewText(guess)); !fault.Is(err, fault.Unauthorized) {
				t.Errorf("%s signs in with %q: %v", name, guess, err)
			}
		}
	}
	apptest.Call(t, h, "POST", api+"/users", token, object{
		"username": "eve", "name": "Eve", "email": "eve@example.com", "force_random_password": false,
	}).WantError(t, 400, "password is missing")
}

// with returns the params with some of them changed; "-" takes one away.
func with(params object, changes object) object {
	changed := object{}
	for name, value := range params {
		changed[name] = value
	}
	for name, value := range changes {
		changed[name] = value
		if value == "-" {
			delete(changed, name)
		}
	}
	return changed
}

func TestCreateUserRefusals(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root := a.Admin("root")
	token := a.Token(root)
	a.Group("acme", project.Group{}, root, project.Private)
	good := object{"username": "ada", "name": "Ada", "email": "ada@example.com", "password": "difference engine"}
	field := func(name, complaint string) object { return object{"message": object{name: []any{complaint}}} }
	tests := []struct {
		changes object
		want    object
	}{
		{object{"username": "-", "email": "-"}, object{"error": "username is missing, email is missing"}},
		{object{"name": "-", "password": "-"}, object{"error": "name is missing, password is missing"}},
		{object{"private_profile": "maybe"}, object{"error": "private_profile is invalid"}},
		{object{"admin": 7, "private_profile": []int{}}, object{"error": "admin is invalid, private_profile is invalid"}},
		{object{"username": []string{"ada"}}, object{"error": "username is invalid"}},
		{object{"username": "a\x00"}, object{"error": "username is invalid"}},
		{object{"username": ""}, field("username", "can't be blank")},
		{object{"username": "oauth"}, field("username", "is a reserved name")},
		{object{"username": "Sign_In"}, field("username", "is a reserved name")},
		{object{"username": "ROOT"}, field("username", "has already been taken")},
		{object{"username": "Acme"}, field("username", "has already been taken")},
		{object{"email": "ROOT@example.com"}, field("email", "has already been taken")},
		{object{"email": "Ada <ada@example.com>"}, field("email", "is invalid")},
		{object{"name": " "}, field("name", "can't be blank")},
		{object{"password": "short"}, field("password", "is too short (minimum is 8 characters)")},
		{object{"password": strings.Repeat("x", 129)}, field("password", "is too long (maximum is 128 characters)")},
	}
	for _, test := range tests {
		apptest.Call(t, h, "POST", api+"/users", token, with(good, test.changes)).Want(t, 400, test.want)
	}
	apptest.Call(t, h, "GET", api+"/users", token, nil).Want(t, 200, []any{userBody(root)})
	apptest.Call(t, h, "POST", api+"/users", token, with(good, object{"private_profile": nil, "admin": nil})).Want(t, 201, nil)
}

func TestChangeUser(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.Admin("root"))
	ada := a.User("ada")
	path := fmt.Sprintf("%s/users/%d", api, ada.ID)
	ada.Name, ada.Email, ada.Admin, ada.PrivateProfile = "Ada King", "king@example.com", true, true
	apptest.Call(t, h, "PUT", path, token, object{
		"name": ada.Name, "email": ada.Email, "admin": true, "private_profile": true, "username": "ada", "password": "a new password",
	}).Want(t, 200, userBody(ada))
	apptest.Call(t, h, "PUT", path, token, nil).Want(t, 200, userBody(ada))
	if _, err := a.Users.Authenticate(t.Context(), "ada", secret.NewText("a new password")); err != nil {
		t.Errorf("the new password does not work: %v", err)
	}
	refusals := []struct{ params, want object }{
		{object{"username": "lovelace"}, object{"message": object{"username": []any{"cannot be changed"}}}},
		{object{"email": "root@example.com"}, object{"message": object{"email": []any{"has already been taken"}}}},
		{object{"private_profile": "x"}, object{"error": "private_profile is invalid"}},
		{object{"password": ""}, object{"message": object{"password": []any{"is too short (minimum is 8 characters)"}}}},
	}
	for _, refusal := range refusals {
		apptest.Call(t, h, "PUT", path, token, refusal.params).Want(t, 400, refusal.want)
	}
	apptest.Call(t, h, "GET", path, token, nil).Want(t, 200, userBody(ada))
	ada.PrivateProfile = false
	apptest.Call(t, h, "PUT", path, token, object{"private_profile": nil}).Want(t, 200, userBody(ada))
}

func TestBlockedUserIsOutUntilUnblocked(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.Admin("root"))
	ada := a.User("ada")
	adas := a.Token(ada)
	path := fmt.Sprintf("%s/users/%d", api, ada.ID)
	for range 2 {
		ada.State = user.Blocked
		apptest.Call(t, h, "POST", path+"/block", token, nil).Want(t, 201, userBody(ada))
		apptest.Call(t, h, "GET", api+"/user", adas, nil).WantMessage(t, 403, "403 Forbidden - Your account has been blocked")
	}
	ada.State = user.Active
	apptest.Call(t, h, "POST", path+"/unblock", token, nil).Want(t, 201, userBody(ada))
	apptest.Call(t, h, "GET", api+"/user", adas, nil).Want(t, 200, userBody(ada))
}

func TestAdministratorsResetTwoFactors(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root, ada := a.Admin("root"), a.User("ada")
	e := a.TwoFactor.Begin(ada, "")
	if _, _, err := a.TwoFactor.Enable(t.Context(), ada, e, e.Seed.Code(a.Now())); err != nil {
		t.Fatal(err)
	}
	token, own := a.Token(root), a.Token(ada)
	path := fmt.Sprintf("%s/users/%d", api, ada.ID)
	state := func(want bool) {
		t.Helper()
		if got := apptest.Call(t, h, "GET", path, token, nil).Object(t)["two_factor_enabled"]; got != want {
			t.Errorf("two_factor_enabled is %v, want %t", got, want)
		}
	}
	apptest.Call(t, h, "DELETE", path+"/two_factor", "", nil).Want(t, 401, nil)
	apptest.Call(t, h, "DELETE", path+"/two_factor", own, nil).Want(t, 403, nil)
	apptest.Call(t, h, "DELETE", path+"/two_factor", a.Token(root, scope.ReadAPI), nil).Want(t, 403, nil)
	apptest.Call(t, h, "DELETE", api+"/users/999/two_factor", token, nil).WantMessage(t, 404, "404 User Not Found")
	state(true)
	for range 2 {
		apptest.Call(t, h, "DELETE", path+"/two_factor", token, nil).Want(t, 204, nil)
		state(false)
	}
	apptest.Call(t, h, "GET", path+"/two_factor", token, nil).Want(t, 405, nil)
}

func TestSignOutEverywhere(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root, ada := a.Admin("root"), a.User("ada")
	token, own := a.Token(root), a.Token(ada)
	path := fmt.Sprintf("%s/users/%d/sessions", api, ada.ID)
	apptest.Call(t, h, "DELETE", path, "", nil).Want(t, 401, nil)
	apptest.Call(t, h, "DELETE", path, own, nil).Want(t, 403, nil)
	apptest.Call(t, h, "DELETE", api+"/users/999/sessions", token, nil).WantMessage(t, 404, "404 User Not Found")
	apptest.Call(t, h, "DELETE", path, token, nil).Want(t, 204, nil)
	if u, err := a.Users.User(t.Context(), ada.ID); err != nil || u.SessionValid(ada.SessionEpoch) {
		t.Errorf("the sessions of before are still valid (%v)", err)
	}
	apptest.Call(t, h, "GET", api+"/user", own, nil).Want(t, 200, nil)
}

func TestLastSignIn(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, token := a.User("ada"), a.Token(a.Admin("root"))
	if err := a.Users.SignedIn(t.Context(), ada.ID); err != nil {
		t.Fatal(err)
	}
	want, now := userBody(ada), a.Now().Format("2006-01-02T15:04:05.000Z")
	want["last_sign_in_at"], want["current_sign_in_at"] = now, now
	apptest.Call(t, h, "GET", fmt.Sprintf("%s/users/%d", api, ada.ID), token, nil).Want(t, 200, want)
}

func TestAdministratorsStayInPlace(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root, boss := a.Admin("root"), a.Admin("boss")
	token := a.Token(root)
	own := fmt.Sprintf("%s/users/%d", api, root.ID)
	const refusal = "400 Bad request - administrators cannot block, demote or delete themselves"
	apptest.Call(t, h, "POST", own+"/block", token, nil).WantMessage(t, 400, refusal)
	apptest.Call(t, h, "PUT", own, token, object{"admin": false}).WantMessage(t, 400, refusal)
	apptest.Call(t, h, "PUT", own, token, object{"admin": nil}).WantMessage(t, 400, refusal)
	apptest.Call(t, h, "DELETE", own, token, nil).WantMessage(t, 400, refusal)
	apptest.Call(t, h, "PUT", own, token, object{"admin": true, "name": root.Name}).Want(t, 200, userBody(root))

	apptest.Call(t, h, "DELETE", fmt.Sprintf("%s/users/%d", api, boss.ID), token, nil).Want(t, 204, nil)
}

// overtaken is a store in which whoever is about to change or delete a user
// has just been demoted.
type overtaken struct {
	storage.Store
	caller int64
}

func (o overtaken) demote(ctx context.Context) error {
	caller, err := o.Store.User(ctx, o.caller)
	if err != nil {
		return err
	}
	caller.Admin = false
	return o.Store.UpdateUser(ctx, caller, 0)
}

func (o overtaken) UpdateUser(ctx context.Context, u user.User, by int64) error {
	return errors.Join(o.demote(ctx), o.Store.UpdateUser(ctx, u, by))
}

func (o overtaken) DeleteUser(ctx context.Context, id, by int64, now time.Time) error {
	return errors.Join(o.demote(ctx), o.Store.DeleteUser(ctx, id, by, now))
}

// Two administrators who act against each other at the same instant do not
// leave the instance without one.
func TestOnlyAdministratorsTakeAdministratorsAway(t *testing.T) {
	calls := []struct {
		method, path string
		params       any
	}{
		{"PUT", "", object{"admin": false}},
		{"POST", "/block", nil},
		{"DELETE", "", nil},
	}
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range calls {
		a := apptest.New(t)
		root, boss := a.Admin("root"), a.Admin("boss")
		token, sudo := a.Token(root), a.Token(boss, scope.API, scope.Sudo)
		late := platformapi.New(app.New(overtaken{a.Store, root.ID}, app.Config{BaseURL: apptest.BaseURL, Keys: keys, Now: a.Now}))
		path := fmt.Sprintf("%s/users/%d%s", api, boss.ID, call.path)
		for range 2 {
			apptest.Call(t, late, call.method, path, token, call.params).Want(t, 403, nil)
			if u, err := a.Users.User(t.Context(), boss.ID); err != nil || !u.Administers() {
				t.Errorf("%s %s by somebody just demoted left %+v, %v", call.method, path, u, err)
			}
			// The caller is whom the request acts as.
			if _, err := a.Users.Update(t.Context(), audit.Setup, root.ID, user.Change{Admin: new(true)}); err != nil {
				t.Fatal(err)
			}
			token, path = sudo, fmt.Sprintf("%s/users/%d%s?sudo=root", api, boss.ID, call.path)
		}
	}
}

func TestDeletedUserIsGone(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.Admin("root"))
	ada := a.User("ada")
	adas := a.Token(ada)
	path := fmt.Sprintf("%s/users/%d", api, ada.ID)
	p := a.Project("web", a.Namespace(ada), project.Private)
	apptest.Call(t, h, "DELETE", path, token, nil).Want(t, 409, nil)
	apptest.Call(t, h, "GET", api+"/user", adas, nil).Want(t, 200, nil)
	if err := a.Projects.DeleteProject(t.Context(), audit.Setup, p); err != nil {
		t.Fatal(err)
	}
	apptest.Call(t, h, "DELETE", path, token, nil).Want(t, 204, nil)
	apptest.Call(t, h, "GET", path, token, nil).WantMessage(t, 404, "404 User Not Found")
	apptest.Call(t, h, "GET", api+"/user", adas, nil).WantMessage(t, 401, "401 Unauthorized")
}

// Whoever may know says that an address is the user's, and only of this address.
func TestConfirmedAddress(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	token := a.Token(a.Admin("root"))
	made := apptest.Call(t, h, "POST", api+"/users", token, object{
		"username": "ada", "name": "Ada", "email": "ada@example.com", "password": "difference engine", "skip_confirmation": true,
	})
	made.Want(t, 201, nil)
	path, first := fmt.Sprintf("%s/users/%d", api, made.ID(t)), a.Now().Format("2006-01-02T15:04:05.000Z")
	if got := made.Object(t)["confirmed_at"]; got != first {
		t.Errorf("made with confirmed_at %v, want %s", got, first)
	}
	a.Pass(time.Hour)
	now := a.Now().Format("2006-01-02T15:04:05.000Z")
	for _, step := range []struct {
		params object
		want   any
	}{
		{object{"name": "Ada King"}, first},
		{object{"email": "ada@example.com"}, first},
		{object{"skip_reconfirmation": true}, first},
		{object{"email": "king@example.com"}, nil},
		{object{"skip_reconfirmation": false}, nil},
		{object{"skip_reconfirmation": true}, now},
		{object{"email": "ada@example.com", "skip_reconfirmation": true}, now},
	} {
		if got := apptest.Call(t, h, "PUT", path, token, step.params).Object(t)["confirmed_at"]; got != step.want {
			t.Errorf("after %v confirmed_at is %v, want %v", step.params, got, step.want)
		}
	}
	if got := apptest.Call(t, h, "GET", path, token, nil).Object(t)["confirmed_at"]; got != now {
		t.Errorf("confirmed_at is stored as %v, want %s", got, now)
	}
}

func TestListUsers(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	root, _, ben := a.Admin("root"), a.User("Ada"), a.User("ben")
	token := a.Token(root)
	tests := map[string][]any{
		"":                          {"ben", "Ada", "root"},
		"?per_page=2":               {"ben", "Ada"},
		"?per_page=2&page=2":        {"root"},
		"?page=9":                   {},
		"?username=ADA":             {"Ada"},
		"?username=ada&page=2":      {},
		"?username=ad":              {},
		"?username=":                {},
		"?username=ada@example.com": {},
		"?search=Ada@Example.com":   {"Ada"},
		"?search=ADA":               {"Ada"},
		"?search=nobody@x.example":  {},
		"?search=Lovelace":          {},
		"?search=ada&username=ben":  {"ben"},
	}
	for query, want := range tests {
		answer := apptest.Call(t, h, "GET", api+"/users"+query, token, nil)
		if diff := cmp.Diff(want, answer.Each(t, "username")); diff != "" {
			t.Errorf("GET /users%s differs (-want +got):\n%s", query, diff)
		}
	}
	apptest.Call(t, h, "GET", api+"/users?username=ben", token, nil).Want(t, 200, []any{userBody(ben)})
	apptest.Call(t, h, "GET", api+"/users?username=x&username=y", token, nil).WantError(t, 400, "username is invalid")
	if got := apptest.Call(t, h, "GET", api+"/users?username=ada", token, nil).Header.Get("X-Total"); got != "1" {
		t.Errorf("X-Total of one user is %s, want 1", got)
	}
}

// Those who are no administrators find one person by the exact user name, and people beside
// whom they are members by a part of a name too. Whom they may not see is the same as nobody.
func TestPeopleAreFoundByTheirNames(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, ben, eve, far := a.User("ada"), a.User("ben"), a.User("eve"), a.User("fara")
	private, blocked := a.User("benedict"), a.User("benno")
	if _, err := a.Users.Update(t.Context(), audit.Setup, private.ID, user.Change{PrivateProfile: new(true)}); err != nil {
		t.Fatal(err)
	}
	a.Block(blocked)
	root := a.Admin("root")
	team := a.Group("team", project.Group{}, root, project.Private)
	for _, u := range []user.User{ada, ben, private, blocked} {
		a.Member(team.Place(), u, project.Guest)
	}
	web := a.Project("web", a.Namespace(eve), project.Private)
	a.Member(web.Place(), ada, project.Guest)
	a.Member(web.Place(), eve, project.Guest)
	a.MemberUntil(a.Group("past", project.Group{}, far, project.Private).Place(), ada, project.Guest, a.Now().AddDate(0, 0, -1))
	short := func(u user.User) object {
		return object{"id": float64(u.ID), "username": u.Username, "name": u.Name, "state": "active", "avatar_url": nil, "web_url": apptest.BaseURL + "/users/" + u.Username}
	}
	tests := map[string][]any{
		"search=FARA": {short(far)}, "search=@fara": {short(far)}, "username=Fara": {short(far)},
		"search=far": {}, "username=far": {}, "username=be": {}, "search=fara%0A": {},
		"search=be": {short(ben)}, "search=user+BE": {short(ben)}, "search=eve": {short(eve)}, "search=ev": {short(eve)},
		"search=the+user": {short(ada), short(ben), short(eve), short(root)}, "search=the+user&per_page=2": {short(ada), short(ben)},
		"search=ada@example.com": {short(ada)}, "search=ben@example.com": {}, "username=ada@example.com": {}, "search=@ben@example.com": {},
		"search=benedict": {}, "username=benedict": {}, "search=benno": {}, "username=benno": {}, "search=nobody": {}, "username=nobody": {},
		"search=ben&blocked=true": {}, "search=ben&active=true": {short(ben)}, "search=ben&page=2": {},
	}
	token := a.Token(ada, scope.ReadUser)
	for query, want := range tests {
		got := apptest.Call(t, h, "GET", api+"/users?"+query, token, nil)
		if diff := cmp.Diff(any(want), got.Body); got.Status != 200 || diff != "" {
			t.Errorf("GET /users?%s: %d (-want +got):\n%s", query, got.Status, diff)
		}
	}
	for _, query := range []string{"", "search=", "username=", "active=true", "order_by=name", "page=x"} {
		apptest.Call(t, h, "GET", api+"/users?"+query, token, nil).WantMessage(t, 403, "403 Forbidden")
	}
	for _, query := range []string{"admins=true", "two_factor=disabled", "created_after=2020-01-01", "order_by=created_at", "sort=asc", "public_email=x"} {
		name, _, _ := strings.Cut(query, "=")
		apptest.Call(t, h, "GET", api+"/users?search=ben&"+query, token, nil).WantError(t, 400, name+" is not supported")
	}
	apptest.Call(t, h, "GET", api+"/users?search=far", a.Token(eve), nil).Want(t, 200, []any{})
	apptest.Call(t, h, "GET", api+"/users?search=ben", a.Token(private), nil).Want(t, 200, []any{short(ben), short(private)})
}

// The answer about somebody who is hidden has nothing else than that about nobody.
func TestHiddenPeopleAreNobody(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada, private, blocked := a.User("ada"), a.User("private"), a.User("blocked")
	if _, err := a.Users.Update(t.Context(), audit.Setup, private.ID, user.Change{PrivateProfile: new(true)}); err != nil {
		t.Fatal(err)
	}
	a.Block(blocked)
	for _, parameter := range []string{"search=", "username="} {
		var answers []string
		for _, name := range []string{"nobodyy", "private", "blocked"} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest("GET", api+"/users?"+parameter+name, nil)
			r.Header.Set("Authorization", "Bearer "+a.Token(ada))
			h.ServeHTTP(w, r)
			w.Header().Del("X-Request-Id")
			answers = append(answers, strings.ReplaceAll(fmt.Sprint(w.Code, w.Header(), w.Body), name, "NAME"))
		}
		if answers[1] != answers[0] || answers[2] != answers[0] {
			t.Errorf("?%s answers about nobody, somebody private and somebody blocked differ:\n%s", parameter, strings.Join(answers, "\n"))
		}
	}
}

// The one with just the name comes first, and the links lead to all others once.
func TestPeopleAreFoundPageByPage(t *testing.T) {
	a := apptest.New(t)
	h := platformapi.New(a.App)
	ada := a.User("ada")
	team := a.Group("team", project.Group{}, ada, project.Private)
	var want []any
	for n := range 7 {
		u := a.User(fmt.Sprintf("sam%d", n))
		a.Member(team.Place(), u, project.Guest)
		want = append(want, float64(u.ID))
	}
	want = append([]any{float64(a.User("sam").ID)}, want...)
	next := regexp.MustCompile(`<` + apptest.BaseURL + `([^>]*)>; rel="next"`)
	var got []any
	for target := []string{"", api + "/users?search=sam&per_page=3"}; target != nil; {
		answer := apptest.Call(t, h, "GET", target[1], a.Token(ada), nil)
		got = append(got, answer.Each(t, "id")...)
		target = next.FindStringSubmatch(answer.Header.Get("Link"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("GET /users?search=sam in pages of 3 (-want +got):\n%s", diff)
	}
}
