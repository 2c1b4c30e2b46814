package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/faulty"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

// array opens what chunked made, with requests as opt says.
func (p place) array(t *testing.T, shard int, opt store.Remote) *zarr.Array {
	t.Helper()
	n, err := zarr.OpenStore(ctx, p.open(t, opt), nameOf(shard))
	if err != nil {
		t.Fatal(err)
	}
	return n.(*zarr.Array)
}

// TestAFifthOfRequestsGoesWrong reads an array of which some chunks were never written
// while every fifth request fails: with 500, 503 and 429, resets, bodies that are short,
// slow or lie about their length. Every element is right, or there is an error: a chunk
// that cannot be had is never a fill value. No request is made more often than it may.
func TestAFifthOfRequestsGoesWrong(t *testing.T) {
	readable(t, func(t *testing.T, p place) {
		for _, shard := range []int{0, 16} {
			chunks := thorough.Of(32, 48)
			a, data := p.chunked(t, chunks, shard)
			p.proxy.Plan(faulty.Plan{Fault: faulty.Some(7, 5, survived...), RetryAfter: "0"})
			a = p.array(t, shard, store.Remote{Hedge: -1})
			read := func(off, n int) {
				got, err := zarr.Read[uint8](ctx, a, zarr.Box([]int{off}, []int{n}))
				if err != nil || !bytes.Equal(got.Data, data[off:][:n]) {
					t.Fatalf("shards of %d: WRONG DATA or %v", shard, err)
				}
			}
			read(0, len(data))
			for i := range chunks { // each a range, where there are shards
				read(i*chunkSize, chunkSize)
			}
			if p.proxy.Faults() == 0 {
				t.Error("no request met a fault")
			}
			// Where it is always the same, the error says so and nothing is made up.
			once := p.array(t, shard, store.Remote{Retries: 1, Hedge: -1})
			for _, f := range []faulty.Fault{faulty.Error, faulty.Busy, faulty.Slower, faulty.Lost, faulty.Cut, faulty.Short} {
				p.proxy.Plan(faulty.Plan{Fault: func(r *http.Request, _ int) faulty.Fault {
					if strings.Contains(r.URL.Path, "/c/") {
						return f
					}
					return faulty.None
				}, RetryAfter: "0"})
				p.proxy.Reset()
				got, err := zarr.Read[uint8](ctx, once, zarr.All())
				if err == nil || errors.Is(err, store.ErrNotExist) || got.Data != nil {
					t.Errorf("always %v: %d bytes, %v", f, len(got.Data), err)
				}
				if n := p.proxy.Requests(); n > 4*chunks { // net/http makes some again by itself
					t.Errorf("always %v: %d requests", f, n)
				}
			}
			p.proxy.Plan(faulty.Plan{})
		}
	})
}

// TestChunksThatWereNeverWritten has holes, read while requests fail: a hole is the fill
// value, and nothing else is.
func TestChunksThatWereNeverWritten(t *testing.T) {
	readable(t, func(t *testing.T, p place) {
		a, data := p.chunked(t, 32, 0)
		for i := 0; i < 32; i += 3 {
			key := "c/" + string(rune('0'+i%10))
			if i >= 10 {
				key = "c/" + string(rune('0'+i/10)) + string(rune('0'+i%10))
			}
			copy(data[i*chunkSize:], make([]byte, chunkSize))
			if p.values != nil {
				p.values.Delete("many.zarr/" + key)
			} else if err := a.Store().Delete(ctx, key); err != nil {
				t.Fatal(err)
			}
		}
		some := faulty.Some(3, 5, survived...)
		p.proxy.Plan(faulty.Plan{Fault: func(r *http.Request, n int) faulty.Fault {
			if n == 0 && strings.HasSuffix(r.URL.Path, "/c/1") {
				return faulty.Cut // one for sure: there are names of buckets by which none is drawn
			}
			return some(r, n)
		}, RetryAfter: "0"})
		got, err := zarr.Read[uint8](ctx, a, zarr.All())
		if err != nil || !bytes.Equal(got.Data, data) {
			t.Errorf("WRONG DATA or %v", err)
		}
		if p.proxy.Faults() == 0 {
			t.Error("no request met a fault")
		}
	})
}

