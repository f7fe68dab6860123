-- Version 1: users, groups, projects, applications and tokens.
--
-- A time is in microseconds since 1970, UTC; 0 is no time. A key is in lower
-- case, for comparison without regard to case. No id is ever given twice,
-- because grants, sessions and tokens outlive what their ids name.

CREATE TABLE users (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	username           TEXT    NOT NULL,
	namespace_id       INTEGER NOT NULL,
	name               TEXT    NOT NULL,
	email              TEXT    NOT NULL,
	email_key          TEXT    NOT NULL UNIQUE,
	password_hash      TEXT    NOT NULL,
	state              TEXT    NOT NULL,
	admin              INTEGER NOT NULL,
	private_profile    INTEGER NOT NULL,
	two_factor_enabled INTEGER NOT NULL,
	created_at         INTEGER NOT NULL,
	updated_at         INTEGER NOT NULL,
	sessions_since     INTEGER NOT NULL,
	version            INTEGER NOT NULL
) STRICT;

-- Groups, and the namespaces of users, which have an owner.
CREATE TABLE namespaces (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	parent_id  INTEGER REFERENCES namespaces (id),
	owner_id   INTEGER UNIQUE REFERENCES users (id) ON DELETE CASCADE,
	ancestors  TEXT    NOT NULL, -- JSON: ids from the top
	name       TEXT    NOT NULL,
	path       TEXT    NOT NULL,
	full_path  TEXT    NOT NULL,
	visibility TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	version    INTEGER NOT NULL
) STRICT;
CREATE INDEX namespaces_by_parent ON namespaces (parent_id);

CREATE TABLE projects (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
	name         TEXT    NOT NULL,
	path         TEXT    NOT NULL,
	visibility   TEXT    NOT NULL,
	created_at   INTEGER NOT NULL,
	version      INTEGER NOT NULL
) STRICT;
CREATE INDEX projects_by_namespace ON projects (namespace_id);

-- The full paths that users, groups and projects share.
CREATE TABLE paths (
	key          TEXT    PRIMARY KEY,
	namespace_id INTEGER UNIQUE REFERENCES namespaces (id) ON DELETE CASCADE,
	project_id   INTEGER UNIQUE REFERENCES projects (id) ON DELETE CASCADE,
	CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
	kind       TEXT    NOT NULL, -- of the place
	place_id   INTEGER NOT NULL,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	role       INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (kind, place_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_user ON members (user_id);

CREATE TABLE access_tokens (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id      INTEGER NOT NULL,
	name         TEXT    NOT NULL,
	scopes       TEXT    NOT NULL,
	digest       BLOB    NOT NULL UNIQUE,
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	revoked_at   INTEGER NOT NULL,
	last_used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX access_tokens_by_user ON access_tokens (user_id);

CREATE TABLE sessions (
	user_id      INTEGER NOT NULL,
	id           TEXT    NOT NULL,
	digest       BLOB    NOT NULL,
	created_at   INTEGER NOT NULL,
	last_seen_at INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	user_agent   TEXT    NOT NULL,
	address      TEXT    NOT NULL,
	PRIMARY KEY (user_id, id)
) STRICT;
CREATE INDEX sessions_by_end ON sessions (expires_at);

-- Failed attempts to sign in, by a key that tells nothing.
CREATE TABLE attempts (
	key      BLOB    PRIMARY KEY,
	attempts INTEGER NOT NULL,
	first_at INTEGER NOT NULL,
	last_at  INTEGER NOT NULL,
	ends_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX attempts_by_end ON attempts (ends_at);

CREATE TABLE clients (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	client_id      TEXT    NOT NULL UNIQUE,
	secret_digest  BLOB    NOT NULL,
	name           TEXT    NOT NULL,
	redirect_uris  TEXT    NOT NULL, -- JSON
	scopes         TEXT    NOT NULL,
	confidential   INTEGER NOT NULL,
	trusted        INTEGER NOT NULL,
	require_secret INTEGER NOT NULL,
	password_grant INTEGER NOT NULL,
	owner_id       INTEGER NOT NULL,
	created_at     INTEGER NOT NULL,
	version        INTEGER NOT NULL
) STRICT;
CREATE INDEX clients_by_owner ON clients (owner_id);

CREATE TABLE grants (
	user_id            INTEGER NOT NULL,
	client_id          INTEGER NOT NULL,
	random             BLOB    NOT NULL,
	application        TEXT    NOT NULL,
	nonce              BLOB    NOT NULL,
	redirect_uri       TEXT    NOT NULL,
	scopes             TEXT    NOT NULL,
	challenge          TEXT    NOT NULL,
	refreshable        INTEGER NOT NULL,
	oidc_nonce         TEXT    NOT NULL,
	authenticated_at   INTEGER NOT NULL,
	created_at         INTEGER NOT NULL,
	generation         INTEGER NOT NULL,
	issued_at          INTEGER NOT NULL,
	previous_issued_at INTEGER NOT NULL,
	narrowed           INTEGER NOT NULL,
	revoked_at         INTEGER NOT NULL,
	used_at            INTEGER NOT NULL,
	ends_at            INTEGER NOT NULL,
	PRIMARY KEY (user_id, client_id, random)
) STRICT;
CREATE INDEX grants_by_end ON grants (ends_at);

-- The keys that sign id_tokens, sealed, in the one row there is.
CREATE TABLE signing_keys (
	id      INTEGER PRIMARY KEY CHECK (id = 1),
	sealed  BLOB    NOT NULL,
	version INTEGER NOT NULL
) STRICT;
