package consoleapi_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
	"gatehouse/shared/payload"
	"gatehouse/shared/preset"
	"gatehouse/shared/project"
)

// nagios is a payload that calls everything something else.
const nagios = `{"event": {"name": "Disk full", "level": "high", "labels": ["web", "disk"]}, "at": "2026-01-02T03:04:05Z", "id": 17, "link": "x"}`

var (
	textField = regexp.MustCompile(`<input type="text" (?:id="[^"]*" )?name="([^"]*)" value="([^"]*)"`)
	radio     = regexp.MustCompile(`<input type="radio" name="([^"]*)" value="([^"]*)"[^>]* checked`)
	area      = regexp.MustCompile(`(?s)<textarea [^>]*name="([^"]*)"[^>]*>\n(.*?)</textarea>`)
)

// filled returns all that the form on a page has in it.
func filled(p apptest.Page, action string) url.Values {
	values := p.Fields(action)
	for _, kind := range []*regexp.Regexp{textField, radio, area} {
		for _, m := range kind.FindAllStringSubmatch(p.Body.String(), -1) {
			values.Set(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
		}
	}
	return values
}

func newMapped(t *testing.T, a *apptest.App) (project.Project, integration.Integration, *apptest.Browser, string) {
	t.Helper()
	web, b := newProject(t, a)
	i := newIntegration(t, a, web, "Uptime", integration.HTTP)
	return web, i, b, integrationPage(i) + "/mapping"
}

func TestMapAPayload(t *testing.T) {
	a := apptest.New(t)
	web, i, b, mapping := newMapped(t, a)
	b.Get(mapping).Want(200, "A sample", "Find the fields").WantNot("What becomes of it", "placeholder=\"Usual: title\"")
	b.Post(mapping, apptest.Form("sample", nagios, "do", "read")).Want(200, "What becomes of it",
		`<button name="take" value="event.name">name <bdi>Disk full</bdi></button>`, `value="event.labels[1]">1 <bdi>disk</bdi>`,
		`value="event.labels">the whole list`, "Usual: title", "New: Alert")

	chosen := apptest.Form("sample", nagios, "chosen", "1", "path_title", "event.name", "path_severity", " event.level ",
		"path_start_time", "at", "path_fingerprint", `["id"]`)
	chosen.Set("do", "preview")
	b.Post(mapping, chosen).Want(200, "<bdi>Disk full</bdi>", "High", "2026-01-02 03:04:05 UTC",
		"from <code>event.name</code>", "from <code>id</code>", "Fills no field", "<code>link</code>", "<code>event.labels</code>", "Save the mapping").
		WantNot("<code>event.level</code></li>")
	if got, _ := onlyIntegration(t, a, web); len(got.Mapping) > 0 {
		t.Errorf("a preview stored the mapping %s", got.Mapping)
	}
	if listing := alertsOf(t, a, web); len(listing) > 0 {
		t.Errorf("a preview made the alerts %v", listing)
	}

	chosen.Set("do", "save")
	b.Post(mapping, chosen).WantRedirect(integrationPage(i))
	b.Get(integrationPage(i)).Want(200, "The mapping was saved.", "<code>event.name</code>", "Change the mapping")
	var stored map[string]struct{ Path []any }
	got, _ := onlyIntegration(t, a, web)
	if err := json.Unmarshal(got.Mapping, &stored); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]struct{ Path []any }{
		"title": {[]any{"event", "name"}}, "severity": {[]any{"event", "level"}}, "start_time": {[]any{"at"}}, "fingerprint": {[]any{"id"}},
	}, stored); diff != "" {
		t.Errorf("stored mapping (-want +got):\n%s", diff)
	}
	b.Get(mapping).Want(200, `"name": "Disk full"`, `name="path_title" value="event.name"`, "<bdi>Disk full</bdi>")

	if _, err := a.Intake.Test(t.Context(), web, got, []byte(nagios)); err != nil {
		t.Fatal(err)
	}
	if alerts := alertsOf(t, a, web); len(alerts) != 1 || alerts[0].Title != "Disk full" {
		t.Errorf("the payload became %+v, want an alert with the mapped title", alerts)
	}
}

