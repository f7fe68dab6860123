-- The paths of deleted users and top-level groups, in lower case, with the ids of the
-- users who may take them before the time, in microseconds since 1970.
CREATE TABLE reserved_paths (
	path   TEXT PRIMARY KEY,
	owners TEXT NOT NULL,
	until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX reserved_paths_until ON reserved_paths (until);
