-- How often an application, a token or a user used something deprecated on a day.
-- The caller is a number for each of them (see deprecation.Caller).
CREATE TABLE deprecated_uses (
	day            INTEGER NOT NULL, -- its start in microseconds
	entry          TEXT    NOT NULL,
	caller         INTEGER NOT NULL,
	client_id      INTEGER NOT NULL,
	application_id TEXT    NOT NULL,
	token_id       INTEGER NOT NULL,
	user_id        INTEGER NOT NULL,
	uses           INTEGER NOT NULL,
	last_used_at   INTEGER NOT NULL,
	PRIMARY KEY (day, entry, caller)
) STRICT, WITHOUT ROWID;
CREATE INDEX deprecated_uses_by_entry ON deprecated_uses (entry, day, caller);
CREATE INDEX deprecated_uses_by_caller ON deprecated_uses (caller, day, entry);
