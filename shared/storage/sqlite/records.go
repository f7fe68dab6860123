package sqlite

import (
	"context"
	"errors"
	"maps"
	"slices"

	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

var records = newKind("records", recordColumns, record.ErrNotFound, record.ErrChanged)

func recordColumns(r *record.Record) columns {
	return columns{
		{"place_kind", &r.Place.Kind}, {"place_id", &r.Place.ID}, {"kind", &r.Kind}, {"number", &r.Number}, {"id", &r.ID},
		{"data", &r.Data}, {"created_at", &r.CreatedAt}, {"expires_at", &r.ExpiresAt}, {"version", &r.Version},
	}
}

const (
	recordsIn = "WHERE place_kind = ? AND place_id = ?"
	recordsOf = recordsIn + " AND kind = ?"
	oneRecord = recordsOf + " AND number = ?"
)

// recordKey are the arguments of oneRecord.
func recordKey(r record.Record) []any { return []any{r.Place.Kind, r.Place.ID, r.Kind, r.Number} }

// CreateRecord stores a record.
func (s *Store) CreateRecord(ctx context.Context, r record.Record, perPlace bool) (record.Record, error) {
	err := s.writer.do(ctx, func(tx *transaction) (err error) {
		if err := tx.requirePlaceOf(r); err != nil {
			return err
		}
		if r.ID, err = tx.nextRecord(r.Kind, record.Instance); err != nil {
			return err
		}
		r.Number = r.ID
		if perPlace && r.Place != record.Instance {
			if r.Number, err = tx.nextRecord(r.Kind, r.Place); err != nil {
				return err
			}
		}
		r.Version = 1
		if err := tx.claimWords(r); err != nil {
			return err
		}
		if _, err = records.insert(tx, &r); err != nil {
			return err
		}
		return errors.Join(tx.listRecord(r, nil), tx.tell(r.Told()))
	})
	return r, err
}

// requirePlaceOf returns a fault.NotFound error when the record's place is gone.
func (tx *transaction) requirePlaceOf(r record.Record) error {
	if r.Place == record.Instance {
		return nil
	}
	return tx.requirePlace(r.Place)
}

// nextRecord returns the next number of the kind in the place.
func (tx *transaction) nextRecord(k record.Kind, at project.Place) (int64, error) {
	const next = `INSERT INTO record_ids (place_kind, place_id, kind, last_id) VALUES (?, ?, ?, 1)
		ON CONFLICT DO UPDATE SET last_id = last_id + 1 RETURNING last_id`
	return one(context.Background(), tx, scalar[int64], next, at.Kind, at.ID, k)
}

// claimWords takes the words of the record, or complains about those that others
// have.
func (tx *transaction) claimWords(r record.Record) error {
	var claims []claim
	for _, field := range slices.Sorted(maps.Keys(r.Words)) {
		const held = "SELECT 1 FROM record_words " + recordsOf + " AND field = ? AND word = ? AND number <> ?"
		claims = append(claims, claim{field, held, []any{r.Place.Kind, r.Place.ID, r.Kind, field, key(r.Words[field]), r.Number}})
	}
	if err := tx.checkFree(claims...); err != nil {
		return err
	}
	for field, word := range r.Words {
		err := tx.exec("INSERT INTO record_words (place_kind, place_id, kind, number, field, word) VALUES (?, ?, ?, ?, ?, ?)",
			append(recordKey(r), field, key(word))...)
		if err != nil {
			return err
		}
	}
	return nil
}

// freeWords gives back the words of the record.
func (tx *transaction) freeWords(r record.Record) error {
	for field, word := range r.Words {
		err := tx.exec("DELETE FROM record_words "+oneRecord+" AND field = ? AND word = ?", append(recordKey(r), field, key(word))...)
		if err != nil {
			return err
		}
	}
	return nil
}

// Record returns a record of a place.
func (s *Store) Record(ctx context.Context, k record.Kind, at project.Place, number int64) (record.Record, error) {
	return records.find(ctx, s.readers, oneRecord, at.Kind, at.ID, k, number)
}

// RecordByWord returns the record of a place that has the word.
func (s *Store) RecordByWord(ctx context.Context, k record.Kind, at project.Place, field, word string) (record.Record, error) {
	const named = recordsOf + " AND number = (SELECT number FROM record_words " + recordsOf + " AND field = ? AND word = ?)"
	return records.find(ctx, s.readers, named, at.Kind, at.ID, k, at.Kind, at.ID, k, field, key(word))
}

// Records returns a page of the records of a place.
func (s *Store) Records(ctx context.Context, k record.Kind, at project.Place, keep func(record.Record) bool, r page.Request) (page.Of[record.Record], error) {
	list := records.numbered(s, "number", func(r record.Record) int64 { return r.Number }, recordsOf, at.Kind, at.ID, k)
	if keep != nil {
		list.Search, list.Time, list.Count = keep, recordTime, nil
	}
	return list.Page(ctx, r)
}

// ChangeRecord replaces a record.
func (s *Store) ChangeRecord(ctx context.Context, was, next record.Record) (record.Record, error) {
	next.Version = was.Version + 1
	return next, s.writer.do(ctx, func(tx *transaction) error {
		if was.Version == 0 {
			return tx.addNumberedRecord(next)
		}
		if err := records.requireVersion(tx, was.Version, oneRecord, recordKey(was)...); err != nil {
			return err
		}
		if err := tx.freeWords(was); err != nil {
			return err
		}
		if err := tx.claimWords(next); err != nil {
			return err
		}
		if err := tx.relistRecord(was, next); err != nil {
			return err
		}
		const query = "UPDATE records SET data = ?, expires_at = ?, version = ? " + oneRecord
		changed := []any{next.Data, micros(next.ExpiresAt), next.Version}
		return errors.Join(tx.exec(query, append(changed, recordKey(next)...)...), tx.tell(next.Told()))
	})
}

// addNumberedRecord stores a new record under its number.
func (tx *transaction) addNumberedRecord(r record.Record) error {
	if err := tx.requirePlaceOf(r); err != nil {
		return err
	}
	if err := tx.refuse(records.changed, "SELECT 1 FROM records "+oneRecord, recordKey(r)...); err != nil {
		return err
	}
	_, err := records.insert(tx, &r)
	return errors.Join(err, tx.tell(r.Told()))
}

// RemoveRecord removes a record.
func (s *Store) RemoveRecord(ctx context.Context, was record.Record) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := records.requireVersion(tx, was.Version, oneRecord, recordKey(was)...); err != nil {
			return err
		}
		if err := tx.freeWords(was); err != nil {
			return err
		}
		if err := tx.exec("DELETE FROM record_lists "+oneRecord, recordKey(was)...); err != nil {
			return err
		}
		if err := records.delete(tx, oneRecord, recordKey(was)...); err != nil {
			return err
		}
		return tx.tell(was.Told())
	})
}

