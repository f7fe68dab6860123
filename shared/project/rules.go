package project

import (
	"cmp"
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/reservation"
	"gatehouse/shared/route"
	"gatehouse/shared/text"
	"gatehouse/shared/throttle"
)

// maxDepth bounds how deep groups nest, so that a lineage stays small.
const maxDepth = 20

// Rules create, change and delete groups and projects with their members and
// environments. Each such method records it in the audit trail.
type Rules struct {
	Reader
	store    Store
	trail    *audit.Trail
	attempts *throttle.Rules
	policies Policies
	now      func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, trail *audit.Trail, attempts *throttle.Rules, policies Policies, now func() time.Time) *Rules {
	return &Rules{store, store, trail, attempts, policies, now}
}

// errTopLevel refuses a top-level group.
var errTopLevel = fault.New(fault.Forbidden, "only administrators make top-level groups here")

// FindProject returns the project with this reference: its id in digits or its
// full path in any letter case.
func (r *Rules) FindProject(ctx context.Context, reference string) (Project, error) {
	if id, ok := referenceID(reference); ok {
		return r.Project(ctx, id)
	}
	return r.ProjectByPath(ctx, reference)
}

// FindGroup returns the group with such a reference.
func (r *Rules) FindGroup(ctx context.Context, reference string) (Group, error) {
	if id, ok := referenceID(reference); ok {
		return r.Group(ctx, id)
	}
	return r.GroupByPath(ctx, reference)
}

// referenceID parses a reference that is an id. No path is all digits.
func referenceID(reference string) (int64, bool) {
	id, err := strconv.ParseInt(reference, 10, 64)
	return id, err == nil && id > 0
}

// Draft describes a new group or project.
type Draft struct {
	Name, Path string
	Visibility Visibility // of a group: empty is the one of the Policy
}

// ProjectDraft returns the draft of a project with a name, a path or both. A
// missing one is derived from the other.
func ProjectDraft(name, path string, v Visibility) Draft {
	switch {
	case path == "":
		path = slug(name)
	case name == "":
		name = path
	}
	return Draft{Name: name, Path: path, Visibility: v}
}

var notInSlug = regexp.MustCompile(`[^a-z0-9_.]+`)

// slug turns a name into a path segment: "Web shop" into "web-shop". The
// result may still be an invalid path.
func slug(name string) string {
	return strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(name), "-"), "-.")
}

// check returns what is wrong with the draft below this parent, which is the zero
// Group for the top.
func (d Draft) check(parent Group) fault.Fields {
	complaints := fault.Fields{}
	complaints.Add("name", text.CheckName(d.Name))
	check := route.CheckSegment
	if parent.ID == 0 {
		check = route.CheckTopLevel
	}
	complaints.Add("path", cmp.Or(check(d.Path), route.CheckFullPath(parent.FullPath+"/"+d.Path)))
	if !d.Visibility.Valid() {
		complaints.Add("visibility", "is not included in the list")
	}
	return complaints
}

// CreateGroup creates a group below a parent, or at the top when the parent is
// the zero Group, with the settings that the edits make of those of the Policy. The user in
// whose name the actor acts becomes its owner.
func (r *Rules) CreateGroup(ctx context.Context, by audit.Actor, d Draft, parent Group, edits ...Edit[GroupSettings]) (Group, error) {
	return r.CreateGroupIn(ctx, by, d, func(context.Context) (Group, error) { return parent, nil }, edits...)
}

// CreateGroupIn is CreateGroup below the parent that find returns, or its error where the
// actor may not create groups there. The parent is read together with the Policy.
func (r *Rules) CreateGroupIn(ctx context.Context, by audit.Actor, d Draft, find func(context.Context) (Group, error), edits ...Edit[GroupSettings]) (Group, error) {
	var parent Group
	var policy Policy
	reads, both := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		parent, err = find(both)
		return err
	})
	reads.Go(func() (err error) {
		policy, err = r.Policy(both)
		return err
	})
	if err := reads.Wait(); err != nil {
		return Group{}, err
	}
	if parent.ID == 0 {
		if err := r.checkTopLevel(ctx, by, policy); err != nil {
			return Group{}, err
		}
	}
	if d.Visibility == "" {
		d.Visibility = policy.VisibilityOfGroup(parent)
	}
	return r.createGroup(ctx, by, d, parent, policy.NewGroups, edits)
}

