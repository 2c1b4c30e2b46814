package zarr_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// watched is a store whose values are watched while they are read.
type watched struct {
	*mem.Store
	far  bool
	fail error  // of one range of a chunk that is held open, but for the first
	done func() // is called after every range that is not the first

	mu    sync.Mutex
	order []string // of chunks that were asked for
	held  int
	most  int // that were held open at once
}

func (w *watched) Open(ctx context.Context, key string) (store.Object, error) {
	o, err := w.Store.Open(ctx, key)
	if err != nil || !strings.HasPrefix(key, "c/") {
		return o, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held++
	w.most = max(w.most, w.held)
	return &watchedObject{o, w, key}, nil
}

type watchedObject struct {
	store.Object
	w   *watched
	key string
}

func (o *watchedObject) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	out, info, err := o.Object.Get(ctx, r, dst)
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	if n := len(o.w.order); n == 0 || o.w.order[n-1] != o.key {
		o.w.order = append(o.w.order, o.key)
	}
	if off, _, _ := r.Resolve(1 << 40); off > 0 && o.w.held > 1 {
		if fail := o.w.fail; fail != nil {
			o.w.fail = nil
			return dst, store.Info{}, fail
		}
		if o.w.done != nil {
			o.w.done()
		}
	}
	return out, info, err
}

func (o *watchedObject) Near() bool { return !o.w.far }

func (o *watchedObject) Close() error {
	o.w.mu.Lock()
	defer o.w.mu.Unlock()
	o.w.held--
	return o.Object.Close()
}

// besides makes an array of two bytes an element in a watched store, and gives what it holds. The second chunk of the
// first row is missing.
func besides(t *testing.T, shape, chunks []int, endian string, opts ...zarr.Option) (*zarr.Array, *watched, nd.View) {
	t.Helper()
	in := &watched{Store: mem.New()}
	a, err := zarr.CreateArrayIn(ctx, in, "", zarr.ArraySpec{Shape: shape, Chunks: chunks, DataType: "uint16", FillValue: []byte("7"),
		Codecs: []byte(`[{"name":"bytes","configuration":{"endian":"` + endian + `"}}]`)}, opts...)
	check(t, err)
	closing(t, a)
	n, _ := nd.Len(shape)
	data := make([]uint16, n)
	for i := range data {
		data[i] = uint16(uint32(i)*2654435761>>13) | 1
	}
	check(t, zarr.Write(ctx, a, zarr.All(), data))
	last := len(shape) - 1
	lost := nd.Box{Start: make([]int, len(shape)), Shape: slices.Clone(chunks)}
	lost.Start[last] = chunks[last]
	for i := range shape {
		lost.Shape[i] = min(lost.Shape[i], shape[i]-lost.Start[i])
	}
	whole := nd.Make(2, shape...)
	for i, v := range data {
		binary.NativeEndian.PutUint16(whole.Data[2*i:], v)
	}
	nd.Fill(whole.Box(lost), []byte{7, 0})
	check(t, in.Delete(ctx, "c"+strings.Repeat("/0", last)+"/1"))
	return a, in, whole
}