// A click in the sample fills the field that is marked, and keeps everything else.
func TestClickInTheSample(t *testing.T) {
	a := apptest.New(t)
	web, i, b, mapping := newMapped(t, a)
	form := apptest.Form("sample", nagios, "chosen", "1", "path_service", "link", "field", "title", "take", "event.name")
	b.Post(mapping, form).Want(200, `name="path_title" value="event.name"`, `name="path_service" value="link"`, `value="title" aria-label="Fill Title by a click" checked autofocus`, "<bdi>Disk full</bdi>")
	form.Set("field", "resolved_when")
	form.Set("take", "event.level")
	b.Post(mapping, form).Want(200, `name="path_resolved_when" value="event.level"`, `name="words_resolved_when" value="high"`, "A recovery")
	form.Set("words_resolved_when", `ok, "a,b"`)
	form.Set("path_resolved_when", "event.state")
	form.Del("take")
	form.Set("do", "save")
	b.Post(mapping, form).WantRedirect(integrationPage(i))
	const want = `"resolved_when":{"source":{"path":["event","state"]},"equals":["ok","a,b"]}`
	if got, _ := onlyIntegration(t, a, web); !strings.Contains(string(got.Mapping), want) {
		t.Errorf("the mapping is %s, want %s in it", got.Mapping, want)
	}
	b.Get(mapping).Want(200, `name="words_resolved_when" value="ok, "a,b""`)

	// Where the payload is several alerts, a place goes on from each of them.
	split := apptest.Form("sample", `{"site": "A", "list": [{"name": "one"}]}`, "chosen", "1", "path_split", "list", "field", "title", "take", "list[0].name", "base", `{"split":{"path":["list"]}}`)
	b.Post(mapping, split).Want(200, `name="path_title" value="name"`, "<bdi>one</bdi>")
	split.Set("field", "service")
	split.Set("take", "site")
	b.Post(mapping, split).Want(200, `name="path_service" value="whole:site"`, "<bdi>A</bdi>")
}

func TestUnmapAPayload(t *testing.T) {
	a := apptest.New(t)
	web, i, b, mapping := newMapped(t, a)
	b.Post(mapping, apptest.Form("sample", nagios, "chosen", "1", "path_title", "event.name", "do", "save")).WantRedirect(integrationPage(i))

	// Another sample keeps what is mapped.
	b.Post(mapping, apptest.Form("sample", `{"other": 1}`, "do", "read")).Want(200, `name="path_title" value="event.name"`, "New: Alert")

	b.Post(mapping, apptest.Form("sample", nagios, "chosen", "1", "do", "save")).WantRedirect(integrationPage(i))
	if got, _ := onlyIntegration(t, a, web); len(got.Mapping) > 0 {
		t.Errorf("the mapping is %s, want none", got.Mapping)
	}
}

func TestTheLastReceivedPayloadIsTheSample(t *testing.T) {
	a := apptest.New(t)
	web, i, b, mapping := newMapped(t, a)
	b.Get(mapping+"?sample=latest").Want(200, "no payload to show")
	if _, err := a.Intake.Test(t.Context(), web, i, []byte(nagios)); err != nil {
		t.Fatal(err)
	}
	b.Get(mapping+"?sample=latest").Want(200, `"name": "Disk full"`, `value="event.name">name <bdi>Disk full`)
}

func TestMappingComplains(t *testing.T) {
	a := apptest.New(t)
	_, _, b, mapping := newMapped(t, a)
	tests := map[string]string{
		"":                                       "Paste a payload of the tool first.",
		"[1]":                                    "The payload must be a JSON object.",
		`{"a": `:                                 "The payload is not valid JSON at line 1, column 5.",
		strings.Repeat(`{"a":`, 101) + "1" + "}": "nested more than 100 levels deep",
	}
	for sample, says := range tests {
		b.Post(mapping, apptest.Form("sample", sample, "do", "read")).Want(422, says)
	}
}

func TestPreviewOfTheMetricsFormat(t *testing.T) {
	a := apptest.New(t)
	_, _, b, mapping := newMapped(t, a)
	const metrics = `{"version": "4", "groupKey": "", "status": "firing", "receiver": "", "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {},
		"externalURL": "", "alerts": [{"labels": {"alertname": "Down"}, "startsAt": "2026-01-02T03:04:05Z"}, {}]}`
	b.Post(mapping, apptest.Form("sample", metrics, "chosen", "1", "do", "preview")).Want(200, "metrics-alerting format", "holds 2 notifications", "1 without a title", "<bdi>Down</bdi>")
}

