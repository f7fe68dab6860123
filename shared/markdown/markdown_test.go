package markdown_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"gatehouse/shared/markdown"
)

func TestHTML(t *testing.T) {
	for source, want := range map[string]string{
		"":                                     "",
		"**now**":                              "<p><strong>now</strong></p>\n",
		"a ~~b~~ `c`":                          "<p>a <del>b</del> <code>c</code></p>\n",
		"# A\n\n- b\n- c":                      "<h1>A</h1>\n<ul>\n<li>b</li>\n<li>c</li>\n</ul>\n",
		"2. a":                                 "<ol start=\"2\">\n<li>a</li>\n</ol>\n",
		"> a\n\n---":                           "<blockquote>\n<p>a</p>\n</blockquote>\n<hr>\n",
		"```go\nx < y\n```":                    "<pre><code class=\"language-go\">x &lt; y\n</code></pre>\n",
		"[a](https://x.example?b&c)":           `<p><a href="https://x.example?b&amp;c" rel="nofollow noopener noreferrer">a</a></p>` + "\n",
		"<https://x.example>":                  `<p><a href="https://x.example" rel="nofollow noopener noreferrer">https://x.example</a></p>` + "\n",
		"see https://x.example/a.":             `<p>see <a href="https://x.example/a" rel="nofollow noopener noreferrer">https://x.example/a</a>.</p>` + "\n",
		"www.x.example":                        `<p><a href="http://www.x.example" rel="nofollow noopener noreferrer">www.x.example</a></p>` + "\n",
		"ann@x.example":                        `<p><a href="mailto:ann@x.example" rel="nofollow noopener noreferrer">ann@x.example</a></p>` + "\n",
		"![**chart**](http://x.example/a.png)": `<p><a href="http://x.example/a.png" rel="nofollow noopener noreferrer"><strong>chart</strong></a></p>` + "\n",
		"[![a](http://b.example)](http://c.example)": `<p><a href="http://c.example" rel="nofollow noopener noreferrer">a</a></p>` + "\n",
		"a|b\n-|:-:\n1|2": "<table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"center\">b</th>\n</tr>\n</thead>\n<tbody>\n" +
			"<tr>\n<td>1</td>\n<td align=\"center\">2</td>\n</tr>\n</tbody>\n</table>\n",
		"a <b>c</b> &lt;": "<p>a &lt;b&gt;c&lt;/b&gt; &lt;</p>\n",
	} {
		if got := markdown.HTML(source); got != want {
			t.Errorf("HTML(%q) = %q, want %q", source, got, want)
		}
	}
}

// attacks are texts that must lead to no link, load nothing and run nothing.
var attacks = []string{
	"<script>alert(1)</script>", "<SCRIPT SRC=//x.example/a.js></SCRIPT>", "<script\n>alert(1)</script\n>",
	"<img src=x onerror=alert(1)>", "<img src=\"x\" onerror=\"alert(1)\"", "<svg onload=alert(1)>", "<svg><script>alert(1)</script></svg>",
	"<iframe src=\"javascript:alert(1)\"></iframe>", "<a href=\"javascript:alert(1)\">a</a>", "<a href='https://x.example' onclick='alert(1)'>a</a>",
	"<style>body{display:none}</style>", "<link rel=stylesheet href=//x.example>", "<base href=//x.example>", "<meta http-equiv=refresh content=0>",
	"<form action=//x.example><input name=password></form>", "<!-- --!><script>alert(1)</script> -->", "<![CDATA[<script>alert(1)</script>]]>",
	"<?php <script>alert(1)</script> ?>", "<!DOCTYPE a [<!ENTITY b '<script>'>]>", "</p></div></body><script>alert(1)</script>", "<x:y onclick=alert(1)>",
	"[a](javascript:alert(1))", "[a](JavaScript:alert(1))", "[a](&#106;avascript:alert(1))", "[a](&#x6A;avascript:alert(1))", "[a](javascript&colon;alert(1))",
	"[a](javascript&#58;alert(1))", "[a](java&Tab;script:alert(1))", "[a](java&NewLine;script:alert(1))", "[a](java\\&#10;script:alert(1))",
	"[a](<java\tscript:alert(1)>)", "[a](< javascript:alert(1)>)", "[a](&#1;javascript:alert(1))", "[a](&#x20;javascript:alert(1))", "[a](\u00a0javascript:alert(1))",
	"[a](\u200bjavascript:alert(1))", "[a](\\javascript:alert(1))", "[a](%6Aavascript:alert(1))", "[a](javascript%3Aalert(1))", "[a](java\x00script:alert(1))",
	"[a](data:text/html;base64,PHNjcmlwdD4=)", "[a](DATA:image/png;base64,xx)", "[a](vbscript:msgbox(1))", "[a](file:///etc/passwd)", "[a](blob:https://x)",
	"[a](view-source:https://x)", "[a](ftp://x.example)", "[a](//x.example)", "[a](\\\\x.example)", "[a](/users/sign_out)", "[a](?a=b)", "[a](#b)", "[a]()",
	"[a](http:x)", "[a](https:///x)", "[a](http:javascript:alert(1))", "[a](mailto:)", "[a](https://x.example:port)",
	"![a](javascript:alert(1))", "![a](data:image/svg+xml,<svg/onload=alert(1)>)", "![a](x\" onerror=\"alert(1))",
	"[a]\n\n[a]: javascript:alert(1)", "[a][b]\n\n[b]: <data:text/html,x> \"t\"", "![a]\n\n[a]: vbscript:x", "<javascript:alert(1)>", "<data:text/html,x>", "<vbscript:x>",
	"[a](javascript:alert(1) \"t\\\" onclick=\\\"alert(1)\")", "```\"><script>alert(1)</script>\na\n```", "``` x\" onclick=\"alert(1)\na\n```", "`<script>`",
	"# <script>alert(1)</script> {onclick=alert(1)}", "a|b\n-|-\n<script>|<img src=x onerror=alert(1)>", "&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;",
	"\\<script\\>", "<scr<script>ipt>", "<\u0000script>alert(1)</script>", "\uff1cscript\uff1e", "<script", "<a\nhref=javascript:alert(1)>", "[<script>](x)", "**<script>**",
}

