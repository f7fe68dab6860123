package runner

import (
	"context"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/record"
	"gatehouse/shared/secret"
	"gatehouse/shared/throttle"
)

// The events about runners.
var (
	EventCreated    = audit.Declare("runner.created", "Runner registered")
	EventChanged    = audit.Declare("runner.changed", "Runner changed")
	EventDeleted    = audit.Declare("runner.deleted", "Runner deleted")
	EventAssigned   = audit.Declare("runner.assigned", "Runner assigned to a project")
	EventUnassigned = audit.Declare("runner.unassigned", "Runner taken away from a project")
	EventTokenReset = audit.Declare("runner.registration_token_reset", "Registration token of runners renewed")
)

// The reasons why a deed is refused.
var (
	ErrWrongToken  = fault.New(fault.Forbidden, "")
	ErrNoAccess    = fault.New(fault.Forbidden, "No access granted")
	ErrOfGroup     = fault.New(fault.Forbidden, "Runner is a group runner")
	ErrOfInstance  = fault.New(fault.Forbidden, "Runner is an instance runner")
	ErrLocked      = fault.New(fault.Forbidden, "Runner is locked")
	ErrOwnProject  = fault.New(fault.Forbidden, "Runner belongs to this project. Remove the runner instead")
	ErrHasProjects = fault.New(fault.Forbidden, "Runner associated with more than one project")
)

// Store is what the rules need of a store.
type Store interface {
	record.Store
	project.Reader
}

// Rules keep runners.
type Rules struct {
	store    Store
	trail    *audit.Trail
	attempts *throttle.Rules
	now      func() time.Time
}

// NewRules returns the rules over a store.
func NewRules(store Store, trail *audit.Trail, attempts *throttle.Rules, now func() time.Time) *Rules {
	return &Rules{store, trail, attempts, now}
}

// ResetToken makes the token with which runners of the place are registered, and ends
// the one before. Where says which place it is.
func (r *Rules) ResetToken(ctx context.Context, by audit.Actor, at project.Place, where string) (token secret.Text, err error) {
	own := secret.New("", secretSize)
	e := inPlace(by.Event(EventTokenReset, audit.Details{"in": where}), at)
	err = r.trail.Do(ctx, e, func(ctx context.Context) error {
		was, err := registrations.FindOr(ctx, r.store, at, 0, registration{}, r.now())
		if err != nil {
			return err
		}
		_, err = registrations.Change(ctx, r.store, was, func(g *registration) error {
			*g = registration{own.Digest().String(), by.UserID}
			return nil
		})
		return err
	})
	return registrationToken(at, own), err
}

// Made is a new runner with its token, which nothing shows again.
type Made struct {
	Stored
	Token secret.Text
}

// Create makes a runner of the instance.
func (r *Rules) Create(ctx context.Context, by audit.Actor, c Change) (Made, error) {
	return r.create(ctx, by, record.Instance, Runner{}, c)
}

// Register makes a runner of the place that the registration token is for. A wrong
// token is ErrWrongToken or, after many from one address, a *throttle.Refused.
func (r *Rules) Register(ctx context.Context, token secret.Text, from netip.Addr, c Change) (Made, error) {
	at, own, ok := parseRegistrationToken(token)
	if !ok {
		return Made{}, r.refuse(ctx, from)
	}
	found, err := registrations.Find(ctx, r.store, at, 0)
	switch {
	case fault.Is(err, fault.NotFound) || err == nil && !matches(found.Thing.Token, own):
		return Made{}, r.refuse(ctx, from)
	case err != nil:
		return Made{}, err
	}
	placed, err := r.vacant(ctx, at)
	switch {
	case fault.Is(err, fault.NotFound): // is being deleted
		return Made{}, ErrWrongToken
	case err != nil:
		return Made{}, err
	}
	made, err := r.create(ctx, byToken(found.Thing.UserID), at, placed, c)
	if fault.Is(err, fault.NotFound) { // was deleted in between
		return Made{}, ErrWrongToken
	}
	return made, err
}

// guess is the kind of attempts with wrong tokens.
const guess throttle.Kind = "runner token"

// refuse counts a wrong token against the address and returns the error. Right tokens
// are not counted and never refused: they are too long to be guessed, and many runners
// may share an address.
func (r *Rules) refuse(ctx context.Context, from netip.Addr) error {
	if _, err := r.attempts.Begin(ctx, throttle.Guess{Kind: guess, Address: from}); err != nil {
		return err
	}
	return ErrWrongToken
}

// maxRunners is how many runners a group or project can have. Those that register at the
// same moment may be a few more.
const maxRunners = 1000

