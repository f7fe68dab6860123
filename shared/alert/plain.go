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

// use is a place in a plain payload and the target that it filled.
type use struct {
	target mapping.Target
	path   mapping.Path
}

// runbook is not a mapping's target: only the member of that name fills it.
const runbook mapping.Target = "runbook"

// plain reads a payload that is one notification. It makes an alert of any
// payload, whatever is missing or wrong in it.
func (r *reader) plain(document payload.Document) Parsed {
	p := plain{r, document.Object}
	ended, recovery := p.endTime()
	occurrence := Occurrence{
		Recovery:       recovery,
		IgnoreStart:    recovery,
		Ungrouped:      !r.Grouping,
		Title:          p.text(mapping.Title, maxTitle),
		Description:    p.text(mapping.Description, maxDescription),
		Severity:       p.severity(),
		Service:        p.text(mapping.Service, maxName),
		MonitoringTool: p.text(mapping.MonitoringTool, maxName),
		Hosts:          p.hosts(),
		Environment:    p.environment(p.environmentName()),
		Runbook:        p.runbook(),
		StartedAt:      p.startTime(),
		EndedAt:        ended,
		Fingerprint:    p.fingerprint(),
		IntegrationID:  r.IntegrationID,
		Tell:           r.Tell,
		KeptDays:       r.KeptDays,
		Payload:        document.Text,
		Count:          1,
	}
	if occurrence.Title == "" {
		occurrence.Title = defaultTitle
	}
	parsed := r.group([]Occurrence{occurrence}, []int{0})
	parsed.Format, parsed.Items, parsed.Notes = Plain, 1, r.notes
	return parsed
}

// plain finds the values of a plain payload.
type plain struct {
	*reader
	object payload.Object
}

// value returns what fills the target, or nil.
func (p plain) value(target mapping.Target) any {
	value, path := p.Mapping.Find(p.object, target)
	if payload.Blank(value) {
		return nil
	}
	p.used = append(p.used, use{target, path})
	return value
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
	value := p.value(mapping.StartTime)
	started, ok := payload.Time(value)
	if !ok {
		if value != nil {
			p.notes.add("start_time " + quoted(payload.Text(value)) + " is no time, so it is now")
		}
		return p.Now
	}
	return started
}

// endTime returns when the problem ended, and whether it did.
func (p plain) endTime() (time.Time, bool) {
	value := p.value(mapping.EndTime)
	ended, ok := payload.EpochTime(value)
	if !ok && value != nil {
		p.notes.add("end_time " + quoted(payload.Text(value)) + " is no time, so this is no recovery")
	}
	return ended, ok
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
	p.used = append(p.used, use{mapping.Environment, mapping.Path{mapping.Name(name)}})
	return value
}

func (p plain) runbook() string {
	link := p.link(p.object["runbook"])
	if link != "" {
		p.used = append(p.used, use{runbook, mapping.Path{mapping.Name("runbook")}})
	}
	return link
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

func (p plain) fingerprint() Fingerprint {
	if fingerprint := givenFingerprint(p.value(mapping.Fingerprint)); fingerprint != "" || !p.AutoFingerprint {
		return fingerprint
	}
	p.noteTimesInFingerprint()
	return payloadFingerprint(p.object)
}

// noteTimesInFingerprint takes a note if a varying target is mapped from a member
// that counts for the fingerprint. No two payloads are equal then.
func (p plain) noteTimesInFingerprint() {
	for _, use := range p.used {
		if slices.Contains(varying, string(use.target)) && !varies(use.path) {
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
