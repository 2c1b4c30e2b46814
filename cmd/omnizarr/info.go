package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/meta"
)

func (a *app) infoCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info URL",
		Short: "Tell what a node is: shape, type, chunks, codecs, attributes",
		Long: `Tell what a node is. Of an HDMF or NWB file this is the session: who and what was
recorded, when, with which devices; the time series with their rates and how long
they are; the tables. Of an object in it, also its type and what it refers to.`,
		Example: `  omnizarr info em.zarr/s0
  omnizarr info session.nwb.zarr
  omnizarr info session.nwb.zarr/acquisition/ElectricalSeries
  omnizarr info --json https://example.org/em.zarr | jq .attributes
  omnizarr info archive.zip/images/first`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			if asJSON {
				doc, err := a.describe(cmd.Context(), s)
				if err != nil {
					return err
				}
				return a.printJSON(doc)
			}
			a.printf("%s\n", args[0])
			switch {
			case s.isRoot():
				return a.printSession(cmd.Context(), s)
			case s.object != nil:
				a.printObject(cmd.Context(), s)
			}
			return a.printInfo(s)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	return cmd
}

// formatOf names the format that a subject is stored in, and the version of Zarr
// that it is shown as.
func (a *app) formatOf(s *subject) (name string, zarrFormat int) {
	name = s.node.Format()
	zarrFormat = a.kinds.ZarrFormat(name)
	if s.object != nil {
		name = "hdmf"
	}
	return name, zarrFormat
}

// groupInfo is what info says of a group.
type groupInfo struct {
	NodeType     string           `json:"node_type"`
	ZarrFormat   int              `json:"zarr_format"`
	Format       string           `json:"format"`
	Consolidated *int             `json:"consolidated,omitempty"` // nodes in the consolidated metadata
	HDMF         *objectInfo      `json:"hdmf,omitempty"`
	Attributes   *meta.Attributes `json:"attributes"`
}

// arrayInfo is what info says of an array.
type arrayInfo struct {
	NodeType       string           `json:"node_type"`
	ZarrFormat     int              `json:"zarr_format"`
	Format         string           `json:"format"`
	Shape          []int            `json:"shape"`
	Chunks         json.RawMessage  `json:"chunks"`
	InnerChunks    []int            `json:"inner_chunks,omitempty"`
	DataType       json.RawMessage  `json:"data_type"`
	Codecs         []meta.Extension `json:"codecs"`
	FillValue      json.RawMessage  `json:"fill_value"`
	DimensionNames []*string        `json:"dimension_names"`
	HDMF           *objectInfo      `json:"hdmf,omitempty"`
	Attributes     *meta.Attributes `json:"attributes"`
}

// describe gives the document that info prints.
func (a *app) describe(ctx context.Context, s *subject) (any, error) {
	n := s.node
	format, number := a.formatOf(s)
	arr, ok := n.(*zarr.Array)
	if !ok {
		doc := groupInfo{NodeType: "group", ZarrFormat: number, Format: format, HDMF: describeObject(ctx, s), Attributes: n.Attributes()}
		if c := n.(*zarr.Group).Metadata().Consolidated; c != nil {
			nodes := c.Len()
			doc.Consolidated = &nodes
		}
		return doc, nil
	}
	m := arr.Metadata()
	doc := arrayInfo{
		NodeType: "array", ZarrFormat: number, Format: format, Shape: m.Shape, Codecs: m.Codecs,
		FillValue: m.FillValue, DimensionNames: m.DimensionNames, HDMF: describeObject(ctx, s), Attributes: n.Attributes(),
	}
	var err error
	if doc.Chunks, err = chunksOf(m); err != nil {
		return nil, err
	}
	doc.InnerChunks = innerChunks(m.Codecs)
	doc.DataType, err = m.DataType.MarshalJSON()
	return doc, err
}

