-- Audit entries have an index for each way in which they are listed. An entry ends
-- a year after the time that its id begins with.
DROP INDEX audit_entries_by_end;
ALTER TABLE audit_entries DROP COLUMN expires_at;

-- In a transaction of its own:
ALTER TABLE audit_entries ADD COLUMN project_id INTEGER NOT NULL DEFAULT 0;

-- In a transaction of its own:
CREATE INDEX audit_entries_by_name ON audit_entries (name, id);

-- In a transaction of its own:
CREATE INDEX audit_entries_by_user_name ON audit_entries (user_id, name, id);

-- In a transaction of its own:
CREATE INDEX audit_entries_by_project ON audit_entries (project_id, id) WHERE project_id <> 0;
CREATE INDEX audit_entries_by_project_name ON audit_entries (project_id, name, id) WHERE project_id <> 0;

-- Projects that were deleted, until it is certain that no alert of theirs comes in
-- any more. The sweep looks at these alone.
CREATE TABLE deleted_projects (
	project_id INTEGER PRIMARY KEY,
	swept_at   INTEGER NOT NULL DEFAULT 0 -- the first time
) STRICT;
CREATE TRIGGER projects_deleted AFTER DELETE ON projects BEGIN
	INSERT INTO deleted_projects (project_id) VALUES (old.id);
END;
INSERT INTO deleted_projects (project_id)
	SELECT project_id FROM alert_counters WHERE project_id NOT IN (SELECT id FROM projects);

-- Client keys are listed by time.
DROP INDEX client_keys_by_project;
CREATE INDEX client_keys_by_project ON client_keys (project_id, created_at, id);

-- A summary of a user's grants to a client, until they have ended.
CREATE TABLE grant_summaries (
	user_id     INTEGER NOT NULL,
	client_id   INTEGER NOT NULL,
	application TEXT    NOT NULL,
	scopes      TEXT    NOT NULL, -- of all grants
	since       INTEGER NOT NULL,
	last_use    INTEGER NOT NULL,
	grants      INTEGER NOT NULL, -- how many there have been
	PRIMARY KEY (user_id, client_id)
) STRICT, WITHOUT ROWID;

-- In a transaction of its own:
INSERT INTO grant_summaries
	SELECT user_id, client_id, min(application), group_concat(scopes, ' '), min(since), max(last_use), sum(grants)
	FROM (
		SELECT user_id, client_id, scopes, min(application) AS application, min(created_at) AS since, max(used_at) AS last_use, count(*) AS grants
		FROM grants WHERE client_id <> 0 AND revoked_at = 0 GROUP BY user_id, client_id, scopes
	)
	GROUP BY user_id, client_id;
