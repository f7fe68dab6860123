package platformapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/auth"
	"gatehouse/shared/fault"
	"gatehouse/shared/listing"
	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// tokenBody is a personal access token on the wire.
type tokenBody struct {
	ID         int64     `json:"id"`
	Name       string    `json:"name"`
	Scopes     scope.Set `json:"scopes"`
	ExpiresAt  web.Date  `json:"expires_at"`
	Active     bool      `json:"active"`
	Revoked    bool      `json:"revoked"`
	UserID     int64     `json:"user_id"`
	CreatedAt  web.Time  `json:"created_at"`
	LastUsedAt web.Time  `json:"last_used_at"`
	Token      string    `json:"token,omitempty"` // only in the answer that made it
}

func (a *api) tokenBody(t accesstoken.Token) tokenBody {
	return tokenBody{
		ID: t.ID, Name: t.Name, Scopes: t.Scopes, ExpiresAt: web.Date(t.ExpiresAt),
		Active: t.Active(a.app.Now()), Revoked: t.Revoked(), UserID: t.UserID,
		CreatedAt: web.Time(t.CreatedAt), LastUsedAt: web.Time(t.LastUsedAt),
	}
}

// byPerson rejects applications: a token that one made would still work after
// the user has revoked the application.
func byPerson(next auth.UserHandler) auth.UserHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
		if c.ByOAuth() {
			return fault.New(fault.Forbidden, "Applications cannot make personal access tokens")
		}
		return next(w, r, c)
	}
}

// mayGive checks that a new token has no scope that the caller's own token
// lacks. The scope api may give every scope except sudo.
func mayGive(c auth.Caller, scopes scope.Set) error {
	for _, s := range scopes {
		if !c.Scopes.Has(s) && (s == scope.Sudo || !c.Scopes.Has(scope.API)) {
			return fault.New(fault.Forbidden, "The new token's scopes exceed those of the token in use")
		}
	}
	return nil
}

func (a *api) createToken(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	return a.createTokenFor(w, r, c, c.User)
}

func (a *api) createTokenFor(w http.ResponseWriter, r *http.Request, c auth.Caller, u user.User) error {
	params := web.Params(r)
	req := accesstoken.Request{
		UserID: u.ID, Admin: u.Admin, Name: params.String("name"),
		Scopes: scope.Of(params.Words("scopes")...), ExpiresAt: params.OptionalDate("expires_at"),
	}
	if err := params.Err(); err != nil {
		return err
	}
	if err := mayGive(c, req.Scopes); err != nil {
		return err
	}
	token, text, err := a.app.Tokens.Create(r.Context(), c.Actor(), req)
	if err != nil {
		return err
	}
	return a.showOnce(w, token, text)
}

func (a *api) showOnce(w http.ResponseWriter, t accesstoken.Token, text secret.Text) error {
	body := a.tokenBody(t)
	body.Token = text.Reveal()
	return web.JSON(w, http.StatusCreated, body)
}

// tokenList is what the list of tokens obeys, apart from the state.
var tokenList = listing.List[accesstoken.Token]{
	ID:   func(t accesstoken.Token) int64 { return t.ID },
	Time: func(t accesstoken.Token) time.Time { return t.CreatedAt },
	Filters: []listing.Filter[accesstoken.Token]{
		listing.Between("created_after", "created_before", func(t accesstoken.Token) time.Time { return t.CreatedAt }),
		listing.Between("expires_after", "expires_before", func(t accesstoken.Token) time.Time { return t.ExpiresAt }),
		listing.Between("last_used_after", "last_used_before", func(t accesstoken.Token) time.Time { return t.LastUsedAt }),
		revokedTokens, namedTokens,
	},
}

// tokenOrders are what sort can be, without the direction.
var tokenOrders = map[string]func(a, b accesstoken.Token) int{
	"created":   nil,
	"expires":   listing.Times(func(t accesstoken.Token) time.Time { return t.ExpiresAt }),
	"last_used": listing.Times(func(t accesstoken.Token) time.Time { return t.LastUsedAt }),
	"name":      func(a, b accesstoken.Token) int { return listing.Text(a.Name, b.Name) },
}

func revokedTokens(params *web.Values) func(accesstoken.Token) bool {
	revoked := params.NullableBool("revoked")
	if revoked == nil {
		return nil
	}
	return func(t accesstoken.Token) bool { return t.Revoked() == *revoked }
}