// vacant returns what placed does, or a complaint if the place has too many runners.
func (r *Rules) vacant(ctx context.Context, at project.Place) (placed Runner, err error) {
	if at == record.Instance {
		return Runner{}, nil
	}
	var has page.Of[Stored]
	reads, readCtx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		placed, err = r.placed(readCtx, at)
		return err
	})
	reads.Go(func() (err error) {
		has, err = runners.List(readCtx, r.store, at, page.Request{Number: 1, Size: 1})
		return err
	})
	if err := reads.Wait(); err != nil {
		return Runner{}, err
	}
	if has.Total < 0 || has.Total >= maxRunners {
		return Runner{}, fault.Field("base", "has too many runners (maximum is 1000)")
	}
	return placed, nil
}

// placed returns a runner with what it keeps of its place.
func (r *Rules) placed(ctx context.Context, at project.Place) (Runner, error) {
	switch at.Kind {
	case project.InProject:
		p, err := r.store.Project(ctx, at.ID)
		return Runner{Where: p.FullPath, Above: p.Lineage, OwnerID: p.OwnerID}, err
	case project.InGroup:
		g, err := r.store.Group(ctx, at.ID)
		return Runner{Where: g.FullPath, Above: g.Ancestors}, err
	}
	return Runner{}, nil
}

func (r *Rules) create(ctx context.Context, by audit.Actor, at project.Place, made Runner, c Change) (Made, error) {
	own := secret.New("", secretSize)
	made.Token, made.CreatorID, made.RunUntagged, made.AccessLevel = own.Digest().String(), by.UserID, true, NotProtected
	if err := c.apply(&made); err != nil {
		return Made{}, err
	}
	var stored Stored
	err := r.trail.Do(ctx, event(by, EventCreated, Stored{Record: record.Record{Place: at}, Thing: made}), func(ctx context.Context) (err error) {
		stored, err = runners.Create(ctx, r.store, at, made, r.now())
		return err
	})
	return Made{stored, runnerToken(stored, own)}, err
}

// withToken returns the runner with this token, with the errors of Register.
func (r *Rules) withToken(ctx context.Context, token secret.Text, from netip.Addr) (Stored, error) {
	at, id, own, ok := parseRunnerToken(token)
	if !ok {
		return Stored{}, r.refuse(ctx, from)
	}
	s, err := r.find(ctx, at, id)
	if fault.Is(err, fault.NotFound) || err == nil && !matches(s.Thing.Token, own) {
		return Stored{}, r.refuse(ctx, from)
	}
	return s, err
}

// find returns the runner of a place that exists: what is being deleted may still have
// some.
func (r *Rules) find(ctx context.Context, at project.Place, id int64) (s Stored, err error) {
	reads, readCtx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		s, err = runners.Find(readCtx, r.store, at, id)
		return err
	})
	reads.Go(func() error {
		_, err := r.placed(readCtx, at)
		return err
	})
	return s, reads.Wait()
}

// contactEvery is how long a noted contact is good enough. It is far below onlineFor,
// so that a runner that is there is online.
const contactEvery = 30 * time.Minute

// Verify notes that the runner with this token is in contact, with the errors of
// Register. Runners do that all the time, so the trail does not have it, and a contact
// soon after another one is not written.
func (r *Rules) Verify(ctx context.Context, token secret.Text, from netip.Addr) (Stored, error) {
	s, err := r.withToken(ctx, token, from)
	now := r.now()
	if err != nil || now.Before(s.Thing.ContactedAt.Add(contactEvery)) {
		return s, err
	}
	s, err = runners.Change(ctx, r.store, s, func(r *Runner) error {
		r.ContactedAt = now.UTC().Truncate(time.Microsecond)
		return nil
	})
	if fault.Is(err, fault.NotFound) { // deleted meanwhile
		return s, ErrWrongToken
	}
	return s, err
}

// Unregister deletes the runner with this token, with the errors of Register.
func (r *Rules) Unregister(ctx context.Context, token secret.Text, from netip.Addr) error {
	s, err := r.withToken(ctx, token, from)
	if err != nil {
		return err
	}
	if err = r.remove(ctx, byToken(s.Thing.CreatorID), s); fault.Is(err, fault.NotFound) {
		return ErrWrongToken
	}
	return err
}

// Change changes a runner that the viewer manages.
func (r *Rules) Change(ctx context.Context, by audit.Actor, s Seen, c Change) (Seen, error) {
	if !s.Manages {
		return Seen{}, ErrNoAccess
	}
	next := s.Thing
	if err := c.apply(&next); err != nil {
		return Seen{}, err
	}
	err := r.trail.Do(ctx, event(by, EventChanged, s.Stored), func(ctx context.Context) (err error) {
		s.Stored, err = runners.Change(ctx, r.store, s.Stored, c.apply)
		return err
	})
	return s, err
}