// chunksOf gives the chunk shape, or the chunk shapes of a rectilinear grid, as
// the metadata spells it.
func chunksOf(m *meta.Array) (json.RawMessage, error) {
	raw, err := m.Grid.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var grid struct {
		Configuration struct {
			ChunkShape  json.RawMessage `json:"chunk_shape"`
			ChunkShapes json.RawMessage `json:"chunk_shapes"`
		} `json:"configuration"`
	}
	if err := json.Unmarshal(raw, &grid); err != nil {
		return nil, err
	}
	if c := grid.Configuration; c.ChunkShape != nil {
		return c.ChunkShape, nil
	} else if c.ChunkShapes != nil {
		return c.ChunkShapes, nil
	}
	return json.Marshal(m.Grid.Uniform())
}

// innerChunks is the shape of the chunks inside shards, nil without shards.
func innerChunks(codecs []meta.Extension) []int {
	for _, c := range codecs {
		var config struct {
			ChunkShape []int `json:"chunk_shape"`
		}
		if c.Name == "sharding_indexed" && json.Unmarshal(c.Configuration, &config) == nil {
			return config.ChunkShape
		}
	}
	return nil
}

// printInfo tells the same to people.
func (a *app) printInfo(s *subject) error {
	n, line := s.node, a.line
	format, _ := a.formatOf(s)
	arr, ok := n.(*zarr.Array)
	if !ok {
		line("group", "%s", format)
		if c := n.(*zarr.Group).Metadata().Consolidated; c != nil {
			line("below", "%s in the consolidated metadata", counted(c.Len(), "node"))
		}
		a.printAttributes(s)
		return nil
	}
	m := arr.Metadata()
	line("array", "%s", format)
	line("shape", "%s", namedShape(m))
	if len(m.DataType.Refs()) > 0 {
		line("data type", "%s", typeName(m.DataType))
	} else {
		line("data type", "%s, %s in all", typeName(m.DataType), size(bytesOf(m)))
	}
	inner := innerChunks(m.Codecs)
	what := "chunks"
	if inner != nil {
		what = "shards"
	}
	if shape := m.Grid.Uniform(); shape != nil {
		line(what, "%s, %s of them", times(shape), times(m.Grid.Count()))
	} else {
		raw, err := chunksOf(m)
		if err != nil {
			return err
		}
		line(what, "%s, %s of them", cutText(string(raw), 60), times(m.Grid.Count()))
	}
	if inner != nil {
		line("chunks", "%s in a shard", times(inner))
	}
	if len(m.Transformers) > 0 {
		line("stored as", "references to parts of other files")
	}
	line("codecs", "%s", a.codecWords(m.Codecs))
	line("fill value", "%s", cutText(compact(m.FillValue), 60))
	if _, err := arr.Codec(make([]int, len(m.Shape))); err != nil {
		line("but", "%v: the elements cannot be read", err)
	}
	a.printAttributes(s)
	return nil
}

// line prints something that is said about a node.
func (a *app) line(name, format string, args ...any) {
	a.printf("  %-11s %s\n", name, fmt.Sprintf(format, args...))
}

// printAttributes prints the attributes; of an object of an HDMF file those that
// nothing has been said of.
func (a *app) printAttributes(s *subject) {
	attrs := s.node.Attributes()
	names := attrs.Names()
	if s.object != nil {
		names = otherAttributes(s.object)
	}
	if len(names) > 0 {
		a.printf("  attributes\n")
	}
	for _, name := range names {
		a.printf("    %s: %s\n", name, cutText(compact(attrs.Raw(name)), 100))
	}
}

// compact puts JSON on one line.
func compact(raw []byte) string { return strings.Join(strings.Fields(string(raw)), " ") }

// namedShape is the shape with the names of its axes.
func namedShape(m *meta.Array) string {
	text := times(m.Shape)
	if m.DimensionNames == nil || len(m.Shape) == 0 {
		return text
	}
	names := make([]string, len(m.DimensionNames))
	for i, n := range m.DimensionNames {
		if names[i] = "·"; n != nil {
			names[i] = *n
		}
	}
	return text + " (" + strings.Join(names, ", ") + ")"
}

// bytesOf is the size of the elements; an array may be larger than int counts.
func bytesOf(m *meta.Array) float64 {
	n := float64(m.DataType.Size())
	for _, l := range m.Shape {
		n *= float64(l)
	}
	return n
}
