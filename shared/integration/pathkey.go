package integration

import (
	"context"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

// PathKeyPrefix begins every path key; 32 hexadecimal digits follow.
const PathKeyPrefix = "gtpk-"

// ErrTakesNothing means that an on-call link has no address that could hold a key.
var ErrTakesNothing = fault.New(fault.Invalid, "an on-call link takes no alerts, so it has no address")

// RenewPathKey gives the integration a new path key: a key of its own that is part of an
// address, for tools that can send neither a header nor credentials. The former one ends at
// once.
func (r *Rules) RenewPathKey(ctx context.Context, by audit.Actor, p project.Project, id int64) (Integration, error) {
	i, had, err := r.find(ctx, p, id)
	switch {
	case err != nil:
		return Integration{}, err
	case i.Type == OnCallLink:
		return Integration{}, ErrTakesNothing
	}
	key := secret.New(PathKeyPrefix, 16)
	digest := key.Digest()
	i.PathKeyDigest, i.SealedPathKey = digest[:], r.keys.Seal([]byte(key.Reveal()), i.pathKeyLabel())
	return r.storeKeys(ctx, by, EventPathKeyRenewed, p, i, had)
}

// EndPathKey ends the integration's path key. That there is none is no error, and not in
// the trail.
func (r *Rules) EndPathKey(ctx context.Context, by audit.Actor, p project.Project, id int64) (Integration, error) {
	i, had, err := r.find(ctx, p, id)
	if err != nil || !i.HasPathKey() {
		return i, err
	}
	i.PathKeyDigest, i.SealedPathKey = nil, nil
	return r.storeKeys(ctx, by, EventPathKeyEnded, p, i, had)
}

// storeKeys stores an integration with another key.
func (r *Rules) storeKeys(ctx context.Context, by audit.Actor, name audit.Name, p project.Project, i Integration, had []Integration) (Integration, error) {
	err := r.trail.Do(ctx, i.event(name, p, by), func(ctx context.Context) (err error) {
		i, err = r.store.UpdateIntegration(ctx, p, i, had)
		return err
	})
	return i, err
}

// HasPathKey reports whether an address of the integration holds a key.
func (i Integration) HasPathKey() bool { return len(i.PathKeyDigest) == len(secret.Digest{}) }

// PathKey returns the integration's path key, empty for none, or secret.ErrSealed like Key.
func (r *Rules) PathKey(i Integration) (secret.Text, error) {
	if !i.HasPathKey() {
		return secret.Text{}, nil
	}
	key, _, err := r.keys.Open(i.SealedPathKey, i.pathKeyLabel())
	return secret.NewText(string(key)), err
}

// PathWithKey returns the path of the address that holds the key.
func (i Integration) PathWithKey(p project.Project, key secret.Text) string {
	return "/" + p.FullPath + "/alerts/notify/" + slug(i.Name) + "/" + i.Endpoint + "/" + key.Reveal() + ".json"
}

func (i Integration) pathKeyLabel() string { return i.label() + "/path" }

// authorizesPath reports whether the key is the integration's path key, in constant time.
func (i Integration) authorizesPath(key secret.Text) bool {
	return i.HasPathKey() && secret.Digest(i.PathKeyDigest).Matches(key)
}
