package alertsapi

import (
	"slices"
	"strings"

	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/secret"
)

// parseAddress reads the path of an integration's address from its end, because
// the project's path may have any number of segments (Interface: "Alert intake").
//
//	<project>/alerts/notify.json
//	<project>/alerts/notify/<name>/<endpoint identifier>.json
//	<project>/alerts/notify/<name>/<endpoint identifier>/<path key>.json
//	<project>/prometheus/alerts/notify.json
//
// The ending .json may be missing. The name has no meaning. Below these are addresses of
// calls.
func parseAddress(path string) (d intake.Delivery, ok bool) {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for n, segment := range segments {
		if segment != "v2" {
			continue
		}
		call, isCall := parseCall(segments[n:])
		if d, ok := parseOwn(segments[:n]); ok && isCall {
			d.Call = call
			return d, true
		}
	}
	return parseOwn(segments)
}

// parseOwn reads an address of an integration itself.
func parseOwn(segments []string) (d intake.Delivery, ok bool) {
	segments = slices.Clone(segments)
	if last := len(segments) - 1; last >= 0 {
		segments[last] = strings.TrimSuffix(segments[last], ".json")
	}
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
	case len(segments) > 5 && endIn(segments[:len(segments)-3], "alerts", "notify"):
		identifier := segments[len(segments)-2]
		d = intake.Delivery{
			Endpoint: identifier, Metrics: identifier == integration.LegacyMetrics, PathKey: secret.NewText(segments[len(segments)-1]),
		}
		segments = segments[:len(segments)-5]
	default:
		return intake.Delivery{}, false
	}
	d.Project = strings.Join(segments, "/")
	return d, len(segments) > 1 && isIdentifier(d.Endpoint, d.Metrics)
}

// endIn reports whether the last segments are these.
func endIn(segments []string, words ...string) bool {
	return len(segments) >= len(words) && slices.Equal(segments[len(segments)-len(words):], words)
}

// mayHoldKey reports whether a path may hold the key of an integration, perhaps one that
// is no address because somebody mistook it.
func mayHoldKey(path string) bool {
	return strings.Contains(path, integration.PathKeyPrefix) || strings.Contains(path, "/alerts/notify")
}

// isIdentifier reports whether the endpoint is letters and digits only. That of the first
// metrics integration is fixed and needs no check.
func isIdentifier(endpoint string, metrics bool) bool {
	if metrics {
		return true
	}
	return endpoint != "" && strings.IndexFunc(endpoint, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
}
