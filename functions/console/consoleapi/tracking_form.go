package consoleapi

import (
	"net/http"
	"strings"

	"gatehouse/shared/errortracking"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
)

// trackingForm is what the form for error tracking holds. The token goes in
// only: the page tells that there is one.
type trackingForm struct {
	Active, Integrated              bool
	APIURL, ProjectName, TrackerURL string
	Token                           secret.Text
	HasToken                        bool
	Suggested                       errortracking.External // names what an empty field stands for
	Complaints                      trackingComplaints
}

// trackingComplaints are what is wrong with the fields, in words.
type trackingComplaints struct{ APIURL, Token, ProjectName, TrackerURL string }

// Any reports whether there is one.
func (c trackingComplaints) Any() bool { return c != trackingComplaints{} }

// Focus names the first field with a mistake.
func (c trackingComplaints) Focus() string {
	switch {
	case c.APIURL != "":
		return "api_url"
	case c.Token != "":
		return "token"
	case c.ProjectName != "":
		return "project_name"
	case c.TrackerURL != "":
		return "tracker_external_url"
	}
	return ""
}

func newTrackingForm(s errortracking.Settings) trackingForm {
	x := s.External
	return trackingForm{
		Active: s.Active, Integrated: s.Integrated, APIURL: string(x.APIURL), ProjectName: x.ProjectName, TrackerURL: x.TrackerURL,
		HasToken: len(x.SealedToken) > 0, Suggested: errortracking.External{APIURL: x.APIURL},
	}
}

func readTrackingForm(r *http.Request) (trackingForm, error) {
	form, err := site.ReadForm(r)
	return trackingForm{
		Active:      form.Checked("active"),
		Integrated:  form.Get("tracker") != "external",
		APIURL:      strings.TrimSpace(form.Get("api_url")),
		ProjectName: strings.TrimSpace(form.Get("project_name")),
		TrackerURL:  strings.TrimSpace(form.Get("tracker_external_url")),
		Token:       secret.NewText(strings.TrimSpace(form.Get("token"))),
	}, err
}

// change returns what the form changes. The fields of an external tracker
// count for that one only, and an empty token leaves the one that is there.
func (f trackingForm) change() (errortracking.Change, *secret.Text) {
	c := errortracking.Change{Create: true, Active: f.Active, Integrated: &f.Integrated}
	if f.Integrated {
		return c, nil
	}
	c.APIURL, c.ProjectName, c.TrackerURL = &f.APIURL, &f.ProjectName, &f.TrackerURL
	if f.Token.Empty() {
		return c, nil
	}
	return c, &f.Token
}
