package route_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gatehouse/shared/telemetry"
)

// page is the page for whoever operates a deployment.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "functions/docs/operate.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Whoever an alarm wakes finds what to do: its description leads to a section about it.
func TestEveryAlarmHasItsSection(t *testing.T) {
	sections := regexp.MustCompile(`(?m)^### (.+)$`).FindAllStringSubmatch(page(t), -1)
	known := map[string]bool{}
	for _, s := range sections {
		known[strings.ToLower(strings.ReplaceAll(s[1], " ", "-"))] = true
	}
	led := map[string]string{}
	for id, alarm := range resources(t, "AWS::CloudWatch::Alarm") {
		text := fmt.Sprint(alarm.Properties["AlarmDescription"])
		link := regexp.MustCompile(`\$\{Runbook\}#([a-z-]+)`).FindStringSubmatch(text)
		if link == nil || !known[link[1]] {
			t.Errorf("%s leads to no section of operate.md: %s", id, text)
			continue
		}
		if other := led[link[1]]; other != "" {
			t.Errorf("%s leads to the section of %s", id, other)
		}
		led[link[1]] = id
		for _, told := range []string{"AlarmActions", "OKActions"} {
			if actions := fmt.Sprint(alarm.Properties[told]); !strings.Contains(actions, "AlarmTopicArn") || !strings.Contains(actions, "AlarmTopic ") && !strings.Contains(actions, "AlarmTopic]") {
				t.Errorf("%s: %s are %s, want the topics", id, told, actions)
			}
		}
	}
	if len(led) < 9 {
		t.Errorf("%d alarms, want errors, throttles, latency, messages, passwords and the store", len(led))
	}
}

var metrics = []telemetry.Metric{
	telemetry.Latency, telemetry.ClientErrors, telemetry.ServerErrors, telemetry.PasswordTime, telemetry.PasswordWait,
	telemetry.StoreThrottled, telemetry.StoreConflicts, telemetry.MessagesHandled, telemetry.MessagesFailed,
	telemetry.DeadLetters, telemetry.OldestDue, telemetry.AlertsTaken, telemetry.AlertsRefused,
}

// Alarms and the dashboard name metrics that functions tell, and the page explains them.
func TestMetricsAreThoseOfTheFunctions(t *testing.T) {
	told := map[string]bool{}
	for _, m := range metrics {
		told[string(m)] = true
		if !strings.Contains(page(t), "| `"+string(m)+"` |") {
			t.Errorf("operate.md does not list %s", m)
		}
	}
	for id, alarm := range resources(t, "AWS::CloudWatch::Alarm") {
		namespace, name := alarm.Properties["Namespace"], alarm.Properties["MetricName"]
		if namespace == "Gatehouse/${AWS::StackName}" && !told[fmt.Sprint(name)] {
			t.Errorf("%s watches %v, which no function tells", id, name)
		}
	}
	for id, dashboard := range resources(t, "AWS::CloudWatch::Dashboard") {
		body := fmt.Sprint(dashboard.Properties["DashboardBody"])
		if !json.Valid([]byte(body)) {
			t.Errorf("%s is not JSON: %s", id, body)
		}
		for _, found := range regexp.MustCompile(`"Gatehouse/[^"]*","(\w+)"`).FindAllStringSubmatch(body, -1) {
			if !told[found[1]] {
				t.Errorf("%s shows %s, which no function tells", id, found[1])
			}
		}
	}
}
