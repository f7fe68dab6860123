package consoleapi

import (
	"net/http"
	"strings"

	"gatehouse/shared/errortracking"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
)

// trackingForm is the form for error tracking. The page never shows the token,
// only whether there is one.
type trackingForm struct {
	Active, Integrated              bool
	APIURL, ProjectName, TrackerURL string
	Token                           secret.Text
	HasToken                        bool
	Suggested                       errortracking.External // what an empty field stands for
	Complaints                      site.Complaints
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

// change returns what the form changes. The fields of an external tracker are
// ignored for the integrated one, and an empty token keeps the stored one.
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
