// Package mirror has the rules for pull mirrors: from which repository elsewhere a
// project's own is pulled, and how that went. Gatehouse pulls nothing itself: whoever
// runs the platform does, and reports (Interface: "Pull mirrors").
package mirror

import (
	"regexp/syntax"
	"strings"
	"unicode"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

// Change is a change of a mirror; nil leaves a field as it is, and an empty text clears
// it.
type Change struct {
	Enabled            *bool
	URL                *string // may have credentials
	User, Password     *secret.Text
	BranchRegex        *string
	TriggerBuilds      *bool
	ProtectedOnly      *bool
	OverwritesDiverged *bool
}

// Edit returns the change as an edit of the settings of the project with this path.
// Complaints name the fields as the address of mirrors does.
func (r *Rules) Edit(fullPath string, c Change) project.Edit[project.ProjectSettings] {
	return func(s *project.ProjectSettings) error {
		if c == (Change{}) {
			return nil
		}
		complaints := fault.Fields{}
		if err := r.locate(&s.Mirror, fullPath, c, complaints); err != nil {
			return err
		}
		c.apply(&s.Mirror)
		check(s.Mirror, complaints)
		return complaints.Err()
	}
}

// apply changes everything but the URL and the credentials.
func (c Change) apply(m *project.Mirror) {
	replace(&m.Enabled, c.Enabled)
	replace(&m.BranchRegex, c.BranchRegex)
	replace(&m.TriggerBuilds, c.TriggerBuilds)
	replace(&m.OverwritesDiverged, c.OverwritesDiverged)
	if c.ProtectedOnly != nil {
		m.ProtectedOnly = c.ProtectedOnly
	}
}

func replace[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// locate sets the URL and the credentials. A URL replaces those that are stored, so
// that nobody can have them sent elsewhere without knowing them; the URL as it is shown
// leaves them.
func (r *Rules) locate(m *project.Mirror, fullPath string, c Change, complaints fault.Fields) (err error) {
	var credentials Credentials
	moved := c.URL != nil && *c.URL != m.ShownURL()
	switch {
	case moved:
		credentials = aim(m, *c.URL, complaints)
	case c.User == nil && c.Password == nil:
		return nil
	case c.User == nil || c.Password == nil:
		if credentials, err = r.vault.open(m.Sealed, fullPath); err != nil {
			return err
		}
	}
	replace(&credentials.User, c.User)
	replace(&credentials.Password, c.Password)
	credentials.check(complaints)
	m.Mask = credentials.mask()
	if m.Sealed, err = r.vault.seal(credentials, fullPath); len(m.URL)+len(m.Sealed) > maxStored && len(complaints) == 0 {
		complaints.Add("url", "is too long with its credentials (maximum is 2400 bytes as they are stored)")
	}
	return err
}

// maxStored is how many bytes the URL and the sealed credentials may take, of the 4 KB
// that every request to the project reads at the price of one.
const maxStored = 2400

// aim sets the URL and returns the credentials in it.
func aim(m *project.Mirror, text string, complaints fault.Fields) (sent Credentials) {
	if m.URL = ""; text == "" {
		return Credentials{}
	}
	bare, sent, complaint := parseURL(text)
	if complaint == "" && sent.masked() {
		complaint = "has masked credentials: send the real ones"
	}
	complaints.Add("url", complaint)
	m.URL = bare
	return sent
}

// maxRegex is the longest regular expression, in bytes.
const maxRegex = 255

// check adds complaints about a mirror, but for its URL's form and its credentials.
func check(m project.Mirror, complaints fault.Fields) {
	if m.URL == "" && (m.Enabled || m.Mask != "") && complaints["url"] == nil {
		complaints.Add("url", "can't be blank")
	}
	if len(m.BranchRegex) > maxRegex {
		complaints.Add("mirror_branch_regex", "is too long (maximum is 255 bytes)")
	} else if strings.ContainsFunc(m.BranchRegex, unicode.IsControl) { // no branch has any
		complaints.Add("mirror_branch_regex", "has control characters")
	} else if _, err := syntax.Parse(m.BranchRegex, syntax.Perl); err != nil {
		complaints.Add("mirror_branch_regex", "is not a regular expression of RE2")
	}
	if m.BranchRegex != "" && m.OnlyProtected() {
		complaints.Add("mirror_branch_regex", "cannot be set while only_mirror_protected_branches is true")
	}
}
