// Package errortracking says whether and where a project's errors are tracked,
// and which keys its applications report them with (Interface: "Error
// tracking"). What is wrong with settings comes as fault.Fields; a project that
// never had any is fault.NotFound. The keys are no secret, the token of an
// external tracker is, and a store has it encrypted.
package errortracking

import (
	"cmp"
	"context"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/text"
)

// Settings say whether a project's errors are tracked, and where: by Gatehouse
// itself when Integrated, else by the external tracker.
type Settings struct {
	ProjectID          int64
	Active, Integrated bool
	External           External
}

// External is a tracker elsewhere. It is kept while the integrated one is in
// use, so that one can go back to it.
type External struct {
	APIURL      APIURL
	ProjectName string // empty: as the address says
	TrackerURL  string // empty: as the address says
	SealedToken []byte
}

// Name returns what people call the tracker's project, or "".
func (x External) Name() string { return cmp.Or(x.ProjectName, x.APIURL.projectName()) }

// Link returns where people find the tracker's project, or "".
func (x External) Link() string { return cmp.Or(x.TrackerURL, x.APIURL.trackerURL()) }

// check complains unless the tracker can be used.
func (x External) check(complaints fault.Fields) {
	if x.APIURL == "" {
		complaints.Add("api_url", "can't be blank")
	}
	if len(x.SealedToken) == 0 {
		complaints.Add("token", "can't be blank")
	}
}

// Change is what to change of settings. Of what is nil nothing changes, and an
// empty text takes away what was there.
type Change struct {
	// Create has settings made where there are none.
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

// Apply returns the settings with the change made, or complains about what they
// would be. The zero Settings with the project's id stand for none.
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

// moveTo sets the address and the token. A token is for one address: whoever
// enters another one cannot have the token sent there without knowing it.
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

// describe sets how people know the tracker.
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

// Store keeps settings and client keys. Both go with their project. Reads see
// every write that was acknowledged before.
type Store interface {
	// TrackingSettings returns the project's settings, or a fault.NotFound
	// error when it has none.
	TrackingSettings(ctx context.Context, projectID int64) (Settings, error)

	// ChangeTracking makes the change as Change.Apply does, in one step, and
	// returns the settings as they are then; integrated ones may come without
	// External. Settings that are missing are a fault.NotFound error unless
	// the change creates them; a project that is gone always is. When Apply
	// complains nothing is stored. Of concurrent changes none is lost.
	ChangeTracking(ctx context.Context, projectID int64, c Change) (Settings, error)

	// PutSealedToken keeps the token of the external tracker sealed anew. It
	// does nothing when the stored one is no longer what it was.
	PutSealedToken(ctx context.Context, projectID int64, was, sealed []byte) error

	// AddClientKey stores the key. It returns a fault.Conflict error when the
	// id is taken, by whichever project, and a fault.NotFound error when the
	// project is gone.
	AddClientKey(ctx context.Context, k ClientKey) error

	// ClientKeys returns a page of the project's keys, the newest first.
	ClientKeys(ctx context.Context, projectID int64, r page.Request) (page.Of[ClientKey], error)

	// RemoveClientKey removes the project's key with this id, at once and for
	// good, and returns it. It returns a fault.NotFound error when there is
	// none or it is another project's. Of any number of concurrent callers one
	// gets the key.
	RemoveClientKey(ctx context.Context, projectID, id int64) (ClientKey, error)
}
