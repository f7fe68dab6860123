package approval

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/page"
	"gatehouse/shared/participant"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

// People are the users and groups that rules name, with the groups' members.
type People struct {
	named    map[int64]participant.Participant
	groups   map[int64]project.Group
	members  map[int64][]project.Member // direct ones, by group
	users    map[int64]user.User        // that the groups' members are
	authorID int64                      // may not approve; zero: everybody may
}

// People reads the users and groups that these rules of the scope name, all at once,
// and the first hundred members of each group.
func (r *Rules) People(ctx context.Context, at Scope, rules ...Rule) (People, error) {
	who := People{members: map[int64][]project.Member{}}
	groupIDs := namedGroups(rules)
	reads, group := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		who.named, err = participant.Find(group, r.store, at.Project, namedUsers(rules), r.now())
		return err
	})
	reads.Go(func() (err error) {
		who.groups, err = r.store.GroupsByID(group, groupIDs)
		return err
	})
	if at.AuthorID != 0 {
		reads.Go(func() error { return r.excludeAuthor(group, at, &who) })
	}
	r.readMembers(group, reads, groupIDs, who.members)
	if err := reads.Wait(); err != nil {
		return People{}, err
	}
	var err error
	who.users, err = r.membersByID(ctx, who.members)
	return who, err
}

// excludeAuthor notes the author of the merge request, unless authors approve.
func (r *Rules) excludeAuthor(ctx context.Context, at Scope, who *People) error {
	s, err := r.Settings(ctx, at.Project)
	if !s.ByAuthors {
		who.authorID = at.AuthorID
	}
	return err
}

func (r *Rules) readMembers(ctx context.Context, reads *errgroup.Group, groupIDs []int64, into map[int64][]project.Member) {
	var mu sync.Mutex
	for _, id := range groupIDs {
		reads.Go(func() error {
			first := page.Request{Number: 1, Size: page.MaxSize}
			found, err := r.store.Members(ctx, r.now(), first, project.Place{Kind: project.InGroup, ID: id})
			mu.Lock()
			defer mu.Unlock()
			into[id] = found.Items
			return err
		})
	}
}

func (r *Rules) membersByID(ctx context.Context, members map[int64][]project.Member) (map[int64]user.User, error) {
	var ids []int64
	for _, some := range members {
		for _, m := range some {
			ids = append(ids, m.UserID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return r.store.UsersByID(ctx, ids)
}

// Users returns the users that the rule names and that still exist.
func (who People) Users(rule Rule) (users []user.User) {
	for _, id := range rule.UserIDs {
		if named, known := who.named[id]; known {
			users = append(users, named.User)
		}
	}
	return users
}

// Groups returns the groups that the rule names.
func (who People) Groups(rule Rule) (groups []project.Group) {
	for _, id := range rule.GroupIDs {
		if g, known := who.groups[id]; known {
			groups = append(groups, g)
		}
	}
	return groups
}

// Eligible returns the first hundred users who can approve by the rule: those that it
// names and the direct members of its groups, from Developers on.
func (who People) Eligible(rule Rule) (users []user.User) {
	added := map[int64]bool{who.authorID: true}
	add := func(u user.User, role project.Role) {
		if role >= project.Developer && !u.Blocked() && !added[u.ID] && len(users) < maxEligible {
			users = append(users, u)
			added[u.ID] = true
		}
	}
	for _, id := range rule.UserIDs {
		add(who.named[id].User, who.named[id].Role)
	}
	for _, id := range rule.GroupIDs {
		for _, m := range who.members[id] {
			add(who.users[m.UserID], m.Role)
		}
	}
	return users
}