func TestAttacksDoNothing(t *testing.T) {
	for _, source := range attacks {
		for _, in := range []string{"%", "> %", "- %", "# %", "a % b", "*%*", "[%](https://x.example \"%\")", "|a|\n|-|\n|%|"} {
			checkSafe(t, strings.ReplaceAll(in, "%", source))
		}
		if got := markdown.HTML(source); strings.Contains(got, "<a ") {
			t.Errorf("HTML(%q) = %q, want no link", source, got)
		}
	}
}

// allowed lists the attributes of each element that may be there.
var allowed = map[string][]string{
	"p": nil, "br": nil, "hr": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "ul": nil, "ol": {"start"}, "li": nil,
	"blockquote": nil, "pre": nil, "code": {"class"}, "em": nil, "strong": nil, "del": nil, "a": {"href", "rel"},
	"table": nil, "thead": nil, "tbody": nil, "tr": nil, "th": {"align"}, "td": {"align"},
}

// checkSafe reads the HTML as a browser does.
func checkSafe(t *testing.T, source string) {
	t.Helper()
	got := markdown.HTML(source)
	z := html.NewTokenizer(strings.NewReader(got))
	inLink := false
	for z.Next() != html.ErrorToken {
		token := z.Token()
		if token.Type == html.TextToken {
			continue
		}
		attributes, known := allowed[token.Data]
		if !known || token.Type == html.CommentToken || token.Type == html.DoctypeToken {
			t.Fatalf("HTML(%q) = %q has %s", source, got, token)
		}
		if token.Data == "a" && token.Type != html.EndTagToken {
			if inLink {
				t.Fatalf("HTML(%q) = %q has a link in a link", source, got)
			}
			if len(token.Attr) != 2 {
				t.Fatalf("HTML(%q) = %q has the link %s", source, got, token)
			}
		}
		if token.Data == "a" {
			inLink = token.Type == html.StartTagToken
		}
		for _, a := range token.Attr {
			checkAttribute(t, source, attributes, a)
		}
	}
}

func checkAttribute(t *testing.T, source string, known []string, a html.Attribute) {
	t.Helper()
	good := slices.Contains(known, a.Key)
	switch a.Key {
	case "href":
		value := strings.ToLower(a.Val)
		good = good && (strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "mailto:"))
	case "rel":
		good = good && a.Val == "nofollow noopener noreferrer"
	case "class":
		good = good && strings.HasPrefix(a.Val, "language-")
	}
	if !good {
		t.Fatalf("HTML(%q) has the attribute %s=%q", source, a.Key, a.Val)
	}
}

// Texts that are made to take long or to become large are shown, and not for long.
func TestHTMLIsBounded(t *testing.T) {
	for name, source := range map[string]string{
		"a table":         strings.Repeat("|a", 20_000) + "|\n" + strings.Repeat("|-", 20_000) + "|\n" + strings.Repeat("|\n", 10_000),
		"quotes":          strings.Repeat(">", 60_000) + "a\n" + strings.Repeat("a\n", 10_000),
		"lists":           strings.Repeat("1. ", 20_000) + strings.Repeat("\na", 10_000),
		"emphasis":        strings.Repeat("*a _b ", 10_000),
		"ends":            strings.Repeat("a** b_ ", 10_000),
		"brackets":        strings.Repeat("[", 60_000),
		"links":           strings.Repeat("[a](", 15_000),
		"images":          strings.Repeat("![", 30_000) + "a" + strings.Repeat("](http://x.example)", 3_000),
		"code":            strings.Repeat("`a``b", 12_000),
		"ampersands":      strings.Repeat("&", 500_000),
		"quotation marks": strings.Repeat(`"`, 600_000),
		"bad UTF-8":       strings.Repeat("\xff<", 300_000),
		"definitions":     strings.Repeat("[a]: b\n", 9_000) + strings.Repeat("[a]", 20_000),
		"rules":           strings.Repeat("- ", 60) + strings.Repeat("-", 60_000),
		"autolinks":       strings.Repeat("www.a", 12_000),
	} {
		t.Run(name, func(t *testing.T) {
			got := markdown.HTML(source)
			if len(got) == 0 || len(got) > 2<<20 {
				t.Errorf("HTML has %d bytes", len(got))
			}
			checkSafe(t, source)
		})
	}
	if got := markdown.HTML(strings.Repeat("[a](http://x.example)", 1000)); strings.Count(got, "<a ") != 1000 {
		t.Errorf("a thousand links are not shown as such: %.200s", got)
	}
	if got := markdown.HTML(strings.Repeat("-", 500) + "\n\n" + strings.Repeat("- ", 100) + "a"); !strings.Contains(got, "<ul>") {
		t.Errorf("lists in lists are not shown as such: %.200s", got)
	}
}

func FuzzHTML(f *testing.F) {
	for _, source := range attacks {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) { checkSafe(t, source) })
}
