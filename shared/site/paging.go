package site

import (
	"net/http"
	"strconv"
	"strings"

	"gatehouse/shared/page"
)

// maxPage is the last page of a list that can be opened.
const maxPage = 2500

// PageOf returns which page of a list the request asks for. An invalid number means
// the first page: people edit addresses by hand.
func PageOf(r *http.Request) page.Request {
	wanted := page.First
	if n, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil && n >= 1 && n <= maxPage {
		wanted.Number = n
	}
	return wanted
}

// Paging is the links below a list to its neighbouring pages.
type Paging struct {
	Number       int
	First        string // address
	Newer, Older string // addresses; empty where the list ends
	Sorted       bool   // not by time: the links are called Previous and Next
}

// NewPaging returns the paging of the list at the address, which may have a query.
func NewPaging(address string, r page.Request, more bool) Paging {
	p := Paging{Number: r.Number, First: address}
	if r.Number > 1 {
		p.Newer = pageAddress(address, r.Number-1)
	}
	if more && r.Number < maxPage {
		p.Older = pageAddress(address, r.Number+1)
	}
	return p
}

func pageAddress(list string, number int) string {
	separator := "?"
	if strings.Contains(list, "?") {
		separator = "&"
	}
	return list + separator + "page=" + strconv.Itoa(number)
}
