package main

import (
	"fmt"
	"sync"
)

// count is how often something was done: at least as often as was acknowledged, and at
// most as often as it may have been.
type count struct{ acknowledged, uncertain int64 }

// ledger is what the server acknowledged, and so what must be true of it.
type ledger struct {
	mu       sync.Mutex
	events   map[string]count // of alerts, by title
	titles   map[int64]string // of alerts, by number
	incident map[int64]string // titles of incidents, by number
	made     map[string]count // incidents, by title
	good     map[string]bool  // access tokens
	dead     map[string]bool  // access tokens that were revoked
	keys     map[int64]bool   // client keys; false: deleted
	settings map[int]setting  // of each worker's project
	broken   []string         // what was not as it must be
}

// setting is what a worker's project may have stored.
type setting struct{ last, maybe bool }

func newLedger() *ledger {
	return &ledger{
		events: map[string]count{}, titles: map[int64]string{}, incident: map[int64]string{}, made: map[string]count{},
		good: map[string]bool{}, dead: map[string]bool{}, keys: map[int64]bool{}, settings: map[int]setting{},
	}
}

// note calls do while nobody else uses the ledger.
func (l *ledger) note(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
}

// violation notes that something is not as it must be.
func (l *ledger) violation(format string, args ...any) {
	l.broken = append(l.broken, fmt.Sprintf(format, args...))
}

// counted notes that something was done, or may have been.
func counted(counts map[string]count, name string, certain bool) {
	c := counts[name]
	if certain {
		c.acknowledged++
	} else {
		c.uncertain++
	}
	counts[name] = c
}

// numbered notes the number that the server gave something.
func (l *ledger) numbered(numbers map[int64]string, what string, iid int64, title string) {
	if other, used := numbers[iid]; used && other != title {
		l.violation("%s %d is %q, and was %q", what, iid, title, other)
	}
	numbers[iid] = title
}

// found is an alert or incident as the server lists it.
type found struct {
	IID    int64
	Title  string
	Events int64
}

// checkAlerts compares the ledger with the alerts that are there. The newest may be all
// that were listed.
func (l *ledger) checkAlerts(all []found, complete bool) {
	l.checkList("alert", l.titles, l.events, all, complete, func(f found) int64 { return f.Events })
}

// checkIncidents compares the ledger with the incidents that are there.
func (l *ledger) checkIncidents(all []found, complete bool) {
	l.checkList("incident", l.incident, l.made, all, complete, func(found) int64 { return 1 })
}

func (l *ledger) checkList(what string, numbers map[int64]string, counts map[string]count, all []found, complete bool, times func(found) int64) {
	there, of := map[int64]bool{}, map[string]int64{}
	for _, f := range all {
		if there[f.IID] {
			l.violation("%s %d is listed twice", what, f.IID)
		}
		there[f.IID] = true
		of[f.Title] += times(f)
		l.numbered(numbers, what, f.IID, f.Title)
	}
	for title, c := range counts {
		if n := of[title]; (complete || n > 0) && (n < c.acknowledged || n > c.acknowledged+c.uncertain) {
			l.violation("%s %q counts %d, and %d were acknowledged and %d uncertain", what, title, n, c.acknowledged, c.uncertain)
		}
	}
	for iid, title := range numbers {
		if complete && !there[iid] {
			l.violation("%s %d (%q) was acknowledged and is not there", what, iid, title)
		}
	}
}

// checkKeys compares the ledger with the active client keys that are there.
func (l *ledger) checkKeys(there map[int64]bool) {
	for id, kept := range l.keys {
		if there[id] != kept {
			l.violation("client key %d is there: %t, want %t", id, there[id], kept)
		}
	}
}

// checkToken compares the ledger with what the server says of a token.
func (l *ledger) checkToken(token string, active bool) {
	if l.dead[token] && active {
		l.violation("token %.8s… was revoked and is active", token)
	}
	if l.good[token] && !active {
		l.violation("token %.8s… is good and was refused", token)
	}
}

// checkSetting compares the ledger with what a worker's project has stored.
func (l *ledger) checkSetting(worker int, stored bool) {
	if s, known := l.settings[worker]; known && stored != s.last && stored != s.maybe {
		l.violation("the setting of worker %d is %t, and %t was acknowledged", worker, stored, s.last)
	}
}
