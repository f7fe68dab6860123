package notice_test

import (
	"testing"
	"time"

	"gatehouse/shared/notice"
	"gatehouse/shared/oncall"
)

func quiet(t *testing.T, zone, from, to string, days ...time.Weekday) notice.Quiet {
	t.Helper()
	z, err := oncall.ParseZone(zone)
	if err != nil {
		t.Fatal(err)
	}
	begin, ok := notice.ParseClock(from)
	end, alsoOK := notice.ParseClock(to)
	if !ok || !alsoOK {
		t.Fatalf("ParseClock(%q), ParseClock(%q)", from, to)
	}
	return notice.Quiet{Active: true, Zone: z, From: begin, To: end, Days: days}
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Quiet hours are those that the clocks on the wall show, whatever is done to the clocks.
func TestQuietHours(t *testing.T) {
	const berlin, newYork, lordHowe, kolkata, kathmandu = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Asia/Kathmandu"
	tests := []struct {
		name, zone, from, to, at, until string // until is empty: it is not quiet
		days                            []time.Weekday
	}{
		{"before", "UTC", "22:00", "07:00", "2026-01-05T21:59:59Z", "", nil},
		{"at the beginning", "UTC", "22:00", "07:00", "2026-01-05T22:00:00Z", "2026-01-06T07:00:00Z", nil},
		{"after midnight", "UTC", "22:00", "07:00", "2026-01-06T03:00:00Z", "2026-01-06T07:00:00Z", nil},
		{"at the end", "UTC", "22:00", "07:00", "2026-01-06T07:00:00Z", "", nil},
		{"within a day", "UTC", "12:00", "13:30", "2026-01-06T13:29:00Z", "2026-01-06T13:30:00Z", nil},
		{"after it", "UTC", "12:00", "13:30", "2026-01-06T13:30:00Z", "", nil},

		{"the night of summer time", berlin, "22:00", "07:00", "2026-03-28T21:00:00Z", "2026-03-29T05:00:00Z", nil},
		{"the night of winter time", berlin, "22:00", "07:00", "2026-10-24T20:00:00Z", "2026-10-25T06:00:00Z", nil},
		{"the end in the gap", berlin, "22:00", "02:30", "2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z", nil},
		{"after the gap", berlin, "22:00", "02:30", "2026-03-29T01:00:00Z", "", nil},
		{"the beginning in the gap", berlin, "02:30", "07:00", "2026-03-29T01:00:00Z", "2026-03-29T05:00:00Z", nil},
		{"before a beginning in the gap", berlin, "02:30", "07:00", "2026-03-29T00:59:00Z", "", nil},
		{"the end comes twice", berlin, "22:00", "02:30", "2026-10-25T00:29:00Z", "2026-10-25T00:30:00Z", nil},
		{"after the first of two ends", berlin, "22:00", "02:30", "2026-10-25T00:30:00Z", "", nil},
		{"the beginning comes twice", berlin, "02:30", "07:00", "2026-10-25T00:30:00Z", "2026-10-25T06:00:00Z", nil},
		{"all is in the gap", berlin, "02:15", "02:45", "2026-03-29T01:00:00Z", "", nil},

		{"New York to summer time", newYork, "23:00", "06:30", "2026-03-08T04:00:00Z", "2026-03-08T10:30:00Z", nil},
		{"New York to winter time", newYork, "23:00", "06:30", "2026-11-01T03:00:00Z", "2026-11-01T11:30:00Z", nil},
		{"New York before", newYork, "23:00", "06:30", "2026-11-01T02:59:59Z", "", nil},

		{"half an hour of summer time", lordHowe, "22:00", "07:00", "2026-10-03T11:30:00Z", "2026-10-03T20:00:00Z", nil},
		{"half an hour of winter time", lordHowe, "22:00", "07:00", "2026-04-04T11:00:00Z", "2026-04-04T20:30:00Z", nil},
		{"an offset of five and a half hours", kolkata, "22:00", "07:00", "2026-06-01T16:30:00Z", "2026-06-02T01:30:00Z", nil},
		{"an offset of five and three quarters", kathmandu, "22:00", "07:00", "2026-06-01T16:14:59Z", "", nil},
		{"an offset of five and three quarters, at the beginning", kathmandu, "22:00", "07:00", "2026-06-01T16:15:00Z", "2026-06-02T01:15:00Z", nil},

		{"the day counts at which they begin", "UTC", "22:00", "07:00", "2026-01-10T03:00:00Z", "2026-01-10T07:00:00Z", []time.Weekday{time.Friday}},
		{"not the day at which they end", "UTC", "22:00", "07:00", "2026-01-09T03:00:00Z", "", []time.Weekday{time.Friday}},
		{"the day is that of the zone", kolkata, "01:00", "05:00", "2026-01-08T20:00:00Z", "2026-01-08T23:30:00Z", []time.Weekday{time.Friday}},
		{"whole days follow each other", "UTC", "00:00", "00:00", "2026-01-10T12:00:00Z", "2026-01-12T00:00:00Z", []time.Weekday{time.Saturday, time.Sunday}},
		{"whole days with summer time", berlin, "00:00", "00:00", "2026-03-28T12:00:00Z", "2026-03-29T22:00:00Z", []time.Weekday{time.Saturday, time.Sunday}},
	}
	for _, test := range tests {
		got, held := quiet(t, test.zone, test.from, test.to, test.days...).Until(instant(t, test.at))
		if held != (test.until != "") || held && !got.Equal(instant(t, test.until)) {
			t.Errorf("%s: %s is quiet until %v (%t), want %q", test.name, test.at, got, held, test.until)
		}
	}
}

// Any minute of two years is quiet exactly if the clock on the wall shows a time within the
// hours, but for those next to a change of the clocks.
func TestQuietHoursFollowTheWall(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"} {
		q := quiet(t, zone, "22:10", "06:50")
		for at := instant(t, "2026-01-01T00:00:00Z"); at.Year() < 2028; at = at.Add(37 * time.Minute) {
			local := at.In(q.Zone.Location())
			minute := local.Hour()*60 + local.Minute()
			want := minute >= 22*60+10 || minute < 6*60+50
			end, got := q.Until(at)
			if got != want || got && end.In(q.Zone.Location()).Format("15:04") != "06:50" {
				t.Fatalf("%s: at %s it is quiet: %t until %s", zone, local, got, end)
			}
		}
	}
}

func TestInactiveHoursAreNotQuiet(t *testing.T) {
	q := quiet(t, "UTC", "22:00", "07:00")
	q.Active = false
	if _, held := q.Until(instant(t, "2026-01-06T03:00:00Z")); held {
		t.Error("hours that are not active hold notices")
	}
}
