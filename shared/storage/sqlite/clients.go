package sqlite

import (
	"context"

	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
)

const clientColumns = `id, client_id, secret_digest, name, redirect_uris, scopes, confidential, trusted,
	require_secret, password_grant, owner_id, created_at, version`

func scanClient(r row) (c oauth.Client, err error) {
	return c, r.Scan(&c.ID, &c.ClientID, intoBytes(c.SecretDigest[:]), &c.Name, intoList(&c.RedirectURIs),
		intoScopes(&c.Scopes), &c.Confidential, &c.Trusted, &c.RequireSecret, &c.PasswordGrant, &c.OwnerID,
		intoTime(&c.CreatedAt), &c.Version)
}

// CreateClient stores a client.
func (s *Store) CreateClient(ctx context.Context, c oauth.Client) (oauth.Client, error) {
	c.Version = 1
	err := s.writer.do(ctx, func(tx *transaction) (err error) {
		c.ID, err = tx.insert(`
			INSERT INTO clients (client_id, secret_digest, name, redirect_uris, scopes, confidential, trusted,
				require_secret, password_grant, owner_id, created_at, version)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.ClientID, c.SecretDigest[:], c.Name, text(c.RedirectURIs), c.Scopes.String(), c.Confidential, c.Trusted,
			c.RequireSecret, c.PasswordGrant, c.OwnerID, micros(c.CreatedAt), c.Version)
		return err
	})
	return c, err
}

// Client returns the client with this Application ID.
func (s *Store) Client(ctx context.Context, clientID string) (oauth.Client, error) {
	return find(ctx, s.readers, oauth.ErrClientNotFound, scanClient, "SELECT "+clientColumns+" FROM clients WHERE client_id = ?", clientID)
}

// ClientByID returns the client with this number.
func (s *Store) ClientByID(ctx context.Context, id int64) (oauth.Client, error) {
	return find(ctx, s.readers, oauth.ErrClientNotFound, scanClient, "SELECT "+clientColumns+" FROM clients WHERE id = ?", id)
}

// Clients returns a page of all clients.
func (s *Store) Clients(ctx context.Context, r page.Request) (page.Of[oauth.Client], error) {
	return list(ctx, s, scanClient, clientColumns, "clients", r)
}

// ClientsOf returns a page of the clients that the user registered.
func (s *Store) ClientsOf(ctx context.Context, ownerID int64, r page.Request) (page.Of[oauth.Client], error) {
	return list(ctx, s, scanClient, clientColumns, "clients WHERE owner_id = ?", r, ownerID)
}

// UpdateClient replaces a client, but for what is permanent.
func (s *Store) UpdateClient(ctx context.Context, c oauth.Client) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.checkVersion(oauth.ErrClientNotFound, oauth.ErrClientChanged, "SELECT version FROM clients WHERE id = ?", c.ID, c.Version); err != nil {
			return err
		}
		return tx.exec(`
			UPDATE clients SET secret_digest = ?, name = ?, redirect_uris = ?, scopes = ?, confidential = ?,
				trusted = ?, require_secret = ?, password_grant = ?, version = version + 1
			WHERE id = ?`,
			c.SecretDigest[:], c.Name, text(c.RedirectURIs), c.Scopes.String(), c.Confidential,
			c.Trusted, c.RequireSecret, c.PasswordGrant, c.ID)
	})
}

// DeleteClient removes a client. Its grants lead to nothing from now on, and
// are swept when they end.
func (s *Store) DeleteClient(ctx context.Context, c oauth.Client) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.changeOne(oauth.ErrClientNotFound, "DELETE FROM clients WHERE id = ?", c.ID)
	})
}
