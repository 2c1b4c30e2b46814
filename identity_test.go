package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// linked makes an array of one chunk and gives URLs that lead to it: its own,
// one through a link to its group, one through a link beside it in the group.
func linked(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	group := filepath.Join(dir, "group.zarr")
	spec := zarr.ArraySpec{Shape: []int{300}, Chunks: []int{300}, DataType: "uint16"}
	g := must[*zarr.Group](t)(zarr.CreateGroup(ctx, group))
	must[*zarr.Array](t)(g.CreateArray(ctx, "a", spec))
	check(t, g.Close())
	if err := errors.Join(os.Symlink(group, filepath.Join(dir, "link.zarr")), os.Symlink("a", filepath.Join(group, "b"))); err != nil {
		t.Skip(err)
	}
	return []string{filepath.Join(group, "a"), filepath.Join(dir, "link.zarr", "a"), filepath.Join(group, "b")}
}

func TestWritersThroughLinksLoseNothing(t *testing.T) {
	urls := linked(t)
	arrays := make([]*zarr.Array, 0, 4)
	for _, url := range urls {
		a := must[*zarr.Array](t)(zarr.OpenArray(ctx, url))
		defer a.Close()
		arrays = append(arrays, a)
	}
	// And by its path in the group, where the link is one inside the store.
	g := must[*zarr.Group](t)(zarr.OpenGroup(ctx, filepath.Dir(urls[0])))
	defer g.Close()
	arrays = append(arrays, must[*zarr.Array](t)(g.Array(ctx, "b")))
	var wg sync.WaitGroup
	for w := range 12 {
		wg.Go(func() {
			for k := w * 25; k < (w+1)*25; k++ {
				if err := zarr.Write(ctx, arrays[k%4], zarr.Select(zarr.Span(k, k+1)), []uint16{uint16(k + 1)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	lost := 0
	for k, v := range must[ndArray[uint16]](t)(readArray[uint16](arrays[0], zarr.All())).Data {
		if int(v) != k+1 {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of 300 writes are lost", lost)
	}
}

func TestCachesKnowWhatIsWrittenThroughALink(t *testing.T) {
	urls := linked(t)
	cache := codec.NewCache(1 << 20)
	a := must[*zarr.Array](t)(zarr.OpenArray(ctx, urls[0], zarr.WithCache(cache)))
	defer a.Close()
	for k, url := range urls[1:] {
		b := must[*zarr.Array](t)(zarr.OpenArray(ctx, url, zarr.WithCache(cache)))
		defer b.Close()
		must[ndArray[uint16]](t)(readArray[uint16](a, zarr.All()))
		check(t, zarr.Write(ctx, b, zarr.Slice("7:8"), []uint16{uint16(k + 1)}))
		if got := must[ndArray[uint16]](t)(readArray[uint16](a, zarr.Slice("7:8"))).Data[0]; int(got) != k+1 {
			t.Errorf("%s: read %d behind its back", url, got)
		}
	}
}

// hanging is a store whose Put of one key waits until it is let go.
type hanging struct {
	store.Store
	key         string
	began, done chan struct{}
}

func (h hanging) Identity(key string) string { return store.Identity(h.Store, key) }

func (h hanging) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if key == h.key {
		close(h.began)
		<-h.done
	}
	return h.Store.Put(ctx, key, data, opt)
}

func TestAHungPutHoldsUpNobodyElse(t *testing.T) {
	s := mem.New()
	spec := zarr.ArraySpec{Shape: []int{3000}, Chunks: []int{1}, DataType: "uint8", Codecs: []byte(`["bytes"]`)}
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", spec))
	h := hanging{s, "a/c/7", make(chan struct{}), make(chan struct{})}
	hung := must[zarr.Node](t)(zarr.OpenStore(ctx, h, "a")).(*zarr.Array)
	end := make(chan error)
	go func() { end <- zarr.Write(ctx, hung, zarr.Slice("7:8"), []uint8{1}) }()
	<-h.began
	// Other chunks are written, more of them than any table of locks has places.
	for _, sel := range []string{"0:7", "8:3000"} {
		n := 7
		if sel != "0:7" {
			n = 2992
		}
		data := make([]uint8, n)
		for i := range data {
			data[i] = 2
		}
		check(t, zarr.Write(ctx, a, zarr.Slice(sel), data))
	}
	other := newArray(t, spec)
	check(t, zarr.Write(ctx, other, zarr.Slice("7:8"), []uint8{1}))
	// Who wants the same chunk waits no longer than the context lets it.
	short, cancel := context.WithCancel(ctx)
	waiting := make(chan error)
	go func() { waiting <- zarr.Write(short, a, zarr.Slice("7:8"), []uint8{3}) }()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(h.done)
	check(t, <-end)
}

func TestStoresThatTakeNoValuesAreToldApart(t *testing.T) {
	cache := codec.NewCache(1 << 20)
	for k := range 2 {
		s := mem.New()
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{Shape: []int{4}, Chunks: []int{4}, DataType: "uint8"}))
		check(t, zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, uint8(k + 4)}))
		n := must[zarr.Node](t)(zarr.OpenStore(ctx, store.ReadOnly(s), "a", zarr.WithCache(cache)))
		if got := must[ndArray[uint8]](t)(readArray[uint8](n.(*zarr.Array), zarr.All())).Data[3]; got != uint8(k+4) {
			t.Errorf("store %d gives %d, which the other one has", k, got)
		}
	}
}

// The same archive by two handles: whoever writes second is told, and nothing of
// what was written is lost.
func TestAnArchiveHasOneWriter(t *testing.T) {
	dir := t.TempDir()
	url := filepath.Join(dir, "a.zarr.zip")
	spec := zarr.ArraySpec{Shape: []int{2}, Chunks: []int{1}, DataType: "uint8", Codecs: []byte(`["bytes"]`)}
	check(t, must[*zarr.Array](t)(zarr.CreateArray(ctx, url, spec)).Close())
	link := filepath.Join(dir, "b.zip")
	if err := os.Symlink(url, link); err != nil {
		t.Skip(err)
	}
	for _, second := range []string{url, link} {
		one := must[*zarr.Array](t)(zarr.OpenArray(ctx, url))
		two := must[*zarr.Array](t)(zarr.OpenArray(ctx, second))
		check(t, zarr.Write(ctx, one, zarr.Slice("0:1"), []uint8{1}))
		if err := zarr.Write(ctx, two, zarr.Slice("1:2"), []uint8{2}); err == nil || !strings.Contains(err.Error(), "being written") {
			t.Errorf("while another one writes: %v", err)
		}
		check(t, one.Close())
		if err := zarr.Write(ctx, two, zarr.Slice("1:2"), []uint8{2}); !errors.Is(err, store.ErrChanged) {
			t.Errorf("an archive that was replaced: %v", err)
		}
		check(t, two.Close())
		again := must[*zarr.Array](t)(zarr.OpenArray(ctx, second))
		check(t, zarr.Write(ctx, again, zarr.Slice("1:2"), []uint8{2}))
		check(t, again.Close())
		read := must[*zarr.Array](t)(zarr.OpenArray(ctx, url, zarr.ReadOnly()))
		if got := must[ndArray[uint8]](t)(readArray[uint8](read, zarr.All())).Data; fmt.Sprint(got) != "[1 2]" {
			t.Errorf("%s: %v", second, got)
		}
		check(t, read.Close())
		one = must[*zarr.Array](t)(zarr.OpenArray(ctx, url))
		check(t, zarr.Write(ctx, one, zarr.All(), []uint8{0, 0}))
		check(t, one.Close())
	}
}

// unnamed is a store that does not say who it is, and has the URL of another.
type unnamed struct{ store.Store }

func TestStoresOfOneURLAreNotOne(t *testing.T) {
	for _, wrap := range []func(s store.Store) store.Store{
		func(s store.Store) store.Store { return unnamed{s} },
		func(s store.Store) store.Store { return &unnamed{s} },
	} {
		h := hanging{mem.New(), "a/c/0", make(chan struct{}), make(chan struct{})}
		one, two := wrap(h), wrap(mem.New())
		cache := zarr.WithCache(codec.NewCache(1 << 20))
		create := func(s store.Store) *zarr.Array {
			return must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", small, cache))
		}
		a, b := create(one), create(two)
		if a.URL() != b.URL() {
			t.Fatalf("%s and %s", a.URL(), b.URL())
		}
		// Neither waits for the other.
		end := make(chan error)
		go func() { end <- zarr.Write(ctx, a, zarr.Slice("0"), []uint8{1}) }()
		<-h.began
		check(t, zarr.Write(ctx, b, zarr.Slice("0"), []uint8{2}))
		close(h.done)
		check(t, <-end)
		for range 2 {
			x := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.Slice("0"))).Data[0]
			y := must[ndArray[uint8]](t)(readArray[uint8](b, zarr.Slice("0"))).Data[0]
			if x != 1 || y != 2 {
				t.Errorf("read %d and %d", x, y)
			}
		}
		if store.Overlap(store.Identity(one, "a"), store.Identity(two, "a")) || !store.Overlap(store.Identity(one, "a"), store.Identity(one, "a/c")) {
			t.Error("places in two stores overlap, or those in one do not")
		}
	}
	// Where it lies is still known of a store of files.
	if !store.Overlap(store.Identity(placed{mem.New()}, "x"), "file:///d/x/y") {
		t.Error("a folder and one in it do not overlap")
	}
}

type placed struct{ store.Store }

func (placed) URL() string { return "file:///d" }
