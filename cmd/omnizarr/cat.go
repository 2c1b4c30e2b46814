package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/convention"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// partSize is how many bytes of elements are in memory at once.
const partSize = 128 << 20

// catFormats are the forms that --as knows.
var catFormats = []string{"raw", "json", "csv", "npy", "text"}

func (a *app) catCommand() *cobra.Command {
	var slice, as string
	var plot bool
	cmd := &cobra.Command{
		Use:   "cat URL",
		Short: "Print the elements of an array, or the rows of a table",
		Long: `Print the elements of an array, all or those of a slice as NumPy writes it.

  raw   the bytes of the elements, C order, little-endian, nothing else
  json  nested lists; NaN, Infinity and -Infinity as strings, complex numbers as
        [re, im], bytes as base64
  csv   one line per element or, in two dimensions, per row; structs with columns
  npy   a NumPy file
  text  for people, with the middle of long axes left out

The default is text on a terminal and json elsewhere. Elements are read part by
part: an array may be larger than memory.`,
		Example: `  omnizarr cat --slice '0:10, ::2, -1' em.zarr/s0
  omnizarr cat --as npy em.zarr/s0 > s0.npy
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
			s, err := a.findElements(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			arr, ok := s.Node.(*zarr.Array)
			if t, is := s.Object.(convention.Tabular); is && !ok {
				return a.catRows(cmd.Context(), s.Node.URL(), t, slice, as, plot, cmd.Flags().Changed("as"))
			}
			if !ok {
				return &zarr.Error{Op: "open", URL: s.Node.URL(), Err: errors.New("is a group, not an array")}
			}
			if plot {
				return badUsage(cmd, "--plot is for time series")
			}
			return a.cat(cmd.Context(), arr, slice, as)
		},
	}
	cmd.Flags().StringVar(&slice, "slice", "", "which elements, as NumPy writes it: '0:10, ::2, -1'")
	cmd.Flags().StringVar(&as, "as", "", "form of the output: "+strings.Join(catFormats, ", "))
	cmd.Flags().BoolVar(&plot, "plot", false, "draw a time series; the default on a terminal where it has one channel")
	a.openFlags(cmd)
	a.plainFlag(cmd)
	a.help(cmd, "cat")
	return cmd
}

// findElements opens what has elements: an array needs no look at its
// surroundings.
func (a *app) findElements(ctx context.Context, url string) (*convention.Subject, error) {
	n, err := zarr.Open(ctx, url, a.options(zarr.ReadOnly())...)
	if _, ok := n.(*zarr.Array); ok && err == nil {
		return &convention.Subject{Node: n}, nil
	}
	if err == nil {
		n.Close()
	}
	return a.find(ctx, url)
}

// catRows prints the table or the samples that a group is.
func (a *app) catRows(ctx context.Context, url string, t convention.Tabular, slice, as string, plot, asked bool) error {
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
		return a.plot(ctx, r.Curves)
	}
	for _, note := range r.Notes {
		a.note(note)
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

func (a *app) cat(ctx context.Context, arr *zarr.Array, slice, as string) error {
	if as == "text" {
		return a.catText(ctx, arr, slice)
	}
	sel := zarr.Slice(slice)
	shape, err := arr.ResultShape(sel)
	if err != nil {
		return err
	}
	fail := func(err error) error {
		return &zarr.Error{Op: "print", URL: arr.URL(), Err: fmt.Errorf("as %s: %w", as, err)}
	}
	t := arr.DataType()
	var w elementWriter
	switch as {
	case "raw", "npy":
		if len(t.Refs()) > 0 {
			return fail(fmt.Errorf("elements of %s have no fixed length, use --as json", t.Name()))
		}
		w = &rawWriter{out: a.out}
		if as == "npy" {
			header, err := npyHeader(t, shape)
			if err != nil {
				return fail(err)
			}
			w = &rawWriter{out: a.out, header: header}
		}
	case "json":
		w = newJSONWriter(a.out, t, shape)
	case "csv":
		if w, err = newCSVWriter(a.out, t, shape); err != nil {
			return fail(err)
		}
	}
	for v, err := range arr.Stream(ctx, sel, partSize) {
		if err != nil {
			return err
		}
		if err := w.write(v); err != nil {
			return fail(err)
		}
	}
	return w.end()
}

// elementWriter takes the elements of an array in C order.
type elementWriter interface {
	// write takes the next elements, a view with one axis.
	write(v nd.View) error
	// end is called after the last ones.
	end() error
}

// rawWriter writes elements as they lie in memory, which is what raw means.
type rawWriter struct {
	out    io.Writer
	header []byte // written before the first element: nothing if that cannot be read
}

func (w *rawWriter) write(v nd.View) error {
	if err := w.end(); err != nil {
		return err
	}
	_, err := w.out.Write(v.Data)
	return err
}

func (w *rawWriter) end() error {
	_, err := w.out.Write(w.header)
	w.header = nil
	return err
}

// npyHeader is what stands before the elements of a .npy file.
func npyHeader(t dtype.Type, shape []int) ([]byte, error) {
	descr, err := dtype.Numpy(t)
	if err != nil {
		return nil, err
	}
	var tuple strings.Builder
	for _, n := range shape {
		fmt.Fprintf(&tuple, "%d, ", n)
	}
	text := tuple.String()
	if len(shape) != 1 { // NumPy writes (3,) and (3, 4)
		text = strings.TrimSuffix(text, ", ")
	} else {
		text = strings.TrimSuffix(text, " ")
	}
	header := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': (%s), }", descr, text)
	// The elements begin at a multiple of 64 bytes.
	before := 10
	if len(header)+1+before+63 > 0xffff {
		before = 12
	}
	header += strings.Repeat(" ", 63-(len(header)+before)%64) + "\n"
	prefix := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(header)), byte(len(header) >> 8)}
	if before == 12 {
		prefix[6] = 2
		prefix = append(prefix, byte(len(header)>>16), byte(len(header)>>24))
	}
	return append(prefix, header...), nil
}
