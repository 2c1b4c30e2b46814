package zarr_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// openFiles counts the descriptors of this process, where it can.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

func TestOpeningThatFailsLeavesNothingOpen(t *testing.T) {
	dir := t.TempDir()
	group, archive := filepath.Join(dir, "g.zarr"), filepath.Join(dir, "x")
	g := must[*zarr.Group](t)(zarr.CreateGroup(ctx, group))
	must[*zarr.Array](t)(g.CreateArray(ctx, "a", small))
	check(t, g.Close())
	check(t, os.WriteFile(archive, []byte("PK\x05\x06"+strings.Repeat("\x00", 18)), 0o666)) // an empty archive
	before := openFiles(t)
	for range 8 {
		for name, open := range map[string]func() error{
			"a group as an array": func() error { _, err := zarr.OpenArray(ctx, group); return err },
			"an array as a group": func() error { _, err := zarr.OpenGroup(ctx, group+"/a"); return err },
			"nothing in an archive": func() error {
				_, err := zarr.Open(ctx, archive+"|zip:", zarr.As("zarr3"))
				return err
			},
			"a node that is not there":  func() error { _, err := zarr.Open(ctx, group+"|zarr3:none"); return err },
			"an option that is not one": func() error { _, err := zarr.Open(ctx, group, zarr.Workers(-1)); return err },
			"a group that is there":     func() error { _, err := zarr.CreateGroup(ctx, group); return err },
		} {
			if open() == nil {
				t.Errorf("%s: no error", name)
			}
		}
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d descriptors are open, %d were before", after, before)
	}
}

func TestChildrenDoNotCloseTheStore(t *testing.T) {
	for _, name := range []string{"g.zarr", "g.zip"} {
		g := must[*zarr.Group](t)(zarr.CreateGroup(ctx, filepath.Join(t.TempDir(), name)))
		made := must[*zarr.Array](t)(g.CreateArray(ctx, "sub/a", small))
		check(t, zarr.Write(ctx, made, zarr.All(), []uint8{1, 2, 3, 4}))
		sub := must[*zarr.Group](t)(g.Group(ctx, "sub"))
		opened := must[*zarr.Array](t)(sub.Array(ctx, "a"))
		for _, n := range []zarr.Node{made, sub, opened} {
			check(t, n.Close())
		}
		for n, err := range g.Walk(ctx) {
			check(t, err)
			check(t, n.Close())
		}
		if got, err := readArray[uint8](opened, zarr.All()); err != nil || got.Data[3] != 4 {
			t.Errorf("%s: after a child was closed: %v, %v", name, got.Data, err)
		}
		check(t, g.Close())
		if _, err := readArray[uint8](opened, zarr.All()); err == nil {
			t.Errorf("%s: the store is still open", name)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	s := mem.New()
	must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, s, "g"))
	for name, opt := range map[string]zarr.Option{
		"Workers": zarr.Workers(-1), "InFlight": zarr.InFlight(-1), "MaxChunk": zarr.MaxChunk(-1), "MaxRead": zarr.MaxRead(-1),
		"Remote: Requests": zarr.Remote(store.Remote{Requests: -1}), "Requests: -2": zarr.Locate(locate.Options{Remote: store.Remote{Requests: -2}}),
		"zarr7": zarr.As("zarr7"), "Codecs": zarr.Codecs(nil), "Formats": zarr.Formats(nil),
	} {
		for _, call := range []func() error{
			func() error { _, err := zarr.OpenStore(ctx, s, "g", opt); return err },
			func() error { _, err := zarr.CreateGroupIn(ctx, s, "h", opt); return err },
			func() error { _, err := zarr.CreateArrayIn(ctx, s, "h", small, opt); return err },
			func() error { _, err := zarr.Open(ctx, "mem:options", opt); return err },
			func() error { _, err := zarr.CreateGroup(ctx, "mem:options", opt); return err },
			func() error { _, err := zarr.Find(ctx, "mem:options", opt); return err },
		} {
			err := call()
			var known *zarr.Error
			if !errors.As(err, &known) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestReadOnlyHolds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g.zarr")
	g := must[*zarr.Group](t)(zarr.CreateGroup(ctx, dir))
	defer g.Close()
	must[*zarr.Array](t)(g.CreateArray(ctx, "a", small))
	for name, open := range map[string]func() (zarr.Node, error){
		"a URL":              func() (zarr.Node, error) { return zarr.Open(ctx, dir, zarr.ReadOnly()) },
		"a URL, then Locate": func() (zarr.Node, error) { return zarr.Open(ctx, dir, zarr.ReadOnly(), zarr.Locate(locate.Options{})) },
		"a store":            func() (zarr.Node, error) { return zarr.OpenStore(ctx, mem.Shared("ro"), "", zarr.ReadOnly()) },
		"a node's store":     func() (zarr.Node, error) { return zarr.OpenStore(ctx, g.Store(), "", zarr.ReadOnly()) },
		"of a format": func() (zarr.Node, error) {
			return zarr.OpenStore(ctx, g.Store(), "", zarr.ReadOnly(), zarr.As("zarr3"))
		},
	} {
		if name == "a store" {
			n := must[zarr.Node](t)(zarr.Open(ctx, dir))
			must[*zarr.Group](t)(zarr.CreateGroupIn(ctx, mem.Shared("ro"), ""))
			must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, mem.Shared("ro"), "a", small))
			check(t, n.Close())
		}
		n := must[zarr.Node](t)(open())
		ro := n.(*zarr.Group)
		a := must[*zarr.Array](t)(ro.Array(ctx, "a"))
		for what, err := range map[string]error{
			"write":      zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4}),
			"update":     zarr.Write(ctx, a, zarr.Slice("0:1"), []uint8{1}),
			"resize":     a.Resize(ctx, 9),
			"attributes": ro.SetAttributes(ctx, ro.Attributes()),
			"delete":     ro.Delete(ctx, "a"),
			"create":     func() error { _, err := ro.CreateGroup(ctx, "new"); return err }(),
		} {
			if !errors.Is(err, zarr.ErrReadOnly) {
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
		check(t, n.Close())
	}
}

