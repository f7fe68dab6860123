// Package markdown turns markdown that anybody may have written, such as the sender of an
// alert, into HTML that is safe on a page: no raw HTML, no image, and no link but to the web
// and to e-mail addresses.
package markdown

import (
	"bytes"
	"errors"
	"html"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	renderhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// The limits of a text and its HTML, in bytes. What is longer is shown as plain text, cut.
const (
	maxSource = 512 << 10
	maxOutput = 2 << 20
)

// HTML returns the HTML for a text in markdown (CommonMark, with tables, strikethrough and
// bare links). Its elements are p, br, hr, h1 to h6, ul, ol, li, blockquote, pre, code, em,
// strong, del, a, table, thead, tbody, tr, th and td.
func HTML(source string) string {
	if len(source) > maxSource || deep.MatchString(source) || manyLinks(source) {
		return plain(source)
	}
	written := &bounded{left: maxOutput}
	if err := converter(tooWide(source)).Convert([]byte(source), written); err != nil {
		return plain(source)
	}
	return written.text.String()
}

// plain returns the beginning of the text as it is.
func plain(source string) string {
	const most = maxOutput / 8 // the longest escape of a byte has five, and some tags come around it
	source = strings.ToValidUTF8(source[:min(len(source), most)], "")
	return "<pre>" + html.EscapeString(source) + "</pre>\n"
}

// converter knows no raw HTML: a "<" that begins no link is text.
func converter(withoutTables bool) goldmark.Markdown {
	p := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500), util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700), util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300), util.Prioritized(parser.NewEmphasisParser(), 500),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
	extensions := []goldmark.Extender{extension.Strikethrough, extension.NewLinkify(extension.WithLinkifyAllowedProtocols(schemes))}
	if !withoutTables {
		extensions = append(extensions, extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)))
	}
	r := renderer.NewRenderer(renderer.WithNodeRenderers(
		util.Prioritized(links{}, 100), util.Prioritized(renderhtml.NewRenderer(), 1000),
	))
	return goldmark.New(goldmark.WithParser(p), goldmark.WithRenderer(r), goldmark.WithExtensions(extensions...))
}

// maxCells bounds the cells of tables: a row of one byte gets as many as the table's head.
const maxCells = 20_000

// tooWide reports whether tables in the text could have too many cells.
func tooWide(source string) bool {
	lines, widest := 0, 0
	for line := range strings.Lines(source) {
		lines, widest = lines+1, max(widest, 1+strings.Count(line, "|"))
	}
	return widest > 1 && lines*widest > maxCells
}

// deep finds a line that begins more than a hundred quotes and lists inside each other:
// every line takes a step for each of them.
var deep = regexp.MustCompile(`(?m)^[ \t]*(?:(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t])[ \t]*){101}`)

// maxScanned bounds the bytes that are read to find where the addresses of links end: each
// is looked for up to the end of its line.
const maxScanned = 30_000_000

// manyLinks reports whether it could take long to find the addresses of links.
func manyLinks(source string) bool {
	scanned := 0
	for line := range strings.Lines(source) {
		scanned += strings.Count(line, "](") * len(line)
	}
	return scanned > maxScanned
}

// errTooLong ends the writing of more than a page should have.
var errTooLong = errors.New("the HTML is too long")

// bounded keeps what is written up to a limit.
type bounded struct {
	text bytes.Buffer
	left int
}

func (b *bounded) Write(text []byte) (int, error) {
	if b.left -= len(text); b.left < 0 {
		return 0, errTooLong
	}
	return b.text.Write(text)
}