// Chunks that lie beside each other are read a layer at a time, and elements are those that were
// written, whatever is wanted of them.
func TestChunksBesideEachOtherAreReadInLayers(t *testing.T) {
	for _, c := range []struct {
		shape, chunks []int
		endian        string
	}{
		{[]int{70, 200, 210}, []int{64, 100, 105}, "little"},
		{[]int{70, 200, 210}, []int{64, 100, 105}, "big"},
		{[]int{150, 130, 130}, []int{80, 120, 110}, "little"}, // reaching past the end
		{[]int{2, 900, 2100}, []int{1, 600, 1000}, "little"},  // cut along the second axis
		{[]int{1100, 1650}, []int{1000, 550}, "little"},
	} {
		a, in, whole := besides(t, c.shape, c.chunks, c.endian)
		got, err := readAny(a, zarr.All())
		if err != nil || !bytes.Equal(got.Data, whole.Data) {
			t.Fatalf("%v: wrong elements, %v", c, err)
		}
		chunks := len(keys(t, in)) - 1
		if len(in.order) <= chunks || in.held != 0 || in.most < 2 {
			t.Errorf("%v: %d chunks were asked for %v times, %d are held open", c, chunks, len(in.order), in.held)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range thorough.Of(10, 200) {
			box := nd.Box{Start: make([]int, len(c.shape)), Shape: make([]int, len(c.shape))}
			for i, n := range c.shape {
				box.Start[i] = r.IntN(1 + n/4)
				box.Shape[i] = n - box.Start[i] - r.IntN(1+n/4)
			}
			// Into memory with gaps, of which the axes may have another order.
			order := r.Perm(len(c.shape))
			if r.IntN(2) == 0 {
				slices.Sort(order)
			}
			room := make([]int, len(order))
			for i, k := range order {
				room[i] = box.Shape[k] + r.IntN(3)
			}
			mem := nd.Make(2, room...)
			dst := nd.View{Data: mem.Data, Size: 2, Shape: box.Shape, Strides: make([]int, len(order))}
			for i, k := range order {
				dst.Strides[k] = mem.Strides[i]
			}
			check(t, a.ReadInto(ctx, zarr.Box(box.Start, box.Shape), dst))
			flat, want := nd.Make(2, box.Shape...), nd.Make(2, box.Shape...)
			nd.Copy(flat, dst)
			nd.Copy(want, whole.Box(box))
			if !bytes.Equal(flat.Data, want.Data) {
				t.Fatalf("%v: wrong elements in %v, axes %v", c, box, order)
			}
		}
	}
}

var twoByTwo = struct{ shape, chunks []int }{[]int{70, 200, 210}, []int{64, 100, 105}}

func TestLayersOfMissingAndBrokenChunks(t *testing.T) {
	a, in, whole := besides(t, twoByTwo.shape, twoByTwo.chunks, "little", zarr.FailMissing())
	if _, err := readAny(a, zarr.All()); !errors.Is(err, zarr.ErrMissing) || !strings.Contains(err.Error(), "c/0/0/1") {
		t.Errorf("got %v", err)
	}
	a = reopen(t, a)
	closing(t, a)
	good, _, err := in.Get(ctx, "c/0/1/0", store.All(), nil)
	check(t, err)
	for _, n := range []int{0, 1, len(good) - 1, len(good) + 1} {
		bad := append(slices.Clone(good), 0)[:n]
		_, err = in.Put(ctx, "c/0/1/0", bad, store.PutOptions{})
		check(t, err)
		_, err := readAny(a, zarr.All())
		wantError(t, err, "c/0/1/0: codec bytes: ")
		if !errors.Is(err, zarr.ErrData) {
			t.Errorf("%d bytes: got %v", n, err)
		}
	}
	_, err = in.Put(ctx, "c/0/1/0", good, store.PutOptions{})
	check(t, err)
	got, err := readAny(a, zarr.All())
	if err != nil || !bytes.Equal(got.Data, whole.Data) || in.held != 0 {
		t.Errorf("read again: %v, %d are held open", err, in.held)
	}
}

// Where a range costs a request, or values are not held as they were, chunks are read one by one.
func TestChunksAreReadInLayersOnlyWhereThatIsSafe(t *testing.T) {
	a, in, whole := besides(t, twoByTwo.shape, twoByTwo.chunks, "little", zarr.Workers(1))
	in.far = true
	got, err := readAny(a, zarr.All())
	if err != nil || !bytes.Equal(got.Data, whole.Data) || in.most > 1 || in.held != 0 {
		t.Errorf("far: %v, %d were held open", err, in.most)
	}
	for _, changed := range []error{store.ErrChanged, store.ErrNotExist} {
		in.far, in.fail, in.order = false, changed, nil
		got, err := readAny(a, zarr.All())
		if err != nil || !bytes.Equal(got.Data, whole.Data) || in.held != 0 {
			t.Errorf("%v: %v, %d are held open", changed, err, in.held)
		}
	}
	in.fail = errNoRoom
	if _, err := readAny(a, zarr.All()); !errors.Is(err, errNoRoom) || !strings.Contains(err.Error(), "c/0/0/0") || in.held != 0 {
		t.Errorf("got %v, %d are held open", err, in.held)
	}
	own, cancel := context.WithCancel(ctx)
	in.done = func() { cancel() }
	if _, err := zarr.Read[uint16](own, a, zarr.All()); !errors.Is(err, context.Canceled) || in.held != 0 {
		t.Errorf("got %v, %d are held open", err, in.held)
	}
	in.done = func() { panic("what") }
	if _, err := readAny(a, zarr.All()); err == nil || !strings.Contains(err.Error(), "c/0/0/0") || in.held != 0 || par.Panics() != 1 {
		t.Errorf("got %v, %d are held open", err, in.held)
	}
}
