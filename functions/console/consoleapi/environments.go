package consoleapi

import (
	"errors"
	"net/http"
	"strings"

	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// environmentsBody is the data of the page of environments.
type environmentsBody struct {
	visit
	Page      string // its address
	Rows      []project.Environment
	Paging    site.Paging
	Name      string
	Complaint string
}

func (a *api) listEnvironments(w http.ResponseWriter, r *http.Request, v visit) error {
	return a.renderEnvironments(w, r, http.StatusOK, environmentsBody{visit: v})
}

func (a *api) renderEnvironments(w http.ResponseWriter, r *http.Request, status int, body environmentsBody) error {
	body.Page = body.Address() + environmentsSection
	all, err := a.app.Projects.Environments(r.Context(), body.Project)
	if err != nil {
		return err
	}
	wanted := site.PageOf(r)
	found := page.Cut(all, wanted)
	body.Rows, body.Paging = found.Items, site.NewPaging(body.Page, wanted, found)
	return a.renderAlerts(w, r, body.visit, environmentsSection, site.Page{Template: "environments", Title: "Environments", Status: status, Body: body})
}

func (a *api) addEnvironment(w http.ResponseWriter, r *http.Request, v visit) error {
	form, err := site.ReadForm(r)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(form.Get("name"))
	_, err = a.app.Projects.AddEnvironment(r.Context(), v.actor(), v.Project, name)
	var fields fault.Fields
	body := environmentsBody{visit: v, Name: name}
	switch {
	case errors.As(err, &fields):
		body.Complaint = site.Sentence("The name", fields["name"])
		return a.renderEnvironments(w, r, http.StatusUnprocessableEntity, body)
	case fault.Is(err, fault.Conflict):
		body.Complaint = sentence(err)
		return a.renderEnvironments(w, r, web.Status(err), body)
	}
	return a.site.Done(w, r, err, "environment-added", v.Address()+environmentsSection)
}

func (a *api) deleteEnvironment(w http.ResponseWriter, r *http.Request, v visit) error {
	id, err := web.PathID(r, "environment")
	if err != nil {
		return err
	}
	err = a.app.Projects.DeleteEnvironment(r.Context(), v.actor(), v.Project, id)
	return a.site.Done(w, r, err, "environment-deleted", v.Address()+environmentsSection)
}
