package monitorapi_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	ical "github.com/emersion/go-ical"
	"github.com/google/go-cmp/cmp"

	"gatehouse/shared/apptest"
	"gatehouse/shared/audit"
	"gatehouse/shared/oncall"
	"gatehouse/shared/project"
	"gatehouse/shared/user"
)

const (
	schedules = "/api/v4/projects/acme%2Fweb/monitor/schedules"
	policy    = "/api/v4/projects/acme%2Fweb/monitor/escalation_policy"
)

// team is a schedule of two Developers who take turns of a day from midnight on in
// Berlin; a third one is not on it.
type team struct {
	setup
	one              string // the address of the schedule
	id               int64
	carl, dora, emil user.User
	start            time.Time // when carl begins; it is his turn now
}

func arrangeTeam(t *testing.T) team {
	t.Helper()
	s := arrange(t)
	made := s.Call(t, "POST", schedules, object{"name": "Night", "timezone": "Europe/Berlin"})
	made.Want(t, 201, nil)
	m := team{setup: s, one: fmt.Sprintf("%s/%d", schedules, made.ID(t)), id: made.ID(t), start: s.Now().Truncate(24 * time.Hour)}
	for name, u := range map[string]*user.User{"carl": &m.carl, "dora": &m.dora, "emil": &m.emil} {
		*u = s.User(name)
		s.Member(s.P.Place(), *u, project.Developer)
	}
	s.Call(t, "POST", m.one+"/rotations", m.rotation(nil)).Want(t, 201, nil)
	return m
}

// rotation returns the parameters of the rotation with changes.
func (m team) rotation(changes object) object {
	all := object{
		"name": "First", "starts_at": m.start.Format(time.RFC3339), "length": object{"value": 1, "unit": "days"}, "participants": list{m.carl.ID, m.dora.ID},
	}
	for name, value := range changes {
		all[name] = value
	}
	return all
}

// at writes the time so many hours after the start.
func (m team) at(hours int) string {
	return m.start.Add(time.Duration(hours) * time.Hour).Format(time.RFC3339)
}

// as makes a call as the user.
func (m team) as(t *testing.T, u user.User, method, target string, params any) apptest.Answer {
	t.Helper()
	return apptest.Call(t, m.H, method, target, m.Token(u), params)
}

// wantOnCall checks who is on call so many hours after the start.
func (m team) wantOnCall(t *testing.T, hours int, want ...user.User) {
	t.Helper()
	answer := m.Call(t, "GET", m.one+"/oncall?at="+m.at(hours), nil)
	ids := []any{}
	for _, u := range want {
		ids = append(ids, float64(u.ID))
	}
	got := []any{}
	for _, u := range answer.Each(t, "user") {
		got = append(got, u.(object)["id"])
	}
	if diff := cmp.Diff(ids, got); answer.Status != 200 || diff != "" {
		t.Errorf("on call after %d hours: %d (-want +got):\n%s", hours, answer.Status, diff)
	}
}

