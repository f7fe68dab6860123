package alert

import (
	"cmp"
	"slices"
	"time"
)

// group arranges occurrences for Store.RecordOccurrences. Places are their
// positions in the payload.
func (r *reader) group(occurrences []Occurrence, places []int) Parsed {
	var parsed Parsed
	groups := map[Fingerprint]int{}
	for i, occurrence := range occurrences {
		group, ok := groups[occurrence.Fingerprint]
		if !ok || occurrence.Fingerprint == "" {
			group = len(parsed.Occurrences)
			groups[occurrence.Fingerprint] = group
			parsed.Occurrences = append(parsed.Occurrences, nil)
			parsed.places = append(parsed.places, nil)
		}
		parsed.Occurrences[group] = append(parsed.Occurrences[group], occurrence)
		parsed.places[group] = append(parsed.places[group], places[i])
	}
	for i := range parsed.Occurrences {
		if len(parsed.Occurrences[i]) > 1 {
			parsed.Occurrences[i], parsed.places[i] = merge(parsed.Occurrences[i], parsed.places[i])
		}
	}
	return parsed
}

// merge sorts occurrences with one fingerprint by when they take effect, and
// combines those with the same effect.
//
// A fire takes effect at its start and a recovery at its end. At the same time,
// fires come before recoveries, and otherwise the order of the payload stays. So
// a recovery ends everything that started before it or at the same time, and
// nothing that started later.
func merge(occurrences []Occurrence, places []int) ([]Occurrence, []int) {
	order := make([]int, len(occurrences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return inEffect(occurrences[a], occurrences[b]) })
	var merged []Occurrence
	var mergedPlaces []int
	for _, i := range order {
		last := len(merged) - 1
		if last >= 0 && merged[last].absorbs(occurrences[i]) {
			merged[last].Count += occurrences[i].Count
			mergedPlaces[last] = min(mergedPlaces[last], places[i])
			continue
		}
		merged = append(merged, occurrences[i])
		mergedPlaces = append(mergedPlaces, places[i])
	}
	return merged, mergedPlaces
}

func inEffect(a, b Occurrence) int {
	if byTime := a.effectiveAt().Compare(b.effectiveAt()); byTime != 0 {
		return byTime
	}
	return cmp.Compare(recoveries(a), recoveries(b))
}

func recoveries(o Occurrence) int {
	if o.Recovery {
		return 1
	}
	return 0
}

func (o Occurrence) effectiveAt() time.Time {
	if o.Recovery {
		return o.EndedAt
	}
	return o.StartedAt
}

// absorbs reports whether the next occurrence has the same effect as this one: a
// further fire where fires are grouped, or another recovery at the same time.
// Recoveries at different times differ, because the earlier one may be too early
// for some alerts.
func (o Occurrence) absorbs(next Occurrence) bool {
	if o.Recovery != next.Recovery || o.Acknowledged != next.Acknowledged {
		return false
	}
	if o.Recovery {
		return o.EndedAt.Equal(next.EndedAt)
	}
	return !o.Ungrouped || o.Acknowledged
}

// Touched sorts the results of RecordOccurrences by the order of the payload, and
// returns each alert that was opened, repeated or resolved once. It is empty if
// the payload contains only recoveries without an open alert.
func (p Parsed) Touched(recorded [][]Recorded) []Recorded {
	type placed struct {
		place int
		Recorded
	}
	var all []placed
	for group, results := range recorded {
		for i, place := range p.placesOf(group, results) {
			if results[i].Outcome != Unmatched {
				all = append(all, placed{place, results[i]})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	touched, seen := []Recorded{}, map[int64]bool{}
	for _, result := range all {
		if !seen[result.IID] {
			touched = append(touched, result.Recorded)
		}
		seen[result.IID] = true
	}
	return touched
}

// placesOf returns, for each of a group's results, the place of its occurrence. A
// fire has one result; a recovery has one for each alert that it resolved, or an
// Unmatched one, and one that acknowledges has one for each alert that is open, or for that
// which it opened.
func (p Parsed) placesOf(group int, results []Recorded) []int {
	occurrences, places := p.Occurrences[group], make([]int, len(results))
	at, last := 0, len(occurrences)-1
	for i, result := range results {
		if i > 0 && results[i-1].Outcome == Acked && result.Outcome != Acked && at < last {
			at++
		}
		for at < last && !occurrences[at].canBe(result.Outcome) {
			at++
		}
		places[i] = p.places[group][at]
		if result.Outcome != Recovered && result.Outcome != Acked && at < last {
			at++
		}
	}
	return places
}

// canBe reports whether the outcome can be that of the occurrence.
func (o Occurrence) canBe(outcome Outcome) bool {
	switch outcome {
	case Recovered, Unmatched:
		return o.Recovery
	case Acked:
		return o.Acknowledges()
	case Repeated:
		return !o.Recovery && !o.Acknowledged
	}
	return !o.Recovery
}
