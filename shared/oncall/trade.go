package oncall

import (
	"context"
	"slices"
	"strconv"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
)

// The reasons why people may not change overrides.
var (
	errNotOnSchedule = fault.New(fault.Forbidden, "only Maintainers and the people of the schedule may add overrides")
	errOthersShifts  = fault.New(fault.Forbidden, "only Maintainers may change the shifts of others")
)

// AddOverrides adds an override, or the two of a swap, of which both take effect or none.
// Whoever is on the schedule may cover and trade their own shifts; the others are for
// Maintainers.
func (r *Rules) AddOverrides(ctx context.Context, by Who, p project.Project, was Stored, asked ...OverrideRequest) (made []Override, err error) {
	if !by.MayTrade(was.Thing) {
		return nil, errNotOnSchedule
	}
	wanted, err := readOverrides(asked, was.Thing, r.now())
	if err != nil {
		return nil, err
	}
	if by.maintains() != nil && !slices.ContainsFunc(wanted, func(o Override) bool { return o.names(by.UserID) }) {
		return nil, errOthersShifts
	}
	var users []int64
	for _, o := range wanted {
		users = append(users, o.UserID)
	}
	if err := r.requirePresent(ctx, p, "user_id", users); err != nil {
		return nil, err
	}
	name := EventOverrideAdded
	if len(wanted) > 1 {
		name = EventSwapped
	}
	_, err = r.edit(ctx, by, name, p, was, func(s *Schedule) (audit.Details, error) {
		made, err = s.addOverrides(wanted, r.now())
		return wanted[0].details(), err
	})
	return made, err
}

// MayTrade reports whether the user may add overrides to the schedule: Maintainers any, and
// whoever is on the schedule those of their own shifts.
func (w Who) MayTrade(s Schedule) bool {
	return w.maintains() == nil || slices.Contains(s.people(), w.UserID)
}

// MayDelete reports whether the user may delete the override.
func (w Who) MayDelete(o Override) bool { return w.maintains() == nil || o.names(w.UserID) }

// names reports whether the override takes a shift from the user or gives one to them.
func (o Override) names(userID int64) bool { return o.UserID == userID || o.ReplacesUserID == userID }

func (o Override) details() audit.Details {
	details := audit.Details{
		"on_call": strconv.FormatInt(o.UserID, 10), "starts_at": o.StartsAt.Format("2006-01-02 15:04Z"), "ends_at": o.EndsAt.Format("2006-01-02 15:04Z"),
	}
	if o.ReplacesUserID != 0 {
		details["replaced"] = strconv.FormatInt(o.ReplacesUserID, 10)
	}
	return details
}

// DeleteOverride deletes the override with this id and, if it is half of a swap, the other
// half. Maintainers and the people whom it names may.
func (r *Rules) DeleteOverride(ctx context.Context, by Who, p project.Project, was Stored, id int64) error {
	o, err := was.Thing.Override(id)
	if err != nil {
		return err
	}
	if !by.MayDelete(o) {
		return errOthersShifts
	}
	_, err = r.edit(ctx, by, EventOverrideDeleted, p, was, func(s *Schedule) (audit.Details, error) {
		gone, err := s.removeOverride(id)
		return gone.details(), err
	})
	return err
}
