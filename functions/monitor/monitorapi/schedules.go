package monitorapi

import (
	"net/http"
	_ "time/tzdata" // functions run where there are no time zones

	"gatehouse/shared/auth"
	"gatehouse/shared/oncall"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

func (a *api) mountOnCall(mux *web.Mux) {
	const (
		schedules = "/api/v4/projects/{id}/monitor/schedules"
		one       = schedules + "/{schedule_id}"
		policy    = "/api/v4/projects/{id}/monitor/escalation_policy"
	)
	developer, maintainer := a.app.Auth.Project(project.Developer), a.app.Auth.Project(project.Maintainer)

	mux.Handle("GET "+schedules, developer(a.listSchedules))
	mux.Handle("POST "+schedules, maintainer(a.createSchedule))
	mux.Handle("GET "+one, developer(a.ofSchedule(a.showSchedule)))
	mux.Handle("PUT "+one, maintainer(a.ofSchedule(a.changeSchedule)))
	mux.Handle("DELETE "+one, maintainer(a.ofSchedule(a.deleteSchedule)))
	mux.Handle("GET "+one+"/rotations", developer(a.ofSchedule(a.listRotations)))
	mux.Handle("POST "+one+"/rotations", maintainer(a.ofSchedule(a.addRotation)))
	mux.Handle("GET "+one+"/rotations/{rotation_id}", developer(a.ofSchedule(a.showRotation)))
	mux.Handle("PUT "+one+"/rotations/{rotation_id}", maintainer(a.ofSchedule(a.changeRotation)))
	mux.Handle("DELETE "+one+"/rotations/{rotation_id}", maintainer(a.ofSchedule(a.deleteRotation)))
	mux.Handle("GET "+one+"/overrides", developer(a.ofSchedule(a.listOverrides)))
	mux.Handle("POST "+one+"/overrides", developer(a.ofSchedule(a.addOverrides)))
	mux.Handle("DELETE "+one+"/overrides/{override_id}", developer(a.ofSchedule(a.deleteOverride)))
	mux.Handle("GET "+one+"/oncall", developer(a.ofSchedule(a.showOnCall)))
	mux.Handle("GET "+one+"/shifts", developer(a.ofSchedule(a.listShifts)))
	mux.Handle("POST "+one+"/feed", maintainer(a.ofSchedule(a.renewFeed)))
	mux.Handle("DELETE "+one+"/feed", maintainer(a.ofSchedule(a.endFeed)))
	mux.Handle("GET "+policy, developer(a.showPolicy))
	mux.Handle("PUT "+policy, maintainer(a.setPolicy))
}

// scheduleBody is a schedule on the wire.
type scheduleBody struct {
	ID           int64          `json:"id"`
	Name         string         `json:"name"`
	Timezone     oncall.Zone    `json:"timezone"`
	Rotations    []rotationBody `json:"rotations"`
	SkippedUsers []int64        `json:"skipped_users"`
	Gap          bool           `json:"gap"`
	CalendarFeed bool           `json:"calendar_feed"`
	CreatedAt    web.Time       `json:"created_at"`
}

func (a *api) scheduleBody(s oncall.Stored, who oncall.People) scheduleBody {
	notice := s.Thing.Notice(a.app.Now(), who.Present)
	return scheduleBody{
		ID: s.ID, Name: s.Thing.Name, Timezone: s.Thing.Timezone, Rotations: each(s.Thing.Rotations, newRotationBody),
		SkippedUsers: append([]int64{}, notice.SkippedUsers...), Gap: notice.Gap, CalendarFeed: s.Thing.Feed != "", CreatedAt: web.Time(s.CreatedAt),
	}
}

// each turns every item into its body.
func each[T, B any](items []T, body func(T) B) []B {
	bodies := make([]B, len(items))
	for i, item := range items {
		bodies[i] = body(item)
	}
	return bodies
}

// scheduleHandler serves a request about a schedule of the project.
type scheduleHandler func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s oncall.Stored) error

// ofSchedule finds the schedule in the path.
func (a *api) ofSchedule(next scheduleHandler) auth.ProjectHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
		id, err := web.PathID(r, "schedule_id")
		if err != nil {
			return web.NotFound("Schedule", err)
		}
		s, err := a.app.OnCall.Find(r.Context(), p, id)
		if err != nil {
			return web.NotFound("Schedule", err)
		}
		return next(w, r, c, p, s)
	}
}

func who(c auth.Caller) oncall.Who { return oncall.Who{Actor: c.Actor(), Role: c.Role} }

func (a *api) listSchedules(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	found, err := a.app.OnCall.Schedules(r.Context(), p, req)
	if err != nil {
		return err
	}
	people, err := a.app.OnCall.People(r.Context(), p, each(found.Items, func(s oncall.Stored) oncall.Schedule { return s.Thing })...)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, found, func(s oncall.Stored) scheduleBody { return a.scheduleBody(s, people) })
}

