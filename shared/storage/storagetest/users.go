package storagetest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"gatehouse/shared/oauth"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

var users = []promise{
	{"are created and read back", createUser},
	{"have a namespace of their own", userNamespace},
	{"sign in by name or address in any letter case", userByLogin},
	{"never share a name or an address", takenNames},
	{"that are refused leave nothing behind", refusedUser},
	{"racing for a name get it once", raceForUsername},
	{"racing for an address get it once", raceForEmail},
	{"racing a group for a name get it once", raceGroupForName},
	{"are read many at a time", usersByID},
	{"change", updateUser},
	{"keep what is permanent", updatePermanent},
	{"change their address", updateEmail},
	{"changed by two at once change once", updateUserRace},
	{"that are gone cannot change", updateGoneUser},
	{"remember their last sign-in, which is no other change", signedIn},
	{"change by an active administrator", changedByAdministrator},
	{"change by nobody who is no active administrator", changedByNobodyElse},
	{"who are administrators never remove each other both", raceAdministrators},
	{"are removed with all that was theirs", deleteUser},
	{"are removed with their records", deleteUserWithRecords},
	{"stay while their namespace holds projects", deleteUserWithProjects},
	{"are removed or get a project, never both", raceDeleteUser},
}

func createUser(t *testing.T, s storage.Store) {
	first, second := addUser(t, s), addUser(t, s)
	if first.ID <= 0 || second.ID <= first.ID || second.NamespaceID <= first.NamespaceID {
		t.Errorf("CreateUser gave ids %d then %d, namespaces %d then %d, want them to rise",
			first.ID, second.ID, first.NamespaceID, second.NamespaceID)
	}
	want := newUser()
	want.CreatedAt, want.UpdatedAt, want.SessionEpoch = time.Time{}, time.Time{}, time.Time{}
	want.Email = "Übung@" + want.Username + ".example"
	want.Admin, want.State, want.PasswordHash = false, user.Blocked, ""
	want = must[user.User](t)(s.CreateUser(t.Context(), want))
	for _, want := range []user.User{first, second, want} {
		wantSame(t, "User", must[user.User](t)(s.User(t.Context(), want.ID)), want)
	}
	_, err := s.User(t.Context(), unknownID)
	wantError(t, "User of an unknown id", err, user.ErrNotFound)
}

func userNamespace(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	byID := namespaceOf(t, s, u)
	byPath := must[project.Group](t)(s.GroupByPath(t.Context(), strings.ToUpper(u.Username)))
	wantSame(t, "GroupByPath", byPath, byID)
	want := project.Group{
		ID: u.NamespaceID, OwnerID: u.ID, Name: u.Username, Path: u.Username, FullPath: u.Username,
		Visibility: project.Private, CreatedAt: u.CreatedAt,
	}
	wantSame(t, "Group of a user", byID, want, cmpopts.IgnoreFields(project.Group{}, "Version"))
	wantError(t, "DeleteGroup of a user's namespace", s.DeleteGroup(t.Context(), u.NamespaceID, now), project.ErrGroupNotFound)
	namespaceOf(t, s, u)
}

func userByLogin(t *testing.T, s storage.Store) {
	want := newUser()
	want.Email = "Übung@" + want.Username + ".example"
	want = must[user.User](t)(s.CreateUser(t.Context(), want))
	for _, login := range []string{
		want.Username, strings.ToUpper(want.Username), strings.ToLower(want.Username),
		want.Email, strings.ToUpper(want.Email), strings.ToLower(want.Email),
	} {
		wantSame(t, "UserByLogin", must[user.User](t)(s.UserByLogin(t.Context(), login)), want)
	}
	g := addGroup(t, s, want.ID)
	for _, login := range []string{"", unique("nobody"), g.Path, want.Username + " ", "%"} {
		_, err := s.UserByLogin(t.Context(), login)
		wantError(t, "UserByLogin("+login+")", err, user.ErrNotFound)
	}
}

func takenNames(t *testing.T, s storage.Store) {
	taken := addUser(t, s)
	g := addGroup(t, s, taken.ID)
	tests := map[string]struct {
		username, email, field string
	}{
		"the name of a user":              {taken.Username, "", "username"},
		"the name of a user, small":       {strings.ToLower(taken.Username), "", "username"},
		"the name of a group":             {g.Path, "", "username"},
		"the name of a group, in capital": {strings.ToUpper(g.Path), "", "username"},
		"an address":                      {"", taken.Email, "email"},
		"an address in capitals":          {"", strings.ToUpper(taken.Email), "email"},
	}
	for name, test := range tests {
		u := newUser()
		if test.username != "" {
			u.Username = test.username
		}
		if test.email != "" {
			u.Email = test.email
		}
		_, err := s.CreateUser(t.Context(), u)
		wantTaken(t, "CreateUser with "+name, err, test.field)
	}
}

