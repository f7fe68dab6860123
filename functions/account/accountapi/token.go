package accountapi

import (
	"errors"
	"net/http"
	"strconv"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

func tokenAddress(t accesstoken.Token) string { return tokensPath + "/" + strconv.FormatInt(t.ID, 10) }

// holds reports whether the token is the user's. Administrators manage no other
// tokens here.
func holds(u user.User, t accesstoken.Token) bool { return t.UserID == u.ID }

// tokensBody is the data of the list of tokens.
type tokensBody struct {
	Rows   []tokenRow
	Paging site.Paging
}

type tokenRow struct {
	accesstoken.Token
	Address, State string
}

func (a *api) tokenRow(t accesstoken.Token) tokenRow {
	return tokenRow{t, tokenAddress(t), a.stateOf(t)}
}

// stateOf returns a token's state in one word.
func (a *api) stateOf(t accesstoken.Token) string {
	switch {
	case t.Revoked():
		return "Revoked"
	case t.Expired(a.app.Now()):
		return "Expired"
	}
	return "Active"
}

func (a *api) listTokens(w http.ResponseWriter, r *http.Request, u user.User) error {
	wanted := site.PageOf(r)
	tokens, err := a.app.Tokens.AccessTokens(r.Context(), u.ID, wanted)
	if err != nil {
		return err
	}
	body := tokensBody{Paging: site.NewPaging(tokensPath, wanted, tokens)}
	for _, t := range tokens.Items {
		body.Rows = append(body.Rows, a.tokenRow(t))
	}
	return a.renderSettings(w, r, site.Page{Template: "tokens", Title: "Access tokens", Body: body})
}

// tokenBody is the data of a token's page.
type tokenBody struct {
	tokenRow
	Scopes []scope.Described
	Expiry expiryField // of the successor, when the token is rotated
}

func (a *api) showToken(w http.ResponseWriter, r *http.Request, _ user.User, t accesstoken.Token) error {
	return a.renderToken(w, r, http.StatusOK, t, a.proposedExpiry())
}

func (a *api) renderToken(w http.ResponseWriter, r *http.Request, status int, t accesstoken.Token, expiry expiryField) error {
	expiry.Focused = expiry.Complaint != ""
	return a.renderSettings(w, r, site.Page{Template: "token", Title: t.Name, Status: status, Body: tokenBody{
		tokenRow: a.tokenRow(t), Scopes: scope.Describe(t.Scopes), Expiry: expiry,
	}})
}

func (a *api) revokeToken(w http.ResponseWriter, r *http.Request, u user.User, t accesstoken.Token) error {
	err := a.app.Tokens.Revoke(r.Context(), audit.ByUser(u.ID), t)
	return a.site.Done(w, r, err, "token-revoked", tokensPath)
}

func (a *api) rotateToken(w http.ResponseWriter, r *http.Request, u user.User, t accesstoken.Token) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	expiry := a.expiryOf(form)
	if expiry.Complaint != "" {
		return a.renderToken(w, r, http.StatusUnprocessableEntity, t, expiry)
	}
	successor, text, err := a.app.Tokens.Rotate(r.Context(), audit.ByUser(u.ID), t, expiry.day)
	var fields fault.Fields
	switch {
	case errors.As(err, &fields):
		expiry.Complaint = site.Sentence("The day", fields["expires_at"])
		return a.renderToken(w, r, http.StatusUnprocessableEntity, t, expiry)
	case err != nil:
		return err
	}
	return a.renderTokenText(w, r, "The new token", successor, text)
}

// tokenTextBody is the data of the page that reveals a new token.
type tokenTextBody struct {
	accesstoken.Token
	Heading, Address string
	Text             secret.Text
}

// renderTokenText reveals a token in the answer to the form that made it, the
// only page that does.
func (a *api) renderTokenText(w http.ResponseWriter, r *http.Request, heading string, t accesstoken.Token, text secret.Text) error {
	return a.renderSettings(w, r, site.Page{
		Template: "token_text", Secret: true, Title: heading, Status: http.StatusCreated,
		Body: tokenTextBody{t, heading, tokenAddress(t), text},
	})
}
