package errortracking

import (
	"strconv"
	"strings"

	"gatehouse/shared/audit"
	"gatehouse/shared/project"
)

// The events about a project's error tracking.
var (
	EventChanged          = audit.Declare("error_tracking.changed", "Error tracking changed")
	EventClientKeyCreated = audit.Declare("client_key.created", "Client key made")
	EventClientKeyDeleted = audit.Declare("client_key.deleted", "Client key deleted")
)

// details describe the change, without its texts, which are not validated yet.
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

// describes lists the fields of the external tracker that change.
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
	return by.Event(name, audit.Details{"in": p.Where(), "client_key": strconv.FormatInt(id, 10)}).In(p.ID)
}
