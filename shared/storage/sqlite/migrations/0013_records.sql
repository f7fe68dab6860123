-- Records that the REST API keeps and nothing else uses. A place is a group or a
-- project, or the instance: '' with the id 0.

CREATE TABLE records (
	place_kind TEXT    NOT NULL,
	place_id   INTEGER NOT NULL,
	kind       TEXT    NOT NULL,
	number     INTEGER NOT NULL, -- in the place
	id         INTEGER NOT NULL,
	data       BLOB    NOT NULL,
	created_at INTEGER NOT NULL,
	version    INTEGER NOT NULL,
	PRIMARY KEY (place_kind, place_id, kind, number)
) STRICT;

-- The words that one record of a kind and place has alone, in lower case.
CREATE TABLE record_words (
	place_kind TEXT    NOT NULL,
	place_id   INTEGER NOT NULL,
	kind       TEXT    NOT NULL,
	field      TEXT    NOT NULL,
	word       TEXT    NOT NULL,
	number     INTEGER NOT NULL,
	PRIMARY KEY (place_kind, place_id, kind, field, word)
) STRICT, WITHOUT ROWID;

-- The last id of each kind of records, at the instance, and the last number of a kind
-- that each place counts.
CREATE TABLE record_ids (
	place_kind TEXT    NOT NULL,
	place_id   INTEGER NOT NULL,
	kind       TEXT    NOT NULL,
	last_id    INTEGER NOT NULL,
	PRIMARY KEY (place_kind, place_id, kind)
) STRICT, WITHOUT ROWID;
