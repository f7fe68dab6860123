-- Counts the people who authorized an application, and keeps the day of its last use.
CREATE INDEX grant_summaries_by_client ON grant_summaries (client_id);
CREATE TABLE client_uses (
  client_id INTEGER PRIMARY KEY,
  used_at   INTEGER NOT NULL
) STRICT;
