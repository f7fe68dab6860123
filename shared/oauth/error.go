package oauth

// Code is an OAuth error code (RFC 6749 sections 4.1.2.1 and 5.2, RFC 6750
// section 3.1).
type Code string

// The error codes.
const (
	InvalidRequest          Code = "invalid_request"
	InvalidClient           Code = "invalid_client"
	InvalidGrant            Code = "invalid_grant"
	InvalidScope            Code = "invalid_scope"
	InvalidRedirectURI      Code = "invalid_redirect_uri" // shown on a page, never redirected
	UnauthorizedClient      Code = "unauthorized_client"
	UnsupportedGrantType    Code = "unsupported_grant_type"
	UnsupportedResponseType Code = "unsupported_response_type"
	UnsupportedResponseMode Code = "unsupported_response_mode"
	AccessDenied            Code = "access_denied"

	// Those of OpenID Connect Core section 3.1.2.6.
	LoginRequired          Code = "login_required"
	ConsentRequired        Code = "consent_required"
	InteractionRequired    Code = "interaction_required"
	RequestNotSupported    Code = "request_not_supported"
	RequestURINotSupported Code = "request_uri_not_supported"

	InvalidToken Code = "invalid_token"
)

// Error is an OAuth error as the client reads it. Descriptions are constant
// texts: none repeats what the caller sent.
type Error struct {
	Code        Code
	Description string
}

// Error returns the code and the description.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Description }

func newError(code Code, description string) *Error { return &Error{code, description} }

func missing(parameter string) *Error {
	return newError(InvalidRequest, "The parameter "+parameter+" is missing.")
}

func invalidGrant(reason string) *Error { return newError(InvalidGrant, reason) }

var errInvalidClient = newError(InvalidClient, "Client authentication failed: the client is unknown or its credentials are wrong or missing.")
