-- How many requests came with a wrong key or none, and when the last one came, in microseconds since 1970.
ALTER TABLE integrations ADD COLUMN wrong_keys INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN last_wrong_key_at INTEGER NOT NULL DEFAULT 0;
