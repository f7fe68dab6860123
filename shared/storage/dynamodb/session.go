package dynamodb

import (
	"context"
	"slices"
	"time"

	"gatehouse/shared/page"
	"gatehouse/shared/session"
	"gatehouse/shared/storage/walk"
)

var sessionItem = shape{tokens, "USER#<id>", "SESSION#<id>", "a session; its id begins with the time", "at its end"}

var sessions = kind[session.Session]{noun: "session", notFound: session.ErrNotFound, fields: sessionFields}

func sessionFields(s *session.Session) fields {
	return fields{
		{"user_id", &s.UserID}, {"id", &s.ID}, {"digest", s.Digest[:]}, {"created_at", &s.CreatedAt},
		{"last_seen_at", &s.LastSeenAt}, {"user_agent", &s.Browser.UserAgent}, {"address", &s.Browser.Address},
		{"user_since", &s.SessionEpoch},
	}
}

// CreateSession stores a session.
func (s *Store) CreateSession(ctx context.Context, new session.Session) error {
	return s.write(ctx, create(sessionItem.key(new.UserID, new.ID), sessionFields(&new).until(new.ExpiresAt())))
}

// Session returns the user's session with this id.
func (s *Store) Session(ctx context.Context, userID int64, id string) (session.Session, error) {
	return sessions.get(ctx, s, sessionItem.key(userID, id))
}

// Sessions returns a page of those of the user's sessions that are kept.
func (s *Store) Sessions(
	ctx context.Context, userID int64, keep func(session.Session) bool, r page.Request,
) (page.Of[session.Session], error) {
	return walk.List[session.Session]{
		Sources:  []walk.Source[session.Session]{s.sessionsOf(userID)},
		Position: session.Session.Position,
		Search:   keep,
		Time:     func(s session.Session) time.Time { return s.CreatedAt },
	}.Page(ctx, r)
}

func (s *Store) sessionsOf(userID int64) walk.Source[session.Session] {
	return func(ctx context.Context, after page.Position, n int) (found []session.Session, err error) {
		err = s.between(ctx, sessionItem.key(userID), "", session.IDAfter(after), n, func(it item) (bool, error) {
			one, err := sessions.read(it)
			found = append(found, one)
			return len(found) < n, err
		})
		return found, err
	}
}

// TouchSession notes that the session was used.
func (s *Store) TouchSession(ctx context.Context, used session.Session, now time.Time) error {
	used.LastSeenAt = now
	seen := fields{{"last_seen_at", &used.LastSeenAt}}.until(used.ExpiresAt())
	return s.writeIf(ctx, set(sessionItem.key(used.UserID, used.ID), seen))
}

// EndSession removes the session.
func (s *Store) EndSession(ctx context.Context, userID int64, id string) error {
	return s.write(ctx, mustRemove(sessionItem.key(userID, id)).orElse(session.ErrNotFound))
}

// EndOtherSessions removes all sessions of the user but one.
func (s *Store) EndOtherSessions(ctx context.Context, userID int64, id string) error {
	found, err := sessions.all(ctx, s, sessionItem.key(userID))
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(found, func(other session.Session) bool { return other.ID == id })
	if len(others) == 0 {
		return session.ErrNotFound
	}
	return inParallel(ctx, others, func(ctx context.Context, other session.Session) error {
		return s.write(ctx, remove(sessionItem.key(userID, other.ID)))
	})
}
