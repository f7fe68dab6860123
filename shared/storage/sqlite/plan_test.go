package sqlite

import (
	"context"
	"strings"
	"testing"

	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

// wantPlan checks that SQLite answers the query by the index, or by the primary
// key, without a look through a table and without sorting.
func wantPlan(t *testing.T, s *Store, query, index string, args ...any) {
	t.Helper()
	steps, err := many(context.Background(), s.readers, scanStep, "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	plan := strings.Join(steps, "\n")
	if !strings.Contains(plan, index) || strings.Contains(plan, "SCAN ") || strings.Contains(plan, "TEMP B-TREE") {
		t.Errorf("%s\nhas the plan\n%s\nwant the index %q alone", query, plan, index)
	}
}

func scanStep(r row) (detail string, err error) {
	var id, parent, unused int64
	return detail, r.Scan(&id, &parent, &unused, &detail)
}

func TestAuditEntriesAreListedByIndexes(t *testing.T) {
	s := openInternal(t)
	for index, f := range map[string]audit.Filter{
		"PRIMARY KEY":                   {Everybody: true},
		"audit_entries_by_name":         {Everybody: true, Name: "x"},
		"audit_entries_by_user":         {UserID: 1},
		"audit_entries_by_user_name":    {UserID: 1, Name: "x"},
		"audit_entries_by_project":      {ProjectID: 1},
		"audit_entries_by_project_name": {ProjectID: 1, Name: "x"},
	} {
		clause, args := conditions(f)
		wantPlan(t, s, entries.selected+clause+inOrder, index+" (", append(args, "0", "f", 30)...)
	}
}

// The sweep reads what is due and nothing else, however much there is.
func TestSweepBeginsAtWhatIsDue(t *testing.T) {
	s := openInternal(t)
	for index, query := range map[string]string{
		"sessions_by_end": sweepSessions, "attempts_by_end": sweepAttempts, "PRIMARY KEY (id<?)": sweepEntries, "grants_by_end": sweepGrants,
		"records_by_expiry": sweepRecords, "record_words_of_record": sweepWords, "record_lists_of_record": sweepListed,
		"reserved_paths_until": sweepReserved,
	} {
		wantPlan(t, s, query, index, 1)
	}
	steps, err := many(t.Context(), s.readers, scanStep, "EXPLAIN QUERY PLAN "+sweepOrphans)
	if plan := strings.Join(steps, "\n"); err != nil || strings.Contains(plan, "SCAN a") || !strings.Contains(plan, "SCAN d") {
		t.Errorf("%v, the plan is\n%s\nwant it to begin at the deleted projects", err, plan)
	}
}

func TestListsOfOnesOwnAreReadByIndexes(t *testing.T) {
	s := openInternal(t)
	const newest = " AND id < ? ORDER BY id DESC LIMIT ?"
	wantPlan(t, s, sessions.selected+sessionsInOrder, "sqlite_autoindex_sessions_1 (user_id=? AND id<?)", 1, "g", 20)
	wantPlan(t, s, clientKeys.selected+clientKeysInOrder, "client_keys_by_project (project_id=? AND (created_at,id)<(?,?))", 1, 1, 1, 20)
	wantPlan(t, s, accessTokens.selected+"WHERE user_id = ?"+newest, "access_tokens_by_user (user_id=? AND rowid<?)", 1, 1, 20)
	wantPlan(t, s, accessTokens.selected+"WHERE true"+newest, "PRIMARY KEY (rowid<?)", 1, 20)
	wantPlan(t, s, members.selected+ofKind+" ORDER BY place_id", "members_by_user (user_id=? AND kind=?)", 1, project.InGroup)
	wantPlan(t, s, members.selected+ofKind+" AND place_id < ? ORDER BY place_id DESC LIMIT ?", "members_by_user (user_id=? AND kind=? AND place_id<?)", 1, project.InGroup, 1, 20)
	wantPlan(t, s, clients.selected+"WHERE owner_id = ?"+newest, "clients_by_owner (owner_id=? AND rowid<?)", 1, 1, 20)
}

func TestGrantsAreListedByIndexes(t *testing.T) {
	s := openInternal(t)
	wantPlan(t, s, grants.selected+newestGrants, "sqlite_autoindex_grants_1 (user_id=? AND client_id=?)", 1, 1, 10)
	wantPlan(t, s, summaries.selected+"WHERE user_id = ? AND client_id < ? ORDER BY client_id DESC LIMIT ?", "PRIMARY KEY (user_id=? AND client_id<?)", 1, 1, 20)
}

func TestRecordsAreFoundByIndexes(t *testing.T) {
	s := openInternal(t)
	wantPlan(t, s, records.selected+recordsOf+" AND number < ? ORDER BY number DESC LIMIT ?", "sqlite_autoindex_records_1 (place_kind=? AND place_id=? AND kind=? AND number<?)", "", 0, "k", 9, 20)
	wantPlan(t, s, "SELECT 1 FROM records "+recordsIn, "sqlite_autoindex_records_1 (place_kind=? AND place_id=?)", "project", 1)
	wantPlan(t, s, "SELECT 1 FROM record_words "+recordsIn, "record_words_of_record (place_kind=? AND place_id=?)", "project", 1)
	const newest = " AND record_lists.id < ? ORDER BY record_lists.id DESC LIMIT ?"
	wantPlan(t, s, listedRecords.selected+listedIn+newest, "PRIMARY KEY (list_kind=? AND list_id=? AND list=? AND kind=? AND id<?)", "group", 1, "below", "k", 9, 20)
	wantPlan(t, s, "SELECT 1 FROM record_lists "+oneRecord, "record_lists_of_record (place_kind=? AND place_id=? AND kind=? AND number=?)", "project", 1, "k", 2)
}