func (a *api) createSchedule(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	name, zone := params.String("name"), params.String("timezone")
	if err := params.Err(); err != nil {
		return err
	}
	s, err := a.app.OnCall.Create(r.Context(), who(c), p, oncall.Change{Name: &name, Timezone: &zone})
	if err != nil {
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusCreated, a.scheduleBody(s, nil))
}

func (a *api) showSchedule(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project, s oncall.Stored) error {
	people, err := a.app.OnCall.People(r.Context(), p, s.Thing)
	if err != nil {
		return err
	}
	return web.JSON(w, http.StatusOK, a.scheduleBody(s, people))
}

func (a *api) changeSchedule(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s oncall.Stored) error {
	params := web.Params(r)
	change := oncall.Change{Name: params.OptionalString("name"), Timezone: params.OptionalString("timezone")}
	if err := params.Err(); err != nil {
		return err
	}
	s, err := a.app.OnCall.Change(r.Context(), who(c), p, s, change)
	if err != nil {
		return web.NotFound("Schedule", err)
	}
	return a.showSchedule(w, r, c, p, s)
}

func (a *api) deleteSchedule(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s oncall.Stored) error {
	return web.Deleted(w, "Schedule", a.app.OnCall.Delete(r.Context(), who(c), p, s))
}

// rotationBody is a rotation on the wire.
type rotationBody struct {
	ID           int64                `json:"id"`
	Name         string               `json:"name"`
	StartsAt     web.Time             `json:"starts_at"`
	EndsAt       web.Time             `json:"ends_at"`
	Length       oncall.Length        `json:"length"`
	ActivePeriod *oncall.ActivePeriod `json:"active_period"`
	Participants []int64              `json:"participants"`
}

func newRotationBody(r oncall.Rotation) rotationBody {
	return rotationBody{r.ID, r.Name, web.Time(r.StartsAt), web.Time(r.EndsAt), r.Length, r.ActivePeriod, r.Participants}
}

func (a *api) listRotations(w http.ResponseWriter, r *http.Request, _ auth.Caller, _ project.Project, s oncall.Stored) error {
	return listOf(a, w, r, s.Thing.Rotations, newRotationBody)
}

func (a *api) showRotation(w http.ResponseWriter, r *http.Request, _ auth.Caller, _ project.Project, s oncall.Stored) error {
	id, err := web.PathID(r, "rotation_id")
	if err != nil {
		return web.NotFound("Rotation", err)
	}
	rotation, err := s.Thing.Rotation(id)
	if err != nil {
		return web.NotFound("Rotation", err)
	}
	return web.JSON(w, http.StatusOK, newRotationBody(rotation))
}

// addRotation requires the fields without which there is no rotation.
func (a *api) addRotation(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s oncall.Stored) error {
	params := web.Params(r)
	params.Require("name", "starts_at", "length", "participants")
	change := readRotation(params)
	if err := params.Err(); err != nil {
		return err
	}
	made, err := a.app.OnCall.AddRotation(r.Context(), who(c), p, s, change)
	if err != nil {
		return web.NotFound("Schedule", err)
	}
	return web.JSON(w, http.StatusCreated, newRotationBody(made))
}

func (a *api) changeRotation(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s oncall.Stored) error {
	id, err := web.PathID(r, "rotation_id")
	if err != nil {
		return web.NotFound("Rotation", err)
	}
	params := web.Params(r)
	change := readRotation(params)
	if err := params.Err(); err != nil {
		return err
	}
	rotation, err := a.app.OnCall.ChangeRotation(r.Context(), who(c), p, s, id, change)
	if err != nil {
		return web.NotFound("Rotation", err)
	}
	return web.JSON(w, http.StatusOK, newRotationBody(rotation))
}

func (a *api) deleteRotation(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, s oncall.Stored) error {
	id, err := web.PathID(r, "rotation_id")
	if err == nil {
		err = a.app.OnCall.DeleteRotation(r.Context(), who(c), p, s, id)
	}
	return web.Deleted(w, "Rotation", err)
}

// readRotation reads the fields that were sent. A null ends_at or active_period removes it.
func readRotation(params *web.Values) oncall.RotationChange {
	c := oncall.RotationChange{
		Name: params.OptionalString("name"), StartsAt: params.OptionalString("starts_at"), EndsAt: params.OptionalString("ends_at"),
		Participants: params.OptionalInts("participants"),
	}
	if c.EndsAt == nil && params.Has("ends_at") {
		c.EndsAt = new("")
	}
	if length := params.OptionalObject("length"); length != nil {
		c.Length = &oncall.Length{Value: int(length.Int("value")), Unit: web.RequiredChoice(length, "unit", oncall.Units)}
	}
	if period := params.OptionalObject("active_period"); period != nil {
		c.ActivePeriod = &oncall.ActivePeriod{Start: readClock(period, "start"), End: readClock(period, "end")}
	}
	c.WholeDay = c.ActivePeriod == nil && params.Has("active_period")
	return c
}

// readClock reads a required time of day.
func readClock(params *web.Values, name string) oncall.Clock {
	text := params.String(name)
	read, ok := oncall.ParseClock(text)
	if !ok && params.Has(name) {
		params.Invalid(name)
	}
	return read
}
