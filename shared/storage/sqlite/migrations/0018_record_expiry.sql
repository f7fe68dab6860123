-- Records can expire. The sweep removes those that have.

ALTER TABLE records ADD COLUMN expires_at INTEGER NOT NULL DEFAULT 0; -- 0: never

CREATE INDEX records_by_expiry ON records (expires_at) WHERE expires_at > 0;

-- To free the words of a record without knowing them.
CREATE INDEX record_words_of_record ON record_words (place_kind, place_id, kind, number);
