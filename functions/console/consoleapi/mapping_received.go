package consoleapi

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
	"gatehouse/shared/intake"
	"gatehouse/shared/mapping"
	"gatehouse/shared/preset"
)

// Where a sample can come from, besides an alert.
const (
	fromStored = "stored"
	latestOf   = ":latest" // behind the number of an alert: its newest repeat
)

// blank reports whether there is no text of a sample.
func (f *mappingForm) blank() bool { return strings.TrimSpace(f.Sample) == "" }

// keptBy returns the payload that an address such as alert:7 or alert:7:latest names.
func (e *editing) keptBy(ctx context.Context, from string) (kept intake.Kept, err error) {
	number, newest := strings.CutSuffix(strings.TrimPrefix(from, "alert:"), latestOf)
	iid, err := strconv.ParseInt(number, 10, 64)
	if err != nil || iid < 1 {
		return kept, alert.ErrNotFound
	}
	n := slices.IndexFunc(e.kept, func(a alert.Whole) bool { return a.IID == iid })
	if n < 0 {
		whole, err := e.app.Alerts.WholeAlert(ctx, e.Project.ID, iid)
		if err != nil {
			return kept, err
		}
		e.kept, n = append(e.kept, whole), len(e.kept)
	}
	kept = intake.Kept{Of: e.kept[n], Newest: newest}
	if kept.Of.IntegrationID != e.ID || kept.Text() == nil {
		return kept, alert.ErrNotFound
	}
	return kept, nil
}

// triedSample is a sample of the preset, with what it would do.
type triedSample struct {
	preset.Tried
	Would string
	Want  string // what the preset expects, if it is another thing
}

// try says what each sample of the preset would do.
func (e *editing) try(h intake.Rehearsal) {
	p, ok := preset.Find(e.Preset)
	if !ok {
		return
	}
	e.body.Tool = p.Name
	for _, one := range p.Try(h.Parse) {
		tried := triedSample{Tried: one, Would: doing[one.Would]}
		if one.Refuse != nil {
			tried.Would = sentence(one.Refuse)
		}
		if one.Would != one.Does || one.Refuse != nil {
			tried.Want = doing[one.Does]
		}
		e.body.Tried = append(e.body.Tried, tried)
	}
}

// changes are what becomes otherwise of the last payloads that were received.
type changes struct {
	Of   int // payloads
	Rows []changedPayload
}

// Same is the number of payloads of which the same becomes.
func (c changes) Same() int { return c.Of - len(c.Rows) }

// changedPayload is a payload of which something else becomes.
type changedPayload struct {
	IID            int64
	Title, Address string
	Newest         bool // of a repeat
	Lines          []changedLine
}

// changedLine is a field that has another value.
type changedLine struct{ Name, Was, Is string }

// compare says what changes for the last payloads, unless the mapping is as it was.
func (e *editing) compare(h intake.Rehearsal) error {
	stored, err := mapping.Parse(e.Mapping, mappingField)
	if err != nil || same(stored, e.edited) || e.body.Off {
		return err
	}
	before, err := e.rehearsal(nil)
	if err != nil {
		return err
	}
	e.body.Changes = &changes{}
	for _, kept := range e.payloads() {
		sent := before.AsSent(kept.Of.Alert, kept.Text())
		lines := changedLines(readBy(before, sent), readBy(h, sent))
		if e.body.Changes.Of++; len(lines) > 0 {
			e.body.Changes.Rows = append(e.body.Changes.Rows, changedPayload{kept.Of.IID, kept.Of.Title, e.alertAddress(kept.Of.IID), kept.Newest, lines})
		}
	}
	return nil
}

// payloads are the newest ones that are kept, those of repeats after what opened the alerts.
func (e *editing) payloads() (all []intake.Kept) {
	for _, a := range e.kept {
		all = append(all, intake.Kept{Of: a})
		if a.Latest.Text != nil {
			all = append(all, intake.Kept{Of: a, Newest: true})
		}
	}
	return all[:min(len(all), maxKept)]
}

// made is what becomes of a payload, in words.
type made struct {
	does string
	alert.Occurrence
}

func readBy(h intake.Rehearsal, body []byte) made {
	parsed, err := h.Parse(body)
	switch {
	case err != nil:
		return made{does: "is refused: " + fault.Message(err)}
	case len(parsed.Occurrences) == 0:
		return made{does: doing[preset.Ignored]}
	}
	first := parsed.Occurrences[0][0]
	does := "opens an alert or counts"
	switch {
	case parsed.Split && parsed.Items > 1:
		does = fmt.Sprintf("is %d alerts", parsed.Items)
	case first.Recovery:
		does = doing[preset.Resolves]
	case first.Acknowledges():
		does = doing[preset.Acknowledges]
	}
	return made{does, first}
}

// changedLines lists what differs between two readings of a payload.
func changedLines(was, is made) (lines []changedLine) {
	for _, one := range []changedLine{
		{"What it does", was.does, is.does},
		{"Title", was.Title, is.Title},
		{"Severity", string(was.Severity), string(is.Severity)},
		{"Description", was.Description, is.Description},
		{"Service", was.Service, is.Service},
		{"Monitoring tool", was.MonitoringTool, is.MonitoringTool},
		{"Hosts", strings.Join(was.Hosts, ", "), strings.Join(is.Hosts, ", ")},
		{"Environment", was.Environment, is.Environment},
	} {
		if one.Was != one.Is {
			lines = append(lines, changedLine{one.Name, short(one.Was), short(one.Is)})
		}
	}
	if was.Fingerprint != is.Fingerprint {
		lines = append(lines, changedLine{"Fingerprint", short(string(was.Fingerprint)), short(string(is.Fingerprint))})
	}
	return lines
}
