package consoleapi

import (
	"net/http"

	"gatehouse/shared/site"
)

// The sections of the Monitor settings, as the ends of their addresses.
const (
	integrationsSection = settingsTab + "/integrations"
	trackingSection     = settingsTab + "/error_tracking"
)

// section is a part of what a tab holds.
type section struct{ name, path string }

// settingsSections are what the Monitor settings of a project are divided into.
var settingsSections = []section{
	{"Alert integrations", integrationsSection},
	{"Error tracking", trackingSection},
}

// toFirstSection leads from the Monitor settings to the first of their
// sections.
func toFirstSection(w http.ResponseWriter, r *http.Request, v visit) error {
	return site.Redirect(w, r, v.Address()+settingsSections[0].path)
}

// renderSection answers with a page of a section of the Monitor settings.
func (a *api) renderSection(w http.ResponseWriter, r *http.Request, v visit, section string, p site.Page) error {
	p.Title = "Monitor settings"
	p.Sections = v.sections(settingsSections, section)
	return a.render(w, r, v, settingsTab, p)
}

// sections leads to the parts of a tab, of which one is open.
func (v visit) sections(all []section, open string) []site.Tab {
	var tabs []site.Tab
	for _, s := range all {
		tabs = append(tabs, site.Tab{Name: s.name, Address: v.Address() + s.path, Current: s.path == open})
	}
	return tabs
}
