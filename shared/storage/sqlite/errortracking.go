package sqlite

import (
	"context"
	"math"

	"gatehouse/shared/errortracking"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

var trackings = newKind("tracking_settings", trackingColumns, errortracking.ErrNotFound, nil)

func trackingColumns(s *errortracking.Settings) columns {
	x := &s.External
	return columns{
		{"project_id", &s.ProjectID}, {"active", &s.Active}, {"integrated", &s.Integrated},
		{"api_url", &x.APIURL}, {"project_name", &x.ProjectName}, {"tracker_url", &x.TrackerURL},
		{"sealed_token", &x.SealedToken},
	}
}

// TrackingSettings returns the project's settings.
func (s *Store) TrackingSettings(ctx context.Context, projectID int64) (errortracking.Settings, error) {
	return trackings.find(ctx, s.readers, "WHERE project_id = ?", projectID)
}

// ChangeTracking changes the project's settings.
func (s *Store) ChangeTracking(ctx context.Context, projectID int64, c errortracking.Change) (settings errortracking.Settings, err error) {
	err = s.writer.do(ctx, func(tx *transaction) error {
		if err := tx.requireProject(projectID); err != nil {
			return err
		}
		stored, err := trackings.find(context.Background(), tx, "WHERE project_id = ?", projectID)
		if c.Create && fault.Is(err, fault.NotFound) {
			stored, err = errortracking.Settings{ProjectID: projectID}, nil
		}
		if err != nil {
			return err
		}
		if settings, err = c.Apply(stored); err != nil {
			return err
		}
		return trackings.put(tx, &settings)
	})
	return settings, err
}

// PutSealedToken stores a token that was sealed anew.
func (s *Store) PutSealedToken(ctx context.Context, projectID int64, was, sealed []byte) error {
	return s.exec(ctx, "UPDATE tracking_settings SET sealed_token = ? WHERE project_id = ? AND sealed_token = ?", sealed, projectID, was)
}

var clientKeys = newKind("client_keys", clientKeyColumns, errortracking.ErrKeyNotFound, nil)

func clientKeyColumns(k *errortracking.ClientKey) columns {
	return columns{
		{"id", &k.ID}, {"project_id", &k.ProjectID}, {"public_key", &k.PublicKey}, {"active", &k.Active},
		{"created_at", &k.CreatedAt},
	}
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
		_, err := clientKeys.insert(tx, &k)
		return err
	})
}

// ClientKeys returns a page of the project's keys.
func (s *Store) ClientKeys(ctx context.Context, projectID int64, r page.Request) (page.Of[errortracking.ClientKey], error) {
	return walk.List[errortracking.ClientKey]{
		Sources:  []walk.Source[errortracking.ClientKey]{s.clientKeysOf(projectID)},
		Position: positionOfKey,
		Count:    clientKeys.count(s, "WHERE project_id = ?", projectID),
	}.Page(ctx, r)
}

// positionOfKey orders by time, because ids are random.
func positionOfKey(k errortracking.ClientKey) page.Position {
	return page.Position{Value: k.CreatedAt.UnixMicro(), ID: k.ID}
}

func (s *Store) clientKeysOf(projectID int64) walk.Source[errortracking.ClientKey] {
	return func(ctx context.Context, after page.Position, n int) ([]errortracking.ClientKey, error) {
		if !after.Some() {
			after = page.Position{Value: math.MaxInt64, ID: math.MaxInt64}
		}
		return clientKeys.all(ctx, s.readers, clientKeysInOrder, projectID, after.Value, after.ID, n)
	}
}

const clientKeysInOrder = "WHERE project_id = ? AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?"

// RemoveClientKey removes a key of the project.
func (s *Store) RemoveClientKey(ctx context.Context, projectID, id int64) (k errortracking.ClientKey, err error) {
	err = s.writer.do(ctx, func(tx *transaction) error {
		const clause = "WHERE id = ? AND project_id = ?"
		if k, err = clientKeys.find(context.Background(), tx, clause, id, projectID); err != nil {
			return err
		}
		return clientKeys.delete(tx, clause, id, projectID)
	})
	return k, err
}
