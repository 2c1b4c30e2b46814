package refs

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/store"
)

// Writer writes a manifest, one reference after the other.
type Writer struct {
	w    io.Writer
	buf  []byte
	last string
	any  bool
	err  error
}

// flushAt is how much is collected before it is written.
const flushAt = 64 << 10

// NewWriter begins a manifest; Close ends it.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, buf: append(make([]byte, 0, flushAt+4096), "{\"version\":1,\"refs\":{"...)}
}

// Add writes a reference. Keys must come in order.
func (w *Writer) Add(key string, r Reference) error {
	if w.err != nil {
		return w.err
	}
	if err := store.CheckKey(key); err != nil {
		return err
	}
	if w.any && key <= w.last {
		return fmt.Errorf("key %q comes after %q", key, w.last)
	}
	if w.any {
		w.buf = append(w.buf, ',')
	}
	w.any, w.last = true, key
	w.buf = append(w.buf, '\n')
	w.buf = append(strictjson.AppendString(w.buf, key), ':')
	switch {
	case r.URL == "":
		w.inline(r.Data)
	case r.Length < 0:
		w.buf = append(strictjson.AppendString(append(w.buf, '['), r.URL), ']')
	default:
		w.buf = append(strictjson.AppendString(append(w.buf, '['), r.URL), ',')
		w.buf = append(strconv.AppendInt(w.buf, r.Offset, 10), ',')
		w.buf = append(strconv.AppendInt(w.buf, r.Length, 10), ']')
	}
	if len(w.buf) >= flushAt {
		w.flush()
	}
	return w.err
}

// inline writes a value, as text if that is what it is.
func (w *Writer) inline(data []byte) {
	if utf8.Valid(data) && !bytes.HasPrefix(data, []byte(inlinePrefix)) {
		w.buf = strictjson.AppendString(w.buf, string(data))
		return
	}
	w.buf = append(append(w.buf, '"'), inlinePrefix...)
	w.buf = append(base64.StdEncoding.AppendEncode(w.buf, data), '"')
}

func (w *Writer) flush() {
	if w.err == nil {
		_, w.err = w.w.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

// Close ends the manifest. It does not close what it is written to.
func (w *Writer) Close() error {
	w.buf = append(w.buf, "\n}}\n"...)
	w.flush()
	return w.err
}
