package consoleapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/audit"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// membersTab is the tab of the members of a group or a project.
const membersTab = "/members"

// venue is a user on a page that groups and projects both have.
type venue struct {
	User    user.User
	At      project.GroupOrProject
	Role    project.Role // the user's, there
	Name    string       // of the group or project
	Address string
	List    string // where those who left find the others
	render  func(w http.ResponseWriter, r *http.Request, tab string, p site.Page) error
}

// venueHandler serves such a page.
type venueHandler func(w http.ResponseWriter, r *http.Request, v venue) error

// ofProject serves the page about a project.
func (a *api) ofProject(h venueHandler) projectHandler {
	return func(w http.ResponseWriter, r *http.Request, v visit) error {
		render := func(w http.ResponseWriter, r *http.Request, tab string, p site.Page) error {
			return a.render(w, r, v, tab, p)
		}
		return h(w, r, venue{v.User, v.Project, v.Role, v.Project.Name, v.Address(), consolePath, render})
	}
}

// ofGroup serves the page about a group.
func (a *api) ofGroup(h venueHandler) groupHandler {
	return func(w http.ResponseWriter, r *http.Request, v groupVisit) error {
		render := func(w http.ResponseWriter, r *http.Request, tab string, p site.Page) error {
			return a.renderGroup(w, r, v, tab, p)
		}
		return h(w, r, venue{v.User, v.Group, v.Role, v.Group.Name, v.Address(), groupsPath, render})
	}
}

// memberRoutes adds the pages about members below the address of a group or a project. The
// manager role is that of those who add, change and remove others.
func (a *api) memberRoutes(mux *web.Mux, below string, manager project.Role, in func(project.Role, venueHandler) http.Handler) {
	list := below + "/{id}" + membersTab
	mux.Handle("GET "+list, in(project.NoRole, a.listMembers))
	mux.Handle("POST "+list, in(manager, a.addMember))
	mux.Handle("GET "+list+"/{user}", in(manager, a.showMember))
	mux.Handle("POST "+list+"/{user}", in(manager, a.changeMember))
	mux.Handle("POST "+list+"/{user}/delete", in(project.NoRole, a.removeMember))
}

func (v venue) actor() audit.Actor { return audit.ByUser(v.User.ID) }

// Kind names what it is.
func (v venue) Kind() project.Kind { return v.At.Place().Kind }

// Manages reports whether the user may add, change and remove members.
func (v venue) Manages() bool { return v.Role >= v.At.Place().ManagerRole() }

// Members is the address of the list of members.
func (v venue) Members() string { return v.Address + membersTab }

// OwnerName is the user name of whom the namespace belongs to that the project is in, who
// owns it without a membership. It is empty in groups.
func (v venue) OwnerName() string {
	ownerID, _ := v.At.Access()
	name, _, _ := strings.Cut(v.At.Where(), "/")
	if ownerID == 0 {
		return ""
	}
	return name
}

// above returns the groups that give their members a role here, the nearest first. Their
// full paths are the beginnings of the full path.
func (v venue) above() (all []project.Group) {
	if v.OwnerName() != "" {
		return nil
	}
	path, places := v.At.Where(), v.At.Places()
	for n := len(places) - 2; n >= 0; n-- {
		path = path[:strings.LastIndexByte(path, '/')]
		all = append(all, project.Group{ID: places[n].ID, FullPath: path})
	}
	return all
}

// membersBody is the data of a list of members.
type membersBody struct {
	venue
	From      *project.Group // the group above whose members these are; nil: direct members
	Inherits  bool           // there are groups above
	Rows      []memberRow
	Paging    site.Paging
	Form      memberForm
	Complaint string // why a member was not removed
}

// memberRow is a member in a list.
type memberRow struct {
	project.Member
	Person user.User
	Page   string // of the person; empty if the reader may not see it
	Change string // address; empty for those who may not
	Leave  string // address, for the reader's own membership
	You    bool
}

// listMembers lists the direct members, or with ?from= those of a group above.
func (a *api) listMembers(w http.ResponseWriter, r *http.Request, v venue) error {
	from, err := v.from(r)
	if err != nil {
		return err
	}
	return a.renderMembers(w, r, http.StatusOK, membersBody{venue: v, From: from, Form: memberForm{Role: project.Developer, Own: v.Role}})
}

// from returns the group above whose members the request asks for, or nil.
func (v venue) from(r *http.Request) (*project.Group, error) {
	wanted := r.URL.Query().Get("from")
	if wanted == "" {
		return nil, nil
	}
	for _, g := range v.above() {
		if strconv.FormatInt(g.ID, 10) == wanted {
			return &g, nil
		}
	}
	return nil, project.ErrGroupNotFound
}

// renderMembers answers with the page of the list that the request asks for.
func (a *api) renderMembers(w http.ResponseWriter, r *http.Request, status int, body membersBody) error {
	at, address, title := body.At.Place(), body.Members(), "Members"
	if body.From != nil {
		at, title = body.From.Place(), "Members from "+body.From.FullPath
		address += "?from=" + strconv.FormatInt(at.ID, 10)
	}
	wanted := site.PageOf(r)
	found, err := a.app.Projects.MembersOf(r.Context(), wanted, at)
	if err == nil {
		body.Rows, err = a.memberRows(r.Context(), body.venue, found, body.From == nil)
	}
	if err != nil {
		return err
	}
	body.Paging = site.NewPaging(address, wanted, found)
	body.Paging.Sorted = true
	sections := []site.Tab{{Name: "Direct members", Address: body.Members(), Current: body.From == nil}}
	for _, g := range body.above() {
		body.Inherits = true
		address := body.Members() + "?from=" + strconv.FormatInt(g.ID, 10)
		sections = append(sections, site.Tab{Name: "From " + g.FullPath, Address: address, Current: body.From != nil && body.From.ID == g.ID})
	}
	return body.render(w, r, membersTab, site.Page{Template: "members", Title: title, Status: status, Sections: sections, Body: body})
}

// memberRows adds the people, without those who were deleted between the two reads. A
// membership is changed where it is direct.
func (a *api) memberRows(ctx context.Context, v venue, found page.Of[project.Member], direct bool) (rows []memberRow, err error) {
	ids := make([]int64, len(found.Items))
	for n, m := range found.Items {
		ids[n] = m.UserID
	}
	users, err := a.app.Users.UsersByID(ctx, ids)
	for _, m := range found.Items {
		u, there := users[m.UserID]
		if !there {
			continue
		}
		row := memberRow{Member: m, Person: u, You: u.ID == v.User.ID}
		if u.ShownTo(v.User) {
			row.Page = u.PagePath()
		}
		address := v.Members() + "/" + strconv.FormatInt(u.ID, 10)
		if direct && v.Manages() && m.Role <= v.Role {
			row.Change = address
		}
		if direct && row.You {
			row.Leave = address + "/delete"
		}
		rows = append(rows, row)
	}
	return rows, err
}
