package consoleapi

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatehouse/shared/fault"
	"gatehouse/shared/integration"
	"gatehouse/shared/site"
	"gatehouse/shared/web"
)

// integrationForm is what the form of an integration holds.
type integrationForm struct {
	Name       string
	Type       integration.Type // only a new integration's is chosen
	Active     bool
	APIURL     string
	RateLimit  string // requests a minute, as it was entered; empty: any number
	Version    int64  // of the integration, as the form was shown with it
	Complaints integrationComplaints
}

// integrationComplaints are what is wrong with the fields, in words. Whole is
// about all of them.
type integrationComplaints struct{ Whole, Name, Type, APIURL, RateLimit string }

// Any reports whether there is one about a field.
func (c integrationComplaints) Any() bool {
	c.Whole = ""
	return c != integrationComplaints{}
}

// Focus names the first field with a mistake.
func (c integrationComplaints) Focus() string {
	switch {
	case c.Type != "":
		return "type"
	case c.Name != "":
		return "name"
	case c.APIURL != "":
		return "api_url"
	case c.RateLimit != "":
		return "rate_limit"
	}
	return ""
}

// IsLink reports whether the form is for an on-call link.
func (f integrationForm) IsLink() bool { return f.Type == integration.OnCallLink }

func newIntegrationForm(i integration.Integration) integrationForm {
	f := integrationForm{Name: i.Name, Type: i.Type, Active: i.Active, APIURL: i.APIURL, Version: i.Version}
	if i.RateLimit > 0 {
		f.RateLimit = strconv.Itoa(i.RateLimit)
	}
	return f
}

// readIntegrationForm reads the form for a new integration. Each type has an
// address field of its own, because the words beside it differ.
func readIntegrationForm(r *http.Request) (integrationForm, error) {
	form, err := site.ReadForm(r)
	if err != nil {
		return integrationForm{}, err
	}
	version, err := seen(form)
	f := integrationForm{
		Version:   version,
		Name:      strings.TrimSpace(form.Get("name")),
		Type:      integration.Type(form.Get("type")),
		Active:    form.Checked("active"),
		RateLimit: strings.TrimSpace(form.Get("rate_limit")),
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

// complain puts an error beside the fields that it is about, and returns the
// status of the page. An error that is not about the form comes back.
func (f *integrationForm) complain(err error) (status int, unsuited error) {
	var fields fault.Fields
	switch {
	case errors.As(err, &fields):
		f.Complaints = integrationComplaints{
			Name: site.Sentence("The name", fields["name"]), Type: site.Sentence("The type", fields["type"]),
			APIURL: site.Sentence("The address", fields["api_url"]), RateLimit: site.Sentence("The limit", fields["rate_limit"]),
			Whole: site.Sentence("The mapping", fields["payload_attribute_mapping"]),
		}
		return http.StatusUnprocessableEntity, nil
	case fault.Is(err, fault.Conflict), fault.Is(err, fault.Forbidden):
		f.Complaints.Whole = told(err)
		return web.Status(err), nil
	}
	return 0, err
}

// told returns what an error says to people, as a sentence.
func told(err error) string {
	message := fault.Message(err)
	first, size := utf8.DecodeRuneInString(message)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(message[size:], ".") + "."
}