// removeRecords removes all records and lists of a place.
func (tx *transaction) removeRecords(at project.Place) error {
	if err := tx.exec("DELETE FROM record_lists "+recordsIn, at.Kind, at.ID); err != nil {
		return err
	}
	if err := tx.exec("DELETE FROM record_lists WHERE list_kind = ? AND list_id = ?", at.Kind, at.ID); err != nil {
		return err
	}
	if err := tx.exec("DELETE FROM record_words "+recordsIn, at.Kind, at.ID); err != nil {
		return err
	}
	if err := tx.exec("DELETE FROM record_ids "+recordsIn, at.Kind, at.ID); err != nil {
		return err
	}
	return tx.exec("DELETE FROM records "+recordsIn, at.Kind, at.ID)
}

// removeRecordsOfUser removes what a user has below the instance.
func (tx *transaction) removeRecordsOfUser(id int64) error {
	in := []any{record.Instance.Kind, record.Instance.ID}
	for _, k := range record.OnePerUser {
		if err := tx.exec("DELETE FROM records "+oneRecord, append(in, k, id)...); err != nil {
			return err
		}
	}
	const listed = " AND number IN (SELECT number FROM record_lists " + listedIn + ")"
	for _, table := range []string{"record_words", "records", "record_lists"} {
		of := append(append(in, record.OwnWebhook), listKey(record.OwnWebhook, record.ListOfUser(id))...)
		if err := tx.exec("DELETE FROM "+table+" "+recordsOf+listed, of...); err != nil {
			return err
		}
	}
	return nil
}
