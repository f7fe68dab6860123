package sqlite

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/storage/walk"
)

// The instance is group 0 in the tables inside and contents.
const instance int64 = 0

// allUsers is what contents calls the users, who are in no group.
const allUsers project.Kind = "user"

// enter puts a group or project into the groups of its lineage and the instance.
func (tx *transaction) enter(k project.Kind, id int64, v project.Visibility, lineage []int64) error {
	err := tx.exec("INSERT INTO inside (group_id, kind, visibility, id) SELECT value, ?, ?, ? FROM json_each(?)",
		k, v, id, text(append([]int64{instance}, lineage...)))
	if err != nil {
		return err
	}
	return tx.tally(k, v, 1, lineage...)
}

// leave takes it out of them.
func (tx *transaction) leave(k project.Kind, id int64, v project.Visibility, lineage []int64) error {
	err := tx.exec("DELETE FROM inside WHERE kind = ? AND visibility = ? AND id = ? AND group_id IN (SELECT value FROM json_each(?))",
		k, v, id, text(append([]int64{instance}, lineage...)))
	if err != nil {
		return err
	}
	return tx.tally(k, v, -1, lineage...)
}

// move takes it from one visibility to another.
func (tx *transaction) move(k project.Kind, id int64, was, next project.Visibility, lineage []int64) error {
	if was == next {
		return nil
	}
	if err := tx.leave(k, id, was, lineage); err != nil {
		return err
	}
	return tx.enter(k, id, next, lineage)
}

// tally adds n to the contents of the groups and the instance.
func (tx *transaction) tally(k project.Kind, v project.Visibility, n int, lineage ...int64) error {
	return tx.exec(`INSERT INTO contents (group_id, kind, visibility, things) SELECT value, ?, ?, ? FROM json_each(?) WHERE true
		ON CONFLICT DO UPDATE SET things = things + excluded.things`, k, v, n, text(append([]int64{instance}, lineage...)))
}

// contentsOf returns the arguments of the query places: where the selected things
// are, apart from those that a member joined one by one.
func contentsOf(selected project.Selection, groups []int64) (ofGroups, inGroups, ofInstance string) {
	everyone := []project.Visibility{}
	switch {
	case selected.All:
		groups, everyone = nil, selected.Visibilities()
	case !selected.MembersOnly:
		everyone = []project.Visibility{project.Internal, project.Public}
	}
	return text(append([]int64{}, groups...)), text(selected.Visibilities()), text(everyone) // nil would be a null
}

// places lists groups with visibilities, which the primary keys of the tables have:
// each group of a list with each visibility of a list, and the instance with the
// visibilities of another list.
const places = `WITH place (group_id, visibility) AS (
	SELECT one.value, v.value FROM json_each(?1) AS one CROSS JOIN json_each(?2) AS v UNION ALL SELECT 0, value FROM json_each(?3)) ` // 0 is the instance

// entry is a thing in a list, with what a search finds out about it.
type entry struct {
	id        int64
	matches   bool
	createdAt moment
}

func positionOf(e entry) page.Position { return page.At(e.id) }

// The ids of the first things in each of the places, and of the first projects that
// a user joined: those below a number, and so many of them. The ids of a place are
// one value, because a row for each id takes much longer.
const (
	firstInside = places + `SELECT (SELECT group_concat(id) FROM (SELECT id FROM inside
			WHERE group_id = place.group_id AND kind = ?4 AND visibility = place.visibility AND id < ?5
			ORDER BY id DESC LIMIT ?6)) FROM place`
	firstJoined = `SELECT group_concat(place_id) FROM (SELECT place_id FROM members
		WHERE user_id = ? AND kind = 'project' AND (expires_at = 0 OR expires_at > ?) AND place_id < ?
		ORDER BY place_id DESC LIMIT ?)`
	// firstWithRole reads the rows of the table too, as the index does not have the role.
	firstWithRole = `SELECT group_concat(place_id) FROM (SELECT place_id FROM members
		WHERE user_id = ? AND kind = 'project' AND (expires_at = 0 OR expires_at > ?) AND place_id < ? AND role >= ?
		ORDER BY place_id DESC LIMIT ?)`
)

// numbers have commas between them; there are none in NULL.
type numbers []int64

func (ns *numbers) Scan(stored any) error {
	from, ok := stored.(string)
	if !ok {
		return nil
	}
	for field := range strings.SplitSeq(from, ",") {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return err
		}
		*ns = append(*ns, n)
	}
	return nil
}

// rising are queries for the first things by ascending number.
var rising = strings.NewReplacer("id < ?", "id > ?", " DESC ", " ")

