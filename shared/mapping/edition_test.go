package mapping_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/fault"
	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// full is a mapping that has everything, as it is written.
const full = `{"acknowledged_when":{"source":{"path":["event","action"]},"equals":["acknowledge","ack"]},` +
	`"description":{"sources":[{"path":["Message",{"json":true},"NewStateReason"]},{"template":"{host.name}: {event.text}"}],"label":"Why"},` +
	`"end_time":{"sources":[{"path":["event","ended"]}],"time":{"format":"epoch_ms"}},` +
	`"fingerprint":{"sources":[{"template":"{host.name}/{service}"}],"scope":"integration"},` +
	`"hosts":{"sources":[{"path":["hosts",{"all":true},"name"]}]},` +
	`"ignore_when":{"source":{"path":["Type"],"of":"whole"},"equals":["SubscriptionConfirmation"]},` +
	`"monitoring_tool":{"sources":[{"constant":"Zabbix"}]},` +
	`"resolved_when":{"source":{"template":"{event.value}-{event.status}"},"equals":["0-OK"]},` +
	`"service":{"path":["service"],"type":"STRING","label":"Service"},` +
	`"severity":{"sources":[{"path":["tags",{"where":"name","is":"priority","take":"value"}]},{"path":["pairs",{"where":0,"is":"level","take":1}]},` +
	`{"path":["pairs",{"where":0,"is":"level"},-1]}],"values":{"P1":"critical","Sev2":"medium"},"default":"low","type":"STRING"},` +
	`"split":{"path":["event","problems"]},` +
	`"start_time":{"sources":[{"template":"{event.date} {event.time}"}],"time":{"zone":"Europe/Berlin","order":"us"}}}`

const fullPayload = `{
	"Type": "Notification", "Message": "{\"NewStateReason\": \"Too hot\", \"Dims\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}", "service": "web", "yes": true, "no": false,
	"event": {"value": 1, "status": "PROBLEM", "date": "2026.11.22", "time": "10:00:00", "text": "", "action": "ACK ", "ended": "1795341600000"},
	"host": {"name": "web-1"}, "hosts": [{"name": "web-1"}, {"name": ""}, {"other": 1}, {"name": "web-2"}], "codes": [1, 2.50, true, null, ["x"]],
	"tags": [{"name": "env", "value": "prod"}, 5, {"name": "priority", "value": "p1"}], "pairs": [["level", "Sev2"], ["env"], []],
	"odd name": {"a.b": {"": "nested"}, "k[0]": "bracket"}, "broken": "{\"a\":", "scalar": "5", "deep": [[{"n": 1}, {"n": 2}], [{"n": 3}]], "title": "Own"
}`

func TestAMappingOfTheSecondEditionIsWrittenAsItIsRead(t *testing.T) {
	for text, want := range map[string]string{
		full: full,
		`{"title":{"default":" x ","sources":null,"type":null}}`:                                      `{"title":{"default":" x "}}`,
		`{"title":{"sources":[{"path":["a"],"of":null,"template":null}],"label":" L "},"split":null}`: `{"title":{"sources":[{"path":["a"]}],"label":"L"}}`,
		`{"resolved_when":{"equals":[0,true,"OK"],"source":{"path":["a"]}}}`:                          `{"resolved_when":{"source":{"path":["a"]},"equals":["0","true","OK"]}}`,
		`{"title":{"path":["a",{"all":true}],"type":"S"}}`:                                            `{"title":{"path":["a",{"all":true}],"type":"S"}}`,
		`{"hosts":{"sources":[{"path":[{"where":-1,"is":5}]}]}}`:                                      `{"hosts":{"sources":[{"path":[{"where":-1,"is":"5"}]}]}}`,
		`{"split":{"path":["a",0]}}`:                                                                  `{"split":{"path":["a",0]}}`,
	} {
		m := parse(t, text)
		got, err := json.Marshal(m)
		if err != nil || string(got) != want {
			t.Errorf("Parse(%s) is written as %s, %v; want %s", text, got, err, want)
		}
		if m.Simple() || m.Empty() {
			t.Errorf("%s is one of the first edition, or empty", text)
		}
	}
	for _, text := range []string{`{}`, `{"title":{"path":["a",0],"type":"S"},"hosts":{"path":["b"],"type":"S"}}`} {
		if !parse(t, text).Simple() {
			t.Errorf("%s is not one of the first edition", text)
		}
	}
}

