-- What alerts set off in a project, and for how long they are kept.
ALTER TABLE alert_settings ADD COLUMN create_incident     INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alert_settings ADD COLUMN incident_template   TEXT    NOT NULL DEFAULT '';
ALTER TABLE alert_settings ADD COLUMN auto_close_incident INTEGER NOT NULL DEFAULT 1;
ALTER TABLE alert_settings ADD COLUMN send_email          INTEGER NOT NULL DEFAULT 0;
ALTER TABLE alert_settings ADD COLUMN retention_days      INTEGER; -- NULL: those of the instance
ALTER TABLE alert_settings ADD COLUMN watched             INTEGER NOT NULL DEFAULT 0;