// TestServersThatLie has servers that ignore ranges, that give another one than was asked
// for and say so, or say other than they give, each time. What is read is right, or there
// is an error.
func TestServersThatLie(t *testing.T) {
	readable(t, func(t *testing.T, p place) {
		_, data := p.chunked(t, 32, 16)
		for _, f := range []faulty.Fault{faulty.Whole, faulty.Elsewhere, faulty.Less, faulty.More} {
			if f == faulty.Whole && p.direct.Scheme == "azblob" {
				continue // ranges are signed there
			}
			p.proxy.Plan(faulty.Plan{})
			a := p.array(t, 16, store.Remote{Retries: 1, Hedge: -1})
			p.proxy.Plan(faulty.Plan{Fault: func(r *http.Request, _ int) faulty.Fault {
				if strings.Contains(r.URL.Path, "/c/") {
					return f
				}
				return faulty.None
			}})
			for i := 0; i < 32; i += 13 {
				got, err := zarr.Read[uint8](ctx, a, zarr.Box([]int{i * chunkSize}, []int{chunkSize}))
				if err == nil && !bytes.Equal(got.Data, data[i*chunkSize:][:chunkSize]) {
					t.Fatalf("%v: WRONG DATA", f)
				}
				if f == faulty.Whole && err != nil || f != faulty.Whole && (err == nil || errors.Is(err, store.ErrNotExist)) {
					t.Fatalf("%v: %v", f, err)
				}
			}
		}
		p.proxy.Plan(faulty.Plan{})
	})
}

// TestTwoVersionsAreNeverMixed replaces a shard while it is read, between any two
// requests: the read gives the one or the other, or an error.
func TestTwoVersionsAreNeverMixed(t *testing.T) {
	readable(t, func(t *testing.T, p place) {
		const chunks = 8
		a, _ := p.chunked(t, chunks, chunks)
		s := p.open(t, store.Remote{Hedge: -1})
		p.proxy.Plan(faulty.Plan{})
		// Two shards of the same length, whose chunks lie elsewhere in each.
		var versions [2][]byte
		for v := range versions {
			made, err := zarr.CreateArray(ctx, "mem:", zarr.ArraySpec{
				Shape: a.Shape(), DataType: "uint8", Chunks: []int{chunkSize}, Shards: []int{chunks * chunkSize}, Codecs: []byte(`["bytes"]`),
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := zarr.Write(ctx, made, zarr.All(), bytes.Repeat([]byte{byte(v + 1)}, chunks*chunkSize)); err != nil {
				t.Fatal(err)
			}
			if versions[v], _, err = made.Store().Get(ctx, "c/0", store.All(), nil); err != nil {
				t.Fatal(err)
			}
		}
		seen := map[byte]bool{}
		for after := range 5 {
			if err := p.seed(s, "shards.zarr/c/0", versions[0]); err != nil {
				t.Fatal(err)
			}
			a := p.array(t, chunks, store.Remote{Hedge: -1})
			var asked atomic.Int32
			p.proxy.Plan(faulty.Plan{Fault: func(r *http.Request, _ int) faulty.Fault {
				if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/c/0") && asked.Add(1) == int32(after+1) {
					if err := p.seed(s, "shards.zarr/c/0", versions[1]); err != nil {
						t.Error(err)
					}
				}
				return faulty.None
			}})
			// Chunks with others between them, so that each is a range of its own.
			got, err := zarr.Read[uint8](ctx, a, zarr.Slice(fmt.Sprintf("::%d", 2*chunkSize+8)))
			p.proxy.Plan(faulty.Plan{})
			if err == nil {
				seen[got.Data[0]] = true
				if slices.ContainsFunc(got.Data, func(b byte) bool { return b != got.Data[0] }) {
					t.Errorf("replaced before request %d: MIXED %v", after+1, got.Data)
				}
			} else if !errors.Is(err, store.ErrChanged) {
				t.Errorf("replaced before request %d: %v", after+1, err)
			}
		}
		t.Logf("values that were read: %v", seen)
	})
}
