package storagetest

import (
	"testing"
	"time"

	"gatehouse/shared/accesstoken"
	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

var quotas = []promise{
	{"of access tokens count those that are active", tokenQuota},
	{"of clients count those that are there", clientQuota},
	{"of top-level groups count those that their maker owns", groupQuota},
	{"of top-level groups are not for administrators", groupQuotaOfAdministrators},
	{"hold when many create at once", raceForQuota},
}

func tokenQuota(t *testing.T, s storage.Store) {
	u, other := addUser(t, s), addUser(t, s)
	create := func(userID int64, at time.Time) (accesstoken.Token, error) {
		token := newToken(userID)
		token.CreatedAt, token.ExpiresAt = at, at.Add(time.Hour)
		return s.CreateAccessTokenWithin(t.Context(), 2, token)
	}
	first := must[accesstoken.Token](t)(create(u.ID, now))
	wantToken(t, s, first)
	second := must[accesstoken.Token](t)(create(u.ID, now))
	_, err := create(u.ID, now)
	wantError(t, "CreateAccessTokenWithin, the third", err, accesstoken.ErrTooMany)
	_, err = create(other.ID, now)
	wantOK(t, "CreateAccessTokenWithin of another user", err)

	wantOK(t, "RevokeAccessToken", s.RevokeAccessToken(t.Context(), first.ID, now))
	_, err = create(u.ID, now)
	wantOK(t, "CreateAccessTokenWithin after one was revoked", err)
	_, err = s.RotateAccessToken(t.Context(), second.ID, newToken(u.ID), now)
	wantOK(t, "RotateAccessToken of one of the most", err)
	_, err = create(u.ID, now)
	wantError(t, "CreateAccessTokenWithin after that", err, accesstoken.ErrTooMany)
	addToken(t, s, u.ID)
	_, err = create(u.ID, now.Add(2*time.Hour))
	wantOK(t, "CreateAccessTokenWithin after they have expired", err)
}

func clientQuota(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	create := func() (oauth.Client, error) { return s.CreateClientWithin(t.Context(), 2, newClient(u.ID)) }
	first := must[oauth.Client](t)(create())
	wantSame(t, "Client", must[oauth.Client](t)(s.Client(t.Context(), first.ClientID)), first)
	must[oauth.Client](t)(create())
	_, err := create()
	wantError(t, "CreateClientWithin, the third", err, oauth.ErrTooManyClients)
	wantOK(t, "DeleteClient", s.DeleteClient(t.Context(), first))
	_, err = create()
	wantOK(t, "CreateClientWithin after one was deleted", err)
}

// addPlainUser adds a user who is no administrator.
func addPlainUser(t *testing.T, s storage.Store) user.User {
	t.Helper()
	u := newUser()
	u.Admin = false
	return must[user.User](t)(s.CreateUser(t.Context(), u))
}

func groupQuota(t *testing.T, s storage.Store) {
	u, other := addPlainUser(t, s), addUser(t, s)
	create := func() (project.Group, error) { return s.CreateGroupWithin(t.Context(), 2, newGroup(), u.ID) }
	first := must[project.Group](t)(create())
	wantGroup(t, s, first)
	second := must[project.Group](t)(create())
	addSubgroup(t, s, first, u.ID)
	_, err := create()
	wantError(t, "CreateGroupWithin, the third", err, project.ErrTooManyGroups)

	wantOK(t, "DeleteGroup", s.DeleteGroup(t.Context(), second.ID, now))
	given := addGroup(t, s, other.ID)
	late := project.Member{Place: given.Place(), UserID: u.ID, Role: project.Owner, CreatedAt: now.Add(time.Minute)}
	wantOK(t, "AddMember", s.AddMember(t.Context(), late))
	_, err = create()
	wantOK(t, "CreateGroupWithin beside a group of another maker", err)
	_, err = create()
	wantError(t, "CreateGroupWithin after that", err, project.ErrTooManyGroups)
	_, err = s.CreateGroupWithin(t.Context(), 2, newGroup(), unknownID)
	wantError(t, "CreateGroupWithin by an unknown user", err, user.ErrNotFound)
}

func groupQuotaOfAdministrators(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	for range 2 {
		_, err := s.CreateGroupWithin(t.Context(), 1, newGroup(), u.ID)
		wantOK(t, "CreateGroupWithin", err)
	}
}

func raceForQuota(t *testing.T, s storage.Store) {
	u := addPlainUser(t, s)
	errs := race(6, func(int) error {
		_, err := s.CreateGroupWithin(t.Context(), 1, newGroup(), u.ID)
		return err
	})
	wantOneWinner(t, "CreateGroupWithin", errs, is(project.ErrTooManyGroups))
	errs = race(6, func(int) error {
		_, err := s.CreateAccessTokenWithin(t.Context(), 1, newToken(u.ID))
		return err
	})
	wantOneWinner(t, "CreateAccessTokenWithin", errs, is(accesstoken.ErrTooMany))
	errs = race(6, func(int) error {
		_, err := s.CreateClientWithin(t.Context(), 1, newClient(u.ID))
		return err
	})
	wantOneWinner(t, "CreateClientWithin", errs, is(oauth.ErrTooManyClients))
}
