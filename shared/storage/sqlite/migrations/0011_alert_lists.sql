-- Lists of alerts: filters and orders have indexes, and the alerts are counted where
-- they change. The number of events has no index, because repeats would be slower.

-- What a search looks into, in lower case.
ALTER TABLE alerts ADD COLUMN search_text TEXT NOT NULL DEFAULT '';

-- In portions of alerts:
UPDATE alerts SET search_text =
	gatehouse_key(title || char(31) || description || char(31) || service || char(31) || monitoring_tool)
	WHERE id > ?1 AND id <= ?2;

-- In a transaction of its own:
DROP INDEX alerts_by_creation;
CREATE INDEX alerts_by_class ON alerts (project_id, status, severity, iid);

-- In a transaction of its own:
CREATE INDEX alerts_by_start ON alerts (project_id, started_at, iid);

-- In a transaction of its own:
CREATE INDEX alerts_by_update ON alerts (project_id, updated_at, iid);

-- In a transaction of its own:
-- Open alerts have no end.
CREATE INDEX alerts_by_end ON alerts (project_id, ended_at, iid) WHERE status = 'resolved';

CREATE TABLE alert_counts (
	project_id INTEGER NOT NULL,
	status     TEXT    NOT NULL,
	severity   TEXT    NOT NULL,
	alerts     INTEGER NOT NULL,
	PRIMARY KEY (project_id, status, severity)
) STRICT, WITHOUT ROWID;

-- In a transaction of its own:
INSERT INTO alert_counts SELECT project_id, status, severity, count(*) FROM alerts GROUP BY 1, 2, 3;

-- The alerts that were opened on a day, which is counted from 1970, UTC.
CREATE TABLE alert_days (
	project_id INTEGER NOT NULL,
	day        INTEGER NOT NULL,
	alerts     INTEGER NOT NULL,
	grave      INTEGER NOT NULL, -- critical or high
	PRIMARY KEY (project_id, day)
) STRICT, WITHOUT ROWID;

-- In a transaction of its own:
INSERT INTO alert_days SELECT project_id, created_at / 86400000000, count(*), sum(severity IN ('critical', 'high'))
	FROM alerts GROUP BY 1, 2;

-- The counts of a deleted project go with the last of its alerts.
CREATE TRIGGER alert_counters_removed AFTER DELETE ON alert_counters BEGIN
	DELETE FROM alert_counts WHERE project_id = OLD.project_id;
	DELETE FROM alert_days WHERE project_id = OLD.project_id;
END;
