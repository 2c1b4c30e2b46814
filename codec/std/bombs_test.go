package std_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/blosc2"
	"github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/codec/nbit"
	"github.com/omnizarr/zarr/codec/scaleoffset"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/codec/szip"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

// What bombs become, and what reading one may allocate: the working memory of
// bzip2 and LZMA is the most of it. With the race detector it is not counted.
var (
	bombBytes = sized(2<<20, 12<<20)
	bombBound = uint64(sized(3<<19, 6<<20))
)

func sized(quick, all int) int {
	if race.Enabled && !thorough.Enabled {
		return 1 << 18
	}
	return thorough.Of(quick, all)
}

// A chunk that becomes more than was declared does not take the memory for it,
// whichever codec has written it, behind other compressors, and in a shard. All
// names of the registry are tried, where time matters each of them in one of the two ways.
func TestEveryNameMayHoldABomb(t *testing.T) {
	for i, name := range std.Registry().Names() {
		switch name {
		case "numcodecs.n5_wrapper": // is not read
			continue
		case "sharding_indexed": // is around each of the others
			continue
		case n5.BlocksName, n5.JPEGName, nbit.Name, scaleoffset.Name, szip.Name, blosc2.Name:
			// Are not written, so that no bomb can be made here: their packages have tests of their own.
			continue
		}
		u, ok := names[name]
		if !ok {
			u = use{`["bytes",%]`, ``, "uint8", ``}
		}
		entry := fmt.Sprintf(`{"name":%q}`, name)
		if u.config != "" {
			entry = fmt.Sprintf(`{"name":%q,"configuration":%s}`, name, u.config)
		}
		plain := strings.Replace(u.list, "%", entry, 1)
		nested := strings.TrimSuffix(plain, "]") + `,{"name":"zstd","configuration":{"level":1,"checksum":false}},{"name":"gzip","configuration":{"level":1}}]`
		for k, codecs := range []string{plain, nested} {
			if thorough.Enabled || k == i%2 {
				t.Run(name+[]string{" alone", " nested"}[k], func(t *testing.T) { defuse(t, u.typ, codecs) })
			}
		}
	}
}

// defuse reads a bomb that a chain has written as four elements, and as those of a shard.
func defuse(t *testing.T, typ, codecs string) {
	elem := dtype.MustParse(typ)
	large := []int{2, bombBytes / 2 / elem.Size()}
	text, long := longValue(typ)
	long = long && !strings.Contains(codecs, "categorize") // whose elements are its labels
	if long {
		large[1] = 2
	}
	src := nd.Make(elem.Size(), large...)
	src.Heap = &nd.Heap{}
	if long {
		v, ok := longValues[typ]
		if !ok {
			var err error
			v.heap = src.Heap
			if v.elem, err = elem.ParseFill(json.RawMessage(text), v.heap); err != nil {
				t.Fatal(err)
			}
			longValues[typ] = v
		}
		src.Heap = v.heap.Fork()
		for i := range 4 {
			copy(src.At(i/2, i%2), v.elem)
		}
	}
	wide := strings.Replace(codecs, `"tile_width":2,`, fmt.Sprintf(`"tile_width":%d,`, large[1]), 1)
	generous := &codec.Limits{MaxChunk: 8 * bombBytes}
	bomb, err := bind(t, elem, wide, large).Encode(context.Background(), &codec.Chunk{Index: []int{0, 0}, Limits: generous}, nil, src)
	if err != nil {
		t.Fatal(err)
	}
	if len(bomb) > bombBytes/2 {
		return // no bomb: what it takes is there
	}
	shard := fmt.Sprintf(`[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":%s,"index_codecs":[%s]}}]`, codecs, littleEndian)
	index := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 0), uint64(len(bomb)))
	for what, c := range map[string]struct {
		codecs string
		data   []byte
	}{"chunk": {codecs, bomb}, "shard": {shard, append(bomb[:len(bomb):len(bomb)], index...)}} {
		b := bind(t, elem, c.codecs, []int{2, 2})
		dst := nd.Make(elem.Size(), 2, 2)
		dst.Heap = &nd.Heap{}
		ck := &codec.Chunk{Index: []int{0, 0}, Limits: &codec.Limits{MaxChunk: 64 << 10}}
		before := allocated()
		err := b.Decode(context.Background(), ck, &codec.Memory{Bytes: c.data}, nd.Whole(dst.Shape), dst)
		if n := allocated() - before; n > bombBound && !race.Enabled {
			t.Errorf("%d bytes of a %s took %d bytes of memory, %v", len(c.data), what, n, err)
		}
		if long && err == nil {
			t.Errorf("%s: elements of %d bytes were read", what, len(text))
		}
	}
}

func bind(t *testing.T, elem dtype.Type, codecs string, shape []int) *codec.Bound {
	t.Helper()
	chain, err := std.Registry().ParseList(json.RawMessage(codecs))
	if err != nil {
		t.Fatal(err)
	}
	b, err := chain.Bind(codec.Spec{Type: elem, Shape: shape, Fill: make([]byte, elem.Size()), Heap: &nd.Heap{}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// longValue is a large value of a type whose values have no fixed size.
func longValue(typ string) (string, bool) {
	n := bombBytes / 4
	switch typ {
	case "string", "omnizarr.json":
		return `"` + strings.Repeat("a", n) + `"`, true
	case "bytes":
		return `"` + base64.StdEncoding.EncodeToString(make([]byte, n)) + `"`, true
	case lists:
		return "[0" + strings.Repeat(",0", n/2-1) + "]", true
	}
	return "", false
}

// longValues are those that were parsed, by their type.
var longValues = map[string]struct {
	elem []byte
	heap *nd.Heap
}{}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
