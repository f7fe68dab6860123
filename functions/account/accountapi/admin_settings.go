package accountapi

import (
	"errors"
	"net/http"
	"strconv"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/instance"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// instanceBody is the data of the page of the instance's settings.
type instanceBody struct {
	TopLevel, GroupVisibility, ProjectVisibility setting
	SignInText, SupportURL                       string
	MaxSignInText, MaxSupportURL                 int
	Version                                      int64
	Changed                                      bool // somebody else changed the settings meanwhile
	Complaints                                   site.Complaints
}

// setting is a setting that is chosen from a few values.
type setting struct {
	Field, Label, Hint string
	Chosen             string // empty: the default
	Default            string // what it is then
	Variable           string // of the environment, if the default comes from one
	Options            []settingOption
	Complaint          string
	Focused            bool
}

type settingOption struct{ Value, Name string }

// Names of the values.
var (
	topLevelOptions = []settingOption{
		{string(project.TopLevelByEverybody), "Everybody"}, {string(project.TopLevelByAdministrators), "Administrators alone"},
	}
	visibilityOptions = []settingOption{
		{string(project.Private), "Private"}, {string(project.Internal), "Internal"}, {string(project.Public), "Public"},
	}
)

// Usual names the default.
func (s setting) Usual() string {
	for _, o := range s.Options {
		if o.Value == s.Default {
			return o.Name
		}
	}
	return s.Default
}

// newInstanceBody shows the settings that administrators chose.
func (a *api) newInstanceBody(chosen instance.Settings, version int64, wrong fault.Fields) instanceBody {
	defaults, complaints := a.app.Instance.Defaults(), site.NewComplaints(wrong,
		"can_create_group", "This setting", "default_group_visibility", "The visibility", "default_project_visibility", "The visibility",
		"sign_in_text", "The text", "help_page_support_url", "The address")
	choice := func(s setting) setting {
		s.Complaint, s.Focused = complaints.About(s.Field), complaints.Focus() == s.Field
		return s
	}
	return instanceBody{
		TopLevel: choice(setting{
			Field: "can_create_group", Label: "Who makes top-level groups", Variable: "GATEHOUSE_TOP_LEVEL_GROUPS",
			Hint:   "Where other software trusts the names of groups, leave it to administrators: else anybody can make a group with such a name. Groups that exist stay.",
			Chosen: string(chosen.TopLevel), Default: string(defaults.TopLevel), Options: topLevelOptions,
		}),
		GroupVisibility: choice(setting{
			Field: "default_group_visibility", Label: "Visibility of new groups",
			Hint:   "What the form for a new group begins with. Whoever makes the group can choose another.",
			Chosen: string(chosen.GroupVisibility), Default: string(defaults.GroupVisibility), Options: visibilityOptions,
		}),
		ProjectVisibility: choice(setting{
			Field: "default_project_visibility", Label: "Visibility of new projects",
			Hint:   "Likewise. In a group that fewer people see, it is that of the group.",
			Chosen: string(chosen.ProjectVisibility), Default: string(defaults.ProjectVisibility), Options: visibilityOptions,
		}),
		SignInText: chosen.SignInText, SupportURL: chosen.SupportURL, MaxSignInText: instance.MaxSignInText, MaxSupportURL: instance.MaxSupportURL,
		Version: version, Complaints: complaints,
	}
}

func (a *api) showInstance(w http.ResponseWriter, r *http.Request, _ user.User) error {
	return a.renderInstance(w, r, http.StatusOK, false)
}

// renderInstance shows the settings as they are.
func (a *api) renderInstance(w http.ResponseWriter, r *http.Request, status int, changed bool) error {
	current, err := a.app.Instance.Settings(r.Context())
	if err != nil {
		return err
	}
	body := a.newInstanceBody(current.Chosen, current.Version, nil)
	body.Changed = changed
	return a.renderInstanceForm(w, r, status, body)
}

func (a *api) renderInstanceForm(w http.ResponseWriter, r *http.Request, status int, body instanceBody) error {
	return a.renderAdmin(w, r, site.Page{Template: "instance", Title: "Settings of the instance", Status: status, Body: body})
}

// changeInstance changes the settings in the form, if they are still as the form showed them.
func (a *api) changeInstance(w http.ResponseWriter, r *http.Request, u user.User) error {
	sent, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	chosen := instance.Settings{
		Policy: project.Policy{
			TopLevel:          project.TopLevel(sent.Get("can_create_group")),
			GroupVisibility:   project.Visibility(sent.Get("default_group_visibility")),
			ProjectVisibility: project.Visibility(sent.Get("default_project_visibility")),
		},
		SignInText: sent.Get("sign_in_text"), SupportURL: sent.Get("help_page_support_url"),
	}
	seen, err := strconv.ParseInt(sent.Get("version"), 10, 64)
	if err != nil {
		return fault.New(fault.Invalid, "The form does not tell which version of the settings it showed.")
	}
	_, err = a.app.Instance.Change(r.Context(), audit.ByUser(u.ID), instance.Change{
		TopLevel: &chosen.TopLevel, GroupVisibility: &chosen.GroupVisibility, ProjectVisibility: &chosen.ProjectVisibility,
		SignInText: &chosen.SignInText, SupportURL: &chosen.SupportURL, Seen: &seen,
	})
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong):
		return a.renderInstanceForm(w, r, http.StatusUnprocessableEntity, a.newInstanceBody(chosen, seen, wrong))
	case errors.Is(err, instance.ErrChanged):
		return a.renderInstance(w, r, http.StatusConflict, true)
	}
	return a.site.Done(w, r, err, "settings-saved", adminSettingsPath)
}
