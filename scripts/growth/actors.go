package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"strconv"

	"gatehouse/shared/audit"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
)

// actors are the values of people who each send alerts to a project and work with
// it.
type actors []map[string]string

const actorsPassword = "a walk in the park"

// newActors adds people to a store. Each is in two projects and in the group of a
// third.
func newActors(ctx context.Context, s *site, n int) (all actors, err error) {
	for i := range n {
		values := map[string]string{"password": url.QueryEscape(actorsPassword)}
		if err := s.addActor(ctx, i*s.size.projects/n, values); err != nil {
			return nil, fmt.Errorf("actor %d: %w", i, err)
		}
		all = append(all, values)
	}
	return all, nil
}

func (s *site) addActor(ctx context.Context, offset int, values map[string]string) error {
	values["login"] = "actor-" + hex.EncodeToString(secret.Random(6))
	u, err := s.Users.Create(ctx, audit.Setup, user.Registration{
		Username: values["login"], Name: "The actor " + values["login"], Email: values["login"] + "@example.com",
		Password: secret.NewText(actorsPassword),
	})
	if err != nil {
		return err
	}
	values["user"] = strconv.FormatInt(u.ID, 10)
	if err := s.letIn(ctx, u, "actor", values); err != nil {
		return err
	}
	p, err := s.joinPlaces(ctx, u, offset)
	if err != nil {
		return err
	}
	values["project"], values["path"] = strconv.FormatInt(p.ID, 10), url.PathEscape(p.FullPath)
	if err := s.addIntakeOf(ctx, p, values); err != nil {
		return err
	}
	s.act(values)
	if err := allowActor(s); err != nil {
		return err
	}
	values["actor"] = s.values["actor"]
	return nil
}

// joinPlaces makes a user a member, and returns the project that the user maintains.
func (s *site) joinPlaces(ctx context.Context, u user.User, offset int) (own project.Project, err error) {
	for n, role := range []project.Role{project.Maintainer, project.Developer, project.Reporter} {
		id := int64(1 + (offset+n*n)%s.size.projects)
		p, err := s.store.Project(ctx, id)
		if err != nil {
			return own, err
		}
		at := p.Place()
		switch {
		case n == 0:
			own = p
		case n == 2 && p.OwnerID == 0:
			at = project.Place{Kind: project.InGroup, ID: p.NamespaceID}
		}
		if err := s.store.AddMember(ctx, project.Member{Place: at, UserID: u.ID, Role: role, CreatedAt: s.Now()}); err != nil {
			return own, err
		}
	}
	return own, nil
}

// act makes the calls that follow those of an actor.
func (s *site) act(as map[string]string) { maps.Copy(s.values, as) }
