package accountapi_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/apptest"
	"gatehouse/shared/page"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

const tokenList = "/user_settings/personal_access_tokens"

var tokenText = regexp.MustCompile(`gtpat-[0-9a-f]{40}`)

// inDays returns a day as a date field has it.
func inDays(a *apptest.App, n int) string {
	return a.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly)
}

func tokenForm(a *apptest.App, pairs ...string) url.Values {
	values := apptest.Form("name", "nightly backup", "expires_at", inDays(a, 90), "scopes[]", "read_api", "scopes[]", "read_repository")
	for name, all := range apptest.Form(pairs...) {
		values[name] = all
	}
	return values
}

// tokensOf returns the user's tokens, the newest first.
func tokensOf(t *testing.T, a *apptest.App, u user.User) []accesstoken.Token {
	t.Helper()
	found, err := a.Tokens.AccessTokens(t.Context(), u.ID, page.First)
	if err != nil {
		t.Fatal(err)
	}
	return found.Items
}

func TestMakeAnAccessToken(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	b.Get(tokenList).Want(200, "No access tokens yet")
	b.Get(tokenList+"/new").Want(200, "Read everything you can see", "Fetch from and push to",
		`value="`+inDays(a, 30)+`" min="`+inDays(a, 1)+`" max="`+inDays(a, 365)+`"`)

	made := b.Post(tokenList, tokenForm(a)).Want(201, "Copy the token now", "nightly backup")
	if made.Header().Get("Cache-Control") != "no-store, no-transform" || len(made.Result().Cookies()) != 0 || made.Location() != "" {
		t.Errorf("the answer with the token has the header %v", made.Header())
	}
	caller, err := a.Auth.Recognise(t.Context(), secret.NewText(tokenText.FindString(made.Text())))
	if err != nil || caller.User.ID != ada.ID || caller.Scopes.String() != "read_api read_repository" || caller.Token.Name != "nightly backup" ||
		caller.Token.ExpiresAt.Format(time.DateOnly) != inDays(a, 90) {
		t.Errorf("the token shown is %+v, %v", caller.Token, err)
	}
	address := fmt.Sprintf("%s/%d", tokenList, caller.Token.ID)
	for _, target := range []string{tokenList, address} {
		if tokenText.MatchString(b.Get(target).Want(200, "nightly backup", "Active").Text()) {
			t.Errorf("GET %s shows the token again", target)
		}
	}
}

func TestMakeAnAccessTokenComplains(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	b := signedIn(t, a, ada)
	b.Post(tokenList, nil).Want(422, "The name can't be blank.", "The list of scopes can't be blank.", "The day must be a date such as")
	tests := []struct {
		pairs []string
		says  string
	}{
		{[]string{"name", "  "}, "The name can't be blank."},
		{[]string{"name", strings.Repeat("x", 256)}, "The name is too long (maximum is 255 characters)."},
		{[]string{"expires_at", ""}, "The day must be a date such as " + inDays(a, 1) + "."},
		{[]string{"expires_at", "tomorrow"}, "The day must be a date such as"},
		{[]string{"expires_at", inDays(a, 0)}, "The day must be in the future."},
		{[]string{"expires_at", inDays(a, 366)}, "The day must be within 365 days."},
		{[]string{"scopes[]", "openid"}, "The list of scopes can only contain available scopes."},
		{[]string{"scopes[]", "sudo"}, "The list of scopes sudo is for administrators only."},
	}
	for _, test := range tests {
		got := b.Post(tokenList, tokenForm(a, test.pairs...)).Want(422, test.says, "autofocus", "Nothing was made yet")
		if test.pairs[0] != "name" {
			got.Want(422, "nightly backup") // the input is kept
		}
	}
	b.Post(tokenList, tokenForm(a, "name", "one", "name", "two")).Want(400, "more than once")
	if made := tokensOf(t, a, ada); len(made) != 0 {
		t.Errorf("there are the tokens %v, want none", made)
	}
}

func TestOnlyAdministratorsAreOfferedSudo(t *testing.T) {
	a := apptest.New(t)
	root, ada := a.Admin("root"), a.User("ada")
	asRoot := signedIn(t, a, root)
	asRoot.Get(tokenList+"/new").Want(200, `value="sudo"`, "Act as any other user")
	asRoot.Post(tokenList, tokenForm(a, "scopes[]", "sudo", "scopes[]", "api")).Want(201)
	if got := tokensOf(t, a, root)[0].Scopes.String(); got != "sudo api" {
		t.Errorf("the administrator's token has the scopes %s", got)
	}
	if strings.Contains(signedIn(t, a, ada).Get(tokenList+"/new").Want(200).Text(), "sudo") {
		t.Error("everybody is offered sudo")
	}
}

