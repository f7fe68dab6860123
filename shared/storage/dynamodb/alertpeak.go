package dynamodb

import (
	"context"
	"errors"
	"time"

	"gatehouse/shared/alert"
	"gatehouse/shared/fault"
)

// severityCount is the attribute of a slot that counts the events of a severity.
func severityCount(s alert.Severity) string { return "s_" + string(s) }

// gravestIn returns the gravest severity that the slot has counted; none: "".
func gravestIn(it item) alert.Severity {
	for _, severity := range alert.Severities {
		if _, counted := it[severityCount(severity)]; counted {
			return severity
		}
	}
	return ""
}

// rises reports whether the slot has counted what is graver than the alert says. So
// it does after the first of such occurrences, and still if the process died then.
func (s slot) rises() bool { return s.gravest != "" && s.gravest.Rank() > s.peak }

// raise stores the gravest severity of an open alert after an occurrence that its slot
// has counted, and reports whether the alert has become graver. Of several callers one
// does.
func (s *Store) raise(ctx context.Context, projectID int64, k key, found slot, o alert.Occurrence, now time.Time) (graver bool, err error) {
	for found.rises() {
		a, err := alertKind.get(ctx, s, alertItem.key(projectID, found.iid))
		if err != nil {
			return false, fault.IgnoreNotFound(err) // it went with its project
		}
		err = s.write(ctx, raiseChanges(k, a, found, o, now)...)
		if !errors.Is(err, errStale) {
			return err == nil && found.gravest.Graver(a.PeakSeverity), err
		}
		iid := found.iid
		if found, _, err = s.slot(ctx, k); err != nil || found.iid != iid {
			return false, err // an alert that is resolved has what its slot counted
		}
	}
	return false, nil
}

// raiseChanges store the gravest severity that the slot has counted, with the messages
// about an alert that becomes graver.
func raiseChanges(k key, a alert.Alert, found slot, o alert.Occurrence, now time.Time) []change {
	peak := found.gravest.Rank()
	marked := set(k, fields{{"peak_rank", &peak}}).when("iid = :iid AND (attribute_not_exists(peak_rank) OR peak_rank < :peak)",
		item{":iid": number(a.IID), ":peak": number(peak)}).orElse(errStale)
	if !found.gravest.Graver(a.PeakSeverity) { // a function of an earlier release opened it, or marked it late
		return []change{marked}
	}
	return append([]change{marked, raisePeak(a, found.gravest)}, tellAll(found.raised(a).ToldGraver(o, now))...)
}

// raisePeak changes the gravest severity of the alert from what was read. As with
// events, neither the version nor the time of the last change follows.
func raisePeak(a alert.Alert, to alert.Severity) change {
	was, is := a, a
	is.PeakSeverity = to
	c := set(alertItem.key(a.ProjectID, a.IID), peakField(&is)).keepNonce()
	if former := (*peakSeverity)(&was).value(); former != nil {
		return c.when("peak_severity = :former", item{":former": former}).orElse(errStale)
	}
	return c.and("attribute_not_exists(peak_severity)", nil).orElse(errStale)
}

// peakField is what the alert stores of its gravest severity while it is open only
// when that rises, and when it is resolved together with its state.
func peakField(a *alert.Alert) fields { return fields{{"peak_severity", (*peakSeverity)(a)}} }