// What stands in a rule of the second edition, for the title unless another target is named.
func TestSources(t *testing.T) {
	type list = []any
	number := func(text string) json.Number { return json.Number(text) }
	tests := []struct {
		target mapping.Target
		rule   string
		want   any
	}{
		{mapping.Title, `"sources":[{"path":["nowhere"]},{"path":["host","name"]},{"constant":"x"}]`, "web-1"},
		{mapping.Title, `"sources":[{"path":["event","text"]},{"path":["no"]},{"constant":"x"}]`, "x"},
		{mapping.Title, `"sources":[{"path":["event","text"]}]`, "Own"},
		{mapping.Title, `"default":"x"`, "x"},
		{mapping.Title, `"values":{"OWN":"mine"}`, "mine"},
		{mapping.Service, `"sources":[{"path":["nowhere"]}],"default":"x"`, "x"},
		{mapping.Description, `"sources":[{"path":["nowhere"]}]`, nil},
		{mapping.Title, `"sources":[{"path":["event","value"]}]`, number("1")},
		{mapping.Title, `"sources":[{"path":["event","value"]}],"values":{"1":"down","0":"up"}`, "down"},
		{mapping.Title, `"sources":[{"path":["yes"]}],"values":{"TRUE":"on"}`, "on"},
		{mapping.Title, `"sources":[{"path":["no"]}],"values":{"false":"off"}`, "off"},
		{mapping.Severity, `"sources":[{"path":["tags",{"where":"name","is":"priority","take":"value"}]}],"values":{" P1 ":"critical"}`, "critical"},
		{mapping.Severity, `"sources":[{"path":["tags",{"where":"name","is":"env","take":"value"}]}],"values":{"P1":"critical"}`, "prod"},
		{mapping.Severity, `"sources":[{"path":["tags",{"where":"name","is":"env","take":"value"}]}],"values":{"P1":"critical"},"default":"low"`, "low"},
		{mapping.Title, `"sources":[{"path":["tags",{"where":"name","is":"priority"},"value"]}]`, "p1"},
		{mapping.Title, `"sources":[{"path":["tags",{"where":"name","is":"Priority"},"value"]}]`, "Own"},
		{mapping.Title, `"sources":[{"path":["pairs",{"where":0,"is":"level","take":1}]}]`, "Sev2"},
		{mapping.Title, `"sources":[{"path":["pairs",{"where":0,"is":"env","take":1}]}]`, "Own"},
		{mapping.Title, `"sources":[{"path":["host",{"where":"name","is":"web-1"}]}]`, "Own"},
		{mapping.Title, `"sources":[{"path":["Message",{"json":true},"NewStateReason"]}]`, "Too hot"},
		{mapping.Title, `"sources":[{"path":["Message",{"json":true},"Dims",{"all":true},"name"]}]`, "a, b"},
		{mapping.Title, `"sources":[{"path":["host",{"json":true},"name"]}]`, "web-1"}, // is JSON already
		{mapping.Title, `"sources":[{"path":["broken",{"json":true},"a"]}]`, "Own"},
		{mapping.Title, `"sources":[{"path":["scalar",{"json":true}]}]`, number("5")},
		{mapping.Title, `"sources":[{"path":["hosts",{"all":true},"name"]}]`, "web-1, web-2"},
		{mapping.Title, `"sources":[{"path":["hosts",{"all":true},"nothing"]}]`, "Own"},
		{mapping.Title, `"sources":[{"path":["host",{"all":true}]}]`, "Own"},
		{mapping.Title, `"sources":[{"path":["codes",{"all":true}]}]`, `1, 2.50, true, ["x"]`},
		{mapping.Title, `"sources":[{"path":["deep",{"all":true},{"all":true},"n"]}]`, "1, 2, 3"},
		{mapping.Hosts, `"sources":[{"path":["hosts",{"all":true},"name"]}]`, list{"web-1", "", "web-2"}},
		{mapping.Hosts, `"sources":[{"path":["hosts",{"all":true},"name"]}],"values":{"web-1":"one"}`, list{"one", "", "web-2"}},
		{mapping.Fingerprint, `"sources":[{"path":["deep",{"all":true},{"all":true},"n"]}]`, list{number("1"), number("2"), number("3")}},
		{mapping.Title, `"sources":[{"template":"{host.name}/{service}"}]`, "web-1/web"},
		{mapping.Title, `"sources":[{"template":"{host.name}/{nowhere}!"}]`, "web-1/!"},
		{mapping.Title, `"sources":[{"template":"{event.text}/{nowhere}"}]`, "Own"},
		{mapping.Title, `"sources":[{"template":"{{{service}}}"}]`, "{web}"},
		{mapping.Title, `"sources":[{"template":"{codes[1]} {codes[-3]} {hosts[*].name}"}]`, "2.50 true web-1, web-2"},
		{mapping.Title, `"sources":[{"template":"{tags[name=priority].value} {pairs[0=level][1]} {tags[\"name\"=\"env\"].value}"}]`, "p1 Sev2 prod"},
		{mapping.Title, `"sources":[{"template":"{Message|json.NewStateReason}: {Message|json[\"Dims\"][0].name}"}]`, "Too hot: a"},
		{mapping.Title, `"sources":[{"template":"{[\"odd name\"][\"a.b\"][\"\"]} {odd name[\"k[0]\"]}"}]`, "nested bracket"},
		{mapping.Title, `"sources":[{"template":"{host}"}]`, `{"name":"web-1"}`},
		{mapping.Title, `"sources":[{"template":"{whole:service}"}]`, "web"},
		{mapping.MonitoringTool, `"sources":[{"constant":"Zabbix"}]`, "Zabbix"},
	}
	object := read(t, fullPayload)
	for _, test := range tests {
		m := parse(t, fmt.Sprintf(`{%q:{%s}}`, test.target, test.rule))
		if got := item(m, object).Find(test.target); !cmp.Equal(got.Value, test.want) {
			t.Errorf("%s of %s is %v, want %v", test.target, test.rule, got.Value, test.want)
		}
	}
}

