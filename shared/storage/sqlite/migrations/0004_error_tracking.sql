-- Error tracking: a project's settings and its client keys, which go with it.

CREATE TABLE tracking_settings (
	project_id   INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
	active       INTEGER NOT NULL,
	integrated   INTEGER NOT NULL,
	api_url      TEXT    NOT NULL,
	project_name TEXT    NOT NULL,
	tracker_url  TEXT    NOT NULL,
	sealed_token BLOB    NOT NULL
) STRICT;

-- The number is the order in which the keys came; the id is part of the key.
CREATE TABLE client_keys (
	number     INTEGER PRIMARY KEY AUTOINCREMENT,
	id         INTEGER NOT NULL UNIQUE,
	project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	public_key TEXT    NOT NULL,
	active     INTEGER NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX client_keys_by_project ON client_keys (project_id);
