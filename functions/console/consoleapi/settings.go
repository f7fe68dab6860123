package consoleapi

import (
	"cmp"
	"net/http"

	"gatehouse/shared/site"
)

// The sections of the Monitor settings, as the ends of their addresses.
const (
	integrationsSection = settingsTab + "/integrations"
	trackingSection     = settingsTab + "/error_tracking"
)

// section is a part of a tab.
type section struct{ name, path string }

// settingsSections are the sections of the Monitor settings.
var settingsSections = []section{
	{"Alert integrations", integrationsSection},
	{"Error tracking", trackingSection},
}

// toFirstSection redirects from the Monitor settings to their first section.
func toFirstSection(w http.ResponseWriter, r *http.Request, v visit) error {
	return site.Redirect(w, r, v.Address()+settingsSections[0].path)
}

// renderSection answers with a page of a section of the Monitor settings.
func (a *api) renderSection(w http.ResponseWriter, r *http.Request, v visit, section string, p site.Page) error {
	for _, s := range settingsSections {
		if s.path == section {
			p.Title = cmp.Or(p.Title, s.name)
		}
	}
	p.Title += " · Monitor settings"
	p.Sections = v.sections(settingsSections, section)
	return a.render(w, r, v, settingsTab, p)
}

// sections returns links to the sections of a tab, of which one is open.
func (v visit) sections(all []section, open string) []site.Tab {
	var tabs []site.Tab
	for _, s := range all {
		tabs = append(tabs, site.Tab{Name: s.name, Address: v.Address() + s.path, Current: s.path == open})
	}
	return tabs
}
