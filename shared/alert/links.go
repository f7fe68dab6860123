package alert

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"gatehouse/shared/payload"
)

// Links lead to the tools that sent an alert. Each is a web address, or empty.
type Links struct {
	Silence   string // where the tool is told to be silent about the alert
	Dashboard string
	Panel     string
	Source    string // the rule or the query that fired
	External  string // the tool that groups notifications
}

// links returns those that the payload has, and those that follow from what is kept of its
// group.
func (a Alert) links(i item) Links {
	links := Links{
		Silence: i.webLink("silenceURL"), Dashboard: i.webLink("dashboardURL"), Panel: i.webLink("panelURL"),
		Source: i.webLink("generatorURL"), External: a.ExternalURL,
	}
	if links.Silence == "" && a.FromAlertmanager() {
		links.Silence = i.silenceIn(a.ExternalURL)
	}
	return links
}

// FromAlertmanager reports whether the alert's ExternalURL is that of an Alertmanager: of what
// speaks the metrics format, all but Grafana call themselves with its address.
func (a Alert) FromAlertmanager() bool { return a.MonitoringTool == prometheus && a.ExternalURL != "" }

func (i item) webLink(name string) string { return WebLink(text(i.object[name])) }

// WebLink returns the address if it is that of a web page and not too long, else "".
func WebLink(address string) string {
	if payload.Head(address, maxRunbook) != address {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}

// labelName is a name that every release of Alertmanager takes.
var labelName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// silenceIn returns the address of the form of an Alertmanager in which the labels of the
// alert are filled in, as its own pages link to it. A silence for a part of the labels would
// be for other alerts too, so that there is none.
func (i item) silenceIn(alertmanager string) string {
	if strings.ContainsAny(alertmanager, "?#") || len(i.labels) == 0 {
		return ""
	}
	var matchers []string
	for _, l := range allLabels(i.labels) {
		if !labelName.MatchString(l.Name) {
			return ""
		}
		matchers = append(matchers, l.Name+"="+quote(l.Value))
	}
	filter := url.QueryEscape("{" + strings.Join(matchers, ", ") + "}")
	return WebLink(strings.TrimRight(alertmanager, "/") + "/#/silences/new?filter=" + strings.ReplaceAll(filter, "+", "%20"))
}

// allLabels lists the labels of a notification by name, exactly as they were sent.
func allLabels(sent payload.Object) []Label {
	labels := Labels{}
	for name, value := range sent {
		labels[name] = payload.Text(value)
	}
	return labels.Sorted()
}

// quote returns the text as JSON, with "<" as it is.
func quote(value string) string {
	var quoted strings.Builder
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // a text always has a form
	}
	return strings.TrimSuffix(quoted.String(), "\n")
}

// runbookIn returns the member that is the runbook: that of the interface, or as Grafana and
// the rules of Kubernetes call it. It is nil if there is none.
func runbookIn(object payload.Object) (name string, value any) {
	for _, name := range []string{string(runbook), "runbook_url"} {
		if value := object[name]; !payload.Blank(value) {
			return name, value
		}
	}
	return "", nil
}
