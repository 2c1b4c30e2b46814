package levels

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/pyramid"
	"github.com/omnizarr/zarr/store"
)

// made is a level that is made chunk by chunk of the one above.
type made struct {
	img      *Image
	level    int
	name     string // of the level
	factors  []int
	shape    []int
	chunks   []int
	size     int // of an element
	fill     []byte
	keys     grid.DefaultKeys
	document []byte
	reducer  *pyramid.Reducer
	array    *zarr.Array
}

// blockBytes is about how much of the level above is in memory for every chunk.
const blockBytes = 32 << 20

// newMade makes the level below an array.
func newMade(img *Image, above *zarr.Array, level int, name string) (*made, error) {
	m := &made{img: img, level: level, name: name, size: above.DataType().Size(), fill: above.FillValue()}
	m.factors = img.factors(above.Shape())
	var err error
	if m.reducer, err = pyramid.NewReducer(above, img.how, m.factors, img.missing, blockBytes); err != nil {
		return nil, err
	}
	m.shape = m.reducer.Shape()
	m.chunks = img.chunksOf(above, m.shape)
	doc := &meta.Array{Shape: m.shape, DataType: above.DataType(), FillValue: above.Metadata().FillValue, Attributes: &meta.Attributes{}}
	if doc.Grid, err = grid.NewRegular(m.shape, m.chunks); err != nil {
		return nil, err
	}
	doc.Keys = m.keys
	doc.Codecs = []meta.Extension{{Name: "bytes"}}
	if m.size > 1 {
		doc.Codecs[0].Configuration = json.RawMessage(`{"endian":"little"}`)
	}
	doc.DimensionNames = slices.Clone(above.Metadata().DimensionNames)
	attrs := above.Attributes()
	for _, name := range meaning {
		if raw := attrs.Raw(name); raw != nil {
			if err := doc.Attributes.Set(name, raw); err != nil {
				return nil, err
			}
		}
	}
	m.document, err = doc.Marshal()
	return m, err
}

// meaning are the attributes that say what numbers stand for; others may tell of places,
// which are others in a level.
var meaning = []string{"_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned", "units", "long_name", "standard_name"}

// open opens the level as an array. Chunks are kept already, decoded as they are.
func (m *made) open(ctx context.Context, s store.Store) (*zarr.Array, error) {
	n, err := zarr.OpenStore(ctx, s, m.name, zarr.NoPartCache(), zarr.BypassConsolidated())
	if err != nil {
		return nil, err
	}
	return n.(*zarr.Array), nil
}

// chunkSize is how many bytes every chunk has.
func (m *made) chunkSize() int64 {
	n, _ := nd.Bytes(m.chunks, m.size)
	return int64(n)
}

// chunkAt reads the rest of a key as the index of a chunk; ok is false if there is no
// such chunk.
func (m *made) chunkAt(rest string) (index []int, ok bool) {
	index = make([]int, len(m.shape))
	if !m.keys.Parse(rest, index) {
		return nil, false
	}
	for i, n := range index {
		if n < 0 || n >= (m.shape[i]+m.chunks[i]-1)/m.chunks[i] {
			return nil, false
		}
	}
	return index, true
}

// cacheKey names a chunk among all that is kept, by what it is made of.
func (m *made) cacheKey(index []int, tags string) string {
	return fmt.Sprintf("level/%s/%s/%v/%v/%s", m.img.key, m.name, m.chunks, index, tags)
}

// tags tell what a chunk is made of.
func (m *made) tags(ctx context.Context, index []int) (string, error) {
	box := nd.Box{Start: make([]int, len(index)), Shape: make([]int, len(index))}
	for i, k := range index {
		box.Start[i] = k * m.chunks[i]
		box.Shape[i] = min(m.chunks[i], m.shape[i]-box.Start[i])
	}
	return m.img.tags(ctx, m.level, box)
}

// chunk gives the bytes of a chunk, which are kept and must not be changed.
func (m *made) chunk(ctx context.Context, index []int, tags string) ([]byte, error) {
	return m.img.cache.Get(ctx, m.cacheKey(index, tags), func(ctx context.Context) ([]byte, error) { return m.make(ctx, index) })
}

func (m *made) make(ctx context.Context, index []int) ([]byte, error) {
	data := make([]byte, m.chunkSize())
	whole := nd.Of(data, m.size, m.chunks...)
	start, box := make([]int, len(index)), nd.Box{Start: make([]int, len(index)), Shape: make([]int, len(index))}
	edge := false
	for i, k := range index {
		start[i] = k * m.chunks[i]
		box.Shape[i] = min(m.chunks[i], m.shape[i]-start[i])
		edge = edge || box.Shape[i] < m.chunks[i]
	}
	if edge {
		nd.Fill(whole, m.fill)
	}
	if err := m.reducer.Block(ctx, start, whole.Box(box)); err != nil {
		return nil, err
	}
	return data, nil
}
