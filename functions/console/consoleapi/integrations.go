package consoleapi

import (
	"context"
	"net/http"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/integration"
	"gatehouse/shared/preset"
	"gatehouse/shared/site"
)

// integrationView is an integration with its addresses.
type integrationView struct {
	integration.Integration
	Address string // of its page
	URL     string // takes alerts; empty for an on-call link
}

func (a *api) newIntegrationView(v visit, i integration.Integration) integrationView {
	view := integrationView{Integration: i, Address: v.Address() + integrationsSection + "/" + strconv.FormatInt(i.ID, 10)}
	if path := i.Path(v.Project); path != "" {
		view.URL = a.app.BaseURL + path
	}
	return view
}

var typeNames = map[integration.Type]string{
	integration.HTTP: "HTTP endpoint", integration.Metrics: "Metrics alerting", integration.OnCallLink: "On-call link",
}

// TypeName returns the type in words.
func (i integrationView) TypeName() string { return typeNames[i.Type] }

// TakesTopic reports whether a topic of SNS can be named for it.
func (i integrationView) TakesTopic() bool { return i.Preset == integration.CloudWatchSNS }

// IsLink reports whether it is an on-call link, which takes no alerts.
func (i integrationView) IsLink() bool { return i.Type == integration.OnCallLink }

// Maps reports whether its payloads can be mapped.
func (i integrationView) Maps() bool { return i.Type != integration.OnCallLink }

// MapsMetrics reports whether its mapping is of titles and severities alone.
func (i integrationView) MapsMetrics() bool { return i.Type == integration.Metrics }

// activeLink returns the active on-call link, or nil.
func activeLink(all []integration.Integration) *integration.Integration {
	for _, i := range all {
		if i.Type == integration.OnCallLink && i.Active {
			return &i
		}
	}
	return nil
}

// integrationsBody is the data of the section about alert integrations.
type integrationsBody struct {
	visit
	Rows     []integrationView
	Link     *integration.Integration // the active on-call link
	Rules    alertSettingsForm
	Features integration.Features
	Full     bool // the instance allows no further one
}

// listIntegrations lists the project's integrations and shows its rules for
// alerts.
func (a *api) listIntegrations(w http.ResponseWriter, r *http.Request, v visit) error {
	body, err := a.newIntegrationsBody(r.Context(), v)
	if err != nil {
		return err
	}
	return a.renderIntegrations(w, r, http.StatusOK, body)
}

func (a *api) renderIntegrations(w http.ResponseWriter, r *http.Request, status int, body integrationsBody) error {
	return a.renderSection(w, r, body.visit, integrationsSection, site.Page{Template: "integrations", Status: status, Body: body})
}

func (a *api) newIntegrationsBody(ctx context.Context, v visit) (integrationsBody, error) {
	body := integrationsBody{visit: v, Features: a.app.Integrations.Features}
	var all []integration.Integration
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() (err error) {
		all, err = a.app.Integrations.Integrations(ctx, v.Project)
		return err
	})
	reads.Go(func() error {
		settings, err := a.app.Integrations.AlertSettings(ctx, v.Project)
		body.Rules = newAlertSettingsForm(settings)
		return err
	})
	if err := reads.Wait(); err != nil {
		return integrationsBody{}, err
	}
	body.Link = activeLink(all)
	_, free := firstFree(a.typeChoices(all))
	body.Full = !free
	for _, i := range all {
		body.Rows = append(body.Rows, a.newIntegrationView(v, i))
	}
	return body, nil
}

// newIntegrationBody is the data of the page for a new integration.
type newIntegrationBody struct {
	visit
	Form  integrationForm
	Types []typeChoice
	Link  *integration.Integration
}

// Presets lists the tools that can be chosen.
func (newIntegrationBody) Presets() []preset.Preset { return preset.All() }

// Full reports whether the instance allows no further integration.
func (b newIntegrationBody) Full() bool {
	_, free := firstFree(b.Types)
	return !free
}

// typeChoice is a type that can be chosen.
type typeChoice struct {
	Type       integration.Type
	Name, Hint string
	Taken      bool // the instance allows no second one
}

var types = []typeChoice{
	{Type: integration.HTTP, Hint: "For any tool that posts JSON. You can say where in its payload the title, the severity and the rest are."},
	{Type: integration.Metrics, Hint: "For the webhook of Prometheus Alertmanager, and of what speaks its format."},
	{Type: integration.OnCallLink, Hint: "Leads from the list of alerts to another on-call tool. While it is active, no other integration can be."},
}

// newIntegration shows the form for a new integration.
func (a *api) newIntegration(w http.ResponseWriter, r *http.Request, v visit) error {
	return a.renderNewIntegration(w, r, v, http.StatusOK, integrationForm{Active: true})
}

func (a *api) renderNewIntegration(w http.ResponseWriter, r *http.Request, v visit, status int, form integrationForm) error {
	all, err := a.app.Integrations.Integrations(r.Context(), v.Project)
	if err != nil {
		return err
	}
	body := newIntegrationBody{visit: v, Form: form, Link: activeLink(all), Types: a.typeChoices(all)}
	if free, ok := firstFree(body.Types); ok && form.Type == "" {
		body.Form.Type = free
	}
	return a.renderSection(w, r, v, integrationsSection, site.Page{Template: "integration_new", Title: "New integration", Status: status, Body: body})
}

// typeChoices lists the types and which of them are taken.
func (a *api) typeChoices(all []integration.Integration) []typeChoice {
	choices := slices.Clone(types)
	for i, t := range choices {
		choices[i].Name, choices[i].Taken = typeNames[t.Type], a.app.Integrations.Taken(t.Type, all)
	}
	return choices
}

// firstFree returns the first type that is not taken, if there is one.
func firstFree(choices []typeChoice) (integration.Type, bool) {
	n := slices.IndexFunc(choices, func(t typeChoice) bool { return !t.Taken })
	if n < 0 {
		return "", false
	}
	return choices[n].Type, true
}

// create makes the integration. The form sends a type also when the tool decides it.
func (a *api) create(ctx context.Context, v visit, d integration.Draft) (integration.Integration, error) {
	if d.Preset != "" {
		d.Type, d.APIURL = "", ""
	}
	d, err := preset.Fill(d)
	if err != nil {
		return integration.Integration{}, err
	}
	return a.app.Integrations.Create(ctx, v.actor(), v.Project, d)
}

// createIntegration creates an integration and redirects to its page.
func (a *api) createIntegration(w http.ResponseWriter, r *http.Request, v visit) error {
	sent, err := readIntegrationForm(r)
	if err != nil {
		return err
	}
	var made integration.Integration
	rateLimit, err := sent.rateLimit()
	if err == nil {
		made, err = a.create(r.Context(), v, integration.Draft{
			Name: sent.Name, Type: sent.Type, Active: sent.Active, APIURL: sent.APIURL, RateLimit: rateLimit, Preset: sent.Preset,
		})
	}
	if err != nil {
		status, err := sent.explain(err)
		if err != nil {
			return err
		}
		return a.renderNewIntegration(w, r, v, status, sent)
	}
	shown := a.newIntegrationView(v, made)
	notice := "integration-created"
	if shown.IsLink() {
		notice = "link-created"
	}
	return a.site.Done(w, r, nil, notice, shown.Address)
}
