package dynamodb

import (
	"context"

	"gatehouse/shared/oidc"
)

var signingKeysItem = shape{tokens, "SIGNINGKEYS", "SIGNINGKEYS", "the keys of id_tokens, sealed", ""}

var signingKeys = kind[oidc.SealedKeys]{noun: "signing keys", notFound: oidc.ErrNotFound, fields: sealedFields}

func sealedFields(k *oidc.SealedKeys) fields {
	return fields{{"sealed", &k.Sealed}, {"version", &k.Version}}
}

// SigningKeys returns the sealed keys.
func (s *Store) SigningKeys(ctx context.Context) (oidc.SealedKeys, error) {
	return signingKeys.get(ctx, s, signingKeysItem.key())
}

// ReplaceSigningKeys stores the next version of the sealed keys.
func (s *Store) ReplaceSigningKeys(ctx context.Context, next oidc.SealedKeys) error {
	replace := create(signingKeysItem.key(), sealedFields(&next))
	if next.Version > 1 {
		replace = set(signingKeysItem.key(), sealedFields(&next)).version(next.Version - 1)
	}
	return s.write(ctx, replace.orElse(oidc.ErrReplaced))
}