func TestWhatHasNoMappingHasNoPageForOne(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	i := newIntegration(t, a, web, "Link", integration.OnCallLink)
	b.Get(integrationPage(i) + "/mapping").Want(404)
	b.Post(integrationPage(i)+"/mapping", apptest.Form("sample", "{}", "do", "save")).Want(404)
}

// An inactive integration keeps its mapping and gets no other one.
func TestMappingNeedsAnActiveIntegration(t *testing.T) {
	a := apptest.New(t)
	_, i, b, mapping := newMapped(t, a)
	b.Post(integrationPage(i), apptest.Form("type", "http", "name", "Uptime")).WantRedirect(integrationPage(i))
	b.Post(mapping, apptest.Form("sample", nagios, "chosen", "1", "path_title", "event.name", "do", "save")).Want(422, "The mapping needs an active integration.")
}

func TestSamplesAreEscaped(t *testing.T) {
	a := apptest.New(t)
	_, _, b, mapping := newMapped(t, a)
	const hostile = `{"</textarea><script>alert(1)</script>": "\"><img src=x onerror=alert(1)>", "title": "<b>T</b>"}`
	for _, do := range []string{"read", "preview"} {
		shown := b.Post(mapping, apptest.Form("sample", hostile, "chosen", "1", "do", do)).Want(200)
		for _, tag := range []string{"<script>alert", "<img", "<b>T"} {
			if strings.Contains(shown.Body.String(), tag) {
				t.Errorf("%s is not escaped after %s", tag, do)
			}
		}
	}
}

// Who maps a payload learns first, and not at the end, that it cannot be kept.
func TestTheMappingOfAnIntegrationThatIsNotActive(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	i := newIntegration(t, a, web, "Uptime", integration.HTTP)
	b.Get(integrationPage(i) + "/mapping").Want(200).WantNot("is not active")
	b.Post(integrationPage(i), apptest.Form("type", "http", "name", "Uptime")).WantRedirect(integrationPage(i))
	b.Get(integrationPage(i)+"/mapping").Want(200, "is not active", `href="`+integrationPage(i)+`"`)
}

// A payload that would be a hundred times as long with indentation is shown as
// it came: it could neither be answered nor sent back.
func TestSamplesAreIndentedWithinLimits(t *testing.T) {
	a := apptest.New(t)
	web, i, b, mapping := newMapped(t, a)
	for _, ones := range []int{20_000, 60_000} {
		deep := `{"a": ` + strings.Repeat("[", 98) + strings.Repeat("1,", ones) + "1" + strings.Repeat("]", 98) + `}`
		fire(t, a, web, i, deep)
		if got := b.Get(mapping+"?sample=latest&text=1").Want(200, "1,1,1").Body.Len(); got > 2*len(deep)+40_000 {
			t.Errorf("the page of a payload of %d bytes has %d", len(deep), got)
		}
	}
}

// A payload of long names, one in another, has a page of a size that a function
// can answer: each of its fields is there once for each field of an alert.
func TestAPayloadOfLongNamesHasAPage(t *testing.T) {
	a := apptest.New(t)
	web, i, b, mapping := newMapped(t, a)
	leaves := `{"0":0`
	for n := range 500 {
		leaves += fmt.Sprintf(`,"%03d":1`, n)
	}
	nested := strings.Repeat(`{"`+strings.Repeat("&", 250)+`":`, 18) + leaves + `}` + strings.Repeat(`}`, 18)
	wide := `{"title":"T"`
	for n := 0; len(wide) < payload.MaxBytes-2000; n++ {
		wide += fmt.Sprintf(`,"%d%s":"%s"`, n, strings.Repeat("+", 900), strings.Repeat("+", 1020))
	}
	for name, text := range map[string]string{"nested": nested, "wide": wide + "}"} {
		fire(t, a, web, i, text)
		for _, page := range []apptest.Page{
			b.Get(mapping + "?sample=latest"),
			b.Post(mapping, apptest.Form("sample", text, "chosen", "1", "do", "preview")),
		} {
			if got := page.Want(200, "Severity").Body.Len(); got > 6_000_000 {
				t.Errorf("the page of a %s payload has %d bytes, more than a function can answer", name, got)
			}
		}
	}
}

