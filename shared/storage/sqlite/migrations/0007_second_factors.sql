-- What people sign in with besides their password.
CREATE TABLE second_factors (
	user_id        INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	mark           BLOB    NOT NULL,
	sealed         BLOB    NOT NULL, -- the seed
	last_step      INTEGER NOT NULL,
	recovery       BLOB    NOT NULL, -- digests, one behind the other
	recovery_used  INTEGER NOT NULL, -- a bit for each
	last_sign_in   INTEGER NOT NULL,
	created_at     INTEGER NOT NULL
) STRICT;
