package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
)

// filled is a store of files that counts the values that are written in pieces, and lets
// each have so many bytes.
type filled struct {
	*file.Store
	times atomic.Int32
	room  int
}

var errNoRoom = errors.New("no room")

func (f *filled) PutFilled(ctx context.Context, key string, size int64, fill func(io.Writer) error, opt store.PutOptions) (store.Info, error) {
	f.times.Add(1)
	return f.Store.PutFilled(ctx, key, size, func(w io.Writer) error { return fill(&bounded{w, f.room}) }, opt)
}

type bounded struct {
	io.Writer
	left int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errNoRoom
	}
	return b.Writer.Write(p)
}

// Large uncompressed chunks are gathered piece by piece into files of the same bytes, and
// are old or new where that fails.
func TestLargeChunksAreWrittenInPieces(t *testing.T) {
	ctx := t.Context()
	spec := zarr.ArraySpec{Shape: []int{130, 100, 210}, DataType: "uint16", Chunks: []int{100, 100, 90}, Codecs: []byte(`[{"name":"bytes","configuration":{"endian":"big"}}]`)}
	files, err := file.Create(t.TempDir()+"/a", file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	pieces, whole := &filled{Store: files, room: 1 << 30}, mem.New()
	data := make([]uint16, 130*100*210)
	for i := range data {
		if i/210 >= 100*100 || i%210 < 90 { // two chunks have nothing but fill values
			data[i] = uint16(i*i>>3) | 1
		}
	}
	var meter zarr.Meter
	write := func(s store.Store) (*zarr.Array, error) {
		a, err := zarr.CreateArrayIn(ctx, s, "", spec)
		if err != nil {
			t.Fatal(err)
		}
		return a, zarr.Write(meter.Context(ctx), a, zarr.All(), data)
	}
	a, err := write(pieces)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := write(whole)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	// Of six chunks two have nothing but fill values; that of one, which reaches past the end, is no news.
	if n := pieces.times.Load(); n != 4 || meter.Chunks.Load() != 2*4 || meter.Empty.Load() != 2 || meter.Written.Load() != 2*4*100*100*90*2 {
		t.Errorf("%d chunks in pieces, %d in all, %d empty, %d bytes", n, meter.Chunks.Load(), meter.Empty.Load(), meter.Written.Load())
	}
	same := func() error {
		for e, err := range whole.List(ctx, "c/", "") {
			if err != nil {
				return err
			}
			want, _, err := whole.Get(ctx, e.Key, store.All(), nil)
			if err != nil {
				return err
			}
			if got, _, err := files.Get(ctx, e.Key, store.All(), nil); err != nil || !bytes.Equal(got, want) {
				return fmt.Errorf("%s differs: %v", e.Key, err)
			}
		}
		return nil
	}
	if err := same(); err != nil {
		t.Error(err)
	}
	data[0]++
	pieces.room = 1_000_000
	if err := zarr.Write(ctx, a, zarr.All(), data); !errors.Is(err, errNoRoom) {
		t.Errorf("got %v", err)
	}
	if err := same(); err != nil {
		t.Error(err)
	}
}

// folders is a store that counts puts which go on at once in one folder.
type folders struct {
	*mem.Store
	mu     sync.Mutex
	busy   map[string]int
	atOnce int
}

func (f *folders) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	count := func(n int) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.busy[path.Dir(key)] += n
		f.atOnce = max(f.atOnce, f.busy[path.Dir(key)])
	}
	count(1)
	defer count(-1)
	runtime.Gosched()
	return f.Store.Put(ctx, key, data, opt)
}

// Small chunks of one row, whose files are in one folder, are written by one worker.
func TestRowsOfSmallChunksAreWrittenInTurn(t *testing.T) {
	ctx := t.Context()
	seen := &folders{Store: mem.New(), busy: map[string]int{}}
	a, err := zarr.CreateArrayIn(ctx, seen, "", zarr.ArraySpec{Shape: []int{255, 61}, DataType: "uint8", Chunks: []int{4, 4}}, zarr.Workers(4))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	data := make([]uint8, 255*61)
	for i := range data {
		data[i] = uint8(i)%255 + 1
	}
	if err := zarr.Write(ctx, a, zarr.All(), data); err != nil {
		t.Fatal(err)
	}
	back, err := zarr.Read[uint8](ctx, a, zarr.All())
	if err != nil || !bytes.Equal(back.Data, data) {
		t.Error("read back:", err)
	}
	if seen.atOnce != 1 {
		t.Errorf("%d at once in one folder", seen.atOnce)
	}
}
