package errortrackingapi

import (
	"errors"
	"net/http"
	"strconv"

	"gatehouse/shared/auth"
	"gatehouse/shared/errortracking"
	"gatehouse/shared/fault"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// keyBody is a client key on the wire.
type keyBody struct {
	ID         int64  `json:"id"`
	Active     bool   `json:"active"`
	PublicKey  string `json:"public_key"`
	TrackerDSN string `json:"tracker_dsn"`
}

func (a *api) keyBody(k errortracking.ClientKey) keyBody {
	return keyBody{ID: k.ID, Active: k.Active, PublicKey: k.PublicKey, TrackerDSN: k.DSN(a.app.BaseURL)}
}

func (a *api) listKeys(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	keys, err := a.app.Tracking.Keys(r.Context(), p.ID, req)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, keys, a.keyBody)
}

// createKey takes no parameters but still rejects a malformed request.
func (a *api) createKey(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	if err := web.Params(r).Err(); err != nil {
		return err
	}
	k, err := a.app.Tracking.CreateKey(r.Context(), c.Actor(), p)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusCreated, a.keyBody(k))
}

func (a *api) deleteKey(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	if err := web.Params(r).Err(); err != nil {
		return err
	}
	id, err := strconv.ParseInt(r.PathValue("key_id"), 10, 64)
	if err != nil {
		return web.BadParameters("key_id is invalid")
	}
	k, err := a.app.Tracking.DeleteKey(r.Context(), c.Actor(), p, id)
	switch {
	case errors.Is(err, fault.NotFound):
		return errNoSuchKey{}
	case err != nil:
		return err
	}
	return web.JSON(w, http.StatusOK, a.keyBody(k))
}

// errNoSuchKey has a message that clients compare literally, and that differs
// from that of other 404 answers.
type errNoSuchKey struct{}

// Error is for the log.
func (errNoSuchKey) Error() string { return "client key not found" }

// Answer writes the 404.
func (errNoSuchKey) Answer(w http.ResponseWriter) {
	web.JSON(w, http.StatusNotFound, map[string]string{"message": "404 Not found"})
}