// What a tool may send is mapped and tested on the pages too, through what API
// Gateway lets pass: a form is three times as long.
func TestAPayloadOfAMegabytePassesThroughThePages(t *testing.T) {
	a := apptest.New(t)
	web, i, b, mapping := newMapped(t, a)
	b.Handler = apptest.ThroughGateway(b.Handler)
	head, tail := `{"title": "Large", "end": "`, `"}`
	n := payload.MaxBytes - len(head) - len(tail)
	large := head + strings.Repeat("ü", n/2) + strings.Repeat("x", n%2) + tail
	b.Post(mapping, apptest.Form("sample", large, "chosen", "1", "path_description", `["title"]`, "do", "save")).WantRedirect(integrationPage(i))
	b.Get(mapping).Want(200, "Large")
	test := apptest.Form("integration", fmt.Sprint(i.ID), "payload", large)
	b.Post(alertsPage+"/test", test).Want(200, "Opened")
	test.Set("payload", large+" ")
	b.Post(alertsPage+"/test", test).Want(400, "1 MiB")
	if got := alertsOf(t, a, web); len(got) != 1 || got[0].Description != "Large" {
		t.Errorf("the tests left %+v, want one alert with the mapped description", got)
	}
}

// A mapping that came over REST has no sample. Its page shows it all the same, and takes
// it away.
func TestAMappingWithoutASample(t *testing.T) {
	a := apptest.New(t)
	web, i, b, mapping := newMapped(t, a)
	text := []byte(`{"title":{"path":["event","name"],"type":"string"},"severity":{"path":["level"],"type":"string"}}`)
	if _, err := a.Integrations.Change(t.Context(), audit.Setup, web, i.ID, integration.Change{Mapping: &text}); err != nil {
		t.Fatal(err)
	}
	b.Get(mapping).Want(200, "There is no sample", `value="event.name"`, `value="level"`, "Save the mapping")
	b.Post(mapping, apptest.Form("chosen", "1", "path_title", "event.name", "do", "save")).WantRedirect(integrationPage(i))
	b.Get(integrationPage(i)).Want(200, "event.name").WantNot("<code>level</code>")
	b.Post(mapping, apptest.Form("chosen", "1", "do", "preview")).Want(422, "Paste a payload of the tool first.")
	b.Post(mapping, apptest.Form("chosen", "1", "do", "save")).WantRedirect(integrationPage(i))
	if got, _ := onlyIntegration(t, a, web); len(got.Mapping) > 0 {
		t.Errorf("the mapping is %s, want none", got.Mapping)
	}
}

const written = `{"severity":{"sources":[{"path":["event","level"]}],"values":{"high":"critical"}},"title":{"sources":[{"template":"{event.name} ({id})"}]},` +
	`"resolved_when":{"source":{"path":["event","state"]},"equals":["OK"]},"ignore_when":{"source":{"path":["event","name"]},"equals":["Test"]}}`

// A mapping that cannot be chosen from a sample is shown as it is, and kept.
func TestWriteAMapping(t *testing.T) {
	a := apptest.New(t)
	web, i, b, mapping := newMapped(t, a)
	b.Get(mapping+"?as=json").Want(200, "The mapping as JSON", "Choose the fields instead")
	form := apptest.Form("as", "json", "sample", nagios, "mapping", `{"title": {"sources": "x"}}`, "do", "preview")
	b.Post(mapping, form).Want(422, "title.sources must be a list of sources", `{"title": {"sources": "x"}}`)
	form.Set("mapping", "{")
	b.Post(mapping, form).Want(422, "must be a JSON object")
	form.Set("mapping", written)
	b.Post(mapping, form).Want(200, "Disk full (17)", "from <code>{event.name} ({id})</code>", "from <code>event.level</code>", "Critical").WantNot("acknowledges")
	form.Set("do", "save")
	b.Post(mapping, form).WantRedirect(integrationPage(i))
	b.Get(integrationPage(i)).Want(200, "{event.name} ({id})", "event.level, by a table", "Resolved when", "event.state is OK", "Ignored when")
	b.Get(mapping).Want(200, `name="path_title" value="{event.name} ({id})"`, "high → critical", `name="words_ignore_when" value="Test"`)
	form.Set("do", "preview")
	for sample, says := range map[string]string{
		`{"event":{"name":"Test"}}`:                    "the mapping ignores this payload",
		`{"event":{"name":"A","state":"ok"},"id":1}`:   "A recovery",
		`{"event":{"name":"A","state":"down"},"id":1}`: "nothing was recorded",
		``: "Paste a payload",
	} {
		form.Set("sample", sample)
		b.Post(mapping, form).Want(map[bool]int{true: 200, false: 422}[sample != ""], says)
	}
	form.Set("mapping", "")
	form.Set("do", "save")
	b.Post(mapping, form).WantRedirect(integrationPage(i))
	if now, _ := onlyIntegration(t, a, web); len(now.Mapping) > 0 {
		t.Errorf("the mapping is %s, want none", now.Mapping)
	}
}

