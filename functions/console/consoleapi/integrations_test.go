package consoleapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/integration"
	"gatehouse/shared/project"
	"gatehouse/shared/secret"
)

const integrationsPage = "/console/acme/web/settings/integrations"

// newIntegration adds an active integration of the type to the project.
func newIntegration(t *testing.T, a *apptest.App, p project.Project, name string, of integration.Type) integration.Integration {
	t.Helper()
	d := integration.Draft{Name: name, Type: of, Active: true}
	if of != integration.HTTP {
		d.APIURL = "https://oncall.example.com/teams/web"
	}
	i, err := a.Integrations.Create(t.Context(), audit.Setup, p, d)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func integrationPage(i integration.Integration) string {
	return fmt.Sprintf("%s/%d", integrationsPage, i.ID)
}

// onlyIntegration returns the project's integration and its key.
func onlyIntegration(t *testing.T, a *apptest.App, p project.Project) (integration.Integration, string) {
	t.Helper()
	all, err := a.Integrations.Integrations(t.Context(), p)
	if err != nil || len(all) != 1 {
		t.Fatalf("the project has %d integrations, %v, want one", len(all), err)
	}
	key, err := a.Integrations.Key(all[0])
	if err != nil {
		t.Fatal(err)
	}
	return all[0], key.Reveal()
}

func TestAddAnHTTPEndpoint(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	b.Get(integrationsPage).Want(200, "Nothing sends alerts yet", `href="`+integrationsPage+`/new"`)
	b.Get(integrationsPage+"/new").Want(200, "HTTP endpoint", "Metrics alerting", "Deprecated", "On-call link")

	made := b.Post(integrationsPage, apptest.Form("type", "http", "name", " Uptime ", "active", "1", "rate_limit", "120", "api_url", "ignored", "target", "ignored"))
	i, key := onlyIntegration(t, a, web)
	made.WantRedirect(integrationPage(i))
	if i.Name != "Uptime" || !i.Active || i.RateLimit != 120 || i.APIURL != "" {
		t.Errorf("the integration is %+v, want what was sent", i)
	}
	address := apptest.BaseURL + "/acme/web/alerts/notify.json"
	b.Get(integrationPage(i)).Want(200, "was created", ">"+address+"<", ">"+key+"<", "Show the key",
		`curl -H "Authorization: Bearer `+key+`"`, "credentials: "+key, "https://gatehouse:"+key+"@gatehouse.example/acme/web/",
		"addresses end up in logs", "Nothing was received yet", "Send a test alert", `value="120"`)
	b.Get(integrationsPage).Want(200, "Uptime", "HTTP endpoint", "Active", "Nothing received yet").WantNot(key)
}

// The instance key was rotated, and nobody used the integration meanwhile.
func TestAKeyThatNothingOpensIsNotShown(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	i := newIntegration(t, a, web, "Uptime", integration.HTTP)
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	a.Integrations = integration.NewRules(a.Store, a.Trail, keys, integration.AllFeatures, a.Now)
	b.Get(integrationPage(i)).Want(200, "/acme/web/alerts/notify.json", "The key cannot be shown").WantNot("Show the key", "curl")
	b.Post(integrationPage(i)+"/key", nil).WantRedirect(integrationPage(i))
	b.Get(integrationPage(i)).Want(200, "Show the key", "curl").WantNot("The key cannot be shown")
}

// The address with a key is off at first, and shown, renewed and switched off on the page.
func TestAnAddressWithAKey(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	i := newIntegration(t, a, web, "Uptime", integration.HTTP)
	b.Get(integrationPage(i)).Want(200, "Make an address with a key").WantNot("Switch off", "Renew the address")
	shown := func() string {
		t.Helper()
		stored, err := a.Integrations.Find(t.Context(), web, i.ID)
		if err != nil {
			t.Fatal(err)
		}
		key, err := a.Integrations.PathKey(stored)
		if err != nil {
			t.Fatal(err)
		}
		address := apptest.BaseURL + stored.PathWithKey(web, key)
		b.Get(integrationPage(i)).Want(200, ">"+address+"<", "has a new address with a key", "Show the address", "Renew the address", "Switch off the address").
			WantNot("Make an address with a key")
		return address
	}
	b.Post(integrationPage(i)+"/path_key", nil).WantRedirect(integrationPage(i) + "#keyed")
	first := shown()
	b.Post(integrationPage(i)+"/path_key", nil).WantRedirect(integrationPage(i) + "#keyed")
	second := shown()
	if first == second {
		t.Error("the renewed address is the former one")
	}
	keys, err := secret.NewKeys(secret.Random(secret.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	before := a.Integrations
	a.Integrations = integration.NewRules(a.Store, a.Trail, keys, integration.AllFeatures, a.Now)
	b.Get(integrationPage(i)).Want(200, "The address cannot be shown", "Renew the address").WantNot(second)
	a.Integrations = before
	b.Post(integrationPage(i)+"/path_key/delete", nil).WantRedirect(integrationPage(i) + "#keyed")
	b.Get(integrationPage(i)).Want(200, "no longer works", "Make an address with a key").WantNot(second)
	b.Get(integrationsPage).Want(200).WantNot(second)
}

func TestAddTheOtherTypes(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	made := b.Post(integrationsPage, apptest.Form("type", "metrics", "name", "Metrics", "active", "1", "api_url", "https://metrics.example.com"))
	i, _ := onlyIntegration(t, a, web)
	made.WantRedirect(integrationPage(i))
	b.Get(integrationPage(i)).Want(200, "/acme/web/prometheus/alerts/notify.json", "https://metrics.example.com", "Deprecated", `"alerts": [{`, "Payload mapping")
	if err := a.Integrations.Delete(t.Context(), audit.Setup, web, i); err != nil {
		t.Fatal(err)
	}
	made = b.Post(integrationsPage, apptest.Form("type", "oncall_link", "name", "On call", "active", "1", "target", "https://oncall.example.com/web", "rate_limit", "x"))
	i, key := onlyIntegration(t, a, web)
	made.WantRedirect(integrationPage(i))
	b.Get(integrationPage(i)).Want(200, "https://oncall.example.com/web", "The on-call link was created.", "no other integration").WantNot(key, "notify", "Set up the tool", "Payload mapping", "Health", "Reset")
}

func TestAddAnIntegrationForATool(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	b.Get(integrationsPage+"/new").Want(200, `<option value="zabbix">Zabbix</option>`, "Another tool")

	made := b.Post(integrationsPage, apptest.Form("preset", "curl", "type", "metrics", "name", "", "active", "1", "api_url", "ignored"))
	i, key := onlyIntegration(t, a, web)
	made.WantRedirect(integrationPage(i))
	if i.Name != "curl" || i.Type != integration.HTTP || i.Preset != "curl" || i.APIURL != "" {
		t.Errorf("the integration is %+v, want that of the tool", i)
	}
	address := apptest.BaseURL + "/acme/web/alerts/notify.json"
	b.Get(integrationPage(i)).Want(200, "Set up <bdi>curl</bdi>", "<details open>", "Authorization: Bearer "+key, address, "&sample=recovery\">recovery</a> resolves the alert").
		WantNot("GATEHOUSE_", "Alertmanager")

	test := fmt.Sprintf("/console/acme/web/alerts/test?integration=%d", i.ID)
	b.Get(test).Want(200, "pg_dump ended with status 1")
	b.Get(test+"&sample=recovery").Want(200, "The backup is done").WantNot("pg_dump")
	b.Post(integrationsPage, apptest.Form("preset", "nothing", "name", "x")).Want(422, "The tool does not exist.", "Nothing was saved yet")
}

func TestAToolThatSendsNoHeaderGetsAnAddressWithAKey(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	b.Post(integrationsPage, apptest.Form("preset", "statuspage", "name", "", "active", "1"))
	i, key := onlyIntegration(t, a, web)
	b.Get(integrationPage(i)).Want(200, "can send the key in its address alone", "Make an address with a key").WantNot("GATEHOUSE_", "Enter the address")

	b.Post(integrationPage(i)+"/path_key", nil)
	i, _ = onlyIntegration(t, a, web)
	pathKey, err := a.Integrations.PathKey(i)
	if err != nil {
		t.Fatal(err)
	}
	address := apptest.BaseURL + i.PathWithKey(web, pathKey)
	b.Get(integrationPage(i)).Want(200, "Enter the address <code>"+address+"</code>").WantNot("in its address alone", ":"+key+"@")
}

func TestTopicOfSNS(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	const field, arn = `name="sns_topic_arn"`, "arn:aws:sns:eu-central-1:111122223333:alarms"
	b.Post(integrationsPage, apptest.Form("preset", "cloudwatch_sns", "active", "1"))
	i, _ := onlyIntegration(t, a, web)
	change := func(topic string) apptest.Page {
		i, _ := onlyIntegration(t, a, web)
		return b.Post(integrationPage(i), apptest.Form("version", fmt.Sprint(i.Version), "type", "http", "name", "Alarms", "active", "1", "sns_topic_arn", topic))
	}
	b.Get(integrationPage(i)).Want(200, field)
	change("alarms").Want(422, "The topic must be the ARN of a topic of SNS", `value="alarms"`)
	change(" " + arn + " ").WantRedirect(integrationPage(i))
	b.Get(integrationPage(i)).Want(200, `value="`+arn+`"`)
	change("")
	if i, _ := onlyIntegration(t, a, web); i.SNSTopic != "" || i.Name != "Alarms" {
		t.Errorf("the integration is %q with the topic %q, want none", i.Name, i.SNSTopic)
	}
	b.Post(integrationsPage, apptest.Form("preset", "curl", "active", "1"))
	all, err := a.Integrations.Integrations(t.Context(), web)
	if err != nil {
		t.Fatal(err)
	}
	b.Get(integrationPage(all[1])).Want(200, "Settings").WantNot(field)
}

func TestIntegrationsComplain(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	tests := []struct {
		form []string
		says string
	}{
		{[]string{"type", "http", "name", " "}, "The name can't be blank."},
		{[]string{"name", "Uptime"}, "The type is not included in the list."},
		{[]string{"type", "metrics", "name", "Metrics"}, "The address can't be blank."},
		{[]string{"type", "oncall_link", "name", "On call", "target", "javascript:alert(1)"}, "The address must be a valid http or https URL."},
		{[]string{"type", "http", "name", "Uptime", "rate_limit", "many"}, "The limit must be a whole number."},
		{[]string{"type", "http", "name", "Uptime", "rate_limit", "-1"}, "The limit must be between"},
	}
	for _, test := range tests {
		shown := b.Post(integrationsPage, apptest.Form(test.form...)).Want(422, test.says, "Nothing was saved yet")
		if got := strings.Count(shown.Text(), "autofocus"); got != 1 {
			t.Errorf("%v: %d fields have the focus, want the one with the mistake", test.form, got)
		}
	}
	if all, err := a.Integrations.Integrations(t.Context(), web); err != nil || len(all) > 0 {
		t.Errorf("forms with mistakes made %v, %v", all, err)
	}
}

func TestChangeAnIntegration(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	i := newIntegration(t, a, web, "Uptime", integration.HTTP)
	_, key := onlyIntegration(t, a, web)
	b.Post(integrationPage(i), apptest.Form("type", "http", "name", "Checks", "rate_limit", "5")).WantRedirect(integrationPage(i))
	b.Get(integrationPage(i)).Want(200, "was saved", "Checks", "Inactive", `value="5"`).WantNot("Send a test alert")
	b.Post(integrationPage(i), apptest.Form("type", "http", "name", "")).Want(422, "The name can't be blank.", "Inactive")

	b.Post(integrationPage(i)+"/key", nil).WantRedirect(integrationPage(i))
	_, renewed := onlyIntegration(t, a, web)
	b.Get(integrationPage(i)).Want(200, "new authorization key", renewed).WantNot(key)

	b.Post(integrationPage(i)+"/delete", nil).WantRedirect(integrationsPage)
	b.Get(integrationsPage).Want(200, "was deleted", "Nothing sends alerts yet")
	b.Get(integrationPage(i)).Want(404)
	b.Post(integrationPage(i)+"/delete", nil).Want(404)
}

// Health is shown as it was counted, in the words of the last refusal.
func TestHealthOfAnIntegration(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	i := newIntegration(t, a, web, "Uptime", integration.HTTP)
	health := integration.Health{
		LastReceivedAt: a.Now(), Received: 1234, Rejected: 56, SkippedItems: 78, TruncatedAlerts: 9,
		LastError: "<b>not JSON</b>", LastErrorAt: a.Now(), WrongKeys: 12, LastWrongKeyAt: a.Now(),
	}
	if err := a.Store.AddHealth(t.Context(), web.FullPath, i, health); err != nil {
		t.Fatal(err)
	}
	b.Get(integrationsPage).Want(200, "1234 received, 56 rejected, 78 skipped, 9 left out by the sender, 12 with a wrong key", "<b>not JSON</b>")
	shown := b.Get(integrationPage(i)).Want(200, ">1234<", ">56<", ">78<", ">9<", "Last received", "12 requests with a wrong key or none, the last")
	if !strings.Contains(shown.Body.String(), "&lt;b&gt;not JSON") {
		t.Error("the last error is not escaped")
	}

	// A good payload ends the trouble.
	fine := integration.Health{LastReceivedAt: a.Now().Add(time.Minute), Received: 1}
	if err := a.Store.AddHealth(t.Context(), web.FullPath, i, fine); err != nil {
		t.Fatal(err)
	}
	b.Get(integrationsPage).Want(200, "1235 received").WantNot("not JSON")
	b.Get(integrationPage(i)).Want(200, `<p class="hint">Fine since the last error`, `<p class="hint">12 requests with a wrong key`)
}

// The titles tell the pages below the Monitor settings apart.
func TestTitlesOfTheMonitorSettings(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	i := newIntegration(t, a, web, "Uptime", integration.HTTP)
	titles := map[string]string{}
	for _, address := range []string{integrationsPage, integrationsPage + "/new", integrationPage(i), integrationPage(i) + "/mapping", "/console/acme/web/settings/error_tracking"} {
		page := b.Get(address).Want(200, "· Monitor settings ·").Body.String()
		_, rest, _ := strings.Cut(page, "<title>")
		title, _, _ := strings.Cut(rest, "</title>")
		if titles[title] != "" {
			t.Errorf("%s and %s are both called %q", titles[title], address, title)
		}
		titles[title] = address
	}
}

func TestAnOnCallLinkExcludesTheOthers(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	uptime := newIntegration(t, a, web, "Uptime", integration.HTTP)
	link := apptest.Form("type", "oncall_link", "name", "On call", "active", "1", "target", "https://oncall.example.com/web")
	b.Post(integrationsPage, link).Want(409, `The integration "Uptime" is active`, "https://oncall.example.com/web")
	b.Post(integrationPage(uptime), apptest.Form("type", "http", "name", "Uptime")).WantRedirect(integrationPage(uptime))
	b.Post(integrationsPage, link)
	b.Get(integrationsPage).Want(200, "The on-call link", "is active")
	b.Get(integrationsPage+"/new").Want(200, "is active")
	b.Post(integrationPage(uptime), apptest.Form("type", "http", "name", "Uptime", "active", "1")).Want(409, `The integration "On call" is active`)

	b.Get("/console/acme/web/alerts").Want(200, "elsewhere", `href="https://oncall.example.com/web"`, `rel="noreferrer"`).WantNot(`id="severity"`)
}

// The form sends all of its fields: on a page that was left open some of them
// are what somebody has changed since, and would be changed back.
func TestAnIntegrationThatChangedSinceIsShownFirst(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	i := newIntegration(t, a, web, "Uptime", integration.HTTP)
	b.Get(integrationPage(i)).Want(200, `name="seen" value="1"`)
	b.Post(integrationPage(i), apptest.Form("type", "http", "name", "Uptime", "seen", "1")).WantRedirect(integrationPage(i)) // off
	b.Post(integrationPage(i), apptest.Form("type", "http", "name", "Checks", "active", "1", "seen", "1")).
		Want(409, "The integration was changed since you opened its page.", `name="seen" value="2"`, `value="Uptime"`).WantNot("Checks", " checked")
	if got, _ := onlyIntegration(t, a, web); got.Active || got.Name != "Uptime" {
		t.Errorf("a page that was left open made the integration %q, active %t", got.Name, got.Active)
	}
	b.Post(integrationPage(i), apptest.Form("type", "http", "name", "Checks", "seen", "2")).WantRedirect(integrationPage(i))
	b.Post(integrationPage(i), apptest.Form("type", "http", "name", "Checks", "seen", "x")).Want(400)
}

func TestIntegrationsOfAnInstanceThatAllowsOneOfEachType(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	a.Integrations.Features = integration.Features{}
	i := newIntegration(t, a, web, "Uptime", integration.HTTP)
	b.Get(integrationsPage).Want(200, "one integration of each type", "Grouping is switched off")
	b.Get(integrationsPage+"/new").Want(200, "this instance allows no second", "disabled", `value="metrics" checked`)
	b.Post(integrationsPage, apptest.Form("type", "http", "name", "Another")).Want(403, "Multiple integrations of a type")
	b.Get(integrationPage(i)).Want(200, "Payload mapping is switched off").WantNot("Map the payload")
	b.Get(integrationPage(i)+"/mapping").Want(200, "Payload mapping is switched off").WantNot("<textarea", "Preview")
	b.Post(integrationPage(i)+"/mapping", apptest.Form("sample", `{"a": 1}`, "do", "save", "chosen", "1", "path_title", `["a"]`)).Want(403, "Payload mapping is switched off")

	newIntegration(t, a, web, "Alertmanager", integration.Metrics)
	b.Post(integrationsPage, apptest.Form("type", "oncall_link", "name", "On call", "target", "https://oncall.example.com/web"))
	b.Get(integrationsPage).Want(200, "one integration of each type").WantNot(integrationsPage + "/new")
	b.Get(integrationsPage+"/new").Want(200, "this instance allows no second").WantNot("Create the integration")
}

func TestRulesForAlerts(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	for _, on := range []bool{false, true} {
		sent := apptest.Form()
		if on {
			sent.Set("fingerprinting", "1")
		}
		b.Post("/console/acme/web/settings/alerts", sent).WantRedirect(integrationsPage)
		settings, err := a.Integrations.AlertSettings(t.Context(), web)
		if err != nil || settings.Fingerprinting != on {
			t.Errorf("fingerprinting is %t, %v, want %t", settings.Fingerprinting, err, on)
		}
		b.Get(integrationsPage).Want(200, "rules for alerts were saved")
	}
}

func TestRulesForIncidentsMailsAndRetention(t *testing.T) {
	a := apptest.New(t)
	web, b := newProject(t, a)
	const to = "/console/acme/web/settings/alerts"
	settings := func() integration.Settings {
		t.Helper()
		s, err := a.Integrations.AlertSettings(t.Context(), web)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	b.Get(integrationsPage).Want(200, `name="auto_close_incident" value="1" checked`, `name="send_email" value="1">`, `name="retention_days" value=""`)
	b.Post(to, apptest.Form("create_incident", "1", "incident_template", "## Check\r\n- a", "send_email", "1", "retention_days", " 30 ")).WantRedirect(integrationsPage)
	got := settings()
	if got.Fingerprinting || !got.CreateIncident || got.AutoCloseIncident || !got.SendEmail || got.IncidentTemplate != "## Check\n- a" || got.RetentionDays == nil || *got.RetentionDays != 30 {
		t.Errorf("the settings are %+v", got)
	}
	b.Get(integrationsPage).Want(200, `name="create_incident" value="1" checked`, "\n## Check\n- a</textarea>", `name="send_email" value="1" checked`, `value="30"`)
	for says, form := range map[string]url.Values{
		"The number of days must be a whole number.":     apptest.Form("retention_days", "many"),
		"The number of days must be between 0 and 3650.": apptest.Form("retention_days", "3651"),
		"The template is too long":                       apptest.Form("incident_template", strings.Repeat("x", 10_001), "retention_days", "7"),
	} {
		b.Post(to, form).Want(422, says, "Nothing was saved yet", `value="`+form.Get("retention_days")+`"`)
	}
	if now := settings(); now.Version != got.Version {
		t.Errorf("a form with mistakes changed the settings to %+v", now)
	}
	b.Post(to, nil).WantRedirect(integrationsPage)
	if got := settings(); got.RetentionDays != nil || got.IncidentTemplate != "" {
		t.Errorf("an empty form leaves the settings %+v", got)
	}
}

func TestOnlyMaintainersSeeAndChangeIntegrations(t *testing.T) {
	a := apptest.New(t)
	web, _ := newProject(t, a)
	i := newIntegration(t, a, web, "Uptime", integration.HTTP)
	_, key := onlyIntegration(t, a, web)
	dana := a.User("dana")
	a.Member(web.Place(), dana, project.Developer)
	for b, status := range map[*apptest.Browser]int{signedIn(t, a, dana): 403, signedIn(t, a, a.User("sid")): 404} {
		for _, end := range []string{"", "/new", "/" + fmt.Sprint(i.ID), "/" + fmt.Sprint(i.ID) + "/mapping"} {
			b.Get(integrationsPage + end).Want(status).WantNot(key)
		}
		for _, end := range []string{"", "/" + fmt.Sprint(i.ID), "/" + fmt.Sprint(i.ID) + "/key", "/" + fmt.Sprint(i.ID) + "/delete", "/" + fmt.Sprint(i.ID) + "/mapping"} {
			b.Post(integrationsPage+end, apptest.Form("name", "Mine")).Want(status).WantNot(key)
		}
		b.Post("/console/acme/web/settings/alerts", nil).Want(status)
	}
	if now, same := onlyIntegration(t, a, web); now.Name != "Uptime" || same != key {
		t.Errorf("somebody else changed the integration: %+v", now)
	}
}

func TestIntegrationsOfOtherProjectsDoNotExist(t *testing.T) {
	a := apptest.New(t)
	_, b := newProject(t, a)
	other := a.Project("other", a.Namespace(a.User("ben")), project.Public)
	i := newIntegration(t, a, other, "Theirs", integration.HTTP)
	for _, id := range []string{fmt.Sprint(i.ID), "0", "-1", "x", "99999999999999999999", "%00"} {
		b.Get(integrationsPage + "/" + id).Want(404)
		for _, end := range []string{"", "/key", "/delete", "/mapping"} {
			b.Post(integrationsPage+"/"+id+end, apptest.Form("name", "Mine")).Want(404)
		}
	}
}

func TestEnvironments(t *testing.T) {
	a := apptest.New(t)
	web, _ := newProject(t, a)
	dana := a.User("dana")
	a.Member(web.Place(), dana, project.Developer)
	b := signedIn(t, a, dana)
	const environments = "/console/acme/web/environments"
	b.Get(environments).Want(200, "No environments yet")
	b.Post(environments, apptest.Form("name", " production ")).WantRedirect(environments)
	b.Get(environments).Want(200, "was added", ">production<")
	b.Post(environments, apptest.Form("name", "production")).Want(422, "The name has already been taken.", `value="production"`)
	b.Post(environments, apptest.Form("name", "")).Want(422, "The name can't be blank.")
	all, err := a.Projects.Environments(t.Context(), web)
	if err != nil || len(all) != 1 {
		t.Fatalf("the project has the environments %v, %v", all, err)
	}
	remove := fmt.Sprintf("%s/%d/delete", environments, all[0].ID)
	b.Post(remove, nil).WantRedirect(environments)
	b.Get(environments).Want(200, "was deleted", "No environments yet")
	for _, id := range []string{fmt.Sprint(all[0].ID), "x", "0"} {
		b.Post(environments+"/"+id+"/delete", nil).Want(404)
	}
}
