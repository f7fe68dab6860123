package dynamodb

import (
	"context"
	"slices"

	"gatehouse/shared/oauth"
	"gatehouse/shared/page"
)

var (
	clientItem     = shape{applications, "APP#<client_id>", "APP", "an application", ""}
	clientList     = shape{applications, "LIST#apps", "<number>", "finds an application by its number", ""}
	clientsOfOwner = shape{applications, "OWNER#<user>", "APP#<number>", "an application in the list of its owner", ""}
	countClients   = shape{applications, "LIST#apps", "COUNT", "how many applications there are", ""}
	countOfOwner   = shape{applications, "OWNER#<user>", "APPS", "how many applications an owner has", ""}
	clientCounter  = shape{applications, "COUNTER#apps", "COUNTER", "the last number of an application", ""}
)

var clients = kind[oauth.Client]{
	noun:     "application",
	notFound: oauth.ErrClientNotFound,
	changed:  oauth.ErrClientChanged,
	key:      func(c oauth.Client) key { return clientItem.key(c.ClientID) },
	fields:   clientFields,
	entry: func(c *oauth.Client) fields {
		return fields{{"id", &c.ID}, {"client_id", &c.ClientID}}
	},
}

func clientFields(c *oauth.Client) fields {
	return append(fields{
		{"id", &c.ID}, {"client_id", &c.ClientID}, {"owner_id", &c.OwnerID}, {"created_at", &c.CreatedAt},
	}, registrationOf(c)...)
}

// registrationOf lists what can change of a client.
func registrationOf(c *oauth.Client) fields {
	return fields{
		{"secret_digest", c.SecretDigest[:]}, {"name", &c.Name}, {"redirect_uris", &c.RedirectURIs},
		{"scopes", (*[]string)(&c.Scopes)}, {"confidential", &c.Confidential}, {"trusted", &c.Trusted},
		{"require_secret", &c.RequireSecret}, {"password_grant", &c.PasswordGrant},
		{"own_refresh_retry", &c.OwnRefreshRetry}, {"refresh_retry", &c.RefreshRetry}, {"version", &c.Version},
	}
}

// CreateClient stores the client.
func (s *Store) CreateClient(ctx context.Context, c oauth.Client) (oauth.Client, error) {
	var err error
	if c.ID, err = s.next(ctx, clientCounter.key()); err != nil {
		return oauth.Client{}, err
	}
	c.Version = 1
	return c, s.createClient(ctx, c, addToCount(countOfOwner.key(c.OwnerID), 1))
}

// CreateClientWithin stores the client unless its owner has so many.
func (s *Store) CreateClientWithin(ctx context.Context, most int, c oauth.Client) (oauth.Client, error) {
	var err error
	if c.ID, err = s.next(ctx, clientCounter.key()); err != nil {
		return oauth.Client{}, err
	}
	c.Version = 1
	counted := addToCount(countOfOwner.key(c.OwnerID), 1).
		when("attribute_not_exists("+countChanged+") OR "+countChanged+" < :most", item{":most": number(int64(most))})
	return c, s.createClient(ctx, c, counted.orElse(oauth.ErrTooManyClients))
}

// createClient stores the client with this change of its owner's count.
func (s *Store) createClient(ctx context.Context, c oauth.Client, counted change) error {
	return s.write(ctx,
		create(clientItem.key(c.ClientID), clientFields(&c)),
		create(clientList.key(c.ID), clients.entry(&c)),
		create(clientsOfOwner.key(c.OwnerID).entry(c.ID), clients.entry(&c)),
		addToCount(countClients.key(), 1), counted,
	)
}

// Client returns the client with this Application ID.
func (s *Store) Client(ctx context.Context, clientID string) (oauth.Client, error) {
	return clients.get(ctx, s, clientItem.key(clientID))
}

// ClientsNamed returns the clients with these Application IDs.
func (s *Store) ClientsNamed(ctx context.Context, clientIDs []string) (map[string]oauth.Client, error) {
	var entries []oauth.Client
	for _, id := range slices.Compact(slices.Sorted(slices.Values(clientIDs))) {
		entries = append(entries, oauth.Client{ClientID: id})
	}
	found, err := clients.complete(ctx, s, entries)
	named := make(map[string]oauth.Client, len(found))
	for _, c := range found {
		named[c.ClientID] = c
	}
	return named, err
}

// ClientByID returns the client with this number.
func (s *Store) ClientByID(ctx context.Context, id int64) (oauth.Client, error) {
	return clients.numbered(ctx, s, clientList.key(), id)
}

// Clients returns a page of all clients.
func (s *Store) Clients(ctx context.Context, r page.Request) (page.Of[oauth.Client], error) {
	return clients.numberedPage(ctx, s, clientList.key(), countClients.key(), numberOfClient, r)
}

// ClientsOf returns a page of the clients that the user registered.
func (s *Store) ClientsOf(ctx context.Context, ownerID int64, r page.Request) (page.Of[oauth.Client], error) {
	return clients.numberedPage(ctx, s, clientsOfOwner.key(ownerID), countOfOwner.key(ownerID), numberOfClient, r)
}

func numberOfClient(c oauth.Client) int64 { return c.ID }

// UpdateClient replaces the client whose Version is still the stored one.
func (s *Store) UpdateClient(ctx context.Context, c oauth.Client) error {
	was := c.Version
	c.Version++
	return s.write(ctx, clients.explain(set(clientItem.key(c.ClientID), registrationOf(&c)).version(was)))
}

// DeleteClient removes the client.
func (s *Store) DeleteClient(ctx context.Context, c oauth.Client) error {
	return s.write(ctx,
		mustRemove(clientItem.key(c.ClientID)).orElse(clients.notFound),
		mustRemove(clientList.key(c.ID)),
		mustRemove(clientsOfOwner.key(c.OwnerID).entry(c.ID)), remove(useItem.key(c.ID)),
		addToCount(countClients.key(), -1), addToCount(countOfOwner.key(c.OwnerID), -1),
	)
}
