-- Alerts. They go after their project, whose id never comes again.

CREATE TABLE alerts (
	id              INTEGER PRIMARY KEY,
	project_id      INTEGER NOT NULL,
	iid             INTEGER NOT NULL,
	fingerprint     TEXT    NOT NULL,
	grouped         INTEGER NOT NULL,
	title           TEXT    NOT NULL,
	description     TEXT    NOT NULL,
	severity        TEXT    NOT NULL,
	status          TEXT    NOT NULL,
	service         TEXT    NOT NULL,
	monitoring_tool TEXT    NOT NULL,
	hosts           TEXT    NOT NULL, -- JSON
	environment     TEXT    NOT NULL,
	runbook         TEXT    NOT NULL,
	started_at      INTEGER NOT NULL,
	ended_at        INTEGER NOT NULL,
	events          INTEGER NOT NULL,
	last_event_at   INTEGER NOT NULL,
	integration_id  INTEGER NOT NULL,
	assignee_id     INTEGER NOT NULL,
	activity        TEXT    NOT NULL, -- JSON
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL,
	version         INTEGER NOT NULL,
	UNIQUE (project_id, iid)
) STRICT;
CREATE INDEX alerts_by_creation ON alerts (project_id, created_at);

-- At most one open alert counts further occurrences with a fingerprint.
CREATE UNIQUE INDEX alerts_counting ON alerts (project_id, fingerprint) WHERE grouped AND status <> 'resolved';

-- Other open alerts, for a recovery to find.
CREATE INDEX alerts_alone ON alerts (project_id, fingerprint)
	WHERE NOT grouped AND status <> 'resolved' AND fingerprint <> '';

-- What a monitoring tool sent, compressed; apart from the alerts, which are
-- read and written far more often.
CREATE TABLE alert_payloads (
	alert_id INTEGER PRIMARY KEY REFERENCES alerts (id) ON DELETE CASCADE,
	packed   BLOB    NOT NULL
) STRICT;

-- The last iid of each project.
CREATE TABLE alert_counters (
	project_id INTEGER PRIMARY KEY,
	last_iid   INTEGER NOT NULL
) STRICT;
