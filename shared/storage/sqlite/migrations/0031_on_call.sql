-- JSON: who is on call in the next day, as the dispatcher counted them.
ALTER TABLE project_summaries ADD COLUMN on_call TEXT NOT NULL DEFAULT 'null';

-- In a transaction of its own:
-- The dispatcher counts the projects with schedules.
INSERT OR IGNORE INTO messages (lane, seq, kind, project_id, data, created_at, due_at, attempts, last_error, claim, claimed_to, look_at)
	SELECT DISTINCT 'counts/' || place_id, '0000000000000000000-0000-on-call', 'project.counts', place_id, CAST('{}' AS BLOB), 0, 0, 0, '', '', 0, 0
	FROM records WHERE kind = 'oncall_schedule' AND place_kind = 'project';
