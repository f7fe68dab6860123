package runner

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// Filter selects runners; what is empty selects all.
type Filter struct {
	Type     Type
	Statuses []Status // each of them: two different ones select nothing
	Paused   []bool   // likewise
	Tags     []string // those that a runner must have
}

// keep returns what a list looks for at a time; nil if that is everything. Lists are
// chosen by the type.
func (f Filter) keep(now time.Time) func(Stored) bool {
	if len(f.Statuses)+len(f.Paused)+len(f.Tags) == 0 {
		return nil
	}
	return func(s Stored) bool {
		r, status := s.Thing, s.Thing.StatusAt(now)
		return !slices.ContainsFunc(f.Statuses, func(wanted Status) bool { return wanted != status }) &&
			!slices.Contains(f.Paused, !r.Paused) &&
			!slices.ContainsFunc(f.Tags, func(tag string) bool { return !slices.Contains(r.Tags, tag) })
	}
}

func (f Filter) has(t Type) bool { return f.Type == "" || f.Type == t }

// All returns a page of all runners, the newest first.
func (r *Rules) All(ctx context.Context, f Filter, req page.Request) (page.Of[Stored], error) {
	list := all
	if f.Type != "" {
		list = below(record.Instance, f.Type)
	}
	return r.listed(ctx, []record.List{list}, f, req)
}

// OfProject returns a page of the runners that take jobs of the project: those of the
// instance, of the groups above, and of the project or assigned to it.
func (r *Rules) OfProject(ctx context.Context, p project.Project, f Filter, req page.Request) (page.Of[Stored], error) {
	lists := ofGroups(p.Lineage, f)
	if f.has(ProjectType) {
		lists = append(lists, usableIn(p.Place()))
	}
	return r.listed(ctx, lists, f, req)
}

// OfGroup returns a page of the runners that take jobs of the projects in the group:
// those of the instance, of the group and of the groups above.
func (r *Rules) OfGroup(ctx context.Context, g project.Group, f Filter, req page.Request) (page.Of[Stored], error) {
	return r.listed(ctx, ofGroups(g.Lineage(), f), f, req)
}

func ofGroups(ids []int64, f Filter) (lists []record.List) {
	if f.has(InstanceType) {
		lists = append(lists, below(record.Instance, InstanceType))
	}
	if f.has(GroupType) {
		for _, id := range ids {
			lists = append(lists, usableIn(project.Place{Kind: project.InGroup, ID: id}))
		}
	}
	return lists
}

// maxPlaces is how many groups and projects a list of one's own runners asks for
// theirs.
const maxPlaces = 50

// Own returns a page of the runners that the viewer manages as a member of groups and
// projects or as the owner of a namespace.
func (r *Rules) Own(ctx context.Context, v project.Viewer, f Filter, req page.Request) (page.Of[Stored], error) {
	some, err := r.store.SomeMemberships(ctx, v.UserID, maxPlaces+1)
	if err != nil {
		return page.Of[Stored]{}, err
	}
	if len(some) > maxPlaces {
		return r.searchOwn(ctx, v, f, req)
	}
	return r.listed(ctx, r.managedBy(v, some, f), f, req)
}

// managedBy returns the lists of what a user with these memberships manages.
func (r *Rules) managedBy(v project.Viewer, ms project.Memberships, f Filter) (lists []record.List) {
	if v.NamespaceID != 0 && f.has(ProjectType) {
		lists = append(lists, below(project.Place{Kind: project.InGroup, ID: v.NamespaceID}, ProjectType))
	}
	for _, m := range ms {
		for _, t := range []Type{GroupType, ProjectType} {
			if f.has(t) && m.Active(r.now()) && m.Role >= roleToManage(t) {
				lists = append(lists, below(m.Place, t))
			}
		}
	}
	return lists
}

// searchOwn looks through all runners for those that a user with many memberships
// manages.
func (r *Rules) searchOwn(ctx context.Context, v project.Viewer, f Filter, req page.Request) (page.Of[Stored], error) {
	found := make([]project.Memberships, 2)
	reads, readCtx := errgroup.WithContext(ctx)
	for n, k := range []project.Kind{project.InGroup, project.InProject} {
		reads.Go(func() (err error) {
			found[n], err = r.store.MembershipsIn(readCtx, k, v.UserID)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return page.Of[Stored]{}, err
	}
	v.Memberships, v.Admin = slices.Concat(found...), false
	now := r.now()
	keep := f.keep(now)
	return runners.Listed(ctx, r.store, []record.List{all}, func(s Stored) bool {
		return f.has(TypeOf(s.Place)) && manages(v, s, now) && (keep == nil || keep(s))
	}, req)
}

func (r *Rules) listed(ctx context.Context, in []record.List, f Filter, req page.Request) (page.Of[Stored], error) {
	return runners.Listed(ctx, r.store, in, f.keep(r.now()), req)
}

// manages reports whether the viewer, whose memberships are known, manages a runner.
func manages(v project.Viewer, s Stored, now time.Time) bool {
	t := TypeOf(s.Place)
	return v.Admin || t != InstanceType && v.RoleIn(home(s), now) >= roleToManage(t)
}
