package alert

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// The limits of an alert's texts, in characters.
const (
	maxTitle       = 200
	maxDescription = 1000
	maxName        = 100 // of a service or monitoring tool
	maxHosts       = 255 // all hosts together
	maxRunbook     = 2048
)

// defaultTitle is the title of an alert whose payload has none.
const defaultTitle = "New: Alert"

// use is a place in an item of a plain payload and the target that it filled.
type use struct {
	target mapping.Target
	mapping.Place
}

// runbook is not a mapping's target: only the member of that name fills it.
const runbook mapping.Target = "runbook"

const tooMuchWork = "the mapping takes too much work for this payload, so some fields come from the usual places"

// plain reads a payload that is one notification, or is split into several by the mapping. It
// makes an alert of any payload that the mapping does not ignore, whatever is missing or wrong
// in it.
func (r *reader) plain(document payload.Document) Parsed {
	reading := r.Mapping.Read(document.Object)
	parsed, ok := r.split(document, reading)
	if !ok {
		parsed = r.alone(document, reading)
	}
	if reading.Exhausted() {
		r.notes.add(tooMuchWork)
	}
	parsed.Format, parsed.Notes = Plain, r.notes
	return parsed
}

// alone reads a payload that is one notification.
func (r *reader) alone(document payload.Document, reading *mapping.Reading) Parsed {
	p := plain{r, reading.Item(document.Object), document.Object}
	occurrence, ok := p.occurrence()
	if !ok {
		return Parsed{Items: 1, IgnoredItems: 1}
	}
	occurrence.Payload = document.Text
	parsed := r.group([]Occurrence{occurrence}, []int{0})
	parsed.Items = 1
	return parsed
}

// plain finds the values of a plain payload, or of an element of one.
type plain struct {
	*reader
	item   mapping.Item
	object payload.Object
}

// occurrence returns what the item says without its text, and false if it is ignored.
func (p plain) occurrence() (Occurrence, bool) {
	state := p.item.State()
	if state == mapping.Ignored {
		return Occurrence{}, false
	}
	p.used = p.used[:0]
	ended, recovery := p.endTime(state)
	o := Occurrence{
		Recovery:       recovery,
		IgnoreStart:    recovery,
		Acknowledged:   state == mapping.Acknowledged,
		Ungrouped:      !p.Grouping,
		Title:          p.text(mapping.Title, maxTitle),
		Description:    p.text(mapping.Description, maxDescription),
		Severity:       p.severity(),
		Service:        p.text(mapping.Service, maxName),
		MonitoringTool: p.text(mapping.MonitoringTool, maxName),
		Hosts:          p.hosts(),
		Environment:    p.environment(p.environmentName()),
		Runbook:        p.runbook(),
		Labels:         p.labels(),
		StartedAt:      p.startTime(),
		EndedAt:        ended,
		Fingerprint:    p.fingerprint(state),
		IntegrationID:  p.IntegrationID,
		Tell:           p.Tell,
		KeptDays:       p.KeptDays,
		Count:          1,
	}
	if o.Title == "" {
		o.Title = defaultTitle
	}
	if p.preview != nil {
		p.preview.trace(p.item, p.used)
	}
	return o, true
}

// value returns what fills the target, or nil.
func (p plain) value(target mapping.Target) any {
	found := p.item.Find(target)
	if payload.Blank(found.Value) {
		return nil
	}
	p.used = append(p.used, use{target, found.Place})
	return found.Value
}

func (p plain) text(target mapping.Target, max int) string {
	value := p.value(target)
	if value == nil {
		return ""
	}
	return p.cut(string(target), payload.Text(value), max)
}

// cut shortens a field's text if necessary, with a note, and leaves out what makes it read
// otherwise than it is.
func (r *reader) cut(field, text string, max int) string {
	text = strings.Map(readable, text)
	short := payload.Cut(text, max)
	if short != text {
		r.notes.add(field + " is cut to " + strconv.Itoa(max) + " characters")
	}
	return short
}

func (p plain) severity() Severity {
	value := p.value(mapping.Severity)
	if value == nil {
		return SeverityCritical
	}
	severity, ok := severityNamed(payload.Text(value))
	if !ok {
		p.notes.add("severity " + quoted(payload.Text(value)) + " is none, so it is critical")
	}
	return severity
}

