-- What is in groups, for lists that are read from what a user sees. Each group or
-- project is in every group above it, and in group 0, which is the instance; a
-- group is also in itself. Users' namespaces are groups here that are in nothing.
CREATE TABLE inside (
	group_id   INTEGER NOT NULL,
	kind       TEXT    NOT NULL,
	visibility TEXT    NOT NULL,
	id         INTEGER NOT NULL,
	PRIMARY KEY (group_id, kind, visibility, id)
) STRICT, WITHOUT ROWID;

-- How many rows the table above has; and how many users there are.
CREATE TABLE contents (
	group_id   INTEGER NOT NULL,
	kind       TEXT    NOT NULL,
	visibility TEXT    NOT NULL,
	things     INTEGER NOT NULL,
	PRIMARY KEY (group_id, kind, visibility)
) STRICT, WITHOUT ROWID;

-- In a transaction of its own:
INSERT INTO inside (group_id, kind, visibility, id)
	SELECT above.value, 'project', projects.visibility, projects.id
		FROM projects JOIN namespaces ON namespaces.id = namespace_id, json_each(ancestors) AS above
		WHERE above.value IS NOT NULL -- no ancestors are a null
	UNION ALL SELECT namespace_id, 'project', visibility, id FROM projects
	UNION ALL SELECT 0, 'project', visibility, id FROM projects
	UNION ALL SELECT above.value, 'group', visibility, namespaces.id
		FROM namespaces, json_each(ancestors) AS above
		WHERE owner_id IS NULL AND above.value IS NOT NULL
	UNION ALL SELECT id, 'group', visibility, id FROM namespaces WHERE owner_id IS NULL
	UNION ALL SELECT 0, 'group', visibility, id FROM namespaces WHERE owner_id IS NULL
	ORDER BY 1, 2, 3, 4;

-- In a transaction of its own:
INSERT INTO contents (group_id, kind, visibility, things)
	SELECT group_id, kind, visibility, count(*) FROM inside GROUP BY 1, 2, 3
	UNION ALL SELECT 0, 'user', '', count(*) FROM users;

-- What searches look in.
ALTER TABLE projects ADD COLUMN search TEXT NOT NULL DEFAULT '';

-- In portions of projects:
UPDATE projects SET search = gatehouse_key(name || char(10) ||
	(SELECT full_path FROM namespaces WHERE namespaces.id = namespace_id) || '/' || path)
	WHERE id > ?1 AND id <= ?2;

-- In a transaction of its own:
-- A user's projects, the newest first.
DROP INDEX members_by_user;
CREATE INDEX members_by_user ON members (user_id, kind, place_id, expires_at);
