package oncall_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gatehouse/shared/oncall"
)

func TestZones(t *testing.T) {
	for _, name := range []string{berlin, "UTC", "Etc/GMT+3", "America/Argentina/Buenos_Aires", "CET"} {
		if z, err := oncall.ParseZone(name); err != nil || z.String() != name {
			t.Errorf("ParseZone(%s) = %s, %v", name, z, err)
		}
	}
	for _, name := range []string{"", "Local", "Mars/Olympus", "right/Europe/Berlin", "../etc/passwd", "Europe/../UTC", "europe/berlin", "+02:00", "Europe/Berlin\x00"} {
		if z, err := oncall.ParseZone(name); err == nil {
			t.Errorf("ParseZone(%q) = %s, want an error", name, z)
		}
	}
	var s oncall.Schedule
	if err := json.Unmarshal([]byte(`{"timezone":"Mars/Olympus"}`), &s); err == nil {
		t.Error("a stored zone that does not exist is read")
	}
}

func TestParseTime(t *testing.T) {
	tests := []struct{ zone, text, want string }{
		{berlin, "2026-06-01T09:00:00+02:00", "2026-06-01T07:00:00Z"},
		{berlin, "2026-10-25T02:30+01:00", "2026-10-25T01:30:00Z"},
		{berlin, "2026-06-01T09:00Z", "2026-06-01T09:00:00Z"},
		{berlin, "2026-06-01T09:00:00.75Z", "2026-06-01T09:00:00Z"},
		{berlin, "2026-06-01T09:00", "2026-06-01T07:00:00Z"},
		{berlin, "2026-06-01 09:00:30", "2026-06-01T07:00:30Z"},
		{berlin, "2026-03-29T01:59", "2026-03-29T00:59:00Z"},
		{berlin, "2026-03-29T02:00", "clocks skip"},
		{berlin, "2026-03-29T02:59:59", "clocks skip"},
		{berlin, "2026-03-29T03:00", "2026-03-29T01:00:00Z"},
		{berlin, "2026-10-25T01:59:59", "2026-10-24T23:59:59Z"},
		{berlin, "2026-10-25T02:00", "twice"},
		{berlin, "2026-10-25T02:59", "twice"},
		{berlin, "2026-10-25T03:00", "2026-10-25T02:00:00Z"},
		{berlin, "2026-10-25T02:30:00+01:00", "2026-10-25T01:30:00Z"},
		{newYork, "2026-03-08T02:30", "clocks skip"},
		{newYork, "2026-11-01T01:30", "twice"},
		{newYork, "2026-11-01T02:00", "2026-11-01T07:00:00Z"},
		{lordHowe, "2026-10-04T02:15", "clocks skip"},
		{lordHowe, "2026-10-04T02:30", "2026-10-03T15:30:00Z"},
		{lordHowe, "2026-04-05T01:45", "twice"},
		{lordHowe, "2026-04-05T02:00", "2026-04-04T15:30:00Z"},
		{lordHowe, "2026-04-05T01:29", "2026-04-04T14:29:00Z"},
		{kolkata, "2026-03-29T02:30", "2026-03-28T21:00:00Z"},
		{"Pacific/Apia", "2011-12-30T12:00", "clocks skip"},
		{berlin, "tomorrow", "is not a time"},
		{berlin, "", "is not a time"},
		{berlin, "2026-06-01T09:00:00." + strings.Repeat("0", 50) + "Z", "is not a time"},
		{berlin, "2026-02-30T09:00", "is not a time"},
		{berlin, "1999-12-31T00:00:00Z", "between the years"},
		{berlin, "2200-01-01T00:00:00Z", "between the years"},
		{berlin, "9999-01-01T00:00", "between the years"},
	}
	for _, test := range tests {
		got, complaint := zone(t, test.zone).ParseTime(test.text)
		if text := got.Format(time.RFC3339); complaint == "" && text != test.want || complaint != "" && !strings.Contains(complaint, test.want) {
			t.Errorf("ParseTime(%s) in %s = %s, %q, want %s", test.text, test.zone, text, complaint, test.want)
		}
	}
}

func TestParseLast(t *testing.T) {
	for _, test := range []struct{ zone, text, want string }{
		{berlin, "2026-06-01T09:00", "2026-06-01T07:00:00Z"},
		{berlin, "2026-03-29T02:30", "2026-03-29T01:00:00Z"},
		{berlin, "2026-10-25T02:30", "2026-10-25T01:30:00Z"},
		{berlin, "2026-10-25T02:30:00+02:00", "2026-10-25T00:30:00Z"},
		{lordHowe, "2026-04-05T01:45", "2026-04-04T15:15:00Z"},
	} {
		z, err := oncall.ParseZone(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got, complaint := z.ParseLast(test.text); complaint != "" || got.Format(time.RFC3339) != test.want {
			t.Errorf("ParseLast(%s) in %s = %s, %q, want %s", test.text, z, got, complaint, test.want)
		}
	}
	if _, complaint := (oncall.Zone{}).ParseLast("soon"); complaint == "" {
		t.Error("ParseLast takes what is no time")
	}
}

func TestClocks(t *testing.T) {
	for _, text := range []string{"00:00", "09:05", "23:59"} {
		if c, ok := oncall.ParseClock(text); !ok || c.String() != text {
			t.Errorf("ParseClock(%s) = %s, %t", text, c, ok)
		}
	}
	for _, text := range []string{"", "24:00", "9:00", "09:60", "09:00:00", "noon", "-1:00"} {
		if c, ok := oncall.ParseClock(text); ok {
			t.Errorf("ParseClock(%q) = %s", text, c)
		}
	}
}

// What FormatTime writes means the same instant to ParseTime, also when the clocks change.
func TestFormatTime(t *testing.T) {
	tests := []struct{ zone, instant, want string }{
		{berlin, "2026-06-01T07:00:00Z", "2026-06-01T09:00"},
		{berlin, "2026-06-01T07:00:30Z", "2026-06-01T09:00:30"},
		{berlin, "2026-03-29T01:00:00Z", "2026-03-29T03:00"},
		{berlin, "2026-10-25T00:30:00Z", "2026-10-25T02:30:00+02:00"},
		{berlin, "2026-10-25T01:30:00Z", "2026-10-25T02:30:00+01:00"},
		{kolkata, "2026-03-28T21:00:00Z", "2026-03-29T02:30"},
	}
	for _, test := range tests {
		instant, err := time.Parse(time.RFC3339, test.instant)
		if err != nil {
			t.Fatal(err)
		}
		z := zone(t, test.zone)
		got := z.FormatTime(instant)
		if read, complaint := z.ParseTime(got); got != test.want || complaint != "" || !read.Equal(instant) {
			t.Errorf("FormatTime(%s) in %s = %s, want %s; it is read as %s, %q", test.instant, test.zone, got, test.want, read, complaint)
		}
	}
}

func TestZonesToChooseFromExist(t *testing.T) {
	for _, name := range oncall.Zones {
		if _, err := oncall.ParseZone(name); err != nil {
			t.Errorf("%s %s", name, err)
		}
	}
	if len(oncall.Zones) < 400 {
		t.Errorf("there are %d zones", len(oncall.Zones))
	}
}
