package record

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

// Slot is the field of the words that are slots. A thing holds one of those that its holder
// has, such as its place, so that there are never more things than slots.
const Slot = "slot"

// SlotWord returns the word for a slot. The holder is part of it where one place has things of
// several; otherwise it is empty.
func SlotWord(holder string, slot int) string { return holder + strconv.Itoa(slot) }

// Slots are those that the things of a kind hold.
type Slots[T any] struct {
	Most int
	Full error // is returned when all of them are held
	// Of returns where a thing keeps its slot, from 1 on. Things that earlier releases stored
	// have none: zero.
	Of func(*T) *int
}

// Free returns the slots that none of these things holds. Each thing without a slot takes the
// place of one.
func (s Slots[T]) Free(has []Stored[T]) (free []int) {
	var held []int
	most := s.Most
	for _, one := range has {
		if slot := *s.Of(&one.Thing); slot == 0 {
			most--
		} else {
			held = append(held, slot)
		}
	}
	for slot := 1; slot <= most; slot++ {
		if !slices.Contains(held, slot) {
			free = append(free, slot)
		}
	}
	return free
}

// CreateIn stores a new thing in one of the free slots. The words of the thing have it.
func (o Of[T]) CreateIn(ctx context.Context, s Store, at project.Place, thing T, now time.Time, slots Slots[T], free []int) (Stored[T], error) {
	for _, slot := range free {
		*slots.Of(&thing) = slot
		made, err := o.Create(ctx, s, at, thing, now)
		if !slotIsTaken(err) {
			return made, err
		}
	}
	return Stored[T]{}, slots.Full
}

// slotIsTaken reports whether another thing took the slot meanwhile.
func slotIsTaken(err error) bool {
	var complaints fault.Fields
	return errors.As(err, &complaints) && complaints[Slot] != nil
}