func TestWhereSomethingWasFound(t *testing.T) {
	tests := map[string][]string{
		`"sources":[{"path":["host","name"]}]`:                                     {"host.name"},
		`"sources":[{"path":["hosts",-1,"name"]}]`:                                 {"hosts[3].name"},
		`"sources":[{"path":["tags",{"where":"name","is":"env","take":"value"}]}]`: {"tags[0].value"},
		`"sources":[{"path":["Message",{"json":true},"NewStateReason"]}]`:          {"Message"},
		`"sources":[{"path":["hosts",{"all":true},"name"]}]`:                       {"hosts"},
		`"sources":[{"template":"{host.name} {tags[name=priority].value}"}]`:       {"host.name", "tags[2].value"},
		`"sources":[{"constant":"x"}]`:                                             nil,
		`"values":{"Own":"x"}`:                                                     {"title"},
		`"path":["host","name"],"type":"S"`:                                        {"host.name"},
	}
	object := read(t, fullPayload)
	for rule, want := range tests {
		i := item(parse(t, `{"title":{`+rule+`}}`), object)
		var got []string
		for _, path := range i.Paths(i.Find(mapping.Title).Place) {
			got = append(got, path.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s was found at (-want +got):\n%s", rule, diff)
		}
	}
}

func TestStates(t *testing.T) {
	const resolved = `"resolved_when":{"source":{"path":["state"]},"equals":["OK","0",true]}`
	const acknowledged = `"acknowledged_when":{"source":{"template":"{action}"},"equals":["ack"]}`
	const ignored = `"ignore_when":{"source":{"path":["tests",{"all":true}]},"equals":["yes"]}`
	tests := []struct {
		mapping, payload string
		want             mapping.State
	}{
		{``, `{"state":"ok"}`, mapping.Unsaid},
		{resolved, `{"state":" ok "}`, mapping.IsResolved},
		{resolved, `{"state":0}`, mapping.IsResolved},
		{resolved, `{"state":true}`, mapping.IsResolved},
		{resolved, `{"state":"problem"}`, mapping.Firing},
		{resolved, `{"state":false}`, mapping.Firing},
		{resolved, `{"state":""}`, mapping.Firing},
		{resolved, `{"state":null}`, mapping.Unsaid},
		{resolved, `{"state":["ok"]}`, mapping.Unsaid},
		{resolved, `{}`, mapping.Unsaid},
		{resolved, `{"state":"` + strings.Repeat(" ", 3000) + `ok"}`, mapping.Firing},
		{acknowledged, `{"action":"ACK"}`, mapping.Acknowledged},
		{acknowledged, `{"action":"open"}`, mapping.Unsaid},
		{resolved + "," + acknowledged, `{"action":"ack","state":"problem"}`, mapping.Acknowledged},
		{resolved + "," + acknowledged, `{"action":"ack","state":"ok"}`, mapping.IsResolved},
		{resolved + "," + ignored, `{"tests":["no","YES"],"state":"ok"}`, mapping.Ignored},
		{ignored, `{"tests":["no"]}`, mapping.Unsaid},
		{ignored, `{"tests":"yes"}`, mapping.Unsaid},
	}
	for _, test := range tests {
		if got := item(parse(t, `{`+test.mapping+`}`), read(t, test.payload)).State(); got != test.want {
			t.Errorf("the state of %.60s by %s is %v, want %v", test.payload, test.mapping, got, test.want)
		}
	}
}

func TestAPayloadIsSplit(t *testing.T) {
	const text = `{"split":{"path":["data",-1,"alerts"]},"title":{"sources":[{"path":["name"]}]},"service":{"sources":[{"path":["app"],"of":"whole"}]},
		"description":{"sources":[{"template":"{whole:app} {state}"}]},"hosts":{"path":["host"],"type":"S"},"resolved_when":{"source":{"path":["state"]},"equals":["ok"]}}`
	object := read(t, `{"app":"shop","state":"ok","title":"not this","data":[0,{"alerts":[{"name":"A","state":"bad"},5,{"name":"B","state":"ok","host":"h"},{"title":"C"}]}]}`)
	r := parse(t, text).Read(object)
	elements, ok := r.Elements()
	if !ok || !r.Splits() || len(elements) != 4 {
		t.Fatalf("Elements = %v, %v", elements, ok)
	}
	var got []string
	for n, element := range elements {
		if one, ok := element.(payload.Object); ok {
			i := r.Element(one, n)
			title, description := i.Find(mapping.Title), i.Find(mapping.Description)
			got = append(got, strings.TrimSuffix(fmt.Sprintln(title.Value, i.Paths(title.Place), i.Find(mapping.Service).Value, description.Value, i.Paths(description.Place),
				i.Find(mapping.Hosts).Value, i.State() == mapping.IsResolved), "\n"))
		}
	}
	want := []string{
		"A [data[1].alerts[0].name] shop shop bad [app data[1].alerts[0].state] <nil> false",
		"B [data[1].alerts[2].name] shop shop ok [app data[1].alerts[2].state] h true",
		"C [data[1].alerts[3].title] shop shop  [app data[1].alerts[3].state] <nil> false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the elements are (-want +got):\n%s", diff)
	}
	for payload, want := range map[string]bool{`{"data":[]}`: false, `{"data":[{"alerts":{}}]}`: false, `{"data":[{"alerts":[]}]}`: true} {
		if _, ok := parse(t, text).Read(read(t, payload)).Elements(); ok != want {
			t.Errorf("%s has a list: %v, want %v", payload, ok, want)
		}
	}
	inside := parse(t, `{"split":{"path":["list",{"json":true}]}}`).Read(read(t, `{"list":"[{\"title\":\"A\"}]"}`))
	if elements, _ := inside.Elements(); len(elements) != 1 || inside.Member() != "" {
		t.Fatalf("the elements in a text are %v", elements)
	} else if i := inside.Element(elements[0].(payload.Object), 0); fmt.Sprint(i.Paths(i.Find(mapping.Title).Place)) != "[list]" {
		t.Errorf("the title was found at %v", i.Paths(i.Find(mapping.Title).Place))
	}
	if got := parse(t, `{"split":{"path":["list"]}}`).Read(object).Member(); got != "list" {
		t.Errorf("the member is %q", got)
	}
}

