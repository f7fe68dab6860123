package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gatehouse/shared/deprecation"
	"gatehouse/shared/fault"
)

// A client that sends this header with this value is served as by a v5 without
// anything that is deprecated (Interface: "The preview of v5").
const (
	previewHeader = "Gatehouse-Api-Preview"
	preview       = "v5"
)

// Previews reports whether the request asks for the preview of v5.
func Previews(r *http.Request) bool { return r.Header.Get(previewHeader) == preview }

func checkPreview(r *http.Request) error {
	values := r.Header[previewHeader]
	if len(values) == 0 || len(values) == 1 && values[0] == preview {
		return nil
	}
	return BadParameters(previewHeader + " does not have a valid value")
}

// knownPreview refuses requests for a preview that does not exist.
func knownPreview(next http.Handler) http.Handler {
	return Handler(func(w http.ResponseWriter, r *http.Request) error {
		if err := checkPreview(r); err != nil {
			return err
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

// deprecations tells clients of a group which deprecated names they use.
type deprecations struct {
	base   string // of links
	refuse func(http.ResponseWriter, *http.Request, error)
}

// TellDeprecations has the routes that deprecation.Table names tell their clients so,
// in links below the base. It refuses what the preview does not take.
func (m *Mux) TellDeprecations(base string, refuse func(http.ResponseWriter, *http.Request, error)) {
	m.deprecations = &deprecations{base, refuse}
}

// watched returns the handler of a route that tells its clients of deprecations, if
// the route has any.
func (m *Mux) watched(pattern string, next http.Handler) http.Handler {
	places := newPlaces(deprecation.At(pattern))
	if places == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m.deprecations == nil {
			next.ServeHTTP(w, r)
			return
		}
		m.deprecations.serve(w, r, places, next)
	})
}

// places are the deprecated names of a route.
type places struct {
	all             []deprecation.Named
	input           bool // some are in the request
	parameter, sole bool
}

func newPlaces(all []deprecation.Named) *places {
	if len(all) == 0 {
		return nil
	}
	p := &places{all: all}
	for _, n := range all {
		p.input = p.input || n.In != deprecation.Answer
		p.parameter = p.parameter || n.In == deprecation.Parameter
		p.sole = p.sole || n.Sole
	}
	return p
}

func (d *deprecations) serve(w http.ResponseWriter, r *http.Request, p *places, next http.Handler) {
	if err := checkPreview(r); err != nil {
		d.refuse(w, r, err)
		return
	}
	if p.input {
		watch := &watch{deprecations: d}
		r = watch.request(r, p)
		if used := p.usedBy(r); len(used) > 0 {
			if Previews(r) {
				d.refuse(w, r, refusal(used))
				return
			}
			watch.use(w, r, used...)
		}
		defer watch.uses.Wait()
	}
	switch {
	case Previews(r):
		p.previewed(w, r, next)
	case p.sole:
		d.telling(w, r, p, next)
	default:
		next.ServeHTTP(w, r)
	}
}

// watch goes along with a request that may use deprecated names.
type watch struct {
	*deprecations
	uses deprecation.Uses
}

type watchKey struct{}

// request returns the request with the watch, and its parameters read.
func (x *watch) request(r *http.Request, p *places) *http.Request {
	ctx := context.WithValue(deprecation.WithUses(r.Context(), &x.uses), watchKey{}, x)
	if p.parameter && r.Method != http.MethodGet && r.Method != http.MethodHead {
		ctx = context.WithValue(ctx, paramsKey{}, Params(r))
	}
	return r.WithContext(ctx)
}

// usedBy returns the names that are in the request.
func (p *places) usedBy(r *http.Request) (used []deprecation.Named) {
	var sent *Values
	if p.parameter {
		sent = inputOf(r)
	}
	for _, n := range p.all {
		if n.In == deprecation.Address || n.In == deprecation.Parameter && sent.uses(n.Place) {
			used = append(used, n)
		}
	}
	return used
}

// inputOf returns the parameters of a request, for a GET those of the query.
func inputOf(r *http.Request) *Values {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return Params(r)
	}
	v := &Values{values: map[string]any{}}
	if r.URL.RawQuery != "" {
		v.addForm(r.URL.Query())
	}
	return v
}

func (v *Values) uses(p deprecation.Place) bool {
	value, sent := v.values[p.Name]
	return sent && p.Takes(value) && (p.Beside.Name == "" || v.values[p.Beside.Name] == p.Beside.Value)
}

// refusal is the error for names that the preview does not take.
func refusal(used []deprecation.Named) error {
	var complaints []string
	for _, n := range used {
		if n.In == deprecation.Address {
			return fault.New(fault.Invalid, n.Complaint())
		}
		complaints = append(complaints, n.Complaint())
	}
	return BadParameters(strings.Join(complaints, ", "))
}

// use tells of the names that are used, and has that counted.
func (x *watch) use(w http.ResponseWriter, r *http.Request, used ...deprecation.Named) {
	for _, n := range used {
		x.uses.Add(n.Entry.ID)
		x.tell(w.Header(), r, n)
	}
}

// tell sets the headers for a name (RFC 9745). The date is the earliest of all names.
func (d *deprecations) tell(h http.Header, r *http.Request, n deprecation.Named) {
	date := dateItem(n.Entry.Date())
	if before := h.Get("Deprecation"); before == "" || date < before {
		h.Set("Deprecation", date)
	}
	addLink(h, n.Entry.Link(d.base), "deprecation")
	if n.Successor != "" {
		escaped := func(name string) string { return url.PathEscape(r.PathValue(name)) }
		addLink(h, d.base+n.SuccessorPath(escaped), "successor-version")
	}
}

// dateItem writes a time as a header's date (RFC 9651 section 3.3.7). All that are
// written here have the same number of digits.
func dateItem(t time.Time) string { return fmt.Sprintf("@%d", t.Unix()) }

// addLink adds a link, unless it is there.
func addLink(h http.Header, address, rel string) {
	link := "<" + address + `>; rel="` + rel + `"`
	for _, known := range h.Values("Link") {
		if known == link {
			return
		}
	}
	h.Add("Link", link)
}

// UseDeprecated tells that the request uses the deprecated parameter, which the
// request alone does not show. The preview refuses it.
func UseDeprecated(w http.ResponseWriter, r *http.Request, id, name string) error {
	x, watched := r.Context().Value(watchKey{}).(*watch)
	for _, n := range deprecation.At(r.Pattern) {
		if !watched || n.Entry.ID != id || n.In != deprecation.Parameter || n.Name != name {
			continue
		}
		if Previews(r) {
			return refusal([]deprecation.Named{n})
		}
		x.use(w, r, n)
	}
	return nil
}