// Delete deletes a runner that the viewer manages. One that several projects use is
// for administrators to delete.
func (r *Rules) Delete(ctx context.Context, by audit.Actor, s Seen) error {
	switch {
	case !s.Manages:
		return ErrNoAccess
	case s.shared && !s.admin:
		return ErrHasProjects
	}
	return r.remove(ctx, by, s.Stored)
}

func (r *Rules) remove(ctx context.Context, by audit.Actor, s Stored) error {
	return r.trail.Do(ctx, event(by, EventDeleted, s), func(ctx context.Context) error {
		return runners.Remove(ctx, r.store, s)
	})
}

// Assign lets a project use a runner of another one that the viewer manages.
func (r *Rules) Assign(ctx context.Context, by audit.Actor, v project.Viewer, p project.Project, id int64) (s Stored, err error) {
	if s, err = r.assignable(ctx, v, id); err != nil {
		return Stored{}, err
	}
	gone, err := r.goneProjects(ctx, s)
	if err != nil {
		return Stored{}, err
	}
	edit := func(r *Runner) error {
		r.Projects = slices.DeleteFunc(slices.Clone(r.Projects), func(id int64) bool { return slices.Contains(gone, id) })
		return r.assign(s.Place, p.Place())
	}
	return r.edit(ctx, use(by, EventAssigned, p, s), s, edit)
}

// goneProjects returns which projects of a runner are deleted. It looks only when the
// runner can have no more.
func (r *Rules) goneProjects(ctx context.Context, s Stored) (gone []int64, err error) {
	if len(s.Thing.Projects) < maxProjects {
		return nil, nil
	}
	found, err := r.store.ProjectsByID(ctx, s.Thing.Projects)
	for _, id := range s.Thing.Projects {
		if _, there := found[id]; !there {
			gone = append(gone, id)
		}
	}
	return gone, err
}

// assignable returns the runner if the viewer may assign it to projects.
func (r *Rules) assignable(ctx context.Context, v project.Viewer, id int64) (s Stored, err error) {
	if s, err = runners.FindListed(ctx, r.store, all, id); err != nil {
		return Stored{}, err
	}
	switch TypeOf(s.Place) {
	case GroupType:
		return Stored{}, ErrOfGroup
	case InstanceType:
		return Stored{}, ErrOfInstance
	}
	if v.Admin {
		return s, nil
	}
	v.Memberships, err = r.store.MembershipsAt(ctx, v.UserID, home(s).Places()...)
	switch {
	case err != nil:
		return Stored{}, err
	case !manages(v, s, r.now()):
		return Stored{}, ErrNoAccess
	case s.Thing.Locked:
		return Stored{}, ErrLocked
	}
	return s, nil
}

// Unassign takes a runner away from a project that it does not belong to.
func (r *Rules) Unassign(ctx context.Context, by audit.Actor, p project.Project, id int64) error {
	s, err := runners.FindListed(ctx, r.store, usableIn(p.Place()), id)
	switch {
	case err != nil:
		return err
	case s.Place == p.Place():
		return ErrOwnProject
	}
	_, err = r.edit(ctx, use(by, EventUnassigned, p, s), s, func(r *Runner) error {
		r.Projects = slices.DeleteFunc(slices.Clone(r.Projects), func(id int64) bool { return id == p.ID })
		return nil
	})
	return err
}

// byToken is the actor of what somebody does with a token that goes back to the user.
func byToken(userID int64) audit.Actor { return audit.Actor{UserID: userID} }

// edit checks an edit before the trail has it, and makes it.
func (r *Rules) edit(ctx context.Context, e audit.Event, s Stored, edit func(*Runner) error) (next Stored, err error) {
	checked := s.Thing
	if err := edit(&checked); err != nil {
		return Stored{}, err
	}
	err = r.trail.Do(ctx, e, func(ctx context.Context) (err error) {
		next, err = runners.Change(ctx, r.store, s, edit)
		return err
	})
	return next, err
}

// event returns an event about a runner. One that is not stored yet has no number.
func event(by audit.Actor, name audit.Name, s Stored) audit.Event {
	return inPlace(by.Event(name, details(s, s.Thing.Where)), s.Place)
}

// use returns an event about the use of a runner by a project.
func use(by audit.Actor, name audit.Name, p project.Project, s Stored) audit.Event {
	return by.Event(name, details(s, p.Where())).In(p.ID)
}

func details(s Stored, where string) audit.Details {
	d := audit.Details{"runner": s.Thing.Description, "type": string(TypeOf(s.Place)), "in": where}
	if s.ID != 0 {
		d["runner_id"] = strconv.FormatInt(s.ID, 10)
	}
	return d
}

func inPlace(e audit.Event, at project.Place) audit.Event {
	if at.Kind == project.InProject {
		return e.In(at.ID)
	}
	return e
}
