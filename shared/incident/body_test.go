package incident_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/incident"
	"gatehouse/shared/markdown"
)

// occurrence has all that a description shows.
func occurrence(s setup, text string, payload map[string]any) alert.Occurrence {
	encoded, _ := json.Marshal(payload) // texts cannot fail
	return alert.Occurrence{
		Title: "Down", Description: text, Service: text, MonitoringTool: text, Hosts: []string{text, text},
		Severity: alert.SeverityCritical, StartedAt: s.Now(), Payload: encoded, Count: 1,
	}
}

// describe returns the description of the incident for an alert.
func (s setup) describe(t *testing.T, o alert.Occurrence, template string) string {
	t.Helper()
	recorded := must[[][]alert.Recorded](t)(s.Store.RecordOccurrences(t.Context(), s.p.ID, [][]alert.Occurrence{{o}}, s.Now()))
	opened, _, err := s.Incidents.OpenFor(t.Context(), s.p, s.alert(t, recorded[0][0].IID), template)
	if err != nil {
		t.Fatal(err)
	}
	return opened.Thing.Description
}

func TestTheDescriptionHasWhatTheAlertSays(t *testing.T) {
	s := arrange(t)
	o := occurrence(s, "db_1", map[string]any{
		"generatorURL": "https://x.example/graph?g0.expr=up+%3D%3D+0", "labels": map[string]any{"pod": "web-1", "alertname": "Down"},
		"annotations": map[string]any{"acme_incident_markdown": "**now**\r\n\r\n- restart"},
	})
	want := "- **Start time:** " + s.Now().UTC().Format("2006-01-02T15:04:05Z") + `
- **Severity:** critical
- **Query:** ` + "` up == 0 `" + `
- **Service:** db\_1
- **Monitoring tool:** db\_1
- **Hosts:** db\_1\, db\_1
- **Description:** db\_1
- **Alert:** [#1](` + apptest.BaseURL + `/console/ada/web/alerts/1)

**Labels**

- alertname: Down
- pod: web\-1

---

> **now**
> 
> - restart

---

## Checklist`
	if got := s.describe(t, o, "\r\n## Checklist\r\n"); got != want {
		t.Errorf("the description is\n%s\nwant\n%s", got, want)
	}
	bare := alert.Occurrence{Title: "a", Severity: alert.SeverityInfo, StartedAt: s.Now(), Payload: []byte("{}"), Count: 1}
	if got := s.describe(t, bare, ""); strings.Contains(got, "---") || strings.Count(got, "\n") != 2 {
		t.Errorf("the description of a bare alert is\n%s", got)
	}
}

// intrusions are texts that try to be more than text where they stand.
var intrusions = []string{
	"\n# Heading", "\n\n---\n\n", "\n- item", "\n1. item", "\n> quote", "\n```\ncode", "```", "~~~\n", "`code`", "``", "a`b``c```d", "**bold**", "_em_", "~~gone~~",
	"[a](https://x.example)", "![a](https://x.example)", "<https://x.example>", "https://x.example", "www.x.example", "ann@x.example", "<b>x</b>", "<!-- x",
	"<script>", "&lt;b&gt;", "&#42;&#42;a&#42;&#42;", "\\*a\\*", "|a|b|\n|-|-|\n|c|d|", "\r\n\r\n## Heading", "\r# Heading", "\u2028# Heading", "\u0085- item",
	"[Checklist]: https://x.example", "\n\n[Checklist]: https://x.example\n\n", "\\", "a\\", "\t code", "    code", "===", "---", "+++", "***", "* * *", ": a", "\x00*a*",
	"\u202etxt", "]", "](https://x.example)", ")", "$a$", "- [ ] task", "#1", "<a href=x>", "{:.x}", "\n\n    code", "a  \nb", "http\u200b://x.example",
}

// elements counts the elements of the page that the markdown becomes.
func elements(text string) map[string]int {
	n := map[string]int{}
	z := html.NewTokenizer(strings.NewReader(markdown.HTML(text)))
	for z.Next() != html.ErrorToken {
		if token := z.Token(); token.Type == html.StartTagToken || token.Type == html.SelfClosingTagToken {
			n[token.Data]++
		}
	}
	return n
}

// Whatever a payload has in its fields and labels, the description has the elements that it
// has for a word.
func TestNothingBreaksOutOfTheFacts(t *testing.T) {
	s := arrange(t)
	describe := func(text string) string {
		return s.describe(t, occurrence(s, text, map[string]any{
			"generatorURL": "https://x.example/graph?g0.expr=" + strings.NewReplacer("%", "%25", "&", "%26", "#", "%23", "+", "%2B", ";", "%3B", "\n", "%0A", "\r", "%0D", "\x00", "", "\t", "%09", "\u0085", "%C2%85").Replace("a"+text),
			"labels":       map[string]any{"a": text, "b" + text: "c"},
		}), "[Checklist]")
	}
	want := elements(describe("word"))
	for _, text := range intrusions {
		got := describe(text)
		if there := elements(got); !equal(there, want) {
			t.Errorf("with %q the description has %v, want %v:\n%s", text, there, want, got)
		}
	}
}

func equal(a, b map[string]int) bool {
	for name := range a {
		if a[name] != b[name] {
			return false
		}
	}
	return len(a) == len(b)
}

// Whatever the incident markdown of a payload is, it ends before the template does not.
func TestNothingBreaksOutOfTheIncidentMarkdown(t *testing.T) {
	s := arrange(t)
	for _, text := range append(slices.Clone(intrusions), "```\nopen", "~~~~", "- a\n  ```\n  open", "<!--", "<script>", "<![CDATA[", "<?x", "<!X", "[Checklist]:\nhttps://x.example",
		"> [Checklist]: https://x.example", "- [Checklist]: https://x.example", "[Check\nlist]: https://x.example", "[Checklist] : https://x.example", "a\n\n[CHECKLIST]: <https://x.example>") {
		o := occurrence(s, "a", map[string]any{"annotations": map[string]any{"platform_incident_markdown": "a" + text}})
		got := s.describe(t, o, "## [Checklist]")
		page := markdown.HTML(got)
		if !strings.HasSuffix(page, "</blockquote>\n<hr>\n<h2>[Checklist]</h2>\n") {
			t.Errorf("with %q the page is\n%s", text, page)
		}
	}
}

func TestDescriptionsAreBounded(t *testing.T) {
	s := arrange(t)
	for _, text := range []string{"x", "\n", "\\", "]:", "ä", "🧀"} {
		many := map[string]any{}
		for n := range 100 {
			many[strings.Repeat("*", n+200)] = strings.Repeat("_", 1000)
		}
		o := occurrence(s, strings.Repeat("*", 1000), map[string]any{
			"annotations": map[string]any{"platform_incident_markdown": "a" + strings.Repeat(text, 200_000) + "b"}, "labels": many,
		})
		template := strings.Repeat("t", 10_000)
		got := s.describe(t, o, template)
		if n := utf8.RuneCountInString(got); n > incident.MaxDescription || !strings.HasSuffix(got, "\n\n---\n\n"+template) {
			t.Errorf("with much %q the description has %d characters and ends with %q", text, n, got[max(0, len(got)-30):])
		}
	}
}
