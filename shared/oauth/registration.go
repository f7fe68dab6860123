package oauth

import (
	"context"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/text"
)

const (
	// secretPrefix begins every client secret.
	secretPrefix = "gtoas-"

	maxRedirects = 20
	maxRedirect  = 2000 // bytes, so that a Location header has room for a code
)

// Registration describes a client in its owner's words.
type Registration struct {
	ByAdmin       bool // an administrator makes it
	Name          string
	RedirectURIs  string // separated by white space
	Scopes        scope.Set
	Confidential  bool
	Trusted       bool // only with ByAdmin
	RequireSecret bool
	PasswordGrant bool
	RefreshRetry  *int64 // in seconds; nil: as the instance says
}

// Registration returns what the client is registered with.
func (c Client) Registration(byAdmin bool) Registration {
	r := Registration{
		ByAdmin: byAdmin, Name: c.Name, RedirectURIs: strings.Join(c.RedirectURIs, "\n"), Scopes: c.Scopes,
		Confidential: c.Confidential, Trusted: c.Trusted, RequireSecret: c.RequireSecret, PasswordGrant: c.PasswordGrant,
	}
	if c.OwnRefreshRetry {
		r.RefreshRetry = &c.RefreshRetry
	}
	return r
}

// Register makes a client and returns it with its secret, which cannot be read
// again. A wrong registration is a fault.Fields error.
func (s *Server) Register(ctx context.Context, actor audit.Actor, ownerID int64, r Registration) (Client, secret.Text, error) {
	c := Client{ClientID: hex.EncodeToString(secret.Random(32)), OwnerID: ownerID, CreatedAt: s.now()}
	if err := s.apply(&c, r); err != nil {
		return Client{}, secret.Text{}, err
	}
	text := newClientSecret()
	c.SecretDigest = text.Digest()
	c, err := s.addClient(ctx, r.ByAdmin, c)
	return c, text, s.trail.RecordUnless(ctx, err, c.event(EventApplicationCreated, actor))
}

// MaxClients is how many clients a user can have who is no administrator.
const MaxClients = 500

// ErrTooManyClients refuses one more.
var ErrTooManyClients = fault.New(fault.Conflict, "you have the most applications you can have: "+strconv.Itoa(MaxClients))

// addClient stores the client, of which an administrator can make any number.
func (s *Server) addClient(ctx context.Context, byAdmin bool, c Client) (Client, error) {
	if byAdmin {
		return s.store.CreateClient(ctx, c)
	}
	return s.store.CreateClientWithin(ctx, MaxClients, c)
}

// ChangeClient replaces the client's registration.
func (s *Server) ChangeClient(ctx context.Context, actor audit.Actor, c Client, r Registration) (Client, error) {
	if err := s.apply(&c, r); err != nil {
		return Client{}, err
	}
	return s.update(ctx, actor, EventApplicationChanged, c)
}

// RenewSecret gives the client a new secret, which cannot be read again. The old
// one stops working at once.
func (s *Server) RenewSecret(ctx context.Context, actor audit.Actor, c Client) (Client, secret.Text, error) {
	text := newClientSecret()
	c.SecretDigest = text.Digest()
	c, err := s.update(ctx, actor, EventSecretRenewed, c)
	return c, text, err
}

func (s *Server) update(ctx context.Context, actor audit.Actor, name audit.Name, c Client) (Client, error) {
	err := s.store.UpdateClient(ctx, c)
	c.Version++
	return c, s.trail.RecordUnless(ctx, err, c.event(name, actor))
}

// DeleteClient removes the client, with which its grants stop working.
func (s *Server) DeleteClient(ctx context.Context, actor audit.Actor, c Client) error {
	err := s.store.DeleteClient(ctx, c)
	return s.trail.RecordUnless(ctx, err, c.event(EventApplicationDeleted, actor))
}

func newClientSecret() secret.Text { return secret.New(secretPrefix, 32) }

// apply writes the registration into the client. A client that someone other
// than an administrator saves is no longer trusted, even if one had made it so.
func (s *Server) apply(c *Client, r Registration) error {
	uris := strings.Fields(r.RedirectURIs)
	complaints := fault.Fields{}
	complaints.Add("name", text.CheckName(r.Name))
	complaints.Add("redirect_uri", checkRedirectURIs(uris, s.settings.HTTPS))
	complaints.Add("scopes", s.checkScopes(r))
	if retry := r.RefreshRetry; retry != nil && (*retry < 0 || *retry > int64(MaxRefreshRetry/time.Second)) {
		complaints.Add("refresh_retry_seconds", "must be between 0 and 30")
	}
	if err := complaints.Err(); err != nil {
		return err
	}
	c.Name, c.RedirectURIs, c.Scopes = r.Name, uris, r.Scopes
	c.Confidential, c.Trusted = r.Confidential, r.Trusted && r.ByAdmin
	c.RequireSecret, c.PasswordGrant = r.RequireSecret, r.PasswordGrant
	c.OwnRefreshRetry, c.RefreshRetry = r.RefreshRetry != nil, 0
	if r.RefreshRetry != nil {
		c.RefreshRetry = *r.RefreshRetry
	}
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

// WrongRedirect returns the number and the text of the first line that holds a redirect URI
// that cannot be registered; 0: none does.
func (s *Server) WrongRedirect(lines string) (number int, line string) {
	for line := range strings.Lines(lines) {
		number++
		for _, uri := range strings.Fields(line) {
			if CheckRedirectURI(uri, s.settings.HTTPS) != "" {
				return number, strings.TrimSpace(line)
			}
		}
	}
	return 0, ""
}

func (s *Server) checkScopes(r Registration) string {
	if len(r.Scopes) == 0 {
		return "can't be blank"
	}
	offered := s.ScopesToRegister(r.ByAdmin)
	for _, x := range r.Scopes {
		if !slices.ContainsFunc(offered, func(d scope.Described) bool { return d.Scope == x }) {
			return "doesn't match configured on the server."
		}
	}
	return ""
}

// Scopes lists the scopes that clients can have, in the order people see them.
func (s *Server) Scopes() []scope.Described {
	if s.settings.Sudo {
		return scope.All
	}
	return scope.Client
}

// ScopesToRegister lists the scopes that a person can register a client with. Nobody but
// administrators has clients ask for sudo.
func (s *Server) ScopesToRegister(byAdmin bool) []scope.Described {
	if byAdmin {
		return s.Scopes()
	}
	return scope.Client
}

// Held returns those of the scopes that clients can have, where they once could have more.
func (s *Server) Held(scopes scope.Set) scope.Set {
	if s.settings.Sudo {
		return scopes
	}
	return scopes.Without(scope.Sudo)
}

// Empowers reports whether a client with these scopes may do for an administrator what
// nobody else may.
func (s *Server) Empowers(scopes scope.Set) bool { return !s.settings.Sudo || scopes.Has(scope.Sudo) }
