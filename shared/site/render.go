package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"time"

	"gatehouse/shared/user"
	"gatehouse/shared/web"
)

//go:embed templates
var layout embed.FS

// Page is one page to render.
type Page struct {
	Template string // the template's file name without ".html"
	Title    string
	Place    string // the part of the service that the header names
	Within   string // the full path of the project that the page is about, if there is one
	Status   int    // zero: 200
	// Tabs lead to the neighbouring pages.
	Tabs []Tab
	// Sections lead to the other parts of a tab. The template shows them below its
	// heading.
	Sections []Tab
	// Focused pages ask for one decision and have no navigation.
	Focused bool
	// Secret pages show what opens something.
	Secret bool
	// Live pages have the script ask what is new.
	Live bool
	// Targets are where the page's forms may lead, besides the site itself.
	Targets []string
	Body    any // what the template shows
}

// Tab leads to a page.
type Tab struct {
	Name, Address string
	Current       bool
}

// view is what the layout shows.
type view struct {
	Page
	User   *user.User // nil: not known to be signed in
	Notice string
	Undone bool // the last form was not taken, because nobody was signed in
}

// Render answers with a page.
func (s *Site) Render(w http.ResponseWriter, r *http.Request, p Page) error {
	var page bytes.Buffer
	v := view{Page: p, User: visitor(r), Notice: s.takeNotice(w, r), Undone: s.takeUndone(w, r)}
	t, ok := s.templates[p.Template]
	if !ok {
		return fmt.Errorf("there is no page %q", p.Template)
	}
	if err := t().ExecuteTemplate(&page, "layout", v); err != nil {
		return fmt.Errorf("render the page %s: %w", p.Template, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy(p.Targets...))
	if p.Live {
		w.Header().Set("Content-Security-Policy", policy(p.Targets...)+"; connect-src 'self'")
	}
	if p.Secret {
		web.KeepPlain(w)
	}
	w.WriteHeader(max(p.Status, http.StatusOK))
	_, err := w.Write(page.Bytes())
	return err
}

// partsFile defines templates that several pages of a group use.
const partsFile = "parts.html"

// parse returns the template of each page within the layout. A page is parsed when
// it is first shown, so that a function starts sooner.
func parse(files fs.FS, now func() time.Time) map[string]func() *template.Template {
	clock := template.FuncMap{"clock": func(t time.Time) string { return clock(t, now()) }}
	base := template.Must(template.New("").Funcs(functions).Funcs(clock).ParseFS(layout, "templates/*.html"))
	if _, err := fs.Stat(files, partsFile); err == nil {
		template.Must(base.ParseFS(files, partsFile))
	}
	pages := map[string]func() *template.Template{"error": sync.OnceValue(func() *template.Template {
		return template.Must(base.Clone()) // a template that was executed cannot be cloned
	})}
	names, err := fs.Glob(files, "*.html")
	if err != nil {
		panic(err) // not reached: the pattern is good
	}
	for _, name := range names {
		pages[strings.TrimSuffix(name, ".html")] = sync.OnceValue(func() *template.Template {
			return template.Must(template.Must(base.Clone()).ParseFS(files, name))
		})
	}
	return pages
}

var functions = template.FuncMap{
	"asset":     assetAddress,
	"complaint": func(field, text string) complaint { return complaint{field, text} },
	"copyable":  func(id, label, value string) copyable { return copyable{id, label, value} },
	"asks":      func(deed string, of any) opener { return opener{deed, of, "Cancel"} },
	"opens":     func(shut, open string) opener { return opener{Shut: shut, Open: open} },
	"day":       func(t time.Time) string { return t.UTC().Format("2 Jan 2006") },
	"exact":     func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
	"iso":       func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
}

// clock tells a moment: one of the last day by how long ago it was. The script of the pages
// does the same.
func clock(t, now time.Time) string {
	switch ago := now.Sub(t); {
	case ago < 0 || ago >= 24*time.Hour:
		return t.UTC().Format("2 Jan 2006, 15:04 UTC")
	case ago < time.Minute:
		return "just now"
	case ago < time.Hour:
		return fmt.Sprintf("%d min ago", ago/time.Minute)
	default:
		return fmt.Sprintf("%d h ago", ago/time.Hour)
	}
}

// complaint is what is wrong with a field of a form.
type complaint struct{ Field, Text string }

// opener is the button that opens a panel and closes it again. It stays where it is, so
// that the focus does and nothing else comes to lie under the pointer.
type opener struct {
	Shut string
	Of   any // what a deed is done to, for screen readers; "" where the page is about it
	Open string
}

// copyable is a value with a button that copies it.
type copyable struct{ ID, Label, Value string }
