package alertsapi_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/functions/alerts/alertsapi"
	"gatehouse/shared/alert"
	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/fault"
	"gatehouse/shared/intake"
	"gatehouse/shared/integration"
	"gatehouse/shared/page"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
	"gatehouse/shared/storage"
)

// site is a project with integrations, and the handler that takes its alerts.
type site struct {
	*apptest.App
	handler http.Handler
	project project.Project
}

func newSite(t *testing.T) *site {
	t.Helper()
	a := apptest.New(t)
	team := a.Group("team", a.Group("acme", project.Group{}, a.User("ada"), project.Private), a.User("ben"), project.Private)
	return &site{a, alertsapi.New(a.App), a.Project("Web", team, project.Private)}
}

// integration adds an integration and returns it with its key.
func (s *site) integration(t *testing.T, d integration.Draft) (integration.Integration, string) {
	t.Helper()
	if d.Name == "" {
		d.Name = "Uptime"
	}
	i, err := s.Integrations.Create(t.Context(), audit.Setup, s.project, d)
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.Integrations.Key(i)
	if err != nil {
		t.Fatal(err)
	}
	return i, key.Reveal()
}

func (s *site) http(t *testing.T) (integration.Integration, string) {
	t.Helper()
	return s.integration(t, integration.Draft{Type: integration.HTTP, Active: true})
}

func (s *site) metrics(t *testing.T) (integration.Integration, string) {
	t.Helper()
	return s.integration(t, integration.Draft{Type: integration.Metrics, Active: true, APIURL: "https://metrics.example"})
}

// post sends a JSON body with a Bearer key.
func (s *site) post(t *testing.T, path, key, body string) apptest.Answer {
	t.Helper()
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return apptest.Send(t, s.handler, r)
}

func (s *site) alerts(t *testing.T) []alert.Alert {
	t.Helper()
	found, err := s.Store.Alerts(t.Context(), s.project.ID, alert.Query{Descending: true}, page.Request{Number: 1, Size: 1000}, s.Now())
	if err != nil {
		t.Fatal(err)
	}
	return found.Items
}

func (s *site) wantAlerts(t *testing.T, want int) {
	t.Helper()
	if got := s.alerts(t); len(got) != want {
		t.Errorf("the project has %d alerts, want %d", len(got), want)
	}
}

func said(message string) any { return map[string]any{"message": message} }

func touched(pairs ...any) any {
	items := []any{}
	for i := 0; i < len(pairs); i += 2 {
		items = append(items, map[string]any{"iid": float64(pairs[i].(int)), "title": pairs[i+1]})
	}
	return items
}

func TestAddressesOfAnIntegration(t *testing.T) {
	s := newSite(t)
	_, first := s.http(t)
	second, key := s.integration(t, integration.Draft{Name: "Second one", Type: integration.HTTP, Active: true})
	named := second.Endpoint
	_, metrics := s.metrics(t)
	tests := []struct {
		path, key string
		status    int
	}{
		{"/acme/team/Web/alerts/notify.json", first, 200},
		{"/acme/team/Web/alerts/notify", first, 200},
		{"/acme/team/Web/alerts/notify.json/", first, 200},
		{"/ACME/Team/web/alerts/notify.json", first, 200},
		{"/acme%2Fteam%2FWeb/alerts/notify.json", first, 200},
		{"/acme/team/Web/alerts/notify/second-one/" + named + ".json", key, 200},
		{"/acme/team/Web/alerts/notify/another-name/" + named, key, 200},
		{"/acme/team/Web/alerts/notify/x/legacy.json", first, 200},
		{"/acme/team/Web/alerts/notify/second-one/" + named + ".json", first, 401},
		{"/acme/team/Web/alerts/notify/second-one/0123456789abcdef.json", key, 403},
		{"/acme/team/Web/alerts/notify/x/legacy-prometheus.json", metrics, 404},
		{"/acme/team/Web/alerts/notify/" + named + ".json", key, 404},
		{"/acme/team/Web/alerts/notify/x/" + named + "/more.json", key, 200}, // without a key in the address the other one counts
		{"/acme/team/Web/alerts/notify/x/" + named + "/more.json", first, 401},
		{"/acme/team/Web/alerts/notify/x/0123456789abcdef/more.json", key, 403},
		{"/acme/team/Web/alerts/notify/x/legacy-prometheus/more", metrics, 422},
		{"/acme/team/Web/alerts/notify/x/legacy_prometheus/more", metrics, 404},
		{"/acme/team/Web/alerts/notify/x/" + named + "/more/and/more.json", key, 404},
		{"/acme/team/Web/alerts/other.json", first, 404},
		{"/Web/alerts/notify.json", first, 404},
		{"/alerts/notify.json", first, 404},
		{"/acme/team/None/alerts/notify.json", first, 404},
		{"/acme/team/alerts/notify.json", first, 404}, // a group
		{"/nothing", first, 404},
		{"/acme/team/Web", first, 404},
	}
	for _, test := range tests {
		if got := s.post(t, test.path, test.key, "{}"); got.Status != test.status {
			t.Errorf("POST %s answered %d %v, want %d", test.path, got.Status, got.Body, test.status)
		}
	}
}

