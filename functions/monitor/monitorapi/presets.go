package monitorapi

import (
	"encoding/json"
	"net/http"

	"gatehouse/shared/auth"
	"gatehouse/shared/integration"
	"gatehouse/shared/page"
	"gatehouse/shared/preset"
	"gatehouse/shared/project"
	"gatehouse/shared/web"
)

// presetBody is a preset on the wire.
type presetBody struct {
	ID                      string           `json:"id"`
	Name                    string           `json:"name"`
	Type                    integration.Type `json:"type"`
	Setup                   []string         `json:"setup"`
	Snippet                 string           `json:"snippet"`
	PayloadAttributeMapping json.RawMessage  `json:"payload_attribute_mapping"`
	Samples                 []sampleBody     `json:"samples"`
}

// sampleBody is a payload of a preset on the wire.
type sampleBody struct {
	Name    string          `json:"name"`
	Does    preset.Effect   `json:"does"`
	Source  string          `json:"source"`
	Payload json.RawMessage `json:"payload"`
}

func newPresetBody(p preset.Preset) presetBody {
	body := presetBody{ID: p.ID, Name: p.Name, Type: p.Type, Setup: p.Setup, Snippet: p.Snippet, PayloadAttributeMapping: p.Mapping}
	if string(p.Mapping) == "null" {
		body.PayloadAttributeMapping = orEmptyObject(nil)
	}
	for _, s := range p.Samples {
		body.Samples = append(body.Samples, sampleBody{s.Name, s.Does, s.Source, s.Payload})
	}
	return body
}

// listPresets lists the presets. They are part of the program, and the same for every
// project.
func (a *api) listPresets(w http.ResponseWriter, r *http.Request, _ auth.Caller, _ project.Project) error {
	req, err := web.ReadPage(r)
	if err != nil {
		return err
	}
	return web.List(w, r, a.app.BaseURL, req, page.Cut(preset.All(), req), newPresetBody)
}
