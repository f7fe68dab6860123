package audit

import (
	"log/slog"
	"slices"
)

// Name identifies a kind of event. Names are stable, because people search logs
// for them.
type Name string

// Kind describes a Name.
type Kind struct {
	Name    Name
	Title   string // what happened, in words for its user
	level   slog.Level
	logOnly bool
}

// Option changes a kind of event.
type Option func(*Kind)

// Warning makes events warnings in the log.
func Warning(k *Kind) { k.level = slog.LevelWarn }

// LogOnly keeps events out of the store.
func LogOnly(k *Kind) { k.logOnly = true }

var (
	kinds  []Kind
	byName = map[Name]Kind{}
)

// Declare registers a kind of event and returns its name. Each package declares
// the events of its own nouns in package variables.
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

// Kinds lists every kind of event, grouped by package.
func Kinds() []Kind { return slices.Clone(kinds) }

// Kind returns the kind with this name, if there is one.
func (n Name) Kind() (Kind, bool) {
	k, ok := byName[n]
	return k, ok
}

// Stored reports whether such events are stored, not only logged.
func (k Kind) Stored() bool { return !k.logOnly }
