-- Resolved alerts can expire. The sweep removes those that have. Those that were resolved
-- before stay until they are resolved again: when that was is only in their activity, and
-- for how long they are kept in the configuration.
ALTER TABLE alerts ADD COLUMN expires_at INTEGER NOT NULL DEFAULT 0; -- 0: never

-- In a transaction of its own:
-- For the sweep, and to count what has expired in a project.
CREATE INDEX alerts_by_expiry ON alerts (expires_at) WHERE expires_at > 0;
CREATE INDEX alerts_by_class_expiry ON alerts (project_id, severity, expires_at) WHERE expires_at > 0;
