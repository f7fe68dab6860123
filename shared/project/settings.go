package project

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"gatehouse/shared/fault"
)

// GroupSettings are what the owners of a group set for it. Stores keep them as JSON, in
// which a setting that nobody changed is left out, so that the zero GroupSettings are
// the defaults and take no room.
type GroupSettings struct {
	// Protection is that of default branches; nil: FactoryProtection.
	Protection *BranchProtection `json:"default_branch_protection_defaults,omitempty"`
}

// ProjectSettings are what the maintainers of a project set for it, kept like
// GroupSettings.
type ProjectSettings struct {
	// VariablesRole may set variables of a pipeline; empty: VariablesByDevelopers.
	VariablesRole VariablesRole `json:"ci_pipeline_variables_minimum_override_role,omitempty"`
	Mirror        Mirror        `json:"mirror,omitzero"`
}

// Settings are those of a group or of a project.
type Settings interface {
	GroupSettings | ProjectSettings
}

// EncodeSettings returns the JSON in which stores keep the settings: "" for the
// defaults.
func EncodeSettings[S Settings](s S) string {
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false) // escaped each '<', '>' and '&' would take six bytes
	if err := encoder.Encode(s); err != nil {
		panic(err) // settings are texts, numbers, booleans and lists
	}
	if text := strings.TrimSuffix(encoded.String(), "\n"); text != "{}" {
		return text
	}
	return ""
}

// DecodeSettings returns the settings that such a text holds. It leaves out those of a
// later release.
func DecodeSettings[S Settings](text string) (s S, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &s)
	}
	return s, err
}

// Edit changes settings, or returns what is wrong with the change. What pointers lead
// to it replaces.
type Edit[S Settings] func(*S) error

// edit makes the edits. Their complaints about fields are added to the others, and
// returned with them.
func edit[S Settings](s *S, edits []Edit[S], complaints fault.Fields) error {
	for _, change := range edits {
		err := change(s)
		var fields fault.Fields
		switch {
		case errors.As(err, &fields):
			maps.Copy(complaints, fields)
		case err != nil:
			return err
		}
	}
	return complaints.Err()
}

// EditSettings makes the edits and names the settings that they changed.
func EditSettings[S Settings](s *S, edits ...Edit[S]) (changed []string, err error) {
	was := *s
	err = edit(s, edits, fault.Fields{})
	return changedSettings(was, *s), err
}

// changedSettings names the settings that differ, as the API names them.
func changedSettings[S Settings](was, next S) (names []string) {
	before, after := members(was), members(next)
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if string(before[name]) != string(after[name]) {
			names = append(names, name)
		}
	}
	return names
}

// members returns the JSON of each setting that is not the default.
func members[S Settings](s S) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	if text := EncodeSettings(s); text != "" {
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			panic(err) // EncodeSettings writes objects
		}
	}
	return all
}
