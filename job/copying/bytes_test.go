package copying_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

const blosc = `[{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "blosc", "configuration": {"cname": "zstd", "clevel": 3, "shuffle": "shuffle", "typesize": 2, "blocksize": 0}}]`

// numbers makes an array of uint16 that counts, of which some is not stored.
func numbers(t *testing.T, spec zarr.ArraySpec, opts ...zarr.Option) (*zarr.Array, *mem.Store) {
	t.Helper()
	s := mem.New()
	spec.DataType = "uint16"
	a, err := zarr.CreateArrayIn(ctx, s, "", spec, opts...)
	jobtest.Check(t, err)
	half := slices.Clone(a.Shape())
	half[0] /= 2
	data := make([]uint16, half[0]*half[1])
	for i := range data {
		data[i] = uint16(i + 1)
	}
	jobtest.Check(t, zarr.Write(ctx, a, zarr.Box([]int{0, 0}, half), data))
	return a, s
}

func TestChunksThatStayAreCopiedAsBytes(t *testing.T) {
	shards := []int{32, 32}
	for name, c := range map[string]struct {
		spec   zarr.ArraySpec
		as     []zarr.Option
		opts   copying.Options
		passed int64
	}{
		"the same":        {spec: zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 16}}, passed: 8},
		"an edge":         {spec: zarr.ArraySpec{Shape: []int{60, 50}, Chunks: []int{16, 16}}, passed: 8},
		"shards":          {spec: zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{8, 8}, Shards: shards}, passed: 2},
		"v2":              {spec: zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 16}, Codecs: json.RawMessage(blosc)}, as: []zarr.Option{zarr.As("zarr2")}, passed: 8},
		"other chunks":    {spec: zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 16}}, opts: copying.Options{Chunks: []int{32, 32}}},
		"other codecs":    {spec: zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 16}}, opts: copying.Options{Codecs: json.RawMessage(blosc)}},
		"the same codecs": {spec: zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 16}, Codecs: json.RawMessage(blosc)}, opts: copying.Options{Codecs: json.RawMessage(blosc)}, passed: 8},
		"another type":    {spec: zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 16}}, opts: copying.Options{DataType: "int32"}},
		"pieces":          {spec: zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 16}}, opts: copying.Options{Chunks: []int{16, 16}, Shards: shards}},
	} {
		src, from := numbers(t, c.spec, c.as...)
		dst := mem.New()
		c.opts.Verify = true
		sum, err := copying.Into(ctx, src, dst, "", c.opts)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if sum.Passed != c.passed {
			t.Errorf("%s: %d of %d chunks as bytes, want %d", name, sum.Passed, sum.Chunks, c.passed)
		}
		n, err := zarr.OpenStore(ctx, dst, "")
		jobtest.Check(t, err)
		if c.opts.DataType == "" && !bytes.Equal(jobtest.Elements(t, n.(*zarr.Array)), jobtest.Elements(t, src)) {
			t.Errorf("%s: the elements differ", name)
		}
		if c.passed == 0 || name == "v2" {
			continue
		}
		for key, value := range jobtest.Content(t, from) {
			if strings.HasPrefix(key, "c/") && jobtest.Content(t, dst)[key] != value {
				t.Errorf("%s: %s differs", name, key)
			}
		}
	}
}

// TestBytesAreNotDecoded copies a chunk that nobody can decode, and only looking at it
// shows that.
func TestBytesAreNotDecoded(t *testing.T) {
	src, s := numbers(t, zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 16}, Codecs: json.RawMessage(blosc)})
	if _, err := s.Put(ctx, "c/0/1", []byte("not Blosc"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", copying.Options{})))
	if got := jobtest.Content(t, dst)["c/0/1"]; got != "not Blosc" {
		t.Errorf("%q", got)
	}
	if _, err := copying.Into(ctx, src, mem.New(), "", copying.Options{Verify: true}); err == nil || !strings.Contains(err.Error(), "c/0/1") {
		t.Error(err)
	}
}

func TestVerifyFindsWhatDiffers(t *testing.T) {
	src, _ := numbers(t, zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 16}})
	dst, err := zarr.CreateArrayIn(ctx, &spoiled{Store: mem.New(), key: "c/0/1"}, "", zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 32}, DataType: "uint16", Codecs: json.RawMessage(`[{"name": "bytes", "configuration": {"endian": "little"}}]`)})
	jobtest.Check(t, err)
	pairs := []copying.Pair{{Path: "/", From: src, To: dst}}
	jobtest.Check(t, jobtest.Err(copying.Elements(ctx, pairs, copying.Options{}, nil)))
	_, err = copying.Elements(ctx, pairs, copying.Options{Verify: true}, nil)
	if !errors.Is(err, copying.ErrDiffers) || !strings.Contains(err.Error(), "element [0 33]") {
		t.Error(err)
	}
}

// spoiled changes the second element of a chunk that it is given.
type spoiled struct {
	*mem.Store
	key string
}

func (s *spoiled) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if key == s.key {
		data = bytes.Clone(data)
		data[2]++
	}
	return s.Store.Put(ctx, key, data, opt)
}

// Of 2⁴¹ chunks, those are compared of which the source or the copy stores something.
func TestVerifyGoesByWhatIsStored(t *testing.T) {
	spec := zarr.ArraySpec{Shape: []int{1 << 45}, Chunks: []int{thorough.Of(256, 16)}, DataType: "int16"}
	src, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec)
	jobtest.Check(t, err)
	blocks := int64(0)
	opts := copying.Options{Chunks: []int{spec.Chunks[0] / 2}, Verify: true, Progress: func(p job.Progress) { blocks = p.Total }}
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, mem.New(), "", opts)))
	if blocks != 0 {
		t.Errorf("%d blocks of an array that stores nothing", blocks)
	}
	jobtest.Check(t, zarr.Write(ctx, src, zarr.Select(zarr.Span(1<<39, 1<<39+16)), jobtest.Count[int16](16)))
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", opts)))
	if blocks == 0 || blocks > 8 {
		t.Errorf("%d blocks of an array that stores one chunk", blocks)
	}
	// What only the copy stores is found.
	to, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec)
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, to, zarr.Select(zarr.Span(1<<41, 1<<41+1)), []int16{1}))
	_, err = copying.Elements(ctx, []copying.Pair{{Path: "/", From: src, To: to}}, copying.Options{Verify: true}, nil)
	if !errors.Is(err, copying.ErrDiffers) || !strings.Contains(err.Error(), "element [2199023255552]") {
		t.Errorf("a chunk that only the copy has: %v", err)
	}
}
