-- Records in lists besides that of their own place. The id is that of the record.

CREATE TABLE record_lists (
	list_kind  TEXT    NOT NULL, -- the kind of the list's place
	list_id    INTEGER NOT NULL, -- its id
	list       TEXT    NOT NULL,
	kind       TEXT    NOT NULL,
	id         INTEGER NOT NULL,
	place_kind TEXT    NOT NULL,
	place_id   INTEGER NOT NULL,
	number     INTEGER NOT NULL,
	PRIMARY KEY (list_kind, list_id, list, kind, id)
) STRICT, WITHOUT ROWID;

-- To take a record out of all lists.
CREATE INDEX record_lists_of_record ON record_lists (place_kind, place_id, kind, number);
