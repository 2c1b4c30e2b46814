package command

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
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/dump"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

func (a *app) treeCommand() *cobra.Command {
	var asJSON, sizes bool
	cmd := &cobra.Command{
		Use:   "tree URL",
		Short: "List every node below a group",
		Long: `List every node below a group, in path order. The group itself is not listed; an
array given as URL is listed as "/". Nodes that do not open are told on standard
error, and the exit code is 1 then.

Of arrays it says how large they are in memory and as stored, the ratio, and how many
chunks (or shards) there are. What is stored is listed for that: of files here unless
they are very many, elsewhere with --sizes.`,
		Example: `  omnizarr tree em.zarr
  omnizarr tree --json em.zarr | jq '.[] | select(.node_type == "array") | .path'`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			most := sizesMost
			switch {
			case sizes:
				most = 0
			case cmd.Flags().Changed("sizes") || !job.CanSize(s.Node):
				most = -1
			}
			return a.tree(cmd.Context(), args[0], s, asJSON, most)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	cmd.Flags().BoolVar(&sizes, "sizes", false, "say what arrays take in their store, however long it takes to list it; --sizes=false: never")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	a.resolvedFlag(cmd)
	a.help(cmd, "tree")
	return cmd
}

// treeNode is one line of the tree.
type treeNode struct {
	Path     string          `json:"path"`
	NodeType string          `json:"node_type"`
	Shape    []int           `json:"shape,omitzero"`
	DataType json.RawMessage `json:"data_type,omitempty"`
	Target   string          `json:"target,omitempty"` // of links
	// Bytes is the size in memory, Chunks how many there may be, and Stored what of them
	// is stored: of arrays whose store was listed.
	Bytes  *float64 `json:"bytes,omitempty"`
	Chunks *float64 `json:"chunks,omitempty"`
	Stored *stored  `json:"stored,omitempty"`
	detail string   // what is said besides
}

type stored struct {
	Bytes  int64 `json:"bytes"`
	Chunks int   `json:"chunks"`
}

// sizesMost is how many values are listed without being asked to.
const sizesMost = 100_000

// addSizes says what arrays take, of which at most so many values are listed; none if
// most is negative.
func (a *app) addSizes(ctx context.Context, root zarr.Node, entries []convention.Entry, nodes []treeNode, most int) error {
	if most < 0 {
		return nil
	}
	var arrays []*zarr.Array
	for _, e := range entries {
		if arr, ok := e.Node.(*zarr.Array); ok {
			arrays = append(arrays, arr)
		}
	}
	sizes, err := job.Sizes(ctx, root, arrays, most)
	switch {
	case errors.Is(err, job.ErrMany):
		a.note(fmt.Sprintf("more than %d chunks: --sizes counts them all", most))
		return nil
	case errors.Is(err, store.ErrNoList) && most > 0:
		return nil
	case err != nil:
		return err
	}
	for i, e := range entries {
		arr, ok := e.Node.(*zarr.Array)
		if !ok {
			continue
		}
		size, ok := sizes[arr.Path()]
		if !ok {
			continue
		}
		m := arr.Metadata()
		chunks := 1.0
		for _, n := range m.Grid.Count() {
			chunks *= float64(n)
		}
		t := &nodes[i]
		t.Chunks, t.Stored = &chunks, &stored{size.Bytes, size.Values}
		told := []string{}
		if len(m.DataType.Refs()) == 0 {
			bytes := bytesOf(m)
			t.Bytes = &bytes
			told = append(told, words.Bytes(bytes))
		}
		told = append(told, words.Bytes(float64(size.Bytes))+" stored")
		if t.Bytes != nil && size.Bytes > 0 && *t.Bytes > 0 {
			told = append(told, fmt.Sprintf("ratio %.3g", *t.Bytes/float64(size.Bytes)))
		}
		what := "chunk"
		if dump.InnerChunks(m.Codecs) != nil {
			what = "shard"
		}
		number := words.Counted(size.Values, what)
		if float64(size.Values) != chunks {
			number = fmt.Sprintf("%d of %.0f %ss", size.Values, chunks, what)
		}
		t.detail += "  " + strings.Join(append(told, number), ", ")
	}
	return nil
}

// treeNodes gives the lines for what lies below a node.
func treeNodes(entries []convention.Entry) ([]treeNode, error) {
	nodes := []treeNode{}
	for _, e := range entries {
		t := treeNode{Path: e.Path, NodeType: "group"}
		arr, ok := e.Node.(*zarr.Array)
		switch {
		case e.Link != nil:
			t.NodeType, t.Target = "link", e.Link.String()
		case ok:
			raw, err := arr.DataType().MarshalJSON()
			if err != nil {
				return nil, err
			}
			t.NodeType, t.Shape, t.DataType = "array", append([]int{}, arr.Shape()...), raw
			t.detail = fmt.Sprintf("%s  %s", words.Times(arr.Shape()), kind.TypeWords(arr.DataType()))
		}
		if e.Object != nil {
			t.detail = e.Object.Detail()
		}
		nodes = append(nodes, t)
	}
	return nodes, nil
}

func (a *app) tree(ctx context.Context, url string, s *convention.Subject, asJSON bool, most int) error {
	entries, broken := convention.Below(ctx, s)
	var versions []string
	at := ""
	if s.IsFile() {
		if schemas := s.Object.Schemas(ctx); schemas != nil {
			var list []zarr.Node
			list, versions = schemas.Nodes(ctx)
			at = "/" + schemas.Path
			for _, n := range list {
				if asJSON {
					entries = append(entries, convention.NodeEntry(n, s.Node.Path()))
				}
			}
		}
	}
	entries = convention.InPathOrder(entries)
	nodes, err := treeNodes(entries)
	if err != nil {
		return err
	}
	if err := a.addSizes(ctx, s.Node, entries, nodes, most); ctx.Err() != nil {
		return err
	} else if err != nil { // one array that cannot be listed hides no others
		broken = append(broken, err)
	}
	if _, ok := s.Node.(*zarr.Array); ok && !asJSON {
		a.printf("%s  %s\n", url, nodes[0].detail)
		return a.tellBroken(broken)
	}
	if asJSON {
		if err := a.printJSON(nodes); err != nil {
			return err
		}
		return a.tellBroken(broken)
	}
	if versions != nil { // one line for all of them
		nodes = append(nodes, treeNode{Path: at, detail: "cached schemas: " + strings.Join(versions, ", ")})
		slices.SortStableFunc(nodes, func(x, y treeNode) int { return meta.ComparePaths(x.Path, y.Path) })
	}
	a.printf("%s\n", url)
	a.drawTree(nodes)
	return a.tellBroken(broken)
}

// drawBelow draws what lies below a group.
func (a *app) drawBelow(ctx context.Context, g *zarr.Group) error {
	entries, broken := convention.Below(ctx, &convention.Subject{Node: g})
	nodes, err := treeNodes(entries)
	if err != nil {
		return err
	}
	a.drawTree(nodes)
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

// widestLabel is the longest name, with the lines before it, that what is said of all other
// nodes is moved to the right for.
const widestLabel = 72

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
			label := before + line + words.Visible(sub.name)
			if sub.node.Target != "" {
				label += " -> " + words.Visible(sub.node.Target)
			}
			labels, details = append(labels, label), append(details, sub.node.detail)
			draw(sub, before+next)
		}
	}
	draw(grow(nodes), "")
	width := 0
	for i, label := range labels {
		if n := utf8.RuneCountInString(label); details[i] != "" && n <= widestLabel {
			width = max(width, n)
		}
	}
	for i, label := range labels {
		if details[i] != "" {
			label += strings.Repeat(" ", max(width-utf8.RuneCountInString(label), 0)) + "  " + details[i]
		}
		a.printf("%s\n", label)
	}
}
