package oncall

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/fault"
	"gatehouse/shared/text"
)

// MaxPeople is how many people a schedule may have in its rotations and overrides.
const MaxPeople = 40

// The bounds of what a project keeps.
const (
	maxSchedules = 20
	maxRotations = 20
	maxOverrides = 100
	maxLength    = 1000 // of a turn, in its unit
	maxOverride  = 366 * 24 * time.Hour
	keptAfterEnd = 31 * 24 * time.Hour // how long an override tells of the past
)

// The reasons why something is not found.
var (
	ErrNoRotation = fault.New(fault.NotFound, "rotation not found")
	ErrNoOverride = fault.New(fault.NotFound, "override not found")
)

// blank is the complaint about a text that is missing.
const blank = "can't be blank"

// ErrChanged says that something was changed since it was read.
var ErrChanged = fault.New(fault.Conflict, "someone else changed this meanwhile")

// Change is a change of a schedule; nil leaves a field as it is.
type Change struct {
	Name, Timezone *string
	Seen           string // the SettingsMark on which the change was decided; empty: any
}

func (c Change) apply(s *Schedule) error {
	if c.Seen != "" && c.Seen != s.SettingsMark() {
		return ErrChanged
	}
	complaints := fault.Fields{}
	if c.Name != nil {
		s.Name = *c.Name
		complaints.Add("name", text.CheckName(s.Name))
	}
	if c.Timezone != nil {
		z, err := ParseZone(*c.Timezone)
		if err != nil {
			complaints.Add("timezone", err.Error())
		}
		s.Timezone = z
	}
	return complaints.Err()
}

// SettingsMark identifies the name and the zone.
func (s Schedule) SettingsMark() string { return markOf(s.Name, s.Timezone) }

// RotationMark identifies the rotation with this id and the zone in which its times are
// read. Overrides, feeds and other rotations do not change it.
func (s Schedule) RotationMark(id int64) string {
	r, _ := s.Rotation(id)
	return markOf(r, s.Timezone)
}

