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

// integrationForm is the form of an integration.
type integrationForm struct {
	Name       string
	Type       integration.Type // can be chosen for a new integration only
	Preset     string           // likewise; it decides the type
	Active     bool
	APIURL     string
	RateLimit  string // requests a minute as entered; empty: unlimited
	SNSTopic   string
	Version    int64 // of the integration that the form was shown with
	Complaints site.Complaints
	Complaint  string // about the form as a whole
}

// IsLink reports whether the form is for an on-call link.
func (f integrationForm) IsLink() bool { return f.Type == integration.OnCallLink }

func newIntegrationForm(i integration.Integration) integrationForm {
	f := integrationForm{Name: i.Name, Type: i.Type, Active: i.Active, APIURL: i.APIURL, SNSTopic: i.SNSTopic, Version: i.Version}
	if i.RateLimit > 0 {
		f.RateLimit = strconv.Itoa(i.RateLimit)
	}
	return f
}

// readIntegrationForm reads the form. The address has another field for each
// type, because the explanation differs.
func readIntegrationForm(r *http.Request) (integrationForm, error) {
	form, err := site.ReadForm(r)
	if err != nil {
		return integrationForm{}, err
	}
	version, err := seenVersion(form)
	f := integrationForm{
		Version:   version,
		Name:      strings.TrimSpace(form.Get("name")),
		Type:      integration.Type(form.Get("type")),
		Preset:    form.Get("preset"),
		Active:    form.Checked("active"),
		RateLimit: strings.TrimSpace(form.Get("rate_limit")),
		SNSTopic:  strings.TrimSpace(form.Get("sns_topic_arn")),
	}
	switch f.Type {
	case integration.Metrics:
		f.APIURL = strings.TrimSpace(form.Get("api_url"))
	case integration.OnCallLink:
		f.APIURL = strings.TrimSpace(form.Get("target"))
	}
	return f, err
}

// rateLimit returns the limit that was entered.
func (f integrationForm) rateLimit() (int, error) {
	if f.RateLimit == "" || f.IsLink() {
		return 0, nil
	}
	limit, err := strconv.Atoi(f.RateLimit)
	if err != nil {
		return 0, fault.Field("rate_limit", "must be a whole number")
	}
	return limit, nil
}

// explain puts the error beside the fields that it is about, and returns the
// status of the page. It returns an error that is not about the form.
func (f *integrationForm) explain(err error) (status int, other error) {
	var wrong fault.Fields
	switch {
	case errors.As(err, &wrong):
		f.Complaints = site.NewComplaints(wrong, "preset", "The tool", "type", "The type", "name", "The name", "api_url", "The address", "rate_limit", "The limit", "sns_topic_arn", "The topic")
		f.Complaint = site.Sentence("The mapping", wrong["payload_attribute_mapping"])
		return http.StatusUnprocessableEntity, nil
	case fault.Is(err, fault.Conflict), fault.Is(err, fault.Forbidden):
		f.Complaint = sentence(err)
		return web.Status(err), nil
	}
	return 0, err
}
