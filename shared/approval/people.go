package approval

import (
	"context"
	"slices"
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
	members  map[int64][]project.Member // direct ones from Developers on, by group
	users    map[int64]user.User        // that those members are, as far as they are shown
	authorID int64                      // may not approve; zero: everybody may
}

// People reads the users and groups that these rules of the scope name, all at once,
// and who of the first hundred members of each group can approve.
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
	ids := who.unread(rules)
	if len(ids) == 0 {
		return who, nil
	}
	var err error
	who.users, err = r.store.UsersByID(ctx, ids)
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
			into[id] = slices.DeleteFunc(found.Items, func(m project.Member) bool { return m.Role < project.Developer })
			return err
		})
	}
}

// unread returns the ids of the users whom answers about the rules show, as far as no
// rule names them.
func (who People) unread(rules []Rule) []int64 {
	ids := distinct(rules, who.candidates)
	return slices.DeleteFunc(ids, func(id int64) bool {
		_, known := who.named[id]
		return known
	})
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

// Eligible returns the users who can approve by the rule: those of its candidates who
// are not blocked.
func (who People) Eligible(rule Rule) (users []user.User) {
	for _, id := range who.candidates(rule) {
		if u, known := who.user(id); known && !u.Blocked() {
			users = append(users, u)
		}
	}
	return users
}

func (who People) user(id int64) (u user.User, known bool) {
	if named, isNamed := who.named[id]; isNamed {
		return named.User, true
	}
	u, known = who.users[id]
	return u, known
}

// candidates returns the ids of the first hundred users who approve by the rule unless
// they are blocked: those that it names and the direct members of its groups, from
// Developers on.
func (who People) candidates(rule Rule) (ids []int64) {
	added := map[int64]bool{who.authorID: true}
	add := func(id int64, role project.Role) {
		if role >= project.Developer && !added[id] && len(ids) < maxEligible {
			ids = append(ids, id)
			added[id] = true
		}
	}
	for _, id := range rule.UserIDs {
		add(id, who.named[id].Role)
	}
	for _, id := range rule.GroupIDs {
		for _, m := range who.members[id] {
			add(m.UserID, m.Role)
		}
	}
	return ids
}
