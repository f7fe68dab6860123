package monitorapi

import (
	"encoding/json"
	"log/slog"
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/integration"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
	"gatehouse/shared/project"
	"gatehouse/shared/scope"
	"gatehouse/shared/web"
)

// integrationBody is an integration in a list on the wire.
type integrationBody struct {
	ID                      int64            `json:"id"`
	Name                    string           `json:"name"`
	Type                    integration.Type `json:"type"`
	Active                  bool             `json:"active"`
	EndpointIdentifier      string           `json:"endpoint_identifier"`
	URL                     *string          `json:"url"`
	AuthorizationKey        *string          `json:"authorization_key"`
	PathKeyURL              *string          `json:"path_key_url"`
	APIURL                  *string          `json:"api_url"`
	PayloadAttributeMapping json.RawMessage  `json:"payload_attribute_mapping"`
	RateLimit               int              `json:"rate_limit"`
	Preset                  *string          `json:"preset"`
	SNSTopicARN             *string          `json:"sns_topic_arn"`
	Health                  healthBody       `json:"health"`
	CreatedAt               web.Time         `json:"created_at"`
}

type healthBody struct {
	LastReceivedAt  web.Time `json:"last_received_at"`
	Received        int64    `json:"received"`
	Rejected        int64    `json:"rejected"`
	SkippedItems    int64    `json:"skipped_items"`
	TruncatedAlerts int64    `json:"truncated_alerts"`
	LastError       *string  `json:"last_error"`
	LastErrorAt     web.Time `json:"last_error_at"`
	CurrentError    *string  `json:"current_error"`
	WrongKeys       int64    `json:"wrong_keys"`
	LastWrongKeyAt  web.Time `json:"last_wrong_key_at"`
}

// detailedIntegration is a single integration on the wire, with its sample
// payload, which would make a list too long.
type detailedIntegration struct {
	integrationBody
	PayloadExample     json.RawMessage `json:"payload_example"`
	PayloadAlertFields []mapping.Field `json:"payload_alert_fields"`
}

func (a *api) integrationBody(c auth.Caller, p project.Project, i integration.Integration) integrationBody {
	return integrationBody{
		ID: i.ID, Name: i.Name, Type: i.Type, Active: i.Active, EndpointIdentifier: i.Endpoint,
		URL: a.url(p, i), AuthorizationKey: a.key(c, i), PathKeyURL: a.pathKeyURL(c, p, i), APIURL: web.OrNull(i.APIURL),
		PayloadAttributeMapping: orEmptyObject(i.Mapping), RateLimit: i.RateLimit, Preset: web.OrNull(i.Preset), SNSTopicARN: web.OrNull(i.SNSTopic),
		Health: newHealthBody(i.Health), CreatedAt: web.Time(i.CreatedAt),
	}
}

// key returns the authorization key, or nil if the caller's token may only read: who has
// the key can make alerts. It is nil too if the instance has lost the key that sealed it;
// the integration is usable all the same.
func (a *api) key(c auth.Caller, i integration.Integration) *string {
	if !c.Scopes.Has(scope.API) {
		return nil
	}
	key, err := a.app.Integrations.Key(i)
	if err != nil {
		slog.Error("authorization key of an integration does not open", "integration_id", i.ID, "error", err)
		return nil
	}
	text := key.Reveal()
	return &text
}

// pathKeyURL returns the address that holds a key, or nil if there is none or it cannot be
// shown, like the authorization key.
func (a *api) pathKeyURL(c auth.Caller, p project.Project, i integration.Integration) *string {
	if !c.Scopes.Has(scope.API) || !i.HasPathKey() {
		return nil
	}
	key, err := a.app.Integrations.PathKey(i)
	if err != nil {
		slog.Error("path key of an integration does not open", "integration_id", i.ID, "error", err)
		return nil
	}
	url := a.app.BaseURL + i.PathWithKey(p, key)
	return &url
}

// url returns the address of the integration, or nil if it takes no alerts.
func (a *api) url(p project.Project, i integration.Integration) *string {
	path := i.Path(p)
	if path == "" {
		return nil
	}
	url := a.app.BaseURL + path
	return &url
}

func newHealthBody(h integration.Health) healthBody {
	return healthBody{
		LastReceivedAt: web.Time(h.LastReceivedAt), Received: h.Received, Rejected: h.Rejected,
		SkippedItems: h.SkippedItems, TruncatedAlerts: h.TruncatedAlerts,
		LastError: web.OrNull(h.LastError), LastErrorAt: web.Time(h.LastErrorAt),
		CurrentError: web.OrNull(h.Trouble()),
		WrongKeys:    h.WrongKeys, LastWrongKeyAt: web.Time(h.LastWrongKeyAt),
	}
}

func orEmptyObject(text []byte) json.RawMessage {
	if len(text) == 0 {
		return json.RawMessage("{}")
	}
	return text
}

// answer writes a single integration.
func (a *api) answer(w http.ResponseWriter, r *http.Request, status int, c auth.Caller, p project.Project, i integration.Integration) error {
	sample, err := a.app.Integrations.Sample(r.Context(), p, i)
	if err != nil {
		return noIntegration(err)
	}
	document, err := payload.Read(sample)
	if err != nil {
		return err
	}
	return web.JSON(w, status, detailedIntegration{a.integrationBody(c, p, i), document.Text, mapping.Fields(document.Object)})
}
