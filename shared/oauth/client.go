package oauth

import (
	"context"
	"encoding/hex"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
)

// Client is a registered application (RFC 6749 section 2).
type Client struct {
	ID           int64  // a number for REST paths and grants; the client itself never sends it
	ClientID     string // the Application ID: 64 hexadecimal characters
	SecretDigest secret.Digest
	Name         string
	RedirectURIs []string
	Scopes       scope.Set // the scopes the client may ask for
	// Confidential clients can keep a secret; the others must use PKCE.
	Confidential bool
	// Trusted clients get their code without the user being asked; only an
	// administrator can make a client trusted.
	Trusted bool
	// RequireSecret rejects a code_verifier in place of the client secret.
	RequireSecret bool
	// PasswordGrant allows the client the password grant.
	PasswordGrant bool
	// OwnRefreshRetry means that RefreshRetry counts in place of Settings.RefreshRetry.
	OwnRefreshRetry bool
	RefreshRetry    int64 // in seconds
	OwnerID         int64 // the user who registered it; zero: the instance
	CreatedAt       time.Time
	Version         int64 // incremented by each change, which names the version it read
}

// IsClientID reports whether the text can be an Application ID.
func IsClientID(text string) bool {
	_, err := hex.DecodeString(text)
	return err == nil && len(text) == 64
}

// ClientReader finds clients. Reads see every write that was acknowledged
// before.
type ClientReader interface {
	// Client returns the client with this Application ID, or a fault.NotFound
	// error.
	Client(ctx context.Context, clientID string) (Client, error)

	// ClientsNamed returns the clients with these Application IDs, by these. It
	// leaves out those that do not exist.
	ClientsNamed(ctx context.Context, clientIDs []string) (map[string]Client, error)

	// ClientByID returns the client with this number, or a fault.NotFound
	// error.
	ClientByID(ctx context.Context, id int64) (Client, error)

	// Clients returns a page of all clients, the newest first.
	Clients(ctx context.Context, r page.Request) (page.Of[Client], error)

	// ClientsOf returns a page of the clients that the user registered, the
	// newest first.
	ClientsOf(ctx context.Context, ownerID int64, r page.Request) (page.Of[Client], error)
}

// ClientStore keeps clients.
type ClientStore interface {
	ClientReader

	// CreateClient stores the client under the next id and returns it with ID
	// and Version.
	CreateClient(ctx context.Context, c Client) (Client, error)

	// CreateClientWithin does the same unless the owner has so many clients, or about as
	// many if an earlier release stored some: then it returns ErrTooManyClients.
	CreateClientWithin(ctx context.Context, most int, c Client) (Client, error)

	// UpdateClient replaces the client if its Version is still the stored one,
	// and increments the stored version. It returns a fault.Conflict
	// error when the client changed in between and a fault.NotFound error when
	// it is gone. ID, ClientID, OwnerID and CreatedAt never change.
	UpdateClient(ctx context.Context, c Client) error

	// DeleteClient removes the client, with which its grants stop working, or
	// returns a fault.NotFound error.
	DeleteClient(ctx context.Context, c Client) error
}
