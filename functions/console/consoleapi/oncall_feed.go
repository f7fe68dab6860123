package consoleapi

import (
	"net/http"

	"gatehouse/shared/oncall"
	"gatehouse/shared/site"
)

// calendarBody is the data of the page about the visitor's own calendar.
type calendarBody struct {
	visit
	Page    string // its address
	HasFeed bool
}

func (a *api) showCalendar(w http.ResponseWriter, r *http.Request, v visit) error {
	has, err := a.app.OnCall.HasOwnFeed(r.Context(), v.User.ID)
	if err != nil {
		return err
	}
	body := calendarBody{v, v.Address() + calendarSection, has}
	return a.renderOnCall(w, r, v, calendarSection, site.Page{Template: "oncall_calendar", Title: "Your calendar", Body: body})
}

func (a *api) renewOwnFeed(w http.ResponseWriter, r *http.Request, v visit) error {
	token, err := a.app.OnCall.RenewOwnFeed(r.Context(), v.actor())
	if err != nil {
		return err
	}
	return a.renderFeed(w, r, v, calendarSection, feedBody{
		Heading: "The address of your calendar", Back: v.Address() + calendarSection, Shows: "all your shifts, in all projects", URL: a.app.BaseURL + oncall.OwnFeedPath(v.User.ID, token),
	})
}

func (a *api) endOwnFeed(w http.ResponseWriter, r *http.Request, v visit) error {
	err := a.app.OnCall.EndOwnFeed(r.Context(), v.actor())
	return a.site.Done(w, r, err, "feed-ended", v.Address()+calendarSection)
}

func (a *api) renewFeed(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	token, err := a.app.OnCall.RenewFeed(r.Context(), v.asker(), v.Project, s)
	if err != nil {
		return err
	}
	return a.renderFeed(w, r, v, onCallTab, feedBody{
		Heading: "The address of the calendar", Back: v.scheduleAddress(s.ID), Shows: "everybody’s shifts in " + s.Thing.Name, URL: a.app.BaseURL + oncall.FeedPath(v.Project, s, token),
	})
}

func (a *api) endFeed(w http.ResponseWriter, r *http.Request, v visit, s oncall.Stored) error {
	err := a.app.OnCall.EndFeed(r.Context(), v.asker(), v.Project, s)
	return a.site.Done(w, r, err, "feed-ended", v.scheduleAddress(s.ID))
}

// feedBody is the data of the page that reveals the address of a feed.
type feedBody struct {
	Heading, Back string // Back is the address of the page before
	Shows, URL    string
}

// renderFeed reveals the address in the answer to the form that made it, the only page that
// does.
func (a *api) renderFeed(w http.ResponseWriter, r *http.Request, v visit, section string, body feedBody) error {
	return a.renderOnCall(w, r, v, section, site.Page{Template: "oncall_feed", Secret: true, Title: body.Heading, Status: http.StatusCreated, Body: body})
}
