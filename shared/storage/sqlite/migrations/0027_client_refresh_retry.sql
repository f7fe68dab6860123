-- For how many seconds an application gets the same new tokens again, if that differs from
-- what the instance says.
ALTER TABLE clients ADD COLUMN own_refresh_retry INTEGER NOT NULL DEFAULT 0;
ALTER TABLE clients ADD COLUMN refresh_retry INTEGER NOT NULL DEFAULT 0;
