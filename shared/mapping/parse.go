package mapping

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gatehouse/shared/fault"
	"gatehouse/shared/payload"
	"gatehouse/shared/text"
)

// MaxBytes bounds a mapping, in bytes of JSON as MarshalJSON writes it: it is stored with the
// integration and read for every payload.
const MaxBytes = 32 << 10

// The limits of what a mapping has.
const (
	maxLabel    = 255 // characters of a label or type
	maxName     = 1000
	maxSegments = payload.MaxDepth
	maxSources  = 20
	maxValues   = 200 // of a table
	maxEquals   = 50
	maxWord     = 255  // characters of what a value is compared with
	maxText     = 1000 // characters of what a value becomes
)

// Parse reads a mapping in the form of the REST API: an object with a member for
// each mapped target, {"title": {"path": ["alert", "name"], "type": "STRING",
// "label": "Name"}} or {"title": {"sources": […]}}, and for what it says of payloads. No text
// and null map nothing, and a member that is null is not there. The error is fault.Fields with
// every complaint, under the given field.
func Parse(text []byte, field string) (Mapping, error) {
	if strings.TrimSpace(string(text)) == "null" {
		return Mapping{}, nil
	}
	document, err := payload.Read(text)
	if err != nil {
		return Mapping{}, fault.Field(field, "must be a JSON object")
	}
	m, complaints := Mapping{Rules: map[Target]Rule{}}, fault.Fields{}
	for _, name := range slices.Sorted(maps.Keys(document.Object)) {
		if value := document.Object[name]; value != nil {
			complaints.Add(field, m.add(name, value))
		}
	}
	if complaints.Err() == nil && len(text) > MaxBytes {
		complaints.Add(field, m.tooLong())
	}
	if err := complaints.Err(); err != nil {
		return Mapping{}, err
	}
	return m, nil
}

// tooLong returns the complaint about a mapping that is longer than MaxBytes, or "".
func (m Mapping) tooLong() string {
	if written, err := json.Marshal(m); err == nil && len(written) <= MaxBytes {
		return ""
	}
	return "is too long (maximum is " + strconv.Itoa(MaxBytes) + " bytes)"
}

// add reads a member of the mapping, and returns what is wrong with it.
func (m *Mapping) add(name string, value any) (complaint string) {
	object, ok := value.(payload.Object)
	if !ok && m.has(name) {
		return name + " must be an object"
	}
	switch name {
	case resolvedWhen:
		m.ResolvedWhen, complaint = parseCondition(name, object)
	case acknowledgedWhen:
		m.AcknowledgedWhen, complaint = parseCondition(name, object)
	case ignoreWhen:
		m.IgnoreWhen, complaint = parseCondition(name, object)
	case split:
		m.Split, complaint = parseSplit(object)
	default:
		if !slices.Contains(Targets, Target(name)) {
			return fmt.Sprintf("has %q, which is no field of an alert", payload.Cut(name, maxLabel))
		}
		m.Rules[Target(name)], complaint = parseRule(Target(name), object)
	}
	return complaint
}

// has reports whether a mapping can have a member of the name.
func (m *Mapping) has(name string) bool {
	return slices.Contains(Targets, Target(name)) || slices.Contains([]string{resolvedWhen, acknowledgedWhen, ignoreWhen, split}, name)
}

// parseRule returns the rule of a target or what is wrong with it. One with a path is of the
// first edition, and so is one that has nothing.
func parseRule(target Target, object payload.Object) (Rule, string) {
	if _, path := object["path"]; path || unknownMember(object, words...) == "" {
		return parseSimple(string(target), object)
	}
	return parseFull(target, object)
}

// words are the members of a rule that are for people only.
var words = []string{"type", "label"}

// parseSimple reads a rule of the first edition.
func parseSimple(at string, object payload.Object) (r Rule, complaint string) {
	if unknown := unknownMember(object, append(words, "path")...); unknown != "" {
		return Rule{}, complainOf(at, unknown)
	}
	if r.Path, complaint = parsePath(object["path"]); complaint != "" {
		return Rule{}, at + ".path " + complaint
	}
	if r.Type, r.Label, complaint = parseWords(at, object); complaint == "" && r.Type == "" {
		return Rule{}, at + ".type is missing"
	}
	return r, complaint
}

