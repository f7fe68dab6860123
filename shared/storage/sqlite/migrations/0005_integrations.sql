-- Integrations of projects, their rules for alerts and their environments.

CREATE TABLE integrations (
	id               INTEGER PRIMARY KEY AUTOINCREMENT,
	project_id       INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	name             TEXT    NOT NULL,
	type             TEXT    NOT NULL,
	active           INTEGER NOT NULL,
	endpoint         TEXT    NOT NULL,
	key_digest       BLOB    NOT NULL,
	sealed_key       BLOB    NOT NULL,
	api_url          TEXT    NOT NULL,
	mapping          BLOB,
	rate_limit       INTEGER NOT NULL,
	sample           BLOB, -- a JSON text
	created_at       INTEGER NOT NULL,
	version          INTEGER NOT NULL,
	-- how it does
	last_received_at INTEGER NOT NULL DEFAULT 0,
	received         INTEGER NOT NULL DEFAULT 0,
	rejected         INTEGER NOT NULL DEFAULT 0,
	skipped_items    INTEGER NOT NULL DEFAULT 0,
	truncated_alerts INTEGER NOT NULL DEFAULT 0,
	last_error       TEXT    NOT NULL DEFAULT '',
	last_error_at    INTEGER NOT NULL DEFAULT 0,
	-- the requests of the last minute in which there was one
	rate_minute      INTEGER NOT NULL DEFAULT 0,
	rate_count       INTEGER NOT NULL DEFAULT 0,
	UNIQUE (project_id, endpoint)
);

CREATE TABLE alert_settings (
	project_id     INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
	fingerprinting INTEGER NOT NULL,
	version        INTEGER NOT NULL
);

CREATE TABLE environments (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
	name       TEXT    NOT NULL,
	UNIQUE (project_id, name)
);