func TestPreviewOfASplitPayload(t *testing.T) {
	a := apptest.New(t)
	_, _, b, mapping := newMapped(t, a)
	const split = `{"split":{"path":["list"]},"acknowledged_when":{"source":{"path":["state"]},"equals":["ack"]},"ignore_when":{"source":{"path":["state"]},"equals":["ok"]}}`
	b.Post(mapping, apptest.Form("as", "json", "mapping", split, "do", "preview", "sample", `{"list": [{"title": "A", "state": "ack"}, {"state": "ok"}, 5]}`)).
		Want(200, "It acknowledges the open alert", "holds 3 notifications", "ignores 1", "1 not an object", "list[0].title")
}

// The mapping of a metrics-alerting webhook is of titles and severities, and is written.
func TestMapAMetricsWebhook(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	i := newIntegration(t, a, web, "Metrics", integration.Metrics)
	mapping := integrationPage(i) + "/mapping"
	b.Get(mapping).Want(200, "has its own rules").WantNot("An alert for each of", "path_hosts")
	const metrics = `{"version": "4", "groupKey": "", "status": "firing", "receiver": "", "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {},
		"externalURL": "", "alerts": [{"labels": {"alertname": "Down", "severity": "warning"}, "startsAt": "2026-01-02T03:04:05Z"}]}`
	form := apptest.Form("as", "json", "sample", metrics, "mapping", `{"severity":{"values":{"warning":"medium"}}}`, "do", "preview")
	b.Post(mapping, form).Want(200, "Medium", "<bdi>Down</bdi>")
	form.Set("mapping", `{"hosts":{"default":"x"}}`)
	form.Set("do", "save")
	b.Post(mapping, form).Want(422, "of a metrics integration has title, severity and ignore_when alone")
}

