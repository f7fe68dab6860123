package intake_test

import (
	"cmp"
	"slices"
	"testing"

	"gatehouse/shared/integration"
	"gatehouse/shared/preset"
)

// BenchmarkLargestPreset compares what the payload of the preset with the largest mapping
// costs, but for the store, where it is mapped and where it is not.
func BenchmarkLargestPreset(b *testing.B) {
	largest := slices.MaxFunc(preset.All(), func(one, other preset.Preset) int { return cmp.Compare(len(one.Mapping), len(other.Mapping)) })
	fires := largest.Sample("firing").Payload
	for name, mapping := range map[string][]byte{"without": nil, "mapped": largest.Mapping} {
		b.Run(name, func(b *testing.B) {
			s := newStore()
			s.endpoint.Mapping = mapping
			r := s.rules(b, integration.AllFeatures)
			b.ReportAllocs()
			for b.Loop() {
				s.writes = nil
				if _, err := r.Test(b.Context(), web, s.endpoint.Integration, fires); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
