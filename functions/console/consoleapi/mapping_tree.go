package consoleapi

import (
	"maps"
	"slices"
	"strconv"

	"gatehouse/shared/mapping"
	"gatehouse/shared/payload"
)

// The limits of the sample that the page of a mapping shows to click in. Beyond them a path
// can still be typed.
const (
	maxLeaves    = 200
	maxTreeBytes = 11 << 10 // of the page
	maxLeafName  = 60       // characters
	maxTreeDepth = 12
)

// leaf is a value of the sample that fills a field when somebody clicks on it, or has others
// inside.
type leaf struct {
	Name     string
	Text     string
	Path     string // as people write it
	List     bool   // a list: it can be taken as a whole
	Children []leaf
	Size     string // the number of its members
	Shut     bool   // it is opened by who wants to see them: there is much
}

// sampleTree is the part of the sample that is shown.
type sampleTree struct {
	Leaves []leaf
	More   int // values that are not shown
}

// newSampleTree returns the sample to click in.
func newSampleTree(object payload.Object) sampleTree {
	b := leafBuilder{left: maxLeaves, bytes: maxTreeBytes}
	root, _ := b.leaf("", object, nil)
	if maxLeaves-b.left > manyLeaves {
		shut(root.Children)
	}
	return sampleTree{root.Children, b.more}
}

// manyLeaves are too many to go through one by one with a keyboard.
const manyLeaves = 50

// shut closes what has others inside, so that the keyboard passes it in one step.
func shut(all []leaf) {
	for n := range all {
		all[n].Shut = true
	}
}

// leafBuilder counts what may still be shown, and what is not.
type leafBuilder struct {
	left, bytes, more int
}

// leaf returns what is at the path, and false if there is no room for it.
func (b *leafBuilder) leaf(name string, value any, path mapping.Path) (l leaf, ok bool) {
	if b.full(path) {
		b.more += leaves(value)
		return leaf{}, false
	}
	l = leaf{Name: payload.Cut(name, maxLeafName), Path: path.Text()}
	switch v := value.(type) {
	case map[string]any:
		l.Size = counted(len(v), "member")
	case []any:
		l.Size, l.List = counted(len(v), "element"), true
	default:
		l.Text = payload.Cut(payload.Text(v), maxExample)
	}
	if len(path) > 0 && !b.room(l) {
		b.more += leaves(value)
		return leaf{}, false
	}
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.add(&l, name, v[name], append(slices.Clip(path), mapping.Name(name)))
		}
	case []any:
		for n, element := range v {
			b.add(&l, strconv.Itoa(n), element, append(slices.Clip(path), mapping.Index(n)))
		}
	}
	return l, true
}

func (b *leafBuilder) add(to *leaf, name string, value any, path mapping.Path) {
	if child, ok := b.leaf(name, value, path); ok {
		to.Children = append(to.Children, child)
	}
}

// leafTags are the bytes of a leaf's tags on the page.
const leafTags = 62

// full reports whether there is room for nothing at the path.
func (b *leafBuilder) full(path mapping.Path) bool {
	return b.left == 0 || b.bytes < leafTags || len(path) > maxTreeDepth
}

// room takes the room of the leaf on the page, if there is so much.
func (b *leafBuilder) room(l leaf) bool {
	size := leafTags + escapedLen(l.Name) + escapedLen(l.Text)
	if l.Size == "" || l.List {
		size += escapedLen(l.Path)
	}
	if l.Size != "" {
		size += leafTags
	}
	if b.bytes < size {
		return false
	}
	b.left, b.bytes = b.left-1, b.bytes-size
	return true
}

// leaves is the number of values in a value that have none inside.
func leaves(value any) (n int) {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			n += leaves(member)
		}
	case []any:
		for _, element := range v {
			n += leaves(element)
		}
	default:
		return 1
	}
	return max(n, 1)
}
