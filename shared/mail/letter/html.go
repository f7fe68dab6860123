package letter

import (
	"html"
	"strings"
)

// The form of a mail as HTML is written here and not by html/template: a program that links
// that package keeps every exported method of every type, which is 6 MB with the SDK of
// Amazon SES. All that comes from a sheet goes through page.say or page.link.

const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>`

const (
	paragraph = `<p style="margin:0 0 16px">`
	title     = `<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3;overflow-wrap:anywhere">`
	button    = ` style="display:inline-block;padding:12px 20px;border:1px solid #1f75cb;border-radius:4px;color:#1f75cb;text-decoration:none;font-weight:bold"`
	factName  = `<tr><th style="padding:2px 16px 2px 0;text-align:left;vertical-align:top;font-weight:normal">`
	factValue = `</th><td style="padding:2px 0;overflow-wrap:anywhere">`
	quote     = `<div style="margin:0 0 16px;padding-left:12px;border-left:3px solid #999;white-space:pre-wrap;overflow-wrap:anywhere">`
	listItem  = `<li style="margin:0 0 8px;overflow-wrap:anywhere">`
	foot      = `<p style="margin:24px 0 0;padding-top:8px;border-top:1px solid #999;font-size:13px">`
)

// html returns the form of programs that show HTML.
func (s sheet) html() string {
	var p page
	p.put(head).say(s.Heading).put("</title>\n</head>\n" +
		`<body style="margin:0;padding:16px;font:16px/1.5 sans-serif">` + "\n" +
		`<div style="max-width:600px;margin:0 auto">` + "\n" +
		`<p style="margin:0 0 4px"><strong>`).say(s.Heading).put("</strong></p>\n")
	p.element(title, s.Title, "</h1>\n")
	for _, l := range s.Links {
		p.put(`<p style="margin:0 0 12px">`).link(l.URL, l.Name, button).put("</p>\n")
	}
	p.facts(s.Facts)
	p.element(quote, s.Text, "</div>\n")
	p.items(s.Items)
	p.element(paragraph, s.More, "</p>\n")
	if s.Reason != "" || s.Settings != "" {
		p.put(foot).say(s.Reason)
		if s.Settings != "" {
			p.put(" ").link(s.Settings, "Change your notifications", "")
		}
		p.put("</p>\n")
	}
	return p.put("</div>\n</body>\n</html>\n").String()
}

// page is HTML that is being written.
type page struct{ strings.Builder }

// put writes HTML. It must hold nothing from outside.
func (p *page) put(markup string) *page {
	p.WriteString(markup)
	return p
}

// say writes a text.
func (p *page) say(text string) *page { return p.put(html.EscapeString(text)) }

// link writes a link with further attributes. The address is one that webAddress returned.
func (p *page) link(address, name, attributes string) *page {
	return p.put(`<a href="`).say(address).put(`"` + attributes + ">").say(name).put("</a>")
}

// element writes a text between two tags, if there is a text.
func (p *page) element(opening, text, closing string) {
	if text != "" {
		p.put(opening).say(text).put(closing)
	}
}

func (p *page) facts(all []fact) {
	if len(all) == 0 {
		return
	}
	p.put(`<table style="margin:0 0 16px;border-collapse:collapse">` + "\n")
	for _, f := range all {
		p.put(factName).say(f.Name).put(factValue).say(f.Value).put("</td></tr>\n")
	}
	p.put("</table>\n")
}

func (p *page) items(all []item) {
	if len(all) == 0 {
		return
	}
	p.put(`<ul style="margin:0 0 16px;padding-left:20px">` + "\n")
	for _, i := range all {
		p.put(listItem)
		if i.URL != "" {
			p.link(i.URL, i.Title, "")
		} else {
			p.say(i.Title)
		}
		p.element("<br>", i.Text, "")
		p.put("</li>\n")
	}
	p.put("</ul>\n")
}
