package runner

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"gatehouse/shared/fault"
)

// Change is a change of a runner; nil leaves a field as it is.
type Change struct {
	Description, Name, MaintenanceNote *string
	Paused, Locked, RunUntagged        *bool
	AccessLevel                        *Access
	Tags                               []string
	MaximumTimeout                     *int64 // in seconds
	NoTimeout                          bool   // removes the timeout
}

// The limits of a runner.
const (
	maxText        = 1024 // characters
	maxTags        = 50
	maxTag         = 255 // characters
	minimumTimeout = 600 // seconds
)

// apply changes the runner, or returns the complaints about it.
func (c Change) apply(r *Runner) error {
	replace(&r.Description, c.Description)
	replace(&r.Name, c.Name)
	replace(&r.MaintenanceNote, c.MaintenanceNote)
	replace(&r.Paused, c.Paused)
	replace(&r.Locked, c.Locked)
	replace(&r.RunUntagged, c.RunUntagged)
	replace(&r.AccessLevel, c.AccessLevel)
	if c.Tags != nil {
		r.Tags = distinct(c.Tags)
	}
	if c.NoTimeout {
		r.MaximumTimeout = 0
	}
	replace(&r.MaximumTimeout, c.MaximumTimeout)
	complaints := r.complaints()
	if c.MaximumTimeout != nil && *c.MaximumTimeout < minimumTimeout {
		complaints.Add("maximum_timeout", "needs to be at least 10 minutes")
	}
	return complaints.Err()
}

func replace[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

func (r Runner) complaints() fault.Fields {
	complaints := fault.Fields{}
	complaints.Add("description", checkLength(r.Description, maxText))
	complaints.Add("name", checkLength(r.Name, maxTag))
	complaints.Add("maintenance_note", checkLength(r.MaintenanceNote, maxText))
	switch {
	case len(r.Tags) > maxTags:
		complaints.Add("tag_list", "has too many tags (maximum is 50)")
	case slices.ContainsFunc(r.Tags, func(tag string) bool { return checkLength(tag, maxTag) != "" }):
		complaints.Add("tag_list", "has a tag that is too long (maximum is 255 characters)")
	case len(r.Tags) == 0 && !r.RunUntagged:
		complaints.Add("tags_list", "can not be empty when runner is not allowed to pick untagged jobs")
	}
	return complaints
}

func checkLength(text string, most int) string {
	if utf8.RuneCountInString(text) > most {
		return "is too long (maximum is " + strconv.Itoa(most) + " characters)"
	}
	return ""
}

// distinct returns the tags in their order, none twice.
func distinct(tags []string) []string {
	kept := []string{}
	for _, tag := range tags {
		if !slices.Contains(kept, tag) {
			kept = append(kept, tag)
		}
	}
	return kept
}