func TestMethodsOfAnAddress(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	for method, want := range map[string]int{"POST": 200, "PUT": 200, "GET": 405, "DELETE": 405, "PATCH": 405, "OPTIONS": 405} {
		r := httptest.NewRequest(method, i.Path(s.project), strings.NewReader("{}"))
		r.Header.Set("Authorization", "Bearer "+key)
		got := apptest.Send(t, s.handler, r)
		if got.Status != want {
			t.Errorf("%s answered %d, want %d", method, got.Status, want)
		}
		if want == 405 && got.Header.Get("Allow") != "POST, PUT" {
			t.Errorf("%s: Allow %q, want POST, PUT", method, got.Header.Get("Allow"))
		}
	}
}

func TestFormsOfAuthorization(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	basic := func(credentials string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(credentials))
	}
	tests := map[string]struct {
		authorization string
		status        int
	}{
		"a Bearer token":                   {"Bearer " + key, 200},
		"a Bearer token in another case":   {"bearer " + key, 200},
		"Basic with an empty user":         {basic(":" + key), 200},
		"Basic with any user":              {basic("monitoring:" + key), 200},
		"Basic with the key as user":       {basic(key + ":"), 401},
		"nothing":                          {"", 401},
		"a wrong key":                      {"Bearer " + key + "x", 401},
		"another scheme":                   {"Token " + key, 401},
		"a Bearer token that is empty":     {"Bearer ", 401},
		"a key of the same form":           {"Bearer gtin-" + strings.Repeat("0", 32), 401},
		"a key in another letter case":     {"Bearer " + strings.ToUpper(key), 401},
		"Basic that is no base64":          {"Basic " + key, 401},
		"a Bearer token with more behind":  {"Bearer " + key + " " + key, 401},
		"a Bearer token with spaces after": {"Bearer " + key + "  ", 200},
		"Basic with spaces before":         {"Basic  " + strings.TrimPrefix(basic(":"+key), "Basic "), 200},
		"Bearer wins over a wrong Basic":   {basic(":x") + ",Bearer " + key, 200},
		"Bearer wins over a right Basic":   {"Bearer x, " + basic(":"+key), 401},
	}
	for name, test := range tests {
		r := httptest.NewRequest("POST", i.Path(s.project), strings.NewReader("{}"))
		r.Header.Set("Authorization", test.authorization)
		got := apptest.Send(t, s.handler, r)
		if got.Status != test.status {
			t.Errorf("%s: answered %d %v, want %d", name, got.Status, got.Body, test.status)
		}
		if challenge := got.Header.Get("WWW-Authenticate"); (got.Status == 401) != (challenge != "") {
			t.Errorf("%s: answered %d with the challenge %q", name, got.Status, challenge)
		}
	}
	headers := map[string]struct {
		authorization, apiKey string
		status                int
	}{
		"the scheme of another tool":              {"GenieKey " + key, "", 200},
		"a wrong key in the scheme":               {"geniekey x", key, 401},
		"a header of its own":                     {"", key, 200},
		"a header of its own with spaces":         {"", " " + key + " ", 200},
		"a wrong key in that header":              {"", "x", 401},
		"another scheme beside that header":       {"Token x", key, 200},
		"Basic without a password beside it":      {basic("x:"), key, 200},
		"a Bearer token wins over the header":     {"Bearer x", key, 401},
		"a right Bearer token beside a wrong one": {"Bearer " + key, "x", 200},
		"Basic wins over the header":              {basic(":x"), key, 401},
	}
	for name, test := range headers {
		if got := s.send(t, i.Path(s.project), "", "{}", "Authorization", test.authorization, "X-Api-Key", test.apiKey); got.Status != test.status {
			t.Errorf("%s: answered %d %v, want %d", name, got.Status, got.Body, test.status)
		}
	}
	// No token is taken from the query, where logs would keep it.
	for _, name := range []string{"token", "key", "access_token", "authorization_key", "private_token"} {
		if got := s.post(t, i.Path(s.project)+"?"+name+"="+key, "", "{}"); got.Status != 401 {
			t.Errorf("the key as %s in the query answered %d, want 401", name, got.Status)
		}
	}
	// In a URL the credentials come as Basic (RFC 3986 section 3.2.1).
	r := httptest.NewRequest("POST", "https://:"+key+"@gatehouse.example"+i.Path(s.project), strings.NewReader("{}"))
	if user := r.URL.User; user != nil {
		password, _ := user.Password()
		r.SetBasicAuth(user.Username(), password)
	}
	apptest.Send(t, s.handler, r).Want(t, 200, nil)
}

