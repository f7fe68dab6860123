package sqlite

import (
	"context"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/session"
	"gatehouse/shared/storage/walk"
)

var sessions = newKind("sessions", sessionColumns, session.ErrNotFound, nil)

func sessionColumns(s *session.Session) columns {
	return columns{
		{"user_id", &s.UserID}, {"id", &s.ID}, {"digest", s.Digest[:]}, {"created_at", &s.CreatedAt},
		{"last_seen_at", &s.LastSeenAt}, {"user_agent", &s.Browser.UserAgent}, {"address", &s.Browser.Address},
		{"user_since", &s.SessionEpoch}, {"expires_at", derived(func() any { return micros(s.ExpiresAt()) })},
	}
}

// CreateSession stores a session.
func (s *Store) CreateSession(ctx context.Context, started session.Session) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		_, err := sessions.insert(tx, &started)
		return err
	})
}

// Session returns the user's session with this id.
func (s *Store) Session(ctx context.Context, userID int64, id string) (session.Session, error) {
	return sessions.find(ctx, s.readers, "WHERE user_id = ? AND id = ?", userID, id)
}

// Sessions returns a page of those of the user's sessions that are kept.
func (s *Store) Sessions(
	ctx context.Context, userID int64, keep func(session.Session) bool, r page.Request,
) (page.Of[session.Session], error) {
	return walk.List[session.Session]{
		Sources: []walk.Source[session.Session]{func(ctx context.Context, after page.Position, n int) ([]session.Session, error) {
			return sessions.all(ctx, s.readers, sessionsInOrder, userID, session.IDAfter(after), n)
		}},
		Position: session.Session.Position,
		Search:   keep,
		Time:     func(s session.Session) time.Time { return s.CreatedAt },
	}.Page(ctx, r)
}

const sessionsInOrder = "WHERE user_id = ? AND id < ? ORDER BY id DESC LIMIT ?"

// TouchSession records the use of a session.
func (s *Store) TouchSession(ctx context.Context, seen session.Session, now time.Time) error {
	seen.LastSeenAt = now
	return s.exec(ctx, "UPDATE sessions SET last_seen_at = ?, expires_at = ? WHERE user_id = ? AND id = ?",
		micros(seen.LastSeenAt), micros(seen.ExpiresAt()), seen.UserID, seen.ID)
}

// EndSession removes a session.
func (s *Store) EndSession(ctx context.Context, userID int64, id string) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.changeOne(session.ErrNotFound, "DELETE FROM sessions WHERE user_id = ? AND id = ?", userID, id)
	})
}

// EndOtherSessions removes all sessions of the user but one.
func (s *Store) EndOtherSessions(ctx context.Context, userID int64, id string) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.changeOne(session.ErrNotFound, "DELETE FROM sessions WHERE user_id = ? AND id <> ?", userID, id)
	})
}
