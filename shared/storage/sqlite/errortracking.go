package sqlite

import (
	"context"

	"gatehouse/shared/errortracking"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
)

const selectTracking = `
	SELECT project_id, active, integrated, api_url, project_name, tracker_url, sealed_token
	FROM tracking_settings WHERE project_id = ?`

func scanTracking(r row) (s errortracking.Settings, err error) {
	x := &s.External
	return s, r.Scan(&s.ProjectID, &s.Active, &s.Integrated, &x.APIURL, &x.ProjectName, &x.TrackerURL, &x.SealedToken)
}

// TrackingSettings returns the project's settings.
func (s *Store) TrackingSettings(ctx context.Context, projectID int64) (errortracking.Settings, error) {
	return find(ctx, s.readers, errortracking.ErrNotFound, scanTracking, selectTracking, projectID)
}

// ChangeTracking changes the project's settings.
func (s *Store) ChangeTracking(ctx context.Context, projectID int64, c errortracking.Change) (settings errortracking.Settings, err error) {
	err = s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireProject(projectID); err != nil {
			return err
		}
		stored, err := find(ctx, tx, errortracking.ErrNotFound, scanTracking, selectTracking, projectID)
		if c.Create && fault.Is(err, fault.NotFound) {
			stored, err = errortracking.Settings{ProjectID: projectID}, nil
		}
		if err != nil {
			return err
		}
		if settings, err = c.Apply(stored); err != nil {
			return err
		}
		return tx.putTracking(settings)
	})
	return settings, err
}

func (tx *transaction) putTracking(s errortracking.Settings) error {
	x := s.External
	return tx.exec(`
		INSERT OR REPLACE INTO tracking_settings
			(project_id, active, integrated, api_url, project_name, tracker_url, sealed_token)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		s.ProjectID, s.Active, s.Integrated, x.APIURL, x.ProjectName, x.TrackerURL, append([]byte{}, x.SealedToken...))
}

// PutSealedToken keeps a token sealed anew.
func (s *Store) PutSealedToken(ctx context.Context, projectID int64, was, sealed []byte) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("UPDATE tracking_settings SET sealed_token = ? WHERE project_id = ? AND sealed_token = ?", sealed, projectID, was)
	})
}

func (tx *transaction) requireProject(id int64) error {
	return tx.require(project.ErrNotFound, "SELECT 1 FROM projects WHERE id = ?", id)
}

const clientKeyColumns = "number, id, project_id, public_key, active, created_at"

func scanClientKey(r row) (k errortracking.ClientKey, err error) {
	var number int64
	return k, r.Scan(&number, &k.ID, &k.ProjectID, &k.PublicKey, &k.Active, intoTime(&k.CreatedAt))
}

// AddClientKey stores a key.
func (s *Store) AddClientKey(ctx context.Context, k errortracking.ClientKey) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireProject(k.ProjectID); err != nil {
			return err
		}
		if err := tx.refuse(errortracking.ErrKeyTaken, "SELECT 1 FROM client_keys WHERE id = ?", k.ID); err != nil {
			return err
		}
		return tx.exec("INSERT INTO client_keys (id, project_id, public_key, active, created_at) VALUES (?, ?, ?, ?, ?)",
			k.ID, k.ProjectID, k.PublicKey, k.Active, micros(k.CreatedAt))
	})
}

// ClientKeys returns a page of the project's keys.
func (s *Store) ClientKeys(ctx context.Context, projectID int64, r page.Request) (page.Of[errortracking.ClientKey], error) {
	return list(ctx, s, scanClientKey, clientKeyColumns, "client_keys WHERE project_id = ?", r, projectID)
}

// RemoveClientKey removes a key of the project.
func (s *Store) RemoveClientKey(ctx context.Context, projectID, id int64) (k errortracking.ClientKey, err error) {
	err = s.writer.do(ctx, func(tx *transaction) error {
		k, err = find(ctx, tx, errortracking.ErrKeyNotFound, scanClientKey,
			"DELETE FROM client_keys WHERE id = ? AND project_id = ? RETURNING "+clientKeyColumns, id, projectID)
		return err
	})
	return k, err
}
