package dynamodb

import (
	"maps"
	"slices"
	"time"

	"gatehouse/shared/project"
)

var (
	visibleGroup   = shape{directory, "LIST#visible-groups", "<id>", "a group in the list of those that are not private", ""}
	visibleProject = shape{directory, "LIST#visible-projects", "<id>", "a project in the list of those that are not private", ""}
	belowGroup     = shape{directory, "BELOW#<group>", "<visibility>#<kind>#<id>", "a group or project in the list of a group above it", ""}
	countItem      = shape{directory, "COUNT#<shard>", "COUNT", "how many users, groups and projects there are", ""}
)

// visible is the list of what is not private.
var visible = map[project.Kind]shape{project.InGroup: visibleGroup, project.InProject: visibleProject}

// listing is what the lists hold of a group or project. The zero listing is one of
// which they hold nothing.
type listing struct {
	kind       project.Kind
	id         int64
	visibility project.Visibility
	lineage    []int64 // the groups that list it; a group is among those that list it
	search     string
	createdAt  time.Time
	version    int64 // of the group or project
}

func listingOfProject(p project.Project) listing {
	return listing{project.InProject, p.ID, p.Visibility, p.Lineage, p.SearchText(), p.CreatedAt, p.Version}
}

func listingOfGroup(g project.Group) listing {
	return listing{project.InGroup, g.ID, g.Visibility, g.Lineage(), "", g.CreatedAt, g.Version}
}

// isListed is the attribute of a user that is listed, and of a group or project with
// which visibility it is. Functions of earlier releases neither list nor count what
// they store, and leave the attribute as it is when they change something.
const isListed = "listed"

// listedState says with which visibility a group or project is listed, and which version
// of it; none: the zero listedState.
type listedState struct {
	visibility project.Visibility
	version    int64
}

func (as *listedState) fields() fields {
	return fields{{isListed, (*string)(&as.visibility)}, {"listed_version", &as.version}}
}

// mark returns the attributes of a group or project with this listing.
func (l listing) mark() fields { return (&listedState{l.visibility, l.version}).fields() }

// listedIn returns what the lists hold of the group or project that the item is. That
// is something else if a function of an earlier release changed it.
func (l listing) listedIn(stored item) (listing, error) {
	var as listedState
	err := as.fields().read(stored)
	if err != nil || as.visibility == "" {
		return listing{}, err
	}
	if as.version != l.version {
		l.search = "" // the one of that version is not known
	}
	l.visibility = as.visibility
	return l, nil
}

// isUpToDate reports whether the group or project that the item is is listed as it is.
func isUpToDate(stored item) (bool, error) {
	var as, is listedState
	err := append(as.fields(), field{"visibility", (*string)(&is.visibility)}, field{"version", &is.version}).read(stored)
	return as == is, err
}

// keys are those of its entries.
func (l listing) keys() (keys []key) {
	for _, groupID := range l.lineage {
		keys = append(keys, belowGroup.key(groupID, string(l.visibility), string(l.kind), l.id))
	}
	if l.id != 0 && l.visibility != project.Private {
		keys = append(keys, visible[l.kind].key(l.id))
	}
	return keys
}

// relist returns the changes that replace the entries of a listing by those of the
// next one.
func relist(was, next listing) (changes []change) {
	former, wanted := was.keys(), next.keys()
	for _, k := range former {
		if !slices.Contains(wanted, k) {
			changes = append(changes, remove(k))
		}
	}
	e := entry{next.id, next.search, next.createdAt}
	for _, k := range wanted {
		if was.search != next.search || !slices.Contains(former, k) {
			changes = append(changes, replace(k, e.fields()))
		}
	}
	return changes
}

// counts are numbers to add, by the name of the attribute.
type counts map[string]int64

// countName is the attribute that counts things of this kind: in a group those
// below it, the group included.
func countName(k project.Kind, v project.Visibility) string { return string(v) + "_" + string(k) + "s" }

// countUsers is the attribute that counts the users.
const countUsers = "users"

// recount returns what changes when the next listing takes the place of one.
func recount(was, next listing) counts {
	n := counts{}
	if was.id != 0 {
		n[countName(was.kind, was.visibility)]--
	}
	if next.id != 0 {
		n[countName(next.kind, next.visibility)]++
	}
	maps.DeleteFunc(n, func(_ string, n int64) bool { return n == 0 })
	return n
}

// and returns the counts with n more of a name.
func (c counts) and(name string, n int64) counts {
	sum := maps.Clone(c)
	sum[name] += n
	return sum
}

// to adds the counts to numbers of an item that exists.
func (c counts) to(k key) change {
	return change{key: k, action: update, add: c.item(), condition: exists}
}

func (c counts) item() item {
	it := item{}
	for name, n := range c {
		it[name] = number(n)
	}
	return it
}

// shards is how many items share the counts of the instance, so that not every
// transaction that creates something waits for the same one.
const shards = 4

// ofInstance adds the counts of the thing with this id to those of the instance.
func (c counts) ofInstance(id int64) []change {
	if len(c) == 0 {
		return nil
	}
	return []change{{key: countItem.key(id % shards), action: update, add: c.item()}}
}

// ofGroups adds the counts to each of the groups, and children to the last, which
// is the one that holds the thing.
func (c counts) ofGroups(lineage []int64, addedChildren int64) (changes []change) {
	for n, id := range lineage {
		sum := c
		if addedChildren != 0 && n == len(lineage)-1 {
			sum = c.and(children, addedChildren)
		}
		if len(sum) > 0 {
			changes = append(changes, sum.to(groupItem.key(id)).orElse(project.ErrGroupNotFound))
		}
	}
	return changes
}

// countIn returns the sum of what an item counts of this kind with one of these
// visibilities.
func countIn(it item, k project.Kind, vs ...project.Visibility) (sum int, err error) {
	for _, v := range vs {
		var n int
		if err := (fields{{countName(k, v), &n}}).read(it); err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}
