package integration_test

import (
	"strings"
	"testing"

	"gatehouse/shared/integration"
	"gatehouse/shared/project"
)

func TestPath(t *testing.T) {
	p := project.Project{FullPath: "acme/shop/Web"}
	tests := map[string]struct {
		i    integration.Integration
		want string
	}{
		"the first HTTP endpoint":   {integration.Integration{Type: integration.HTTP, Endpoint: integration.Legacy}, "/acme/shop/Web/alerts/notify.json"},
		"the first metrics webhook": {integration.Integration{Type: integration.Metrics, Endpoint: integration.LegacyMetrics}, "/acme/shop/Web/prometheus/alerts/notify.json"},
		"another HTTP endpoint":     {integration.Integration{Type: integration.HTTP, Name: "Up & running!", Endpoint: "a1b2"}, "/acme/shop/Web/alerts/notify/up-running/a1b2.json"},
		"another metrics webhook":   {integration.Integration{Type: integration.Metrics, Name: "Second", Endpoint: "a1b2"}, "/acme/shop/Web/alerts/notify/second/a1b2.json"},
		"a name without letters":    {integration.Integration{Type: integration.HTTP, Name: "世界", Endpoint: "a1b2"}, "/acme/shop/Web/alerts/notify/http-endpoint/a1b2.json"},
		"a long name":               {integration.Integration{Type: integration.HTTP, Name: strings.Repeat("ab-", 30), Endpoint: "a1b2"}, "/acme/shop/Web/alerts/notify/" + strings.Repeat("ab-", 20) + "ab/a1b2.json"},
		"an on-call link":           {integration.Integration{Type: integration.OnCallLink, Endpoint: "a1b2"}, ""},
	}
	for name, test := range tests {
		if got := test.i.Path(p); got != test.want {
			t.Errorf("%s: Path() = %q, want %q", name, got, test.want)
		}
	}
}
