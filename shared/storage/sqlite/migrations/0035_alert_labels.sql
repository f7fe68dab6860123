-- What an alert carries beside its own fields: labels as JSON, values by name; the title of the group that its first
-- notification was in; and the web address of the tool that grouped it. Empty: none, as of alerts of earlier releases.
ALTER TABLE alerts ADD COLUMN labels TEXT NOT NULL DEFAULT '{}';
ALTER TABLE alerts ADD COLUMN group_title TEXT NOT NULL DEFAULT '';
ALTER TABLE alerts ADD COLUMN external_url TEXT NOT NULL DEFAULT '';