const webhook = `{"version":"4","groupKey":"g","status":"firing","receiver":"r","groupLabels":{},"commonLabels":{},
	"commonAnnotations":{},"externalURL":"http://am.example","truncatedAlerts":%d,"alerts":[%s]}`

func webhookOf(truncated int, items ...string) string {
	return fmt.Sprintf(webhook, truncated, strings.Join(items, ","))
}

func firing(name string) string {
	return `{"status":"firing","labels":{"alertname":"` + name + `"},"annotations":{},"startsAt":"2026-11-21T10:00:00Z","endsAt":"0001-01-01T00:00:00Z"}`
}

func resolved(name string) string {
	return `{"status":"resolved","labels":{"alertname":"` + name + `"},"annotations":{},"startsAt":"2026-11-21T10:00:00Z","endsAt":"2026-11-21T10:05:00Z"}`
}

func TestWhatAPlainAddressAnswers(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	path := i.Path(s.project)
	const fire, recover = `{"title":"Disk full","fingerprint":"disk"}`, `{"title":"x","fingerprint":"disk","end_time":"2126-11-21T10:00:00Z"}`
	tests := []struct {
		name, body string
		status     int
		answer     any
	}{
		{"a new alert", fire, 200, touched(1, "Disk full")},
		{"a repeat", `{"title":"Another title","fingerprint":["disk"]}`, 200, touched(1, "Disk full")},
		{"a recovery", recover, 200, touched(1, "Disk full")},
		{"a recovery of what is not open", recover, 400, said("400 Bad request - The payload resolves an alert, and none with its fingerprint is open.")},
		{"the same again after its recovery", fire, 200, touched(2, "Disk full")},
		{"an empty object", `{}`, 200, touched(3, "New: Alert")},
		{"an empty object again, which has no fingerprint", `{}`, 200, touched(4, "New: Alert")},
		{"nothing", ``, 200, touched(5, "New: Alert")},
		{"the metrics format", webhookOf(0, firing("A"), firing("B"), firing("A"), `{}`), 200, touched(6, "A", 7, "B")},
		{"recoveries in the metrics format of what is not open", webhookOf(0, resolved("C")), 200, touched()},
		{"a fire and a recovery in the metrics format", webhookOf(0, resolved("A"), firing("D")), 200, touched(6, "A", 8, "D")},
		{"malformed JSON", `{"title":`, 400, nil},
		{"no object", `["title"]`, 400, said("400 Bad request - the payload must be a JSON object")},
		{"more than 100 levels", strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 101), 400, said("400 Bad request - the payload is nested more than 100 levels deep")},
		{"more than 1 MiB", `{"a":"` + strings.Repeat("x", 1<<20) + `"}`, 400, said("400 Bad request - the payload exceeds 1 MiB")},
		{"just 1 MiB", `{"title":"Big","a":"` + strings.Repeat("x", 1<<20-22) + `"}`, 200, touched(9, "Big")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { s.post(t, path, key, test.body).Want(t, test.status, test.answer) })
	}
	s.wantAlerts(t, 9)
	s.post(t, path, "wrong", strings.Repeat(`[`, 101)).Want(t, 400, nil) // the limits come before the key
}

// A tool's clock runs behind, or it tells no more than the day: what it says
// ended is resolved all the same.
func TestAPlainRecoveryResolvesWheneverTheAlertStarted(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	day := s.Now().Format(time.DateOnly)
	for n, end := range []string{s.Now().Add(-time.Second).Format(time.RFC3339), day, "2001-01-01T00:00:00Z"} {
		iid := n + 1
		s.post(t, i.Path(s.project), key, `{"title":"Disk full","fingerprint":"disk"}`).Want(t, 200, touched(iid, "Disk full"))
		s.post(t, i.Path(s.project), key, `{"fingerprint":"disk","end_time":"`+end+`"}`).Want(t, 200, touched(iid, "Disk full"))
		if a, err := s.App.Alerts.Alert(t.Context(), s.project.ID, int64(iid)); err != nil || a.Status != alert.Resolved {
			t.Errorf("after the end %s the alert is %s, %v", end, a.Status, err)
		}
	}
}

