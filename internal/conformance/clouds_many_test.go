package conformance

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/faulty"
	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

// chunksToRead is how many chunks TestManyReads reads of each store. OMNIZARR_READS says
// otherwise, such as a million, which takes minutes.
func chunksToRead(t *testing.T) int {
	if v := os.Getenv("OMNIZARR_READS"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if thorough.Enabled {
		return 10_000
	}
	return 320
}

// chunkSize is how many bytes a chunk has, which trickle in at 64 KB/s.
var chunkSize = thorough.Of(1<<10, 4<<10)

// survived are the faults that reads of the engine get over.
var survived = []faulty.Fault{
	faulty.Error, faulty.Busy, faulty.Slower, faulty.Lost, faulty.Unanswered, faulty.Cut, faulty.Short, faulty.Less, faulty.Elsewhere, faulty.Trickle,
}

// chunked makes an array of small chunks that are bytes as they are, so that wrong ones
// are seen and not refused by a codec.
func (p place) chunked(t *testing.T, chunks, shard int) (*zarr.Array, []byte) {
	t.Helper()
	data := pattern(chunks*chunkSize, "many")
	spec := zarr.ArraySpec{Shape: []int{len(data)}, DataType: "uint8", Chunks: []int{chunkSize}, Codecs: []byte(`["bytes"]`)}
	if shard > 0 {
		spec.Shards = []int{shard * chunkSize}
	}
	name := nameOf(shard)
	url := "mem:"
	if p.values == nil {
		url = p.at(name)
	}
	made, err := zarr.CreateArray(ctx, url, spec)
	if err == nil {
		err = zarr.Write(ctx, made, zarr.All(), data)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer made.Close()
	if p.values != nil { // what a web server has is put there as it is
		keys, err := list(made.Store(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			value, _, err := made.Store().Get(ctx, key, store.All(), nil)
			if err != nil {
				t.Fatal(err)
			}
			p.values.Store(name+"/"+key, value)
		}
	}
	a, err := zarr.OpenArray(ctx, p.at(name), soon)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	p.proxy.Reset()
	p.proxy.Plan(faulty.Plan{Fault: faulty.Some(1, 100, survived...), RetryAfter: "0"})
	return a, data
}

// nameOf is where chunked puts an array of shards or of none.
func nameOf(shard int) string {
	if shard > 0 {
		return "shards.zarr"
	}
	return "many.zarr"
}

// report tells what was done for n chunks.
func (p place) report(t *testing.T, a *zarr.Array, n int) {
	if s, ok := store.As[interface{ Counts() remote.Counts }](a.Store()); ok {
		t.Logf("%+v", s.Counts())
	}
	t.Logf("%d chunks, %d requests, of which %d met a fault, %d under way at once", n, p.proxy.Requests(), p.proxy.Faults(), p.proxy.Most())
	if p.proxy.Requests() < n {
		t.Error("chunks were kept, not read")
	}
}

// TestManyReads reads an array of small chunks again and again, while one request in a
// hundred goes wrong, in every way that can be got over. Every element must be right.
func TestManyReads(t *testing.T) {
	readable(t, func(t *testing.T, p place) {
		n := chunksToRead(t)
		chunks := min(n/2, 1_000) // fake-gcs-server looks at all that it has each time
		a, data := p.chunked(t, chunks, 0)
		for read := 0; read < n; read += chunks {
			got, err := zarr.Read[uint8](ctx, a, zarr.All())
			if err != nil {
				t.Fatalf("after %d chunks: %v", read, err)
			}
			if !bytes.Equal(got.Data, data) {
				t.Fatalf("WRONG DATA after %d chunks", read)
			}
		}
		p.report(t, a, n)
	})
}

// TestManyReadsOfShards reads single chunks of shards, each a range.
func TestManyReadsOfShards(t *testing.T) {
	readable(t, func(t *testing.T, p place) {
		n := chunksToRead(t) / 4
		a, data := p.chunked(t, 256, 64)
		chunks := make([]int, n)
		for i := range chunks {
			chunks[i] = i * 7 % 256
		}
		all(t, chunks, func(i int) error {
			got, err := zarr.Read[uint8](ctx, a, zarr.Box([]int{i * chunkSize}, []int{chunkSize}))
			if err == nil && !bytes.Equal(got.Data, data[i*chunkSize:][:chunkSize]) {
				err = errors.New("WRONG DATA")
			}
			return err
		})
		p.report(t, a, n)
	})
}
