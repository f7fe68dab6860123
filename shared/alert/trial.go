package alert

// Trial takes the occurrences of payloads one after the other and tells what would become of
// them, and stores nothing. The zero Trial begins without an open alert.
type Trial struct {
	open map[Fingerprint][]tried
}

// tried is an alert that is open in a trial.
type tried struct {
	Recorded
	since Occurrence
}

// Open adds an alert that is open already.
func (t *Trial) Open(a Alert) {
	t.add(tried{Recorded{IID: a.IID, Title: a.Title}, Occurrence{Fingerprint: a.Fingerprint, StartedAt: a.StartedAt, Ungrouped: !a.Grouped}})
}

func (t *Trial) add(one tried) {
	if t.open == nil {
		t.open = map[Fingerprint][]tried{}
	}
	t.open[one.since.Fingerprint] = append(t.open[one.since.Fingerprint], one)
}

// Take returns the outcomes that RecordOccurrences would have. An alert that the trial opens
// has no number.
func (t *Trial) Take(p Parsed) (all []Recorded) {
	for _, group := range p.Occurrences {
		for _, o := range group {
			all = append(all, t.take(o)...)
		}
	}
	return all
}

func (t *Trial) take(o Occurrence) []Recorded {
	switch {
	case o.Recovery:
		return t.recover(o)
	case o.Fingerprint != "" && o.Acknowledges() && len(t.open[o.Fingerprint]) > 0:
		return t.acknowledge(o.Fingerprint)
	case o.Fingerprint != "" && !o.Ungrouped && !o.Acknowledges():
		for _, one := range t.open[o.Fingerprint] {
			if !one.since.Ungrouped {
				return []Recorded{one.did(Repeated)}
			}
		}
	}
	one := tried{Recorded{Outcome: Opened, Title: o.Title}, o}
	if o.Fingerprint != "" {
		t.add(one)
	}
	return []Recorded{one.Recorded}
}

// recover resolves the open alerts that began before the recovery.
func (t *Trial) recover(o Occurrence) (all []Recorded) {
	var left []tried
	for _, one := range t.open[o.Fingerprint] {
		if o.IgnoreStart || !o.EndedAt.Before(one.since.StartedAt) {
			all = append(all, one.did(Recovered))
		} else {
			left = append(left, one)
		}
	}
	if len(all) == 0 {
		return []Recorded{{Outcome: Unmatched}}
	}
	t.open[o.Fingerprint] = left
	return all
}

func (t *Trial) acknowledge(f Fingerprint) (all []Recorded) {
	for _, one := range t.open[f] {
		all = append(all, one.did(Acked))
	}
	return all
}

func (one tried) did(o Outcome) Recorded {
	return Recorded{Outcome: o, IID: one.IID, Title: one.Title}
}
