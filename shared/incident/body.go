package incident

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"gatehouse/shared/alert"
	"gatehouse/shared/payload"
)

// The most that a description takes of parts of a payload.
const (
	maxFact   = 1000 // characters of a fact
	maxLabels = 30
	maxLabel  = 100 // characters of a label
)

// rule separates the parts of a description.
const rule = "\n\n---\n\n"

// describe returns the description of an incident for an alert, in markdown: facts, labels,
// the markdown in the payload, and the template. Nothing of the payload can become anything
// but text in the facts and labels, and its markdown ends where its quote does.
func describe(a alert.Alert, text []byte, link, template string) string {
	details := a.ReadDetails(text)
	parts := []string{facts(a, details, link)}
	if labels := labels(text); labels != "" {
		parts = append(parts, labels)
	}
	facts := strings.Join(parts, "\n\n")
	template = strings.TrimSpace(lines(template))
	left := MaxDescription - len([]rune(facts)) - len([]rune(template)) - 2*len(rule)
	parts = []string{facts}
	if quoted := payload.Head(quote(details.IncidentMarkdown), max(0, left)); quoted != "" {
		parts = append(parts, quoted)
	}
	if template != "" {
		parts = append(parts, template)
	}
	return payload.Head(strings.Join(parts, rule), MaxDescription)
}

// facts lists what is known of an alert.
func facts(a alert.Alert, details alert.Details, link string) string {
	var list []string
	add := func(name, value string) {
		if value != "" {
			list = append(list, "- **"+name+":** "+value)
		}
	}
	add("Start time", a.StartedAt.UTC().Format(time.RFC3339))
	add("Severity", string(a.Severity))
	add("Query", code(payload.Cut(details.Query, maxFact)))
	add("Service", escape(payload.Cut(a.Service, maxFact)))
	add("Monitoring tool", escape(payload.Cut(a.MonitoringTool, maxFact)))
	add("Hosts", escape(payload.Cut(strings.Join(a.Hosts, ", "), maxFact)))
	add("Description", escape(payload.Cut(a.Description, maxFact)))
	add("Alert", fmt.Sprintf("[#%d](%s)", a.IID, link))
	return strings.Join(list, "\n")
}

// labels lists the labels in a payload.
func labels(text []byte) string {
	document, err := payload.Read(text)
	if err != nil {
		return ""
	}
	labels, _ := document.Object["labels"].(payload.Object)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		if len(list) < maxLabels {
			value := payload.Cut(payload.Text(labels[name]), maxLabel)
			list = append(list, "- "+escape(payload.Cut(name, maxLabel))+": "+escape(value))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "**Labels**\n\n" + strings.Join(list, "\n")
}

// escape returns the text as text of one line of markdown: CommonMark takes a backslash
// before any ASCII punctuation, also in links, e-mail addresses and entities.
func escape(text string) string {
	var escaped strings.Builder
	for _, c := range oneLine(text) {
		if c < 0x80 && (unicode.IsPunct(c) || unicode.IsSymbol(c)) {
			escaped.WriteByte('\\')
		}
		escaped.WriteRune(c)
	}
	return escaped.String()
}

// code returns the text as code in one line of markdown, between more backticks than it has
// in a row.
func code(text string) string {
	text = oneLine(text)
	if text == "" {
		return ""
	}
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + " " + text + " " + fence
}

// oneLine returns the text with a space for all space and control characters in a row.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
	}), " ")
}

// lines returns the text with the line breaks of Unix alone.
func lines(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(text)
}

// quote returns markdown as a quote: whatever it begins and does not end, such as code or
// a list, ends with the quote. It cannot say where links of other parts lead either.
func quote(markdown string) string {
	markdown = strings.TrimSpace(lines(markdown))
	if markdown == "" {
		return ""
	}
	markdown = strings.ReplaceAll(markdown, "]:", `]\:`)
	return "> " + strings.ReplaceAll(markdown, "\n", "\n> ")
}