// gauge is a store that counts how many Gets run at once, and holds each up
// until the loop that reads has had time to begin others.
type gauge struct {
	store.Store
	now, most atomic.Int64
	hold      func(ctx context.Context) error
}

func (c *gauge) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if strings.Contains(key, "/c/") {
		n := c.now.Add(1)
		defer c.now.Add(-1)
		for m := c.most.Load(); n > m && !c.most.CompareAndSwap(m, n); m = c.most.Load() {
		}
		if err := c.hold(ctx); err != nil {
			return dst, store.Info{}, err
		}
	}
	return c.Store.Get(ctx, key, r, dst)
}

func TestChunksObeysWorkersAndInFlight(t *testing.T) {
	s := mem.New()
	spec := zarr.ArraySpec{Shape: []int{32, 10}, Chunks: []int{1, 10}, DataType: "uint8", Codecs: json.RawMessage(`["bytes","gzip"]`), FillValue: json.RawMessage("7")}
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", spec))
	check(t, zarr.Write(ctx, a, zarr.All(), make([]uint8, 320)))
	for _, c := range []struct {
		opts []zarr.Option
		want int64
	}{
		{[]zarr.Option{zarr.Workers(1)}, 1},
		{[]zarr.Option{zarr.Workers(3)}, 3},
		{[]zarr.Option{zarr.Workers(8), zarr.InFlight(0)}, 1},
		{[]zarr.Option{zarr.Workers(8), zarr.InFlight(45)}, 3}, // two besides the loop itself
	} {
		store := &gauge{Store: s, hold: func(context.Context) error { runtime.Gosched(); return nil }}
		b := must[zarr.Node](t)(zarr.OpenStore(ctx, store, "a", c.opts...)).(*zarr.Array)
		chunks := 0
		for chunk, err := range zarr.Chunks[uint8](ctx, b) {
			check(t, err)
			if chunk.Index[0] != chunks || len(chunk.Data) != 10 || chunk.Data[0] != 0 {
				t.Fatalf("chunk %v is %v", chunk.Index, chunk.Data)
			}
			chunks++
		}
		if most := store.most.Load(); chunks != 32 || most > c.want {
			t.Errorf("%d chunks, %d at once, want %d", chunks, most, c.want)
		}
	}
}

