-- When the e-mail address was confirmed, in microseconds since 1970; 0: it is not.
ALTER TABLE users ADD COLUMN confirmed_at INTEGER NOT NULL DEFAULT 0;
