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
		r := s.Thing
		return !slices.ContainsFunc(f.Statuses, func(wanted Status) bool { return !wanted.isAfter(r.ContactedAt, now) }) &&
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

// maxLists is how many lists make up one's own runners. Each is a read for a page.
const maxLists = 100

// Own returns a page of the runners that the viewer manages as a member of groups and
// projects or as the owner of a namespace.
func (r *Rules) Own(ctx context.Context, v project.Viewer, f Filter, req page.Request) (page.Of[Stored], error) {
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
	if lists := r.managedBy(v, f); len(lists) <= maxLists {
		return r.listed(ctx, lists, f, req)
	}
	return r.searchOwn(ctx, v, f, req)
}

// managedBy returns the lists of what the viewer manages. A project has only runners of
// its own.
func (r *Rules) managedBy(v project.Viewer, f Filter) (lists []record.List) {
	if v.NamespaceID != 0 && f.has(ProjectType) {
		lists = append(lists, below(project.Place{Kind: project.InGroup, ID: v.NamespaceID}, ProjectType))
	}
	now := r.now()
	for _, m := range v.Memberships {
		for _, t := range []Type{GroupType, ProjectType} {
			has := m.Kind == project.InGroup || t == ProjectType
			if has && f.has(t) && m.Active(now) && m.Role >= roleToManage(t) {
				lists = append(lists, below(m.Place, t))
			}
		}
	}
	return lists
}

// searchOwn looks through all runners for those that a viewer manages in too many
// places.
func (r *Rules) searchOwn(ctx context.Context, v project.Viewer, f Filter, req page.Request) (page.Of[Stored], error) {
	now := r.now()
	keep := f.keep(now)
	return runners.Listed(ctx, r.store, []record.List{all}, record.Find[Runner]{
		May: func(e record.Record) bool {
			h := readHint(e.Hint)
			return f.has(TypeOf(e.Place)) && f.may(h, now) && manages(v, h.stand(e), now)
		},
		Keep: func(s Stored) bool {
			return f.has(TypeOf(s.Place)) && manages(v, s, now) && (keep == nil || keep(s))
		},
	}, req)
}

func (r *Rules) listed(ctx context.Context, in []record.List, f Filter, req page.Request) (page.Of[Stored], error) {
	now := r.now()
	return runners.Listed(ctx, r.store, in, record.Find[Runner]{
		May: func(e record.Record) bool { return f.may(readHint(e.Hint), now) }, Keep: f.keep(now),
	}, req)
}

// manages reports whether the viewer, whose memberships are known, manages a runner.
func manages(v project.Viewer, s Stored, now time.Time) bool {
	t := TypeOf(s.Place)
	return v.Admin || t != InstanceType && v.RoleIn(home(s), now) >= roleToManage(t)
}