func namedTokens(params *web.Values) func(accesstoken.Token) bool {
	search := params.OptionalString("search")
	if search == nil || *search == "" {
		return nil
	}
	wanted := strings.ToLower(*search)
	return func(t accesstoken.Token) bool { return strings.Contains(strings.ToLower(t.Name), wanted) }
}

// readTokenQuery reads what a request wants of the list of tokens.
func (a *api) readTokenQuery(params *web.Values) listing.Query[accesstoken.Token] {
	q, now := tokenList.Read(params), a.app.Now()
	if state := web.Choice(params, "state", []string{"active", "inactive"}); state != "" {
		q.Keep(func(t accesstoken.Token) bool { return t.Active(now) == (state == "active") })
	}
	var words []string
	for name := range tokenOrders {
		words = append(words, name+"_"+listing.Ascending, name+"_"+listing.Descending)
	}
	if word := web.Choice(params, "sort", words); slices.Contains(words, word) {
		cut := strings.LastIndexByte(word, '_')
		q.Sort(tokenOrders[word[:cut]], word[cut+1:])
	}
	return q
}

// listTokens answers with the caller's own tokens; for administrators with
// everyone's, or those of one user.
func (a *api) listTokens(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	params := web.Params(r)
	q, req, userID := a.readTokenQuery(params), params.Page(), params.OptionalInt("user_id")
	if err := params.Err(); err != nil {
		return err
	}
	owner := c.User.ID
	switch {
	case userID != nil && *userID != owner && !c.User.Admin:
		return fault.New(fault.Forbidden, "")
	case userID != nil && *userID <= 0:
		return web.BadParameters("user_id is invalid")
	case userID != nil:
		owner = *userID
	case c.User.Admin:
		owner = 0
	}
	tokens, err := q.Page(r.Context(), req, func(ctx context.Context, req page.Request) (page.Of[accesstoken.Token], error) {
		return a.app.Tokens.AccessTokens(ctx, owner, req)
	})
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, tokens, a.tokenBody)
}

// token returns the token in the path, which only its owner and administrators
// see. "self" is the token of the request.
func (a *api) token(r *http.Request, c auth.Caller) (accesstoken.Token, error) {
	if id := r.PathValue("id"); id == "" || id == "self" {
		return ownToken(c)
	}
	t, err := found(r, "Personal Access Token", a.app.Tokens.AccessToken)
	if err == nil && t.UserID != c.User.ID && !c.User.Admin {
		err = web.NotFound("Personal Access Token", fault.New(fault.NotFound, "another user's"))
	}
	return t, err
}

// ownToken returns the token of the request. One of an application is no personal token.
func ownToken(c auth.Caller) (accesstoken.Token, error) {
	if c.ByOAuth() {
		return accesstoken.Token{}, web.NotFound("Personal Access Token", accesstoken.ErrNotFound)
	}
	return c.Token, nil
}

func (a *api) ofToken(next handlerOf[accesstoken.Token]) auth.UserHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
		t, err := a.token(r, c)
		if err != nil {
			return err
		}
		return next(w, r, c, t)
	}
}

func (a *api) showToken(w http.ResponseWriter, _ *http.Request, _ auth.Caller, t accesstoken.Token) error {
	return web.JSON(w, http.StatusOK, a.tokenBody(t))
}

func (a *api) revokeToken(w http.ResponseWriter, r *http.Request, c auth.Caller, t accesstoken.Token) error {
	err := a.app.Tokens.Revoke(r.Context(), c.Actor(), t)
	return web.Deleted(w, "Personal Access Token", err)
}

func (a *api) rotateToken(w http.ResponseWriter, r *http.Request, c auth.Caller, t accesstoken.Token) error {
	if err := mayGive(c, t.Scopes); err != nil {
		return err
	}
	params := web.Params(r)
	expiresAt := params.OptionalDate("expires_at")
	if err := params.Err(); err != nil {
		return err
	}
	successor, text, err := a.app.Tokens.Rotate(r.Context(), c.Actor(), t, expiresAt)
	if err != nil {
		return web.NotFound("Personal Access Token", err)
	}
	return a.showOnce(w, successor, text)
}