func TestWhatTheMetricsAddressAnswers(t *testing.T) {
	s := newSite(t)
	i, key := s.metrics(t)
	path := i.Path(s.project)
	if want := "/acme/team/Web/prometheus/alerts/notify.json"; path != want {
		t.Fatalf("Path() = %q, want %q", path, want)
	}
	s.post(t, path, key, webhookOf(0, firing("A"), resolved("B"), `{"status":"firing"}`)).Want(t, 200, touched(1, "A"))
	s.post(t, path, key, `{"title":"plain"}`).Want(t, 422, nil)
	s.post(t, path, key, ``).Want(t, 422, nil)
	s.post(t, path, key, `{`).Want(t, 400, nil)
	s.post(t, path, "wrong", webhookOf(0, firing("A"))).Want(t, 401, nil)
	s.post(t, path, key, webhookOf(0)).Want(t, 200, touched())
	s.wantAlerts(t, 1)

	off := false
	if _, err := s.Integrations.Change(t.Context(), audit.Setup, s.project, i.ID, integration.Change{Active: &off}); err != nil {
		t.Fatal(err)
	}
	s.post(t, path, key, webhookOf(0, firing("A"))).Want(t, 401, said("401 Unauthorized - There is no active integration with this address. See the project's Monitor settings."))
}

func TestAnIntegrationThatIsNotActiveIsAbsent(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	off := false
	if _, err := s.Integrations.Change(t.Context(), audit.Setup, s.project, i.ID, integration.Change{Active: &off}); err != nil {
		t.Fatal(err)
	}
	absent := said("403 Forbidden - There is no active integration with this address. See the project's Monitor settings.")
	s.post(t, i.Path(s.project), key, "{}").Want(t, 403, absent)
	s.post(t, strings.Replace(i.Path(s.project), "notify", "notify/x/0123456789abcdef", 1), key, "{}").Want(t, 403, absent)
	s.wantAlerts(t, 0)
}

// The key in an address is enough by itself, until it is renewed or ended.
func TestAKeyInTheAddress(t *testing.T) {
	s := newSite(t)
	s.http(t)
	second, own := s.integration(t, integration.Draft{Name: "Second", Type: integration.HTTP, Active: true})
	metrics, _ := s.metrics(t)
	renew := func(i integration.Integration) string {
		t.Helper()
		i, err := s.Integrations.RenewPathKey(t.Context(), audit.Setup, s.project, i.ID)
		if err != nil {
			t.Fatal(err)
		}
		key, err := s.Integrations.PathKey(i)
		if err != nil {
			t.Fatal(err)
		}
		return i.PathWithKey(s.project, key)
	}
	off := second.Path(s.project)
	s.post(t, strings.TrimSuffix(off, ".json")+"/gtpk-.json", "", "{}").Want(t, 401, nil)
	s.post(t, strings.TrimSuffix(off, ".json")+"/"+own+".json", "", "{}").Want(t, 401, nil) // that key belongs into a header

	path := renew(second)
	s.post(t, path, "", `{"title":"Disk full"}`).Want(t, 200, touched(1, "Disk full"))
	s.post(t, strings.TrimSuffix(path, ".json"), "wrong", `{"title":"Tape full"}`).Want(t, 200, touched(2, "Tape full"))
	s.post(t, off, strings.TrimSuffix(path[strings.LastIndex(path, "/")+1:], ".json"), "{}").Want(t, 401, nil) // nor that one
	s.post(t, strings.Replace(path, second.Endpoint, integration.Legacy, 1), "", "{}").Want(t, 401, nil)
	s.post(t, renew(metrics), "", webhookOf(0, firing("A"))).Want(t, 200, touched(3, "A"))
	s.post(t, renew(metrics), "", "{}").Want(t, 422, nil)

	renewed := renew(second)
	s.post(t, path, "", "{}").Want(t, 401, nil)
	s.post(t, renewed, "", "{}").Want(t, 200, nil)
	if _, err := s.Integrations.EndPathKey(t.Context(), audit.Setup, s.project, second.ID); err != nil {
		t.Fatal(err)
	}
	s.post(t, renewed, "", "{}").Want(t, 401, nil)
	s.post(t, off, own, "{}").Want(t, 200, nil)
}

