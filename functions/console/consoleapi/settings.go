package consoleapi

import (
	"net/http"

	"gatehouse/shared/site"
)

// trackingSection is the section of the Monitor settings about error tracking,
// as the end of its address.
const trackingSection = settingsTab + "/error_tracking"

// sections are what the Monitor settings of a project are divided into.
var sections = []struct{ name, path string }{
	{"Error tracking", trackingSection},
}

// toFirstSection leads from the Monitor settings to the first of their
// sections.
func toFirstSection(w http.ResponseWriter, r *http.Request, v visit) error {
	return site.Redirect(w, r, v.Address()+sections[0].path)
}

// renderSection answers with a page of a section of the Monitor settings.
func (a *api) renderSection(w http.ResponseWriter, r *http.Request, v visit, section string, p site.Page) error {
	p.Title = "Monitor settings"
	for _, s := range sections {
		p.Sections = append(p.Sections, site.Tab{Name: s.name, Address: v.Address() + s.path, Current: s.path == section})
	}
	return a.render(w, r, v, settingsTab, p)
}
