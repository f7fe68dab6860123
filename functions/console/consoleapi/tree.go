package consoleapi

import (
	"maps"
	"slices"
	"strconv"

	"gatehouse/shared/payload"
)

// The limits of a payload on a page.
const (
	maxNodes = 1000
	maxDepth = 20
	maxText  = 2000 // characters of a value
	maxOpen  = 50   // values in one that is shown open
)

// node is a value in a payload.
type node struct {
	Name     string
	Text     string // of a value that holds no others
	Kind     string // "string", or "word" for numbers and the rest
	Children []node
	Size     string // how many values it holds, in words; empty: it can hold none
	Open     bool
	Cut      bool // not all that it holds is shown
}

// newTree returns a payload as a tree; nil: it cannot be read.
func newTree(text []byte) *node {
	document, err := payload.Read(text)
	if err != nil {
		return nil
	}
	b := treeBuilder{left: maxNodes}
	root := b.node("", document.Object, 0)
	return &root
}

// treeBuilder counts what may still be shown.
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

// opens reports whether people see what a value holds before they ask.
func opens(held, depth int) bool { return depth < 2 && held <= maxOpen }

// fill adds the children, as long as there is room.
func (b *treeBuilder) fill(n *node, names []string, child func(i int, name string) node, depth int) {
	for i, name := range names {
		if b.left--; b.left < 0 || depth >= maxDepth {
			n.Cut = true
			return
		}
		n.Children = append(n.Children, child(i, name))
	}
}
