package hdf5

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/blosc2"
	"github.com/omnizarr/zarr/codec/lzf"
	"github.com/omnizarr/zarr/codec/nbit"
	"github.com/omnizarr/zarr/codec/scaleoffset"
	"github.com/omnizarr/zarr/codec/szip"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/hdf5"
	"github.com/omnizarr/zarr/meta"
)

// chunkBytes is about how large chunks are of what is not cut into chunks.
const chunkBytes = 4 << 20

// shape finds out how a dataset is shown and cut.
func (n *node) shape() error {
	var err error
	if n.element, err = describe(n.d.Type); err != nil {
		return err
	}
	shape := n.d.Space.Shape
	if n.d.Space.Kind == hdf5.Null {
		shape = []uint64{0}
	}
	for _, k := range shape {
		if k > math.MaxInt/2 {
			return fmt.Errorf("dataspace: the shape %d is too large", shape)
		}
	}
	n.plain = n.element.kind == asStored
	switch n.d.Layout.Class {
	case hdf5.Chunked:
		n.chunk = n.d.Layout.Chunk
	case hdf5.Compact:
		n.chunk = slices.Clone(shape)
		for i := range n.chunk {
			n.chunk[i] = max(n.chunk[i], 1)
		}
	default:
		if len(n.d.Externals) > 0 || n.d.Layout.Class == hdf5.Virtual {
			n.plain = false
		}
		n.chunk = chunkOf(shape, n.d.Type.Size)
	}
	if n.d.Space.Kind == hdf5.Null {
		n.chunk = []uint64{1}
	}
	n.extent = shape
	n.cut()
	return nil
}

// cut counts the chunks along each axis.
func (n *node) cut() {
	n.grid = make([]uint64, len(n.extent))
	for i, k := range n.extent {
		n.grid[i] = (k + n.chunk[i] - 1) / n.chunk[i]
	}
}

// chunkOf is the shape of chunks that are contiguous: some positions along one
// axis, whole along those behind it, and one along those before.
func chunkOf(shape []uint64, size int) []uint64 {
	chunk := make([]uint64, len(shape))
	for i := range chunk {
		chunk[i] = max(shape[i], 1)
	}
	if slices.Contains(shape, 0) {
		return chunk
	}
	inner := uint64(size)
	for i := len(shape) - 1; i >= 0; i-- {
		if inner > chunkBytes/shape[i] {
			chunk[i] = max(chunkBytes/inner, 1)
			for k := range i {
				chunk[k] = 1
			}
			break
		}
		inner *= shape[i]
	}
	return chunk
}

// ints makes ints of numbers that were compared with the largest.
func ints(list []uint64) []int {
	out := make([]int, len(list))
	for i, x := range list {
		out[i] = int(min(x, math.MaxInt))
	}
	return out
}

// array makes the document of an array, but for its attributes.
func (s *Store) array(n *node) (*meta.Array, error) {
	m := &meta.Array{Shape: ints(n.extent), DataType: n.element.data, Keys: grid.DefaultKeys{}}
	chunk := ints(n.chunk)
	if n.turned {
		slices.Reverse(m.Shape)
		slices.Reverse(chunk)
	}
	var err error
	if m.Grid, err = grid.NewRegular(m.Shape, chunk); err != nil {
		return nil, err
	}
	if m.FillValue, err = s.fill(n); err != nil {
		return nil, fmt.Errorf("fill value: %w", err)
	}
	if n.turned {
		m.Codecs = append(m.Codecs, turn(len(m.Shape)))
	}
	m.Codecs = append(m.Codecs, n.element.codec)
	if !n.plain || n.d.Layout.Class != hdf5.Chunked || len(n.d.Filters) == 0 {
		return m, nil
	}
	if err := s.masks(n); err != nil {
		return nil, err
	}
	var filters []meta.Extension
	for _, i := range n.filters {
		filters = append(filters, filter(n.d.Filters[i]))
	}
	if n.masked {
		list, err := json.Marshal(filters)
		if err != nil {
			return nil, err
		}
		filters = []meta.Extension{{Name: "conditional", Configuration: []byte(`{"codecs":` + string(list) + `}`)}}
	}
	m.Codecs = append(m.Codecs, filters...)
	return m, nil
}

// masks finds out which filters chunks went through, and whether some chunks were
// left out of one.
func (s *Store) masks(n *node) error {
	all, some, chunks := ^uint32(0), uint32(0), 0
	look := func(d *hdf5.Dataset) error {
		return d.Chunks(func(_ []uint64, c hdf5.Chunk) bool {
			all, some, chunks = all&c.Mask, some|c.Mask, chunks+1
			return true
		})
	}
	var err error
	if n.mosaic == nil {
		err = look(n.d)
	} else {
		err = s.parts(n, look)
	}
	if chunks == 0 {
		all = 0
	}
	for i := range n.d.Filters {
		if all&(1<<i) == 0 {
			n.filters = append(n.filters, i)
			n.masked = n.masked || some&(1<<i) != 0
		}
	}
	return err
}

