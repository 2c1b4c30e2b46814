package serve

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// leastPacked is the smallest document that is worth compressing: what fits into one
// packet is not.
const leastPacked = 1400

var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one that there is
	return z
}}

// pack appends the compressed form of data.
func pack(dst *bytes.Buffer, data []byte) error {
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(dst)
	if _, err := z.Write(data); err != nil {
		return err
	}
	return z.Close()
}

// sendPacked answers with a whole document, compressed.
func (v *value) sendPacked(ctx context.Context, w http.ResponseWriter, tag string) error {
	all := span{0, v.info.Size}
	var plain, out bytes.Buffer
	plain.Grow(int(all.n))
	err := v.write(ctx, &plain, all)
	if err == nil {
		err = pack(&out, plain.Bytes())
	}
	h := w.Header()
	if err != nil {
		return err
	}
	if tag != "" {
		h.Set("ETag", packed(tag))
	}
	h.Del("Accept-Ranges") // of other bytes than these
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", strconv.Itoa(out.Len()))
	begin(w, http.StatusOK, true)
	_, err = w.Write(out.Bytes())
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// accepts reports whether a list such as that of Accept-Encoding has a name, and not with
// the quality zero.
func accepts(list, name string) bool {
	for item := range strings.SplitSeq(list, ",") {
		got, params, _ := strings.Cut(strings.TrimSpace(item), ";")
		if !strings.EqualFold(strings.TrimSpace(got), name) {
			continue
		}
		quality, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		if !ok {
			return true
		}
		q, err := strconv.ParseFloat(quality, 64)
		return err == nil && q > 0
	}
	return false
}
