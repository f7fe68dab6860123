package preset

import "gatehouse/shared/alert"

// Several is the effect of a payload that does more than one thing.
const Several Effect = "several"

// EffectOf returns the effect that has these outcomes.
func EffectOf(recorded []alert.Recorded) Effect {
	does := Ignored
	for _, one := range recorded {
		did, ok := effects[one.Outcome]
		switch {
		case !ok || did == does:
		case does == Ignored:
			does = did
		default:
			return Several
		}
	}
	return does
}

var effects = map[alert.Outcome]Effect{
	alert.Opened: Opens, alert.Repeated: Counts, alert.Acked: Acknowledges, alert.Recovered: Resolves,
}

// Tried is what a sample would do.
type Tried struct {
	Sample
	Would  Effect
	Refuse error // why the payload would be refused, if it would be
}

// Try returns what each sample would do after those before it, in a project without an open
// alert, if payloads are read by parse.
func (p Preset) Try(parse func(body []byte) (alert.Parsed, error)) (all []Tried) {
	var trial alert.Trial
	for _, sample := range p.Samples {
		parsed, err := parse(sample.Payload)
		one := Tried{Sample: sample, Would: Ignored, Refuse: err}
		if err == nil {
			one.Would = EffectOf(trial.Take(parsed))
		}
		all = append(all, one)
	}
	return all
}
