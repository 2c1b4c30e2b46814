package api

import (
	"context"
	"errors"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/serve/source"
	"github.com/omnizarr/zarr/store"
)

// Chunks is what is told of the chunks of an array.
type Chunks struct {
	Grid   []int `json:"grid"`   // how many there are along each axis
	Chunks []int `json:"chunks"` // their shape, empty if they differ
	Shards []int `json:"shards,omitempty"`
	// Stored, Missing and Bytes count what is stored: chunks, or shards if there are any.
	Stored   *int   `json:"stored"`
	Missing  *int   `json:"missing"`
	Bytes    *int64 `json:"bytes"`
	Complete bool   `json:"complete"` // all sizes of the plane are known
	Plane    *Plane `json:"plane,omitempty"`
}

// Plane is the sizes of the chunks along two axes.
type Plane struct {
	Shape [2]int `json:"shape"` // along y and x
	// Sizes are in bytes as stored, in C order: -1 for one that is not stored, null for
	// one that is not known.
	Sizes []*int64 `json:"sizes"`
}

// Chunk is where one chunk is stored.
type Chunk struct {
	Chunk  []int  `json:"chunk"`
	Key    string `json:"key"` // below the source, of the shard if there are shards
	Stored bool   `json:"stored"`
	Size   int64  `json:"size"` // as stored, in bytes; -1 if it is not known
	Offset *int64 `json:"offset,omitempty"`
	Place  string `json:"place,omitempty"` // the file
	Shard  []int  `json:"shard,omitempty"`
}

// mostPlane is how many chunks a plane has, and sizesTime how long their sizes are looked
// up.
const (
	mostPlane = 1 << 16
	sizesTime = 2 * time.Second
)

// layout is how an array is cut into chunks, and these put into shards.
type layout struct {
	array  *zarr.Array
	grid   []int // counts chunks
	chunk  []int // shape of them, nil if they differ
	shard  []int // shape of shards, nil if there are none
	per    []int // chunks in a shard
	prefix string
}

func newLayout(a *zarr.Array) *layout {
	l := &layout{array: a, grid: a.Metadata().Grid.Count(), chunk: a.ChunkShape(), shard: a.ShardShape()}
	l.prefix = a.Path()
	if l.prefix != "" {
		l.prefix += "/"
	}
	if l.shard == nil {
		return l
	}
	if len(a.Metadata().Codecs) != 1 { // what lies where in a shard is not told
		l.chunk, l.shard = l.shard, nil
		return l
	}
	l.grid = make([]int, len(l.chunk))
	l.per = make([]int, len(l.chunk))
	for i, n := range l.chunk {
		l.grid[i] = (a.Shape()[i] + n - 1) / n
		l.per[i] = l.shard[i] / n
	}
	return l
}

// outer is the index of what is stored under a key, which may be a shard, and where in it
// the chunk is.
func (l *layout) outer(index []int) (outer, inner []int) {
	if l.shard == nil {
		return index, nil
	}
	outer, inner = make([]int, len(index)), make([]int, len(index))
	for i, k := range index {
		outer[i], inner[i] = k/l.per[i], k%l.per[i]
	}
	return outer, inner
}

// key is that of a chunk or shard in the array's store.
func (l *layout) key(outer []int) string {
	return string(l.array.Metadata().Keys.Append([]byte(l.prefix), outer))
}

// size is how long a stored value is, -1 if it is not there.
func (l *layout) size(ctx context.Context, key string) (int64, error) {
	_, info, err := l.array.Store().Get(ctx, key, store.Suffix(0), nil)
	if errors.Is(err, store.ErrNotExist) {
		return -1, nil
	}
	return info.Size, err
}

func (s *server) chunks(r *request) error {
	sp, a, err := r.array()
	if err != nil {
		return err
	}
	l := newLayout(a)
	if r.query.Has("chunk") {
		return s.oneChunk(r, sp, l)
	}
	out := Chunks{Grid: append([]int{}, l.grid...), Chunks: append([]int{}, l.chunk...), Shards: l.shard, Complete: true}
	if stored, ok := sp.subject.Node.(*zarr.Array); ok && job.CanSize(stored) {
		sizes, err := job.Sizes(r.Context(), stored, []*zarr.Array{stored}, mostPlane)
		if size, ok := sizes[stored.Path()]; ok && err == nil {
			all, fits := nd.Len(a.Metadata().Grid.Count())
			missing := all - size.Values
			out.Stored, out.Bytes = &size.Values, &size.Bytes
			if fits && missing >= 0 {
				out.Missing = &missing
			}
		}
	}
	if r.query.Has("x") || r.query.Has("y") || r.query.Has("at") {
		if out.Plane, out.Complete, err = s.plane(r, l); err != nil {
			return sp.fail(err)
		}
	}
	return r.json(out)
}