// parseFull reads a rule of the second edition.
func parseFull(target Target, object payload.Object) (r Rule, complaint string) {
	at := string(target)
	if unknown := unknownMember(object, append(words, "sources", "values", "default", "time", "scope")...); unknown != "" {
		return Rule{}, complainOf(at, unknown)
	}
	for _, read := range []func(){
		func() { r.Type, r.Label, complaint = parseWords(at, object) },
		func() { r.Sources, complaint = parseSources(at+".sources", object["sources"]) },
		func() { r.Values, complaint = parseTable(at+".values", object["values"]) },
		func() { r.Default, complaint = parseDefault(at+".default", object["default"]) },
		func() { r.Time, complaint = parseTimes(target, object["time"]) },
		func() { r.Scope, complaint = parseScope(target, object["scope"]) },
	} {
		if read(); complaint != "" {
			return Rule{}, complaint
		}
	}
	return r, ""
}

// unknownMember returns the first member that has none of the names, or "".
func unknownMember(object payload.Object, known ...string) string {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, name) {
			return name
		}
	}
	return ""
}

func complainOf(at, unknown string) string {
	return fmt.Sprintf("%s has the unknown member %q", at, payload.Cut(unknown, maxLabel))
}

// parseWords reads what is for people only.
func parseWords(at string, object payload.Object) (Type, string, string) {
	kind, complaint := parseText(object["type"], maxLabel)
	if complaint != "" {
		return "", "", at + ".type " + complaint
	}
	label, complaint := parseText(object["label"], maxLabel)
	if complaint != "" {
		return "", "", at + ".label " + complaint
	}
	return Type(strings.TrimSpace(kind)), strings.TrimSpace(label), ""
}

// parseText returns a string or what is wrong with it; null is empty.
func parseText(value any, most int) (string, string) {
	text, ok := value.(string)
	switch {
	case value != nil && !ok:
		return "", "must be a string"
	case utf8.RuneCountInString(text) > most:
		return "", fmt.Sprintf("is too long (maximum is %d characters)", most)
	}
	return text, ""
}

// parseSources reads an ordered list of sources; null has none.
func parseSources(at string, value any) ([]Source, string) {
	list, ok := value.([]any)
	switch {
	case value == nil:
		return nil, ""
	case !ok || len(list) == 0:
		return nil, at + " must be a list of sources"
	case len(list) > maxSources:
		return nil, fmt.Sprintf("%s is too long (maximum is %d sources)", at, maxSources)
	}
	sources := make([]Source, len(list))
	for i, element := range list {
		var complaint string
		if sources[i], complaint = parseSource(fmt.Sprintf("%s[%d]", at, i), element); complaint != "" {
			return nil, complaint
		}
	}
	return sources, ""
}

// ofWhole is where a source looks that is not an element's.
const ofWhole = "whole"

// parseSource reads a path, a template or a constant.
func parseSource(at string, value any) (s Source, complaint string) {
	object, ok := value.(payload.Object)
	if !ok {
		return Source{}, at + " must be an object with a path, a template or a constant"
	}
	if unknown := unknownMember(object, "path", "template", "constant", "of"); unknown != "" {
		return Source{}, complainOf(at, unknown)
	}
	path, template, constant := object["path"], object["template"], object["constant"]
	given := 0
	for _, kind := range []any{path, template, constant} {
		if kind != nil {
			given++
		}
	}
	if given != 1 {
		return Source{}, at + " must have either a path, a template or a constant"
	}
	switch of := object["of"]; {
	case of != nil && of != ofWhole:
		return Source{}, at + ` has an "of" other than "whole"`
	case of != nil && constant != nil:
		return Source{}, at + ` has an "of", and a constant is not of the payload`
	default:
		s.Whole = of != nil
	}
	switch {
	case path != nil:
		s.Path, complaint = parsePath(path)
		return s, inMember(at+".path ", complaint)
	case template != nil:
		s.Template, complaint = readTemplate(template)
		return s, inMember(at+".template ", complaint)
	}
	s.Constant, complaint = parseFilled(constant, maxText)
	return s, inMember(at+".constant ", complaint)
}

