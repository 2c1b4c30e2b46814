package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

func (a *app) refsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "refs URL",
		Short: "List the links and references of an HDMF or NWB file",
		Long: `List every link, object reference and region reference of an HDMF or NWB file, or of
a part of it, and whether it leads to anything: those of attributes, of datasets and
of the fields of compounds. Paths are those in the file.

A file besides those in the folder around this one is opened only below what --allow
names. What is refused for that is listed with what to allow.`,
		Example: `  omnizarr refs session.nwb.zarr
  omnizarr refs --allow /data/raw session.nwb.zarr
  omnizarr refs --json session.nwb.zarr | jq '.[] | select(.resolved | not)'`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			if s.object == nil {
				return &zarr.Error{Op: "list references of", URL: s.node.URL(), Err: fmt.Errorf("is no HDMF file, nor part of one")}
			}
			return a.refs(cmd.Context(), s, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	return cmd
}

// reference is a line of the list.
type reference struct {
	Path      string       `json:"path"`                // of the link, or of the object that refers
	Kind      string       `json:"kind"`                // link, object or region
	Attribute string       `json:"attribute,omitempty"` // that is the reference
	Index     []int        `json:"index,omitzero"`      // of the element that is
	Field     string       `json:"field,omitempty"`     // of a compound
	Source    string       `json:"source"`
	Target    string       `json:"target"`
	Region    *hdmf.Region `json:"region,omitempty"`
	Resolved  bool         `json:"resolved"`
	Reason    string       `json:"reason,omitempty"` // why it is not
}

// where names the reference for people.
func (r *reference) where() string {
	text := r.Path
	if r.Attribute != "" {
		text += " @" + r.Attribute
	}
	if r.Index != nil {
		text += string(strictjson.AppendInts(nil, r.Index))
	}
	if r.Field != "" {
		text += "." + r.Field
	}
	return text
}

// refLister prints references as they are found.
type refLister struct {
	*app
	asJSON      bool
	count, lost int
	known       map[refTarget]*resolved // what was looked up before
}

type refTarget struct {
	file         *hdmf.File
	source, path string
}

type resolved struct {
	object hdmf.Object
	err    error
}

// mostKnown bounds what is kept of references that were followed.
const mostKnown = 1 << 14

func (a *app) refs(ctx context.Context, s *subject, asJSON bool) error {
	l := &refLister{app: a, asJSON: asJSON, known: map[refTarget]*resolved{}}
	if asJSON {
		fmt.Fprint(a.out, "[")
	}
	broken := l.object(ctx, s.object)
	if g, ok := s.object.(*hdmf.Group); ok {
		for m, err := range g.Walk(ctx) {
			switch {
			case err != nil:
			case m.Link != nil:
				err = l.link(ctx, m.Link)
			default:
				err = l.object(ctx, m.Object)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				if broken != nil {
					a.report(broken)
				}
				broken = err
			}
		}
	}
	switch {
	case asJSON && l.count == 0:
		a.printf("]\n")
	case asJSON:
		fmt.Fprint(a.out, "\n]\n")
	default:
		all, lost := "links and references", "lead"
		if l.count == 1 {
			all = "link or reference"
		}
		if l.lost == 1 {
			lost = "leads"
		}
		a.printf("%d %s, %d %s nowhere\n", l.count, all, l.lost, lost)
	}
	return broken
}

func (l *refLister) link(ctx context.Context, link *hdmf.Link) error {
	r := reference{Path: link.At(), Kind: "link"}
	return l.print(ctx, link.Group().File(), r, link.Reference)
}

// object lists what an object refers to.
func (l *refLister) object(ctx context.Context, o hdmf.Object) error {
	for _, attr := range o.Attributes() {
		if attr.Err != nil {
			if err := l.write(&reference{Path: o.Path(), Attribute: attr.Name, Kind: "object", Reason: oneLine(attr.Err.Error())}); err != nil {
				return err
			}
		}
		for i, ref := range attr.References {
			r := reference{Path: o.Path(), Attribute: attr.Name}
			if attr.List {
				r.Index = []int{i}
			}
			if err := l.print(ctx, o.File(), r, ref); err != nil {
				return err
			}
		}
	}
	if d, ok := o.(*hdmf.Dataset); ok {
		return l.elements(ctx, d)
	}
	for _, problem := range o.(*hdmf.Group).Problems() {
		if err := l.write(&reference{Path: o.Path(), Kind: "link", Reason: oneLine(problem.Error())}); err != nil {
			return err
		}
	}
	return nil
}

// refersTo reports whether elements of a type are references.
func refersTo(t hdmf.DType) bool { return t.Kind == hdmf.ObjectRef || t.Kind == hdmf.RegionRef }

