package sqlite

import (
	"context"
	"time"

	"gatehouse/shared/session"
)

func scanSession(r row) (s session.Session, err error) {
	return s, r.Scan(&s.UserID, &s.ID, intoBytes(s.Digest[:]), intoTime(&s.CreatedAt), intoTime(&s.LastSeenAt))
}

// CreateSession stores a session.
func (s *Store) CreateSession(ctx context.Context, started session.Session) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec(`
			INSERT INTO sessions (user_id, id, digest, created_at, last_seen_at, expires_at)
			VALUES (?, ?, ?, ?, ?, ?)`,
			started.UserID, started.ID, started.Digest[:],
			micros(started.CreatedAt), micros(started.LastSeenAt), micros(started.ExpiresAt()))
	})
}

// Session returns the user's session with this id.
func (s *Store) Session(ctx context.Context, userID int64, id string) (session.Session, error) {
	const query = "SELECT user_id, id, digest, created_at, last_seen_at FROM sessions WHERE user_id = ? AND id = ?"
	return find(ctx, s.readers, "session", scanSession, query, userID, id)
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
