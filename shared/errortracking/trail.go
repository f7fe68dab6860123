package errortracking

import (
	"strconv"
	"strings"

	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

// What happens to the error tracking of a project.
var (
	EventChanged          = audit.Declare("error_tracking.changed", "Error tracking changed")
	EventClientKeyCreated = audit.Declare("client_key.created", "Client key made")
	EventClientKeyDeleted = audit.Declare("client_key.deleted", "Client key deleted")
)

// details tell what the change is, but none of its texts: nobody has looked yet
// at what was typed.
func (c Change) details(p project.Project) audit.Details {
	d := audit.Details{"in": p.Where(), "tracking": "off", "changed": strings.Join(c.describes(), ", ")}
	if c.Active {
		d["tracking"] = "on"
	}
	if c.Integrated != nil {
		d["tracker"] = "external"
		if *c.Integrated {
			d["tracker"] = "integrated"
		}
	}
	return d
}

// describes lists what the change says of the external tracker.
func (c Change) describes() (what []string) {
	for _, said := range []struct {
		here bool
		what string
	}{
		{c.APIURL != nil, "API address"},
		{c.SealedToken != nil, "token"},
		{c.ProjectName != nil, "name"},
		{c.TrackerURL != nil, "link"},
	} {
		if said.here {
			what = append(what, said.what)
		}
	}
	return what
}

func keyEvent(by audit.Actor, name audit.Name, p project.Project, id int64) audit.Event {
	return by.Event(name, audit.Details{"in": p.Where(), "client_key": strconv.FormatInt(id, 10)})
}
