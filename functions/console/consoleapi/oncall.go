package consoleapi

import (
	"net/http"
	"strconv"
	_ "time/tzdata" // functions run where there are no time zones

	"gatehouse/shared/oncall"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// The sections of the tab about who is on call, as the ends of their addresses.
const (
	escalationSection = onCallTab + "/escalation"
	calendarSection   = onCallTab + "/calendar"
)

var onCallSections = []section{
	{"Schedules", onCallTab},
	{"Escalation policy", escalationSection},
	{"Your calendar", calendarSection},
}

// onCallRoutes adds the pages about who is on call.
func (a *api) onCallRoutes(mux *web.Mux) {
	developer, maintainer := a.in(project.Developer), a.in(project.Maintainer)

	mux.Handle("GET /console/{id}/oncall", developer(a.showOnCall))
	mux.Handle("POST /console/{id}/oncall", maintainer(a.createSchedule))
	mux.Handle("GET /console/{id}/oncall/new", maintainer(a.newSchedule))
	mux.Handle("GET /console/{id}/oncall/escalation", developer(a.showEscalation))
	mux.Handle("POST /console/{id}/oncall/escalation", maintainer(a.changeEscalation))
	mux.Handle("GET /console/{id}/oncall/calendar", developer(a.showCalendar))
	mux.Handle("POST /console/{id}/oncall/calendar", developer(a.renewOwnFeed))
	mux.Handle("POST /console/{id}/oncall/calendar/delete", developer(a.endOwnFeed))
	mux.Handle("GET /console/{id}/oncall/{schedule}", developer(a.ofSchedule(a.showSchedule)))
	mux.Handle("POST /console/{id}/oncall/{schedule}", maintainer(a.ofSchedule(a.changeSchedule)))
	mux.Handle("POST /console/{id}/oncall/{schedule}/delete", maintainer(a.ofSchedule(a.deleteSchedule)))
	mux.Handle("POST /console/{id}/oncall/{schedule}/feed", maintainer(a.ofSchedule(a.renewFeed)))
	mux.Handle("POST /console/{id}/oncall/{schedule}/feed/delete", maintainer(a.ofSchedule(a.endFeed)))
	mux.Handle("POST /console/{id}/oncall/{schedule}/overrides", developer(a.ofSchedule(a.addOverride)))
	mux.Handle("POST /console/{id}/oncall/{schedule}/overrides/{override}/delete", developer(a.ofSchedule(a.deleteOverride)))
	mux.Handle("POST /console/{id}/oncall/{schedule}/swaps", developer(a.ofSchedule(a.addSwap)))
	mux.Handle("POST /console/{id}/oncall/{schedule}/rotations", maintainer(a.ofSchedule(a.createRotation)))
	mux.Handle("GET /console/{id}/oncall/{schedule}/rotations/new", maintainer(a.ofSchedule(a.newRotation)))
	mux.Handle("GET /console/{id}/oncall/{schedule}/rotations/{rotation}", maintainer(a.ofSchedule(a.showRotation)))
	mux.Handle("POST /console/{id}/oncall/{schedule}/rotations/{rotation}", maintainer(a.ofSchedule(a.changeRotation)))
	mux.Handle("POST /console/{id}/oncall/{schedule}/rotations/{rotation}/delete", maintainer(a.ofSchedule(a.deleteRotation)))
}

// ofSchedule passes the schedule in the path to the handler.
func (a *api) ofSchedule(h func(http.ResponseWriter, *http.Request, visit, oncall.Stored) error) projectHandler {
	return func(w http.ResponseWriter, r *http.Request, v visit) error {
		id, err := web.PathID(r, "schedule")
		if err != nil {
			return err
		}
		s, err := a.app.OnCall.Find(r.Context(), v.Project, id)
		if err != nil {
			return err
		}
		return h(w, r, v, s)
	}
}

// asker is the visitor for the rules of schedules.
func (v visit) asker() oncall.Who { return oncall.Who{Actor: v.actor(), Role: v.Role} }

func (v visit) scheduleAddress(id int64) string {
	return v.Address() + onCallTab + "/" + strconv.FormatInt(id, 10)
}

// renderOnCall answers with a page in a section of the tab about who is on call.
func (a *api) renderOnCall(w http.ResponseWriter, r *http.Request, v visit, section string, p site.Page) error {
	p.Sections = v.sections(onCallSections, section)
	return a.render(w, r, v, onCallTab, p)
}

// onCallPage is the data of the page that tells who is on call.
type onCallPage struct {
	visit
	Schedules []scheduleView
	Paging    site.Paging
}

// maxPictured is how many schedules a page shows with their next two weeks.
const maxPictured = 3

// showOnCall shows who is on call in the schedules of the project.
func (a *api) showOnCall(w http.ResponseWriter, r *http.Request, v visit) error {
	wanted := site.PageOf(r)
	wanted.Size = maxPictured
	found, err := a.app.OnCall.Schedules(r.Context(), v.Project, wanted)
	if err != nil {
		return err
	}
	var all []oncall.Schedule
	for _, s := range found.Items {
		all = append(all, s.Thing)
	}
	people, err := a.app.OnCall.People(r.Context(), v.Project, all...)
	if err != nil {
		return err
	}
	body := onCallPage{visit: v, Paging: site.NewPaging(v.Address()+onCallTab, wanted, found)}
	for _, s := range found.Items {
		body.Schedules = append(body.Schedules, newPicture(s, v, people).beside(len(found.Items)).view(a.app.Now()))
	}
	return a.renderOnCall(w, r, v, onCallTab, site.Page{Template: "oncall", Title: "On call", Body: body})
}
