package audit

import (
	"log/slog"
	"slices"
)

// Name says what kind of event it is. Names are stable: others search logs for
// them.
type Name string

// Kind is what there is to know of a Name.
type Kind struct {
	Name    Name
	Title   string // what happened, in words for its user
	level   slog.Level
	logOnly bool
}

// Option says more of a kind of event.
type Option func(*Kind)

// Warning events are warnings in the log.
func Warning(k *Kind) { k.level = slog.LevelWarn }

// LogOnly events are in the log and not in the store.
func LogOnly(k *Kind) { k.logOnly = true }

var (
	kinds  []Kind
	byName = map[Name]Kind{}
)

// Declare makes a kind of event known and returns its name. Each package
// declares the events of its own nouns, in package variables.
func Declare(name Name, title string, options ...Option) Name {
	k := Kind{Name: name, Title: title}
	for _, option := range options {
		option(&k)
	}
	if _, twice := byName[name]; twice {
		panic("audit: declared twice: " + string(name))
	}
	kinds, byName[name] = append(kinds, k), k
	return name
}

// Kinds lists every kind of event, those of a package side by side.
func Kinds() []Kind { return slices.Clone(kinds) }

// Kind returns what there is to know of the name; false: there is no such.
func (n Name) Kind() (Kind, bool) {
	k, ok := byName[n]
	return k, ok
}

// Stored reports whether such an event is stored, or in the log alone.
func (k Kind) Stored() bool { return !k.logOnly }
