-- A session, and a token of the password grant, remembers when the user's
-- sessions were ended last as it began, and is over once that is not the same.
ALTER TABLE sessions ADD COLUMN user_since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE grants ADD COLUMN user_since INTEGER NOT NULL DEFAULT 0;
