// Package errortracking has the settings that say whether and where a project's
// errors are tracked, and the client keys with which its applications report
// them (Interface: "Error tracking"). Mistakes in settings are fault.Fields;
// missing settings are fault.NotFound. Client keys are not secret. The token of
// an external tracker is, and stored encrypted.
package errortracking

import (
	"cmp"
	"context"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/text"
)

// Settings say whether a project's errors are tracked, and where: by Gatehouse if
// Integrated, else by the external tracker.
type Settings struct {
	ProjectID          int64
	Active, Integrated bool
	External           External
}

// External is a tracker elsewhere. It is kept while the integrated one is used.
type External struct {
	APIURL      APIURL
	ProjectName string // empty: derived from APIURL
	TrackerURL  string // empty: derived from APIURL
	SealedToken []byte
}

// Name returns the name of the tracker's project, or "".
func (x External) Name() string { return cmp.Or(x.ProjectName, x.APIURL.projectName()) }

// Link returns the address of the tracker's project for people, or "".
func (x External) Link() string { return cmp.Or(x.TrackerURL, x.APIURL.trackerURL()) }

// check adds complaints unless the tracker can be used.
func (x External) check(complaints fault.Fields) {
	if x.APIURL == "" {
		complaints.Add("api_url", "can't be blank")
	}
	if len(x.SealedToken) == 0 {
		complaints.Add("token", "can't be blank")
	}
}

// Change is a change of settings; nil leaves a field as it is, and an empty text
// clears it.
type Change struct {
	// Create creates the settings if there are none.
	Create      bool
	Active      bool
	Integrated  *bool
	APIURL      *string
	ProjectName *string
	TrackerURL  *string
	SealedToken *[]byte
}

// SwitchesOnly reports whether the change leaves the external tracker as it is.
func (c Change) SwitchesOnly() bool {
	return c.APIURL == nil && c.ProjectName == nil && c.TrackerURL == nil && c.SealedToken == nil
}

// Apply returns the settings after the change, or the complaints about them. The
// zero Settings with the project's id stand for none.
func (c Change) Apply(s Settings) (Settings, error) {
	complaints := fault.Fields{}
	s.Active = c.Active
	if c.Integrated != nil {
		s.Integrated = *c.Integrated
	}
	c.moveTo(&s.External, complaints)
	c.describe(&s.External, complaints)
	if s.Active && !s.Integrated && len(complaints) == 0 {
		s.External.check(complaints)
	}
	return s, complaints.Err()
}

// moveTo sets the address and the token. Another address clears the token, so that
// nobody can have it sent elsewhere without knowing it.
func (c Change) moveTo(x *External, complaints fault.Fields) {
	was := x.APIURL
	if c.APIURL != nil {
		var complaint string
		x.APIURL, complaint = ParseAPIURL(*c.APIURL)
		complaints.Add("api_url", complaint)
	}
	switch {
	case c.SealedToken != nil:
		x.SealedToken = *c.SealedToken
	case x.APIURL != was:
		x.SealedToken = nil
	}
}

// describe sets the name and the address for people.
func (c Change) describe(x *External, complaints fault.Fields) {
	if c.ProjectName != nil {
		x.ProjectName = *c.ProjectName
		if x.ProjectName != "" {
			complaints.Add("project_name", text.CheckName(x.ProjectName))
		}
	}
	if c.TrackerURL != nil {
		x.TrackerURL = *c.TrackerURL
		if x.TrackerURL != "" {
			_, complaint := parsePublicURL(x.TrackerURL)
			complaints.Add("tracker_external_url", complaint)
		}
	}
}

// The reasons why a store refuses an operation.
var (
	ErrNotFound    = fault.New(fault.NotFound, "error tracking settings not found")
	ErrKeyNotFound = fault.New(fault.NotFound, "client key not found")
	ErrKeyTaken    = fault.New(fault.Conflict, "a client key with this id exists")
)

// Store keeps settings and client keys, which are deleted with their project.
// Reads see every write that was acknowledged before.
type Store interface {
	// TrackingSettings returns the project's settings, or a fault.NotFound
	// error when it has none.
	TrackingSettings(ctx context.Context, projectID int64) (Settings, error)

	// ChangeTracking applies the change atomically, and returns the new
	// settings, without External if they are integrated. Missing settings are
	// a fault.NotFound error unless the change creates them; a project that is
	// gone always is. When Apply complains nothing is stored. No concurrent
	// change is lost.
	ChangeTracking(ctx context.Context, projectID int64, c Change) (Settings, error)

	// PutSealedToken replaces the sealed token of the external tracker,
	// provided the stored one is still was. Otherwise it does nothing.
	PutSealedToken(ctx context.Context, projectID int64, was, sealed []byte) error

	// AddClientKey stores the key. It returns a fault.Conflict error when the
	// id is taken in any project, and a fault.NotFound error when the
	// project is gone.
	AddClientKey(ctx context.Context, k ClientKey) error

	// ClientKeys returns a page of the project's keys, the newest first.
	ClientKeys(ctx context.Context, projectID int64, r page.Request) (page.Of[ClientKey], error)

	// RemoveClientKey deletes the project's key with this id and returns it. It
	// returns a fault.NotFound error when there is none or it is another
	// project's. Only one of several concurrent callers gets the key.
	RemoveClientKey(ctx context.Context, projectID, id int64) (ClientKey, error)
}