// createGroup creates the group with the settings that the edits make of these.
func (r *Rules) createGroup(ctx context.Context, by audit.Actor, d Draft, parent Group, settings GroupSettings, edits []Edit[GroupSettings]) (Group, error) {
	complaints := d.check(parent)
	g := Group{Name: d.Name, Path: d.Path, FullPath: d.Path, Visibility: d.Visibility, Settings: settings, CreatedAt: r.now()}
	if parent.ID != 0 {
		complaints.Add("visibility", notWider(d.Visibility, parent.Visibility))
		g.ParentID, g.Ancestors, g.FullPath = parent.ID, parent.Lineage(), parent.FullPath+"/"+d.Path
	}
	if len(g.Ancestors) >= maxDepth {
		complaints.Add("parent_id", "is nested too deeply")
	}
	if parent.OwnerID != 0 {
		complaints.Add("parent_id", "is a user's namespace, which holds projects only")
	}
	if err := edit(&g.Settings, edits, complaints); err != nil {
		return Group{}, err
	}
	g, err := reservation.Take(ctx, r.store, r.trail, by, g.FullPath, func() (Group, error) {
		if parent.ID == 0 {
			return r.store.CreateGroupWithin(ctx, MaxTopLevelGroups, g, by.UserID)
		}
		return r.store.CreateGroup(ctx, g, by.UserID)
	})
	if err != nil {
		return Group{}, err
	}
	r.trail.Record(ctx, by.Event(EventGroupCreated, g.details()))
	return g, nil
}

// checkAdministrator returns the refusal unless the actor acts in the name of an active
// administrator.
func (r *Rules) checkAdministrator(ctx context.Context, by audit.Actor, refusal error) error {
	u, err := r.store.User(ctx, by.UserID)
	if err == nil && (by.Bound || !u.Administers()) {
		return refusal
	}
	return err
}

// CreateProject creates a project in a namespace, with the settings that the edits make
// of the defaults.
func (r *Rules) CreateProject(ctx context.Context, by audit.Actor, d Draft, namespace Group, edits ...Edit[ProjectSettings]) (Project, error) {
	complaints := d.check(namespace)
	if namespace.OwnerID == 0 {
		complaints.Add("visibility", notWider(d.Visibility, namespace.Visibility))
	}
	p := Project{
		NamespaceID: namespace.ID, NamespacePath: namespace.FullPath, OwnerID: namespace.OwnerID,
		Lineage: namespace.Lineage(), Name: d.Name, Path: d.Path, FullPath: namespace.FullPath + "/" + d.Path,
		Visibility: d.Visibility, CreatedAt: r.now(),
	}
	if err := edit(&p.Settings, edits, complaints); err != nil {
		return Project{}, err
	}
	p, err := r.store.CreateProject(ctx, p)
	if err != nil {
		return Project{}, err
	}
	r.trail.Record(ctx, p.event(EventProjectCreated, by))
	return p, nil
}

// Change lists the new values for a group or project; nil keeps the old one.
// A Path other than the present one is refused: paths are permanent, because
// monitoring tools are set up with addresses that contain them.
type Change struct {
	Name, Path *string
	Visibility *Visibility
}

