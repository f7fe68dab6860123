package mapping

import (
	"slices"

	"gatehouse/shared/payload"
)

// Item is what becomes one alert: a payload, or an element of it where the mapping splits
// that.
type Item struct {
	*Reading
	object payload.Object
	at     Path // of the element, from the whole payload; nil: it is that
	hidden bool // at ends before the element, because no names and indexes lead there
}

// Item returns an object as an item of its own, such as the whole payload.
func (r *Reading) Item(object payload.Object) Item { return Item{Reading: r, object: object} }

// Splits reports whether the mapping splits payloads.
func (r *Reading) Splits() bool { return r != nil && r.mapping.Split != nil }

// Elements returns the elements of the list by which the payload is split, and whether there
// is such a list.
func (r *Reading) Elements() ([]any, bool) {
	r.list = r.mapping.Split.FromFront(r.whole)
	switch list := r.walk(r.whole, r.mapping.Split).(type) {
	case []any:
		return list, true
	case several:
		return list, true
	}
	return nil, false
}

// Element returns the item of the element with this number.
func (r *Reading) Element(element payload.Object, number int) Item {
	if !r.mapping.Split.direct() {
		return Item{r, element, r.list, true}
	}
	return Item{r, element, append(slices.Clip(r.list), Index(number)), false}
}

// Member returns the name of the payload's member by which it is split, or "" if the list is
// elsewhere.
func (r *Reading) Member() string {
	if s := r.mapping.Split; len(s) == 1 && s.direct() {
		return s[0].key.name
	}
	return ""
}

// Found is what fills a target.
type Found struct {
	Value any
	Place
}

// Place is where something was found.
type Place struct {
	Path   Path    // from the item, or from the whole payload if Source says so; nil: there is no path
	Source *Source // of a rule of the second edition; nil: another
}

// Find returns what fills the target. If there is nothing at the mapped places it looks
// under the target's own name. Without a value, Found.Value is nil.
func (i Item) Find(target Target) Found { return i.FindOr(target, i.object[string(target)]) }

// FindOr is like Find, with the value of the target's usual place.
func (i Item) FindOr(target Target, usual any) Found {
	rule, ok := i.rule(target)
	if !ok || !i.spend(1) {
		return own(target, usual)
	}
	if rule.Path != nil {
		if value := i.walk(i.object, rule.Path); present(value) {
			return Found{i.taken(target, value), Place{Path: rule.Path}}
		}
		return own(target, usual)
	}
	found := i.first(rule, target, usual)
	found.translate(rule, i.Reading)
	return found
}

// rule returns what the mapping says of the target.
func (i Item) rule(target Target) (Rule, bool) {
	if i.Reading == nil {
		return Rule{}, false
	}
	rule, ok := i.mapping.Rules[target]
	return rule, ok
}

func present(value any) bool { return value != nil && value != false }

// ownPaths are the paths of the targets' own names.
var ownPaths = func() map[Target]Path {
	paths := map[Target]Path{}
	for _, target := range Targets {
		paths[target] = Path{Name(string(target))}
	}
	return paths
}()

// own returns what the target's usual place has.
func own(target Target, value any) Found {
	if present(value) {
		return Found{value, Place{Path: ownPaths[target]}}
	}
	return Found{}
}

// first returns what the first source has that has anything; the last source is the target's
// usual place. A value that the table has is one, even if it is false.
func (i Item) first(rule Rule, target Target, usual any) Found {
	for n := range rule.Sources {
		s := &rule.Sources[n]
		if !i.spend(1) {
			break
		}
		if value := i.look(s, target); !payload.Blank(value) || rule.translates(value) {
			return Found{value, Place{s.Path, s}}
		}
	}
	if payload.Blank(usual) && !rule.translates(usual) {
		return Found{}
	}
	return Found{usual, Place{Path: ownPaths[target]}}
}

// look returns what a source has.
func (i Item) look(s *Source, target Target) any {
	switch {
	case s.Constant != "":
		return s.Constant
	case s.Path != nil:
		return i.taken(target, i.walk(i.root(s.Whole), s.Path))
	}
	if filled := i.fill(s.Template, s.Whole); filled != "" {
		return filled
	}
	return nil
}

// taken returns the value as the target takes it.
func (i Item) taken(target Target, value any) any {
	list, ok := value.(several)
	switch {
	case !ok:
		return value
	case target.holdsList():
		return []any(list)
	}
	return i.text(list)
}

