-- The audit trail. An id begins with the time, so that ids sort by it; the
-- user is whose account an entry concerns, 0 for nobody's.
CREATE TABLE audit_entries (
	id         TEXT    PRIMARY KEY,
	at         INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	actor_id   INTEGER NOT NULL,
	user_id    INTEGER NOT NULL,
	details    TEXT    NOT NULL, -- JSON: each name and its text
	outcome    TEXT    NOT NULL,
	reason     TEXT    NOT NULL,
	user_agent TEXT    NOT NULL,
	address    TEXT    NOT NULL,
	request_id TEXT    NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_entries_by_user ON audit_entries (user_id, id);
CREATE INDEX audit_entries_by_end ON audit_entries (expires_at);
