package platformapi

import (
	"net/http"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/web"
)

// deprecationBody is something deprecated on the wire.
type deprecationBody struct {
	ID      string      `json:"id"`
	Subject string      `json:"subject"`
	Place   []placeBody `json:"place"`
	Old     string      `json:"old"`
	New     string      `json:"new"`
	Since   *string     `json:"since"` // null: no release deprecated it
	Date    web.Date    `json:"date"`
	Link    string      `json:"link"`
}

// placeBody is a place where a deprecated name appears.
type placeBody struct {
	Call   string            `json:"call"`
	In     deprecation.In    `json:"in"`
	Name   *string           `json:"name"`   // null: the address itself
	Values []any             `json:"values"` // null: all
	Beside map[string]string `json:"beside"` // null: always
}

func newDeprecationBody(base string, e deprecation.Entry) deprecationBody {
	body := deprecationBody{
		ID: e.ID, Subject: e.Subject, Old: e.Old, New: e.New, Since: textOrNull(e.Since), Date: web.Date(e.Date()), Link: e.Link(base),
	}
	for _, p := range e.Places {
		place := placeBody{Call: p.Call, In: p.In, Name: textOrNull(p.Name), Values: p.Values}
		if p.Beside.Name != "" {
			place.Beside = map[string]string{p.Beside.Name: p.Beside.Value}
		}
		body.Place = append(body.Place, place)
	}
	return body
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// listDeprecations returns the handler that lists all that is deprecated.
func listDeprecations(base string) http.Handler {
	var bodies []deprecationBody
	for _, e := range deprecation.Table {
		bodies = append(bodies, newDeprecationBody(base, e))
	}
	encoded, err := web.Encode(bodies)
	if err != nil {
		panic(err) // of texts
	}
	return web.NewDocument(encoded)
}
