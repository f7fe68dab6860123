package project

import "strings"

// Mirror says from which repository elsewhere that of the project is pulled.
type Mirror struct {
	Enabled            bool   `json:"enabled,omitempty"`
	URL                string `json:"url,omitempty"`    // without credentials
	Mask               string `json:"mask,omitempty"`   // shown in the place of the credentials
	Sealed             string `json:"sealed,omitempty"` // the credentials, in base64; empty: none
	BranchRegex        string `json:"branch_regex,omitempty"`
	TriggerBuilds      bool   `json:"trigger_builds,omitempty"`
	ProtectedOnly      *bool  `json:"protected_only,omitempty"` // nil: nobody said so
	OverwritesDiverged bool   `json:"overwrites_diverged,omitempty"`
}

// ShownURL returns the URL with its credentials masked.
func (m Mirror) ShownURL() string {
	if m.Mask == "" {
		return m.URL
	}
	return strings.Replace(m.URL, "://", "://"+m.Mask+"@", 1)
}

// OnlyProtected reports whether protected branches alone are pulled.
func (m Mirror) OnlyProtected() bool { return m.ProtectedOnly != nil && *m.ProtectedOnly }
