package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
)

func (a *app) treeCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tree URL",
		Short: "List every node below a group",
		Long: `List every node below a group, in path order. The group itself is not listed; an
array given as URL is listed as "/". Nodes that do not open are told on standard
error, and the exit code is 1 then.`,
		Example: `  omnizarr tree em.zarr
  omnizarr tree --json em.zarr | jq '.[] | select(.node_type == "array") | .path'`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := a.open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer n.Close()
			return a.tree(cmd.Context(), args[0], n, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	a.reversedFlag(cmd)
	return cmd
}

// treeNode is one line of the tree.
type treeNode struct {
	Path     string          `json:"path"`
	NodeType string          `json:"node_type"`
	Shape    []int           `json:"shape,omitzero"`
	DataType json.RawMessage `json:"data_type,omitempty"`
	node     zarr.Node
}

// below lists the nodes below n in path order, and those that do not open as
// errors.
func below(ctx context.Context, n zarr.Node) (nodes []treeNode, broken []error) {
	add := func(path string, n zarr.Node) {
		t := treeNode{Path: path, NodeType: "group", node: n}
		if arr, ok := n.(*zarr.Array); ok {
			t.NodeType, t.Shape = "array", arr.Shape()
			if t.Shape == nil {
				t.Shape = []int{}
			}
			raw, err := arr.DataType().MarshalJSON()
			if err != nil {
				broken = append(broken, err)
			}
			t.DataType = raw
		}
		nodes = append(nodes, t)
	}
	g, ok := n.(*zarr.Group)
	if !ok {
		add("/", n)
		return nodes, broken
	}
	for sub, err := range g.Walk(ctx) {
		if err != nil {
			broken = append(broken, err)
			continue
		}
		add("/"+strings.Trim(strings.TrimPrefix(sub.Path(), g.Path()), "/"), sub)
	}
	slices.SortStableFunc(nodes, func(x, y treeNode) int { return meta.ComparePaths(x.Path, y.Path) })
	if ctx.Err() != nil {
		broken = append(broken, ctx.Err())
	}
	return nodes, broken
}

func (a *app) tree(ctx context.Context, url string, n zarr.Node, asJSON bool) error {
	nodes, broken := below(ctx, n)
	if asJSON {
		if nodes == nil {
			nodes = []treeNode{}
		}
		if err := a.printJSON(nodes); err != nil {
			return err
		}
	} else if arr, ok := n.(*zarr.Array); ok {
		fmt.Fprintf(a.out, "%s  %s  %s\n", url, times(arr.Shape()), typeName(arr.DataType()))
	} else {
		fmt.Fprintln(a.out, url)
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
	node zarr.Node
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
		at.node = t.node
	}
	return root
}

// drawTree draws nodes in path order with lines to their groups.
func (a *app) drawTree(nodes []treeNode) {
	var labels []string
	var arrays []*zarr.Array
	var draw func(b *branch, before string)
	draw = func(b *branch, before string) {
		for i, sub := range b.subs {
			line, next := "├── ", "│   "
			if i == len(b.subs)-1 {
				line, next = "└── ", "    "
			}
			arr, _ := sub.node.(*zarr.Array)
			labels, arrays = append(labels, before+line+sub.name), append(arrays, arr)
			draw(sub, before+next)
		}
	}
	draw(grow(nodes), "")
	width := 0
	for i, label := range labels {
		if arrays[i] != nil {
			width = max(width, utf8.RuneCountInString(label))
		}
	}
	for i, label := range labels {
		if arr := arrays[i]; arr != nil {
			pad := strings.Repeat(" ", width-utf8.RuneCountInString(label))
			fmt.Fprintf(a.out, "%s%s  %s  %s\n", label, pad, times(arr.Shape()), typeName(arr.DataType()))
		} else {
			fmt.Fprintln(a.out, label)
		}
	}
}
