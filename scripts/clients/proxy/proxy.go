package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// proxy lets those people through who are in a group, or developers of a project. Like oauth2-proxy with its usual
// settings it keeps a session in a cookie and nowhere else, so that requests at the same
// time refresh the same token without knowing of each other.
type proxy struct {
	oauth2.Config
	provider *oidc.Provider
	base     string   // the address of the server
	projects []string // full paths of projects that count as groups, with a prefix
	group    string
	now      func() time.Time
}

const (
	projectPrefix = "project:"
	developer     = 30
)

const cookieName = "_proxy"

// session is what the cookie holds. The real one is encrypted.
type session struct {
	Token  *oauth2.Token
	Email  string
	Groups []string
}

// callback signs in the person whom the server sent back with a code.
func (p proxy) callback(w http.ResponseWriter, r *http.Request) {
	token, err := p.Exchange(r.Context(), r.FormValue("code"))
	var s session
	if err == nil {
		s, err = p.session(r.Context(), token)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	setCookie(w, s)
}

// pass answers for what is behind the proxy.
func (p proxy) pass(w http.ResponseWriter, r *http.Request) {
	s, err := readCookie(r)
	if err == nil && p.now().After(s.Token.Expiry) {
		if s, err = p.refresh(r.Context(), s); err == nil {
			setCookie(w, s)
		}
	}
	switch {
	case err != nil:
		http.SetCookie(w, &http.Cookie{Name: cookieName, MaxAge: -1})
		http.Error(w, err.Error(), http.StatusUnauthorized)
	case !slices.Contains(s.Groups, p.group):
		http.Error(w, "not in the group", http.StatusForbidden)
	default:
		fmt.Fprint(w, s.Email)
	}
}

func (p proxy) refresh(ctx context.Context, s session) (session, error) {
	expired := &oauth2.Token{RefreshToken: s.Token.RefreshToken}
	token, err := p.TokenSource(ctx, expired).Token()
	if err != nil {
		return session{}, err
	}
	return p.session(ctx, token)
}

// session finds out who the tokens are for. It takes nobody with an address that the
// server does not vouch for.
func (p proxy) session(ctx context.Context, token *oauth2.Token) (session, error) {
	raw, _ := token.Extra("id_token").(string)
	id, err := p.provider.Verifier(&oidc.Config{ClientID: p.ClientID}).Verify(ctx, raw)
	if err != nil {
		return session{}, err
	}
	info, err := p.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return session{}, err
	}
	if info.Subject != id.Subject || !info.EmailVerified {
		return session{}, errors.New("the address is not verified")
	}
	var claims struct{ Groups []string }
	if err := info.Claims(&claims); err != nil {
		return session{}, err
	}
	for _, project := range p.projects {
		level, err := p.level(ctx, token, project)
		if err != nil {
			return session{}, err
		}
		if level >= developer {
			claims.Groups = append(claims.Groups, projectPrefix+project)
		}
	}
	return session{token, info.Email, claims.Groups}, nil
}

// level returns the level of access to a project that the person has, as a member of it
// or of a group above.
func (p proxy) level(ctx context.Context, token *oauth2.Token, project string) (int, error) {
	answer, err := p.Client(ctx, token).Get(p.base + "/api/v4/projects/" + url.PathEscape(project))
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	type access struct {
		Level int `json:"access_level"`
	}
	var told struct {
		Permissions struct {
			Project access `json:"project_access"`
			Group   access `json:"group_access"`
		}
	}
	err = json.NewDecoder(answer.Body).Decode(&told)
	return max(told.Permissions.Project.Level, told.Permissions.Group.Level), err
}

func setCookie(w http.ResponseWriter, s session) {
	value, err := json.Marshal(s)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: base64.RawURLEncoding.EncodeToString(value)})
}

func readCookie(r *http.Request) (session, error) {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return session{}, err
	}
	return decode(cookie)
}

func decode(cookie *http.Cookie) (session, error) {
	value, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil {
		return session{}, err
	}
	var s session
	err = json.Unmarshal(value, &s)
	return s, err
}
