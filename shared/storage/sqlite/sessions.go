package sqlite

import (
	"context"
	"time"

	"gatehouse/shared/session"
)

const sessionColumns = "user_id, id, digest, created_at, last_seen_at, user_agent, address, user_since"

func scanSession(r row) (s session.Session, err error) {
	return s, r.Scan(&s.UserID, &s.ID, intoBytes(s.Digest[:]), intoTime(&s.CreatedAt), intoTime(&s.LastSeenAt),
		&s.Browser.UserAgent, &s.Browser.Address, intoTime(&s.SessionEpoch))
}

// CreateSession stores a session.
func (s *Store) CreateSession(ctx context.Context, started session.Session) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("INSERT INTO sessions ("+sessionColumns+", expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			started.UserID, started.ID, started.Digest[:], micros(started.CreatedAt), micros(started.LastSeenAt),
			started.Browser.UserAgent, started.Browser.Address, micros(started.SessionEpoch), micros(started.ExpiresAt()))
	})
}

// Session returns the user's session with this id.
func (s *Store) Session(ctx context.Context, userID int64, id string) (session.Session, error) {
	const query = "SELECT " + sessionColumns + " FROM sessions WHERE user_id = ? AND id = ?"
	return find(ctx, s.readers, session.ErrNotFound, scanSession, query, userID, id)
}

// Sessions returns the user's sessions.
func (s *Store) Sessions(ctx context.Context, userID int64) ([]session.Session, error) {
	return many(ctx, s.readers, scanSession, "SELECT "+sessionColumns+" FROM sessions WHERE user_id = ?", userID)
}

// TouchSession notes the use of a session.
func (s *Store) TouchSession(ctx context.Context, seen session.Session, now time.Time) error {
	seen.LastSeenAt = now
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("UPDATE sessions SET last_seen_at = ?, expires_at = ? WHERE user_id = ? AND id = ?",
			micros(seen.LastSeenAt), micros(seen.ExpiresAt()), seen.UserID, seen.ID)
	})
}

// EndSession removes a session.
func (s *Store) EndSession(ctx context.Context, userID int64, id string) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("DELETE FROM sessions WHERE user_id = ? AND id = ?", userID, id)
	})
}

// EndOtherSessions removes all sessions of the user but one.
func (s *Store) EndOtherSessions(ctx context.Context, userID int64, id string) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec("DELETE FROM sessions WHERE user_id = ? AND id <> ?", userID, id)
	})
}
