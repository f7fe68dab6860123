package instance

import (
	"cmp"
	"net/mail"
	"net/url"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/text"
)

// The longest texts, in characters.
const (
	MaxSignInText = 2000
	MaxSupportURL = 255
)

// Change lists the new values; nil keeps the old one, and an empty one goes back to the
// default.
type Change struct {
	NewGroups                          []project.Edit[project.GroupSettings]
	TopLevel                           *project.TopLevel
	GroupVisibility, ProjectVisibility *project.Visibility
	SignInText, SupportURL             *string
	Seen                               *int64 // the Version on which it was decided; nil: whatever it is
}

// apply makes the change, and returns what is wrong with it.
func (c Change) apply(s *Settings) error {
	_, err := project.EditSettings(&s.NewGroups, c.NewGroups...)
	if err != nil {
		return err
	}
	set(&s.TopLevel, c.TopLevel)
	set(&s.GroupVisibility, c.GroupVisibility)
	set(&s.ProjectVisibility, c.ProjectVisibility)
	if c.SignInText != nil {
		s.SignInText = tidy(*c.SignInText)
	}
	if c.SupportURL != nil {
		s.SupportURL = reachable(strings.TrimSpace(*c.SupportURL))
	}
	return s.check()
}

func set[T any](value, next *T) {
	if next != nil {
		*value = *next
	}
}

// tidy returns the text with the line breaks of Unix, without blank lines around it. Forms
// send those of the network.
func tidy(lines string) string {
	return strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(lines))
}

// reachable makes an address to which browsers can go of a mail address.
func reachable(address string) string {
	if strings.Contains(address, "@") && !strings.Contains(address, ":") {
		return "mailto:" + address
	}
	return address
}

// once returns the edit that makes the change. Of a change that was decided on a version it
// refuses a second attempt: the settings changed before the first was stored.
func (c Change) once() func(*Settings) error {
	tried := false
	return func(s *Settings) error {
		if tried && c.Seen != nil {
			return ErrChanged
		}
		tried = true
		return c.apply(s)
	}
}

func (s Settings) check() error {
	complaints := fault.Fields{}
	switch s.TopLevel {
	case "", project.TopLevelByEverybody, project.TopLevelByAdministrators:
	default:
		complaints.Add("can_create_group", notListed)
	}
	complaints.Add("default_group_visibility", checkVisibility(s.GroupVisibility))
	complaints.Add("default_project_visibility", checkVisibility(s.ProjectVisibility))
	complaints.Add("sign_in_text", text.CheckLines(s.SignInText, MaxSignInText))
	complaints.Add("help_page_support_url", checkSupport(s.SupportURL))
	return complaints.Err()
}

const notListed = "is not included in the list"

func checkVisibility(v project.Visibility) string {
	if v != "" && !v.Valid() {
		return notListed
	}
	return ""
}

// checkSupport returns what is wrong with the address of people who help, or "".
func checkSupport(address string) string {
	if complaint := text.CheckLines(address, MaxSupportURL); complaint != "" || address == "" {
		return complaint
	}
	u, err := url.Parse(address)
	switch {
	case err == nil && u.Scheme == "mailto" && mailAddress(u.Opaque) && u.RawQuery == "":
	case err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(address, " \\"):
	default:
		return "must be an http or https URL, or an e-mail address"
	}
	return ""
}

func mailAddress(text string) bool {
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text
}

// differences names the settings that differ, as the API names them.
func differences(was, next Settings) []string {
	names, _ := project.EditSettings(&was.NewGroups, func(g *project.GroupSettings) error {
		*g = next.NewGroups
		return nil
	})
	for _, one := range []struct {
		name    string
		differs bool
	}{
		{"can_create_group", was.TopLevel != next.TopLevel},
		{"default_group_visibility", was.GroupVisibility != next.GroupVisibility},
		{"default_project_visibility", was.ProjectVisibility != next.ProjectVisibility},
		{"help_page_support_url", was.SupportURL != next.SupportURL},
		{"sign_in_text", was.SignInText != next.SignInText},
	} {
		if one.differs {
			names = append(names, one.name)
		}
	}
	return names
}

// Contact is how a page names the SupportURL.
func (s Settings) Contact() string {
	_, address, _ := strings.Cut(s.SupportURL, ":")
	return cmp.Or(strings.TrimPrefix(address, "//"), s.SupportURL)
}
