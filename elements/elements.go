// Package elements writes the elements of arrays as other programs read them: as
// bytes, as a file of NumPy, as JSON and as comma-separated values.
package elements

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/cf"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// Forms are what elements can be written as:
//
//	raw   their bytes, C order, little-endian, nothing else
//	json  nested lists; NaN, Infinity and -Infinity as strings, complex numbers as
//	      [re, im], bytes as base64
//	csv   one line per element or, in two dimensions, per row; structs with columns
//	npy   a file of NumPy
//
// JSON and csv tell what elements mean by the conventions of CF, unless Plain is
// asked for: packed numbers, null or nothing for missing ones, dates.
func Forms() []string { return []string{"raw", "json", "csv", "npy"} }

// Binary reports whether a form is bytes, which are not for people.
func Binary(form string) bool { return form == "raw" || form == "npy" }

// partSize is how many bytes of elements are in memory at once.
const partSize = 128 << 20

// Write writes the elements of a selection, part by part: it may be larger than
// memory.
func Write(ctx context.Context, out *bufio.Writer, form string, a *zarr.Array, sel zarr.Selection, opts ...Option) error {
	shape, err := a.ResultShape(sel)
	if err != nil {
		return err
	}
	fail := func(err error) error {
		return &zarr.Error{Op: "print", URL: a.URL(), Err: fmt.Errorf("as %s: %w", form, err)}
	}
	w, err := newWriter(out, form, a.DataType(), shape, ValuesOf(a, opts...))
	if err != nil {
		return fail(err)
	}
	for v, err := range a.Stream(ctx, sel, partSize) {
		if err != nil {
			return err
		}
		if err := w.Write(v); err != nil {
			return fail(err)
		}
	}
	return w.Close()
}

// Option says how elements are told.
type Option func(*options)

type options struct{ plain, readable bool }

// Plain tells elements as they are stored.
func Plain() Option { return func(o *options) { o.plain = true } }

// Readable tells bytes that are text as such, where they are meant to be: those that
// are not stay base64.
func Readable() Option { return func(o *options) { o.readable = true } }

// Value appends an element as JSON.
type Value func(dst, elem []byte, heap nd.Blobs) ([]byte, error)

// ValuesOf tells what the elements of an array mean.
func ValuesOf(a *zarr.Array, opts ...Option) Value {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	t := a.DataType()
	if d, ok := cf.Of(a); ok && !o.plain {
		return d.AppendValue
	}
	if o.readable && !o.plain && (t.Kind() == dtype.Bytes || t.Kind() == dtype.Raw) {
		return readable(t)
	}
	return t.AppendValue
}

// readable tells bytes that are text as such.
func readable(t dtype.Type) Value {
	return func(dst, elem []byte, heap nd.Blobs) ([]byte, error) {
		b := bytes.TrimRight(elem, "\x00") // of a fixed length
		if t.Kind() == dtype.Bytes {
			b = heap.Value(elem)
		}
		if !utf8.Valid(b) || bytes.ContainsFunc(b, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }) {
			return t.AppendValue(dst, elem, heap)
		}
		return strictjson.AppendString(dst, string(b)), nil
	}
}

// Writer takes the elements of an array in C order.
type Writer interface {
	// Write takes the next elements, a view with one axis.
	Write(v nd.View) error
	// Close is called after the last ones. It does not close what is written to.
	Close() error
}

// NewWriter makes a writer of elements of a type and shape in one of the forms.
func NewWriter(out *bufio.Writer, form string, t dtype.Type, shape []int) (Writer, error) {
	return newWriter(out, form, t, shape, t.AppendValue)
}

func newWriter(out *bufio.Writer, form string, t dtype.Type, shape []int, value Value) (Writer, error) {
	switch form {
	case "json":
		return newJSONWriter(out, value, shape), nil
	case "csv":
		return newCSVWriter(out, t, value, shape)
	case "raw", "npy":
	default:
		return nil, fmt.Errorf("no form is called so, only %s", strings.Join(Forms(), ", "))
	}
	if len(t.Refs()) > 0 {
		return nil, fmt.Errorf("elements of %s have no fixed length, use --as json", t.Name())
	}
	w := &rawWriter{out: out}
	if form == "npy" {
		var err error
		if w.header, err = npyHeader(t, shape); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// rawWriter writes elements as they lie in memory, which is what raw means.
type rawWriter struct {
	out    io.Writer
	header []byte // written before the first element: nothing if that cannot be read
}

func (w *rawWriter) Write(v nd.View) error {
	if err := w.Close(); err != nil {
		return err
	}
	_, err := w.out.Write(v.Data)
	return err
}

func (w *rawWriter) Close() error {
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
