package consoleapi

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// spareRows is how many rows a form may have beyond what is stored at most, so that the
// page can say that there are too many.
const spareRows = 10

var errLongForm = fault.New(fault.Invalid, "The form is too long.")

// timeField is a field of a form for a time of a schedule.
type timeField struct {
	Name, Label, Hint string
	Value, Complaint  string
	Focused           bool
	local             bool
}

// newTimeField returns a field with the value, a text for Zone.ParseTime.
func newTimeField(zone oncall.Zone, name, label, value string) timeField {
	_, complaint := zone.ParseTime(value)
	local := complaint == "" && len(value) <= len("2006-01-02T15:04:05") && !strings.HasSuffix(value, "Z")
	return timeField{Name: name, Label: label, Value: value, local: local || value == ""}
}

// Type is that of the input. One for a local time cannot take the offset from UTC that a
// time needs which the clocks show twice.
func (f timeField) Type() string {
	if f.local {
		return "datetime-local"
	}
	return "text"
}

// complain marks the field with its complaint, if there is one.
func (f *timeField) complain(all site.Complaints, field string) {
	f.Complaint, f.Focused = all.About(field), all.Focus() == field
}

// wireNames are words of the REST API in complaints, and what forms call them.
var wireNames = strings.NewReplacer(
	"starts_at", "the start", "elapsed_minutes", "minutes", "schedule_id or user_id", "a schedule or a person",
	"has users who are not members of", "is not a member of",
)

// complaintsOf returns the complaints with the names that forms use, as site.NewComplaints
// does.
func complaintsOf(wrong fault.Fields, subjects ...string) site.Complaints {
	named := fault.Fields{}
	for field, complaints := range wrong {
		for _, text := range complaints {
			named.Add(field, wireNames.Replace(text))
		}
	}
	return site.NewComplaints(named, subjects...)
}

// sentences returns the complaints as one text.
func sentences(wrong fault.Fields, subjects ...string) string {
	var all []string
	for pair := range slices.Chunk(subjects, 2) {
		if text := complaintsOf(wrong, pair...).About(pair[0]); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, " ")
}

// typedUser finds the user whose name was typed, with or without an @.
func (a *api) typedUser(ctx context.Context, name string) (user.User, error) {
	return a.app.Users.UserByUsername(ctx, strings.TrimPrefix(strings.TrimSpace(name), "@"))
}

// maxSuggested is how many users a form suggests.
const maxSuggested = 20

// developers returns users to suggest in forms, who may work on the project. They are in one
// list for each place, so only those who ask for them read them.
func (a *api) developers(ctx context.Context, p project.Project) ([]user.User, error) {
	members, err := a.app.Projects.SomeFrom(ctx, project.Developer, maxSuggested, p.Places()...)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, m := range members {
		ids = append(ids, m.UserID)
	}
	known, err := a.people(ctx, ids...)
	return known.present(), err
}

// present returns the people who can be on call, by their user names.
func present(all oncall.People) (users []user.User) {
	for id, one := range all {
		if all.Present(id) {
			users = append(users, one.User)
		}
	}
	slices.SortFunc(users, func(a, b user.User) int { return cmp.Compare(a.Username, b.Username) })
	return users
}
