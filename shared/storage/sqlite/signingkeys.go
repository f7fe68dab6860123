package sqlite

import (
	"context"

	"gatehouse/shared/oidc"
)

func scanSealed(r row) (k oidc.SealedKeys, err error) { return k, r.Scan(&k.Sealed, &k.Version) }

// SigningKeys returns the sealed keys.
func (s *Store) SigningKeys(ctx context.Context) (oidc.SealedKeys, error) {
	return find(ctx, s.readers, oidc.ErrNotFound, scanSealed, "SELECT sealed, version FROM signing_keys")
}

// ReplaceSigningKeys replaces the sealed keys by their next version.
func (s *Store) ReplaceSigningKeys(ctx context.Context, next oidc.SealedKeys) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		const first = "INSERT INTO signing_keys (id, sealed, version) VALUES (1, ?, ?) ON CONFLICT DO NOTHING"
		const later = "UPDATE signing_keys SET sealed = ?, version = ? WHERE version = ? - 1"
		query, args := later, []any{next.Sealed, next.Version, next.Version}
		if next.Version == 1 {
			query, args = first, args[:2]
		}
		replaced, err := tx.change(query, args...)
		if err == nil && !replaced {
			return oidc.ErrReplaced
		}
		return err
	})
}
