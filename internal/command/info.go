package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/dump"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
)

func (a *app) infoCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info URL",
		Short: "Tell what a node is: shape, type, chunks, codecs, attributes",
		Long:  "Tell what a node is.",
		Example: `  omnizarr info em.zarr/s0
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
				doc, err := a.infoOf(cmd.Context(), s)
				if err != nil {
					return err
				}
				return a.printJSON(doc)
			}
			a.printf("%s\n", args[0])
			if s.Object == nil {
				return a.printPlain(cmd.Context(), s)
			}
			about := s.Object.About(cmd.Context())
			a.printAbout(about)
			if about.Whole {
				return a.tellBroken(about.Broken)
			}
			return a.printInfo(cmd.Context(), s, about.Attributes)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	a.help(cmd, "info")
	return cmd
}

// printPlain tells of a node that is no object of a convention.
func (a *app) printPlain(ctx context.Context, s *convention.Subject) error {
	var about *convention.About
	if !a.plain {
		about = a.kinds.About(ctx, s.Node)
	}
	if about == nil {
		if err := a.printInfo(ctx, s, s.Node.Attributes().Names()); err != nil {
			return err
		}
		if g, ok := s.Node.(*zarr.Group); ok {
			return a.printMembers(ctx, g)
		}
		return nil
	}
	a.printAbout(about)
	if err := a.printInfo(ctx, s, s.Node.Attributes().Names()); err != nil {
		return err
	}
	return a.tellBroken(about.Broken)
}

// membersTold is how many nodes info names of a group that no convention knows: enough
// for a file of several images, and few requests far away. ls tells all.
const membersTold = 8

// printMembers tells what lies in a group.
func (a *app) printMembers(ctx context.Context, g *zarr.Group) error {
	var rows [][3]string
	for n, err := range g.Children(ctx) {
		if errors.Is(err, store.ErrNoList) {
			return nil // web servers do not tell
		}
		if err != nil {
			return a.tellBroken([]error{err})
		}
		if len(rows) == membersTold {
			rows = append(rows, [3]string{"…", "more, see omnizarr ls"})
			break
		}
		row := [3]string{path.Base(n.Path()) + "/"}
		if arr, ok := n.(*zarr.Array); ok {
			row = [3]string{path.Base(n.Path()), namedShape(arr.Metadata()), kind.TypeWords(arr.DataType())}
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		a.printAbout(&convention.About{Lists: []convention.List{{Title: "holds", Rows: rows}}})
	}
	return nil
}

// formatOf names the format that a subject is stored in, and the version of Zarr
// that it is shown as.
func (a *app) formatOf(s *convention.Subject) (name string, zarrFormat int) {
	name = s.Node.Format()
	zarrFormat = a.kinds.ZarrFormat(name)
	if s.Object != nil {
		name = s.Object.Convention().Name()
	}
	return name, zarrFormat
}

// document is a JSON object whose members keep their order.
type document []struct {
	name  string
	value any
}

// MarshalJSON gives the object.
func (d document) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range d {
		if i > 0 {
			out = append(out, ',')
		}
		raw, err := strictjson.Marshal(m.value, false)
		if err != nil {
			return nil, err
		}
		out = append(append(strictjson.AppendString(out, m.name), ':'), raw...)
	}
	return append(out, '}'), nil
}

func (d *document) add(name string, value any) {
	*d = append(*d, struct {
		name  string
		value any
	}{name, value})
}

// infoOf gives the document that info prints.
func (a *app) infoOf(ctx context.Context, s *convention.Subject) (any, error) {
	var doc document
	format, number := a.formatOf(s)
	arr, ok := s.Node.(*zarr.Array)
	if !ok {
		doc.add("node_type", "group")
		doc.add("zarr_format", number)
		doc.add("format", format)
		if c := s.Node.(*zarr.Group).Metadata().Consolidated; c != nil {
			doc.add("consolidated", c.Len()) // nodes in the consolidated metadata
		}
	} else {
		m := arr.Metadata()
		chunks, err := chunksOf(m)
		if err != nil {
			return nil, err
		}
		dataType, err := m.DataType.MarshalJSON()
		if err != nil {
			return nil, err
		}
		doc.add("node_type", "array")
		doc.add("zarr_format", number)
		doc.add("format", format)
		doc.add("shape", m.Shape)
		doc.add("chunks", chunks)
		if inner := dump.InnerChunks(m.Codecs); len(inner) > 0 {
			doc.add("inner_chunks", inner)
		}
		doc.add("data_type", json.RawMessage(dataType))
		doc.add("codecs", m.Codecs)
		doc.add("fill_value", m.FillValue)
		doc.add("dimension_names", m.DimensionNames)
		if list := a.coordinatesOf(ctx, arr); len(list) > 0 {
			doc.add("coordinates", list)
		}
	}
	if s.Object != nil {
		doc.add(format, s.Object.Info(ctx))
	}
	doc.add("attributes", s.Node.Attributes())
	return doc, nil
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
	if err := strictjson.Unmarshal(raw, &grid); err != nil {
		return nil, err
	}
	if c := grid.Configuration; c.ChunkShape != nil {
		return c.ChunkShape, nil
	} else if c.ChunkShapes != nil {
		return c.ChunkShapes, nil
	}
	return json.Marshal(m.Grid.Uniform())
}

// printAbout tells people of an object.
func (a *app) printAbout(about *convention.About) {
	for _, l := range about.Lines {
		a.line(l.Name, "%s", l.Text)
	}
	for _, list := range about.Lists {
		a.printf("  %s\n", list.Title)
		width, wide := 0, 0
		for _, r := range list.Rows {
			width, wide = max(width, utf8.RuneCountInString(words.Visible(r[0]))), max(wide, utf8.RuneCountInString(words.Visible(r[1])))
		}
		for _, r := range list.Rows {
			a.printf("    %s\n", strings.TrimRight(words.Padded(words.Visible(r[0]), width)+"  "+words.Padded(words.Visible(r[1]), wide)+"  "+r[2], " "))
		}
	}
	for _, note := range about.Notes {
		a.note(note)
	}
}

// printInfo tells the same to people.
func (a *app) printInfo(ctx context.Context, s *convention.Subject, attributes []string) error {
	n, line := s.Node, a.line
	format, _ := a.formatOf(s)
	arr, ok := n.(*zarr.Array)
	if !ok {
		line("group", "%s", format)
		if c := n.(*zarr.Group).Metadata().Consolidated; c != nil {
			line("below", "%s in the consolidated metadata", words.Counted(c.Len(), "node"))
		}
		a.printAttributes(n, attributes)
		return nil
	}
	m := arr.Metadata()
	line("array", "%s", format)
	line("shape", "%s", namedShape(m))
	if err := a.printCoordinates(ctx, arr); err != nil {
		return err
	}
	if len(m.DataType.Refs()) > 0 {
		line("data type", "%s", kind.TypeWords(m.DataType))
	} else {
		line("data type", "%s, %s in all", kind.TypeWords(m.DataType), size(bytesOf(m)))
	}
	inner := dump.InnerChunks(m.Codecs)
	what := "chunks"
	if inner != nil {
		what = "shards"
	}
	if shape := m.Grid.Uniform(); shape != nil {
		line(what, "%s, %s of them", words.Times(shape), words.Times(m.Grid.Count()))
	} else {
		raw, err := chunksOf(m)
		if err != nil {
			return err
		}
		line(what, "%s, %s of them", words.Cut(string(raw), 60), words.Times(m.Grid.Count()))
	}
	if inner != nil {
		line("chunks", "%s in a shard", words.Times(inner))
	}
	if len(m.Transformers) > 0 {
		line("stored as", "references to parts of other files")
	}
	line("codecs", "%s", a.kinds.Codecs(m.Codecs))
	line("fill value", "%s", words.Cut(words.Compact(m.FillValue), 60))
	if _, err := arr.Codec(); err != nil {
		line("but", "%v: the elements cannot be read", err)
	}
	a.printAttributes(n, attributes)
	return nil
}

// coordinatesOf are the coordinates of an array. What cannot be read of them is no
// reason to tell nothing of the array.
func (a *app) coordinatesOf(ctx context.Context, arr *zarr.Array) []coordinates.Summary {
	list, err := coordinates.Describe(ctx, arr, coordinates.Also(a.kinds.Coordinates()...))
	if err != nil {
		return nil
	}
	return list
}

// printCoordinates tells which coordinates an array has.
func (a *app) printCoordinates(ctx context.Context, arr *zarr.Array) error {
	for i, s := range a.coordinatesOf(ctx, arr) {
		name := ""
		if i == 0 {
			name = "coordinates"
		}
		a.line(name, "%s %s", words.Visible(s.Name), words.Cut(words.Visible(s.String()), 200))
	}
	return ctx.Err()
}

// line prints something that is said about a node.
func (a *app) line(name, format string, args ...any) {
	a.printf("  %-11s %s\n", name, fmt.Sprintf(format, args...))
}

// printAttributes prints some of a node's attributes.
func (a *app) printAttributes(n zarr.Node, names []string) {
	attrs := n.Attributes()
	if len(names) > 0 {
		a.printf("  attributes\n")
	}
	for _, name := range names {
		a.printf("    %s: %s\n", name, words.Cut(words.Compact(attrs.Raw(name)), 100))
	}
}

// namedShape is the shape with the names of its axes.
func namedShape(m *meta.Array) string {
	text := words.Times(m.Shape)
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
