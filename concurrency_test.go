package zarr_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

const shardOfFour = `[{"name":"sharding_indexed","configuration":{"chunk_shape":[4,4],"codecs":["bytes","zstd"],"index_codecs":` + littleBytes + `}}]`

// Goroutines, also those that opened the array themselves, change parts of the
// same chunks; nothing is lost.
func TestWritersOfTheSameChunkLoseNothing(t *testing.T) {
	stores := map[string]func(t *testing.T) store.Store{
		"memory":  func(*testing.T) store.Store { return mem.New() },
		"files":   func(t *testing.T) store.Store { return openDir(t) },
		"a part":  func(t *testing.T) store.Store { return must[store.Store](t)(store.Sub(mem.New(), "deep/down")) },
		"no tags": func(*testing.T) store.Store { return untagged{mem.New()} },
	}
	for name, open := range stores {
		for _, codecs := range []string{`["bytes"]`, `["bytes","gzip"]`, shardOfFour} {
			t.Run(name+" "+codecs[:8], func(t *testing.T) {
				s := open(t)
				a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{
					Shape: []int{16, 24}, Chunks: []int{8, 8}, DataType: "uint8", Codecs: json.RawMessage(codecs)}))
				var wg sync.WaitGroup
				for row := range 16 {
					wg.Go(func() {
						own := a
						if row%3 == 0 {
							own = reopen(t, a)
						}
						for col := 0; col < 24; col += 3 {
							v := uint8(row*7 + col + 1)
							sel := zarr.Select(zarr.At(row), zarr.Span(col, col+3))
							if row%2 == 0 {
								sel = zarr.Points([]int{row, row, row}, []int{col, col + 1, col + 2})
							}
							if err := zarr.Write(ctx, own, sel, []uint8{v, v, v}); err != nil {
								t.Error(err)
							}
						}
					})
				}
				wg.Wait()
				got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.All()))
				for i, v := range got.Data {
					if want := uint8(i/24*7 + i%24/3*3 + 1); v != want {
						t.Fatalf("element %d is %d, want %d", i, v, want)
					}
				}
			})
		}
	}
}

// untagged is a store without conditional writes.
type untagged struct{ *mem.Store }

func (untagged) Conditional() bool { return false }

func TestAppendersLoseNothing(t *testing.T) {
	a := newArray(t, zarr.ArraySpec{Shape: []int{0, 3}, Chunks: []int{4, 2}, DataType: "int32"})
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			own := a
			if k%2 == 0 {
				own = reopen(t, a)
			}
			for i := range 5 {
				v := int32(100*k + i)
				if err := zarr.Append(ctx, own, 0, []int32{v, v, v}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	a = reopen(t, a)
	if !slices.Equal(a.Shape(), []int{40, 3}) {
		t.Fatalf("shape %v", a.Shape())
	}
	got := must[ndArray[int32]](t)(readArray[int32](a, zarr.Slice(":, 1"))).Data
	slices.Sort(got)
	for i, v := range got {
		if want := int32(100*(i/5) + i%5); v != want {
			t.Fatalf("row %d is %d, want %d", i, v, want)
		}
	}
}

// slow is a store that answers only after a while, for tests in bubbles.
type slow struct {
	*mem.Store
	calls atomic.Int64
	wait  time.Duration
}

func (s *slow) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	s.calls.Add(1)
	select {
	case <-time.After(s.wait):
	case <-ctx.Done():
		return dst, store.Info{}, ctx.Err()
	}
	return s.Store.Get(ctx, key, r, dst)
}

func (s *slow) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	select {
	case <-time.After(s.wait):
	case <-ctx.Done():
		return store.Info{}, ctx.Err()
	}
	return s.Store.Put(ctx, key, data, opt)
}

func (s *slow) Open(ctx context.Context, key string) (store.Object, error) {
	return slowObject{s, key}, nil
}

type slowObject struct {
	s   *slow
	key string
}

func (o slowObject) Get(ctx context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	return o.s.Get(ctx, o.key, r, dst)
}

func (slowObject) Close() error { return nil }

