package monitorapi_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A resolved alert is gone everywhere once its days are over. What is open or kept for
// longer stays, and so does an incident.
func TestResolvedAlertsAreGone(t *testing.T) {
	s := arrange(t)
	one := s.endpoint(t)
	for _, title := range []string{"Disk full", "Slow", "Down"} {
		s.fire(t, one, object{"title": title, "fingerprint": title})
	}
	s.Call(t, "POST", incidents, object{"title": "Web", "alert_iids": list{1, 2}}).Want(t, 201, nil)
	s.Call(t, "PUT", settings, object{"retention_days": 2}).Want(t, 200, nil)
	s.Call(t, "PUT", alerts+"/1", object{"status": "resolved"}).Want(t, 200, nil)
	s.Call(t, "PUT", alerts+"/2", object{"status": "ignored"}).Want(t, 200, nil)
	s.Call(t, "PUT", settings, object{"retention_days": 30}).Want(t, 200, nil)
	s.Call(t, "PUT", alerts+"/3", object{"status": "resolved"}).Want(t, 200, nil)

	check := func(first int, total, counts string, numbers ...any) {
		t.Helper()
		all := s.Call(t, "GET", alerts, nil)
		if diff := cmp.Diff(numbers, all.Each(t, "iid")); diff != "" {
			t.Errorf("the list (-want +got):\n%s", diff)
		}
		if got := all.Header.Get("X-Total") + ": " + all.Header.Get("X-Status-Counts"); got != total+": "+counts {
			t.Errorf("the numbers are %s, want %s: %s", got, total, counts)
		}
		s.Call(t, "GET", alerts+"/1", nil).Want(t, first, nil)
		s.Call(t, "GET", alerts+"/1/payload", nil).Want(t, first, nil)
		s.Call(t, "GET", incidents+"/1", nil).Want(t, 200, nil)
	}
	for iid, days := range map[string]int{"/1": 3, "/3": 31} {
		want := s.Now().Truncate(24*time.Hour).AddDate(0, 0, days).Format("2006-01-02T15:04:05.000Z")
		if got := s.Call(t, "GET", alerts+iid, nil).Object(t)["expires_at"]; got != want {
			t.Errorf("alert %s expires at %v, want %s", iid, got, want)
		}
	}
	end := s.Now().Truncate(24*time.Hour).AddDate(0, 0, 3)
	s.Pass(end.Sub(s.Now()) - time.Microsecond)
	check(200, "3", "triggered=0, acknowledged=0, resolved=2, ignored=1", 3.0, 2.0, 1.0)
	s.Pass(time.Microsecond)
	check(404, "2", "triggered=0, acknowledged=0, resolved=1, ignored=1", 3.0, 2.0)
	s.Call(t, "PUT", alerts+"/1", object{"status": "triggered"}).Want(t, 404, nil)
	s.Pass(28 * 24 * time.Hour)
	check(404, "1", "triggered=0, acknowledged=0, resolved=0, ignored=1", 2.0)

	s.fire(t, one, object{"title": "Disk full", "fingerprint": "Disk full"})
	s.Call(t, "GET", alerts+"/4", nil).Want(t, 200, nil)
}
