package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/elements"
)

// catFormats are the forms that --as knows.
var catFormats = append(elements.Forms(), "text")

func (a *app) catCommand() *cobra.Command {
	var slice, as, column string
	var plot, exact bool
	cmd := &cobra.Command{
		Use:   "cat URL",
		Short: "Print the elements of an array, or the rows of a table",
		Long: `Print the elements of an array, all or those of a slice.

  raw   the bytes of the elements, C order, little-endian, nothing else
  json  nested lists; NaN, Infinity and -Infinity as strings, complex numbers as
        [re, im], bytes as base64
  csv   one line per element or, in two dimensions, per row; structs with columns
  npy   a NumPy file
  text  for people, with the middle of long axes left out

The default is text on a terminal and json elsewhere. Elements are read part by
part: an array may be larger than memory. raw and npy are the elements as they are
stored. The others tell what elements mean, unless --plain: packed numbers are
unpacked (scale_factor, add_offset), missing ones are null or empty, and times are
dates. Floats have the digits that their type needs.

A slice is by position, as NumPy writes it ('0:10, ::2, -1'), or by the names of axes:

  time=2025-06-30, lat=40:60   by value, where an axis has coordinates: the nearest to
                               a single one (with --exact an equal one); ranges
                               include both ends; a month or a year is all of it
  x=@5, y=@0:10                by index, always
  x=5                          by index, where an axis has no coordinates

Coordinates are arrays that are called as an axis, beside the array or in a group
above; what places an image on the ground; the scales of an image's levels; the times
of a series. Rows of a table are selected by its columns.`,
		Example: `  omnizarr cat --slice '0:10, ::2, -1' em.zarr/s0
  omnizarr cat --as raw em.zarr/s0 > s0.raw
  omnizarr cat --slice 'time=2025-06-30, lat=50, lon=10:20' era5.zarr/t2m
  omnizarr cat --as csv cells.zarr/table`,
		Args: names("one URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if as == "" {
				if as = "json"; isTerminal(a.stdout) {
					as = "text"
				}
			}
			if !slices.Contains(catFormats, as) {
				return badUsage(cmd, "--as %s: must be one of %s", as, strings.Join(catFormats, ", "))
			}
			if elements.Binary(as) {
				if err := a.notForTerminals(); err != nil {
					return badUsage(cmd, "--as %s: %w", as, err)
				}
			}
			s, err := a.findElements(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			arr, ok := s.Node.(*zarr.Array)
			if t, is := a.table(s); is && !ok {
				if exact {
					return badUsage(cmd, "--exact is for arrays, not for rows")
				}
				return a.catRows(cmd.Context(), s.Node.URL(), t, slice, as, column, plot, cmd.Flags().Changed("as"))
			}
			if !ok {
				return &zarr.Error{Op: "open", URL: s.Node.URL(), Err: zarr.ErrNotArray}
			}
			if plot || column != "" {
				return badUsage(cmd, "--plot is for time series, --column for tables; omnizarr plot draws arrays")
			}
			var told []elements.Option
			if s.Object != nil && s.Object.Elements() != nil && s.Object.Elements().Kind == convention.Bytes {
				told = append(told, elements.Readable())
			}
			return a.cat(cmd.Context(), arr, slice, as, exact, told...)
		},
	}
	cmd.Flags().StringVar(&slice, "slice", "", "which elements: '0:10, ::2, -1', 'x=@5', or by coordinates 'time=2025-06-30, lat=40:60'")
	cmd.Flags().BoolVar(&exact, "exact", false, "take single values of coordinates only where there is an equal one")
	cmd.Flags().StringVar(&as, "as", "", "form of the output: "+strings.Join(catFormats, ", "))
	completeChoice(cmd, "as", catFormats)
	cmd.Flags().StringVar(&column, "column", "", "of a table, this column alone: one line per element of a list, with the id of its row")
	cmd.Flags().BoolVar(&plot, "plot", false, "draw a time series; the default on a terminal where it has one channel")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	cmd.Flags().Lookup("plain").Usage += ", and elements as they are stored"
	a.help(cmd, "cat")
	return cmd
}

// isBytes reports whether elements are bytes, of which only a convention can say that
// they are text.
func isBytes(arr *zarr.Array) bool {
	k := arr.DataType().Kind()
	return k == dtype.Bytes || k == dtype.Raw
}

// findElements opens what has elements: an array needs no look at its surroundings,
// unless its elements are bytes.
func (a *app) findElements(ctx context.Context, url string) (*convention.Subject, error) {
	n, err := zarr.Open(ctx, url, a.options(zarr.ReadOnly())...)
	if arr, ok := n.(*zarr.Array); ok && err == nil && (a.plain || !isBytes(arr)) {
		return &convention.Subject{Node: n}, nil
	}
	if err == nil {
		n.Close()
	}
	return a.find(ctx, url)
}

// table gives the table that a subject is.
func (a *app) table(s *convention.Subject) (convention.Tabular, bool) {
	if a.plain {
		return nil, false
	}
	return a.kinds.Table(s)
}

// catRows prints the table or the samples that a group is.
func (a *app) catRows(ctx context.Context, url string, t convention.Tabular, slice, as, column string, plot, asked bool) error {
	r, err := t.Rows(ctx, slice, as != "json")
	if err != nil {
		return err
	}
	fail := func(err error) error {
		return &zarr.Error{Op: "print", URL: url, Err: err}
	}
	if r.Curves == nil && plot {
		return fail(errors.New("--plot is for time series, this is a table"))
	}
	if r.Curves != nil && (plot || as == "text" && !asked && r.Curves.Alone) {
		return a.plot(ctx, r.Curves, columns())
	}
	for _, note := range r.Notes {
		a.note(note)
	}
	if column != "" && !elements.Binary(as) {
		if err := r.WriteLong(ctx, a.out, as, column); err != nil {
			return fail(err)
		}
		return nil
	}
	switch as {
	case "json":
		return r.WriteJSON(ctx, a.out)
	case "csv":
		return r.WriteCSV(ctx, a.out)
	case "text":
		return r.WriteText(ctx, a.out, columns())
	}
	return fail(fmt.Errorf("rows have no form %s, use --as json or csv", as))
}

func (a *app) cat(ctx context.Context, arr *zarr.Array, slice, as string, exact bool, told ...elements.Option) error {
	var how []coordinates.Option
	if exact {
		how = append(how, coordinates.Exact())
	}
	sel, err := a.selection(ctx, arr, slice, how...)
	if err != nil {
		return err
	}
	if a.plain {
		told = append(told, elements.Plain())
	}
	if as == "text" {
		return a.catText(ctx, arr, sel, strings.TrimSpace(slice) == "", told...)
	}
	return elements.Write(ctx, a.out, as, arr, sel, told...)
}
