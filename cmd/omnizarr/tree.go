package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/meta"
)

func (a *app) treeCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tree URL",
		Short: "List every node below a group",
		Long: `List every node below a group, in path order. The group itself is not listed; an
array given as URL is listed as "/". Nodes that do not open are told on standard
error, and the exit code is 1 then.

Of HDMF and NWB files types are told too, and links with what they lead to; --plain
shows the nodes that the file is made of.`,
		Example: `  omnizarr tree em.zarr
  omnizarr tree session.nwb.zarr/acquisition
  omnizarr tree --json em.zarr | jq '.[] | select(.node_type == "array") | .path'`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			return a.tree(cmd.Context(), args[0], s, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	return cmd
}

// treeNode is one line of the tree.
type treeNode struct {
	Path     string          `json:"path"`
	NodeType string          `json:"node_type"`
	Shape    []int           `json:"shape,omitzero"`
	DataType json.RawMessage `json:"data_type,omitempty"`
	Target   string          `json:"target,omitempty"` // of links
	node     zarr.Node       // nil for a link
	object   hdmf.Object     // in HDMF files
	link     *hdmf.Link
	note     string // instead of a node
}

// nodeList gathers nodes, and those that do not open as errors.
type nodeList struct {
	top    string // path of the node that all are below
	nodes  []treeNode
	broken []error
}

func (l *nodeList) add(at string, n zarr.Node, o hdmf.Object) {
	t := treeNode{Path: "/" + strings.Trim(strings.TrimPrefix(at, l.top), "/"), NodeType: "group", node: n, object: o}
	if arr, ok := n.(*zarr.Array); ok {
		t.NodeType, t.Shape = "array", arr.Shape()
		if t.Shape == nil {
			t.Shape = []int{}
		}
		raw, err := arr.DataType().MarshalJSON()
		if err != nil {
			l.broken = append(l.broken, err)
		}
		t.DataType = raw
	}
	l.nodes = append(l.nodes, t)
}

// walk adds the nodes below a group.
func (l *nodeList) walk(ctx context.Context, g *zarr.Group) {
	for sub, err := range g.Walk(ctx) {
		if err != nil {
			l.broken = append(l.broken, err)
			continue
		}
		l.add(sub.Path(), sub, nil)
	}
}

// walkObjects adds what a group of an HDMF file holds, links too.
func (l *nodeList) walkObjects(ctx context.Context, g *hdmf.Group) {
	for m, err := range g.Walk(ctx) {
		switch {
		case err != nil:
			l.broken = append(l.broken, err)
		case m.Link != nil:
			at := strings.TrimPrefix(strings.TrimPrefix(m.Link.At(), "/"), l.top)
			l.nodes = append(l.nodes, treeNode{Path: "/" + strings.Trim(at, "/"), NodeType: "link", Target: m.Link.Reference.String(), link: m.Link})
		default:
			l.add(m.Object.Node().Path(), m.Object.Node(), m.Object)
		}
	}
}

// below lists what lies below a subject in path order, and what does not open as
// errors. The cached schemas of an HDMF file are not among it.
func below(ctx context.Context, s *subject) (nodes []treeNode, broken []error) {
	l := &nodeList{top: s.node.Path()}
	g, ok := s.node.(*zarr.Group)
	switch {
	case !ok:
		l.add(s.node.Path(), s.node, s.object)
	case s.object != nil:
		l.walkObjects(ctx, s.object.(*hdmf.Group))
	default:
		l.walk(ctx, g)
	}
	if ctx.Err() != nil {
		l.broken = append(l.broken, ctx.Err())
	}
	return inPathOrder(l.nodes), l.broken
}

func inPathOrder(nodes []treeNode) []treeNode {
	slices.SortStableFunc(nodes, func(x, y treeNode) int { return meta.ComparePaths(x.Path, y.Path) })
	return nodes
}

// schemaNodes lists the nodes that the cached schemas of an HDMF file are.
func schemaNodes(ctx context.Context, s *subject) []treeNode {
	at := schemaLocation(s.object.File())
	g, ok := s.node.(*zarr.Group)
	if !ok || at == "" {
		return nil
	}
	n, err := g.Open(ctx, at)
	if isGone(err) {
		// Some writers leave them out of consolidated metadata.
		n, err = zarr.OpenStore(ctx, g.Store(), path.Join(g.Path(), at), zarr.ReadOnly(), zarr.BypassConsolidated())
	}
	if err != nil {
		return nil // which validate tells
	}
	l := &nodeList{top: s.node.Path()}
	l.add(n.Path(), n, nil)
	if sub, ok := n.(*zarr.Group); ok {
		l.walk(ctx, sub)
	}
	return l.nodes
}