func TestScheduleBody(t *testing.T) {
	m := arrangeTeam(t)
	wire := func(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
	rotation := object{
		"id": 1.0, "name": "First", "starts_at": wire(m.start), "ends_at": nil, "length": object{"value": 1.0, "unit": "days"},
		"active_period": nil, "participants": list{float64(m.carl.ID), float64(m.dora.ID)},
	}
	want := object{
		"id": float64(m.id), "name": "Night", "timezone": "Europe/Berlin", "rotations": list{rotation},
		"skipped_users": list{}, "gap": false, "calendar_feed": false, "created_at": wire(m.Now()),
	}
	m.Call(t, "GET", m.one, nil).Want(t, 200, want)
	m.Call(t, "GET", schedules, nil).Want(t, 200, list{want})
	m.Call(t, "GET", m.one+"/rotations", nil).Want(t, 200, list{rotation})
	m.Call(t, "GET", m.one+"/rotations/1", nil).Want(t, 200, rotation)
	end := m.start.AddDate(1, 0, 0)
	rotation["ends_at"], rotation["active_period"] = wire(end), object{"start": "22:00", "end": "06:30"}
	m.Call(t, "PUT", m.one+"/rotations/1", object{"ends_at": end.Format(time.RFC3339), "active_period": object{"start": "22:00", "end": "06:30"}}).Want(t, 200, rotation)
	rotation["ends_at"], rotation["active_period"], rotation["name"] = nil, nil, "Second"
	m.Call(t, "PUT", m.one+"/rotations/1", object{"ends_at": nil, "active_period": nil, "name": "Second"}).Want(t, 200, rotation)
	want["name"], want["timezone"] = "Day", "UTC"
	m.Call(t, "PUT", m.one, object{"name": "Day", "timezone": "UTC"}).Want(t, 200, want)
	m.Call(t, "DELETE", m.one+"/rotations/1", nil).Want(t, 204, nil)
	m.Call(t, "DELETE", m.one, nil).Want(t, 204, nil)
	m.Call(t, "GET", m.one, nil).WantMessage(t, 404, "404 Schedule Not Found")
}

func TestShiftBody(t *testing.T) {
	m := arrangeTeam(t)
	answer := m.Call(t, "GET", m.one+"/oncall", nil)
	answer.Want(t, 200, list{object{
		"rotation_id": 1.0, "starts_at": m.start.UTC().Format("2006-01-02T15:04:05.000Z"), "ends_at": m.start.AddDate(0, 0, 1).UTC().Format("2006-01-02T15:04:05.000Z"),
		"instead_of_user_id": nil, "override_id": nil,
		"user": object{
			"id": float64(m.carl.ID), "username": "carl", "name": m.carl.Name, "state": "active", "avatar_url": nil, "web_url": apptest.BaseURL + "/users/carl",
		},
	}})
	if got := len(m.Call(t, "GET", m.one+"/shifts", nil).Each(t, "user")); got != 15 {
		t.Errorf("the picture has %d shifts, want those of two weeks", got)
	}
	m.Call(t, "GET", m.one+"/shifts?from="+m.at(0)+"&to="+m.at(24*57), nil).WantMessage(t, 400, object{"to": list{"is more than eight weeks after from"}})
	m.Call(t, "GET", m.one+"/shifts?from="+m.at(1)+"&to="+m.at(1), nil).WantMessage(t, 400, object{"to": list{"must be after from"}})
	m.Call(t, "GET", m.one+"/oncall?at=soon", nil).WantMessage(t, 400, object{"at": list{"is not a time, such as 2026-03-29T09:00:00Z"}})
}

// What is refused changes nothing.
func TestBadInputIsRefused(t *testing.T) {
	m := arrangeTeam(t)
	stranger := m.User("stranger")
	many := list{}
	for range 41 {
		many = append(many, 1000+len(many))
	}
	const absent = "has users who are not members of the project with the role Developer or above"
	field := func(name, complaint string) object { return object{name: list{complaint}} }
	override := func(changes object) object {
		all := object{"user_id": m.emil.ID, "replaces_user_id": m.carl.ID, "starts_at": m.at(0), "ends_at": m.at(100)}
		for name, value := range changes {
			all[name] = value
		}
		return all
	}
	rotations, overrides := m.one+"/rotations", m.one+"/overrides"
	m.Call(t, "POST", schedules, object{"name": "Day", "timezone": "UTC"}).Want(t, 201, nil)
	before := m.Call(t, "GET", schedules, nil).Body
	tests := []struct {
		method, target string
		params         object
		want           any // a text is an error about parameters
	}{
		{"POST", schedules, object{}, "name is missing, timezone is missing"},
		{"POST", schedules, object{"name": "", "timezone": "Mars/Olympus"}, object{"name": list{"can't be blank"}, "timezone": list{"is not a time zone of the IANA database, such as Europe/Berlin"}}},
		{"POST", schedules, object{"name": "nIGHT", "timezone": "UTC"}, field("name", "has already been taken")},
		{"PUT", m.one, object{"name": "Day"}, field("name", "has already been taken")},
		{"PUT", m.one, object{"timezone": "Local"}, field("timezone", "is not a time zone of the IANA database, such as Europe/Berlin")},
		{"POST", rotations, object{}, "name is missing, starts_at is missing, length is missing, participants is missing"},
		{"POST", rotations, m.rotation(nil), field("name", "has already been taken")},
		{"POST", rotations, m.rotation(object{"name": "B", "participants": list{}}), field("participants", "must have somebody")},
		{"POST", rotations, m.rotation(object{"name": "B", "participants": list{m.carl.ID, m.dora.ID, m.carl.ID}}), field("participants", "has a user more than once")},
		{"POST", rotations, m.rotation(object{"name": "B", "participants": list{stranger.ID}}), field("participants", absent)},
		{"POST", rotations, m.rotation(object{"name": "B", "participants": list{99999}}), field("participants", absent)},
		{"POST", rotations, m.rotation(object{"name": "B", "participants": many}), field("participants", "has too many (a schedule may have 40 people in its rotations and overrides)")},
		{"POST", rotations, m.rotation(object{"name": "B", "length": object{"value": 0, "unit": "days"}}), field("length", "must have a value from 1 to 1000 and the unit hours, days or weeks")},
		{"POST", rotations, m.rotation(object{"name": "B", "length": object{"value": 1, "unit": "years"}}), "length[unit] does not have a valid value"},
		{"POST", rotations, m.rotation(object{"name": "B", "length": object{"unit": "days"}}), "length[value] is missing"},
		{"POST", rotations, m.rotation(object{"name": "B", "length": "1 day"}), "length is invalid"},
		{"POST", rotations, m.rotation(object{"name": "B", "active_period": object{"start": "25:00", "end": "06:00"}}), "active_period[start] is invalid"},
		{"POST", rotations, m.rotation(object{"name": "B", "active_period": object{"start": "06:00", "end": "06:00"}}), field("active_period", "must not end when it starts")},
		{"POST", rotations, m.rotation(object{"name": "B", "starts_at": "2027-03-28T02:30"}), field("starts_at", "does not exist in Europe/Berlin: the clocks skip 2027-03-28 02:30:00, so add the offset from UTC")},
		{"POST", rotations, m.rotation(object{"name": "B", "starts_at": "2027-10-31T02:30"}), field("starts_at", "is ambiguous in Europe/Berlin: the clocks show 2027-10-31 02:30:00 twice, so add the offset from UTC")},
		{"POST", rotations, m.rotation(object{"name": "B", "starts_at": ""}), field("starts_at", "can't be blank")},
		{"POST", rotations, m.rotation(object{"name": "B", "ends_at": m.at(0)}), field("ends_at", "must be after starts_at")},
		{"PUT", rotations + "/1", object{"ends_at": m.at(-1)}, field("ends_at", "must be after starts_at")},
		{"PUT", rotations + "/1", object{"participants": list{}}, field("participants", "must have somebody")},
		{"POST", overrides, object{}, "user_id is missing, starts_at is missing, ends_at is missing"},
		{"POST", overrides, override(object{"ends_at": m.at(0)}), field("ends_at", "must be after starts_at")},
		{"POST", overrides, override(object{"starts_at": m.at(-48), "ends_at": m.at(-24)}), field("ends_at", "is in the past")},
		{"POST", overrides, override(object{"ends_at": m.at(24 * 400)}), field("ends_at", "is more than 366 days after starts_at")},
		{"POST", overrides, override(object{"user_id": m.carl.ID}), field("replaces_user_id", "is the same user")},
		{"POST", overrides, override(object{"replaces_user_id": stranger.ID}), field("replaces_user_id", "is not on the schedule")},
		{"POST", overrides, override(object{"user_id": stranger.ID}), field("user_id", absent)},
		{"POST", overrides, override(object{"starts_at": "2027-03-28T02:30"}), field("starts_at", "does not exist in Europe/Berlin: the clocks skip 2027-03-28 02:30:00, so add the offset from UTC")},
		{"POST", overrides, object{"overrides": list{}}, field("overrides", "must be the two of a swap")},
		{"POST", overrides, object{"overrides": list{override(nil), override(nil)}}, field("overrides", "must each have one user in place of the other")},
		{"POST", overrides, object{"overrides": list{object{}}}, "overrides[0][user_id] is missing, overrides[0][starts_at] is missing, overrides[0][ends_at] is missing"},
		{"POST", overrides, object{"overrides": "two"}, "overrides is invalid"},
	}
	for _, test := range tests {
		answer := m.Call(t, test.method, test.target, test.params)
		if text, isText := test.want.(string); isText {
			answer.WantError(t, 400, text)
		} else {
			answer.WantMessage(t, 400, test.want)
		}
	}
	m.Call(t, "GET", schedules, nil).Want(t, 200, before)
	m.Call(t, "GET", overrides, nil).Want(t, 200, list{})
	for target, want := range map[string]string{
		rotations + "/9": "404 Rotation Not Found", rotations + "/x": "404 Rotation Not Found", overrides + "/9": "404 Override Not Found", schedules + "/99/rotations/1": "404 Schedule Not Found",
	} {
		m.Call(t, "DELETE", target, nil).WantMessage(t, 404, want)
	}
}

func TestEscalationPolicy(t *testing.T) {
	m := arrangeTeam(t)
	m.Call(t, "GET", policy, nil).Want(t, 200, object{"rules": list{}, "repeat": 0.0})
	rule := func(minutes int, until string, schedule, user any) object {
		return object{"elapsed_minutes": minutes, "until_status": until, "schedule_id": schedule, "user_id": user}
	}
	want := object{"repeat": 3.0, "rules": list{
		object{"elapsed_minutes": 0.0, "until_status": "acknowledged", "schedule_id": float64(m.id), "user_id": nil},
		object{"elapsed_minutes": 15.0, "until_status": "resolved", "schedule_id": nil, "user_id": float64(m.emil.ID)},
	}}
	m.Call(t, "PUT", policy, object{"repeat": 3, "rules": list{rule(15, "resolved", nil, m.emil.ID), rule(0, "acknowledged", m.id, nil)}}).Want(t, 200, want)
	m.Call(t, "GET", policy, nil).Want(t, 200, want)

	other := m.Project("other", m.Group("elsewhere", project.Group{}, m.carl, project.Private), project.Private)
	m.Member(other.Place(), m.carl, project.Owner)
	foreign := m.as(t, m.carl, "POST", fmt.Sprintf("/api/v4/projects/%d/monitor/schedules", other.ID), object{"name": "X", "timezone": "UTC"}).ID(t)
	stranger := m.User("stranger")
	many := list{}
	for n := range 11 {
		many = append(many, rule(n, "resolved", m.id, nil))
	}
	for _, test := range []struct {
		params object
		want   any
	}{
		{object{}, "rules is missing"},
		{object{"rules": "none"}, "rules is invalid"},
		{object{"rules": list{object{}}}, "rules[0][elapsed_minutes] is missing, rules[0][until_status] is missing"},
		{object{"rules": list{rule(0, "ignored", m.id, nil)}}, "rules[0][until_status] does not have a valid value"},
		{object{"rules": list{rule(-1, "resolved", m.id, nil)}}, object{"rules": list{"must have elapsed_minutes from 0 to 1440"}}},
		{object{"rules": list{rule(0, "resolved", nil, nil)}}, object{"rules": list{"must each have either schedule_id or user_id"}}},
		{object{"rules": list{rule(0, "resolved", m.id, m.emil.ID)}}, object{"rules": list{"must each have either schedule_id or user_id"}}},
		{object{"rules": list{rule(0, "resolved", m.id, nil), rule(0, "resolved", m.id, nil)}}, object{"rules": list{"has a rule more than once"}}},
		{object{"rules": many}, object{"rules": list{"has too many (maximum is 10)"}}},
		{object{"rules": list{}, "repeat": 10}, object{"repeat": list{"must be from 0 to 9"}}},
		{object{"rules": list{rule(0, "resolved", foreign, nil)}}, object{"rules": list{"has a schedule that the project does not have"}}},
		{object{"rules": list{rule(0, "resolved", nil, stranger.ID)}}, object{"rules": list{"has users who are not members of the project with the role Developer or above"}}},
	} {
		answer := m.Call(t, "PUT", policy, test.params)
		if text, isText := test.want.(string); isText {
			answer.WantError(t, 400, text)
		} else {
			answer.WantMessage(t, 400, test.want)
		}
	}
	m.Call(t, "GET", policy, nil).Want(t, 200, want)
	m.Call(t, "DELETE", m.one, nil).WantMessage(t, 409, "409 Conflict - the escalation policy names the schedule")
	m.Call(t, "PUT", policy, object{"rules": list{}}).Want(t, 200, object{"rules": list{}, "repeat": 0.0})
	m.Call(t, "DELETE", m.one, nil).Want(t, 204, nil)
}

// Whoever is on the schedule trades their own shifts, and only those.
func TestWhoMayOverride(t *testing.T) {
	m := arrangeTeam(t)
	overrides := m.one + "/overrides"
	override := func(user, replaces any, from, until int) object {
		return object{"user_id": user, "replaces_user_id": replaces, "starts_at": m.at(from), "ends_at": m.at(until)}
	}
	swap := object{"overrides": list{override(m.dora.ID, m.carl.ID, 48, 72), override(m.carl.ID, m.dora.ID, 72, 96)}}
	const others = "403 Forbidden - only Maintainers may change the shifts of others"
	m.as(t, m.emil, "POST", overrides, override(m.emil.ID, m.carl.ID, 0, 24)).
		WantMessage(t, 403, "403 Forbidden - only Maintainers and the people of the schedule may add overrides")
	m.as(t, m.carl, "POST", overrides, override(m.emil.ID, m.dora.ID, 24, 48)).WantMessage(t, 403, others)
	cover := m.as(t, m.carl, "POST", overrides, override(m.emil.ID, m.carl.ID, 48, 60))
	cover.Want(t, 201, nil)
	m.wantOnCall(t, 50, m.emil)
	m.wantOnCall(t, 60, m.carl)
	one := fmt.Sprintf("%s/%d", overrides, cover.ID(t))
	m.as(t, m.dora, "DELETE", one, nil).WantMessage(t, 403, others)
	m.as(t, m.emil, "DELETE", one, nil).Want(t, 204, nil)
	m.wantOnCall(t, 50, m.carl)
	m.as(t, m.carl, "POST", overrides, override(m.carl.ID, m.dora.ID, 24, 48)).Want(t, 201, nil)
	m.wantOnCall(t, 30, m.carl)
	both := m.as(t, m.dora, "POST", overrides, swap)
	both.Want(t, 201, nil)
	m.wantOnCall(t, 50, m.dora)
	m.wantOnCall(t, 80, m.carl)
	m.as(t, m.carl, "DELETE", fmt.Sprintf("%s/%v", overrides, both.Each(t, "id")[1]), nil).Want(t, 204, nil)
	m.wantOnCall(t, 50, m.carl)
	m.wantOnCall(t, 80, m.dora)
	if got := m.Call(t, "GET", overrides, nil).Each(t, "user_id"); len(got) != 1 {
		t.Errorf("there are overrides by %v, want one", got)
	}
	m.Call(t, "POST", overrides, override(m.emil.ID, nil, 100, 200)).Want(t, 201, nil)
	m.wantOnCall(t, 150, m.emil)
}

// The next in order is asked for whoever leaves, and the schedule says so.
func TestWhoLeavesLeavesNoHole(t *testing.T) {
	m := arrangeTeam(t)
	m.Block(m.carl)
	m.wantOnCall(t, 12, m.dora)
	body := m.Call(t, "GET", m.one, nil).Object(t)
	if diff := cmp.Diff(list{float64(m.carl.ID)}, body["skipped_users"]); diff != "" || body["gap"] != false {
		t.Errorf("gap %v, skipped (-want +got):\n%s", body["gap"], diff)
	}
	m.Block(m.dora)
	m.wantOnCall(t, 12)
	if body := m.Call(t, "GET", m.one, nil).Object(t); body["gap"] != true {
		t.Errorf("nobody is left, and the schedule is %v", body)
	}
}

func TestBoundsOfSchedules(t *testing.T) {
	m := arrangeTeam(t)
	for n := range 19 {
		m.Call(t, "POST", schedules, object{"name": fmt.Sprint("S", n), "timezone": "UTC"}).Want(t, 201, nil)
		m.Call(t, "POST", m.one+"/rotations", m.rotation(object{"name": fmt.Sprint("R", n)})).Want(t, 201, nil)
	}
	m.Call(t, "POST", schedules, object{"name": "S", "timezone": "UTC"}).WantMessage(t, 409, "409 Conflict - the project has 20 schedules, which is the most")
	m.Call(t, "POST", m.one+"/rotations", m.rotation(object{"name": "R"})).WantMessage(t, 409, "409 Conflict - the schedule has 20 rotations, which is the most")
	cover := object{"user_id": m.emil.ID, "replaces_user_id": m.carl.ID, "starts_at": m.at(0), "ends_at": m.at(24)}
	for range 100 {
		m.Call(t, "POST", m.one+"/overrides", cover).Want(t, 201, nil)
	}
	m.Call(t, "POST", m.one+"/overrides", cover).WantMessage(t, 409, "409 Conflict - the schedule has 100 overrides, which is the most")
	m.Pass(33 * 24 * time.Hour) // those that ended are forgotten
	cover["ends_at"] = m.at(24 * 40)
	m.Call(t, "POST", m.one+"/overrides", cover).Want(t, 201, nil)
	if got := m.Call(t, "GET", m.one+"/overrides", nil).Each(t, "id"); len(got) != 1 {
		t.Errorf("there are %d overrides, want the new one", len(got))
	}
}

// feed reads a calendar with a library.
func (m team) feed(t *testing.T, address string) (events []ical.Event, raw string) {
	t.Helper()
	answer := m.calendar(t, address, "")
	if answer.Code != 200 {
		t.Fatalf("%s answered %d %s", address, answer.Code, answer.Body)
	}
	raw = answer.Body.String()
	read, err := ical.NewDecoder(strings.NewReader(raw)).Decode()
	if err != nil {
		t.Fatalf("the calendar is not read: %v\n%s", err, raw)
	}
	return read.Events(), raw
}

func TestFeeds(t *testing.T) {
	m := arrangeTeam(t)
	m.Call(t, "PUT", m.one, object{"name": `Night; on, "call" \ größer als alles, was in eine Zeile passt, und noch viel länger 夜勤夜勤夜勤夜勤`}).Want(t, 200, nil)
	whole := m.Call(t, "POST", m.one+"/feed", nil).Object(t)["url"].(string)
	carls := m.as(t, m.carl, "POST", "/api/v4/user/oncall_feed", nil).Object(t)["url"].(string)
	events, raw := m.feed(t, whole)
	want := m.Call(t, "GET", m.one+"/shifts?from="+m.at(0)+"&to="+m.at(48), nil)
	ids := map[string]bool{}
	for i, e := range events {
		start, _ := e.DateTimeStart(time.UTC)
		end, _ := e.DateTimeEnd(time.UTC)
		uid, _ := e.Props.Text(ical.PropUID)
		summary, _ := e.Props.Text(ical.PropSummary)
		if ids[uid] || uid == "" {
			t.Errorf("two events have the id %q", uid)
		}
		ids[uid] = true
		who := []user.User{m.carl, m.dora}[i%2]
		if day := m.start.AddDate(0, 0, i); i < 100 && start.Before(day.Add(-2*time.Hour)) || end.Sub(start) < 23*time.Hour || !strings.HasPrefix(summary, who.Name+" on call: Night; on, \"call\" \\ größer") || !strings.HasSuffix(summary, "夜勤") {
			t.Fatalf("event %d is %s from %s until %s", i, summary, start, end)
		}
	}
	if len(events) < 365 || len(want.Each(t, "user")) != 2 {
		t.Errorf("the feed has %d events, want a year of them", len(events))
	}
	for _, line := range strings.SplitAfter(raw, "\r\n") {
		if len(line) > 77 || strings.Contains(strings.TrimSuffix(line, "\r\n"), "\n") {
			t.Errorf("the line %q is not folded", line)
		}
	}
	own, _ := m.feed(t, carls)
	if len(own) < 182 || len(own) > 184 {
		t.Errorf("carl has %d shifts, want those of every second day", len(own))
	}
	m.Call(t, "POST", m.one+"/overrides", object{"user_id": m.carl.ID, "replaces_user_id": m.dora.ID, "starts_at": m.at(24), "ends_at": m.at(48)}).Want(t, 201, nil)
	if more, _ := m.feed(t, carls); len(more) != len(own)+1 {
		t.Errorf("after an override carl has %d shifts, want %d", len(more), len(own)+1)
	}
}

func TestFeedsAreForWhoKnowsTheSecret(t *testing.T) {
	m := arrangeTeam(t)
	whole := m.Call(t, "POST", m.one+"/feed", nil).Object(t)["url"].(string)
	own := m.as(t, m.carl, "POST", "/api/v4/user/oncall_feed", nil).Object(t)["url"].(string)
	for _, address := range []string{whole, own} {
		plain, _, _ := strings.Cut(address, "?")
		for _, wrong := range []string{plain, plain + "?token=", plain + "?token=0", strings.Replace(address, ".ics", "", 1), strings.Replace(address, ".ics", "0.ics", 1)} {
			if got := m.calendar(t, wrong, "").Code; got != 404 {
				t.Errorf("%s answered %d, want 404", wrong, got)
			}
		}
		first := m.calendar(t, address, "")
		again := m.calendar(t, address, first.Header().Get("ETag"))
		if first.Code != 200 || again.Code != 304 || first.Header().Get("Cache-Control") != "private, no-cache" || first.Header().Get("Content-Type") != "text/calendar; charset=utf-8" {
			t.Errorf("%s answered %d and %d with %v", address, first.Code, again.Code, first.Header())
		}
	}
	renewed := m.Call(t, "POST", m.one+"/feed", nil).Object(t)["url"].(string)
	if m.calendar(t, whole, "").Code != 404 || m.calendar(t, renewed, "").Code != 200 {
		t.Error("a renewed feed has its former address")
	}
	for range 2 {
		m.Call(t, "DELETE", m.one+"/feed", nil).Want(t, 204, nil)
		m.as(t, m.carl, "DELETE", "/api/v4/user/oncall_feed", nil).Want(t, 204, nil)
	}
	ended, err := m.Trail.Entries(t.Context(), audit.Filter{Everybody: true, Name: oncall.EventFeedEnded, Size: 10})
	if err != nil || len(ended.Entries) != 2 {
		t.Errorf("the trail has %d feeds that ended, %v, want 2", len(ended.Entries), err)
	}
	if m.calendar(t, renewed, "").Code != 404 || m.calendar(t, own, "").Code != 404 {
		t.Error("a feed that has ended is still there")
	}
	own = m.as(t, m.carl, "POST", "/api/v4/user/oncall_feed", nil).Object(t)["url"].(string)
	m.Block(m.carl)
	if m.calendar(t, own, "").Code != 404 {
		t.Error("the feed of a blocked user is still there")
	}
}

// Rules ask for the role also where no handler has.
func TestRulesAskForTheRole(t *testing.T) {
	m := arrangeTeam(t)
	by := oncall.Who{Role: project.Developer}
	stored, err := m.OnCall.Find(t.Context(), m.P, m.id)
	if err != nil {
		t.Fatal(err)
	}
	_, creating := m.OnCall.Create(t.Context(), by, m.P, oncall.Change{})
	_, changing := m.OnCall.Change(t.Context(), by, m.P, stored, oncall.Change{})
	_, adding := m.OnCall.AddRotation(t.Context(), by, m.P, stored, oncall.RotationChange{})
	_, setting := m.OnCall.SetPolicy(t.Context(), by, m.P, oncall.Policy{})
	_, renewing := m.OnCall.RenewFeed(t.Context(), by, m.P, stored)
	for deed, err := range map[string]error{
		"Create": creating, "Change": changing, "Delete": m.OnCall.Delete(t.Context(), by, m.P, stored), "AddRotation": adding, "SetPolicy": setting, "RenewFeed": renewing,
	} {
		if err == nil || err.Error() != "it takes the role Maintainer" {
			t.Errorf("%s by a Developer = %v", deed, err)
		}
	}
}

// calendar reads the address of a feed as a calendar program does.
func (m team) calendar(t *testing.T, address, etag string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("GET", strings.TrimPrefix(address, apptest.BaseURL), nil)
	r.Header.Set("If-None-Match", etag)
	recorder := httptest.NewRecorder()
	m.H.ServeHTTP(recorder, r)
	return recorder
}
