-- How many alerts and incidents of a project are open, as the dispatcher counted them.
CREATE TABLE project_summaries (
	project_id INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
	alerts     TEXT    NOT NULL, -- JSON: numbers by severity
	incidents  TEXT    NOT NULL,
	counted_at INTEGER NOT NULL,
	version    INTEGER NOT NULL
) STRICT;

-- The projects with something open below each group, by how grave that is.
CREATE TABLE projects_in_need (
	group_id   INTEGER NOT NULL,
	rank       INTEGER NOT NULL,
	project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	PRIMARY KEY (group_id, rank, project_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX projects_in_need_by_project ON projects_in_need (project_id);

-- In a transaction of its own:
-- What waits for a user in all projects, the newest first.
CREATE INDEX alerts_by_assignee ON alerts (assignee_id, created_at, id)
	WHERE assignee_id > 0 AND status IN ('triggered', 'acknowledged');

-- In a transaction of its own:
INSERT OR IGNORE INTO record_lists (list_kind, list_id, list, kind, id, place_kind, place_id, number)
	SELECT '', 0, 'incidents-user-' || json_extract(CAST(data AS TEXT), '$.assignee_id'), kind, id, place_kind, place_id, number
	FROM records WHERE kind = 'incident' AND json_extract(CAST(data AS TEXT), '$.assignee_id') > 0
		AND json_extract(CAST(data AS TEXT), '$.state') = 'opened' AND json_extract(CAST(data AS TEXT), '$.status') <> 'resolved';

-- In a transaction of its own:
-- The dispatcher counts the projects that may have something open.
INSERT OR IGNORE INTO messages (lane, seq, kind, project_id, data, created_at, due_at, attempts, last_error, claim, claimed_to, look_at)
	SELECT 'counts/' || id, '0000000000000000000-0000-migrated', 'project.counts', id, CAST('{}' AS BLOB), 0, 0, 0, '', '', 0, 0
	FROM projects WHERE id IN (SELECT project_id FROM alert_counts WHERE status IN ('triggered', 'acknowledged') AND alerts > 0
		UNION SELECT place_id FROM records WHERE kind = 'incident' AND place_kind = 'project');
