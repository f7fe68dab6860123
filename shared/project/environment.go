package project

import (
	"context"
	"slices"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/text"
)

// Environment is a place where a project's software runs, such as "production".
type Environment struct {
	ID        int64 // unique in the instance
	ProjectID int64
	Name      string
}

// MaxEnvironments is how many a project can have.
const MaxEnvironments = 100

// The reasons why a project does not get or lose an environment.
var (
	ErrEnvironmentNotFound = fault.New(fault.NotFound, "environment not found")
	ErrTooManyEnvironments = fault.New(fault.Conflict, "the project has the most environments it can have")
)

// AddEnvironment adds an environment to the project.
func (r *Rules) AddEnvironment(ctx context.Context, by audit.Actor, p Project, name string) (Environment, error) {
	if complaint := text.CheckName(name); complaint != "" {
		return Environment{}, fault.Field("name", complaint)
	}
	e := Environment{ProjectID: p.ID, Name: name}
	err := r.trail.Do(ctx, e.event(EventEnvironmentCreated, by, p), func(ctx context.Context) (err error) {
		e, err = r.store.CreateEnvironment(ctx, p, e)
		return err
	})
	return e, err
}

// Environment returns the project's environment with this id, or a fault.NotFound error.
func (r *Rules) Environment(ctx context.Context, p Project, id int64) (Environment, error) {
	all, err := r.Environments(ctx, p)
	if err != nil {
		return Environment{}, err
	}
	n := slices.IndexFunc(all, func(e Environment) bool { return e.ID == id })
	if n < 0 {
		return Environment{}, ErrEnvironmentNotFound
	}
	return all[n], nil
}

// DeleteEnvironment deletes the project's environment with this id, or returns
// a fault.NotFound error. Alerts keep its name.
func (r *Rules) DeleteEnvironment(ctx context.Context, by audit.Actor, p Project, id int64) error {
	e, err := r.Environment(ctx, p, id)
	if err != nil {
		return err
	}
	return r.trail.Do(ctx, e.event(EventEnvironmentDeleted, by, p), func(ctx context.Context) error {
		return r.store.DeleteEnvironment(ctx, p, id)
	})
}
