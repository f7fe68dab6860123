package accountapi

import (
	"net/http"
	"strconv"

	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// membershipsBody is the data of the list of memberships.
type membershipsBody struct {
	Kind   project.Kind
	Rows   []membershipRow
	Paging site.Paging
}

type membershipRow struct {
	project.Membership
	Page, Leave string // addresses; empty if the membership has ended
}

// membershipKinds are the lists of memberships by the end of their address.
var membershipKinds = map[string]project.Kind{"groups": project.InGroup, "projects": project.InProject}

func membershipsAddress(k project.Kind) string { return membershipsPath + "/" + string(k) + "s" }

func toMemberships(w http.ResponseWriter, r *http.Request, _ user.User) error {
	return site.Redirect(w, r, membershipsAddress(project.InGroup))
}

// listMemberships shows the user's memberships of groups or of projects.
func (a *api) listMemberships(w http.ResponseWriter, r *http.Request, u user.User) error {
	kind, known := membershipKinds[r.PathValue("kind")]
	if !known {
		return errNoMemberships
	}
	wanted := site.PageOf(r)
	found, err := a.app.Projects.MembershipsOf(r.Context(), kind, u.ID, wanted)
	if err != nil {
		return err
	}
	body := membershipsBody{Kind: kind, Paging: site.NewPaging(membershipsAddress(kind), wanted, found)}
	for _, m := range found.Items {
		row := membershipRow{Membership: m}
		if m.Active(a.app.Now()) {
			row.Page = m.PagePath()
			row.Leave = membershipsAddress(kind) + "/" + strconv.FormatInt(m.ID, 10) + "/leave"
		}
		body.Rows = append(body.Rows, row)
	}
	return a.renderSettings(w, r, site.Page{Template: "memberships", Title: "Memberships", Body: body, Sections: []site.Tab{
		{Name: "Groups", Address: membershipsAddress(project.InGroup), Current: kind == project.InGroup},
		{Name: "Projects", Address: membershipsAddress(project.InProject), Current: kind == project.InProject},
	}})
}

var errNoMemberships = fault.New(fault.NotFound, "memberships are of groups or projects")

func (a *api) leave(w http.ResponseWriter, r *http.Request, u user.User) error {
	kind, known := membershipKinds[r.PathValue("kind")]
	id, err := web.PathID(r, "id")
	switch {
	case !known:
		return errNoMemberships
	case err != nil:
		return err
	}
	err = a.app.Projects.Leave(r.Context(), audit.ByUser(u.ID), project.Place{Kind: kind, ID: id})
	return a.site.Done(w, r, err, "left", membershipsAddress(kind))
}