func refusedUser(t *testing.T, s storage.Store) {
	taken, u := addUser(t, s), newUser()
	u.Email = taken.Email
	_, err := s.CreateUser(t.Context(), u)
	wantTaken(t, "CreateUser", err, "email")
	_, err = s.GroupByPath(t.Context(), u.Username)
	wantError(t, "GroupByPath of the refused user", err, project.ErrGroupNotFound)

	freeEmail := newUser().Email
	_, err = s.CreateUser(t.Context(), user.User{Username: taken.Username, Email: freeEmail, State: user.Active})
	wantTaken(t, "CreateUser", err, "username")

	u.Email = freeEmail
	_, err = s.CreateUser(t.Context(), u)
	wantOK(t, "CreateUser with the names of refused users", err)
}

func raceForUsername(t *testing.T, s storage.Store) {
	name := unique("Racer")
	errs := race(8, func(i int) error {
		u := newUser()
		u.Username = name
		if i%2 == 0 {
			u.Username = strings.ToUpper(name)
		}
		_, err := s.CreateUser(t.Context(), u)
		return err
	})
	wantOneWinner(t, "CreateUser", errs, isTaken("username"))
}

func raceForEmail(t *testing.T, s storage.Store) {
	email := newUser().Email
	errs := race(8, func(int) error {
		u := newUser()
		u.Email = email
		_, err := s.CreateUser(t.Context(), u)
		return err
	})
	wantOneWinner(t, "CreateUser", errs, isTaken("email"))
}

func raceGroupForName(t *testing.T, s storage.Store) {
	creator, name := addUser(t, s), unique("Racer")
	errs := race(8, func(i int) error {
		if i%2 == 0 {
			u := newUser()
			u.Username = name
			_, err := s.CreateUser(t.Context(), u)
			return err
		}
		g := newGroup()
		g.Path, g.FullPath = name, name
		_, err := s.CreateGroup(t.Context(), g, creator.ID)
		return err
	})
	wantOneWinner(t, "CreateUser and CreateGroup", errs, isTaken("username", "path"))
}

func usersByID(t *testing.T, s storage.Store) {
	a, b := addUser(t, s), addUser(t, s)
	ids := []int64{b.ID, a.ID, b.ID}
	for i := range int64(150) {
		ids = append(ids, unknownID+i)
	}
	got := must[map[int64]user.User](t)(s.UsersByID(t.Context(), ids))
	wantSame(t, "UsersByID", got, map[int64]user.User{a.ID: a, b.ID: b})

	got = must[map[int64]user.User](t)(s.UsersByID(t.Context(), nil))
	wantSame(t, "UsersByID of none", got, map[int64]user.User{})
}

func updateUser(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	u.Name, u.Email, u.PasswordHash, u.State = "Grace Hopper", newUser().Email, "$2y$…", user.Blocked
	u.Admin, u.PrivateProfile, u.TwoFactorEnabled = false, false, false
	u.ConfirmedAt = time.Time{}
	u.UpdatedAt, u.SessionEpoch = now.Add(time.Minute+time.Microsecond), now.Add(time.Minute+3*time.Microsecond)
	wantOK(t, "UpdateUser", s.UpdateUser(t.Context(), u, 0))
	u.Version++
	wantSame(t, "User", must[user.User](t)(s.User(t.Context(), u.ID)), u)

	stale := u
	stale.Version--
	stale.Name = "Somebody else"
	wantError(t, "UpdateUser of an old version", s.UpdateUser(t.Context(), stale, 0), user.ErrChanged)
	wantSame(t, "User after the refused change", must[user.User](t)(s.User(t.Context(), u.ID)), u)
}

func updatePermanent(t *testing.T, s storage.Store) {
	want := addUser(t, s)
	changed := want
	changed.Username, changed.NamespaceID, changed.CreatedAt = unique("Other"), unknownID, now.Add(time.Hour)
	wantOK(t, "UpdateUser", s.UpdateUser(t.Context(), changed, 0))
	want.Version++
	wantSame(t, "User", must[user.User](t)(s.User(t.Context(), want.ID)), want)
	wantSame(t, "UserByLogin", must[user.User](t)(s.UserByLogin(t.Context(), want.Username)), want)
}

