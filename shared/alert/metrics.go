package alert

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// attributes are the members that every payload in the metrics format has, with
// any values.
var attributes = []string{
	"alerts", "commonAnnotations", "commonLabels", "externalURL", "groupKey", "groupLabels", "receiver", "status", "version",
}

// The monitoring tools of the metrics format.
const (
	prometheus = "Prometheus" // any that does not say which it is
	Grafana    = "Grafana"
)

// sender is what a payload of the metrics format says of the tool and of the group.
type sender struct{ tool, title, address string }

// sender reads it. Grafana's payloads have the members of its former alerts beside those of
// an Alertmanager, which sends neither.
func (r *reader) sender(group payload.Object) sender {
	s := sender{prometheus, r.cut("the group's title", text(group["title"]), maxTitle), WebLink(text(group["externalURL"]))}
	_, organization := group["orgId"].(json.Number)
	if _, state := group["state"].(string); organization && state {
		s.tool = Grafana
	}
	return s
}

func missingAttributes(object payload.Object) []string {
	var missing []string
	for _, name := range attributes {
		if _, ok := object[name]; !ok {
			missing = append(missing, name)
		}
	}
	return missing
}

// MayBeMetrics reports whether the body holds the names of all attributes of the metrics
// format, as one in that format does.
func MayBeMetrics(body []byte) bool {
	return !slices.ContainsFunc(attributes, func(name string) bool { return !bytes.Contains(body, []byte(`"`+name+`"`)) })
}

// metrics reads all notifications of a payload. The status of the payload is
// ignored, because it can contain both fires and recoveries.
func (r *reader) metrics(document payload.Document, alerts []any) Parsed {
	texts := document.Elements("alerts")
	var mapped *mapping.Reading
	if r.Format == Metrics {
		mapped = r.Mapping.Read(document.Object)
	}
	from := r.sender(document.Object)
	var skipped Skipped
	var occurrences []Occurrence
	var places []int
	ignored := 0
	for i, value := range alerts {
		if ignores(mapped, value) {
			ignored++
		} else if occurrence, ok := r.notification(value, mapped, &skipped); ok {
			occurrence.MonitoringTool, occurrence.GroupTitle, occurrence.ExternalURL = from.tool, from.title, from.address
			occurrence.Payload = r.kept(texts[i])
			occurrences = append(occurrences, occurrence)
			places = append(places, i)
		}
	}
	if mapped.Exhausted() {
		r.notes.add(tooMuchWork)
	}
	parsed := r.group(occurrences, places)
	parsed.Format, parsed.Items, parsed.Skipped, parsed.Notes = Metrics, len(alerts), skipped, r.notes
	parsed.IgnoredItems = ignored
	parsed.TruncatedAlerts = count(document.Object["truncatedAlerts"])
	return parsed
}

// kept returns the text of a notification as the payload of its alert, or an empty object
// if it is longer than the payload of an alert may be.
func (r *reader) kept(text []byte) []byte {
	if len(text) <= payload.MaxBytes {
		return text
	}
	r.notes.add("a notification exceeds 1 MiB, so its payload is not kept")
	return []byte("{}")
}

// ignores reports whether the mapping ignores the notification, such as a tool's test.
func ignores(mapped *mapping.Reading, value any) bool {
	object, ok := value.(payload.Object)
	return ok && mapped.Item(object).State() == mapping.Ignored
}

// count returns the value as a whole number, or 0 if it is none or negative.
func count(value any) int64 {
	number, ok := value.(json.Number)
	if !ok {
		return 0
	}
	counted, err := number.Float64()
	if err != nil || counted < 0 {
		return 0
	}
	return int64(min(counted, math.MaxInt32))
}

// notification reads one item of a metrics payload, or counts it as skipped.
func (r *reader) notification(value any, mapped *mapping.Reading, skipped *Skipped) (Occurrence, bool) {
	object, ok := value.(payload.Object)
	if !ok {
		skipped.NotObject++
		return Occurrence{}, false
	}
	item := newItem(object)
	title, severity := item.title(), item.severity()
	if mapped != nil {
		title, severity = item.mapped(mapped.Item(object))
	}
	_, starts := object["startsAt"]
	switch {
	case title == "":
		skipped.NoTitle++
		return Occurrence{}, false
	case !starts:
		skipped.NoStart++
		return Occurrence{}, false
	}
	return r.occurrence(item, title, severity), true
}

func (r *reader) occurrence(item item, title string, severity Severity) Occurrence {
	_, environment := platform(item.labels, environmentName)
	_, runbook := runbookIn(item.annotations)
	occurrence := Occurrence{
		Recovery:      item.resolved(),
		Ungrouped:     !r.Grouping,
		Title:         cmp.Or(r.cut("title", title, maxTitle), defaultTitle),
		Description:   r.cut("description", text(item.annotations["description"]), maxDescription),
		Severity:      severity,
		Environment:   r.environment(environment),
		Runbook:       r.link(runbook),
		Labels:        r.labels(item.labels),
		StartedAt:     timeOr(item.object["startsAt"], r.Now),
		Fingerprint:   item.fingerprint(),
		IntegrationID: r.IntegrationID,
		Tell:          r.Tell,
		KeptDays:      r.KeptDays,
		Count:         1,
	}
	if occurrence.Recovery {
		occurrence.EndedAt = timeOr(item.object["endsAt"], r.Now)
	}
	return occurrence
}

func timeOr(value any, otherwise time.Time) time.Time {
	if t, ok := payload.Time(value); ok {
		return t
	}
	return otherwise
}

// text returns the first value that is not blank as a text, or "".
func text(values ...any) string {
	for _, value := range values {
		if !payload.Blank(value) {
			return payload.Text(value)
		}
	}
	return ""
}

// item is one notification of the metrics format.
type item struct {
	object, annotations, labels payload.Object
}

func newItem(object payload.Object) item {
	annotations, _ := object["annotations"].(payload.Object)
	labels, _ := object["labels"].(payload.Object)
	return item{object, annotations, labels}
}

func (i item) title() string {
	return text(i.annotations["title"], i.annotations["summary"], i.labels["alertname"])
}

func (i item) severity() Severity { return ParseSeverity(text(i.labels["severity"])) }

// mapped returns the title and the severity as a mapping has them. A severity that it leaves
// as it is keeps its meaning in this format.
func (i item) mapped(by mapping.Item) (string, Severity) {
	title := text(by.FindOr(mapping.Title, i.title()).Value)
	usual := text(i.labels["severity"])
	word := text(by.FindOr(mapping.Severity, usual).Value)
	if named, ok := severityNamed(word); ok && word != usual {
		return title, named
	}
	return title, ParseSeverity(word)
}

// resolved reports whether the notification is a recovery. The member endsAt does
// not tell: fires have it too, in year 1 or in the future.
func (i item) resolved() bool { return strings.EqualFold(text(i.object["status"]), "resolved") }

// query returns the query in the generator's link, or "".
func (i item) query() string {
	link, err := url.Parse(text(i.object["generatorURL"]))
	if err != nil {
		return ""
	}
	return link.Query().Get("g0.expr")
}

// fingerprint is based on the sender's own fingerprint if there is one. It never
// depends on the start, so repeats and recoveries have the same fingerprint.
func (i item) fingerprint() Fingerprint {
	if own, ok := i.object["fingerprint"].(string); ok && !payload.Blank(own) {
		return givenFingerprint(own)
	}
	if len(i.labels) > 0 {
		return digest("labels", i.labels)
	}
	return digest("title", []any{i.title(), i.query()})
}
