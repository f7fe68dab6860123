package monitorapi

import (
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/deprecation"
	"gatehouse/shared/integration"
	"gatehouse/shared/page"
	"gatehouse/shared/preset"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

func (a *api) listIntegrations(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	all, err := a.app.Integrations.Integrations(r.Context(), p)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, page.Cut(all, req), func(i integration.Integration) integrationBody { return a.integrationBody(c, p, i) })
}

func (a *api) createIntegration(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
	params := web.Params(r)
	draft := readDraft(params)
	draft.NoAPIURL = web.Previews(r)
	if err := params.Err(); err != nil {
		return err
	}
	draft, err := preset.Fill(draft)
	if err != nil {
		return err
	}
	i, err := a.app.Integrations.Create(r.Context(), c.Actor(), p, draft)
	if err != nil {
		return web.NotFound("Project", err)
	}
	return a.answer(w, r, http.StatusCreated, c, p, i)
}

// readDraft reads a new integration, whose preset may say what its type is.
func readDraft(params *web.Values) integration.Draft {
	d := integration.Draft{Name: params.String("name"), Preset: orZero(params.OptionalString("preset"))}
	if d.Preset == "" {
		params.Require("type")
	}
	d.Type, d.Active = integration.Type(orZero(params.OptionalString("type"))), params.Bool("active")
	d.APIURL, d.RateLimit = orZero(params.OptionalString("api_url")), int(orZero(params.OptionalInt("rate_limit")))
	d.SNSTopic = orZero(params.OptionalString("sns_topic_arn"))
	d.Mapping, d.Sample = params.OptionalJSON("payload_attribute_mapping"), params.OptionalJSON("payload_example")
	return d
}

func orZero[T any](value *T) (v T) {
	if value != nil {
		v = *value
	}
	return v
}

// ofIntegration finds the integration in the path.
func (a *api) ofIntegration(
	next func(http.ResponseWriter, *http.Request, auth.Caller, project.Project, integration.Integration) error,
) auth.ProjectHandler {
	return func(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project) error {
		id, err := web.PathID(r, "integration_id")
		if err != nil {
			return noIntegration(err)
		}
		i, err := a.app.Integrations.Find(r.Context(), p, id)
		if err != nil {
			return noIntegration(err)
		}
		return next(w, r, c, p, i)
	}
}

// noIntegration makes a fault.NotFound error one about the integration.
func noIntegration(err error) error { return web.NotFound("Integration", err) }

func (a *api) showIntegration(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, i integration.Integration) error {
	return a.answer(w, r, http.StatusOK, c, p, i)
}

// putIntegration requires the fields that a new integration requires.
func (a *api) putIntegration(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, i integration.Integration) error {
	return a.changeIntegration(w, r, c, p, i, func(params *web.Values) {
		params.String("name")
		params.Bool("active")
	})
}

func (a *api) patchIntegration(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, i integration.Integration) error {
	return a.changeIntegration(w, r, c, p, i, func(*web.Values) {})
}

// changeIntegration changes the fields that were sent.
func (a *api) changeIntegration(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, i integration.Integration, check func(*web.Values)) error {
	params := web.Params(r)
	if params.Has("api_url") {
		if err := web.UseDeprecated(w, r, deprecatedAPIURL[i.Type], "api_url"); err != nil {
			return err
		}
	}
	check(params)
	change := readChange(params)
	if err := params.Err(); err != nil {
		return err
	}
	i, err := a.app.Integrations.Change(r.Context(), c.Actor(), p, i.ID, change)
	if err != nil {
		return noIntegration(err)
	}
	return a.answer(w, r, http.StatusOK, c, p, i)
}

// deprecatedAPIURL names what is deprecated about the api_url of a type.
var deprecatedAPIURL = map[integration.Type]string{
	integration.Metrics: deprecation.MetricsAPIURL, integration.OnCallLink: deprecation.OnCallLink,
}

func readChange(params *web.Values) integration.Change {
	c := integration.Change{
		Name: params.OptionalString("name"), Active: params.OptionalBool("active"), APIURL: params.OptionalString("api_url"),
		Type: (*integration.Type)(params.OptionalString("type")),
	}
	if limit := params.OptionalInt("rate_limit"); limit != nil {
		n := int(*limit)
		c.RateLimit = &n
	}
	if params.Has("sns_topic_arn") { // null ends it
		topic := orZero(params.OptionalString("sns_topic_arn"))
		c.SNSTopic = &topic
	}
	c.Mapping = sentJSON(params, "payload_attribute_mapping")
	c.Sample = sentJSON(params, "payload_example")
	return c
}

// sentJSON returns a value if it was sent, even as null.
func sentJSON(params *web.Values, name string) *[]byte {
	if !params.Has(name) {
		return nil
	}
	text := params.OptionalJSON(name)
	return &text
}

func (a *api) deleteIntegration(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, i integration.Integration) error {
	err := a.app.Integrations.Delete(r.Context(), c.Actor(), p, i)
	return web.Deleted(w, "Integration", err)
}

// resetKey takes no parameters but still rejects a malformed request.
func (a *api) resetKey(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, i integration.Integration) error {
	if err := web.Params(r).Err(); err != nil {
		return err
	}
	i, err := a.app.Integrations.ResetKey(r.Context(), c.Actor(), p, i.ID)
	if err != nil {
		return noIntegration(err)
	}
	return a.answer(w, r, http.StatusOK, c, p, i)
}

// renewPathKey takes no parameters, like resetKey.
func (a *api) renewPathKey(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, i integration.Integration) error {
	if err := web.Params(r).Err(); err != nil {
		return err
	}
	i, err := a.app.Integrations.RenewPathKey(r.Context(), c.Actor(), p, i.ID)
	if err != nil {
		return noIntegration(err)
	}
	return a.answer(w, r, http.StatusOK, c, p, i)
}

func (a *api) endPathKey(w http.ResponseWriter, r *http.Request, c auth.Caller, p project.Project, i integration.Integration) error {
	_, err := a.app.Integrations.EndPathKey(r.Context(), c.Actor(), p, i.ID)
	return web.Deleted(w, "Integration", err)
}