// Paths returns the paths from the whole payload to what was found at the place, by names and
// indexes as far as these lead there. A template has several, and a constant none.
func (i Item) Paths(p Place) []Path {
	switch {
	case p.Path != nil:
		return []Path{i.from(p.Source != nil && p.Source.Whole, p.Path)}
	case p.Source == nil:
		return nil
	}
	var paths []Path
	for _, part := range p.Source.Template.parts {
		if part.path != nil {
			paths = append(paths, i.from(p.Source.Whole || part.whole, part.path))
		}
	}
	return paths
}

// from returns a path from the whole payload.
func (i Item) from(whole bool, path Path) Path {
	switch {
	case !whole && i.hidden:
		return i.at
	case whole || i.at == nil:
		return path.FromFront(i.root(whole))
	}
	return append(slices.Clip(i.at), path.FromFront(i.object)...)
}

// root returns where paths begin.
func (i Item) root(whole bool) payload.Object {
	if whole && i.Reading != nil {
		return i.whole
	}
	return i.object
}

// translates reports whether the table has the value.
func (r Rule) translates(value any) bool {
	_, ok := r.Values.find(value)
	return ok
}

// find returns what the value becomes.
func (t Table) find(value any) (string, bool) {
	word, ok := wordOf(value)
	if !ok || len(word) > longestWord {
		return "", false
	}
	to, ok := t.folded[fold(word)]
	return to, ok
}

// longestWord bounds the bytes of a value that can equal a word.
const longestWord = 8 * maxWord

// translate replaces the value by that of the table, or the default.
func (f *Found) translate(rule Rule, r *Reading) {
	if rule.Values.folded == nil && rule.Default == nil {
		return
	}
	list, ok := f.Value.([]any)
	if !ok {
		f.Value = rule.translation(f.Value)
		return
	}
	translated := make([]any, 0, len(list))
	for _, element := range list {
		if !r.spend(1) {
			return
		}
		translated = append(translated, rule.translation(element))
	}
	f.Value = translated
}

// translation returns what a value becomes; nil has the default alone.
func (r Rule) translation(value any) any {
	if to, ok := r.Values.find(value); ok {
		return to
	}
	if r.Default != nil {
		return *r.Default
	}
	return value
}

// Notation returns how the target's time is written, and false if its rule does not read more
// than the usual ones: that of the first edition, and none.
func (i Item) Notation(target Target) (payload.Notation, bool) {
	rule, ok := i.rule(target)
	if !ok || rule.Path != nil {
		return payload.Notation{}, false
	}
	n := payload.Notation{ZoneOf: i.zone}
	if rule.Time != nil {
		n.Epoch, n.Zone, n.US = rule.Time.Format, rule.Time.zone, rule.Time.Order == US
	}
	return n, true
}

// OfIntegration reports whether equal fingerprints are of one alert in one integration alone.
func (i Item) OfIntegration() bool {
	rule, ok := i.rule(Fingerprint)
	return ok && rule.Scope == IntegrationScope
}

// State is what an item says of its alert.
type State int

// The states.
const (
	Unsaid       State = iota // the mapping does not say: an end makes it a recovery
	Firing                    // it is no recovery, whatever end it has
	IsResolved                // it is a recovery
	Acknowledged              // somebody has acknowledged the alert in the tool
	Ignored                   // it is about no alert
)

// State returns what the mapping's conditions say of the item.
func (i Item) State() State {
	if i.Reading == nil {
		return Unsaid
	}
	ignored, _ := i.holds(i.mapping.IgnoreWhen)
	resolved, known := i.holds(i.mapping.ResolvedWhen)
	acknowledged, _ := i.holds(i.mapping.AcknowledgedWhen)
	switch {
	case ignored:
		return Ignored
	case resolved:
		return IsResolved
	case acknowledged:
		return Acknowledged
	case known:
		return Firing
	}
	return Unsaid
}

// holds reports whether the condition holds for the item, and whether its source has a value.
func (i Item) holds(c *Condition) (holds, known bool) {
	if c == nil || !i.spend(1) {
		return false, false
	}
	var value any
	if c.Source.Path != nil {
		value = i.walk(i.root(c.Source.Whole), c.Source.Path)
	} else if filled := i.fill(c.Source.Template, c.Source.Whole); filled != "" {
		value = filled
	}
	list, ok := value.(several)
	if !ok {
		list = several{value}
	}
	for _, element := range list {
		if word, ok := wordOf(element); ok && i.spend(1) {
			known = true
			if len(word) <= longestWord && c.folded[fold(word)] {
				return true, true
			}
		}
	}
	return false, known
}
