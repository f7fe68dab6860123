-- The id of the preset that an integration was made from, '' for none.
ALTER TABLE integrations ADD COLUMN preset TEXT NOT NULL DEFAULT '';
