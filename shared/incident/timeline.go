package incident

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/outbox"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
)

// note is a note of a person about an incident.
type note struct {
	At        time.Time `json:"at"`
	ActorID   int64     `json:"actor_id"`
	Text      string    `json:"text"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

func (n note) entry(id int64) Entry {
	return Entry{ID: id, At: n.At, ActorID: n.ActorID, Kind: Noted, Text: n.Text}
}

// notesOf are the notes about an incident, with the IDs of their entries for numbers.
func notesOf(iid int64) record.Of[note] {
	return record.Of[note]{
		Kind:    record.Kind(fmt.Sprintf("incident_note-%d", iid)),
		Expires: func(n note) time.Time { return n.ExpiresAt },
		Tell: func(was *note, is record.Stored[note]) []outbox.Message {
			if was != nil && was.Text != "" {
				return nil
			}
			return []outbox.Message{message(is.Place.ID, iid, is.Thing.entry(is.Number))}
		},
	}
}

// maxNote is the longest note, in characters.
const maxNote = 10_000

// Note adds a person's note to the timeline.
func (r *Rules) Note(ctx context.Context, by audit.Actor, p project.Project, s Stored, text string) (e Entry, err error) {
	complaints := fault.Fields{}
	if strings.TrimSpace(text) == "" {
		complaints.Add("note", "can't be blank")
	}
	complaints.Add("note", checkLength(text, maxNote))
	if err := complaints.Err(); err != nil {
		return Entry{}, err
	}
	n := note{At: r.time(), ActorID: by.UserID, Text: text, ExpiresAt: s.Thing.ExpiresAt}
	err = r.audited(ctx, event(by, EventNoted, p, s), func(ctx context.Context) (err error) {
		e, err = r.addNote(ctx, p, s, n)
		return err
	})
	return e, err
}

// errTakenID means that another note has the number.
var errTakenID = errors.New("the number is taken")

// addNote stores the note under the first free number from that of its time on, behind the
// changes.
func (r *Rules) addNote(ctx context.Context, p project.Project, s Stored, n note) (Entry, error) {
	notes := notesOf(s.Number)
	for id := max(2*n.At.UnixMicro(), s.Thing.lastChange()) + 1; ; id += 2 {
		free := record.Stored[note]{Record: record.Record{Kind: notes.Kind, Place: p.Place(), Number: id, CreatedAt: n.At}}
		_, err := notes.Change(ctx, r.records, free, func(there *note) error {
			if there.Text != "" {
				return errTakenID
			}
			*there = n
			return nil
		})
		if !errors.Is(err, errTakenID) {
			return n.entry(id), err
		}
	}
}

// Timeline returns a page of what happened to the incident, the newest first: all notes
// and the latest changes.
func (r *Rules) Timeline(ctx context.Context, p project.Project, s Stored, req page.Request) (page.Of[Entry], error) {
	if req.TooFar() {
		return page.Of[Entry]{}, page.ErrTooFar
	}
	wanted := page.Request{Number: 1, Size: req.Skipped() + req.Size + 1, After: req.After}
	notes, err := notesOf(s.Number).List(ctx, r.records, p.Place(), wanted)
	if err != nil {
		return page.Of[Entry]{}, err
	}
	entries := s.Thing.changesBetween(notes.Next, req.After)
	for _, n := range notes.Items {
		entries = append(entries, n.Thing.entry(n.Number))
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(b.ID, a.ID) })
	start := min(req.Skipped(), len(entries))
	if start == len(entries) && start > 0 && notes.More {
		return page.Of[Entry]{}, page.ErrTooFar
	}
	end := min(start+req.Size, len(entries))
	found := page.Of[Entry]{Items: entries[start:end], Total: -1, More: notes.More || end < len(entries)}
	switch {
	case found.More && end > start:
		found.Next = page.At(entries[end-1].ID)
	case found.More:
		found.Next = notes.Next
	}
	return found, nil
}

// changesBetween returns the changes before one position and not before the other, where
// reading ended; the zero Position bounds nothing.
func (i Incident) changesBetween(end, before page.Position) (entries []Entry) {
	for _, e := range i.Changes {
		if (!before.Some() || e.ID < before.ID) && e.ID > end.ID {
			entries = append(entries, e)
		}
	}
	return entries
}

// settleNotes has the notes expire with their incident.
func (r *Rules) settleNotes(ctx context.Context, p project.Project, s Stored) error {
	notes := notesOf(s.Number)
	for req := (page.Request{Number: 1, Size: page.MaxSize}); ; {
		found, err := notes.List(ctx, r.records, p.Place(), req)
		if err != nil {
			return err
		}
		err = each(ctx, found.Items, func(ctx context.Context, n int) error {
			if found.Items[n].Thing.ExpiresAt.Equal(s.Thing.ExpiresAt) {
				return nil
			}
			_, err := notes.Change(ctx, r.records, found.Items[n], func(n *note) error {
				n.ExpiresAt = s.Thing.ExpiresAt
				return nil
			})
			return fault.IgnoreNotFound(err)
		})
		if err != nil || !found.More {
			return err
		}
		req.After = found.Next
	}
}
