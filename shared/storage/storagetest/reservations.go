package storagetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/reservation"
	"gatehouse/shared/storage"
	"gatehouse/shared/user"
)

var reservedPaths = []promise{
	{"of a deleted group are for its owners", reservedForOwners},
	{"of a deleted user are for nobody", reservedForNobody},
	{"do not hide a taken address", reservedBesideTaken},
	{"below the top are free at once", freeBelowTheTop},
	{"are free after a year", freeAfterAYear},
	{"are freed by administrators", freedByAdministrators},
	{"that owners race for go to one", raceForReserved},
}

// removedGroup returns a top-level group of these owners that is deleted.
func removedGroup(t *testing.T, s storage.Store, owners ...user.User) project.Group {
	t.Helper()
	g := addGroup(t, s, owners[0].ID)
	for _, u := range owners[1:] {
		addMember(t, s, g.Place(), u.ID, project.Owner)
	}
	wantOK(t, "DeleteGroup", s.DeleteGroup(t.Context(), g.ID, now))
	return g
}

// wantReserved checks that the path in this field is reserved.
func wantReserved(t *testing.T, call string, err error, field string) {
	t.Helper()
	var refused reservation.Refused
	var complaints fault.Fields
	if !errors.As(err, &refused) || !errors.As(err, &complaints) || len(complaints) != 1 || complaints[field] == nil {
		t.Errorf("%s = %v, want that the %s is reserved", call, err, field)
	}
}

func reservedForOwners(t *testing.T, s storage.Store) {
	creator, second, maintainer, former, stranger := addUser(t, s), addUser(t, s), addUser(t, s), addUser(t, s), addUser(t, s)
	g := addGroup(t, s, creator.ID)
	addMember(t, s, g.Place(), second.ID, project.Owner)
	addMember(t, s, g.Place(), maintainer.ID, project.Maintainer)
	ended := project.Member{Place: g.Place(), UserID: former.ID, Role: project.Owner, ExpiresAt: now, CreatedAt: now}
	wantOK(t, "AddMember", s.AddMember(t.Context(), ended))
	wantOK(t, "DeleteGroup", s.DeleteGroup(t.Context(), g.ID, now))

	same := groupAt(project.Group{}, strings.ToUpper(g.Path))
	for name, u := range map[string]user.User{"a maintainer": maintainer, "a former owner": former, "a stranger": stranger} {
		_, err := s.CreateGroup(t.Context(), same, u.ID)
		wantReserved(t, "CreateGroup by "+name, err, "path")
	}
	named := newUser()
	named.Username = g.Path
	_, err := s.CreateUser(t.Context(), named)
	wantReserved(t, "CreateUser", err, "username")
	_, err = s.GroupByPath(t.Context(), g.Path)
	wantError(t, "GroupByPath", err, project.ErrGroupNotFound)
	_, err = s.UserByLogin(t.Context(), g.Path)
	wantError(t, "UserByLogin", err, user.ErrNotFound)

	again := must[project.Group](t)(s.CreateGroup(t.Context(), same, second.ID))
	wantGroup(t, s, again)
	_, err = s.CreateGroup(t.Context(), same, creator.ID)
	wantTaken(t, "CreateGroup with the path that another owner took", err, "path")
	wantError(t, "FreePath of a path in use", s.FreePath(t.Context(), g.Path, 0), reservation.ErrNone)
	wantGroup(t, s, again)
	wantOK(t, "DeleteGroup", s.DeleteGroup(t.Context(), again.ID, now.Add(time.Hour)))
	_, err = s.CreateGroup(t.Context(), same, creator.ID)
	wantReserved(t, "CreateGroup by an owner of the group before", err, "path")
}

