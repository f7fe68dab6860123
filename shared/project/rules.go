package project

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/route"
	"gatehouse/shared/text"
)

// maxDepth bounds how deep groups nest, so that a lineage stays small.
const maxDepth = 20

// Rules creates and changes groups, projects and memberships.
type Rules struct {
	Store
	now func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, now func() time.Time) *Rules { return &Rules{store, now} }

// FindProject returns the project that a reference names: an id in digits or
// a full path in any letter case.
func (r *Rules) FindProject(ctx context.Context, reference string) (Project, error) {
	if id, ok := referenceID(reference); ok {
		return r.Project(ctx, id)
	}
	return r.ProjectByPath(ctx, reference)
}

// FindGroup returns the group that a reference names, likewise.
func (r *Rules) FindGroup(ctx context.Context, reference string) (Group, error) {
	if id, ok := referenceID(reference); ok {
		return r.Group(ctx, id)
	}
	return r.GroupByPath(ctx, reference)
}

// referenceID reads a reference that is an id; no path is all digits.
func referenceID(reference string) (int64, bool) {
	id, err := strconv.ParseInt(reference, 10, 64)
	return id, err == nil && id > 0
}

// Draft is what a new group or project should be.
type Draft struct {
	Name, Path string
	Visibility Visibility
}

// ProjectDraft returns the draft of a project for which a name, a path or both
// are given: each stands in for the other.
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

// slug turns a name as people write it into a path segment: "Web shop" into
// "web-shop". It may come out as one that cannot be used.
func slug(name string) string {
	return strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(name), "-"), "-.")
}

func (d Draft) check() fault.Fields {
	complaints := fault.Fields{}
	complaints.Add("name", text.CheckName(d.Name))
	complaints.Add("path", route.CheckSegment(d.Path))
	if !d.Visibility.Valid() {
		complaints.Add("visibility", "is not included in the list")
	}
	return complaints
}

// NewGroup makes a group below a parent, or at the top when the parent is the
// zero Group. The creator owns it.
func (r *Rules) NewGroup(ctx context.Context, d Draft, parent Group, creator int64) (Group, error) {
	complaints := d.check()
	g := Group{Name: d.Name, Path: d.Path, FullPath: d.Path, Visibility: d.Visibility, CreatedAt: r.now()}
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
	if err := complaints.Err(); err != nil {
		return Group{}, err
	}
	return r.CreateGroup(ctx, g, creator)
}

// NewProject makes a project in a namespace.
func (r *Rules) NewProject(ctx context.Context, d Draft, namespace Group) (Project, error) {
	complaints := d.check()
	if namespace.OwnerID == 0 {
		complaints.Add("visibility", notWider(d.Visibility, namespace.Visibility))
	}
	if err := complaints.Err(); err != nil {
		return Project{}, err
	}
	return r.CreateProject(ctx, Project{
		NamespaceID: namespace.ID, NamespacePath: namespace.FullPath, OwnerID: namespace.OwnerID,
		Lineage: namespace.Lineage(), Name: d.Name, Path: d.Path, FullPath: namespace.FullPath + "/" + d.Path,
		Visibility: d.Visibility, CreatedAt: r.now(),
	})
}

// Change lists what to change of a group or project; nil leaves it. A path is
// permanent, because monitoring tools hold addresses that contain it.
type Change struct {
	Name, Path *string
	Visibility *Visibility
}

func (c Change) apply(name *string, path string, visibility *Visibility, above, below Visibility) error {
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
	return complaints.Err()
}

// ChangeGroup changes a group.
func (r *Rules) ChangeGroup(ctx context.Context, g Group, c Change) (Group, error) {
	if g.OwnerID != 0 {
		return Group{}, fault.New(fault.Invalid, "a user's namespace changes with the user")
	}
	above := Public
	if g.ParentID != 0 {
		parent, err := r.Group(ctx, g.ParentID)
		if err != nil {
			return Group{}, err
		}
		above = parent.Visibility
	}
	below := Private
	if c.Visibility != nil && g.Visibility.Wider(*c.Visibility) {
		var err error
		if below, err = r.WidestBelow(ctx, g.ID); err != nil {
			return Group{}, err
		}
	}
	if err := c.apply(&g.Name, g.Path, &g.Visibility, above, below); err != nil {
		return Group{}, err
	}
	if err := r.UpdateGroup(ctx, g); err != nil {
		return Group{}, err
	}
	g.Version++
	return g, nil
}

// ChangeProject changes a project.
func (r *Rules) ChangeProject(ctx context.Context, p Project, c Change) (Project, error) {
	above := Public
	if p.OwnerID == 0 {
		namespace, err := r.Group(ctx, p.NamespaceID)
		if err != nil {
			return Project{}, err
		}
		above = namespace.Visibility
	}
	if err := c.apply(&p.Name, p.Path, &p.Visibility, above, Private); err != nil {
		return Project{}, err
	}
	if err := r.UpdateProject(ctx, p); err != nil {
		return Project{}, err
	}
	p.Version++
	return p, nil
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