func updateEmail(t *testing.T, s storage.Store) {
	u, other := addUser(t, s), addUser(t, s)
	taken, former := u, u.Email
	taken.Email = strings.ToUpper(other.Email)
	wantTaken(t, "UpdateUser to a taken address", s.UpdateUser(t.Context(), taken, 0), "email")

	u.Email = strings.ToUpper(u.Email)
	wantOK(t, "UpdateUser to the own address in capitals", s.UpdateUser(t.Context(), u, 0))
	u.Version++
	u.Email = newUser().Email
	wantOK(t, "UpdateUser to a free address", s.UpdateUser(t.Context(), u, 0))
	u.Version++
	wantSame(t, "UserByLogin", must[user.User](t)(s.UserByLogin(t.Context(), u.Email)), u)

	_, err := s.UserByLogin(t.Context(), former)
	wantError(t, "UserByLogin of the former address", err, user.ErrNotFound)
	other.Email = former
	wantOK(t, "UpdateUser to an address that came free", s.UpdateUser(t.Context(), other, 0))
}

func updateUserRace(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	emails := []string{newUser().Email, newUser().Email, u.Email, newUser().Email}
	change := func(i int) user.User {
		changed := u
		changed.Name, changed.Email = unique("Name"), emails[i]
		return changed
	}
	changes := []user.User{change(0), change(1), change(2), change(3)}
	errs := race(len(changes), func(i int) error { return s.UpdateUser(t.Context(), changes[i], 0) })
	want := changes[wantOneWinner(t, "UpdateUser", errs, is(user.ErrChanged))]
	want.Version++
	wantSame(t, "User", must[user.User](t)(s.User(t.Context(), u.ID)), want)
}

func updateGoneUser(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), u.ID, 0, now))
	wantError(t, "UpdateUser", s.UpdateUser(t.Context(), u, 0), user.ErrNotFound)
	u.Email = newUser().Email
	wantError(t, "UpdateUser to another address", s.UpdateUser(t.Context(), u, 0), user.ErrNotFound)
}

func signedIn(t *testing.T, s storage.Store) {
	u, gone := addUser(t, s), addUser(t, s)
	later := u.LastSignInAt.Add(time.Hour + time.Microsecond)
	for _, at := range []time.Time{later.Add(-time.Minute), later, later.Add(-time.Second)} {
		wantOK(t, "SignedIn", s.SignedIn(t.Context(), u.ID, at))
	}
	changed := u
	changed.Name, changed.LastSignInAt = "Grace Hopper", time.Time{}
	wantOK(t, "UpdateUser in the version of before", s.UpdateUser(t.Context(), changed, 0))
	u.Name, u.LastSignInAt = "Grace Hopper", later
	u.Version++
	wantSame(t, "User", must[user.User](t)(s.User(t.Context(), u.ID)), u)

	first := newUser()
	first.LastSignInAt = time.Time{}
	first = must[user.User](t)(s.CreateUser(t.Context(), first))
	wantOK(t, "SignedIn for the first time", s.SignedIn(t.Context(), first.ID, now))
	first.LastSignInAt = now
	wantSame(t, "User", must[user.User](t)(s.User(t.Context(), first.ID)), first)

	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), gone.ID, 0, now))
	wantOK(t, "SignedIn of a user who is gone", s.SignedIn(t.Context(), gone.ID, later))
	_, err := s.User(t.Context(), gone.ID)
	wantError(t, "User", err, user.ErrNotFound)
}

func changedByAdministrator(t *testing.T, s storage.Store) {
	root, u := addUser(t, s), addUser(t, s)
	u.Admin, u.State = false, user.Blocked
	wantOK(t, "UpdateUser", s.UpdateUser(t.Context(), u, root.ID))
	u.Version++
	u.Email = newUser().Email
	wantOK(t, "UpdateUser to another address", s.UpdateUser(t.Context(), u, root.ID))
	u.Version++
	wantSame(t, "User", must[user.User](t)(s.User(t.Context(), u.ID)), u)

	taken := u
	taken.Email = root.Email
	wantTaken(t, "UpdateUser to a taken address", s.UpdateUser(t.Context(), taken, root.ID), "email")
	u.Version--
	wantError(t, "UpdateUser of an old version", s.UpdateUser(t.Context(), u, root.ID), user.ErrChanged)
	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), u.ID, root.ID, now))
	wantError(t, "UpdateUser of a user who is gone", s.UpdateUser(t.Context(), u, root.ID), user.ErrNotFound)
	wantError(t, "DeleteUser again", s.DeleteUser(t.Context(), u.ID, root.ID, now), user.ErrNotFound)

	root.Name = "Grace Hopper"
	wantOK(t, "UpdateUser of oneself", s.UpdateUser(t.Context(), root, root.ID))
	wantError(t, "UpdateUser of oneself in an old version", s.UpdateUser(t.Context(), root, root.ID), user.ErrChanged)
	wantOK(t, "DeleteUser of oneself", s.DeleteUser(t.Context(), root.ID, root.ID, now))
}