func TestNotationsOfARule(t *testing.T) {
	at := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		rule string
		text string
		want time.Time
	}{
		{`"sources":[{"path":["x"]}]`, "2026.11.22 09:00:00", at},
		{`"sources":[{"path":["x"]}]`, "1795338000000", at},
		{`"time":{"zone":"Europe/Berlin"}`, "2026-11-22 10:00:00", at},
		{`"time":{"zone":"UTC","order":"us"}`, "11/22/2026 9:00:00 AM", at},
		{`"time":{"format":"epoch_s"}`, "5", time.Unix(5, 0)},
		{`"sources":[{"path":["x"]}]`, "2026-11-22T10:00:00[Europe/Berlin]", at},
		{`"sources":[{"path":["x"]}]`, "2026-11-22T10:00:00[Europe/Nowhere]", time.Time{}},
	}
	for _, test := range tests {
		n, ok := item(parse(t, `{"start_time":{`+test.rule+`}}`), payload.Object{}).Notation(mapping.StartTime)
		got, isTime := n.Read(test.text)
		if !ok || isTime == test.want.IsZero() || !got.Equal(test.want) {
			t.Errorf("%s reads %s as %v, %v, want %v", test.rule, test.text, got, isTime, test.want)
		}
	}
	for _, text := range []string{`{}`, `{"start_time":{"path":["x"],"type":"S"}}`} {
		if _, ok := item(parse(t, text), payload.Object{}).Notation(mapping.StartTime); ok {
			t.Errorf("%s says how times are written", text)
		}
	}
}