// What the fields cannot say is shown beside them, and stays when they are saved.
func TestChoosingLosesNothing(t *testing.T) {
	a := apptest.New(t)
	web, i, b, page := newMapped(t, a)
	const text = `{"fingerprint":{"sources":[{"path":["id"]}],"scope":"integration"},"severity":{"sources":[{"path":["event","level"]},{"path":["x"],"of":"whole"}],"values":{"high":"critical"},"default":"low"},` +
		`"start_time":{"sources":[{"path":["at"]}],"time":{"zone":"Europe/Berlin"}},"title":{"sources":[{"template":"{event.name} ({id})"}]},` +
		`"resolved_when":{"source":{"path":["event","state"]},"equals":["OK","a, b"]},"ignore_when":{"source":{"template":"{event.name}"},"equals":["Test"]},"split":{"path":["list"]}}`
	stored := []byte(text)
	if _, err := a.Integrations.Change(t.Context(), audit.Setup, web, i.ID, integration.Change{Mapping: &stored}); err != nil {
		t.Fatal(err)
	}
	was, _ := onlyIntegration(t, a, web)
	shown := b.Get(page).Want(200, "else whole:x; high → critical; else \"low\"", "of this integration alone", "times in Europe/Berlin", `name="words_resolved_when" value="OK, "a, b""`)
	form := filled(shown, page)
	form.Set("do", "save")
	b.Post(page, form).WantRedirect(integrationPage(i))
	if now, _ := onlyIntegration(t, a, web); string(now.Mapping) != string(was.Mapping) {
		t.Errorf("saving what is shown makes the mapping %s, want %s", now.Mapping, was.Mapping)
	}

	form = filled(b.Get(page), page)
	form.Set("path_severity", "event.prio")
	form.Set("do", "save")
	b.Post(page, form).WantRedirect(integrationPage(i))
	want := strings.Replace(string(was.Mapping), `{"path":["event","level"]}`, `{"path":["event","prio"]}`, 1)
	if now, _ := onlyIntegration(t, a, web); string(now.Mapping) != want {
		t.Errorf("another source makes the mapping %s, want %s", now.Mapping, want)
	}

	// So it is on the way to a text and back, before anything is saved.
	form = filled(b.Get(page), page)
	form.Set("path_title", "{event.title}")
	form.Set("sample", nagios)
	form.Set("do", "json")
	written := filled(b.Post(page, form).Want(200, "The mapping as JSON", "{event.title}"), page)
	written.Set("do", "choose")
	back := filled(b.Post(page, written).Want(200, `name="path_title" value="{event.title}"`, "high → critical", `name="base"`), page)
	back.Set("do", "save")
	b.Post(page, back).WantRedirect(integrationPage(i))
	if now, _ := onlyIntegration(t, a, web); string(now.Mapping) != strings.Replace(want, "{event.name} ({id})", "{event.title}", 1) {
		t.Errorf("the way to a text and back makes the mapping %s", now.Mapping)
	}
}

// A page that was open for long does not undo what was saved meanwhile.
func TestAMappingThatWasChangedMeanwhile(t *testing.T) {
	a := apptest.New(t)
	web, i, b, page := newMapped(t, a)
	form := filled(b.Post(page, apptest.Form("sample", nagios, "do", "read")).Want(200), page)
	text := []byte(`{"title":{"path":["event","name"],"type":"STRING"}}`)
	if _, err := a.Integrations.Change(t.Context(), audit.Setup, web, i.ID, integration.Change{Mapping: &text}); err != nil {
		t.Fatal(err)
	}
	form.Set("path_title", "link")
	form.Set("do", "save")
	again := filled(b.Post(page, form).Want(422, "was changed since", `name="path_title" value="event.name"`), page)
	again.Set("do", "save")
	b.Post(page, again).WantRedirect(integrationPage(i))
	if now, _ := onlyIntegration(t, a, web); !strings.Contains(string(now.Mapping), `"name"`) {
		t.Errorf("the mapping is %s", now.Mapping)
	}
}

// What is wrong with a field is said beside it, and what was typed stays.
func TestWrongPlaces(t *testing.T) {
	a := apptest.New(t)
	_, _, b, page := newMapped(t, a)
	b.Post(page, apptest.Form("sample", nagios, "chosen", "1", "path_title", "event.", "path_severity", "{level", "path_resolved_when", "state", "words_ignore_when", "x", "path_split", "a[", "do", "save")).
		Want(422, `id="path_title-complaint"`, `value="event."`, "Severity has a { without a }", "Resolved when needs the words", "Ignored when needs a place", `id="path_split-complaint"`, "Nothing was saved yet")
}

// The page shows what each sample of the preset would do with the mapping that is edited.
func TestSamplesOfThePreset(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	draft, err := preset.Fill(integration.Draft{Preset: "zabbix", Active: true})
	if err != nil {
		t.Fatal(err)
	}
	i, err := a.Integrations.Create(t.Context(), audit.Setup, web, draft)
	if err != nil {
		t.Fatal(err)
	}
	page := integrationPage(i) + "/mapping"
	shown := b.Get(page).Want(200, "Zabbix’s samples", "resolves the alert", "changes nothing")
	shown.WantNot("not as expected")
	form := filled(shown, page)
	form.Set("path_resolved_when", "")
	form.Set("words_resolved_when", "")
	b.Post(page, form).Want(200, "not as expected", "With the mapping of the preset it resolves the alert.")
	form.Set("use", "recovery")
	b.Post(page, form).Want(200, "What becomes of it")
}

