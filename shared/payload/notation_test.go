package payload_test

import (
	"testing"
	"time"

	"gatehouse/shared/payload"
)

func TestNotationsOfTimes(t *testing.T) {
	at := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	midnight := at.Truncate(24 * time.Hour)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	guess, us, there := payload.Notation{}, payload.Notation{US: true}, payload.Notation{Zone: berlin}
	unit := func(u payload.Epoch) payload.Notation { return payload.Notation{Epoch: u} }
	tests := []struct {
		in    payload.Notation
		value string // JSON
		want  time.Time
	}{
		{guess, `1795341600`, at},
		{guess, `"1795341600"`, at},
		{guess, `" 1795341600 "`, at},
		{guess, `1795341600.25`, at.Add(time.Second / 4)},
		{guess, `"1795341600.25"`, at.Add(time.Second / 4)},
		{guess, `1795341600000`, at},
		{guess, `"1795341600001"`, at.Add(time.Millisecond)},
		{guess, `1795341600000001`, at.Add(time.Microsecond)},
		{guess, `"1795341600000001"`, at.Add(time.Microsecond)},
		{guess, `1795341600000000000`, at},
		{guess, `"1795341600123456789"`, at.Add(123456789)},
		{guess, `1.7953416e9`, at},
		{guess, `99999999`, time.Time{}},
		{guess, `100000000`, time.Unix(1e8, 0).UTC()},
		{guess, `0`, time.Time{}},
		{guess, `-1795341600`, time.Time{}},
		{guess, `1e400`, time.Time{}},
		{guess, `1e30`, time.Time{}},
		{guess, `"17953416000000000000000000000000000000000"`, time.Time{}},
		{guess, `"20261122"`, midnight},
		{guess, `20261122`, time.Time{}},
		{unit(payload.EpochSeconds), `5`, time.Unix(5, 0).UTC()},
		{unit(payload.EpochSeconds), `"1795341600"`, at},
		{unit(payload.EpochSeconds), `1795341600000`, time.Time{}},
		{unit(payload.EpochMillis), `1795341600`, time.UnixMilli(1795341600).UTC()},
		{unit(payload.EpochMicros), `1795341600000000`, at},
		{unit(payload.EpochNanos), `"1795341600000000000"`, at},
		{unit(payload.EpochSeconds), `"2026-11-22T10:00:00Z"`, at}, // a unit is of numbers
		{guess, `"2026-11-22T10:00:00Z"`, at},
		{guess, `"2026.11.22"`, midnight},
		{guess, `"2026.11.22 10:00:00"`, at},
		{guess, `"22.11.2026 10:00"`, at},
		{guess, `"22.11.2026, 10:00:00"`, at},
		{guess, `"2026-11-22T11:00:00.000+01:00[Europe/Berlin]"`, at},
		{guess, `"2026-11-22T11:00[Europe/Berlin]"`, at},
		{guess, `"2026-11-22T10:00:00Z[UTC]"`, at},
		{guess, `"2026-11-22 11:00:00 Europe/Berlin"`, at},
		{guess, `"2026-11-22 11:00:00 Europe/Nowhere"`, time.Time{}},
		{guess, `"2026-11-22 11:00:00 Local/../Berlin"`, time.Time{}},
		{guess, `"2026-11-22 11:00:00[Local]"`, time.Time{}},
		{guess, `"2026-11-22 10:00:00 AM"`, at},
		{guess, `"2026-11-22 10:00:00 a.m."`, at},
		{guess, `"2026-11-22 10:00:00 PM"`, at.Add(12 * time.Hour)},
		{guess, `"2026-11-22 12:00 am"`, midnight},
		{guess, `"2026-11-22 12:00pm"`, midnight.Add(12 * time.Hour)},
		{guess, `"2026-11-22 5:00:00 AM EST"`, at},
		{guess, `"2026-11-22 13:00 PM"`, time.Time{}},
		{guess, `"2026-11-22 0:00 AM"`, time.Time{}},
		{guess, `"11/22/2026 10:00:00 AM"`, time.Time{}},
		{us, `"11/22/2026 10:00:00 AM"`, at},
		{us, `"11/22/2026, 10:00:00 AM"`, at},
		{us, `"11/22/2026"`, midnight},
		{us, `"22/11/2026"`, time.Time{}},
		{us, `"2026/11/22 10:00:00"`, at},
		{there, `"2026-11-22 11:00:00"`, at},
		{there, `"22.11.2026 11:00:00"`, at},
		{there, `"2026-07-22 12:00:00"`, time.Date(2026, 7, 22, 10, 0, 0, 0, time.UTC)},
		{there, `"2026-11-22 10:00:00 UTC"`, at},
		{there, `"2026-11-22T10:00:00Z"`, at},
		{there, `"2026-11-22 11:00:00 +0100"`, at},
		{there, `1795341600`, at},
		{there, `"1970-01-01 00:00:01"`, time.Time{}},
		{guess, `"Sun, 22 Nov 2026 10:00:00 GMT"`, at},
		{guess, `"2026-11-22T10:00:00,5Z"`, at.Add(time.Second / 2)},
		{guess, `""`, time.Time{}},
		{guess, `"."`, time.Time{}},
		{guess, `"soon"`, time.Time{}},
		{guess, `true`, time.Time{}},
		{guess, `null`, time.Time{}},
		{guess, `["2026-11-22"]`, time.Time{}},
	}
	for _, test := range tests {
		got, ok := test.in.Read(value(t, test.value))
		if !got.Equal(test.want) || ok == test.want.IsZero() {
			t.Errorf("%+v reads %s as %v, %v, want %v", test.in, test.value, got, ok, test.want)
		}
	}
}

// Whatever a notation takes is a time that an alert may have, and what Time takes it takes too.
func FuzzNotation(f *testing.F) {
	for _, text := range []string{
		"1795341600", "1795341600.25", "2026.11.22 10:00:00", "22.11.2026, 10:00", "11/22/2026 10:00:00 PM", "2026-11-22T11:00:00+01:00[Europe/Berlin]",
		"2026-11-22 11:00 Europe/Berlin", "Sun, 22 Nov 2026 10:00:00 GMT", "1e99", "2026-11-22 12:00 am EST", "[UTC]", "0:0 a.m.",
	} {
		f.Add(text, true, "epoch_ms")
	}
	f.Fuzz(func(t *testing.T, text string, us bool, unit string) {
		n := payload.Notation{US: us, Epoch: payload.EpochGuessed}
		for _, epoch := range payload.Epochs {
			if string(epoch) == unit {
				n.Epoch = epoch
			}
		}
		got, ok := n.Read(text)
		if ok != !got.IsZero() || ok && (got.Year() < 1970 || got.Year() > 2199 || got.Location() != time.UTC) {
			t.Errorf("%+v reads %q as %v, %v", n, text, got, ok)
		}
		if plain, known := payload.Time(text); known && !ok {
			t.Errorf("%+v does not read %q, which is %v", n, text, plain)
		}
	})
}
