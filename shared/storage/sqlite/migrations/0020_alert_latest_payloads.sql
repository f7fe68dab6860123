-- The newest payloads of repeats, compressed. When it was kept is beside the count of
-- events, which every repeat changes; 0: never.
ALTER TABLE alerts ADD COLUMN latest_payload_at INTEGER NOT NULL DEFAULT 0;

CREATE TABLE alert_latest_payloads (
	alert_id INTEGER PRIMARY KEY REFERENCES alerts (id) ON DELETE CASCADE,
	at       INTEGER NOT NULL,
	packed   BLOB    NOT NULL
) STRICT;