// apply changes the name and visibility, and returns what is wrong with them. The
// visibility may be neither wider than above nor narrower than below.
func (c Change) apply(name *string, path string, visibility *Visibility, above, below Visibility) fault.Fields {
	complaints := fault.Fields{}
	if c.Name != nil {
		complaints.Add("name", text.CheckName(*c.Name))
		*name = *c.Name
	}
	if c.Path != nil && *c.Path != path {
		complaints.Add("path", "cannot be changed")
	}
	if c.Visibility != nil {
		if !c.Visibility.Valid() {
			complaints.Add("visibility", "is not included in the list")
		} else {
			complaints.Add("visibility", notWider(*c.Visibility, above))
			complaints.Add("visibility", notNarrower(*c.Visibility, below))
		}
		*visibility = *c.Visibility
	}
	return complaints
}

// ChangeGroup changes a group and its settings. Nothing in the group may be wider than
// it.
func (r *Rules) ChangeGroup(ctx context.Context, by audit.Actor, g Group, c Change, edits ...Edit[GroupSettings]) (Group, error) {
	if g.OwnerID != 0 {
		return Group{}, fault.New(fault.Invalid, "a user's namespace changes with the user")
	}
	was, below := g, Private
	above, err := r.visibilityOf(ctx, g.ParentID)
	if err == nil && c.Visibility != nil && g.Visibility.Wider(*c.Visibility) {
		below, err = r.WidestBelow(ctx, g.ID)
	}
	if err != nil {
		return Group{}, err
	}
	complaints := c.apply(&g.Name, g.Path, &g.Visibility, above, below)
	if err := edit(&g.Settings, edits, complaints); err != nil {
		return Group{}, err
	}
	if err := r.store.UpdateGroup(ctx, g); err != nil {
		return Group{}, err
	}
	g.Version++
	changed := changes(g.Name != was.Name, g.Visibility != was.Visibility, was.Settings, g.Settings)
	r.trail.Record(ctx, changeEvents(by.Event(EventGroupChanged, g.details()), changed, was.Visibility)...)
	return g, nil
}

// ChangeProject changes a project and its settings.
func (r *Rules) ChangeProject(ctx context.Context, by audit.Actor, p Project, c Change, edits ...Edit[ProjectSettings]) (Project, error) {
	was, parent := p, p.NamespaceID
	if p.OwnerID != 0 {
		parent = 0
	}
	above, err := r.visibilityOf(ctx, parent)
	if err != nil {
		return Project{}, err
	}
	complaints := c.apply(&p.Name, p.Path, &p.Visibility, above, Private)
	if err := edit(&p.Settings, edits, complaints); err != nil {
		return Project{}, err
	}
	if err := r.store.UpdateProject(ctx, p); err != nil {
		return Project{}, err
	}
	p.Version++
	changed := changes(p.Name != was.Name, p.Visibility != was.Visibility, was.Settings, p.Settings)
	r.trail.Record(ctx, changeEvents(p.event(EventProjectChanged, by), changed, was.Visibility)...)
	return p, nil
}

// visibilityOf returns the visibility of the group with this id; Public for
// zero, which is above the top.
func (r *Rules) visibilityOf(ctx context.Context, groupID int64) (Visibility, error) {
	if groupID == 0 {
		return Public, nil
	}
	g, err := r.Group(ctx, groupID)
	return g.Visibility, err
}

// DeleteGroup deletes an empty group.
func (r *Rules) DeleteGroup(ctx context.Context, by audit.Actor, g Group) error {
	return r.trail.Do(ctx, by.Event(EventGroupDeleted, g.details()), func(ctx context.Context) error {
		return r.store.DeleteGroup(ctx, g.ID, r.now())
	})
}

// DeleteProject deletes a project with all that belongs to it.
func (r *Rules) DeleteProject(ctx context.Context, by audit.Actor, p Project) error {
	return r.trail.Do(ctx, p.event(EventProjectDeleted, by), func(ctx context.Context) error {
		return r.store.DeleteProject(ctx, p.ID)
	})
}

func notWider(v, above Visibility) string {
	if v.Valid() && v.Wider(above) {
		return "is wider than that of the group it is in (" + string(above) + ")"
	}
	return ""
}

func notNarrower(v, below Visibility) string {
	if below.Wider(v) {
		return "is narrower than that of something in the group (" + string(below) + ")"
	}
	return ""
}
