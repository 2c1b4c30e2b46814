package blosc_test

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// meeting is a near source of which, behind the first request, for the index, the next waits until there is one
// more: who reads with one goroutine never gets an answer.
type meeting struct {
	data  []byte
	asked atomic.Int64
	third chan struct{}
}

func (m *meeting) Get(_ context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	switch m.asked.Add(1) {
	case 2:
		<-m.third
	case 3:
		close(m.third)
	}
	out, err := r.Append(dst, m.data)
	return out, store.Info{Size: int64(len(m.data))}, err
}

func (m *meeting) Near() bool { return true }

// counting counts the loops that a codec runs, and what they are cut into.
type counting struct {
	*par.Limiter
	loops, parts atomic.Int64
}

func (c *counting) Run(ctx context.Context, n int, weight int64, f func(i int) error) error {
	c.loops.Add(1)
	c.parts.Add(int64(n))
	return c.Limiter.Run(ctx, n, weight, f)
}

// One large frame is encoded by several workers, to the bytes that one makes, and decoded by several, to its place
// and into memory with gaps; what is damaged is an error in both ways.
func TestSeveralWorkOnALargeFrame(t *testing.T) {
	const side = 256
	depth := thorough.Of(136, 256) // 17 MiB of two bytes, or 32: several work on 16 and more
	whole := nd.Make(2, depth, side, side)
	for i := range whole.Data {
		whole.Data[i] = byte(i >> 3 * i >> 11)
	}
	b := bind(t, `["bytes", {"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":2,"blocksize":0}}]`, "uint16", depth, side, side)
	frame, err := b.Encode(context.Background(), &codec.Chunk{Limits: &codec.Limits{}}, nil, whole)
	if err != nil {
		t.Fatal(err)
	}
	workers := &counting{Limiter: par.NewLimiter(3, 1<<30)}
	ck := &codec.Chunk{Limits: &codec.Limits{Workers: workers}}
	same, err := b.Encode(context.Background(), ck, nil, whole)
	if err != nil || !bytes.Equal(same, frame) || workers.loops.Load() != 1 || workers.parts.Load() < 8 {
		t.Errorf("the same frame %v, in %d loops of %d parts, %v", bytes.Equal(same, frame), workers.loops.Load(), workers.parts.Load(), err)
	}
	workers.loops.Store(0)
	workers.parts.Store(0)
	dst := nd.Make(2, depth, side, side)
	if err := b.Decode(context.Background(), ck, &codec.Memory{Bytes: frame}, nd.Whole(dst.Shape), dst); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(dst.Data, whole.Data) || workers.loops.Load() != 1 || workers.parts.Load() < 8 {
		t.Errorf("right %v, in %d loops of %d parts", bytes.Equal(dst.Data, whole.Data), workers.loops.Load(), workers.parts.Load())
	}
	bad := bytes.Clone(frame)
	for i := len(bad) / 2; i < len(bad)/2+1000; i++ {
		bad[i] = 0xff
	}
	if err := b.Decode(context.Background(), ck, &codec.Memory{Bytes: bad}, nd.Whole(dst.Shape), dst); err == nil {
		t.Error("a damaged frame was decoded")
	}
	synctest.Test(t, func(t *testing.T) {
		src := &meeting{data: frame, third: make(chan struct{})}
		dst := nd.Make(2, depth, side, side+8).Box(nd.Whole(whole.Shape))
		ck := &codec.Chunk{Limits: &codec.Limits{Workers: par.NewLimiter(3, 1<<30)}}
		if err := b.Decode(context.Background(), ck, src, nd.Whole(whole.Shape), dst); err != nil {
			t.Fatal(err)
		}
		got := nd.Make(2, depth, side, side)
		nd.Copy(got, dst)
		if !bytes.Equal(got.Data, whole.Data) {
			t.Error("wrong elements")
		}
	})
}