// elements lists the references that a dataset consists of, some rows at a time.
func (l *refLister) elements(ctx context.Context, d *hdmf.Dataset) error {
	fields := []string{""}
	if !refersTo(d.DType()) {
		fields = nil
		for _, f := range d.DType().Fields {
			if refersTo(f.DType) {
				fields = append(fields, f.Name)
			}
		}
	}
	if fields == nil {
		return nil
	}
	first := 0
	for sel := range rowBlocks(d.Array()) {
		v, err := d.Read(ctx, sel)
		if err != nil {
			return err
		}
		for _, name := range fields {
			part := v
			if name != "" {
				if part, err = v.Field(name); err != nil {
					return &zarr.Error{Op: "read", URL: d.Array().URL(), Err: err}
				}
			}
			if err := l.values(ctx, d, name, part, first); err != nil {
				return err
			}
		}
		first += v.Len()
	}
	return nil
}

// values lists the references that were read.
func (l *refLister) values(ctx context.Context, d *hdmf.Dataset, field string, v *hdmf.Values, first int) error {
	for i := range v.Len() {
		r := reference{Path: d.Path(), Field: field, Index: indexOf(first+i, d.Shape())}
		ref, err := v.Reference(i)
		if err != nil {
			if r.Kind, r.Reason = "object", oneLine(err.Error()); v.Kind == hdmf.RegionRef {
				r.Kind = "region"
			}
			err = l.write(&r)
		} else {
			err = l.print(ctx, d.File(), r, ref)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// indexOf is the index of an element by its number, in C order.
func indexOf(n int, shape []int) []int {
	if len(shape) == 0 {
		return nil
	}
	out := make([]int, len(shape))
	for k, l := range slices.Backward(shape) {
		out[k] = n % max(l, 1)
		n /= max(l, 1)
	}
	return out
}

// rowsAtOnce is about how many elements are read at once where each is looked at.
const rowsAtOnce = 1 << 16

// rowBlocks yields selections that are an array together, each of whole chunks
// along the first axis.
func rowBlocks(arr *zarr.Array) func(yield func(zarr.Selection) bool) {
	return func(yield func(zarr.Selection) bool) {
		shape := arr.Shape()
		if len(shape) == 0 {
			yield(zarr.All())
			return
		}
		rows, _ := nd.Len(shape[1:])
		rows = max(rowsAtOnce/max(rows, 1), 1)
		if chunk := arr.ChunkShape(); chunk != nil {
			rows = (rows + chunk[0] - 1) / chunk[0] * chunk[0]
		}
		for from := 0; from < shape[0]; from += rows {
			if !yield(zarr.Select(zarr.Span(from, min(from+rows, shape[0])), zarr.Ellipsis())) {
				return
			}
		}
	}
}

// print follows a reference and prints where it leads.
func (l *refLister) print(ctx context.Context, holder *hdmf.File, r reference, ref hdmf.Reference) error {
	r.Source, r.Target, r.Region = ref.Source, ref.Path, ref.Region
	if r.Kind == "" {
		if r.Kind = "object"; ref.Region != nil {
			r.Kind = "region"
		}
	}
	key := refTarget{holder, ref.Source, ref.Path}
	to := l.known[key]
	if to == nil {
		to = &resolved{}
		to.object, to.err = holder.Resolve(ctx, ref)
		if len(l.known) >= mostKnown {
			clear(l.known)
		}
		l.known[key] = to
	}
	err := to.err
	if d, ok := to.object.(*hdmf.Dataset); ref.Region != nil && err == nil {
		if !ok {
			err = fmt.Errorf("a region of a group")
		} else {
			_, err = ref.Region.Selection(d.Array().Shape())
		}
	}
	if r.Resolved = err == nil; err != nil {
		r.Reason = why(err)
	}
	return l.write(&r)
}

// write prints a line.
func (l *refLister) write(r *reference) error {
	l.count++
	if !r.Resolved {
		l.lost++
	}
	if !l.asJSON {
		mark, target := "✓", inFile(neutralTarget{r.Source, r.Target, r.Region})
		if !r.Resolved {
			mark = "✗"
			target = strings.TrimSpace(target + "  " + r.Reason)
		}
		return l.printf("%s %-6s %s -> %s\n", mark, r.Kind, r.where(), target)
	}
	raw, err := strictjson.Marshal(r, false)
	if err != nil {
		return err
	}
	comma := ","
	if l.count == 1 {
		comma = ""
	}
	_, err = fmt.Fprintf(l.out, "%s\n %s", comma, raw)
	return err
}