// No line of the log has the key of an address, whatever somebody makes of the address.
func TestTheKeyInAnAddressIsNotLogged(t *testing.T) {
	s := newSite(t)
	i, _ := s.http(t)
	i, err := s.Integrations.RenewPathKey(t.Context(), audit.Setup, s.project, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.Integrations.PathKey(i)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })
	address, word := i.PathWithKey(s.project, key), key.Reveal()
	tests := []struct {
		method, path string
		status       int
	}{
		{"POST", address, 200}, {"PUT", address + "/", 200}, {"GET", address, 405}, {"POST", address + "/close", 404}, {"POST", address + "//", 404},
		{"POST", "/acme/team/None/alerts/notify/x/legacy/" + word, 404}, {"POST", "/acme/team/Web/alerts/notify/legacy/" + word, 404},
		{"POST", "/acme/team/Web/alerts/notify/x/legacy/" + word[1:], 401}, {"POST", "/acme/team/Web/alerts/notify/a/b/c/d/" + word[1:], 404},
		{"POST", "/acme/team/Web/alert/notify/x/legacy/" + word, 404}, {"GET", "/" + word, 404}, {"POST", address + "/alerts/notify.json", 404},
		{"POST", address + "%3Fx=1", 401}, {"POST", "/x/" + word + "/alerts/notify.json", 404},
	}
	for _, test := range tests {
		log.Reset()
		r := httptest.NewRequest(test.method, test.path, strings.NewReader("{"))
		r.Header.Set("Accept", "application/json")
		if test.status == 200 {
			r.Body = io.NopCloser(strings.NewReader("{}"))
		}
		if got := apptest.Send(t, s.handler, r); got.Status != test.status {
			t.Errorf("%s %s: %d, want %d", test.method, test.path, got.Status, test.status)
		}
		if text := log.String(); !strings.Contains(text, "request served") || strings.Contains(text, word[1:]) {
			t.Errorf("%s %s: the log is %s", test.method, test.path, text)
		}
	}
}

func TestAKeyEndsWhenItIsReset(t *testing.T) {
	s := newSite(t)
	i, old := s.http(t)
	i, err := s.Integrations.ResetKey(t.Context(), audit.Setup, s.project, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	key, err := s.Integrations.Key(i)
	if err != nil {
		t.Fatal(err)
	}
	s.post(t, i.Path(s.project), old, "{}").Want(t, 401, nil)
	s.post(t, i.Path(s.project), key.Reveal(), "{}").Want(t, 200, nil)
}

// send sends a body with a Bearer key and these headers, each a name and a value.
func (s *site) send(t *testing.T, path, key, body string, headers ...string) apptest.Answer {
	t.Helper()
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	for n := 0; n < len(headers); n += 2 {
		r.Header.Set(headers[n], headers[n+1])
	}
	return apptest.Send(t, s.handler, r)
}

// Many tools send JSON and do not say so. What is no JSON still opens an alert, and the
// integration says that nothing of it was read; but what claims to be JSON is refused.
func TestABodyThatIsJSONCountsWhateverItsContentType(t *testing.T) {
	const body, other = `{"title":"Disk full"}`, "Disk full"
	for contentType, shown := range map[string]string{
		"application/json": "", "Application/JSON; charset=utf-8": "", "application/vnd.tool+json": "", "application/json;": "",
		"application/json; charset": "", "application/json, application/json": "",
		"text/plain; charset=utf-8": "text/plain", "application/x-www-form-urlencoded": "application/x-www-form-urlencoded",
		"text/json": "text/json", "": "without a content type", ";": "without a content type",
	} {
		s := newSite(t)
		i, key := s.http(t)
		s.send(t, i.Path(s.project), key, body, "Content-Type", contentType).Want(t, 200, touched(1, "Disk full"))
		if got := s.health(t, i); got.LastError != "" {
			t.Errorf("content type %q: the health is %+v", contentType, got)
		}
		if shown == "" {
			s.send(t, i.Path(s.project), key, other, "Content-Type", contentType).Want(t, 400, nil)
			continue
		}
		s.send(t, i.Path(s.project), key, other, "Content-Type", contentType).Want(t, 200, touched(2, "New: Alert"))
		want := "the body (" + shown + ") counts as empty: the payload is not valid JSON at line 1, column 1"
		if got := s.health(t, i); got.Trouble() != want {
			t.Errorf("content type %q: the trouble is %q, want %q", contentType, got.Trouble(), want)
		}
	}
}

func TestCompressedBodies(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	fmt.Fprint(w, `{"title":"Disk full"}`)
	w.Close()
	path := i.Path(s.project)
	send := func(body, coding string) apptest.Answer {
		t.Helper()
		return s.send(t, path, key, body, "Content-Type", "application/json", "Content-Encoding", coding)
	}
	send(zipped.String(), "gzip").Want(t, 200, touched(1, "Disk full"))
	send("{", "gzip").Want(t, 400, said("400 Bad request - the body is not valid gzip"))
	s.Pass(time.Minute)
	refused := send(zipped.String(), "br")
	refused.Want(t, 415, said(`415 Unsupported Media Type - the content encoding "br" is not known here: send one of gzip, deflate, or none`))
	if got := refused.Header.Get("Accept-Encoding"); got != "gzip, deflate" {
		t.Errorf("Accept-Encoding = %q, want what is known", got)
	}
	if got := s.health(t, i); got.Rejected != 2 || !strings.Contains(got.Trouble(), `"br"`) {
		t.Errorf("the health is %+v", got)
	}
}

func TestTooManyRequests(t *testing.T) {
	s := newSite(t)
	limit := integration.Draft{Type: integration.HTTP, Active: true, RateLimit: 2}
	plain, plainKey := s.integration(t, limit)
	limit.Type, limit.APIURL = integration.Metrics, "https://metrics.example"
	metrics, metricsKey := s.integration(t, limit)
	tests := map[string]struct {
		path, key, body string
		status          int
	}{
		"a plain address answers 429":     {plain.Path(s.project), plainKey, "{}", 429},
		"the metrics address answers 503": {metrics.Path(s.project), metricsKey, webhookOf(0, firing("A")), 503},
	}
	s.Pass(time.Minute - time.Duration(s.Now().Second())*time.Second - time.Duration(s.Now().Nanosecond()) + 20*time.Second)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s.post(t, test.path, test.key, test.body).Want(t, 200, nil)
			s.post(t, test.path, test.key, test.body).Want(t, 200, nil)
			refused := s.post(t, test.path, test.key, test.body)
			refused.Want(t, test.status, nil)
			if got := refused.Header.Get("Retry-After"); got != "40" {
				t.Errorf("Retry-After = %q, want 40 seconds, to the end of the minute", got)
			}
		})
	}
	s.Pass(40 * time.Second)
	for _, test := range tests {
		s.post(t, test.path, test.key, test.body).Want(t, 200, nil)
	}
}

