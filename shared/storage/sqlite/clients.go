package sqlite

import (
	"context"
	"slices"

	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
)

var clients = newKind("clients", clientColumns, oauth.ErrClientNotFound, oauth.ErrClientChanged)

func clientColumns(c *oauth.Client) columns {
	return slices.Concat(columns{
		{"id", given{&c.ID}}, {"client_id", &c.ClientID}, {"owner_id", &c.OwnerID},
		{"created_at", &c.CreatedAt},
	}, registration(c))
}

// registration are the columns that UpdateClient changes.
func registration(c *oauth.Client) columns {
	return columns{
		{"secret_digest", c.SecretDigest[:]}, {"name", &c.Name},
		{"redirect_uris", (*list[string])(&c.RedirectURIs)}, {"scopes", &c.Scopes},
		{"confidential", &c.Confidential}, {"trusted", &c.Trusted}, {"require_secret", &c.RequireSecret},
		{"password_grant", &c.PasswordGrant},
		{"own_refresh_retry", &c.OwnRefreshRetry}, {"refresh_retry", &c.RefreshRetry}, {"version", &c.Version},
	}
}

// CreateClient stores a client.
func (s *Store) CreateClient(ctx context.Context, c oauth.Client) (oauth.Client, error) {
	c.Version = 1
	err := s.writer.do(ctx, func(tx *transaction) (err error) {
		c.ID, err = clients.insert(tx, &c)
		return err
	})
	return c, err
}

// CreateClientWithin stores a client unless its owner has so many.
func (s *Store) CreateClientWithin(ctx context.Context, most int, c oauth.Client) (oauth.Client, error) {
	c.Version = 1
	err := s.writer.do(ctx, func(tx *transaction) (err error) {
		const another = "SELECT 1 FROM clients WHERE owner_id = ? LIMIT 1 OFFSET ?"
		if err := tx.refuse(oauth.ErrTooManyClients, another, c.OwnerID, most-1); err != nil {
			return err
		}
		c.ID, err = clients.insert(tx, &c)
		return err
	})
	return c, err
}

// Client returns the client with this Application ID.
func (s *Store) Client(ctx context.Context, clientID string) (oauth.Client, error) {
	return clients.find(ctx, s.readers, "WHERE client_id = ?", clientID)
}

// ClientsNamed returns the clients with these Application IDs.
func (s *Store) ClientsNamed(ctx context.Context, clientIDs []string) (map[string]oauth.Client, error) {
	found, err := clients.all(ctx, s.readers, "WHERE client_id IN (SELECT value FROM json_each(?))", text(clientIDs))
	named := make(map[string]oauth.Client, len(found))
	for _, c := range found {
		named[c.ClientID] = c
	}
	return named, err
}

// ClientByID returns the client with this number.
func (s *Store) ClientByID(ctx context.Context, id int64) (oauth.Client, error) {
	return clients.find(ctx, s.readers, "WHERE id = ?", id)
}

// Clients returns a page of all clients.
func (s *Store) Clients(ctx context.Context, r page.Request) (page.Of[oauth.Client], error) {
	return clients.numbered(s, "id", numberOfClient, "WHERE true").Page(ctx, r)
}

// ClientsOf returns a page of the clients that the user registered.
func (s *Store) ClientsOf(ctx context.Context, ownerID int64, r page.Request) (page.Of[oauth.Client], error) {
	return clients.numbered(s, "id", numberOfClient, "WHERE owner_id = ?", ownerID).Page(ctx, r)
}

func numberOfClient(c oauth.Client) int64 { return c.ID }

var updateClient = update("clients", registration, "WHERE id = ?")

// UpdateClient replaces a client, except for what is permanent.
func (s *Store) UpdateClient(ctx context.Context, c oauth.Client) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := clients.requireVersion(tx, c.Version, "WHERE id = ?", c.ID); err != nil {
			return err
		}
		c.Version++
		_, err := updateClient.run(tx, &c, c.ID)
		return err
	})
}

// DeleteClient removes a client. Its grants become useless, and are swept when
// they end.
func (s *Store) DeleteClient(ctx context.Context, c oauth.Client) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := clients.delete(tx, "WHERE id = ?", c.ID); err != nil {
			return err
		}
		return tx.exec("DELETE FROM client_uses WHERE client_id = ?", c.ID)
	})
}