// schemaNote is one line for all of them.
func schemaNote(ctx context.Context, s *subject) []treeNode {
	if list := schemaVersions(ctx, s); list != nil {
		at := schemaLocation(s.object.File())
		return []treeNode{{Path: "/" + at, note: "cached schemas: " + strings.Join(list, ", ")}}
	}
	return nil
}

// schemaVersions names the namespaces of which schemas are cached, with their
// versions.
func schemaVersions(ctx context.Context, s *subject) (out []string) {
	above := len(strings.Split(schemaLocation(s.object.File()), "/"))
	for _, t := range schemaNodes(ctx, s) {
		if parts := strings.Split(t.Path[1:], "/"); t.NodeType == "group" && len(parts) == above+2 {
			out = append(out, parts[above]+" "+parts[above+1])
		}
	}
	return out
}

func (a *app) tree(ctx context.Context, url string, s *subject, asJSON bool) error {
	nodes, broken := below(ctx, s)
	if asJSON {
		if s.isRoot() {
			nodes = inPathOrder(append(nodes, schemaNodes(ctx, s)...))
		}
		if nodes == nil {
			nodes = []treeNode{}
		}
		if err := a.printJSON(nodes); err != nil {
			return err
		}
	} else if arr, ok := s.node.(*zarr.Array); ok {
		a.printf("%s  %s  %s\n", url, times(arr.Shape()), typeName(arr.DataType()))
	} else {
		if s.isRoot() {
			nodes = inPathOrder(append(nodes, schemaNote(ctx, s)...))
		}
		a.printf("%s\n", url)
		a.drawTree(nodes)
	}
	return a.tellBroken(broken)
}

// tellBroken prints all errors but the last, which is returned.
func (a *app) tellBroken(broken []error) error {
	if len(broken) == 0 {
		return nil
	}
	last := len(broken) - 1
	for _, err := range broken[:last] {
		if errors.Is(err, context.Canceled) {
			return err
		}
		a.report(err)
	}
	return broken[last]
}

// branch is a node with those that it holds.
type branch struct {
	name string
	node treeNode
	subs []*branch // in path order
}

// grow sorts nodes, which are in path order, into a tree.
func grow(nodes []treeNode) *branch {
	root := &branch{}
	for _, t := range nodes {
		at := root
		for name := range strings.SplitSeq(strings.TrimPrefix(t.Path, "/"), "/") {
			if last := len(at.subs) - 1; last < 0 || at.subs[last].name != name {
				at.subs = append(at.subs, &branch{name: name})
			}
			at = at.subs[len(at.subs)-1]
		}
		at.node = t
	}
	return root
}

// drawTree draws nodes in path order with lines to their groups.
func (a *app) drawTree(nodes []treeNode) {
	var labels, details []string
	var draw func(b *branch, before string)
	draw = func(b *branch, before string) {
		for i, sub := range b.subs {
			line, next := "├── ", "│   "
			if i == len(b.subs)-1 {
				line, next = "└── ", "    "
			}
			label := before + line + visible(sub.name)
			if sub.node.link != nil {
				label += " -> " + visible(sub.node.Target)
			}
			labels, details = append(labels, label), append(details, sub.node.detail())
			draw(sub, before+next)
		}
	}
	draw(grow(nodes), "")
	width := 0
	for i, label := range labels {
		if details[i] != "" {
			width = max(width, utf8.RuneCountInString(label))
		}
	}
	for i, label := range labels {
		if details[i] != "" {
			label += strings.Repeat(" ", width-utf8.RuneCountInString(label)) + "  " + details[i]
		}
		a.printf("%s\n", label)
	}
}

// detail is what the tree says of a node besides its name.
func (t treeNode) detail() string {
	switch n := t.node.(type) {
	case *zarr.Array:
		if d, ok := t.object.(*hdmf.Dataset); ok {
			return strings.TrimSpace(fmt.Sprintf("%s  %s  %s", times(d.Shape()), hdmfTypeName(d), d.Type().Name))
		}
		return fmt.Sprintf("%s  %s", times(n.Shape()), typeName(n.DataType()))
	case *zarr.Group:
		if t.object != nil {
			return t.object.Type().Name
		}
	}
	return t.note
}