func (p plain) startTime() time.Time {
	value, read := p.value(mapping.StartTime), payload.Time
	if n, ok := p.item.Notation(mapping.StartTime); ok {
		read = n.Read
	}
	started, ok := read(value)
	if !ok {
		if value != nil {
			p.notes.add("start_time " + quoted(payload.Text(value)) + " is no time, so it is now")
		}
		return p.Now
	}
	return started
}

// endTime returns when the problem ended, and whether it did. What the mapping says of the
// state counts more than a time.
func (p plain) endTime(state mapping.State) (time.Time, bool) {
	if state == mapping.Firing || state == mapping.Acknowledged {
		return time.Time{}, false
	}
	value, read, instead := p.value(mapping.EndTime), payload.EpochTime, "this is no recovery"
	if n, ok := p.item.Notation(mapping.EndTime); ok {
		read = n.Read
	}
	ended, ok := read(value)
	if !ok && state == mapping.IsResolved {
		ended, instead = p.Now, "it is now"
	}
	if !ok && value != nil {
		p.notes.add("end_time " + quoted(payload.Text(value)) + " is no time, so " + instead)
	}
	return ended, ok || state == mapping.IsResolved
}

// hosts returns the hosts up to the limit. The first host beyond it is cut, and
// the others are left out.
func (p plain) hosts() []string {
	var hosts []string
	left := maxHosts
	for _, value := range payload.Flatten(p.value(mapping.Hosts)) {
		if payload.Blank(value) {
			continue
		}
		text := payload.Text(value)
		host := payload.Head(text, left)
		if host != text {
			p.notes.add("hosts are cut to " + strconv.Itoa(maxHosts) + " characters")
		}
		if host == "" {
			break
		}
		hosts = append(hosts, host)
		left -= utf8.RuneCountInString(host)
	}
	return hosts
}

func (p plain) environmentName() any {
	if value := p.value(mapping.Environment); value != nil {
		return value
	}
	name, value := platform(p.object, environmentName)
	if payload.Blank(value) {
		return nil
	}
	p.used = append(p.used, use{mapping.Environment, member(name)})
	return value
}

// member is the place of a member of the item.
func member(name string) mapping.Place {
	return mapping.Place{Path: mapping.Path{mapping.Name(name)}}
}

func (p plain) runbook() string {
	name, value := runbookIn(p.object)
	link := p.link(value)
	if link != "" {
		p.used = append(p.used, use{runbook, member(name)})
	}
	return link
}

func (p plain) labels() Labels {
	found := p.reader.labels(p.object[string(labelsMember)])
	if found != nil {
		p.used = append(p.used, use{labelsMember, member(string(labelsMember))})
	}
	return found
}

// link returns the text, or "" if it is too long: a cut link would be wrong.
func (r *reader) link(value any) string {
	if payload.Blank(value) {
		return ""
	}
	text := payload.Text(value)
	if payload.Head(text, maxRunbook) != text {
		r.notes.add("runbook is longer than " + strconv.Itoa(maxRunbook) + " characters")
		return ""
	}
	return text
}

func (p plain) fingerprint(state mapping.State) Fingerprint {
	f := givenFingerprint(p.value(mapping.Fingerprint))
	if f == "" && p.AutoFingerprint {
		if state == mapping.IsResolved || state == mapping.Firing {
			p.notes.add("no fingerprint was found, so a recovery may find no alert; map fingerprint too")
		}
		p.noteTimesInFingerprint()
		f = payloadFingerprint(p.object)
	}
	if f != "" && p.item.OfIntegration() {
		return f.of(p.IntegrationID)
	}
	return f
}

// noteTimesInFingerprint takes a note if a varying target is mapped from a member
// that counts for the fingerprint. No two payloads are equal then.
func (p plain) noteTimesInFingerprint() {
	for _, use := range p.used {
		if slices.Contains(varying, string(use.target)) && use.Path != nil && !varies(use.Path) {
			p.notes.add(string(use.target) + " is mapped from a part of the fingerprint, so nothing is grouped; map fingerprint too")
		}
	}
}

// varies reports whether the path is in a varying member.
func varies(path mapping.Path) bool {
	return slices.ContainsFunc(varying, func(name string) bool {
		return path.Within(mapping.Path{mapping.Name(name)})
	})
}
