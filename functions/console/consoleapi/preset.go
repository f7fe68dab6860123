package consoleapi

import "gatehouse/shared/preset"

// toolSetup is how the tool of an integration's preset is set up. It contains the
// authorization key.
type toolSetup struct {
	preset.Preset
	NoAddress bool // the tool needs an address with a key, which there is not
	Steps     [][]preset.Part
	Snippet   string
}

// newToolSetup returns the tool of the integration, or nil if it has no preset.
func newToolSetup(i integrationView, s setup, urlWithKey string) *toolSetup {
	p, ok := preset.Find(i.Preset)
	if !ok {
		return nil
	}
	address := preset.Address{URL: i.URL, Key: s.Key, WithKey: urlWithKey}
	t := toolSetup{Preset: p, NoAddress: urlWithKey == "" && p.NeedsURLWithKey(), Snippet: address.Into(p.Snippet)}
	for _, step := range p.Setup {
		t.Steps = append(t.Steps, address.Parts(step))
	}
	return &t
}

// doing is what becomes of a sample, in words.
var doing = map[preset.Effect]string{
	preset.Opens: "opens an alert", preset.Counts: "counts on the open alert", preset.Acknowledges: "acknowledges the alert",
	preset.Resolves: "resolves the alert", preset.Ignored: "changes nothing", preset.Several: "does several things",
}

// Doing returns what becomes of a sample, in words.
func (toolSetup) Doing(s preset.Sample) string { return doing[s.Does] }
