package alert_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/alert"
)

// Whatever is in a payload, reading it ends soon. The limit is generous so that
// a busy machine does not fail the test.
func TestNoPayloadIsExpensive(t *testing.T) {
	fill := func(part string, wrap func(string) string) string {
		return wrap(strings.TrimSuffix(strings.Repeat(part, (1<<17-300)/len(part)), ","))
	}
	member := func(name string) func(string) string {
		return func(list string) string { return fmt.Sprintf(`{%q:[%s]}`, name, list) }
	}
	var aliases strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&aliases, `"w%d_environment_name":1,`, i)
	}
	deep := strings.Repeat("[", 98) + strings.Repeat("]", 98) + ","
	tests := map[string]string{
		"many hosts":                 fill(`"a",`, member("hosts")),
		"many deep hosts":            fill(deep, member("hosts")),
		"a fingerprint of arrays":    fill(`[],`, member("fingerprint")),
		"a fingerprint of strings":   fill(`"a",`, member("fingerprint")),
		"a title of an object":       fill(`{"<":1},`, member("title")),
		"a title of one number":      fill("7", func(digits string) string { return `{"title":` + digits + `}` }),
		"a long number":              fill("7", func(digits string) string { return `{"x":1.` + digits + `e` + digits[:9] + `}` }),
		"one member again and again": fill(`"a":1,`, func(members string) string { return `{` + members + `}` }),
		"many names of environments": `{` + strings.TrimSuffix(aliases.String(), ",") + `}`,
		"items that are nothing":     fill(`0,`, func(list string) string { return webhook(list) }),
		"equal items":                fill(`{"labels":{"alertname":"A"},"startsAt":0},`, func(list string) string { return webhook(list) }),
		"equal recoveries":           fill(`{"labels":{"alertname":"A"},"startsAt":0,"status":"resolved"},`, func(list string) string { return webhook(list) }),
		"only opening brackets":      strings.Repeat("[", 1<<17),
		"only quotes":                strings.Repeat(`"`, 1<<17),
		"only bytes that are none":   strings.Repeat("\xff", 1<<17),
		"only backslashes":           `{"a":"` + strings.Repeat(`\`, 1<<17-100),
	}
	for name, body := range tests {
		began := time.Now()
		_, err := alert.ReadPreview([]byte(body), reading(alert.Plain))
		if took := time.Since(began); took > time.Minute { // under the race detector, on a busy machine: seconds
			t.Errorf("%s of %d bytes took %v, %v", name, len(body), took, err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	plain := `{"title":"Disk full","description":"No space on /var","start_time":"2026-11-21T09:30:00+01:00","service":"mail",` +
		`"monitoring_tool":"diskwatch","hosts":["mail-1","mail-2"],"severity":"high","platform_environment_name":"production","custom":{"free":0.5}}`
	var items []string
	for i := range 100 {
		items = append(items, fmt.Sprintf(`{"status":"firing","labels":{"alertname":"HighErrorRate","instance":"web-%[1]d:9090","job":"checkout","severity":"page"},`+
			`"annotations":{"summary":"Error rate on web-%[1]d","description":"More than 5 %% of the requests fail."},"startsAt":"2026-11-21T10:58:07.313Z",`+
			`"endsAt":"0001-01-01T00:00:00Z","generatorURL":"http://prometheus.acme.example:9090/graph?g0.expr=up&g0.tab=1","fingerprint":"%016[1]x"}`, i))
	}
	for name, body := range map[string]string{"plain": plain, "webhook of 100": webhook(items...)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := alert.Parse([]byte(body), reading(alert.Plain)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