func TestScope(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: false, `{"fingerprint":{"path":["x"],"type":"S"}}`: false, `{"fingerprint":{"scope":"project"}}`: false, `{"fingerprint":{"scope":"integration"}}`: true,
	} {
		if got := item(parse(t, text), payload.Object{}).OfIntegration(); got != want {
			t.Errorf("the fingerprints of %s are of the integration: %v, want %v", text, got, want)
		}
	}
}

func TestMappingsOfTheSecondEditionThatAreRefused(t *testing.T) {
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	values := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"%d":"x"`, i))
		}
		return strings.Join(all, ",")
	}
	long := strings.Repeat("x", 1001)
	title := map[string]string{
		`"sources":{}`:               "title.sources must be a list of sources",
		`"sources":[]`:               "title.sources must be a list of sources",
		`"sources":["a"]`:            "title.sources[0] must be an object with a path, a template or a constant",
		`"sources":[{}]`:             "title.sources[0] must have either a path, a template or a constant",
		`"sources":[{"of":"whole"}]`: "title.sources[0] must have either a path, a template or a constant",
		`"sources":[{"path":["a"],"constant":"b"}]`:                        "title.sources[0] must have either a path, a template or a constant",
		`"sources":[{"path":["a"]},{"jq":".a"}]`:                           `title.sources[1] has the unknown member "jq"`,
		`"sources":[{"path":["a"],"of":"part"}]`:                           `title.sources[0] has an "of" other than "whole"`,
		`"sources":[{"constant":"a","of":"whole"}]`:                        `title.sources[0] has an "of", and a constant is not of the payload`,
		`"sources":[{"path":[]}]`:                                          "title.sources[0].path is empty",
		`"sources":[{"constant":" "}]`:                                     "title.sources[0].constant must not be blank",
		`"sources":[{"constant":5}]`:                                       "title.sources[0].constant must be a string",
		`"sources":[{"constant":"` + long + `"}]`:                          "title.sources[0].constant is too long (maximum is 1000 characters)",
		`"sources":[` + many(21, `{"constant":"a"}`) + `]`:                 "title.sources is too long (maximum is 20 sources)",
		`"sources":[{"path":[{"all":false}]}]`:                             `title.sources[0].path has a segment that is none of {"where": …, "is": …}, {"json": true} and {"all": true}`,
		`"sources":[{"path":[{"all":true,"json":true}]}]`:                  `title.sources[0].path has a segment that is none of {"where": …, "is": …}, {"json": true} and {"all": true}`,
		`"sources":[{"path":[{"where":"a","is":"b","as":"c"}]}]`:           `title.sources[0].path has a segment that is none of {"where": …, "is": …}, {"json": true} and {"all": true}`,
		`"sources":[{"path":[{"where":"a"}]}]`:                             `title.sources[0].path has a "where" without the text that it "is"`,
		`"sources":[{"path":[{"where":[],"is":"b"}]}]`:                     `title.sources[0].path has a "where" that is neither a name nor a position`,
		`"sources":[{"path":[{"where":"a","is":"b","take":{}}]}]`:          `title.sources[0].path has a "take" that is neither a name nor a position`,
		`"sources":[{"template":5}]`:                                       "title.sources[0].template must be a string",
		`"sources":[{"template":"text"}]`:                                  "title.sources[0].template has no placeholder such as {host.name}: use a constant",
		`"sources":[{"template":"{a"}]`:                                    "title.sources[0].template has a { without a }: write {{ for a brace",
		`"sources":[{"template":"a}"}]`:                                    "title.sources[0].template has a } without a {: write }} for a brace",
		`"sources":[{"template":"{}"}]`:                                    "title.sources[0].template has a placeholder without a path",
		`"sources":[{"template":"{a..b}"}]`:                                `title.sources[0].template has a placeholder with an empty name: write [""]`,
		`"sources":[{"template":"{.a}"}]`:                                  `title.sources[0].template has a placeholder with an empty name: write [""]`,
		`"sources":[{"template":"{a[b]}"}]`:                                `title.sources[0].template has a placeholder with a name in brackets: write ["b"]`,
		`"sources":[{"template":"{a[0}"}]`:                                 "title.sources[0].template has a placeholder with a bracket that is not closed",
		`"sources":[{"template":"{a[]}"}]`:                                 "title.sources[0].template has a placeholder with brackets that hold nothing",
		`"sources":[{"template":"{a[\"b]}"}]`:                              "title.sources[0].template has a placeholder with quotes that are not closed",
		`"sources":[{"template":"{a[n=b}"}]`:                               "title.sources[0].template has a placeholder with a bracket that is not closed",
		`"sources":[{"template":"{a|upper}"}]`:                             `title.sources[0].template has a placeholder with "|" where a step should begin`,
		`"sources":[{"template":"{a[0]b}"}]`:                               `title.sources[0].template has a placeholder with "b" where a step should begin`,
		`"sources":[{"template":"` + long + `"}]`:                          "title.sources[0].template is too long (maximum is 1000 characters)",
		`"sources":[{"template":"` + strings.Repeat("{a}", 51) + `"}]`:     "title.sources[0].template has more than 50 placeholders",
		`"sources":[{"template":"{a` + strings.Repeat("[0]", 100) + `}"}]`: "title.sources[0].template has a placeholder of more than 100 steps",
		`"values":[]`:                           "title.values must be an object with what each value becomes",
		`"values":{}`:                           "title.values must be an object with what each value becomes",
		`"values":{"a":5}`:                      "title.values.a must be a string",
		`"values":{"a":""}`:                     "title.values.a must not be blank",
		`"values":{"a":"x","A ":"y"}`:           `title.values has "a" twice: letter case does not matter`,
		`"values":{"` + long[:256] + `":"x"}`:   "title.values has a value that is too long (maximum is 255 characters)",
		`"values":{` + values(201) + `}`:        "title.values is too long (maximum is 200 values)",
		`"default":5`:                           "title.default must be a string",
		`"default":" "`:                         "title.default must not be blank",
		`"default":"x","path":["a"],"type":"S"`: `title has the unknown member "default"`,
		`"default":"x","regexp":"."`:            `title has the unknown member "regexp"`,
		`"default":"x","type":5`:                "title.type must be a string",
		`"default":"x","label":5`:               "title.label must be a string",
		`"time":{}`:                             "title.time is for start_time and end_time alone",
		`"scope":"integration"`:                 "title.scope is for the fingerprint alone",
	}
	tests := map[string]string{
		`{"end_time":{"time":"epoch"}}`:                                                "end_time.time must be an object",
		`{"end_time":{"time":{"layout":"x"}}}`:                                         `end_time.time has the unknown member "layout"`,
		`{"end_time":{"time":{"format":"epoch"}}}`:                                     "end_time.time.format must be epoch_s, epoch_ms, epoch_us or epoch_ns",
		`{"end_time":{"time":{"order":"eu"}}}`:                                         `end_time.time.order must be "us"`,
		`{"end_time":{"time":{"zone":5}}}`:                                             "end_time.time.zone must be a string",
		`{"end_time":{"time":{"zone":"Mars/Olympus"}}}`:                                "end_time.time.zone is not a time zone of the IANA database, such as Europe/Berlin",
		`{"fingerprint":{"scope":"world"}}`:                                            `fingerprint.scope must be "project" or "integration"`,
		`{"fingerprint":{"scope":5}}`:                                                  `fingerprint.scope must be "project" or "integration"`,
		`{"resolved_when":"OK"}`:                                                       "resolved_when must be an object",
		`{"resolved_when":{"equals":["a"]}}`:                                           "resolved_when.source must be an object with a path, a template or a constant",
		`{"ignore_when":{"source":{"path":["a"]}}}`:                                    "ignore_when.equals must be a list of words",
		`{"ignore_when":{"source":{"path":["a"]},"equals":[]}}`:                        "ignore_when.equals must be a list of words",
		`{"ignore_when":{"source":{"path":["a"]},"equals":[null]}}`:                    "ignore_when.equals must be a list of words",
		`{"ignore_when":{"source":{"path":["a"]},"equals":[" "]}}`:                     "ignore_when.equals must be a list of words",
		`{"ignore_when":{"source":{"path":["a"]},"equals":[` + many(51, `"a"`) + `]}}`: "ignore_when.equals is too long (maximum is 50 words)",
		`{"ignore_when":{"source":{"path":["a"]},"equals":["` + long[:256] + `"]}}`:    "ignore_when.equals has a word that is too long (maximum is 255 characters)",
		`{"acknowledged_when":{"source":{"constant":"a"},"equals":["a"]}}`:             "acknowledged_when.source must not be a constant",
		`{"acknowledged_when":{"source":{"path":["a"]},"equals":["a"],"not":true}}`:    `acknowledged_when has the unknown member "not"`,
		`{"split":["a"]}`:                   "split must be an object",
		`{"split":{}}`:                      "split.path is missing",
		`{"split":{"path":["a"],"most":5}}`: `split has the unknown member "most"`,
		`{"title":{"default":"` + long[:900] + `"},"hosts":{"sources":[` + many(20, `{"constant":"`+long[:900]+`"}`) + `]},"service":{"sources":[` + many(20, `{"constant":"`+long[:900]+`"}`) + `]}}`: "is too long (maximum is 32768 bytes)",
	}
	for rule, want := range title {
		tests[`{"title":{`+rule+`}}`] = want
	}
	for text, want := range tests {
		_, err := mapping.Parse([]byte(text), "payload_attribute_mapping")
		if diff := cmp.Diff(error(fault.Fields{"payload_attribute_mapping": {want}}), err); diff != "" {
			t.Errorf("Parse(%.100s) (-want +got):\n%s", text, diff)
		}
	}
	spaced := `{"title":{"default":` + strings.Repeat(" ", mapping.MaxBytes) + `"x"}}`
	if _, err := mapping.Parse([]byte(spaced), "mapping"); err != nil {
		t.Errorf("a mapping that is short without its spaces: %v", err)
	}
}

func TestSourcesForPeople(t *testing.T) {
	m := parse(t, full)
	for source, want := range map[string]string{
		m.Rules[mapping.Severity].Sources[0].String():       "tags[name=priority].value",
		m.Rules[mapping.Severity].Sources[1].String():       "pairs[0=level][1]",
		m.Rules[mapping.Severity].Sources[2].String():       "pairs[0=level][-1]",
		m.Rules[mapping.Description].Sources[0].String():    "Message|json.NewStateReason",
		m.Rules[mapping.Description].Sources[1].String():    "{host.name}: {event.text}",
		m.Rules[mapping.Hosts].Sources[0].String():          "hosts[*].name",
		m.Rules[mapping.MonitoringTool].Sources[0].String(): `"Zabbix"`,
		m.IgnoreWhen.String():                               "whole:Type is SubscriptionConfirmation",
		m.AcknowledgedWhen.String():                         "event.action is acknowledge or ack",
	} {
		if source != want {
			t.Errorf("a source is written %s, want %s", source, want)
		}
	}
}

// Whatever a template is, it is refused or fills what a person reads.
func FuzzTemplate(f *testing.F) {
	for _, template := range []string{
		"{host.name}/{service}", "{{{a[-1].b}}}", `{["odd name"].x}`, "{tags[name=host].value}", "{Message|json.AlarmName}", "{hosts[*]}", "{whole:a}", "{a", "}", `{a["`,
		`{a["\ud800"=x]}`, "{pairs[0=level][1]} {deep[*][*].n}",
	} {
		f.Add(template, fullPayload)
	}
	f.Fuzz(func(t *testing.T, template, sample string) {
		document, err := payload.Read([]byte(sample))
		if err != nil {
			return
		}
		written, err := json.Marshal(map[string]any{"title": map[string]any{"sources": []any{map[string]any{"template": template}}}})
		if err != nil {
			t.Fatal(err)
		}
		m, err := mapping.Parse(written, "mapping")
		if err != nil {
			return
		}
		i := item(m, document.Object)
		found := i.Find(mapping.Title)
		if text, isText := found.Value.(string); found.Source != nil && (!isText || len(text) > 64<<10) {
			t.Errorf("%q fills %v", template, found.Value)
		}
		for _, path := range i.Paths(found.Place) {
			_ = path.String()
		}
	})
}