func TestRotateAnAccessToken(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	old, oldText := a.AddToken(ada, "read_api")
	b := signedIn(t, a, ada)
	address := fmt.Sprintf("%s/%d", tokenList, old.ID)
	b.Get(address).Want(200, "This one stops working at once.", `action="`+address+`/rotate"`)
	for _, day := range []string{"", "soon", inDays(a, 0), inDays(a, 366)} {
		b.Post(address+"/rotate", apptest.Form("expires_at", day)).Want(422, "The day must be", "<details open>", `data-address="`+address+`"`)
	}
	rotated := b.Post(address+"/rotate", apptest.Form("expires_at", inDays(a, 60))).Want(201, "Copy the token now")
	caller, err := a.Auth.Recognise(t.Context(), secret.NewText(tokenText.FindString(rotated.Text())))
	if err != nil || caller.Token.Name != old.Name || !caller.Scopes.Equal(old.Scopes) || caller.Token.ExpiresAt.Format(time.DateOnly) != inDays(a, 60) {
		t.Errorf("the successor is %+v, %v", caller.Token, err)
	}
	if _, err := a.Auth.Recognise(t.Context(), secret.NewText(oldText)); err == nil {
		t.Error("the old token still works")
	}
	b.Get(tokenList).Want(200, "Active", "Revoked")
	if page := b.Get(address).Want(200, "Revoked").Text(); strings.Contains(page, "/rotate") || strings.Contains(page, "/revoke") {
		t.Errorf("a revoked token can be rotated or revoked: %s", page)
	}
	b.Post(address+"/rotate", apptest.Form("expires_at", inDays(a, 60))).Want(409, "Someone else changed this")
}

func TestRevokeAnAccessToken(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	token, text := a.AddToken(ada)
	b := signedIn(t, a, ada)
	address := fmt.Sprintf("%s/%d", tokenList, token.ID)
	b.Get(address).Want(200, "This cannot be undone.", `action="`+address+`/revoke"`)
	b.Post(address+"/revoke", nil).WantRedirect(tokenList)
	b.Get(tokenList).Want(200, "The token was revoked.", "Revoked")
	if _, err := a.Auth.Recognise(t.Context(), secret.NewText(text)); err == nil {
		t.Error("the token still works")
	}
	b.Post(address+"/revoke", nil).WantRedirect(tokenList)
	wantEvents(t, a, ada, accesstoken.EventRevoked, 1)
}

func TestAccessTokensAreListedWithWhatBecameOfThem(t *testing.T) {
	a := apptest.New(t)
	ada := a.User("ada")
	_, text := a.AddToken(ada, "read_user")
	b := signedIn(t, a, ada)
	b.Get(tokenList).Want(200, "read_user", "Never")
	used := a.Now()
	if _, err := a.Auth.Recognise(t.Context(), secret.NewText(text)); err != nil {
		t.Fatal(err)
	}
	b.Get(tokenList).Want(200, "Active", `title="`+used.Format("2006-01-02 15:04:05 UTC"))
	a.Pass(366 * 24 * time.Hour)
	signedIn(t, a, ada).Get(tokenList).Want(200, "Expired")
	for range page.DefaultSize {
		a.AddToken(ada)
	}
	b = signedIn(t, a, ada)
	if page := b.Get(tokenList).Want(200, `href="`+tokenList+`?page=2`).Text(); strings.Contains(page, "Expired") {
		t.Errorf("the first page is not the newest twenty: %s", page)
	}
	b.Get(tokenList+"?page=2").Want(200, "Expired")
	b.Get(tokenList+"?page=3").Want(200, "The list ends before this page")
}

func TestAccessTokensOfOthersDoNotExist(t *testing.T) {
	a := apptest.New(t)
	token, text := a.AddToken(a.User("ada"))
	for _, b := range []*apptest.Browser{signedIn(t, a, a.User("ben")), signedIn(t, a, a.Admin("root"))} {
		for _, id := range []string{fmt.Sprint(token.ID), "0", "-1", "999", "x", "99999999999999999999"} {
			address := tokenList + "/" + id
			b.Get(address).Want(404)
			b.Post(address+"/rotate", apptest.Form("expires_at", inDays(a, 30))).Want(404)
			b.Post(address+"/revoke", nil).Want(404)
		}
		b.Get(tokenList).Want(200, "No access tokens yet")
	}
	if _, err := a.Auth.Recognise(t.Context(), secret.NewText(text)); err != nil {
		t.Errorf("somebody else ended the token: %v", err)
	}
}

func TestSettingsLeadToEachOther(t *testing.T) {
	a := apptest.New(t)
	b := signedIn(t, a, a.User("ada"))
	pages := []string{list, authorizedList, tokenList, sessionList}
	for _, target := range append(pages, list+"/new", tokenList+"/new") {
		shown := b.Get(target).Want(200).Text()
		for _, other := range pages {
			link := `<a href="` + other + `"`
			if target == other || strings.HasPrefix(target, other+"/") {
				link += ` aria-current="page"`
			}
			if !strings.Contains(shown, link+">") {
				t.Errorf("GET %s has no %s>", target, link)
			}
		}
		if n := strings.Count(shown, "aria-current"); n != 1 {
			t.Errorf("GET %s marks %d pages as the present one", target, n)
		}
	}
	for _, target := range append(pages, tokenList+"/1") {
		newBrowser(t, a.App).Get(target).WantRedirect("/users/sign_in?return_to=" + url.QueryEscape(target))
	}
}
