package consoleapi

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"gatehouse/shared/directory"
	"gatehouse/shared/fault"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/site"
	"gatehouse/shared/user"
)

// searchPath is the page of the search box.
const searchPath = consolePath + "/search"

const (
	maxSought = 255 // characters of what is sought
	maxHits   = 10  // of each kind on the page
)

// sought is what somebody typed into the search box.
type sought struct {
	Text     string
	Within   string // the full path of the project on whose page it was
	Of       string // the path, id or name of the project whose number it is
	Number   int64  // of an alert or incident; zero: the text is no number
	Incident bool   // only an incident
}

// readSought reads what was typed: "12" and "#12" on a page of a project, "web#12" and
// "acme/web#12" anywhere, each also after the word "incident", or a text.
func readSought(values url.Values) sought {
	s := sought{Text: cut(strings.TrimSpace(values.Get("q"))), Within: cut(values.Get("in"))}
	rest := s.Text
	if word := "incident "; len(rest) > len(word) && strings.EqualFold(rest[:len(word)], word) {
		rest, s.Incident = strings.TrimSpace(rest[len(word):]), true
	}
	of, digits := "", rest
	if n := strings.LastIndexByte(rest, '#'); n >= 0 {
		of, digits = strings.TrimSpace(rest[:n]), rest[n+1:]
	}
	number, err := strconv.ParseUint(digits, 10, 63)
	if s.Of = cmp.Or(of, s.Within); err == nil && s.Of != "" {
		s.Number = int64(number)
	}
	return s
}

// cut bounds a text from an address.
func cut(text string) string {
	if runes := []rune(text); len(runes) > maxSought {
		return string(runes[:maxSought])
	}
	return text
}

// searchBody is the data of the page of the search box.
type searchBody struct {
	sought
	Projects []visit
	Further  string // address of further projects, if there may be any
	People   []user.User
	Numbers  []numberHit
}

// numberHit is an alert or incident, or a project that may have one with the number.
type numberHit struct{ Name, Address string }

// Found reports whether there is anything to show.
func (b searchBody) Found() bool { return len(b.Projects)+len(b.People)+len(b.Numbers) > 0 }

// search finds projects, people, and alerts and incidents by their number. A number that
// leads to one thing leads right there.
func (a *api) search(w http.ResponseWriter, r *http.Request, u user.User) error {
	values, err := site.ParseValues(r.URL.RawQuery)
	if err != nil {
		return err
	}
	body := searchBody{sought: readSought(values)}
	switch {
	case body.Number != 0:
		hit, err := a.findNumber(r, u, &body)
		if err != nil {
			return err
		}
		if hit != "" {
			return site.Redirect(w, r, hit)
		}
	case body.Text != "":
		if err := a.findText(r, u, &body); err != nil {
			return err
		}
	}
	return a.site.Render(w, r, site.Page{Template: "search", Title: body.title(), Place: "Search", Body: body})
}

func (b searchBody) title() string {
	if b.Text == "" {
		return "Search"
	}
	return "Search for " + b.Text
}

// findText reads the projects and the people with the text.
func (a *api) findText(r *http.Request, u user.User, body *searchBody) error {
	reads, ctx := errgroup.WithContext(r.Context())
	reads.Go(func() error {
		rows, found, err := a.visible(r.WithContext(ctx), u, project.Narrowing{Search: body.Text}, page.Request{Number: 1, Size: maxHits, Uncounted: true})
		if body.Projects = rows; found.More {
			body.Further = consolePath + "?" + url.Values{"search": {body.Text}}.Encode()
		}
		return err
	})
	reads.Go(func() error {
		found, err := directory.Find(ctx, a.app, u, body.Text, page.Request{Number: 1, Size: maxHits, Uncounted: true})
		body.People = found.Items
		return err
	})
	return reads.Wait()
}

// findNumber returns the address of the alert or incident, or "" with what there is to
// choose from.
func (a *api) findNumber(r *http.Request, u user.User, body *searchBody) (string, error) {
	places, err := a.placesOf(r, u, body.Of)
	if err != nil {
		return "", err
	}
	if len(places) == 1 {
		return a.numbered(r.Context(), places[0], body.sought)
	}
	for _, v := range places[:min(len(places), maxHits)] {
		name := v.Project.FullPath + "#" + strconv.FormatInt(body.Number, 10)
		if body.Incident {
			name = "incident " + name
		}
		body.Numbers = append(body.Numbers, numberHit{name, searchPath + "?" + url.Values{"q": {name}}.Encode()})
	}
	return "", nil
}

// placesOf returns the project with the path or id, or those with the name or last
// segment of the path, of those on whose alerts the user may work.
func (a *api) placesOf(r *http.Request, u user.User, of string) (places []visit, err error) {
	if _, wrong := strconv.ParseInt(of, 10, 64); wrong == nil || strings.Contains(of, "/") {
		v, err := a.visitTo(r.Context(), u, of)
		if err != nil || !v.Develops() {
			return nil, fault.IgnoreNotFound(err)
		}
		return []visit{v}, nil
	}
	rows, _, err := a.visible(r, u, project.Narrowing{Search: of}, page.Request{Number: 1, Size: page.MaxSize, Uncounted: true})
	for _, v := range rows {
		if v.Develops() && (strings.EqualFold(v.Project.Name, of) || strings.EqualFold(v.Project.Path, of)) {
			places = append(places, v)
		}
	}
	return places, err
}

// numbered returns the address of the project's alert with the number, else of its
// incident, or "" if it has neither.
func (a *api) numbered(ctx context.Context, v visit, s sought) (string, error) {
	var ofAlert, ofIncident string
	reads, ctx := errgroup.WithContext(ctx)
	reads.Go(func() error {
		_, err := a.app.Incidents.Find(ctx, v.Project, s.Number)
		if err == nil {
			ofIncident = v.incidentAddress(s.Number)
		}
		return fault.IgnoreNotFound(err)
	})
	reads.Go(func() error {
		if s.Incident {
			return nil
		}
		_, err := a.app.Alerts.Alert(ctx, v.Project.ID, s.Number)
		if err == nil {
			ofAlert = v.alertAddress(s.Number)
		}
		return fault.IgnoreNotFound(err)
	})
	err := reads.Wait()
	return cmp.Or(ofAlert, ofIncident), err
}
