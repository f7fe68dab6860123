package monitorapi_test

import (
	"fmt"
	"testing"
	"time"

	"gatehouse/shared/project"
)

// outcome is what became of one of several alerts.
func outcome(iid float64, message any) object {
	return object{"iid": iid, "ok": message == nil, "message": message}
}

func TestChangeSeveralAlerts(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	for n := range 4 {
		s.fire(t, one, object{"title": "Down", "fingerprint": fmt.Sprint(n)})
	}
	s.Call(t, "PUT", alerts+"/3", object{"status": "resolved"}).Want(t, 200, nil)
	s.fire(t, one, object{"title": "Down", "fingerprint": "2"}) // alert 5 keeps 3 from being opened
	dev := s.User("dev")
	s.Member(s.P.Place(), dev, project.Developer)
	until := s.Now().Add(time.Hour).Format("2006-01-02T15:04:05.000Z")
	const taken = "409 Conflict - another alert with the same fingerprint is open"
	for _, step := range []struct {
		send object
		want list
	}{
		{object{"iids": list{2, 9, 3, 2, 1}, "status": "acknowledged"}, list{outcome(2, nil), outcome(9, "404 Alert Not Found"), outcome(3, taken), outcome(2, nil), outcome(1, nil)}},
		{object{"iids": list{1, "2", -4}, "assignee_id": dev.ID, "silenced_until": until}, list{outcome(1, nil), outcome(2, nil), outcome(-4, "404 Alert Not Found")}},
		{object{"iids": "1,4", "assignee_id": nil, "status": nil}, list{outcome(1, nil), outcome(4, nil)}},
		{object{"iids": list{2}, "silenced_until": nil}, list{outcome(2, nil)}},
		{object{"iids": list{4, 3}, "status": "resolved"}, list{outcome(4, nil), outcome(3, nil)}},
	} {
		s.Call(t, "PUT", alerts, step.send).Want(t, 200, step.want)
	}
	listed := s.Call(t, "GET", alerts+"?sort=asc", nil).Body.(list)
	for n, want := range []object{
		{"status": "acknowledged", "assignee": nil, "silenced_until": until},
		{"status": "acknowledged", "assignee": object{"id": float64(dev.ID), "username": "dev", "name": dev.Name}, "silenced_until": nil},
		{"status": "resolved"}, {"status": "resolved"}, {"status": "triggered", "silenced_until": nil},
	} {
		for field, value := range want {
			if got := listed[n].(object)[field]; fmt.Sprint(got) != fmt.Sprint(value) {
				t.Errorf("alert %d has %s %v, want %v", n+1, field, got, value)
			}
		}
	}
	if done := s.Call(t, "GET", alerts+"/2", nil).Object(t)["activity"].(list); len(done) != 4 {
		t.Errorf("alert 2 has the activity %v, want four changes, each once", done)
	}
}

func TestChangesOfSeveralAlertsThatAreNoGood(t *testing.T) {
	s := arrange(t)
	s.fire(t, s.endpoint(t), object{})
	was := s.Call(t, "GET", alerts+"/1", nil).Body
	many := make(list, 101)
	for n := range many {
		many[n] = 1
	}
	const none = "status, assignee_id, silenced_until are missing, at least one parameter must be provided"
	const number = "iids must have 1 to 100 numbers"
	for _, test := range []struct {
		send object
		want string
	}{
		{object{"status": "resolved"}, "iids is missing"},
		{object{"iids": list{}, "status": "resolved"}, number},
		{object{"iids": nil, "status": "resolved"}, number},
		{object{"iids": many, "status": "resolved"}, number},
		{object{"iids": list{1}}, none},
		{object{"iids": list{1, "x"}, "status": "resolved"}, "iids is invalid"},
		{object{"iids": list{1, 1.5}, "status": "resolved"}, "iids is invalid"},
		{object{"iids": object{"a": 1}, "status": "resolved"}, "iids is invalid"},
		{object{"iids": list{1}, "status": "open"}, "status does not have a valid value"},
	} {
		s.Call(t, "PUT", alerts, test.send).WantError(t, 400, test.want)
	}
	stranger, past := s.User("stranger"), s.Now().Add(-time.Hour)
	s.Call(t, "PUT", alerts, object{"iids": list{1}, "status": "resolved", "assignee_id": stranger.ID}).
		WantMessage(t, 400, object{"assignee_id": list{"is not somebody with the role Developer or above in the project"}})
	s.Call(t, "PUT", alerts, object{"iids": list{1}, "status": "resolved", "silenced_until": past}).
		WantMessage(t, 400, object{"silenced_until": list{"must be in the future, at most 30 days ahead"}})
	s.Call(t, "GET", alerts+"/1", nil).Want(t, 200, was)
	s.Call(t, "PUT", alerts, object{"iids": many[:100], "status": "resolved"}).Want(t, 200, nil)
}