// inMember puts the place in front of a complaint, if there is one.
func inMember(at, complaint string) string {
	if complaint == "" {
		return ""
	}
	return at + complaint
}

func readTemplate(value any) (Template, string) {
	text, ok := value.(string)
	if !ok {
		return Template{}, "must be a string"
	}
	return parseTemplate(text)
}

// parseFilled returns a string that is not blank or what is wrong with it.
func parseFilled(value any, most int) (string, string) {
	text, complaint := parseText(value, most)
	if complaint == "" && payload.Blank(text) {
		return "", "must not be blank"
	}
	return text, complaint
}

// parseTable reads a table of values; null is an empty one.
func parseTable(at string, value any) (Table, string) {
	object, ok := value.(payload.Object)
	switch {
	case value == nil:
		return Table{}, ""
	case !ok || len(object) == 0:
		return Table{}, at + " must be an object with what each value becomes"
	case len(object) > maxValues:
		return Table{}, fmt.Sprintf("%s is too long (maximum is %d values)", at, maxValues)
	}
	t := Table{written: map[string]string{}, folded: map[string]string{}}
	for _, value := range slices.Sorted(maps.Keys(object)) {
		to, complaint := parseFilled(object[value], maxText)
		_, twice := t.folded[fold(value)]
		switch {
		case utf8.RuneCountInString(value) > maxWord:
			return Table{}, fmt.Sprintf("%s has a value that is too long (maximum is %d characters)", at, maxWord)
		case complaint != "":
			return Table{}, fmt.Sprintf("%s.%s %s", at, value, complaint)
		case twice:
			return Table{}, fmt.Sprintf("%s has %q twice: letter case does not matter", at, fold(value))
		}
		t.written[value], t.folded[fold(value)] = to, to
	}
	return t, ""
}

func parseDefault(at string, value any) (*string, string) {
	if value == nil {
		return nil, ""
	}
	text, complaint := parseFilled(value, maxText)
	return &text, inMember(at+" ", complaint)
}

// parseTimes reads how times are written.
func parseTimes(target Target, value any) (*Times, string) {
	at := string(target) + ".time"
	object, ok := value.(payload.Object)
	switch {
	case value == nil:
		return nil, ""
	case !target.isTime():
		return nil, at + " is for start_time and end_time alone"
	case !ok:
		return nil, at + " must be an object"
	}
	if unknown := unknownMember(object, "format", "zone", "order"); unknown != "" {
		return nil, complainOf(at, unknown)
	}
	format, formatComplaint := parseText(object["format"], maxLabel)
	zone, zoneComplaint := parseText(object["zone"], maxLabel)
	order, orderComplaint := parseText(object["order"], maxLabel)
	t := &Times{Format: payload.Epoch(format), Zone: zone, Order: Order(order)}
	switch {
	case formatComplaint != "" || format != "" && !slices.Contains(payload.Epochs, t.Format):
		return nil, at + ".format must be epoch_s, epoch_ms, epoch_us or epoch_ns"
	case orderComplaint != "" || order != "" && t.Order != US:
		return nil, at + `.order must be "us"`
	case zoneComplaint != "":
		return nil, at + ".zone " + zoneComplaint
	case zone == "":
		return t, ""
	}
	var err error
	if t.zone, err = text.Zone(zone); err != nil {
		return nil, at + ".zone " + err.Error()
	}
	return t, ""
}

func parseScope(target Target, value any) (Scope, string) {
	at := string(target) + ".scope"
	scope, complaint := parseText(value, maxLabel)
	switch {
	case value == nil:
		return "", ""
	case target != Fingerprint:
		return "", at + " is for the fingerprint alone"
	case complaint != "" || Scope(scope) != ProjectScope && Scope(scope) != IntegrationScope:
		return "", at + ` must be "project" or "integration"`
	}
	return Scope(scope), ""
}

