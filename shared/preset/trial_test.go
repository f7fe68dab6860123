package preset_test

import (
	"errors"
	"testing"

	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/mapping"
	"gatehouse/shared/preset"
)

// What pages say that a sample does is what it does in a store, as
// TestEverySampleDoesWhatItSays sees it.
func TestATrialOfSamples(t *testing.T) {
	s := newSite(t, apptest.New(t))
	for _, p := range preset.All() {
		i := s.integration(t, p)
		m, err := mapping.Parse(i.Mapping, "mapping")
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Integrations.EndpointOf(t.Context(), s.project.FullPath, i.Endpoint)
		if err != nil {
			t.Fatal(err)
		}
		rehearsal, err := s.Intake.Rehearse(e, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range p.Try(rehearsal.Parse) {
			if one.Would != one.Does || one.Refuse != nil {
				t.Errorf("%s, %s: a trial says %q, %v, want %q", p.ID, one.Name, one.Would, one.Refuse, one.Does)
			}
		}
	}
}

func TestTheEffectOfOutcomes(t *testing.T) {
	did := func(outcomes ...alert.Outcome) (all []alert.Recorded) {
		for _, o := range outcomes {
			all = append(all, alert.Recorded{Outcome: o})
		}
		return all
	}
	for want, recorded := range map[preset.Effect][]alert.Recorded{
		preset.Ignored: did(alert.Unmatched), preset.Opens: did(alert.Opened, alert.Unmatched, alert.Opened),
		preset.Several: did(alert.Opened, alert.Recovered), preset.Counts: did(alert.Repeated),
	} {
		if got := preset.EffectOf(recorded); got != want {
			t.Errorf("the effect of %v is %q, want %q", recorded, got, want)
		}
	}
	p, _ := preset.Find("curl")
	refused := errors.New("refused")
	if tried := p.Try(func([]byte) (alert.Parsed, error) { return alert.Parsed{}, refused }); tried[0].Refuse != refused || tried[0].Would != preset.Ignored {
		t.Errorf("a sample that is refused would do %+v", tried[0])
	}
}
