-- The digest of the key that an address of the integration holds, and the key sealed like the other one; empty: there is none.
ALTER TABLE integrations ADD COLUMN path_key_digest BLOB NOT NULL DEFAULT x'';
ALTER TABLE integrations ADD COLUMN sealed_path_key BLOB NOT NULL DEFAULT x'';
