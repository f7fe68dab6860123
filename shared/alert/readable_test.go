package alert_test

import (
	"testing"

	"gatehouse/shared/alert"
)

// A title cannot pretend to be another one. The payload is kept as it came.
func TestTitlesAreReadAsTheyAre(t *testing.T) {
	tests := map[string]string{
		"disk \u202ellaf\u202c full":       "disk llaf full",
		"\u2066web\u2069 \u200edown\u200f": "web down",
		"pay\u200bment\ufeff down\u2060":   "payment down",
		"soft\u00adhyphen":                 "softhyphen",
		"مي\u200cخواهم":                    "مي\u200cخواهم",
		"👩\u200d💻 is away":                 "👩\u200d💻 is away",
		"\u202e":                           "New: Alert",
	}
	for title, want := range tests {
		for format, body := range map[alert.Format]string{
			alert.Plain:   `{"title":"` + title + `"}`,
			alert.Metrics: `{"version":"4","status":"firing","commonAnnotations":{},"commonLabels":{},"externalURL":"","groupKey":"","groupLabels":{},"receiver":"x","alerts":[{"status":"firing","startsAt":"2026-01-02T03:04:05Z","annotations":{"title":"` + title + `"}}]}`,
		} {
			parsed, err := alert.Parse([]byte(body), alert.Reading{Format: format})
			if err != nil || len(parsed.Occurrences) != 1 || parsed.Occurrences[0][0].Title != want {
				t.Errorf("Parse(%q) = %+v, %v, want the title %q", body, parsed.Occurrences, err, want)
			}
		}
	}
}
