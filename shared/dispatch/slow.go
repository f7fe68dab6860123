package dispatch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gatehouse/shared/outbox"
)

// The slow lanes that a sweep works on side by side: together, and those of an owner. While
// all receivers of an owner hang, there are places for those of others.
const (
	slowPlaces  = 64
	ownerPlaces = 16
)

// A sweep takes so many slow lanes at once that those of an owner hardly hide the others'.
// It looks for more after a while, even if it has not begun with all of them, and then
// further than before if it had not seen all.
const (
	slowAtOnce = 4096
	mostAtOnce = 8 * slowAtOnce
	further    = 2
	lookAgain  = time.Second
)

// slowSweep works on slow lanes.
type slowSweep struct {
	*Dispatcher
	ended  chan worked
	busy   map[outbox.Lane]bool // that are worked on
	places map[string]int       // that each owner has
	begun  int
	atOnce int // how many lanes the next look takes
}

// worked is a lane that is worked on no more.
type worked struct {
	lane outbox.Lane
	err  error
}

// sweepSlow works on the slow lanes that are due until none is, and returns how many.
func (d *Dispatcher) sweepSlow(ctx context.Context) (int, error) {
	s := &slowSweep{Dispatcher: d, ended: make(chan worked), busy: map[outbox.Lane]bool{}, places: map[string]int{}, atOnce: slowAtOnce}
	err := s.run(ctx)
	for len(s.busy) > 0 {
		err = cmp.Or(err, s.end(<-s.ended))
	}
	return s.begun, err
}

func (s *slowSweep) run(ctx context.Context) error {
	for ctx.Err() == nil {
		due, err := s.store.DueLanes(ctx, outbox.Slow, s.source.Now(), s.atOnce)
		if err != nil {
			return err
		}
		if len(due) == s.atOnce {
			s.atOnce = min(further*s.atOnce, mostAtOnce)
		}
		due = slices.DeleteFunc(due, func(l outbox.Lane) bool { return s.busy[l] })
		if len(due)+len(s.busy) == 0 {
			return nil
		}
		if err := s.workOnAll(ctx, ownersInTurn(due)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// workOnAll works on the lanes until none is left, or it is time to look for more.
func (s *slowSweep) workOnAll(ctx context.Context, due []outbox.Lane) error {
	again := s.source.After(lookAgain)
	for {
		due = s.begin(ctx, due)
		if len(s.busy) == 0 {
			return nil
		}
		select {
		case one := <-s.ended:
			if err := s.end(one); err != nil {
				return err
			}
		case <-again:
			return nil
		}
	}
}

// begin begins with those of the lanes for which there are places, and returns the others.
func (s *slowSweep) begin(ctx context.Context, due []outbox.Lane) (left []outbox.Lane) {
	for _, l := range due {
		if len(s.busy) == slowPlaces || s.places[l.Owner()] == ownerPlaces {
			left = append(left, l)
			continue
		}
		s.busy[l] = true
		s.places[l.Owner()]++
		s.begun++
		go func() { s.ended <- worked{l, s.workOn(ctx, l, s.delay)} }()
	}
	return left
}

func (s *slowSweep) end(one worked) error {
	delete(s.busy, one.lane)
	s.places[one.lane.Owner()]--
	return one.err
}

// ownersInTurn returns the lanes in another order: the first one of each owner, then the
// second ones.
func ownersInTurn(lanes []outbox.Lane) []outbox.Lane {
	var rounds [][]outbox.Lane
	seen := map[string]int{}
	for _, l := range lanes {
		n := seen[l.Owner()]
		seen[l.Owner()]++
		if n == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[n] = append(rounds[n], l)
	}
	return slices.Concat(rounds...)
}