func reservedForNobody(t *testing.T, s storage.Store) {
	u, stranger := addUser(t, s), addUser(t, s)
	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), u.ID, 0, now))
	again := newUser()
	again.Username, again.Email = strings.ToLower(u.Username), u.Email
	_, err := s.CreateUser(t.Context(), again)
	wantReserved(t, "CreateUser", err, "username")
	_, err = s.CreateGroup(t.Context(), groupAt(project.Group{}, u.Username), stranger.ID)
	wantReserved(t, "CreateGroup", err, "path")
	again.Username = unique("User")
	_, err = s.CreateUser(t.Context(), again)
	wantOK(t, "CreateUser with the address alone", err)
}

func reservedBesideTaken(t *testing.T, s storage.Store) {
	u, other := addUser(t, s), addUser(t, s)
	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), u.ID, 0, now))
	u.Email = other.Email
	_, err := s.CreateUser(t.Context(), u)
	wantTaken(t, "CreateUser", err, "email")
}

func freeBelowTheTop(t *testing.T, s storage.Store) {
	creator, other := addUser(t, s), addUser(t, s)
	top := addGroup(t, s, creator.ID)
	below, p := addSubgroup(t, s, top, creator.ID), addProject(t, s, top)
	wantOK(t, "DeleteGroup", s.DeleteGroup(t.Context(), below.ID, now))
	wantOK(t, "DeleteProject", s.DeleteProject(t.Context(), p.ID))
	for _, path := range []string{below.Path, p.Path} {
		_, err := s.CreateGroup(t.Context(), groupAt(top, path), other.ID)
		wantOK(t, "CreateGroup with the path of what was in the group", err)
	}
}

func freeAfterAYear(t *testing.T, s storage.Store) {
	creator, stranger, u := addUser(t, s), addUser(t, s), addUser(t, s)
	g := removedGroup(t, s, creator)
	wantOK(t, "DeleteUser", s.DeleteUser(t.Context(), u.ID, 0, now))
	for _, path := range []string{g.Path, u.Username} {
		late := groupAt(project.Group{}, path)
		late.CreatedAt = now.AddDate(0, 0, 365).Add(-time.Microsecond)
		_, err := s.CreateGroup(t.Context(), late, stranger.ID)
		wantReserved(t, "CreateGroup before the year is over", err, "path")
		late.CreatedAt = now.AddDate(0, 0, 365)
		_, err = s.CreateGroup(t.Context(), late, stranger.ID)
		wantOK(t, "CreateGroup after a year", err)
	}
}

func freedByAdministrators(t *testing.T, s storage.Store) {
	root, creator, stranger := addUser(t, s), addUser(t, s), addUser(t, s)
	stranger.Admin = false
	wantOK(t, "UpdateUser", s.UpdateUser(t.Context(), stranger, 0))
	g := removedGroup(t, s, creator)
	for name, by := range map[string]int64{"no administrator": stranger.ID, "an unknown id": unknownID} {
		wantError(t, "FreePath by "+name, s.FreePath(t.Context(), g.Path, by), user.ErrNotAdministrator)
	}
	same := groupAt(project.Group{}, g.Path)
	_, err := s.CreateGroup(t.Context(), same, stranger.ID)
	wantReserved(t, "CreateGroup after that", err, "path")

	wantOK(t, "FreePath", s.FreePath(t.Context(), strings.ToUpper(g.Path), root.ID))
	wantError(t, "FreePath again", s.FreePath(t.Context(), g.Path, root.ID), reservation.ErrNone)
	wantError(t, "FreePath of an unknown path", s.FreePath(t.Context(), unique("nothing"), root.ID), reservation.ErrNone)
	_, err = s.CreateGroup(t.Context(), same, stranger.ID)
	wantOK(t, "CreateGroup", err)
}

func raceForReserved(t *testing.T, s storage.Store) {
	var owners []user.User
	for range 8 {
		owners = append(owners, addUser(t, s))
	}
	g := removedGroup(t, s, owners...)
	errs := race(8, func(i int) error {
		_, err := s.CreateGroup(t.Context(), groupAt(project.Group{}, g.Path), owners[i].ID)
		return err
	})
	wantOneWinner(t, "CreateGroup", errs, isTaken("path"))
}
