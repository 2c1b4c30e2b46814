package plain

import (
	"encoding/binary"
	"math"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/nd"
)

// change turns elements into those of another type. dst is contiguous, and has a heap if
// its elements need one.
type change func(dst, src nd.View) error

// changeOf gives the change from a type to the one that portableType has for it.
func changeOf(to, from dtype.Type) change {
	switch {
	case to.Kind() == dtype.String && from.Kind() == dtype.UTF32:
		return texts(func(dst, elem []byte, _ nd.Blobs) ([]byte, error) { return appendUTF32(dst, elem), nil })
	case to.Kind() == dtype.String:
		return texts(from.AppendValue)
	case from.Kind() == dtype.Complex:
		return func(dst, src nd.View) error {
			f, ok := dtype.FormatOf(from)
			if !ok {
				return dtype.ErrGoType
			}
			out, _ := dst.Contiguous()
			half, at := from.Size()/2, 0
			src.Each(func(elem []byte) {
				for _, part := range [][]byte{elem[:half], elem[half:]} {
					var b [8]byte
					copy(b[:], part)
					binary.LittleEndian.PutUint32(out[at:], math.Float32bits(float32(f.Decode(binary.LittleEndian.Uint64(b[:])))))
					at += 4
				}
			})
			return nil
		}
	}
	return func(dst, src nd.View) error { return copying.Convert(to, dst, from, src) }
}

// texts makes text of elements.
func texts(text func(dst, elem []byte, h nd.Blobs) ([]byte, error)) change {
	return func(dst, src nd.View) (err error) {
		var blobs nd.Blobs
		if src.Heap != nil {
			blobs = src.Heap.Blobs()
		}
		var all []byte
		ends := make([]int, 0, src.Len())
		src.Each(func(elem []byte) {
			if err == nil {
				all, err = text(all, elem, blobs)
				ends = append(ends, len(all))
			}
		})
		if err != nil {
			return err
		}
		blob, start := dst.Heap.Add(all), 0
		out, _ := dst.Contiguous()
		for i, end := range ends {
			nd.PutRef(out[i*dst.Size:(i+1)*dst.Size], blob, start, end-start)
			start = end
		}
		return nil
	}
}

// appendUTF32 appends code points without the zeros behind them.
func appendUTF32(dst, elem []byte) []byte {
	end := len(elem)
	for end >= 4 && binary.LittleEndian.Uint32(elem[end-4:]) == 0 {
		end -= 4
	}
	for i := 0; i+4 <= end; i += 4 {
		dst = append(dst, string(rune(binary.LittleEndian.Uint32(elem[i:])))...)
	}
	return dst
}
