-- What has to follow from changes. A lane's messages are handled in the order of seq.

CREATE TABLE messages (
	lane       TEXT    NOT NULL,
	seq        TEXT    NOT NULL,
	kind       TEXT    NOT NULL,
	project_id INTEGER NOT NULL,
	data       BLOB    NOT NULL, -- JSON
	created_at INTEGER NOT NULL,
	due_at     INTEGER NOT NULL,
	attempts   INTEGER NOT NULL,
	last_error TEXT    NOT NULL,
	claim      TEXT    NOT NULL,
	claimed_to INTEGER NOT NULL,
	look_at    INTEGER NOT NULL, -- when to look at it next
	PRIMARY KEY (lane, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX messages_due ON messages (look_at, lane);

CREATE TABLE dead_messages (
	number     INTEGER PRIMARY KEY AUTOINCREMENT,
	lane       TEXT    NOT NULL,
	seq        TEXT    NOT NULL,
	kind       TEXT    NOT NULL,
	project_id INTEGER NOT NULL,
	data       BLOB    NOT NULL,
	created_at INTEGER NOT NULL,
	due_at     INTEGER NOT NULL,
	attempts   INTEGER NOT NULL,
	last_error TEXT    NOT NULL,
	claim      TEXT    NOT NULL,
	claimed_to INTEGER NOT NULL,
	died_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX dead_messages_of_project ON dead_messages (project_id, number);
CREATE INDEX dead_messages_died ON dead_messages (died_at);