// plane looks up the sizes of chunks along two axes.
func (s *server) plane(r *request, l *layout) (p *Plane, complete bool, err error) {
	rank := len(l.grid)
	if rank == 0 {
		return nil, true, wrong("an array without axes has no plane of chunks")
	}
	x, err := r.integer("x", -1, 0, rank-1)
	if err != nil {
		return nil, false, err
	}
	y, err := r.integer("y", -1, 0, rank-1)
	if err != nil {
		return nil, false, err
	}
	x, y = others(x, y, rank)
	if x == y && rank > 1 {
		return nil, false, wrong("x=%d and y=%d: must be two axes", x, y)
	}
	at, err := r.positions("at", l.grid)
	if err != nil {
		return nil, false, err
	}
	p = &Plane{Shape: [2]int{1, l.grid[x]}}
	if rank > 1 {
		p.Shape[0] = l.grid[y]
	}
	n, ok := nd.Len(p.Shape[:])
	if !ok || n > mostPlane {
		return nil, false, tooLarge("the plane has %d × %d chunks, at most %d are told", p.Shape[0], p.Shape[1], mostPlane)
	}
	p.Sizes = make([]*int64, n)
	ctx, cancel := context.WithTimeout(r.Context(), sizesTime)
	defer cancel()
	index := func(i int) []int {
		out := make([]int, rank)
		for k := range out {
			out[k] = max(at[k], 0)
		}
		out[x] = i % p.Shape[1]
		if rank > 1 {
			out[y] = i / p.Shape[1]
		}
		return out
	}
	l.sizes(ctx, p.Sizes, index)
	if r.Context().Err() != nil {
		return nil, false, r.Context().Err()
	}
	return p, !slices.Contains(p.Sizes, nil), nil
}

// others chooses axes where none was named: the last ones that are left.
func others(x, y, rank int) (int, int) {
	if x < 0 {
		if x = rank - 1; x == y {
			x = max(rank-2, 0)
		}
	}
	if y < 0 {
		if y = rank - 2; y == x || y < 0 {
			y = rank - 1
		}
	}
	return x, y
}

// sizes fills in the sizes of chunks by their index, each shard looked at once; what
// cannot be found out in time stays nil.
func (l *layout) sizes(ctx context.Context, sizes []*int64, index func(i int) []int) {
	byKey := map[string][]int{} // positions by the key of the value that holds them
	var keys []string
	for i := range sizes {
		outer, _ := l.outer(index(i))
		key := l.key(outer)
		if byKey[key] == nil {
			keys = append(keys, key)
		}
		byKey[key] = append(byKey[key], i)
	}
	var all sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for _, key := range keys {
		if ctx.Err() != nil {
			break
		}
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			l.sizesIn(ctx, key, byKey[key], sizes, index)
		})
	}
	all.Wait()
}

// sizesIn fills in those of the chunks in one stored value.
func (l *layout) sizesIn(ctx context.Context, key string, list []int, sizes []*int64, index func(i int) []int) {
	if l.shard == nil {
		if n, err := l.size(ctx, key); err == nil {
			sizes[list[0]] = &n
		}
		return
	}
	outer, _ := l.outer(index(list[0]))
	find, err := l.array.Inner(ctx, outer...)
	for _, i := range list {
		n := int64(-1)
		switch {
		case errors.Is(err, zarr.ErrMissing):
		case err != nil:
			continue
		default:
			_, inner := l.outer(index(i))
			_, length, ok, err := find(inner)
			if err != nil {
				continue
			}
			if ok {
				n = int64(length)
			}
		}
		sizes[i] = &n
	}
}

// oneChunk tells where a chunk is stored.
func (s *server) oneChunk(r *request, sp *spot, l *layout) error {
	at := []int{}
	if len(l.grid) > 0 || r.text("chunk") != "" {
		var err error
		if at, err = r.integers("chunk"); err != nil {
			return err
		}
	}
	if len(at) != len(l.grid) {
		return sp.fail(wrong("chunk has %d numbers, and the array %d axes", len(at), len(l.grid)))
	}
	for i, k := range at {
		if k >= l.grid[i] {
			return sp.fail(wrong("chunk %d of axis %d: there are %d", k, i, l.grid[i]))
		}
	}
	ctx := r.Context()
	outer, inner := l.outer(at)
	key := l.key(outer)
	size, err := l.size(ctx, key)
	if err != nil {
		return sp.fail(err)
	}
	out := Chunk{Chunk: at, Key: path.Join(sp.path[1:], key[len(l.prefix):]), Stored: size != -1, Size: max(size, 0)}
	off := int64(0)
	if place, from, _, err := store.Locate(ctx, l.array.Store(), key); err == nil && out.Stored {
		out.Place, off = source.Shown(place), from
		out.Offset = &off
	}
	if l.shard != nil {
		out.Shard = outer
		if out.Stored {
			find, err := l.array.Inner(ctx, outer...)
			if err != nil {
				return sp.fail(err)
			}
			from, n, ok, err := find(inner)
			if err != nil {
				return sp.fail(err)
			}
			out.Stored, out.Size = ok, int64(n)
			if off += int64(from); ok {
				out.Offset = &off
			} else {
				out.Offset = nil
			}
		}
	}
	return r.json(out)
}
