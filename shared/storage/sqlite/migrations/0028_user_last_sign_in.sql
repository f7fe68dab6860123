-- When the user signed in to the pages last, in microseconds since 1970; 0: never, or
-- before this version.
ALTER TABLE users ADD COLUMN last_sign_in_at INTEGER NOT NULL DEFAULT 0;