// firstOf returns the n entries with the highest ids of those that the query selects, or
// those with the lowest.
func (s *Store) firstOf(ctx context.Context, oldest bool, n int, query string, args ...any) ([]entry, error) {
	if oldest {
		query = rising.Replace(query)
	}
	lists, err := many(ctx, s.readers, scalar[numbers], query, append(args, n)...)
	if err != nil {
		return nil, err
	}
	ids := slices.Concat(lists...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	entries := make([]entry, min(n, len(ids)))
	for i := range entries {
		entries[i].id = ids[len(ids)-1-i]
		if oldest {
			entries[i].id = ids[i]
		}
	}
	return entries, nil
}

// joined returns the first n projects after the position that the user joined.
func (s *Store) joined(ctx context.Context, selected project.Selection, oldest bool, after page.Position, n int) ([]entry, error) {
	args := []any{selected.MemberID, micros(selected.Now), numberBeyond(oldest, after)}
	if selected.LeastRole > project.Guest {
		return s.firstOf(ctx, oldest, n, firstWithRole, append(args, selected.LeastRole)...)
	}
	return s.firstOf(ctx, oldest, n, firstJoined, args...)
}

// directoryLook is how many groups or projects a page of a search looks at, so that
// it takes no more than three times as long as in a small store.
const directoryLook = 500

// directory returns the list of the selected things of a kind.
func (s *Store) directory(selected project.Selection, k project.Kind, oldest bool) walk.List[entry] {
	ofGroups, inGroups, ofInstance := contentsOf(selected, selected.In)
	list := walk.List[entry]{
		Position: positionOf, Order: page.Request{Oldest: oldest}.Order(),
		Sources: []walk.Source[entry]{func(ctx context.Context, after page.Position, n int) ([]entry, error) {
			return s.firstOf(ctx, oldest, n, firstInside, ofGroups, inGroups, ofInstance, k, numberBeyond(oldest, after))
		}},
	}
	if k == project.InProject && !selected.All && selected.MemberID != 0 {
		list.Sources = append(list.Sources, func(ctx context.Context, after page.Position, n int) ([]entry, error) {
			return s.joined(ctx, selected, oldest, after, n)
		})
	}
	if selected.Search == "" {
		list.Count = func(ctx context.Context) (int, error) { return s.countDirectory(ctx, selected, k) }
		return list
	}
	list.Limit, list.Look = directoryLook, directoryLook // at once, because each look begins with all places
	list.Complete = func(ctx context.Context, looked []entry) ([]entry, error) {
		return s.match(ctx, selected.Search, looked)
	}
	list.Search = func(e entry) bool { return e.matches }
	list.Time = func(e entry) time.Time { return time.Time(e.createdAt) }
	return list
}

// matching selects the projects of a list of ids that a search finds, as
// project.Finds does, and the last one of the list.
const matching = `SELECT projects.id, created_at, instr(search, ?2) > 0 AND instr(?2, char(10)) = 0 AS matches
	FROM json_each(?1) AS listed CROSS JOIN projects ON projects.id = listed.value
	WHERE matches OR projects.id = ?3`

// match returns the entries, which are those of projects, marked with whether the
// search finds them. Those that it does not find have no time, apart from the last.
func (s *Store) match(ctx context.Context, search string, entries []entry) ([]entry, error) {
	ids := idsOf(entries)
	found, err := many(ctx, s.readers, scanEntry, matching, text(ids), key(search), ids[len(ids)-1])
	for _, e := range found {
		entries[slices.Index(ids, e.id)] = e
	}
	return entries, err
}

func scanEntry(r row) (e entry, err error) { return e, r.Scan(&e.id, &e.createdAt, &e.matches) }

func idsOf(entries []entry) []int64 {
	ids := make([]int64, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	return ids
}

// countDirectory counts the selected things of a kind.
func (s *Store) countDirectory(ctx context.Context, selected project.Selection, k project.Kind) (int, error) {
	groups := text(append([]int64{}, selected.In...)) // nil would be a null
	top, err := many(ctx, s.readers, scalar[int64], topmost, groups, groups)
	if err != nil {
		return 0, err
	}
	ofGroups, inGroups, ofInstance := contentsOf(selected, top)
	n, err := one(ctx, s.readers, scalar[int], countInside, ofGroups, inGroups, ofInstance, k)
	if err != nil || k != project.InProject || selected.All || selected.MemberID == 0 {
		return n, err
	}
	joined, err := s.joined(ctx, selected, false, page.Position{}, project.MaxCounted+1)
	if err != nil || len(joined) > project.MaxCounted {
		return page.CountLimit + 1, err
	}
	outside, err := one(ctx, s.readers, scalar[int], countOutside, text(idsOf(joined)), text(selected.Visibilities()), groups, groups)
	return n + outside, err
}

const (
	// topmost selects the groups of a list that are not below others of it.
	topmost = `SELECT value FROM json_each(?) AS listed WHERE NOT EXISTS (
		SELECT 1 FROM namespaces, json_each(ancestors) AS above
		WHERE namespaces.id = listed.value AND above.value IN (SELECT value FROM json_each(?)))`

	countInside = places + `SELECT coalesce(sum(things), 0) FROM place CROSS JOIN contents USING (group_id, visibility)
		WHERE kind = ?4`

	// countOutside counts the projects of a list with these visibilities that are
	// not in the groups of a list.
	countOutside = `SELECT count(*) FROM json_each(?) AS listed CROSS JOIN projects ON projects.id = listed.value
		JOIN namespaces ON namespaces.id = namespace_id
		WHERE projects.visibility IN (SELECT value FROM json_each(?))
		AND namespace_id NOT IN (SELECT value FROM json_each(?))
		AND NOT EXISTS (SELECT 1 FROM json_each(ancestors) AS above WHERE above.value IN (SELECT value FROM json_each(?)))`
)
