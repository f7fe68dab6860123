package accountapi

import (
	"net/http"

	"gatehouse/shared/session"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// sessionsBody is the data of the list of sessions.
type sessionsBody struct {
	Own    session.Session
	Others []sessionRow
	Paging site.Paging
}

type sessionRow struct {
	session.Session
	End string
}

// listSessions shows where the user is signed in: above this browser, which is on
// every page, and below the others.
func (a *api) listSessions(w http.ResponseWriter, r *http.Request, u user.User, own session.Session) error {
	wanted := site.PageOf(r)
	found, err := a.app.Sessions.Of(r.Context(), u, wanted)
	if err != nil {
		return err
	}
	body := sessionsBody{Own: own, Paging: site.NewPaging(sessionsPath, wanted, found)}
	for _, s := range found.Items {
		if s.ID != own.ID {
			body.Others = append(body.Others, sessionRow{s, sessionsPath + "/" + s.ID + "/end"})
		}
	}
	return a.renderSettings(w, r, site.Page{Template: "sessions", Title: "Sessions", Body: body})
}

func (a *api) endSession(w http.ResponseWriter, r *http.Request, u user.User) error {
	err := a.app.Sessions.EndOne(r.Context(), u.ID, r.PathValue("id"))
	return a.site.Done(w, r, err, "session-ended", sessionsPath)
}

func (a *api) endOtherSessions(w http.ResponseWriter, r *http.Request, _ user.User, own session.Session) error {
	err := a.app.Sessions.EndOthers(r.Context(), own)
	return a.site.Done(w, r, err, "others-ended", sessionsPath)
}
