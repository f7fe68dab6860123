package web

import (
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"gatehouse/shared/page"
)

// maxNumber bounds a page's number, so that offsets stay far from overflowing.
const maxNumber = math.MaxInt32

// Page reads the parameters page, per_page and cursor (Interface: "Lists").
func (v *Values) Page() page.Request {
	r := page.First
	if n := v.OptionalInt("page"); n != nil {
		r.Number = int(*n)
		if *n < 1 || *n > maxNumber {
			v.complain("page", "is invalid")
		}
	}
	if n := v.OptionalInt("per_page"); n != nil {
		r.Size = int(min(*n, page.MaxSize))
		if *n < 1 {
			v.complain("per_page", "has a value not allowed")
		}
	}
	if cursor := v.OptionalString("cursor"); cursor != nil {
		var err error
		if r.After, err = page.ParsePosition(*cursor); err != nil {
			v.complain("cursor", "is invalid")
		}
	}
	return r
}

// ReadPage reads the page that a request without other parameters asks for.
func ReadPage(r *http.Request) (page.Request, error) {
	params := Params(r)
	req := params.Page()
	return req, params.Err()
}

// pageHeaders sets the headers that say which page of the list this is. The links
// keep the request's other parameters. That to the next page has the position at
// which this page ends, from which the next one is read at no further cost. A page
// that only a position leads to has no number in the headers.
func pageHeaders(w http.ResponseWriter, r *http.Request, base string, req page.Request, p page.Of[struct{}]) {
	h := w.Header()
	h.Set("X-Page", strconv.Itoa(req.Number))
	h.Set("X-Per-Page", strconv.Itoa(req.Size))
	prev, next := p.Neighbours(req)
	h.Set("X-Prev-Page", numberOrNone(prev))
	h.Set("X-Next-Page", numberOrNone(next))
	var links []string
	link := func(rel string, wanted page.Request) {
		wanted.Size = req.Size
		links = append(links, "<"+pageURL(r, base, wanted)+`>; rel="`+rel+`"`)
	}
	if prev > 0 {
		link("prev", page.Request{Number: prev})
	}
	if p.More {
		link("next", page.Request{Number: req.Number + 1, After: p.Next})
	}
	link("first", page.Request{Number: 1})
	if p.Total >= 0 {
		pages := (p.Total + req.Size - 1) / req.Size
		h.Set("X-Total", strconv.Itoa(p.Total))
		h.Set("X-Total-Pages", strconv.Itoa(pages))
		link("last", page.Request{Number: max(pages, 1)})
	}
	if !p.SearchedUntil.IsZero() {
		h.Set("X-Searched-Until", p.SearchedUntil.UTC().Format(timeFormat))
	}
	h["Link"] = append([]string{strings.Join(links, ", ")}, h["Link"]...) // clients may read only the first
}

func numberOrNone(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func pageURL(r *http.Request, base string, wanted page.Request) string {
	query := url.Values{}
	for name, values := range r.URL.Query() {
		if name != "access_token" && name != "private_token" && name != "cursor" {
			query[name] = values
		}
	}
	query.Set("page", strconv.Itoa(wanted.Number))
	query.Set("per_page", strconv.Itoa(wanted.Size))
	if wanted.After.Some() {
		query.Set("cursor", wanted.After.String())
	}
	return base + r.URL.EscapedPath() + "?" + query.Encode()
}

// List answers with one page of a list, each item turned into its body. A page of items
// that are too long for one answer is refused.
func List[T, B any](w http.ResponseWriter, r *http.Request, base string, req page.Request, p page.Of[T], body func(T) B) error {
	bodies := make([]B, len(p.Items))
	for i, item := range p.Items {
		bodies[i] = body(item)
	}
	encoded, err := Encode(bodies)
	switch {
	case err != nil:
		return err
	case !fits(encoded):
		return BadParameters("per_page is too large, the answer would be longer than 6 MB")
	}
	pageHeaders(w, r, base, req, page.With(p, []struct{}(nil)))
	return WriteJSON(w, http.StatusOK, encoded)
}
