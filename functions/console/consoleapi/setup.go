package consoleapi

import (
	"strings"
	"time"

	"gatehouse/shared/integration"
	"gatehouse/shared/secret"
)

// setup is the configuration with which a tool reaches an integration. Every
// part contains the authorization key.
type setup struct {
	Key          string
	Curl         string
	Alertmanager string // a receiver of its configuration
	InURL        string // the address with the key
}

func newSetup(i integrationView, key secret.Text, now time.Time) setup {
	k := key.Reveal()
	return setup{
		Key:          k,
		Curl:         curl(i, k, now),
		Alertmanager: alertmanager(i.URL, k),
		InURL:        strings.Replace(i.URL, "://", "://gatehouse:"+k+"@", 1),
	}
}

// curl returns a command that sends an alert.
func curl(i integrationView, key string, now time.Time) string {
	return `curl -H "Authorization: Bearer ` + key + "\" \\\n" +
		"  -H \"Content-Type: application/json\" \\\n" +
		"  -d '" + examplePayload(i.Integration, now) + "' \\\n" +
		"  " + i.URL
}

// alertmanager returns a receiver that posts to the address.
func alertmanager(address, key string) string {
	return "receivers:\n" +
		"  - name: gatehouse\n" +
		"    webhook_configs:\n" +
		"      - url: " + address + "\n" +
		"        send_resolved: true\n" +
		"        http_config:\n" +
		"          authorization:\n" +
		"            type: Bearer\n" +
		"            credentials: " + key
}

// examplePayload returns a payload for the integration. It contains no
// apostrophe, because the curl command puts it between apostrophes.
func examplePayload(i integration.Integration, now time.Time) string {
	if i.Type != integration.Metrics {
		return `{
  "title": "Disk almost full on web-1",
  "description": "93% of /var is used.",
  "severity": "high",
  "service": "web",
  "hosts": ["web-1"],
  "fingerprint": "disk-web-1"
}`
	}
	return `{
  "version": "4", "groupKey": "example", "status": "firing", "receiver": "gatehouse",
  "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {}, "externalURL": "",
  "alerts": [{
    "status": "firing",
    "labels": {"alertname": "DiskAlmostFull", "instance": "web-1", "severity": "warning"},
    "annotations": {"summary": "Disk almost full on web-1"},
    "startsAt": "` + now.UTC().Format(time.RFC3339) + `"
  }]
}`
}
