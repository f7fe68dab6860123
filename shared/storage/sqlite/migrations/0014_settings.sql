-- What owners and maintainers set for groups and projects, as JSON; '' is the default.
ALTER TABLE namespaces ADD COLUMN settings TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN settings TEXT NOT NULL DEFAULT '';
