package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
)

func (a *app) dumpCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "dump URL",
		Short: "Print everything below a node as one neutral document",
		Long: `Print everything below a node as one document that does not depend on how it is
stored: for every node its kind and attributes; for groups their members; for
datasets shape, type, the SHA-256 of their elements and, of small ones, the
values. Two hierarchies with the same content give the same document, except for
stored_chunks.

Of HDMF and NWB files the document has links with their targets, references as
{"$ref": {"file", "path"}}, where file is relative to the dumped one and "." is the
same, and the SHA-256 of every cached schema. What leads nowhere, or where it may not
without --allow, is {"$dangling": why}.`,
		Example: `  omnizarr dump --json em.zarr
  diff <(omnizarr dump em.zarr) <(omnizarr dump copy.zarr)
  omnizarr dump --json --allow /data/raw session.nwb.zarr`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			return a.dump(cmd.Context(), s, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	return cmd
}

// dump prints the nodes one after the other, as each is read.
func (a *app) dump(ctx context.Context, s *subject, asJSON bool) error {
	nodes, broken := below(ctx, s)
	if _, ok := s.node.(*zarr.Group); ok {
		nodes = append([]treeNode{{Path: "/", NodeType: "group", node: s.node, object: s.object}}, nodes...)
	}
	members := map[string][]string{}
	for _, t := range nodes {
		if cut := strings.LastIndexByte(t.Path, '/'); t.Path != "/" {
			up := max(t.Path[:cut], "/")
			members[up] = append(members[up], t.Path[cut+1:])
		}
	}
	if asJSON {
		fmt.Fprint(a.out, "{\n")
	}
	if s.isRoot() {
		if err := a.dumpSchemas(ctx, s.object.File(), asJSON); err != nil {
			broken = append(broken, err)
		}
	}
	if asJSON {
		fmt.Fprint(a.out, "\"nodes\": {")
	}
	for i, t := range nodes {
		doc, err := neutral(ctx, t, members[t.Path])
		if err != nil {
			broken = append(broken, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if asJSON {
			raw, err := strictjson.Marshal(doc, false)
			if err != nil {
				return err
			}
			if i > 0 {
				fmt.Fprint(a.out, ",")
			}
			fmt.Fprintf(a.out, "\n%s: %s", strictjson.AppendString(nil, t.Path), raw)
		} else {
			a.printNeutral(t.Path, doc)
		}
	}
	if asJSON {
		fmt.Fprint(a.out, "\n}\n}\n")
	}
	return a.tellBroken(broken)
}

// neutral describes a node by its content.
func neutral(ctx context.Context, t treeNode, members []string) (*neutralNode, error) {
	if t.link != nil {
		return neutralLink(ctx, t.link), nil
	}
	attrs, err := neutralAttributes(ctx, t)
	if err != nil {
		return &neutralNode{Kind: "unknown", Error: err.Error()}, &zarr.Error{Op: "dump", URL: t.node.URL(), Err: err}
	}
	arr, ok := t.node.(*zarr.Array)
	if !ok {
		slices.Sort(members)
		members = append([]string{}, members...)
		return &neutralNode{Kind: "group", Attributes: attrs, Members: &members}, nil
	}
	m := arr.Metadata()
	shape := append([]int{}, m.Shape...)
	scalar := len(shape) == 0
	doc := &neutralNode{Kind: "dataset", Attributes: attrs, Scalar: &scalar, StoredShape: shape, Shape: shape}
	if doc.StoredChunks = innerChunks(m.Codecs); doc.StoredChunks == nil {
		doc.StoredChunks = append([]int{}, m.Grid.Uniform()...)
	}
	c := newColumn("", m.DataType, 0)
	if d, ok := t.object.(*hdmf.Dataset); ok {
		scalar, doc.Shape = d.Scalar(), d.Shape()
		doc.HDMFDType = storedType(d)
		c = hdmfColumn("", m.DataType, 0, d.DType(), func(r hdmf.Reference) json.RawMessage { return neutralReference(ctx, d.File(), r) })
	}
	count := 0
	for v, err := range arr.Stream(ctx, zarr.All(), partSize) {
		if err == nil {
			err = c.add(v)
		}
		if err != nil {
			doc.DType, doc.Error = c.dtype(), err.Error()
			return doc, err
		}
		count += v.Len()
	}
	doc.column = c.result(count <= mostValues)
	return doc, nil
}

// printNeutral tells the same to people.
func (a *app) printNeutral(path string, n *neutralNode) {
	switch {
	case n.Kind == "link":
		a.printf("%s -> %s%s\n", path, inFile(*n.Target), cannot(n.Error))
	case n.Kind == "dataset" && n.Error == "":
		a.printf("%s  %s %s", path, n.DType, times(n.Shape))
		if n.SHA256 != "" {
			a.printf("  sha256 %s", n.SHA256)
		}
		a.printf("\n")
		for _, f := range n.Fields {
			a.printf("    .%s  %s", f.Name, f.DType)
			if f.SHA256 != "" {
				a.printf("  sha256 %s", f.SHA256)
			}
			a.printf("\n")
			a.printValues(f.Values)
		}
		a.printValues(n.Values)
	case n.Error != "":
		a.printf("%s  %s  cannot be read: %s\n", path, n.Kind, oneLine(n.Error))
	default:
		a.printf("%s  %s of %s\n", path, n.Kind, counted(len(*n.Members), "node"))
	}
	for _, m := range n.Attributes {
		var text bytes.Buffer
		if json.Compact(&text, m.Raw) != nil {
			text.Write(m.Raw)
		}
		a.printf("    @%s = %s\n", m.Name, cutText(text.String(), 200))
	}
}

func (a *app) printValues(values []byte) {
	if values != nil {
		a.printf("    %s\n", cutText(compact(values), 200))
	}
}
