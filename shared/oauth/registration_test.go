package oauth_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
)

func TestRegister(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	c, text, err := f.Register(t.Context(), audit.Setup, f.user.ID, oauth.Registration{
		Name: "Dashboard", RedirectURIs: " https://a.example/cb\r\nhttps://b.example/cb ", Scopes: scope.Of(scope.API), Confidential: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.ClientID) != 64 || !strings.HasPrefix(text.Reveal(), "gtoas-") || len(text.Reveal()) != len("gtoas-")+64 {
		t.Errorf("Application ID %q, secret of %d characters", c.ClientID, len(text.Reveal()))
	}
	stored, err := f.store.Client(t.Context(), c.ClientID)
	if diff := cmp.Diff(c, stored); err != nil || diff != "" {
		t.Errorf("stored client (-want +got), %v:\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"https://a.example/cb", "https://b.example/cb"}, stored.RedirectURIs); diff != "" {
		t.Errorf("redirect URIs (-want +got):\n%s", diff)
	}
}

func TestRegisterErrors(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	good := oauth.Registration{Name: "App", RedirectURIs: redirectURI, Scopes: scope.Of(scope.API)}
	tests := []struct {
		name   string
		change func(*oauth.Registration)
		want   fault.Fields
	}{
		{"blank name", func(r *oauth.Registration) { r.Name = " " }, fault.Fields{"name": {"can't be blank"}}},
		{"name of a filler", func(r *oauth.Registration) { r.Name = "\u3164" }, fault.Fields{"name": {"can't be blank"}}},
		{"name of two lines", func(r *oauth.Registration) { r.Name = "App\u2028evil" }, fault.Fields{"name": {"contains a control character"}}},
		{"name that turns the text around", func(r *oauth.Registration) { r.Name = "App\u202eevil" }, fault.Fields{"name": {"contains a control character"}}},
		{"no redirect", func(r *oauth.Registration) { r.RedirectURIs = "\n" }, fault.Fields{"redirect_uri": {"can't be blank"}}},
		{"bad redirect", func(r *oauth.Registration) { r.RedirectURIs += " http://" }, fault.Fields{"redirect_uri": {"must be a valid URI."}}},
		{"the most redirects", func(r *oauth.Registration) { r.RedirectURIs = strings.Repeat(redirectURI+" ", 20) }, nil},
		{"too many redirects", func(r *oauth.Registration) { r.RedirectURIs = strings.Repeat(redirectURI+" ", 21) }, fault.Fields{"redirect_uri": {"has more than 20 entries"}}},
		{"no scope", func(r *oauth.Registration) { r.Scopes = nil }, fault.Fields{"scopes": {"can't be blank"}}},
		{"unknown scope", func(r *oauth.Registration) { r.Scopes = scope.Of("sudo") }, fault.Fields{"scopes": {"doesn't match configured on the server."}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := good
			test.change(&r)
			_, _, err := f.Register(t.Context(), audit.Setup, f.user.ID, r)
			var got fault.Fields
			errors.As(err, &got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("complaints (-want +got):\n%s", diff)
			}
		})
	}
}

// An application that someone other than an administrator saves is no longer
// trusted.
func TestOnlyAdministratorsMakeClientsTrusted(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	r := oauth.Registration{Name: "App", RedirectURIs: redirectURI, Scopes: scope.Of(scope.API), Trusted: true}
	c := f.public
	for _, byAdmin := range []bool{true, false} {
		r.ByAdmin = byAdmin
		var err error
		if c, err = f.ChangeClient(t.Context(), audit.Setup, c, r); err != nil || c.Trusted != byAdmin {
			t.Errorf("changed by an administrator %v: trusted %v, %v", byAdmin, c.Trusted, err)
		}
	}
}

// full is a store in which every user has the most clients.
type full struct{ storage.Store }

func (full) CreateClientWithin(_ context.Context, most int, _ oauth.Client) (oauth.Client, error) {
	if most != oauth.MaxClients {
		return oauth.Client{}, errors.New("another limit")
	}
	return oauth.Client{}, oauth.ErrTooManyClients
}

func TestOnlyAdministratorsOfferSudo(t *testing.T) {
	for _, switched := range []bool{false, true} {
		for _, byAdmin := range []bool{false, true} {
			f := newFixture(t, oauth.Settings{Sudo: switched})
			_, _, err := f.Register(t.Context(), audit.Setup, 0, oauth.Registration{
				ByAdmin: byAdmin, Name: "App", RedirectURIs: redirectURI, Scopes: scope.Of(scope.API, scope.Sudo),
			})
			if (err == nil) != (switched && byAdmin) {
				t.Errorf("sudo for an application, switched on: %t, by an administrator: %t: %v", switched, byAdmin, err)
			}
		}
	}
}

// An application that could have sudo once gets it no more where the instance does not
// offer it to applications.
func TestSudoThatIsNoLongerOffered(t *testing.T) {
	off := apptest.New(t)
	on, root := off.WithSudo(), off.Admin("root")
	client, clientSecret, err := on.OAuth.Register(t.Context(), audit.Setup, 0, oauth.Registration{
		ByAdmin: true, Name: "App", RedirectURIs: redirectURI, Scopes: scope.Of(scope.API, scope.Sudo), Confidential: true, PasswordGrant: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for server, want := range map[*apptest.App]bool{on: true, off: false} {
		_, err := server.OAuth.Token(t.Context(), oauth.TokenRequest{
			GrantType: "password", Username: root.Username, Password: secret.NewText(apptest.Password), Scope: "api sudo",
			Client: oauth.Credentials{ClientID: client.ClientID, Secret: clientSecret},
		})
		if (err == nil) != want {
			t.Errorf("sudo for an application: %v, want it given: %t", err, want)
		}
	}
}

func TestOnlyAdministratorsRegisterAnyNumber(t *testing.T) {
	f := newFixture(t, oauth.Settings{})
	server := oauth.NewServer(full{f.store}, f, nil, audit.NewTrail(f.store, f.now), keys(t), oauth.Settings{}, f.now)
	for _, admin := range []bool{false, true} {
		r := oauth.Registration{Name: "App", RedirectURIs: redirectURI, Scopes: scope.Of(scope.API), ByAdmin: admin}
		_, _, err := server.Register(t.Context(), audit.Setup, f.user.ID, r)
		if fault.Is(err, fault.Conflict) == admin || (err == nil) != admin {
			t.Errorf("administrator %t: Register = %v, want it to be a conflict for others", admin, err)
		}
	}
}
