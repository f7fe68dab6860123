-- What an alert sets off: its incident, a silence, and the gravest severity since it
-- was opened, which is empty for alerts of earlier releases: theirs is the first.
ALTER TABLE alerts ADD COLUMN incident_iid   INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alerts ADD COLUMN silenced_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alerts ADD COLUMN peak_severity  TEXT    NOT NULL DEFAULT '';
