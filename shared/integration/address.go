package integration

import (
	"regexp"
	"strings"

	"gatehouse/shared/project"
)

// Path returns the path of the integration's address, "" for an on-call link
// (Interface: "Alert intake"). It contains the name for people: only the endpoint
// identifier has a meaning.
func (i Integration) Path(p project.Project) string {
	switch {
	case i.Type == OnCallLink:
		return ""
	case i.Endpoint == LegacyMetrics:
		return "/" + p.FullPath + "/prometheus/alerts/notify.json"
	case i.Endpoint == Legacy:
		return "/" + p.FullPath + "/alerts/notify.json"
	}
	return "/" + p.FullPath + "/alerts/notify/" + slug(i.Name) + "/" + i.Endpoint + ".json"
}

var notInSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug turns a name into a path segment of at most 63 characters.
func slug(name string) string {
	s := strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	s = strings.Trim(s[:min(len(s), 63)], "-")
	if s == "" {
		return "http-endpoint"
	}
	return s
}
