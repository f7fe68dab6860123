package openapitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// everywhere are the parameters that every operation takes.
var everywhere = []string{"access_token", "private_token", "sudo"}

// checkParameters rejects parameters that the document does not have. It is only for
// requests that were served, because tests send invalid ones on purpose.
func (o *operation) checkParameters(r *http.Request, body []byte) error {
	known := slices.Clone(everywhere)
	for _, p := range o.Parameters {
		known = append(known, p.Value.Name)
	}
	if o.RequestBody != nil {
		for name := range o.RequestBody.Value.Content["application/json"].Schema.Value.Properties {
			known = append(known, name)
		}
	}
	var errs []error
	for _, name := range sent(r, body) {
		if !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("the parameter %s is new", name))
		}
	}
	return errors.Join(errs...)
}

// sent lists the names of the parameters in the query and in the body.
func sent(r *http.Request, body []byte) []string {
	var names []string
	var object map[string]any
	if json.Unmarshal(body, &object) == nil {
		body = nil
	}
	for name := range object {
		names = append(names, name)
	}
	form, _ := url.ParseQuery(string(body)) // of what is no form nothing is sent
	for _, values := range []url.Values{r.URL.Query(), form} {
		for name := range values {
			name, _, _ = strings.Cut(name, "[") // of a list or an object
			names = append(names, name)
		}
	}
	return names
}
