package projectsapi

import (
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/license"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// routeLicenses serves the policies below their present and their older name.
func (a *api) routeLicenses(mux *web.Mux) {
	reader, maintainer := a.app.Auth.Project(project.NoRole), a.app.Auth.Project(project.Maintainer)
	for _, name := range []string{"license_approval_policies", "managed_licenses"} {
		all := "/api/v4/projects/{id}/" + name
		one := all + "/{license}"
		mux.Handle("GET "+all, reader(a.listLicenses))
		mux.Handle("POST "+all, maintainer(a.addLicense))
		mux.Handle("GET "+one, reader(a.ofLicense(a.showLicense)))
		mux.Handle("PATCH "+one, maintainer(a.ofLicense(a.changeLicense)))
		mux.Handle("DELETE "+one, maintainer(a.ofLicense(a.removeLicense)))
	}
}

const licensePolicy = "License Policy"

// licenseBody is a policy on the wire.
type licenseBody struct {
	ID             int64          `json:"id"`
	Name           string         `json:"name"`
	ApprovalStatus license.Status `json:"approval_status"`
}

func newLicenseBody(p license.StoredPolicy) licenseBody {
	return licenseBody{p.ID, p.Thing.Name, p.Thing.Status}
}

// licenseHandler serves a request about the policy with the id or name in the path.
type licenseHandler func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, policy license.StoredPolicy) error

func (a *api) ofLicense(next licenseHandler) auth.ProjectHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
		policy, err := a.app.Licenses.Policy(r.Context(), p, r.PathValue("license"))
		if err != nil {
			return web.NotFound(licensePolicy, err)
		}
		return next(w, r, c, p, policy)
	}
}

func (a *api) listLicenses(w http.ResponseWriter, r *http.Request, _ auth.Caller, p project.Project) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	policies, err := a.app.Licenses.Policies(r.Context(), p, req)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, policies, newLicenseBody)
}

func (a *api) addLicense(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	policy := license.Policy{Name: params.String("name"), Status: readStatus(params)}
	if err := params.Err(); err != nil {
		return err
	}
	made, err := a.app.Licenses.Create(r.Context(), c.Actor(), p, policy)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return web.JSON(w, http.StatusCreated, newLicenseBody(made))
}

func readStatus(params *web.Values) license.Status {
	return web.RequiredChoice(params, "approval_status", license.Statuses)
}

func (a *api) showLicense(w http.ResponseWriter, _ *http.Request, _ auth.Caller, _ project.Project, policy license.StoredPolicy) error {
	return web.JSON(w, http.StatusOK, newLicenseBody(policy))
}

func (a *api) changeLicense(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, policy license.StoredPolicy) error {
	params := web.Params(r)
	status := readStatus(params)
	if err := params.Err(); err != nil {
		return err
	}
	policy, err := a.app.Licenses.Change(r.Context(), c.Actor(), p, policy, status)
	if err != nil {
		return web.NotFound(licensePolicy, err)
	}
	return web.JSON(w, http.StatusOK, newLicenseBody(policy))
}

func (a *api) removeLicense(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, policy license.StoredPolicy) error {
	return web.Deleted(w, licensePolicy, a.app.Licenses.Delete(r.Context(), c.Actor(), p, policy))
}
