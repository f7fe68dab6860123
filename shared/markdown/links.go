package markdown

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// schemes are those that a link can have.
var schemes = []string{"http:", "https:", "mailto:"}

// links renders links. Those that are not allowed are their text. An image is a link to it,
// so that a page loads nothing from elsewhere.
type links struct{}

// RegisterFuncs says what links renders.
func (links) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		return around(w, n, destination(n.(*ast.Link).Destination), entering)
	})
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		return around(w, n, destination(n.(*ast.Image).Destination), entering)
	})
	r.Register(ast.KindAutoLink, autoLink)
}

// around writes the tag of a link before its text or after it.
func around(w util.BufWriter, n ast.Node, to string, entering bool) (ast.WalkStatus, error) {
	switch {
	case to == "" || insideLink(n):
	case entering:
		open(w, to)
	default:
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

// autoLink writes a link that is its own text.
func autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	link := n.(*ast.AutoLink)
	address := link.URL(source)
	if link.AutoLinkType == ast.AutoLinkEmail && !bytes.HasPrefix(bytes.ToLower(address), []byte("mailto:")) {
		address = append([]byte("mailto:"), address...)
	}
	to := allowed(string(util.URLEscape(address, false)))
	linked := to != "" && !insideLink(n)
	if linked {
		open(w, to)
	}
	_, _ = w.Write(util.EscapeHTML(link.Label(source)))
	if linked {
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func open(w util.BufWriter, to string) {
	_, _ = w.WriteString(`<a href="`)
	_, _ = w.Write(util.EscapeHTML([]byte(to)))
	_, _ = w.WriteString(`" rel="nofollow noopener noreferrer">`)
}

// destination returns the address in a text, in which characters can be escaped in every
// way of markdown and HTML, or "" if no link may lead there.
func destination(text []byte) string { return allowed(string(util.URLEscape(text, true))) }

// allowed returns the address if a link may lead there, or "". Its scheme must be spelt out
// at the very beginning, so nothing is left to what browsers make of other characters.
func allowed(address string) string {
	u, err := url.Parse(address)
	if err != nil || !slices.Contains(schemes, u.Scheme+":") || !strings.EqualFold(address[:len(u.Scheme)], u.Scheme) {
		return ""
	}
	if u.Scheme == "mailto" && u.Opaque == "" || u.Scheme != "mailto" && u.Host == "" {
		return ""
	}
	return address
}

// insideLink reports whether a link or image around the node is written as a link.
func insideLink(n ast.Node) bool {
	for up := n.Parent(); up != nil; up = up.Parent() {
		switch outer := up.(type) {
		case *ast.Link:
			if destination(outer.Destination) != "" {
				return true
			}
		case *ast.Image:
			if destination(outer.Destination) != "" {
				return true
			}
		}
	}
	return false
}
