package alertsapi

import (
	"strings"

	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
)

// parseAddress reads the path of an integration's address from its right-hand
// end (Interface: "Alert intake"): how many segments the project's path has is
// not known.
//
//	<project>/alerts/notify.json
//	<project>/alerts/notify/<name>/<endpoint identifier>.json
//	<project>/prometheus/alerts/notify.json
//
// The ending .json may be missing. The name is for people alone.
func parseAddress(path string) (d intake.Delivery, ok bool) {
	path = strings.TrimSuffix(strings.TrimPrefix(path, "/"), ".json")
	segments := strings.Split(path, "/")
	switch {
	case endIn(segments, "prometheus", "alerts", "notify"):
		d = intake.Delivery{Endpoint: integration.LegacyMetrics, Metrics: true}
		segments = segments[:len(segments)-3]
	case endIn(segments, "alerts", "notify"):
		d = intake.Delivery{Endpoint: integration.Legacy}
		segments = segments[:len(segments)-2]
	case len(segments) > 4 && endIn(segments[:len(segments)-2], "alerts", "notify"):
		d = intake.Delivery{Endpoint: segments[len(segments)-1]}
		segments = segments[:len(segments)-4]
	default:
		return intake.Delivery{}, false
	}
	d.Project = strings.Join(segments, "/")
	return d, len(segments) > 1 && isIdentifier(d.Endpoint, d.Metrics)
}

// endIn reports whether the last segments are these.
func endIn(segments []string, words ...string) bool {
	if len(segments) < len(words) {
		return false
	}
	for i, segment := range segments[len(segments)-len(words):] {
		if segment != words[i] {
			return false
		}
	}
	return true
}

// isIdentifier reports whether an address can name the endpoint: letters and
// digits alone, but for the one that has an address of its own.
func isIdentifier(endpoint string, metrics bool) bool {
	if metrics {
		return true
	}
	return endpoint != "" && strings.IndexFunc(endpoint, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
}