func changedByNobodyElse(t *testing.T, s storage.Store) {
	demoted, blocked, gone := addUser(t, s), addUser(t, s), addUser(t, s)
	demoted.Admin, blocked.State = false, user.Blocked
	wantOK(t, "UpdateUser", s.UpdateUser(t.Context(), demoted, 0))
	wantOK(t, "UpdateUser", s.UpdateUser(t.Context(), blocked, 0))
	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), gone.ID, 0, now))
	demoted.Version++
	want := addUser(t, s)
	changed, moved := want, want
	changed.Name, moved.Email = "Mallory", newUser().Email
	for name, by := range map[string]int64{
		"no administrator": demoted.ID, "somebody blocked": blocked.ID, "somebody who is gone": gone.ID, "an unknown id": unknownID,
	} {
		wantError(t, "UpdateUser by "+name, s.UpdateUser(t.Context(), changed, by), user.ErrNotAdministrator)
		wantError(t, "UpdateUser to another address by "+name, s.UpdateUser(t.Context(), moved, by), user.ErrNotAdministrator)
		wantError(t, "DeleteUser by "+name, s.DeleteUser(t.Context(), want.ID, by, now), user.ErrNotAdministrator)
	}
	wantError(t, "UpdateUser of oneself by no administrator", s.UpdateUser(t.Context(), demoted, demoted.ID), user.ErrNotAdministrator)
	wantError(t, "DeleteUser of oneself by no administrator", s.DeleteUser(t.Context(), demoted.ID, demoted.ID, now), user.ErrNotAdministrator)
	for _, want := range []user.User{want, demoted} {
		wantSame(t, "User after the refused changes", must[user.User](t)(s.User(t.Context(), want.ID)), want)
		wantSame(t, "UserByLogin", must[user.User](t)(s.UserByLogin(t.Context(), want.Email)), want)
	}
}

func raceAdministrators(t *testing.T, s storage.Store) {
	for round := range 20 {
		admins := []user.User{addUser(t, s), addUser(t, s)}
		errs := race(2, func(i int) error {
			by, other := admins[i], admins[1-i]
			switch (round + i*(round/3)) % 3 { // the same on both sides, and mixed
			case 0:
				other.Admin = false
			case 1:
				other.State = user.Blocked
			default:
				return s.DeleteUser(t.Context(), other.ID, by.ID, now)
			}
			return s.UpdateUser(t.Context(), other, by.ID)
		})
		winner := wantOneWinner(t, "UpdateUser and DeleteUser of each other", errs, is(user.ErrNotAdministrator))
		wantSame(t, "the winner", must[user.User](t)(s.User(t.Context(), admins[winner].ID)), admins[winner])
		if loser, err := s.User(t.Context(), admins[1-winner].ID); err == nil && loser.Administers() {
			t.Errorf("both are administrators after user %d removed user %d", admins[winner].ID, loser.ID)
		}
	}
}

func deleteUser(t *testing.T, s storage.Store) {
	other, u := addUser(t, s), addUser(t, s)
	g := addGroup(t, s, other.ID)
	addMember(t, s, g.Place(), u.ID, project.Guest)
	signedIn, token, granted := addSession(t, s, u.ID), addToken(t, s, u.ID), addGrantOf(t, s, u.ID, 72)
	wantOK(t, "RevokeGrant", s.RevokeGrant(t.Context(), granted.GrantID, now))
	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), u.ID, 0, now))

	_, err := s.User(t.Context(), u.ID)
	wantError(t, "User", err, user.ErrNotFound)
	_, err = s.Group(t.Context(), u.NamespaceID)
	wantError(t, "Group of the namespace", err, project.ErrGroupNotFound)
	wantError(t, "DeleteUser again", s.DeleteUser(t.Context(), u.ID, 0, now), user.ErrNotFound)

	memberships := must[project.Memberships](t)(s.SomeMemberships(t.Context(), u.ID, 100))
	wantSame(t, "Memberships", memberships, project.Memberships{})
	wantSame(t, "Summaries", summariesOf(t, s, u.ID), []oauth.Summary{})
	if members := allMembers(t, s, g.Place()); len(members) != 1 {
		t.Errorf("Members = %+v, want the remaining owner alone", members)
	}
	wantOK(t, "FreePath", s.FreePath(t.Context(), u.Username, 0))
	wantDead(t, s, signedIn.UserID, must[user.User](t)(s.CreateUser(t.Context(), u)))
	if found, err := s.AccessTokenByDigest(t.Context(), token.Digest); err == nil && found.UserID != u.ID {
		t.Errorf("the token of user %d went to user %d", u.ID, found.UserID)
	}
}

