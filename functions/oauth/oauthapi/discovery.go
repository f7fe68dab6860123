package oauthapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"gatehouse/shared/oauth"
	"gatehouse/shared/oidc"
	"gatehouse/shared/web"
)

// metadataBody is the metadata that clients discover (OpenID Connect Discovery
// section 3, RFC 8414 section 2, RFC 9207 section 3).
type metadataBody struct {
	Issuer                      string   `json:"issuer"`
	AuthorizationEndpoint       string   `json:"authorization_endpoint"`
	TokenEndpoint               string   `json:"token_endpoint"`
	UserInfoEndpoint            string   `json:"userinfo_endpoint"`
	RevocationEndpoint          string   `json:"revocation_endpoint"`
	IntrospectionEndpoint       string   `json:"introspection_endpoint"`
	KeySet                      string   `json:"jwks_uri"`
	Scopes                      []string `json:"scopes_supported"`
	ResponseTypes               []string `json:"response_types_supported"`
	ResponseModes               []string `json:"response_modes_supported"`
	GrantTypes                  []string `json:"grant_types_supported"`
	SubjectTypes                []string `json:"subject_types_supported"`
	IDTokenAlgorithms           []string `json:"id_token_signing_alg_values_supported"`
	TokenAuthentication         []string `json:"token_endpoint_auth_methods_supported"`
	RevocationAuthentication    []string `json:"revocation_endpoint_auth_methods_supported"`
	IntrospectionAuthentication []string `json:"introspection_endpoint_auth_methods_supported"`
	ClaimTypes                  []string `json:"claim_types_supported"`
	Claims                      []string `json:"claims_supported"`
	Prompts                     []string `json:"prompt_values_supported"`
	ChallengeMethods            []string `json:"code_challenge_methods_supported"`
	ResponseNamesIssuer         bool     `json:"authorization_response_iss_parameter_supported"`
	RequestParameter            bool     `json:"request_parameter_supported"`
	RequestURIParameter         bool     `json:"request_uri_parameter_supported"`
	ClaimsParameter             bool     `json:"claims_parameter_supported"`
}

var (
	secretAuthentication = []string{"client_secret_basic", "client_secret_post"}
	// A public client only has a name, and a code verifier can replace a secret.
	anyAuthentication = append(slices.Clone(secretAuthentication), "none")
)

func (a *api) newMetadataBody() metadataBody {
	var scopes []string
	for _, d := range a.OAuth.Scopes() {
		scopes = append(scopes, d.Scope)
	}
	return metadataBody{
		Issuer:                      a.BaseURL,
		AuthorizationEndpoint:       a.BaseURL + "/oauth/authorize",
		TokenEndpoint:               a.BaseURL + "/oauth/token",
		UserInfoEndpoint:            a.BaseURL + "/oauth/userinfo",
		RevocationEndpoint:          a.BaseURL + "/oauth/revoke",
		IntrospectionEndpoint:       a.BaseURL + "/oauth/introspect",
		KeySet:                      a.BaseURL + "/oauth/discovery/keys",
		Scopes:                      scopes,
		ResponseTypes:               []string{"code"},
		ResponseModes:               []string{string(oauth.QueryMode), string(oauth.FragmentMode), string(oauth.FormPostMode)},
		GrantTypes:                  a.OAuth.GrantTypes(),
		SubjectTypes:                []string{"public"},
		IDTokenAlgorithms:           []string{"RS256"},
		TokenAuthentication:         anyAuthentication,
		RevocationAuthentication:    anyAuthentication,
		IntrospectionAuthentication: secretAuthentication,
		ClaimTypes:                  []string{"normal"},
		Claims:                      a.openID.ClaimNames(),
		Prompts:                     oauth.Prompts,
		ChallengeMethods:            []string{"S256"},
		ResponseNamesIssuer:         false, // only those to requests with the scope openid do
	}
}

// metadataLifetime is how long others may cache the metadata, which change with a
// release.
const metadataLifetime = time.Hour

func (a *api) metadata(w http.ResponseWriter, _ *http.Request) error {
	return publish(w, "application/json", metadataLifetime, a.newMetadataBody())
}

// keySet serves the keys that verify id_tokens (RFC 7517).
func (a *api) keySet(w http.ResponseWriter, r *http.Request) error {
	set, err := a.openID.KeySet(r.Context())
	if err != nil {
		return err
	}
	return publish(w, "application/json", oidc.KeySetLifetime, set)
}

// publish answers with a body that is the same for everyone and may be cached.
func publish(w http.ResponseWriter, contentType string, lifetime time.Duration, body any) error {
	encoded, err := web.Encode(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "public, max-age="+strconv.Itoa(int(lifetime.Seconds())))
	w.WriteHeader(http.StatusOK)
	_, err = w.Write(encoded)
	return err
}

// resourceBody describes a resource (RFC 7033 section 4.4).
type resourceBody struct {
	Subject string     `json:"subject"`
	Links   []linkBody `json:"links"`
}

type linkBody struct {
	Relation string `json:"rel"`
	Address  string `json:"href"`
}

// issuerRelation links an account to the issuer where it signs in (OpenID Connect
// Discovery section 2).
const issuerRelation = "http://openid.net/specs/connect/1.0/issuer"

// webFinger answers that every account signs in here, even one that does not
// exist, so that nobody can find out which accounts do.
func (a *api) webFinger(w http.ResponseWriter, r *http.Request) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	resource := query["resource"]
	if err != nil || len(resource) != 1 || !isAbsolute(resource[0]) {
		return invalidRequest("The parameter resource is missing, repeated or no URI.")
	}
	body := resourceBody{Subject: resource[0], Links: []linkBody{}}
	if relations := query["rel"]; len(relations) == 0 || slices.Contains(relations, issuerRelation) {
		body.Links = append(body.Links, linkBody{issuerRelation, a.BaseURL})
	}
	return publish(w, "application/jrd+json", metadataLifetime, body)
}

func isAbsolute(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && u.IsAbs()
}
