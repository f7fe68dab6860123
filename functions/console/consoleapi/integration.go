package consoleapi

import (
	"errors"
	"net/http"

	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
	"gatehouse/shared/secret"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// integrationBody is the data of an integration's page.
type integrationBody struct {
	visit
	Integration integrationView
	Form        integrationForm
	Setup       setup
	URLWithKey  string     // empty: there is none, or its key cannot be shown
	Tool        *toolSetup // of its preset; nil for none, and without the key
	Mapped      []mappedField
	Features    integration.Features
}

// mappedField is where a mapping finds a field of an alert, or what else it says.
type mappedField struct{ Field, Path string }

// integrationHandler serves a page of an integration.
type integrationHandler func(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error

// ofIntegration finds the integration in the path.
func (a *api) ofIntegration(h integrationHandler) projectHandler {
	return func(w http.ResponseWriter, r *http.Request, v visit) error {
		id, err := web.PathID(r, "integration")
		if err != nil {
			return err
		}
		i, err := a.app.Integrations.Find(r.Context(), v.Project, id)
		if err != nil {
			return err
		}
		return h(w, r, v, i)
	}
}

func (a *api) showIntegration(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error {
	return a.renderIntegration(w, r, v, i, http.StatusOK, newIntegrationForm(i))
}

func (a *api) renderIntegration(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration, status int, form integrationForm) error {
	body := integrationBody{visit: v, Integration: a.newIntegrationView(v, i), Form: form, Features: a.app.Integrations.Features}
	var err error
	if body.Mapped, err = mapped(i); err != nil {
		return err
	}
	if !body.Integration.IsLink() {
		if body.URLWithKey, err = a.urlWithKey(v, i); err != nil && !errors.Is(err, secret.ErrSealed) {
			return err
		}
		key, err := a.app.Integrations.Key(i)
		switch {
		case err == nil:
			body.Setup = newSetup(body.Integration, key, a.app.Now())
			body.Tool = newToolSetup(body.Integration, body.Setup, body.URLWithKey)
		case !errors.Is(err, secret.ErrSealed): // the page explains that one
			return err
		}
	}
	return a.renderSection(w, r, v, integrationsSection, site.Page{Template: "integration", Title: i.Name, Secret: true, Status: status, Body: body})
}

// urlWithKey returns the address of the integration that holds a key, or "".
func (a *api) urlWithKey(v visit, i integration.Integration) (string, error) {
	key, err := a.app.Integrations.PathKey(i)
	if err != nil || key.Empty() {
		return "", err
	}
	return a.app.BaseURL + i.PathWithKey(v.Project, key), nil
}

// mapped lists where the integration's mapping finds the fields of an alert.
func mapped(i integration.Integration) ([]mappedField, error) {
	stored, err := mapping.Parse(i.Mapping, "mapping")
	var fields []mappedField
	for _, target := range mapping.Targets {
		if rule, ok := stored.Rules[target]; ok {
			fields = append(fields, mappedField{fieldNames[string(target)], rule.String()})
		}
	}
	for _, said := range []struct {
		name      string
		condition *mapping.Condition
	}{
		{"Resolved when", stored.ResolvedWhen}, {"Acknowledged when", stored.AcknowledgedWhen}, {"Ignored when", stored.IgnoreWhen},
	} {
		if said.condition != nil {
			fields = append(fields, mappedField{said.name, said.condition.String()})
		}
	}
	if stored.Split != nil {
		fields = append(fields, mappedField{"An alert for each of", stored.Split.String()})
	}
	return fields, err
}

func (a *api) changeIntegration(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error {
	sent, err := readIntegrationForm(r)
	if err != nil {
		return err
	}
	rateLimit, err := sent.rateLimit()
	if err == nil {
		change := integration.Change{Name: &sent.Name, Active: &sent.Active, RateLimit: &rateLimit, Seen: sent.Version}
		if i.Type != integration.HTTP {
			change.APIURL = &sent.APIURL
		}
		if i.Preset == integration.CloudWatchSNS {
			change.SNSTopic = &sent.SNSTopic
		}
		_, err = a.app.Integrations.Change(r.Context(), v.actor(), v.Project, i.ID, change)
	}
	switch {
	case errors.Is(err, integration.ErrChanged):
		sent = newIntegrationForm(i)
		sent.Complaint = "The integration was changed since you opened its page. Below is its present state: repeat your change if you still want it."
		return a.renderIntegration(w, r, v, i, http.StatusConflict, sent)
	case err != nil:
		status, err := sent.explain(err)
		if err != nil {
			return err
		}
		return a.renderIntegration(w, r, v, i, status, sent)
	}
	return a.site.Done(w, r, nil, "integration-saved", a.newIntegrationView(v, i).Address)
}

func (a *api) resetKey(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error {
	_, err := a.app.Integrations.ResetKey(r.Context(), v.actor(), v.Project, i.ID)
	return a.site.Done(w, r, err, "integration-key", a.newIntegrationView(v, i).Address)
}

func (a *api) renewPathKey(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error {
	_, err := a.app.Integrations.RenewPathKey(r.Context(), v.actor(), v.Project, i.ID)
	return a.site.Done(w, r, err, "path-key", a.newIntegrationView(v, i).Address+"#keyed")
}

func (a *api) endPathKey(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error {
	_, err := a.app.Integrations.EndPathKey(r.Context(), v.actor(), v.Project, i.ID)
	return a.site.Done(w, r, err, "path-key-ended", a.newIntegrationView(v, i).Address+"#keyed")
}

func (a *api) deleteIntegration(w http.ResponseWriter, r *http.Request, v visit, i integration.Integration) error {
	err := a.app.Integrations.Delete(r.Context(), v.actor(), v.Project, i)
	return a.site.Done(w, r, err, "integration-deleted", v.Address()+integrationsSection)
}
