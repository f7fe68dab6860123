package storagetest

import (
	"testing"
	"time"

	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
)

var clients = []promise{
	{"are created and read back", createClient},
	{"are read by their Application IDs", clientsNamed},
	{"change", updateClient},
	{"changed by many at once change once", updateClientRace},
	{"are removed", deleteClient},
}

func clientsNamed(t *testing.T, s storage.Store) {
	first, second := addClient(t, s, 0), addClient(t, s, 0)
	addClient(t, s, 0)
	wanted := []string{second.ClientID, "", newClient(0).ClientID, first.ClientID, second.ClientID, ""}
	got := must[map[string]oauth.Client](t)(s.ClientsNamed(t.Context(), wanted))
	wantSame(t, "ClientsNamed", got, map[string]oauth.Client{first.ClientID: first, second.ClientID: second})
	wantSame(t, "ClientsNamed of none", must[map[string]oauth.Client](t)(s.ClientsNamed(t.Context(), nil)), map[string]oauth.Client{})
}

func createClient(t *testing.T, s storage.Store) {
	owner := addUser(t, s)
	first := addClient(t, s, owner.ID)
	second := must[oauth.Client](t)(s.CreateClient(t.Context(), oauth.Client{
		ClientID: newClient(0).ClientID, Name: "bare", RedirectURIs: []string{"https://a.example/?x=1,2"},
		Scopes: scope.Of(scope.API), CreatedAt: now,
	}))
	if first.ID <= 0 || second.ID <= first.ID {
		t.Errorf("CreateClient gave ids %d then %d, want them to rise", first.ID, second.ID)
	}
	wantClient(t, s, first)
	wantClient(t, s, second)
	_, err := s.Client(t.Context(), newClient(0).ClientID)
	wantError(t, "Client of an unknown Application ID", err, oauth.ErrClientNotFound)
	for _, id := range []int64{0, unknownID} {
		_, err = s.ClientByID(t.Context(), id)
		wantError(t, "ClientByID of an unknown number", err, oauth.ErrClientNotFound)
	}
}

// wantClient reads the client in every way.
func wantClient(t *testing.T, s storage.Store, want oauth.Client) {
	t.Helper()
	wantSame(t, "Client", must[oauth.Client](t)(s.Client(t.Context(), want.ClientID)), want)
	wantSame(t, "ClientByID", must[oauth.Client](t)(s.ClientByID(t.Context(), want.ID)), want)
}

func updateClient(t *testing.T, s storage.Store) {
	want := addClient(t, s, addUser(t, s).ID)
	want.Name, want.RedirectURIs = "Another name", []string{"https://other.example/"}
	want.Scopes, want.SecretDigest = scope.Of(scope.ReadUser), secret.New("", 32).Digest()
	want.Confidential, want.Trusted, want.RequireSecret, want.PasswordGrant = false, false, false, false
	want.OwnRefreshRetry, want.RefreshRetry = false, 0
	changed := want
	changed.OwnerID, changed.CreatedAt = unknownID, now.Add(time.Hour)
	wantOK(t, "UpdateClient", s.UpdateClient(t.Context(), changed))
	want.Version++
	wantClient(t, s, want)

	wantError(t, "UpdateClient of an old version", s.UpdateClient(t.Context(), changed), oauth.ErrClientChanged)
	wantOK(t, "DeleteClient", s.DeleteClient(t.Context(), want))
	wantError(t, "UpdateClient of a client that is gone", s.UpdateClient(t.Context(), want), oauth.ErrClientNotFound)
}

func updateClientRace(t *testing.T, s storage.Store) {
	c := addClient(t, s, 0)
	errs := race(8, func(int) error { return s.UpdateClient(t.Context(), c) })
	wantOneWinner(t, "UpdateClient", errs, is(oauth.ErrClientChanged))
	c.Version++
	wantClient(t, s, c)
}

func deleteClient(t *testing.T, s storage.Store) {
	owner := addUser(t, s)
	other, c := addClient(t, s, owner.ID), addClient(t, s, owner.ID)
	wantOK(t, "DeleteClient", s.DeleteClient(t.Context(), c))
	_, err := s.Client(t.Context(), c.ClientID)
	wantError(t, "Client", err, oauth.ErrClientNotFound)
	_, err = s.ClientByID(t.Context(), c.ID)
	wantError(t, "ClientByID", err, oauth.ErrClientNotFound)
	wantError(t, "DeleteClient again", s.DeleteClient(t.Context(), c), oauth.ErrClientNotFound)
	wantClient(t, s, other)

	// A grant knows its client by number, so that one must never come again.
	if next := addClient(t, s, owner.ID); next.ID <= c.ID {
		t.Errorf("CreateClient gave id %d after client %d was removed, want a higher one", next.ID, c.ID)
	}
}
