package elements

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/nd"
)

// jsonWriter writes elements as nested lists, a row of the last axis per line.
type jsonWriter struct {
	out   *bufio.Writer
	value Value
	shape []int
	idx   []int // of the next element
	began bool
	mem   []byte
}

func newJSONWriter(out *bufio.Writer, value Value, shape []int) *jsonWriter {
	return &jsonWriter{out: out, value: value, shape: shape, idx: make([]int, len(shape))}
}

func (w *jsonWriter) Write(v nd.View) error {
	blobs := v.Heap.Blobs()
	for k := range v.Len() {
		w.open()
		var err error
		if w.mem, err = w.value(w.mem[:0], v.At(k), blobs); err != nil {
			return err
		}
		if _, err := w.out.Write(w.mem); err != nil {
			return err
		}
		w.next()
	}
	return nil
}

// open writes what stands between the last element and the next: brackets for
// every axis that begins with it.
func (w *jsonWriter) open() {
	rank := len(w.shape)
	zeros := 0
	for zeros < rank && w.idx[rank-1-zeros] == 0 {
		zeros++
	}
	if w.began {
		w.out.WriteByte(',')
		if zeros == 0 {
			w.out.WriteByte(' ')
		} else {
			w.out.WriteByte('\n')
			for range rank - zeros {
				w.out.WriteByte(' ')
			}
		}
	}
	w.began = true
	for range zeros {
		w.out.WriteByte('[')
	}
}

// next goes on to the next index and closes the axes that have ended.
func (w *jsonWriter) next() {
	for i := len(w.shape) - 1; i >= 0; i-- {
		if w.idx[i]++; w.idx[i] < w.shape[i] {
			return
		}
		w.idx[i] = 0
		w.out.WriteByte(']')
	}
}

// Close writes what a result without elements looks like, and the last newline.
func (w *jsonWriter) Close() error {
	if slices.Contains(w.shape, 0) {
		w.empty(0)
	}
	return w.out.WriteByte('\n')
}

// empty writes the lists of an axis when a later one has no positions.
func (w *jsonWriter) empty(axis int) {
	w.out.WriteByte('[')
	for k := range w.shape[axis] {
		if k > 0 {
			w.out.WriteString(", ")
		}
		w.empty(axis + 1)
	}
	w.out.WriteByte(']')
}

// csvWriter writes elements as comma-separated values.
type csvWriter struct {
	out   *csv.Writer
	value Value
	cols  []dtype.Field // of structs
	wide  int           // elements in a line
	line  []string

	began bool
}

func newCSVWriter(out *bufio.Writer, t dtype.Type, value Value, shape []int) (*csvWriter, error) {
	w := &csvWriter{out: csv.NewWriter(out), value: value, cols: dtype.Fields(t), wide: 1}
	most := 2
	if w.cols != nil {
		most = 1
	}
	if len(shape) > most {
		return nil, axesError{len(shape), most}
	}
	if len(shape) == 2 {
		w.wide = shape[1]
	}
	return w, nil
}

// head writes the names of the columns before the first line.
func (w *csvWriter) head() error {
	if w.cols == nil || w.began {
		return nil
	}
	w.began = true
	names := make([]string, len(w.cols))
	for i, f := range w.cols {
		names[i] = f.Name
	}
	return w.out.Write(names)
}

func (w *csvWriter) Write(v nd.View) error {
	if err := w.head(); err != nil {
		return err
	}
	blobs := v.Heap.Blobs()
	for k := range v.Len() {
		elem := v.At(k)
		if w.cols == nil {
			if err := w.cell(w.value, elem, blobs); err != nil {
				return err
			}
		}
		for _, f := range w.cols {
			if err := w.cell(f.Type.AppendValue, elem[f.Offset:f.Offset+f.Type.Size()], blobs); err != nil {
				return err
			}
		}
		if len(w.line) >= max(w.wide, len(w.cols)) {
			if err := w.out.Write(w.line); err != nil {
				return err
			}
			w.line = w.line[:0]
		}
	}
	return nil
}

// cell adds a value to the line: text as it is, nothing for what is missing,
// everything else as in JSON.
func (w *csvWriter) cell(value Value, elem []byte, blobs nd.Blobs) error {
	raw, err := value(nil, elem, blobs)
	if err != nil {
		return err
	}
	text := string(raw)
	switch {
	case strictjson.IsNull(raw):
		text = ""
	case raw[0] == '"':
		if err := strictjson.Unmarshal(raw, &text); err != nil {
			return err
		}
	}
	w.line = append(w.line, text)
	return nil
}

func (w *csvWriter) Close() error {
	if err := w.head(); err != nil {
		return err
	}
	w.out.Flush()
	return w.out.Error()
}

// axesError says that something of so many axes has no form in lines of text.
type axesError struct{ n, most int }

func (e axesError) Error() string {
	return fmt.Sprintf("%d axes, at most %d fit: select some with --slice", e.n, e.most)
}

// Is says that it is not supported, and nothing wrong with what is stored.
func (e axesError) Is(target error) bool { return target == errors.ErrUnsupported }
