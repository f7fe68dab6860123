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
}

type sessionRow struct {
	session.Session
	End string
}

// listSessions shows where the user is signed in. Sessions that ended with the
// old password or a block may still be stored and are left out.
func (a *api) listSessions(w http.ResponseWriter, r *http.Request, u user.User, own session.Session) error {
	sessions, err := a.app.Sessions.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	body := sessionsBody{Own: own}
	for _, s := range sessions {
		if s.ID != own.ID && u.SessionValid(s.SessionEpoch) {
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
