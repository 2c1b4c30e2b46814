package endian_test

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// meeting is a near source whose first request waits until there is a second: who reads with one goroutine
// never gets an answer.
type meeting struct {
	data   []byte
	asked  atomic.Int64
	second chan struct{}
}

func (m *meeting) Get(_ context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	switch m.asked.Add(1) {
	case 1:
		<-m.second
	case 2:
		close(m.second)
	}
	out, err := r.Append(dst, m.data)
	return out, store.Info{Size: int64(len(m.data))}, err
}

func (m *meeting) Near() bool { return true }

// One large chunk is read by several workers: to its place, into memory with gaps, and of the other byte order.
func TestALargeChunkIsReadBySeveral(t *testing.T) {
	shape := []int{1, 64, 64 << 10} // of four bytes: 16 MiB
	stored, want := counted(64 * 64 << 10)
	for _, c := range []struct {
		name, order string
		gap         int
	}{{"in place", little, 0}, {"with gaps", little, 8}, {"swapped", big, 0}} {
		synctest.Test(t, func(t *testing.T) {
			b, err := bind(t, c.order, "uint32", shape...)
			if err != nil {
				t.Fatal(err)
			}
			data, seen := stored, want
			if c.order == little {
				data = want
			}
			src := &meeting{data: data, second: make(chan struct{})}
			wide := nd.Make(4, 1, 64, 64<<10+c.gap)
			dst := wide.Box(nd.Whole(shape))
			ck := &codec.Chunk{Limits: &codec.Limits{Workers: par.NewLimiter(3, 1<<30)}}
			if err := b.Decode(context.Background(), ck, src, nd.Whole(shape), dst); err != nil {
				t.Fatal(err)
			}
			got := wide
			if c.gap > 0 {
				got = nd.Make(4, shape...)
				nd.Copy(got, dst)
			}
			if !bytes.Equal(got.Data, seen) {
				t.Errorf("%s: wrong elements", c.name)
			}
		})
	}
}