// failing is a store that records nothing.
type failing struct {
	storage.Store
	err error
}

func (f failing) RecordOccurrences(context.Context, int64, [][]alert.Occurrence, time.Time) ([][]alert.Recorded, error) {
	return nil, f.err
}

// Whoever sent what could not be recorded shall send it again, on every
// address. Why it could not is in the log.
func TestWhatCannotBeRecordedIsToBeSentAgain(t *testing.T) {
	s := newSite(t)
	plain, plainKey := s.http(t)
	metrics, metricsKey := s.metrics(t)
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	cause := errors.New("the disk is full")
	for _, err := range []error{cause, fmt.Errorf("%w: %w", fault.New(fault.Unavailable, "send it again"), cause)} {
		s.Intake = intake.NewRules(failing{s.Store, err}, s.Integrations, nil, s.Now)
		s.handler = alertsapi.New(s.App.App)
		log.Reset()
		s.post(t, plain.Path(s.project), plainKey, "{}").Want(t, 503, nil)
		s.post(t, metrics.Path(s.project), metricsKey, webhookOf(0, firing("A"))).Want(t, 503, nil)
		if got := strings.Count(log.String(), cause.Error()); got != 2 {
			t.Errorf("after %v the log has its cause %d times, want 2:\n%s", err, got, &log)
		}
	}
}

