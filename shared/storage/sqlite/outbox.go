package sqlite

import (
	"context"
	"fmt"
	"time"

	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/storage/walk"
)

// waiting is a message with when to look at it.
type waiting struct {
	outbox.Message
	lookAt time.Time
}

var (
	messages     = newKind("messages", waitingColumns, outbox.ErrTaken, outbox.ErrTaken)
	deadMessages = newKind("dead_messages", deadColumns, outbox.ErrNotFound, nil)
)

func messageColumns(m *outbox.Message) columns {
	return columns{
		{"lane", (*string)(&m.Lane)}, {"seq", &m.Seq}, {"kind", (*string)(&m.Kind)}, {"project_id", &m.ProjectID},
		{"data", (*[]byte)(&m.Data)}, {"created_at", &m.CreatedAt}, {"due_at", &m.DueAt}, {"attempts", &m.Attempts},
		{"last_error", &m.LastError}, {"claim", &m.Claim}, {"claimed_to", &m.ClaimedTo},
	}
}

func waitingColumns(w *waiting) columns {
	return append(messageColumns(&w.Message), column{"look_at", &w.lookAt})
}

func deadColumns(d *outbox.Dead) columns {
	return append(messageColumns(&d.Message), column{"number", given{&d.Number}}, column{"died_at", &d.DiedAt})
}

// toldMessages stores a message unless one with its ID is stored.
var toldMessages = storing[waiting]{messages.inserted.query + " ON CONFLICT DO NOTHING", messages.rows}

// tell stores messages, in the transaction of what they are about. Those that are
// stored already stay as they are.
func (tx *transaction) tell(all []outbox.Message) error {
	for _, m := range all {
		if _, err := toldMessages.run(tx, &waiting{m, m.DueAt}); err != nil {
			return fmt.Errorf("store a message: %w", err)
		}
	}
	return nil
}

// PutMessages stores messages.
func (s *Store) PutMessages(ctx context.Context, all []outbox.Message) error {
	return s.writer.do(ctx, func(tx *transaction) error { return tx.tell(all) })
}

// AnyMessages reports whether there are messages.
func (s *Store) AnyMessages(ctx context.Context) (bool, error) {
	found, err := many(ctx, s.readers, scalar[int], "SELECT 1 FROM messages LIMIT 1")
	return len(found) > 0, err
}

// lookedAt is how many due messages are looked at for each lane that is wanted.
const lookedAt = 10

const selectDue = `SELECT lane FROM messages WHERE (substr(lane, 1, 5) = 'slow/') = ? AND look_at <= ? ORDER BY look_at LIMIT ?`

// DueLanes returns lanes with a message to look at.
func (s *Store) DueLanes(ctx context.Context, g outbox.Group, now time.Time, n int) ([]outbox.Lane, error) {
	const query = "SELECT DISTINCT lane FROM (" + selectDue + ") LIMIT ?"
	return many(ctx, s.readers, scalar[outbox.Lane], query, g == outbox.Slow, micros(now), lookedAt*n, n)
}

// Waiting returns the first messages of a lane.
func (s *Store) Waiting(ctx context.Context, l outbox.Lane, n int) ([]outbox.Message, error) {
	found, err := messages.all(ctx, s.readers, "WHERE lane = ? ORDER BY seq LIMIT ?", string(l), n)
	all := make([]outbox.Message, len(found))
	for i, w := range found {
		all[i] = w.Message
	}
	return all, err
}

const delayDue = `UPDATE messages SET look_at = ?
	WHERE (substr(lane, 1, 5) = 'slow/') = ? AND look_at <= ? AND lane = ?`

// DelayLane changes when to look at messages.
func (s *Store) DelayLane(ctx context.Context, l outbox.Lane, now, until time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.exec(delayDue, micros(until), l.Group() == outbox.Slow, micros(now), string(l))
	})
}

// ClaimMessage claims a message that is ready.
func (s *Store) ClaimMessage(ctx context.Context, m outbox.Message, claim string, now, until time.Time) (outbox.Message, error) {
	const query = `UPDATE messages SET claim = ?, claimed_to = ?, look_at = ?
		WHERE lane = ? AND seq = ? AND due_at <= ? AND claimed_to <= ?`
	m.Claim, m.ClaimedTo = claim, until
	return m, s.writer.do(ctx, func(tx *transaction) error {
		return tx.changeOne(outbox.ErrTaken, query, claim, micros(until), micros(until), string(m.Lane), m.Seq, micros(now), micros(now))
	})
}

// mine selects the message with the claim.
const mine = "WHERE lane = ? AND seq = ? AND claim = ?"

// FinishMessages removes messages and stores those that follow.
func (s *Store) FinishMessages(ctx context.Context, done, follow []outbox.Message) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		first := done[0]
		if err := messages.delete(tx, mine, string(first.Lane), first.Seq, first.Claim); err != nil {
			return err
		}
		for _, m := range done[1:] {
			if err := tx.exec("DELETE FROM messages WHERE lane = ? AND seq = ?", string(m.Lane), m.Seq); err != nil {
				return err
			}
		}
		return tx.tell(follow)
	})
}

// PostponeMessage gives a claimed message back for later.
func (s *Store) PostponeMessage(ctx context.Context, m outbox.Message) error {
	const query = "UPDATE messages SET due_at = ?, look_at = ?, attempts = ?, last_error = ?, claimed_to = 0, claim = '' " + mine
	return s.writer.do(ctx, func(tx *transaction) error {
		return tx.changeOne(outbox.ErrTaken, query, micros(m.DueAt), micros(m.DueAt), m.Attempts, m.LastError, string(m.Lane), m.Seq, m.Claim)
	})
}

// BuryMessage moves a claimed message to the dead ones.
func (s *Store) BuryMessage(ctx context.Context, m outbox.Message, now time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		if err := messages.delete(tx, mine, string(m.Lane), m.Seq, m.Claim); err != nil {
			return err
		}
		_, err := deadMessages.insert(tx, &outbox.Dead{Message: m, DiedAt: now})
		return err
	})
}

// DeadMessages returns a page of dead messages.
func (s *Store) DeadMessages(ctx context.Context, projectID int64, now time.Time, r page.Request) (page.Of[outbox.Dead], error) {
	const clause = "WHERE died_at > ? AND project_id = ?"
	return walk.List[outbox.Dead]{
		Sources:  []walk.Source[outbox.Dead]{deadMessages.newest(s, "number", clause, micros(now.Add(-outbox.DeadFor)), projectID)},
		Position: func(d outbox.Dead) page.Position { return page.At(d.Number) },
	}.Page(ctx, r)
}

// ReviveMessage puts a dead message back into its lane.
func (s *Store) ReviveMessage(ctx context.Context, projectID, number int64, now time.Time) error {
	return s.writer.do(ctx, func(tx *transaction) error {
		const clause = "WHERE project_id = ? AND number = ?"
		dead, err := deadMessages.find(context.Background(), tx, clause, projectID, number)
		if err != nil {
			return err
		}
		if !dead.Kept(now) {
			return outbox.ErrNotFound
		}
		if err := deadMessages.delete(tx, clause, projectID, number); err != nil {
			return err
		}
		return tx.tell([]outbox.Message{dead.Revived(now)})
	})
}