// parseCondition reads when something holds for a payload.
func parseCondition(at string, object payload.Object) (*Condition, string) {
	if unknown := unknownMember(object, "source", "equals"); unknown != "" {
		return nil, complainOf(at, unknown)
	}
	source, complaint := parseSource(at+".source", object["source"])
	words, isList := object["equals"].([]any)
	switch {
	case complaint != "":
		return nil, complaint
	case source.Constant != "":
		return nil, at + ".source must not be a constant"
	case !isList || len(words) == 0:
		return nil, at + ".equals must be a list of words"
	case len(words) > maxEquals:
		return nil, fmt.Sprintf("%s.equals is too long (maximum is %d words)", at, maxEquals)
	}
	c := &Condition{Source: source, folded: map[string]bool{}}
	for _, value := range words {
		word, ok := wordOf(value)
		switch {
		case !ok || payload.Blank(word):
			return nil, at + ".equals must be a list of words"
		case utf8.RuneCountInString(word) > maxWord:
			return nil, fmt.Sprintf("%s.equals has a word that is too long (maximum is %d characters)", at, maxWord)
		}
		c.Equals, c.folded[fold(word)] = append(c.Equals, word), true
	}
	return c, ""
}

// parseSplit reads the path to the list whose elements each are an alert.
func parseSplit(object payload.Object) (Path, string) {
	if unknown := unknownMember(object, "path"); unknown != "" {
		return nil, complainOf(split, unknown)
	}
	path, complaint := parsePath(object["path"])
	return path, inMember(split+".path ", complaint)
}

func parsePath(value any) (Path, string) {
	segments, ok := value.([]any)
	switch {
	case value == nil:
		return nil, "is missing"
	case !ok:
		return nil, "must be an array of strings and integers"
	case len(segments) == 0:
		return nil, "is empty"
	case len(segments) > maxSegments:
		return nil, fmt.Sprintf("is too long (maximum is %d segments)", maxSegments)
	}
	path := make(Path, len(segments))
	for i, segment := range segments {
		var complaint string
		if path[i], complaint = parseSegment(segment); complaint != "" {
			return nil, complaint
		}
	}
	return path, ""
}

func parseSegment(value any) (Segment, string) {
	if object, ok := value.(payload.Object); ok {
		return parseStep(object)
	}
	k, complaint := parseKey(value)
	return Segment{key: k}, complaint
}

func parseKey(value any) (key, string) {
	switch v := value.(type) {
	case string:
		if utf8.RuneCountInString(v) > maxName {
			return key{}, fmt.Sprintf("has a segment that is too long (maximum is %d characters)", maxName)
		}
		return key{name: v}, ""
	case json.Number:
		if index, err := strconv.ParseInt(v.String(), 10, 32); err == nil {
			return key{index: int(index), inArray: true}, ""
		}
	}
	return key{}, "must be an array of strings and integers"
}

// parseStep reads a segment that is an object.
func parseStep(object payload.Object) (s Segment, complaint string) {
	switch {
	case len(object) == 1 && object["all"] == true:
		return Segment{kind: everyElement}, ""
	case len(object) == 1 && object["json"] == true:
		return Segment{kind: insideText}, ""
	case object["where"] == nil || unknownMember(object, "where", "is", "take") != "":
		return Segment{}, `has a segment that is none of {"where": …, "is": …}, {"json": true} and {"all": true}`
	}
	var isWord bool
	s.kind = byLookup
	if s.key, complaint = parseKey(object["where"]); complaint != "" {
		return Segment{}, `has a "where" that is neither a name nor a position`
	}
	if s.is, isWord = wordOf(object["is"]); !isWord || utf8.RuneCountInString(s.is) > maxName {
		return Segment{}, `has a "where" without the text that it "is"`
	}
	if take := object["take"]; take != nil {
		s.part = true
		if s.take, complaint = parseKey(take); complaint != "" {
			return Segment{}, `has a "take" that is neither a name nor a position`
		}
	}
	return s, ""
}
