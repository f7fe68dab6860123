package site

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gatehouse/shared/page"
)

// maxPage is the last page of a list that can be opened by its number alone. A number
// beyond it leads there: the list ends before, or it says which page it is.
const maxPage = page.Reach / page.DefaultSize

// PageOf returns which page of a list the request asks for. An invalid number or
// cursor means the first page: people edit addresses by hand. No page shows a total.
func PageOf(r *http.Request) page.Request {
	wanted, query := page.First, r.URL.Query()
	wanted.Uncounted = true
	after, err := page.ParsePosition(query.Get("cursor"))
	n, wrong := strconv.Atoi(query.Get("page"))
	switch {
	case n < 1, wrong != nil && !errors.Is(wrong, strconv.ErrRange):
	case err == nil:
		wanted.Number, wanted.After = n, after
	default:
		wanted.Number = min(n, maxPage)
	}
	return wanted
}

// Paging is the links below a list to its neighbouring pages.
type Paging struct {
	Number       int
	First        string // address
	Newer, Older string // addresses; empty where the list ends
	Sorted       bool   // not by time: the links are called Previous and Next
	// SearchedUntil is set if the search went only so far; Older goes on.
	SearchedUntil time.Time
}

// NewPaging returns the paging of the list at the address, which may have a query,
// below the page that was found.
func NewPaging[T any](address string, r page.Request, found page.Of[T]) Paging {
	p := Paging{Number: r.Number, First: address, SearchedUntil: found.SearchedUntil}
	prev, next := found.Neighbours(r)
	if prev > 0 {
		p.Newer = pageAddress(address, page.Request{Number: prev})
	}
	if next > 0 || found.More && found.Next.Some() {
		p.Older = pageAddress(address, page.Request{Number: r.Number + 1, After: found.Next})
	}
	return p
}

// PageAddress returns the address of a page of the list at the address.
func PageAddress(list string, wanted page.Request) string {
	if wanted.Number <= 1 {
		return list
	}
	return pageAddress(list, wanted)
}

func pageAddress(list string, wanted page.Request) string {
	separator := "?"
	if strings.Contains(list, "?") {
		separator = "&"
	}
	address := list + separator + "page=" + strconv.Itoa(wanted.Number)
	if wanted.After.Some() {
		address += "&cursor=" + wanted.After.String()
	}
	return address
}
