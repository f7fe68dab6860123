package consoleapi

import (
	"maps"
	"slices"
	"strconv"

	"gatehouse/shared/payload"
)

// The limits of the part of a payload that a page shows.
const (
	maxNodes = 1000
	maxDepth = 20
	maxText  = 2000 // characters of a value
	maxOpen  = 50   // members of an object or array that is shown open
)

// node is a value in a payload, with the values inside it.
type node struct {
	Name     string
	Text     string // of a value that is no object or array
	Kind     string // of the text: "string", or "word" for numbers, booleans and null
	Children []node
	Size     string // the number of its members, as a text; empty if it has a Text
	Open     bool
	Cut      bool // some children are left out
}

// newTree returns a payload as a tree, or nil if it cannot be read.
func newTree(text []byte) *node {
	document, err := payload.Read(text)
	if err != nil {
		return nil
	}
	b := treeBuilder{left: maxNodes}
	root := b.node("", document.Object, 0)
	return &root
}

// treeBuilder counts how many nodes may still be added.
type treeBuilder struct{ left int }

func (b *treeBuilder) node(name string, value any, depth int) node {
	n := node{Name: payload.Cut(name, maxText)}
	switch v := value.(type) {
	case map[string]any:
		n.Size, n.Open = counted(len(v), "member"), opens(len(v), depth)
		b.fill(&n, slices.Sorted(maps.Keys(v)), func(i int, name string) node { return b.node(name, v[name], depth+1) }, depth)
	case []any:
		n.Size, n.Open = counted(len(v), "element"), opens(len(v), depth)
		b.fill(&n, make([]string, len(v)), func(i int, _ string) node { return b.node(strconv.Itoa(i), v[i], depth+1) }, depth)
	case string:
		n.Kind, n.Text = "string", payload.Cut(v, maxText)
	default:
		n.Kind, n.Text = "word", payload.Cut(payload.Text(v), maxText)
	}
	return n
}

// opens reports whether the page shows a node open at first.
func opens(size, depth int) bool { return depth < 2 && size <= maxOpen }

// fill adds the children within the limits.
func (b *treeBuilder) fill(n *node, names []string, child func(i int, name string) node, depth int) {
	for i, name := range names {
		if b.left--; b.left < 0 || depth >= maxDepth {
			n.Cut = true
			return
		}
		n.Children = append(n.Children, child(i, name))
	}
}