// Before a mapping is saved, the page says what it changes for what was received.
func TestWhatChangesForTheLastPayloads(t *testing.T) {
	a := apptest.New(t)
	web, i, b, page := newMapped(t, a)
	form := apptest.Form("sample", nagios, "chosen", "1", "path_title", "event.name")
	b.Post(page, form).Want(200, "None of the project’s latest alerts came through this integration")
	fire(t, a, web, i, nagios)
	fire(t, a, web, i, `{"title":"Other"}`)
	b.Post(page, form).Want(200, "Of the last 2 that were kept 1 would become something else, and 1 the same", "<dt>Title</dt>", "<bdi>New: Alert</bdi> → <bdi>Disk full</bdi>")
	form.Set("path_title", "id")
	form.Set("path_resolved_when", "event.level")
	form.Set("words_resolved_when", "high")
	b.Post(page, form).Want(200, "opens an alert or counts", "resolves the alert")
	form = apptest.Form("sample", nagios, "chosen", "1", "path_description", "nothing.here")
	b.Post(page, form).Want(200, "Nothing: of the last 2 that were kept, the same becomes")
	b.Get(page).Want(200).WantNot("What changes")
}

// From the page of an alert its payload goes through the mapping again.
func TestReplayAPayload(t *testing.T) {
	a := apptest.New(t)
	web, i, b, page := newMapped(t, a)
	fire(t, a, web, i, nagios)
	b.Get(alertsPage+"/1").Want(200, "See what the mapping makes of it now", `href="`+page+`?alert=1"`)
	b.Get(page+"?alert=1").Want(200, "The payload that opened", "New: Alert", "Replay this payload", "Take the payload once more?")
	b.Get(page + "?alert=1&payload=latest").Want(404)
	b.Get(page + "?alert=2").Want(404)
	b.Get(page + "?alert=x").Want(404)
	b.Post(integrationPage(i)+"/replay", apptest.Form("alert", "1")).WantRedirect(alertsPage + "/1")
	b.Get(alertsPage+"/1").Want(200, "The payload was replayed, and counted on this alert.", "2, the last one")
	a.Pass(time.Minute)
	fire(t, a, web, i, nagios)
	b.Get(alertsPage+"/1").Want(200, `href="`+page+`?alert=1&payload=latest"`)
	b.Get(page+"?alert=1&payload=latest").Want(200, "The newest repeat of", `name="payload" value="latest"`)
	b.Post(page, apptest.Form("sample", nagios, "chosen", "1", "path_title", "event.name", "path_resolved_when", "event.level", "words_resolved_when", "high", "do", "save")).WantRedirect(integrationPage(i))
	b.Post(integrationPage(i)+"/replay", apptest.Form("alert", "1", "payload", "latest")).WantRedirect(alertsPage + "/1")
	b.Get(alertsPage+"/1").Want(200, "The payload was replayed, and resolved this alert.")
	b.Post(integrationPage(i)+"/replay", apptest.Form("alert", "1")).WantRedirect(alertsPage + "/1")
	b.Get(alertsPage+"/1").Want(200, "The payload was replayed, and refused")
	b.Post(integrationPage(i)+"/replay", apptest.Form("alert", "9")).Want(404)
}

// A sample of hostile size has a light page, and its places can still be typed.
func TestAHostileSampleHasALightPage(t *testing.T) {
	a := apptest.New(t)
	_, i, b, page := newMapped(t, a)
	wide := `{"deep":` + strings.Repeat(`{"n":`, 90) + "1" + strings.Repeat("}", 90)
	for n := range 500 {
		wide += fmt.Sprintf(`,"%03d%s":"%s"`, n, strings.Repeat("&", 200), strings.Repeat("<", 300))
	}
	wide += `,"z":{"title":"Typed"}}`
	b.Post(page, apptest.Form("sample", wide, "chosen", "1", "path_title", "z.title", "do", "save")).WantRedirect(integrationPage(i))
	shown := b.Get(page).Want(200, "<bdi>Typed</bdi>", "more. Their places can be typed", "too long to be shown here")
	if got := shown.Body.Len(); got > 30<<10 {
		t.Errorf("the page has %d bytes, want at most 30 KB", got)
	}
	form := filled(shown, page)
	form.Set("path_service", `["499`+strings.Repeat("&", 200)+`"]`)
	b.Post(page, form).Want(200, "<<<", "<bdi>Typed</bdi>")
}
