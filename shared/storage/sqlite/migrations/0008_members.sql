-- How many memberships a group or project has, for the length of lists.
CREATE TABLE member_counts (
	kind     TEXT    NOT NULL, -- of the place
	place_id INTEGER NOT NULL,
	members  INTEGER NOT NULL, -- at least 1
	PRIMARY KEY (kind, place_id)
) STRICT, WITHOUT ROWID;
INSERT INTO member_counts SELECT kind, place_id, count(*) FROM members GROUP BY kind, place_id;

-- Memberships also go with their user, by a foreign key.
CREATE TRIGGER member_added AFTER INSERT ON members BEGIN
	INSERT INTO member_counts VALUES (new.kind, new.place_id, 1) ON CONFLICT DO UPDATE SET members = members + 1;
END;
CREATE TRIGGER member_removed AFTER DELETE ON members BEGIN
	DELETE FROM member_counts WHERE kind = old.kind AND place_id = old.place_id AND members = 1;
	UPDATE member_counts SET members = members - 1 WHERE kind = old.kind AND place_id = old.place_id;
END;