func markOf(parts ...any) string {
	text, _ := json.Marshal(parts) // has only what is stored as JSON
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// RotationChange is a change of a rotation; nil leaves a field as it is. Times are texts
// for Zone.ParseTime.
type RotationChange struct {
	Name             *string
	StartsAt, EndsAt *string // an empty EndsAt: the rotation does not end
	Length           *Length
	ActivePeriod     *ActivePeriod
	WholeDay         bool // removes the active period
	Participants     []int64
	Seen             string // the RotationMark on which the change was decided; empty: any
}

// apply changes the rotation and checks it as a whole.
func (c RotationChange) apply(s Schedule, r *Rotation) error {
	complaints := fault.Fields{}
	if c.Name != nil {
		r.Name = *c.Name
	}
	if c.StartsAt != nil {
		r.StartsAt = parse(s.Timezone, "starts_at", *c.StartsAt, complaints)
	}
	switch {
	case c.EndsAt == nil:
	case *c.EndsAt == "":
		r.EndsAt = time.Time{}
	default:
		r.EndsAt = parse(s.Timezone, "ends_at", *c.EndsAt, complaints)
	}
	if c.Length != nil {
		r.Length = *c.Length
	}
	if c.ActivePeriod != nil || c.WholeDay {
		r.ActivePeriod = c.ActivePeriod
	}
	if c.Participants != nil {
		r.Participants = c.Participants
	}
	r.check(s, complaints)
	return complaints.Err()
}

func parse(z Zone, field, value string, complaints fault.Fields) time.Time {
	t, complaint := z.ParseTime(value)
	if value == "" {
		complaint = blank
	}
	complaints.Add(field, complaint)
	return t
}

func (r Rotation) check(s Schedule, complaints fault.Fields) {
	complaints.Add("name", text.CheckName(r.Name))
	for _, other := range s.Rotations {
		if other.ID != r.ID && strings.EqualFold(other.Name, r.Name) {
			complaints.Add("name", fault.Taken)
		}
	}
	if !r.EndsAt.IsZero() && len(complaints["starts_at"]) == 0 && !r.StartsAt.Before(r.EndsAt) {
		complaints.Add("ends_at", "must be after starts_at")
	}
	if r.Length.Value < 1 || r.Length.Value > maxLength || !slices.Contains(Units, r.Length.Unit) {
		complaints.Add("length", "must have a value from 1 to 1000 and the unit hours, days or weeks")
	}
	if r.ActivePeriod != nil && r.ActivePeriod.Start == r.ActivePeriod.End {
		complaints.Add("active_period", "must not end when it starts")
	}
	complaints.Add("participants", checkParticipants(r.Participants))
}

func checkParticipants(ids []int64) (complaint string) {
	if len(ids) == 0 {
		return "must have somebody"
	}
	if len(slices.Compact(slices.Sorted(slices.Values(ids)))) < len(ids) {
		return "has a user more than once"
	}
	return ""
}

// people returns the ids of the users in the rotations and in overrides, in order.
func (s Schedule) people() (ids []int64) {
	for _, r := range s.Rotations {
		ids = append(ids, r.Participants...)
	}
	for _, o := range s.Overrides {
		ids = append(ids, o.UserID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// checkPeople returns a complaint about the field if the schedule has too many people.
func (s Schedule) checkPeople(field string) error {
	if len(s.people()) > MaxPeople {
		return fault.Field(field, fmt.Sprintf("has too many (a schedule may have %d people in its rotations and overrides)", MaxPeople))
	}
	return nil
}

// Rotation returns the one with this id.
func (s Schedule) Rotation(id int64) (Rotation, error) {
	i := s.rotation(id)
	if i < 0 {
		return Rotation{}, ErrNoRotation
	}
	return s.Rotations[i], nil
}

func (s Schedule) rotation(id int64) int {
	return slices.IndexFunc(s.Rotations, func(r Rotation) bool { return r.ID == id })
}

// addRotation adds a rotation with the values of the change.
func (s *Schedule) addRotation(c RotationChange) (Rotation, error) {
	if len(s.Rotations) == maxRotations {
		return Rotation{}, fault.New(fault.Conflict, fmt.Sprintf("the schedule has %d rotations, which is the most", maxRotations))
	}
	s.LastID++
	s.Rotations = append(slices.Clone(s.Rotations), Rotation{ID: s.LastID})
	c.Seen = "" // nobody has seen it
	return s.changeRotation(s.LastID, c)
}

func (s *Schedule) changeRotation(id int64, c RotationChange) (Rotation, error) {
	i := s.rotation(id)
	if i < 0 {
		return Rotation{}, ErrNoRotation
	}
	if c.Seen != "" && c.Seen != s.RotationMark(id) {
		return Rotation{}, ErrChanged
	}
	r := s.Rotations[i]
	if err := c.apply(*s, &r); err != nil {
		return Rotation{}, err
	}
	s.Rotations = slices.Clone(s.Rotations)
	s.Rotations[i] = r
	return r, s.checkPeople("participants")
}

func (s *Schedule) removeRotation(id int64) (Rotation, error) {
	i := s.rotation(id)
	if i < 0 {
		return Rotation{}, ErrNoRotation
	}
	r := s.Rotations[i]
	s.Rotations = slices.Delete(slices.Clone(s.Rotations), i, i+1)
	return r, nil
}

// OverrideRequest asks for an override. Times are texts for Zone.ParseTime.
type OverrideRequest struct {
	UserID, ReplacesUserID int64
	StartsAt, EndsAt       string
}

// read returns the override that is asked for.
func (q OverrideRequest) read(s Schedule, now time.Time) (Override, error) {
	complaints := fault.Fields{}
	o := Override{UserID: q.UserID, ReplacesUserID: q.ReplacesUserID}
	o.StartsAt = parse(s.Timezone, "starts_at", q.StartsAt, complaints)
	o.EndsAt = parse(s.Timezone, "ends_at", q.EndsAt, complaints)
	switch {
	case len(complaints) > 0:
	case !o.StartsAt.Before(o.EndsAt):
		complaints.Add("ends_at", "must be after starts_at")
	case !now.Before(o.EndsAt):
		complaints.Add("ends_at", "is in the past")
	case o.EndsAt.Sub(o.StartsAt) > maxOverride:
		complaints.Add("ends_at", "is more than 366 days after starts_at")
	}
	switch {
	case o.ReplacesUserID == o.UserID:
		complaints.Add("replaces_user_id", "is the same user")
	case o.ReplacesUserID != 0 && !slices.Contains(s.people(), o.ReplacesUserID):
		complaints.Add("replaces_user_id", "is not on the schedule")
	}
	return o, complaints.Err()
}

// readOverrides returns the overrides that are asked for together: one, or two that are a
// swap.
func readOverrides(asked []OverrideRequest, s Schedule, now time.Time) ([]Override, error) {
	if len(asked) != 1 && len(asked) != 2 {
		return nil, fault.Field("overrides", "must be the two of a swap")
	}
	var all []Override
	for _, q := range asked {
		o, err := q.read(s, now)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	if len(all) == 2 && (all[0].ReplacesUserID != all[1].UserID || all[1].ReplacesUserID != all[0].UserID) {
		return nil, fault.Field("overrides", "must each have one user in place of the other")
	}
	return all, nil
}

// addOverrides adds overrides that were read, and forgets old ones.
func (s *Schedule) addOverrides(added []Override, now time.Time) ([]Override, error) {
	kept := slices.DeleteFunc(slices.Clone(s.Overrides), func(o Override) bool { return now.Sub(o.EndsAt) > keptAfterEnd })
	if len(kept)+len(added) > maxOverrides {
		return nil, fault.New(fault.Conflict, fmt.Sprintf("the schedule has %d overrides, which is the most", maxOverrides))
	}
	added = slices.Clone(added)
	for i := range added {
		s.LastID++
		added[i].ID = s.LastID
		if len(added) > 1 {
			added[i].SwapID = added[0].ID
		}
	}
	s.Overrides = append(kept, added...)
	return added, s.checkPeople("user_id")
}

// Override returns the one with this id.
func (s Schedule) Override(id int64) (Override, error) {
	for _, o := range s.Overrides {
		if o.ID == id {
			return o, nil
		}
	}
	return Override{}, ErrNoOverride
}

// removeOverride removes the override and, if it is half of a swap, the other half.
func (s *Schedule) removeOverride(id int64) (Override, error) {
	gone, err := s.Override(id)
	if err != nil {
		return Override{}, err
	}
	s.Overrides = slices.DeleteFunc(slices.Clone(s.Overrides), func(o Override) bool {
		return o.ID == id || gone.SwapID != 0 && o.SwapID == gone.SwapID
	})
	return gone, nil
}
