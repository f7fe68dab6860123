package accountapi

import (
	"context"
	"html/template"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"gatehouse/shared/oauth"
	"gatehouse/shared/scope"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// consentBody is the data of the consent page.
type consentBody struct {
	Client, Initial, Owner string
	Scopes                 []scope.Described
	Destination            destination
	User                   user.User
	Fields                 []hidden
	Answerer               string // the name of the field with the ID of the user who answers
	ReturnTo               string
}

const answererField = "user_id"

// hidden is a field of a form that people do not see.
type hidden struct{ Name, Value string }

func (a *api) renderConsent(w http.ResponseWriter, r *http.Request, u user.User, req oauth.AuthorizeRequest, authorization oauth.Authorization) error {
	owners, err := a.owners(r.Context(), authorization.Client)
	if err != nil {
		return err
	}
	// The form names the scopes that the page shows, as the default may change
	// before the answer arrives.
	req.Scope = authorization.Scopes.String()
	values := authorizeValues(req)
	initial, _ := utf8.DecodeRuneInString(strings.TrimSpace(authorization.Client.Name))
	return a.site.Render(w, r, site.Page{
		Template: "consent", Secret: true, Title: "Allow access", Focused: true,
		Targets: []string{site.FormTarget(authorization.RedirectURI)},
		Body: consentBody{
			Client: authorization.Client.Name, Initial: strings.ToUpper(string(initial)), Owner: owners.of(authorization.Client),
			Scopes: scope.Describe(authorization.Scopes), Destination: newDestination(authorization.RedirectURI),
			User: u, Fields: hiddenFields(values), Answerer: answererField, ReturnTo: authorizePath + "?" + values.Encode(),
		},
	})
}

// owners are people who registered applications.
type owners map[int64]user.User

func (a *api) owners(ctx context.Context, clients ...oauth.Client) (owners, error) {
	var ids []int64
	for _, c := range clients {
		if c.OwnerID != 0 {
			ids = append(ids, c.OwnerID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return a.app.Users.UsersByID(ctx, ids)
}

// of names the owner of an application.
func (o owners) of(c oauth.Client) string {
	u, ok := o[c.OwnerID]
	switch {
	case c.OwnerID == 0:
		return "this instance of Gatehouse"
	case !ok:
		return "a deleted user"
	}
	return u.Name + " (@" + u.Username + ")"
}

func hiddenFields(values url.Values) []hidden {
	var fields []hidden
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fields = append(fields, hidden{name, values.Get(name)})
	}
	return fields
}

// destination is the place that gets the user's answer, in the consent page's
// words.
type destination struct{ Kind, Name string }

func newDestination(redirectURI string) destination {
	u, err := url.Parse(redirectURI)
	switch {
	case err != nil: // not reached: the redirect URI was checked
		return destination{"the address", redirectURI}
	case u.Scheme != "http" && u.Scheme != "https":
		return destination{"the application on this device that opens links of", u.Scheme + ":"}
	case u.Hostname() == "localhost", net.ParseIP(u.Hostname()).IsLoopback():
		return destination{"an application on this device, at", u.Host}
	default:
		return destination{"the site", u.Host}
	}
}

// formPostBody is the data of the page for the response mode form_post.
type formPostBody struct {
	Action template.URL
	Fields []hidden
}

// send sends a response to the client in the response mode of the request.
func (a *api) send(w http.ResponseWriter, r *http.Request, redirect oauth.Redirect) error {
	if redirect.Mode != oauth.FormPostMode {
		// 302 also after a form: it is the status that clients' documentation
		// and proxies know, and browsers follow it with GET.
		w.Header().Set("Location", redirect.Location())
		w.WriteHeader(http.StatusFound)
		return nil
	}
	return a.site.Render(w, r, site.Page{
		Template: "form_post", Secret: true, Title: "Back to the application", Focused: true,
		Targets: []string{site.FormTarget(redirect.URI)},
		// The client registered this URI, so it has no scheme that a browser
		// would run.
		Body: formPostBody{template.URL(redirect.URI), hiddenFields(redirect.Params)},
	})
}
