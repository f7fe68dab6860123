package oauthapi

import (
	"errors"
	"log/slog"
	"net/http"

	"gatehouse/shared/oauth"
	"gatehouse/shared/secret"
	"gatehouse/shared/web"
)

// handler is an endpoint that answers errors in OAuth's format.
type handler func(w http.ResponseWriter, r *http.Request) error

// ServeHTTP calls the endpoint and answers its error.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h(w, r); err != nil {
		answerError(w, r, err)
	}
}

// answer writes a JSON body that no cache may keep (RFC 6749 section 5.1).
func answer(w http.ResponseWriter, status int, body any) error {
	encoded, err := web.Encode(body)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Pragma", "no-cache")
	w.WriteHeader(status)
	_, err = w.Write(encoded)
	return err
}

// errorBody is an error answer (RFC 6749 section 5.2).
type errorBody struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
	State       string `json:"state,omitempty"`
}

// statuses are the statuses of error codes other than 400.
var statuses = map[oauth.Code]int{
	oauth.InvalidClient:      http.StatusUnauthorized,
	oauth.UnauthorizedClient: http.StatusUnauthorized,
	oauth.InvalidToken:       http.StatusUnauthorized,
}

func answerError(w http.ResponseWriter, r *http.Request, err error) {
	var known *oauth.Error
	if !errors.As(err, &known) {
		if !errors.Is(err, secret.ErrBusy) { // guessers would fill the log
			slog.ErrorContext(r.Context(), "request not served", "error", err)
		}
		status, code := web.Status(err), "server_error"
		if status == http.StatusServiceUnavailable {
			code = "temporarily_unavailable"
		}
		answer(w, status, errorBody{Error: code, Description: "The request could not be served; try again."})
		return
	}
	status, ok := statuses[known.Code]
	if !ok {
		status = http.StatusBadRequest
	}
	body := errorBody{Error: string(known.Code), Description: known.Description}
	challenge(w, body)
	if _, _, basic := r.BasicAuth(); basic && status == http.StatusUnauthorized {
		// RFC 6749 section 5.2 wants the scheme that the client used.
		w.Header().Add("WWW-Authenticate", `Basic realm="Gatehouse"`)
	}
	answer(w, status, body)
}

// refusePreview answers a request for a preview that does not exist.
func refusePreview(w http.ResponseWriter, _ *http.Request, err error) {
	answer(w, http.StatusBadRequest, errorBody{Error: string(oauth.InvalidRequest), Description: err.Error()})
}

// challenge names the error in a header as well (RFC 6750 section 3).
func challenge(w http.ResponseWriter, body errorBody) {
	w.Header().Set("WWW-Authenticate",
		`Bearer realm="Gatehouse", error="`+body.Error+`", error_description="`+body.Description+`"`)
}
