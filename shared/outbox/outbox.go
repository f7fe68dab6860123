// Package outbox keeps messages about what has to follow from a change: whom to page,
// what to send, what to look at later. A message is stored in the transaction of the change,
// and it stays until it was handled. So nothing is lost, and a message is handled again only
// if whoever handled it died before saying so.
package outbox

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
)

// Lane is a row of messages that are handled one after the other, in the order of their
// Seq. It is stored, so its form never changes: "alert/5/17" for the alert 17 of project 5.
type Lane string

// Group is a part of all lanes. A dispatcher looks for those of each group by themselves.
type Group string

// The groups.
const (
	Prompt Group = "prompt"
	Slow   Group = "slow" // of receivers that may take long to answer, or hang
)

const slowPrefix = "slow/"

// SlowLane returns the lane of the group Slow with this name, of an owner such as the
// project 5. The owners share what is there for slow lanes.
func SlowLane(noun string, ownerID int64, name string) Lane {
	return Lane(fmt.Sprintf("%s%s/%d/%s", slowPrefix, noun, ownerID, name))
}

// Group returns the group that has the lane.
func (l Lane) Group() Group {
	if strings.HasPrefix(string(l), slowPrefix) {
		return Slow
	}
	return Prompt
}

// Owner names the owner of a slow lane.
func (l Lane) Owner() string {
	parts := strings.SplitN(string(l), "/", 4)
	return strings.Join(parts[:min(3, len(parts))], "/")
}

// Kind says what a message is about, for example "alert.opened". It is stored.
type Kind string

// Message says what has to follow from a change.
type Message struct {
	Lane      Lane
	Seq       string // orders the messages of a lane, and no two have the same
	Kind      Kind
	ProjectID int64 // whose people look at it when it cannot be handled; zero: administrators
	Data      json.RawMessage
	CreatedAt time.Time
	DueAt     time.Time // it is not handled before, nor are those behind it

	Attempts  int // that failed
	LastError string
	Claim     string    // of the handler that works on it, or was the last to do so
	ClaimedTo time.Time // until when nobody else may handle it
}

// Ready reports whether the message can be handled: it is due and nobody works on it.
func (m Message) Ready(now time.Time) bool { return !m.DueAt.After(now) && !m.ClaimedTo.After(now) }

// ID identifies the message to receivers, who may get it more than once.
func (m Message) ID() string { return string(m.Lane) + "#" + m.Seq }

// SeqOf returns the Seq for the n-th message of a moment.
func SeqOf(at time.Time, n int) string { return fmt.Sprintf("%019d-%04d", at.UnixMicro(), n) }

// SeqOfVersion returns the Seq for the n-th message about a version of a thing.
func SeqOfVersion(version int64, n int) string { return fmt.Sprintf("%019d-%04d", version, n) }

// The reasons why a store refuses an operation.
var (
	// ErrTaken means that someone else handles the message, or has handled it.
	ErrTaken    = fault.New(fault.Conflict, "someone else handles the message")
	ErrNotFound = fault.New(fault.NotFound, "message not found")
)

// DeadFor is how long a message is kept that could not be handled.
const DeadFor = 30 * 24 * time.Hour

// MostFollowing is how many messages can follow from one at once.
const MostFollowing = 80

// Store keeps messages. Those of a change are stored by whatever stores that change, in
// the same transaction.
type Store interface {
	// PutMessages stores at most MostFollowing messages, all or none. One with the ID of a
	// stored one replaces nothing: it is left out.
	PutMessages(ctx context.Context, messages []Message) error

	// AnyMessages reports whether there is a message, due or not, other than dead ones. It
	// may miss those of the last second.
	AnyMessages(ctx context.Context) (bool, error)

	// DueLanes returns lanes of the group with a message that should be looked at by now,
	// at most n and each once. It may leave out lanes that got their message in the last
	// second.
	DueLanes(ctx context.Context, g Group, now time.Time, n int) ([]Lane, error)

	// Waiting returns the first n messages of a lane in their order, due or not.
	Waiting(ctx context.Context, l Lane, n int) ([]Message, error)

	// DelayLane has DueLanes leave the lane out until a time, for the sake of all its
	// messages that should be looked at by now. It may miss those of the last second.
	DelayLane(ctx context.Context, l Lane, now, until time.Time) error

	// ClaimMessage keeps others from handling the message until a time, and returns it with
	// the claim. The error is ErrTaken if the stored message is not Ready or is gone.
	ClaimMessage(ctx context.Context, m Message, claim string, now, until time.Time) (Message, error)

	// FinishMessages removes messages of a lane and stores those that follow from them,
	// at most MostFollowing. The first message is the one with the caller's claim: the
	// error is ErrTaken if it has another one by now or is gone, and then nothing follows.
	// The removal of the first and the storing are one transaction, and the other messages
	// are removed with it or afterwards. If the call fails then, some of them may be left.
	FinishMessages(ctx context.Context, done, follow []Message) error

	// PostponeMessage stores DueAt, Attempts and LastError of a message that the caller
	// has claimed, and gives the claim up. The error is ErrTaken as above.
	PostponeMessage(ctx context.Context, m Message) error

	// BuryMessage takes a message that the caller has claimed out of its lane and keeps
	// it among the dead ones for DeadFor. The error is ErrTaken as above.
	BuryMessage(ctx context.Context, m Message, now time.Time) error

	// DeadMessages returns a page of the dead messages of a project, or with zero of
	// no project, those that died last first. Their total is -1.
	DeadMessages(ctx context.Context, projectID int64, now time.Time, r page.Request) (page.Of[Dead], error)

	// ReviveMessage puts a dead message back into its lane, due at once and without
	// attempts. The error is ErrNotFound if the project has no such dead message.
	ReviveMessage(ctx context.Context, projectID, number int64, now time.Time) error
}

// Dead is a message that could not be handled.
type Dead struct {
	Message
	Number int64 // finds it among the dead messages of its project
	DiedAt time.Time
}

// Kept reports whether the dead message can still be seen.
func (d Dead) Kept(now time.Time) bool { return now.Sub(d.DiedAt) < DeadFor }

// Revived returns the message as it goes back into its lane.
func (d Dead) Revived(now time.Time) Message {
	m := d.Message
	m.DueAt, m.Attempts, m.Claim, m.ClaimedTo = now, 0, "", time.Time{}
	return m
}
