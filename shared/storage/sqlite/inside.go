package sqlite

import (
	"context"
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

// entry is a thing in a list, with what a search takes.
type entry struct {
	id        int64
	search    string
	createdAt moment
}

func positionOf(e entry) page.Position { return page.At(e.id) }

func scanEntry(r row) (e entry, err error) { return e, r.Scan(&e.id, &e.search, &e.createdAt) }

// The ids of the first things in places, and of the first projects that a user
// joined: those below a number, and so many of them.
const (
	firstInside = places + `SELECT DISTINCT one.value AS id FROM place, json_each((
		SELECT json_group_array(id) FROM (SELECT id FROM inside
			WHERE group_id = place.group_id AND kind = ?4 AND visibility = place.visibility AND id < ?5
			ORDER BY id DESC LIMIT ?6))) AS one ORDER BY id DESC LIMIT ?6`
	firstJoined = `SELECT place_id AS id FROM members
		WHERE user_id = ? AND kind = 'project' AND (expires_at = 0 OR expires_at > ?) AND place_id < ?
		ORDER BY place_id DESC LIMIT ?`
)

// entriesOf returns the query for the entries of such ids.
func entriesOf(ids string, searching bool) string {
	if searching {
		return "SELECT id, search, created_at FROM (" + ids + ") CROSS JOIN projects USING (id) ORDER BY id DESC"
	}
	return "SELECT id, '', 0 FROM (" + ids + ") ORDER BY id DESC"
}

// directory returns the list of the selected things of a kind.
func (s *Store) directory(selected project.Selection, k project.Kind) walk.List[entry] {
	searching := selected.Search != ""
	inside, joined := entriesOf(firstInside, searching), entriesOf(firstJoined, searching)
	ofGroups, inGroups, ofInstance := contentsOf(selected, selected.In)
	list := walk.List[entry]{
		Position: positionOf,
		Sources: []walk.Source[entry]{func(ctx context.Context, after page.Position, n int) ([]entry, error) {
			return many(ctx, s.readers, scanEntry, inside, ofGroups, inGroups, ofInstance, k, numberBelow(after), n)
		}},
	}
	if k == project.InProject && !selected.All && selected.MemberID != 0 {
		list.Sources = append(list.Sources, func(ctx context.Context, after page.Position, n int) ([]entry, error) {
			return many(ctx, s.readers, scanEntry, joined, selected.MemberID, micros(selected.Now), numberBelow(after), n)
		})
	}
	if searching {
		list.Search = func(e entry) bool { return project.Finds(e.search, selected.Search) }
		list.Time = func(e entry) time.Time { return time.Time(e.createdAt) }
	} else {
		list.Count = func(ctx context.Context) (int, error) { return s.countDirectory(ctx, selected, k) }
	}
	return list
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
	joined, err := many(ctx, s.readers, scanEntry, entriesOf(firstJoined, false),
		selected.MemberID, micros(selected.Now), numberBelow(page.Position{}), project.MaxCounted+1)
	if err != nil || len(joined) > project.MaxCounted {
		return page.CountLimit + 1, err
	}
	ids := make([]int64, len(joined))
	for i, e := range joined {
		ids[i] = e.id
	}
	outside, err := one(ctx, s.readers, scalar[int], countOutside, text(ids), text(selected.Visibilities()), groups, groups)
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