// wantDead checks that a new user can have the names of a removed one, but not the
// id, so that nothing that refers to the id becomes valid again.
func wantDead(t *testing.T, s storage.Store, id int64, successor user.User) {
	t.Helper()
	if successor.ID <= id {
		t.Errorf("CreateUser gave id %d after user %d was removed, want a higher one", successor.ID, id)
	}
	_, err := s.User(t.Context(), id)
	wantError(t, "User", err, user.ErrNotFound)
	for _, login := range []string{successor.Username, successor.Email} {
		wantSame(t, "UserByLogin", must[user.User](t)(s.UserByLogin(t.Context(), login)), successor)
	}
}

// addRecordsOfUser returns one record of each kind that a user has one of, and two of the kind
// that a user has several of, one of which has no slot.
func addRecordsOfUser(t *testing.T, s storage.Store, id int64) (all []record.Record) {
	t.Helper()
	for _, k := range record.OnePerUser {
		numbered := newRecord(k, record.Instance, nil)
		numbered.Number = id
		all = append(all, must[record.Record](t)(s.ChangeRecord(t.Context(), record.Record{Kind: k, Number: id}, numbered)))
	}
	for _, words := range []record.Words{nil, slotOfUser(id)} {
		listed := newListed(record.OwnWebhook, record.Instance, record.ListOfUser(id))
		listed.Words = words
		all = append(all, addRecord(t, s, listed))
	}
	return all
}

func slotOfUser(id int64) record.Words {
	return record.Words{record.Slot: record.SlotWord(record.SlotsOfUser(id), 1)}
}

func deleteUserWithRecords(t *testing.T, s storage.Store) {
	other, u := addUser(t, s), addUser(t, s)
	stay, gone := addRecordsOfUser(t, s, other.ID), addRecordsOfUser(t, s, u.ID)
	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), u.ID, 0, now))
	for _, r := range gone {
		wantNoRecord(t, s, r)
	}
	wantLists(t, s, record.OwnWebhook, []record.List{record.ListOfUser(u.ID)})
	addRecord(t, s, newRecord(record.OwnWebhook, record.Instance, slotOfUser(u.ID))) // the word is free
	for _, r := range stay {
		r.Lists = nil
		wantRecord(t, s, r)
	}
	_, err := s.CreateRecord(t.Context(), newRecord(record.OwnWebhook, record.Instance, slotOfUser(other.ID)), false)
	wantTaken(t, "CreateRecord with the slot of another user", err, record.Slot)
}

func deleteUserWithProjects(t *testing.T, s storage.Store) {
	u := addUser(t, s)
	p := addProject(t, s, namespaceOf(t, s, u))
	wantError(t, "DeleteUser with a project", s.DeleteUser(t.Context(), u.ID, 0, now), user.ErrHoldsProjects)
	wantSame(t, "User", must[user.User](t)(s.User(t.Context(), u.ID)), u)
	wantSame(t, "UserByLogin", must[user.User](t)(s.UserByLogin(t.Context(), u.Email)), u)

	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))
	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), u.ID, 0, now))
}

func raceDeleteUser(t *testing.T, s storage.Store) {
	for range 8 {
		u := addUser(t, s)
		namespace := namespaceOf(t, s, u)
		errs := race(2, func(i int) error {
			if i == 0 {
				return s.DeleteUser(t.Context(), u.ID, 0, now)
			}
			_, err := s.CreateProject(t.Context(), newProject(namespace))
			return err
		})
		wantOneWinner(t, "DeleteUser and CreateProject", errs, is(user.ErrHoldsProjects, project.ErrGroupNotFound))
	}
}
