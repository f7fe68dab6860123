package oidc

import (
	"context"
	"crypto/sha256"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// identity is the data of an id_token besides the user and the grant.
type identity struct {
	issuer string
	now    time.Time
	ring   ring
	direct project.Joined
}

// Identity reads the data of an id_token of the user.
func (p *Provider) Identity(ctx context.Context, userID int64) (oauth.Identity, error) {
	id := identity{issuer: p.issuer, now: p.now()}
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		id.ring, err = p.keys.ring(ctx)
		return err
	})
	reads.Go(func() (err error) {
		id.direct, err = p.groups.Direct(ctx, userID, maxGroups)
		return err
	})
	err := reads.Wait()
	return id, err
}

// IDToken returns the id_token that goes with the grant's access token and expires
// with it (OpenID Connect Core section 2). Only the first one repeats the client's
// nonce (section 12.2).
func (id identity) IDToken(u user.User, g oauth.Grant, access secret.Text) (secret.Text, error) {
	claims := Claims{
		{"iss", id.issuer},
		subject(u),
		{"aud", g.Application},
		{"exp", g.AccessExpiresAt().Unix()},
		{"iat", g.IssuedAt.Unix()},
		{"auth_time", authTime(g)},
		{"nonce", nonce(g)},
		{"at_hash", accessTokenHash(access)},
		id.ring.legacySubject(u),
	}
	claims = append(claims, nameClaims(u, g.Scopes)...)
	claims = append(claims, emailClaims(u, g.Scopes)...)
	fitting := within(maxIDTokenBytes, id.direct)
	claims = append(claims, Claim{"groups_direct", paths(fitting)}, Claim{"groups_direct_truncated", ifTrue(fitting.More)})
	token, err := id.ring.signer(id.now).sign(claims)
	return secret.NewText(token), err
}

func authTime(g oauth.Grant) any {
	if g.AuthenticatedAt.IsZero() {
		return nil
	}
	return g.AuthenticatedAt.Unix()
}

func nonce(g oauth.Grant) string {
	if g.Generation > 1 {
		return ""
	}
	return g.OIDCNonce
}

// accessTokenHash ties the id_token to the access token (OpenID Connect Core
// section 3.1.3.6).
func accessTokenHash(access secret.Text) string {
	sum := sha256.Sum256([]byte(access.Reveal()))
	return encode(sum[:len(sum)/2])
}

// within returns the groups with full paths that fit into a claim of so many bytes.
func within(bytes int, all project.Joined) project.Joined {
	fitting, left := project.Joined{More: all.More}, bytes-len("[]")
	for _, g := range all.Groups {
		if size := len(`"",`) + len(g.FullPath); size <= left {
			left -= size
			fitting.Groups = append(fitting.Groups, g)
		} else {
			fitting.More = true
		}
	}
	return fitting
}