// health returns how the integration does by now.
func (s *site) health(t *testing.T, i integration.Integration) integration.Health {
	t.Helper()
	now, err := s.Integrations.Find(t.Context(), s.project, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	return now.Health
}

func TestHowAnIntegrationDoes(t *testing.T) {
	s := newSite(t)
	i, key := s.metrics(t)
	path := i.Path(s.project)
	health := func() integration.Health { t.Helper(); return s.health(t, i) }
	start := s.Now()
	s.post(t, path, key, webhookOf(7, firing("A"), `{"status":"firing"}`)).Want(t, 200, nil)
	if got := health(); got.Received != 1 || got.SkippedItems != 1 || got.TruncatedAlerts != 7 || !got.LastReceivedAt.Equal(start) {
		t.Errorf("after the first request the health is %+v", got)
	}
	s.Pass(10 * time.Second)
	s.post(t, path, key, webhookOf(0, firing("A"))).Want(t, 200, nil)
	s.post(t, path, key, "{").Want(t, 400, nil)
	if got := health(); got.Received != 1 || got.Rejected != 0 {
		t.Errorf("within a minute the health is written again: %+v", got)
	}
	s.Pass(50 * time.Second)
	s.post(t, path, key, webhookOf(0, firing("A"))).Want(t, 200, nil)
	got := health()
	if got.Received != 3 || got.Rejected != 1 || !strings.Contains(got.LastError, "JSON") || !got.LastErrorAt.Equal(start.Add(10*time.Second)) {
		t.Errorf("a minute later the health is %+v", got)
	}
}

func TestWhatGoesWrongIsToldAtOnce(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	s.post(t, i.Path(s.project), key, "{}").Want(t, 200, nil)
	s.Pass(time.Second)
	s.post(t, i.Path(s.project), key, "{").Want(t, 400, nil)
	i, err := s.Integrations.Find(t.Context(), s.project, i.ID)
	if err != nil || i.Health.Rejected != 1 || i.Health.LastError == "" {
		t.Errorf("a second after the first request the health is %+v, %v", i.Health, err)
	}
}

// The page of an integration that does well again says so without waiting for another
// payload. What the next function knows is what is stored.
func TestAGoodPayloadEndsTheTroubleAtOnce(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	s.post(t, i.Path(s.project), key, "{}").Want(t, 200, nil)
	for range 2 {
		s.Pass(time.Minute)
		s.post(t, i.Path(s.project), key, "{").Want(t, 400, nil)
		if got := s.health(t, i).Trouble(); got == "" {
			t.Fatal("the broken payload is no trouble")
		}
		s.Intake = intake.NewRules(s.Store, s.Integrations, nil, s.Now)
		s.handler = alertsapi.New(s.App.App)
		s.Pass(time.Second)
		s.post(t, i.Path(s.project), key, "{}").Want(t, 200, nil)
		if got := s.health(t, i); got.Trouble() != "" || got.LastError == "" {
			t.Errorf("after a good payload the health is %+v, want the error to be over", got)
		}
	}
}

// Anybody can send to the address. Without the key that must neither hide what goes wrong
// for a sender with it, nor cost a write each time.
func TestStrangersWriteNoErrors(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	path := i.Path(s.project)
	health := func() integration.Health { t.Helper(); return s.health(t, i) }
	s.post(t, path, key, `{"title":7`).Want(t, 400, nil)
	want := health()
	if want.Rejected != 1 || want.LastError == "" {
		t.Fatalf("after a broken payload the health is %+v", want)
	}
	s.Pass(time.Second)
	tooDeep := strings.Repeat("[", 101)
	s.post(t, path, "wrong", "{}").Want(t, 401, nil)
	want.WrongKeys, want.LastWrongKeyAt = 1, s.Now()
	if diff := cmp.Diff(want, health()); diff != "" {
		t.Errorf("after a wrong key (-want +got):\n%s", diff)
	}
	for _, key := range []string{"wrong", ""} {
		s.post(t, path, key, "{}").Want(t, 401, nil)
		s.post(t, path, key, tooDeep).Want(t, 400, nil)
	}
	if diff := cmp.Diff(want, health()); diff != "" {
		t.Errorf("within a minute strangers cause another write (-want +got):\n%s", diff)
	}
	s.Pass(time.Minute)
	s.post(t, path, "", tooDeep).Want(t, 400, nil)
	want.WrongKeys, want.LastWrongKeyAt = 6, s.Now()
	if diff := cmp.Diff(want, health()); diff != "" {
		t.Errorf("a minute later (-want +got):\n%s", diff)
	}
}

// What is refused before anything of it is read counts as well.
func TestAPayloadBeyondTheLimitsCountsAsRejected(t *testing.T) {
	for refusal, body := range map[string]string{
		"exceeds 1 MiB":             `"` + strings.Repeat("x", 1<<20) + `"`,
		"more than 100 levels deep": strings.Repeat("[", 101),
	} {
		s := newSite(t)
		i, key := s.http(t)
		s.post(t, i.Path(s.project), key, body).Want(t, 400, nil)
		stored, err := s.Integrations.Find(t.Context(), s.project, i.ID)
		if h := stored.Health; err != nil || h.Rejected != 1 || !strings.Contains(h.LastError, refusal) {
			t.Errorf("the health is %+v, %v, want that the payload %s", h, err, refusal)
		}
	}
}

// A tool whose recoveries have another fingerprint than its alerts is told so,
// and so are the people who set it up.
func TestARecoveryOfNothingCountsAsRejected(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	s.post(t, i.Path(s.project), key, `{"title":"Disk full"}`).Want(t, 200, nil)
	s.Pass(time.Minute)
	s.post(t, i.Path(s.project), key, `{"title":"Disk is fine","end_time":"2126-11-21T10:00:00Z"}`).Want(t, 400, nil)
	s.Pass(time.Minute)
	s.post(t, i.Path(s.project), key, `{"title":"Disk full"}`).Want(t, 200, nil)
	stored, err := s.Integrations.Find(t.Context(), s.project, i.ID)
	if h := stored.Health; err != nil || h.Received != 2 || h.Rejected != 1 || !strings.Contains(h.LastError, "none with its fingerprint is open") {
		t.Errorf("the health is %+v, %v", h, err)
	}
}

// rotate gives the instance other keys, the one in use first.
func (s *site) rotate(t *testing.T, keys ...[]byte) {
	t.Helper()
	parsed, err := secret.NewKeys(keys[0], keys[1:]...)
	if err != nil {
		t.Fatal(err)
	}
	s.Integrations = integration.NewRules(s.Store, s.Trail, parsed, integration.AllFeatures, s.Now)
	s.Intake = intake.NewRules(s.Store, s.Integrations, nil, s.Now)
	s.handler = alertsapi.New(s.App.App)
}

// An alert that comes while the instance has its old and its new key leaves
// the integration's under the new one; one that comes later is no less welcome.
func TestAKeyThatIsUsedDuringARotationCanBeShownAfterIt(t *testing.T) {
	for _, during := range []bool{true, false} {
		s, before, after := newSite(t), secret.Random(secret.KeySize), secret.Random(secret.KeySize)
		s.rotate(t, before)
		i, key := s.http(t)
		i, err := s.Integrations.RenewPathKey(t.Context(), audit.Setup, s.project, i.ID)
		if err != nil {
			t.Fatal(err)
		}
		pathKey, err := s.Integrations.PathKey(i)
		if err != nil {
			t.Fatal(err)
		}
		use := func() {
			s.post(t, i.Path(s.project), key, "{}").Want(t, 200, nil)
			s.post(t, i.PathWithKey(s.project, pathKey), "", "{}").Want(t, 200, nil)
		}
		s.rotate(t, after, before)
		if during {
			use()
		}
		s.rotate(t, after)
		if !during {
			use()
		}
		stored, err := s.Integrations.Find(t.Context(), s.project, i.ID)
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := s.Integrations.Key(stored); err != nil || shown.Reveal() != key {
			t.Errorf("used during the rotation: %v; after it the key is %q, %v, want %q", during, shown.Reveal(), err, key)
		}
		if shown, err := s.Integrations.PathKey(stored); err != nil || shown.Reveal() != pathKey.Reveal() {
			t.Errorf("used during the rotation: %v; after it the path key is %q, %v, want %q", during, shown.Reveal(), err, pathKey.Reveal())
		}
	}
}

func TestSwitchedOffGroupingOpensAnAlertForEach(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	s.Integrations.Features.Grouping = false
	const fire = `{"title":"Disk full","fingerprint":"disk"}`
	s.post(t, i.Path(s.project), key, fire).Want(t, 200, touched(1, "Disk full"))
	s.post(t, i.Path(s.project), key, fire).Want(t, 200, touched(2, "Disk full"))
	s.post(t, i.Path(s.project), key, `{"fingerprint":"disk","end_time":"2126-01-01T00:00:00Z"}`).
		Want(t, 200, touched(1, "Disk full", 2, "Disk full"))
}

func TestSwitchedOffMappingIsIgnored(t *testing.T) {
	s := newSite(t)
	i, key := s.integration(t, integration.Draft{
		Type: integration.HTTP, Active: true, Mapping: []byte(`{"title":{"path":["check","name"],"type":"string"}}`),
	})
	const body = `{"title":"Default","fingerprint":"%d","check":{"name":"Mapped"}}`
	s.post(t, i.Path(s.project), key, fmt.Sprintf(body, 1)).Want(t, 200, touched(1, "Mapped"))
	s.Integrations.Features.Mapping = false
	s.post(t, i.Path(s.project), key, fmt.Sprintf(body, 2)).Want(t, 200, touched(2, "Default"))
}

func TestThePayloadIsKept(t *testing.T) {
	s := newSite(t)
	i, key := s.http(t)
	const body = `{"title":"Disk full","custom":{"nested":[1,2,{"x":null}]}}`
	s.post(t, i.Path(s.project), key, body).Want(t, 200, nil)
	kept, err := s.App.Alerts.AlertPayload(t.Context(), s.project.ID, 1)
	if err != nil || !json.Valid(kept) || string(kept) != body {
		t.Errorf("AlertPayload = %s, %v, want what was sent", kept, err)
	}
}