func TestChunksReadsNothingAfterTheLoop(t *testing.T) {
	s := mem.New()
	spec := zarr.ArraySpec{Shape: []int{32}, Chunks: []int{1}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)}
	a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", spec, zarr.KeepEmpty()))
	check(t, zarr.Write(ctx, a, zarr.All(), make([]uint8, 32)))
	var first sync.Once
	held := &gauge{Store: s}
	held.hold = func(ctx context.Context) (err error) {
		pass := false
		first.Do(func() { pass = true })
		if !pass { // all but one wait for ever
			<-ctx.Done()
			err = ctx.Err()
		}
		return err
	}
	b := must[zarr.Node](t)(zarr.OpenStore(ctx, held, "a", zarr.Workers(1))).(*zarr.Array)
	for _, err := range zarr.Chunks[uint8](ctx, b) {
		check(t, err)
		break
	}
	four := must[zarr.Node](t)(zarr.OpenStore(ctx, held, "a", zarr.Workers(4))).(*zarr.Array)
	own, cancel := context.WithCancel(ctx)
	begun := make(chan struct{})
	go func() {
		for held.now.Load() < 3 {
			runtime.Gosched()
		}
		close(begun)
		cancel()
	}()
	for _, err := range zarr.Chunks[uint8](own, four) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		break
	}
	<-begun
	if n := held.now.Load(); n != 0 {
		t.Errorf("%d reads still run", n)
	}
}

// panicky is a codec with a mistake.
type panicky struct{ size codec.Size }

func (panicky) Name() string                 { return "panicky" }
func (panicky) MarshalJSON() ([]byte, error) { return codec.MarshalEntry("panicky", nil) }
func (p panicky) Size() codec.Size           { return p.size }

func (panicky) BindBytes(_ codec.Spec, in codec.Size) (codec.BytesFilter, error) {
	return panicky{in}, nil
}

func (panicky) Encode(_ *codec.Chunk, dst, src []byte) ([]byte, error) {
	if src[0] == 66 {
		panic("cannot encode 66")
	}
	return append(dst, src...), nil
}

func (panicky) Decode(_ *codec.Chunk, dst, src []byte, limit int) ([]byte, error) {
	return append(dst, src[len(src)]), nil
}

// broken is a store that panics.
type broken struct{ store.Store }

func (b broken) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if strings.Contains(key, "c/") {
		panic("no such disk")
	}
	return b.Store.Get(ctx, key, r, dst)
}

func TestAPanicIsAnErrorThatNamesChunkAndCodec(t *testing.T) {
	registry := std.Registry()
	registry.Register(func(*codec.Registry, string, json.RawMessage) (codec.Codec, error) { return panicky{}, nil }, "panicky")
	inner := `["bytes","panicky"]`
	shard := `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":` + inner + `,"index_codecs":` + littleBytes + `}}]`
	for _, codecs := range []string{inner, shard} {
		s := mem.New()
		spec := zarr.ArraySpec{Shape: []int{64}, Chunks: []int{4}, DataType: "uint8", Codecs: json.RawMessage(codecs)}
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", spec, zarr.Codecs(registry), zarr.Workers(8)))
		ones := make([]uint8, 64)
		for i := range ones {
			ones[i] = 1
		}
		check(t, zarr.Write(ctx, a, zarr.All(), ones))
		_, readErr := readArray[uint8](a, zarr.All())
		_, partErr := readArray[uint8](a, zarr.Slice("5:6"))
		ones[0] = 66
		writeErr := zarr.Write(ctx, a, zarr.All(), ones)
		updateErr := zarr.Write(ctx, a, zarr.Slice("4:5"), []uint8{66})
		var chunksErr error
		for _, chunksErr = range zarr.Chunks[uint8](ctx, a) {
			break
		}
		for name, err := range map[string]error{"read": readErr, "part": partErr, "write": writeErr, "update": updateErr, "chunks": chunksErr} {
			var caught *par.Panic
			if !errors.As(err, &caught) || len(caught.Stack) == 0 {
				t.Errorf("%s: %v", name, err)
				continue
			}
			wantError(t, err, "mem:/a", "c/", "codec panicky: internal error:")
		}
		if par.Panics() == 0 {
			t.Error("nobody counted")
		}
		b := must[zarr.Node](t)(zarr.OpenStore(ctx, broken{s}, "a", zarr.Codecs(registry))).(*zarr.Array)
		_, err := readArray[uint8](b, zarr.All())
		wantError(t, err, "mem:/a", "c/", "no such disk")
		par.Panics()
	}
}