// In a bubble, time passes only while everybody waits, and the bubble ends only
// when all of its goroutines have.
func TestACancelledContextEndsEveryCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{Store: mem.New()}
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{
			Shape: []int{10_000}, Chunks: []int{10}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)}))
		data := slices.Repeat([]uint8{1}, 10_000)
		check(t, zarr.Write(ctx, a, zarr.All(), data))
		s.wait = 20 * time.Millisecond
		for name, f := range map[string]func(ctx context.Context) error{
			"read":   func(ctx context.Context) error { _, err := zarr.Read[uint8](ctx, a, zarr.All()); return err },
			"write":  func(ctx context.Context) error { return zarr.Write(ctx, a, zarr.Slice(":10000"), data) },
			"update": func(ctx context.Context) error { return zarr.Write(ctx, a, zarr.Slice(":10000:3"), data[:3334]) },
			"append": func(ctx context.Context) error { return zarr.Append(ctx, a, 0, data) },
			"chunks": func(ctx context.Context) error {
				for _, err := range zarr.Chunks[uint8](ctx, a) {
					if err != nil {
						return err
					}
				}
				return nil
			},
			"stream": func(ctx context.Context) error {
				for _, err := range a.Stream(ctx, zarr.All(), 1000) {
					if err != nil {
						return err
					}
				}
				return nil
			},
		} {
			const given = 60 * time.Millisecond
			own, cancel := context.WithTimeout(ctx, given)
			begin := time.Now()
			err := f(own)
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: got %v", name, err)
			}
			if took := time.Since(begin); took != given {
				t.Errorf("%s took %v", name, took)
			}
			gone, stop := context.WithCancel(ctx)
			stop()
			if err := f(gone); !errors.Is(err, context.Canceled) {
				t.Errorf("%s with a context that has ended: %v", name, err)
			}
		}
	})
}

func TestALoopThatIsLeftLeavesNothingRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slow{Store: mem.New()}
		a := must[*zarr.Array](t)(zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{
			Shape: []int{1000}, Chunks: []int{10}, DataType: "uint8", Codecs: json.RawMessage(`["bytes"]`)}))
		check(t, zarr.Write(ctx, a, zarr.All(), slices.Repeat([]uint8{1}, 1000)))
		s.wait = time.Millisecond
		for range 10 {
			for c, err := range zarr.Chunks[uint8](ctx, a) {
				check(t, err)
				if c.Index[0] == 3 {
					break
				}
			}
		}
	})
}

// While chunks are written as a whole, a reader sees old or new ones, never both
// in one.
func TestReadersSeeWholeChunks(t *testing.T) {
	for name, codecs := range map[string]string{
		"chunks": `["bytes"]`, "shards": shardOfFour,
		"plain shards": `[{"name":"sharding_indexed","configuration":{"chunk_shape":[4,4],"codecs":["bytes"],"index_codecs":` + littleBytes + `}}]`,
	} {
		for _, cached := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " cached ", cached), func(t *testing.T) {
				opts := []zarr.Option{zarr.KeepEmpty()}
				if cached {
					opts = append(opts, zarr.WithCache(newCache()))
				}
				a := newArray(t, zarr.ArraySpec{Shape: []int{8, 8}, Chunks: []int{8, 8}, DataType: "uint8", Codecs: json.RawMessage(codecs)}, opts...)
				check(t, zarr.Write(ctx, a, zarr.All(), make([]uint8, 64)))
				stop := make(chan struct{})
				var wg sync.WaitGroup
				for range 3 {
					wg.Go(func() {
						for {
							select {
							case <-stop:
								return
							default:
							}
							got, err := zarr.Read[uint8](ctx, a, zarr.All())
							if err != nil {
								t.Error(err)
								return
							}
							if slices.Min(got.Data) != slices.Max(got.Data) {
								t.Errorf("old and new in one chunk: %v", got.Data)
								return
							}
						}
					})
				}
				for i := range thorough.Of(12, 300) {
					check(t, zarr.Write(ctx, a, zarr.All(), slices.Repeat([]uint8{uint8(i)}, 64)))
					if got := must[ndArray[uint8]](t)(readArray[uint8](a, zarr.Slice("3, 3"))); got.At() != uint8(i) {
						t.Fatalf("read %d after %d was written", got.At(), i)
					}
				}
				close(stop)
				wg.Wait()
			})
		}
	}
}
