package main

import "testing"

// Each rule of the checker finds what breaks it, and nothing else.
func TestLedgerFindsWhatIsBroken(t *testing.T) {
	sound := []found{{1, "a", 3}, {2, "b", 1}}
	tests := map[string]struct {
		check  func(*ledger)
		broken bool
	}{
		"as it must be":               {func(l *ledger) { l.checkAlerts(sound, true) }, false},
		"one that may have counted":   {func(l *ledger) { l.checkAlerts([]found{{1, "a", 2}, {2, "b", 1}}, true) }, false},
		"an event lost":               {func(l *ledger) { l.checkAlerts([]found{{1, "a", 1}, {2, "b", 1}}, true) }, true},
		"an event doubled":            {func(l *ledger) { l.checkAlerts([]found{{1, "a", 4}, {2, "b", 1}}, true) }, true},
		"an alert doubled":            {func(l *ledger) { l.checkAlerts(append(sound, found{3, "b", 1}), true) }, true},
		"an alert lost":               {func(l *ledger) { l.checkAlerts(sound[:1], true) }, true},
		"an old alert not listed":     {func(l *ledger) { l.checkAlerts(sound[:1], false) }, false},
		"a number reused":             {func(l *ledger) { l.checkAlerts([]found{{1, "b", 1}, {2, "a", 3}}, true) }, true},
		"a number listed twice":       {func(l *ledger) { l.checkAlerts([]found{{1, "a", 1}, {1, "a", 2}, {2, "b", 1}}, true) }, true},
		"tokens as they must be":      {func(l *ledger) { l.checkToken("good", true); l.checkToken("dead", false); l.checkToken("?", true) }, false},
		"a dead token that is active": {func(l *ledger) { l.checkToken("dead", true) }, true},
		"a good token refused":        {func(l *ledger) { l.checkToken("good", false) }, true},
		"keys as they must be":        {func(l *ledger) { l.checkKeys(map[int64]bool{1: true, 9: true}) }, false},
		"a key lost":                  {func(l *ledger) { l.checkKeys(nil) }, true},
		"a deleted key":               {func(l *ledger) { l.checkKeys(map[int64]bool{1: true, 2: true}) }, true},
		"the setting":                 {func(l *ledger) { l.checkSetting(0, true) }, false},
		"another setting":             {func(l *ledger) { l.checkSetting(0, false) }, true},
		"an uncertain setting":        {func(l *ledger) { l.checkSetting(1, false) }, false},
		"an incident lost":            {func(l *ledger) { l.checkIncidents(nil, true) }, true},
	}
	for name, test := range tests {
		l := newLedger()
		l.events = map[string]count{"a": {2, 1}, "b": {1, 0}}
		l.titles = map[int64]string{1: "a", 2: "b"}
		l.made, l.incident = map[string]count{"i": {1, 0}}, map[int64]string{1: "i"}
		l.good["good"], l.dead["dead"] = true, true
		l.keys = map[int64]bool{1: true, 2: false}
		l.settings = map[int]setting{0: {true, true}, 1: {true, false}}
		test.check(l)
		if got := len(l.broken) > 0; got != test.broken {
			t.Errorf("%s: violations %q, want some: %t", name, l.broken, test.broken)
		}
	}
}
