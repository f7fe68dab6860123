package monitorapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gatehouse/shared/auth"
	"gatehouse/shared/fault"
	"gatehouse/shared/oncall"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

// listOf answers with a page of a list that was read as a whole.
func listOf[T, B any](a *api, w http.ResponseWriter, r *http.Request, all []T, body func(T) B) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, page.Cut(all, req), body)
}

// overrideBody is an override on the wire.
type overrideBody struct {
	ID             int64    `json:"id"`
	UserID         int64    `json:"user_id"`
	ReplacesUserID *int64   `json:"replaces_user_id"`
	StartsAt       web.Time `json:"starts_at"`
	EndsAt         web.Time `json:"ends_at"`
	SwapID         *int64   `json:"swap_id"`
}

func newOverrideBody(o oncall.Override) overrideBody {
	return overrideBody{o.ID, o.UserID, orNull(o.ReplacesUserID), web.Time(o.StartsAt), web.Time(o.EndsAt), orNull(o.SwapID)}
}

// orNull returns the id for a body in which zero is null.
func orNull(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

func (a *api) listOverrides(w http.ResponseWriter, r *http.Request, _ auth.Caller, _ project.Project, s oncall.Stored) error {
	return listOf(a, w, r, s.Thing.Overrides, newOverrideBody)
}

func (a *api) addOverrides(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s oncall.Stored) error {
	params := web.Params(r)
	isSwap := params.Has("overrides")
	asked := []*web.Values{params}
	if isSwap {
		asked = params.OptionalObjects("overrides")
	}
	requests := each(asked, readOverride)
	if err := params.Err(); err != nil {
		return err
	}
	made, err := a.app.OnCall.AddOverrides(r.Context(), who(c), p, s, requests...)
	if err != nil {
		return web.NotFound("Schedule", err)
	}
	if isSwap {
		return web.JSON(w, http.StatusCreated, each(made, newOverrideBody))
	}
	return web.JSON(w, http.StatusCreated, newOverrideBody(made[0]))
}

func readOverride(params *web.Values) oncall.OverrideRequest {
	return oncall.OverrideRequest{
		UserID: params.Int("user_id"), ReplacesUserID: orZero(params.OptionalInt("replaces_user_id")),
		StartsAt: params.String("starts_at"), EndsAt: params.String("ends_at"),
	}
}

func (a *api) deleteOverride(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s oncall.Stored) error {
	id, err := web.PathID(r, "override_id")
	if err == nil {
		err = a.app.OnCall.DeleteOverride(r.Context(), who(c), p, s, id)
	}
	return web.Deleted(w, "Override", err)
}

// shiftBody is a shift on the wire.
type shiftBody struct {
	RotationID      *int64      `json:"rotation_id"`
	User            *personBody `json:"user"`
	StartsAt        web.Time    `json:"starts_at"`
	EndsAt          web.Time    `json:"ends_at"`
	InsteadOfUserID *int64      `json:"instead_of_user_id"`
	OverrideID      *int64      `json:"override_id"`
}

// personBody is a user as others see them.
type personBody struct {
	ID        int64      `json:"id"`
	Username  string     `json:"username"`
	Name      string     `json:"name"`
	State     user.State `json:"state"`
	AvatarURL *string    `json:"avatar_url"` // always null: there are no pictures
	WebURL    string     `json:"web_url"`
}

func (a *api) shiftBody(s oncall.Shift, people oncall.People) shiftBody {
	u, _ := people.User(s.UserID) // who is on call is there
	return shiftBody{
		RotationID: orNull(s.RotationID), StartsAt: web.Time(s.StartsAt), EndsAt: web.Time(s.EndsAt),
		User:            &personBody{ID: u.ID, Username: u.Username, Name: u.Name, State: u.State, WebURL: a.app.BaseURL + u.PagePath()},
		InsteadOfUserID: orNull(s.InsteadOf), OverrideID: orNull(s.OverrideID),
	}
}

func (a *api) showOnCall(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, s oncall.Stored) error {
	params := web.Params(r)
	at, err := a.readTime(params, s, "at", a.app.Now())
	if err != nil {
		return err
	}
	return a.answerShifts(w, r, p, s, at, at.Add(time.Nanosecond))
}

// The bounds of a picture.
const (
	longestPicture = 8 * 7 * 24 * time.Hour
	usualPicture   = 14 * 24 * time.Hour
	mostShifts     = 5000
)

func (a *api) listShifts(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, s oncall.Stored) error {
	params := web.Params(r)
	from, err := a.readTime(params, s, "from", a.app.Now())
	if err != nil {
		return err
	}
	to, err := a.readTime(params, s, "to", from.Add(usualPicture))
	switch {
	case err != nil:
		return err
	case !from.Before(to):
		return fault.Field("to", "must be after from")
	case to.Sub(from) > longestPicture:
		return fault.Field("to", "is more than eight weeks after from")
	}
	return a.answerShifts(w, r, p, s, from, to)
}

// readTime reads an optional time, which can be one of the schedule's zone.
func (a *api) readTime(params *web.Values, s oncall.Stored, name string, otherwise time.Time) (time.Time, error) {
	text := params.OptionalString(name)
	if err := params.Err(); err != nil || text == nil {
		return otherwise, err
	}
	read, complaint := s.Thing.Timezone.ParseTime(*text)
	if complaint != "" {
		return time.Time{}, fault.Field(name, complaint)
	}
	return read, nil
}

func (a *api) answerShifts(w http.ResponseWriter, r *http.Request, p project.Project, s oncall.Stored, from, to time.Time) error {
	people, err := a.app.OnCall.People(r.Context(), p, s.Thing)
	if err != nil {
		return err
	}
	shifts := s.Thing.ShiftsBetween(from, to, people.Present)
	if len(shifts) > mostShifts {
		return fault.Field("to", fmt.Sprintf("is too far from from: there are more than %d shifts between them", mostShifts))
	}
	return web.JSON(w, http.StatusOK, each(shifts, func(s oncall.Shift) shiftBody { return a.shiftBody(s, people) }))
}

// feedBody is the address of a calendar feed on the wire. It is shown only once.
type feedBody struct {
	URL string `json:"url"`
}

func (a *api) answerFeed(w http.ResponseWriter, path string) error {
	return web.JSON(w, http.StatusCreated, feedBody{a.app.BaseURL + path})
}

// renewFeed takes no parameters but still rejects a malformed request.
func (a *api) renewFeed(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s oncall.Stored) error {
	if err := web.Params(r).Err(); err != nil {
		return err
	}
	token, err := a.app.OnCall.RenewFeed(r.Context(), who(c), p, s)
	if err != nil {
		return web.NotFound("Schedule", err)
	}
	return a.answerFeed(w, oncall.FeedPath(p, s, token))
}

func (a *api) endFeed(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s oncall.Stored) error {
	return web.Deleted(w, "Schedule", a.app.OnCall.EndFeed(r.Context(), who(c), p, s))
}

// renewOwnFeed takes no parameters but still rejects a malformed request.
func (a *api) renewOwnFeed(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	if err := web.Params(r).Err(); err != nil {
		return err
	}
	token, err := a.app.OnCall.RenewOwnFeed(r.Context(), c.Actor())
	if err != nil {
		return err
	}
	return a.answerFeed(w, oncall.OwnFeedPath(c.User.ID, token))
}

func (a *api) endOwnFeed(w http.ResponseWriter, r *http.Request, c auth.Caller) error {
	return web.Deleted(w, "Calendar feed", a.app.OnCall.EndOwnFeed(r.Context(), c.Actor()))
}

// addCalendars serves calendar feeds, which have no part in the REST API: whoever knows
// the address may read one.
func (a *api) addCalendars(rest *web.REST) {
	mux := web.NewMux()
	mux.Handle("GET "+oncall.FeedsPath+"schedules/{project_id}/{file}", web.Handler(a.scheduleFeed))
	mux.Handle("GET "+oncall.FeedsPath+"users/{file}", web.Handler(a.userFeed))
	feeds, next := web.Wrap(a.app.BaseURL, mux), rest.Handler
	rest.Patterns = append(rest.Patterns, mux.Patterns()...)
	rest.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path+"/", oncall.FeedsPath) {
			feeds.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (a *api) scheduleFeed(w http.ResponseWriter, r *http.Request) error {
	scheduleID, token, err := feedOf(r)
	if err != nil {
		return err
	}
	projectID, err := web.PathID(r, "project_id")
	if err != nil {
		return noFeed(err)
	}
	c, err := a.app.OnCall.ScheduleFeed(r.Context(), projectID, scheduleID, token)
	if err != nil {
		return noFeed(err)
	}
	return a.answerCalendar(w, r, c)
}

func (a *api) userFeed(w http.ResponseWriter, r *http.Request) error {
	userID, token, err := feedOf(r)
	if err != nil {
		return err
	}
	c, err := a.app.OnCall.UserFeed(r.Context(), userID, token)
	if err != nil {
		return noFeed(err)
	}
	return a.answerCalendar(w, r, c)
}

// noFeed makes a fault.NotFound error one about the feed.
func noFeed(err error) error { return web.NotFound("Calendar feed", err) }

// feedOf returns the id and the token in the address of a feed.
func feedOf(r *http.Request) (id int64, token secret.Text, err error) {
	file, isCalendar := strings.CutSuffix(r.PathValue("file"), oncall.FeedEnd)
	if !isCalendar {
		return 0, token, noFeed(oncall.ErrNoFeed)
	}
	r.SetPathValue("file", file)
	id, err = web.PathID(r, "file")
	return id, secret.NewText(r.URL.Query().Get("token")), noFeed(err)
}

// answerCalendar answers with a calendar, which a reader may keep and has to ask for
// again each time.
func (a *api) answerCalendar(w http.ResponseWriter, r *http.Request, c oncall.Calendar) error {
	host := a.app.BaseURL
	if base, err := url.Parse(a.app.BaseURL); err == nil {
		host = base.Hostname()
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	web.NewPrivateDocument(c.ICalendar(host), "text/calendar; charset=utf-8").ServeHTTP(w, r)
	return nil
}