// filter gives the codec that undoes a filter. One that there is none for is
// named, so that an array shows what it is and only reading it fails.
func filter(f hdf5.Filter) meta.Extension {
	value := func(i int, or uint32) string {
		if i < len(f.Values) {
			or = f.Values[i]
		}
		return strconv.FormatUint(uint64(or), 10)
	}
	switch f.ID {
	case hdf5.FilterDeflate:
		return meta.Extension{Name: "numcodecs.zlib", Configuration: []byte(`{"level":` + strconv.Itoa(min(atoi(value(0, 6)), 9)) + `}`)}
	case hdf5.FilterShuffle:
		return meta.Extension{Name: "numcodecs.shuffle", Configuration: []byte(`{"elementsize":` + value(0, 1) + `}`)}
	case hdf5.FilterFletcher32:
		return meta.Extension{Name: "numcodecs.fletcher32", Configuration: []byte(`{}`)} // zarr-python wants one
	case filterBzip2:
		return meta.Extension{Name: "numcodecs.bz2", Configuration: []byte(`{"level":` + strconv.Itoa(min(max(atoi(value(0, 9)), 1), 9)) + `}`)}
	case filterZstd:
		return meta.Extension{Name: "numcodecs.zstd", Configuration: []byte(`{"level":` + strconv.Itoa(min(atoi(value(0, 3)), 22)) + `}`)}
	case filterSzip:
		return withValues(szip.Name, f.Values)
	case filterNbit:
		return withValues(nbit.Name, f.Values)
	case filterScaleOffset:
		return withValues(scaleoffset.Name, f.Values)
	case filterLZF:
		return meta.Extension{Name: lzf.Name}
	case filterLZ4:
		return extension(lz4Codec(f.Values))
	case filterBitshuffle:
		if c := bitshuffleCodec(f.Values); c.Compressor != "" {
			return extension(c)
		}
	case filterBlosc2:
		return meta.Extension{Name: blosc2.Name}
	case filterBlosc:
		return meta.Extension{Name: "numcodecs.blosc", Configuration: bloscConfig(f.Values)}
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(strings.SplitN(f.Name, " ", 2)[0]))
	if name == "" {
		name = "filter"
	}
	return meta.Extension{Name: "hdf5." + name + "." + strconv.Itoa(int(f.ID))}
}

// withValues is the codec of a filter whose configuration are its parameters.
func withValues(name string, values []uint32) meta.Extension {
	list, _ := json.Marshal(slices.Concat([]uint32{}, values)) // numbers, never null
	return meta.Extension{Name: name, Configuration: []byte(`{"values":` + string(list) + `}`)}
}

// extension is the entry of a codec for metadata.
func extension(c codec.Codec) meta.Extension {
	var x struct {
		Name          string
		Configuration json.RawMessage
	}
	if text, err := c.MarshalJSON(); err == nil {
		_ = json.Unmarshal(text, &x)
	}
	return meta.Extension{Name: x.Name, Configuration: x.Configuration}
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// bloscConfig tells what chunks were made with; their headers tell what counts.
func bloscConfig(v []uint32) []byte {
	get := func(i int, or uint32) uint32 {
		if i < len(v) {
			return v[i]
		}
		return or
	}
	names := []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"}
	return fmt.Appendf(nil, `{"cname":%q,"clevel":%d,"shuffle":%d,"blocksize":0}`, names[min(get(6, 0), 5)], min(get(4, 5), 9), min(get(5, 1), 2))
}

// fill is the value of what is not stored.
func (s *Store) fill(n *node) (json.RawMessage, error) {
	t := n.element.data
	switch n.element.kind {
	case asText:
		return json.RawMessage(`""`), nil
	case asJSON:
		return json.RawMessage(`null`), nil
	}
	raw := make([]byte, t.Size())
	if v := n.d.Fill.Value; len(v) == n.d.Type.Size {
		var err error
		if raw, err = s.pack(raw[:0], n.d.Type, v, n.path); err != nil {
			return nil, err
		}
		if len(raw) != t.Size() {
			return nil, errors.New("it has another size than elements have")
		}
		for _, u := range n.element.big {
			slices.Reverse(raw[u.Offset : u.Offset+u.Width])
		}
	}
	return t.AppendFill(nil, raw, nil)
}
