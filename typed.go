package zarr

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/bigmem"
	"github.com/omnizarr/zarr/nd"
)

// Read reads the selected elements into new memory. T must have the layout of
// the array's type: uint16 for uint16, a struct of the same fields for a
// struct, string or []byte for values of any length.
func Read[T any](ctx context.Context, a *Array, sel Selection) (nd.Array[T], error) {
	s := a.now.Load()
	var none nd.Array[T]
	p, err := s.plan(sel)
	if err == nil {
		err = s.checkGo(reflect.TypeFor[T]())
	}
	if err == nil && s.noCodec != nil {
		err = s.noCodec
	}
	n := 0
	if err == nil {
		n, err = a.room(p.shape, s.spec.Type.Size())
	}
	if err != nil {
		return none, a.fail("read", err)
	}
	out := nd.Array[T]{Data: bigmem.Make[T](n), Shape: p.shape}
	if err := readTyped(ctx, a, s, p, out.Data); err != nil {
		return none, err
	}
	return out, nil
}

// ReadSlice reads the selected elements into dst, in C order. Memory that was
// used before is read into at twice the speed of fresh memory.
func ReadSlice[T any](ctx context.Context, a *Array, sel Selection, dst []T) error {
	return readSlice(ctx, a, a.now.Load(), sel, dst)
}

func readSlice[T any](ctx context.Context, a *Array, s *state, sel Selection, dst []T) error {
	p, err := s.plan(sel)
	if err == nil {
		err = s.checkSlice(p, reflect.TypeFor[T](), len(dst))
	}
	if err != nil {
		return a.fail("read", err)
	}
	return readTyped(ctx, a, s, p, dst)
}

// Write writes data, in C order, to the selected elements.
func Write[T any](ctx context.Context, a *Array, sel Selection, data []T) error {
	s, held, err := a.holdShape(ctx)
	if err != nil {
		return a.fail("write", err)
	}
	defer held.Unlock()
	p, err := s.plan(sel)
	if err == nil {
		err = s.checkSlice(p, reflect.TypeFor[T](), len(data))
	}
	if err != nil {
		return a.fail("write", err)
	}
	return writeTyped(ctx, a, s, p, data)
}

func writeTyped[T any](ctx context.Context, a *Array, s *state, p *plan, data []T) error {
	var v nd.View
	if dtype.IsReference(s.spec.Type) {
		v = referring(data, p.shape)
	} else {
		v = nd.Of(bytesOf(data), s.spec.Type.Size(), p.shape...)
	}
	return a.writePlan(ctx, s, p, v)
}

func (s *state) checkGo(t reflect.Type) error {
	return dtype.CheckGo(s.spec.Type, t)
}

func (s *state) checkSlice(p *plan, t reflect.Type, n int) error {
	if err := s.checkGo(t); err != nil {
		return err
	}
	if err := checkLength(p, n); err != nil {
		return err
	}
	return s.noCodec
}

// room checks that a result can be allocated and gives its length.
func (a *Array) room(shape []int, size int) (int, error) {
	if len(shape) > 0 && slices.Min(shape) < 0 {
		return 0, mark(ErrRange, fmt.Errorf("shape %v has a negative length", shape))
	}
	bytes, ok := nd.Bytes(shape, size)
	if !ok || bytes > a.maxRead {
		return 0, mark(ErrTooLarge, fmt.Errorf("a result of shape %v needs more than the %d bytes that MaxRead allows: select less, or read by chunks", shape, a.maxRead))
	}
	n, _ := nd.Len(shape)
	return n, nil
}

func readTyped[T any](ctx context.Context, a *Array, s *state, p *plan, dst []T) error {
	if !dtype.IsReference(s.spec.Type) {
		return a.readPlan(ctx, s, p, nd.Of(bytesOf(dst), s.spec.Type.Size(), p.shape...), a.failMissing)
	}
	v := nd.Make(nd.RefSize, p.shape...)
	v.Heap = &nd.Heap{}
	if err := a.readPlan(ctx, s, p, v, a.failMissing); err != nil {
		return err
	}
	blobs := v.Heap.Blobs()
	if s.spec.Type.Kind() == dtype.String {
		dst := same[string](dst)
		for i := range dst {
			b := blobs.Value(v.Data[i*nd.RefSize:])
			dst[i] = unsafe.String(unsafe.SliceData(b), len(b))
		}
		return nil
	}
	// Unlike text, bytes can be changed by those who get them, and the blobs may
	// belong to a cache or be the fill value: they are copied, in one piece.
	n := 0
	for i := range dst {
		n += len(blobs.Value(v.Data[i*nd.RefSize:]))
	}
	own := make([]byte, 0, n)
	for i, d := 0, same[[]byte](dst); i < len(d); i++ {
		at := len(own)
		own = append(own, blobs.Value(v.Data[i*nd.RefSize:])...)
		d[i] = own[at:len(own):len(own)]
	}
	return nil
}

// same is a slice of a named type as one of what the type is made of.
func same[U, T any](s []T) []U {
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// referring puts values of any length into one blob and refers to them.
func referring[T any](data []T, shape []int) nd.View {
	v := nd.Make(nd.RefSize, shape...)
	v.Heap = &nd.Heap{}
	var blob []byte
	put := func(i, length int) {
		nd.PutRef(v.Data[i*nd.RefSize:], 0, len(blob), length)
	}
	if reflect.TypeFor[T]().Kind() == reflect.String {
		for i, s := range same[string](data) {
			put(i, len(s))
			blob = append(blob, s...)
		}
	} else {
		for i, b := range same[[]byte](data) {
			put(i, len(b))
			blob = append(blob, b...)
		}
	}
	v.Heap.Add(blob)
	return v
}

// bytesOf is the memory of a slice. Machines that Go runs on here are
// little-endian, as the memory that dtype describes.
func bytesOf[T any](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}
