package oauth

import (
	"context"
	"encoding/hex"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/text"
)

const (
	// secretPrefix begins every client secret.
	secretPrefix = "gtoas-"

	maxRedirects = 20
	maxRedirect  = 2000 // bytes, so that a code still fits into a Location header
)

// Registration is what a client's owner says of it.
type Registration struct {
	Name          string
	RedirectURIs  string // separated by white space
	Scopes        scope.Set
	Confidential  bool
	Trusted       bool
	RequireSecret bool
	PasswordGrant bool
}

// Register makes a client and returns it with its secret, which nobody can
// read again. What is wrong with the registration comes as fault.Fields.
func (s *Server) Register(ctx context.Context, ownerID int64, r Registration) (Client, secret.Text, error) {
	c := Client{ClientID: hex.EncodeToString(secret.Random(32)), OwnerID: ownerID, CreatedAt: s.now()}
	if err := s.apply(&c, r); err != nil {
		return Client{}, secret.Text{}, err
	}
	text := newClientSecret()
	c.SecretDigest = text.Digest()
	c, err := s.store.CreateClient(ctx, c)
	return c, text, err
}

// Edit replaces what the client's owner says of it.
func (s *Server) Edit(ctx context.Context, c Client, r Registration) (Client, error) {
	if err := s.apply(&c, r); err != nil {
		return Client{}, err
	}
	err := s.store.UpdateClient(ctx, c)
	c.Version++
	return c, err
}

// RenewSecret gives the client a new secret, which is returned once; the old
// one stops working at once.
func (s *Server) RenewSecret(ctx context.Context, c Client) (Client, secret.Text, error) {
	text := newClientSecret()
	c.SecretDigest = text.Digest()
	err := s.store.UpdateClient(ctx, c)
	c.Version++
	return c, text, err
}

func newClientSecret() secret.Text { return secret.New(secretPrefix, 32) }

func (s *Server) apply(c *Client, r Registration) error {
	uris := strings.Fields(r.RedirectURIs)
	complaints := fault.Fields{}
	complaints.Add("name", text.CheckName(r.Name))
	complaints.Add("redirect_uri", checkRedirectURIs(uris, s.settings.HTTPS))
	complaints.Add("scopes", checkScopes(r.Scopes))
	if err := complaints.Err(); err != nil {
		return err
	}
	c.Name, c.RedirectURIs, c.Scopes = r.Name, uris, r.Scopes
	c.Confidential, c.Trusted = r.Confidential, r.Trusted
	c.RequireSecret, c.PasswordGrant = r.RequireSecret, r.PasswordGrant
	return nil
}

func checkRedirectURIs(uris []string, https bool) string {
	if len(uris) == 0 {
		return "can't be blank"
	}
	if len(uris) > maxRedirects {
		return "has more than 20 entries"
	}
	for _, uri := range uris {
		if complaint := CheckRedirectURI(uri, https); complaint != "" {
			return complaint
		}
	}
	return ""
}

func checkScopes(scopes scope.Set) string {
	if len(scopes) == 0 {
		return "can't be blank"
	}
	for _, x := range scopes {
		if !scope.Offered(x) {
			return "doesn't match configured on the server."
		}
	}
	return ""
}
