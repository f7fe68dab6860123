package consoleapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// environmentsBody is what the page of environments shows.
type environmentsBody struct {
	visit
	Page      string // its address
	Rows      []integration.Environment
	Name      string
	Complaint string
}

func (a *api) listEnvironments(w http.ResponseWriter, r *http.Request, v visit) error {
	return a.renderEnvironments(w, r, http.StatusOK, environmentsBody{visit: v})
}

func (a *api) renderEnvironments(w http.ResponseWriter, r *http.Request, status int, body environmentsBody) error {
	var err error
	body.Page = body.Address() + environmentsSection
	if body.Rows, err = a.app.Integrations.Environments(r.Context(), body.Project); err != nil {
		return err
	}
	return a.renderAlerts(w, r, body.visit, environmentsSection, site.Page{Template: "environments", Title: "Environments", Status: status, Body: body})
}

func (a *api) addEnvironment(w http.ResponseWriter, r *http.Request, v visit) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(form.Get("name"))
	_, err = a.app.Integrations.AddEnvironment(r.Context(), v.Project, name)
	var fields fault.Fields
	body := environmentsBody{visit: v, Name: name}
	switch {
	case errors.As(err, &fields):
		body.Complaint = site.Sentence("The name", fields["name"])
		return a.renderEnvironments(w, r, http.StatusUnprocessableEntity, body)
	case fault.Is(err, fault.Conflict):
		body.Complaint = told(err)
		return a.renderEnvironments(w, r, web.Status(err), body)
	case err != nil:
		return err
	}
	a.site.Notify(w, "environment-added")
	return site.Redirect(w, r, v.Address()+environmentsSection)
}

var errNoEnvironment = fault.New(fault.NotFound, "no such environment")

func (a *api) deleteEnvironment(w http.ResponseWriter, r *http.Request, v visit) error {
	id, err := strconv.ParseInt(r.PathValue("environment"), 10, 64)
	if err != nil {
		return errNoEnvironment
	}
	if err := a.app.Integrations.DeleteEnvironment(r.Context(), v.Project, id); err != nil {
		return err
	}
	a.site.Notify(w, "environment-deleted")
	return site.Redirect(w, r, v.Address()+environmentsSection)
}
