package oidc

import (
	"context"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/user"
)

// Profile is the data of the claims about a user besides the user.
type Profile struct {
	issuer string
	ring   ring
	joined project.Joined
}

// Profile reads the data of the claims about the user.
func (p *Provider) Profile(ctx context.Context, userID int64) (Profile, error) {
	profile := Profile{issuer: p.issuer}
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		profile.ring, err = p.keys.ring(ctx)
		return err
	})
	reads.Go(func() (err error) {
		profile.joined, err = p.groups.Joined(ctx, userID, maxGroups)
		return err
	})
	err := reads.Wait()
	return profile, err
}

// Claims returns the claims about the user for the bearer of a token with these
// scopes (OpenID Connect Core section 5.3.2).
func (p Profile) Claims(u user.User, scopes scope.Set) Claims {
	claims := Claims{
		subject(u),
		p.ring.legacySubject(u),
		{"name", u.Name},
		{"nickname", u.Username},
		{"preferred_username", u.Username},
	}
	claims = append(claims, emailClaims(u, scopes)...)
	return append(claims,
		Claim{"profile", p.issuer + u.PagePath()},
		Claim{"groups", paths(p.joined)},
		Claim{"groups_truncated", ifTrue(p.joined.More)},
		Claim{p.issuer + "/claims/groups/owner", paths(p.joined, project.Owner)},
		Claim{p.issuer + "/claims/groups/maintainer", paths(p.joined, project.Maintainer)},
		Claim{p.issuer + "/claims/groups/developer", paths(p.joined, project.Developer)},
	)
}

// KeySet is the published keys (RFC 7517 section 5).
type KeySet struct {
	Keys []PublicKey `json:"keys"`
}

// KeySet returns the keys that verify current and future id_tokens. Before the
// first id_token it makes the key that will sign it.
func (p *Provider) KeySet(ctx context.Context) (KeySet, error) {
	r, err := p.keys.ring(ctx)
	if err != nil {
		return KeySet{}, err
	}
	var set KeySet
	for _, k := range r.live(p.now()) {
		set.Keys = append(set.Keys, k.public)
	}
	return set, nil
}

// ClaimNames lists the claims of id_tokens and of the userinfo endpoint.
func (p *Provider) ClaimNames() []string {
	return []string{
		"iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sub_legacy", "name", "nickname",
		"preferred_username", "email", "email_verified", "profile", "groups", "groups_truncated", "groups_direct", "groups_direct_truncated",
		p.issuer + "/claims/groups/owner", p.issuer + "/claims/groups/maintainer", p.issuer + "/claims/groups/developer",
	}
}
