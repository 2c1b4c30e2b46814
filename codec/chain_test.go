package codec_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/std"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/nd"
)

var ctx = context.Background()

func bind(t testing.TB, codecs, typ string, shape ...int) *codec.Bound {
	t.Helper()
	chain, err := std.Registry().ParseList(json.RawMessage(codecs))
	if err != nil {
		t.Fatal(err)
	}
	dt := dtype.MustParse(typ)
	b, err := chain.Bind(codec.Spec{Type: dt, Shape: shape, Fill: make([]byte, dt.Size()), Heap: &nd.Heap{}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func limits() *codec.Chunk { return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}} }

func TestAChainListsItsCodecs(t *testing.T) {
	chain, err := std.Registry().ParseList(json.RawMessage(`[{"name":"transpose","configuration":{"order":[0]}},"bytes","gzip","crc32c"]`))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range chain.Codecs() {
		names = append(names, c.Name())
	}
	if got := strings.Join(names, " "); got != "transpose bytes gzip crc32c" {
		t.Errorf("got %s", got)
	}
}

func TestErrorsNameEveryCodecOnTheWay(t *testing.T) {
	const index = `[{"name":"bytes","configuration":{"endian":"little"}}]`
	b := bind(t, `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":["bytes","crc32c"],"index_codecs":`+index+`}}]`, "uint8", 4)
	data, err := b.Encode(ctx, limits(), nil, nd.Of([]byte{1, 2, 3, 4}, 1, 4))
	if err != nil {
		t.Fatal(err)
	}
	data[7] ^= 1
	err = b.Decode(ctx, limits(), &codec.Memory{Bytes: data}, nd.Whole([]int{4}), nd.Make(1, 4))
	if err == nil || !strings.HasPrefix(err.Error(), "codec sharding_indexed: inner chunk [1]: codec crc32c: checksum is") || !errors.Is(err, codec.ErrData) {
		t.Errorf("got %v", err)
	}
	var named *codec.Error
	if !errors.As(err, &named) || named.Codec != "sharding_indexed" {
		t.Errorf("got %#v", named)
	}
}

func TestRangesTellWhetherAPartIsReadByItself(t *testing.T) {
	const shard = `{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}`
	part := nd.Box{Start: []int{0, 0}, Shape: []int{1, 2}}
	for codecs, want := range map[string]bool{
		`["bytes"]`:                true,
		`["bytes","gzip"]`:         false,
		`["bytes","crc32c"]`:       false,
		`[` + shard + `]`:          true,
		`[` + shard + `,"crc32c"]`: false,
		`[{"name":"transpose","configuration":{"order":[1,0]}},"bytes"]`: true,
	} {
		if got := bind(t, codecs, "uint8", 4, 4).Ranges(part); got != want {
			t.Errorf("%s: %v", codecs, got)
		}
	}
}

func TestPlaceGivesMemoryThatIsTheChunk(t *testing.T) {
	src := nd.Make(2, 3, 4)
	for codecs, want := range map[string]bool{
		`[{"name":"bytes","configuration":{"endian":"little"}}]`:                                                      true,
		`[{"name":"bytes","configuration":{"endian":"big"}}]`:                                                         false,
		`[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]`:                                             false,
		`[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"little"}}]`: false,
		`[{"name":"transpose","configuration":{"order":[0,1]}},{"name":"bytes","configuration":{"endian":"little"}}]`: true,
	} {
		mem, ok := bind(t, codecs, "uint16", 3, 4).Place(src)
		if ok != want || ok && &mem[0] != &src.Data[0] {
			t.Errorf("%s: %v", codecs, ok)
		}
	}
}

func TestDecodingAWholeChunkAllocatesNothingOfItsSize(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget what they hold")
	}
	for _, codecs := range []string{`["bytes"]`, `["bytes","zstd"]`, `["bytes","gzip"]`, `["bytes","zstd","crc32c"]`} {
		b := bind(t, codecs, "uint8", 1<<20)
		src := nd.Make(1, 1<<20)
		for i := range src.Data {
			src.Data[i] = byte(i * i >> 8)
		}
		data, err := b.Encode(ctx, limits(), nil, src)
		if err != nil {
			t.Fatal(err)
		}
		dst := nd.Make(1, 1<<20)
		decode := func() {
			if err := b.Decode(ctx, limits(), &codectest.Source{Data: data}, nd.Whole(dst.Shape), dst); err != nil {
				t.Fatal(err)
			}
		}
		decode()
		const runs = 10
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			decode()
		}
		runtime.ReadMemStats(&after)
		// The garbage collector may take a lent buffer once or twice.
		if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
			t.Errorf("%s: %d bytes for %d chunks", codecs, n, runs)
		}
	}
}

func FuzzDecode(f *testing.F) {
	chains := []*codec.Bound{
		bind(f, `["bytes","gzip"]`, "uint8", 3, 4),
		bind(f, `[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}},"zstd","crc32c"]`, "int32", 3, 4),
		bind(f, `["vlen-utf8","zstd"]`, "string", 3, 4),
		bind(f, `["vlen-bytes","gzip","crc32c"]`, "bytes", 3, 4),
		bind(f, `["bytes","crc32c"]`, "bool", 3, 4),
	}
	for i, b := range chains {
		src := nd.Make(b.Spec().Type.Size(), 3, 4)
		src.Heap = &nd.Heap{}
		data, err := b.Encode(ctx, limits(), nil, src)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i, data)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, i int, data []byte) {
		b := chains[uint(i)%uint(len(chains))]
		for _, src := range []codec.Source{&codec.Memory{Bytes: data}, &codectest.Source{Data: data}} {
			for _, box := range []nd.Box{nd.Whole([]int{3, 4}), {Start: []int{1, 1}, Shape: []int{2, 1}}} {
				dst := nd.Make(b.Spec().Type.Size(), box.Shape...)
				dst.Heap = &nd.Heap{}
				if b.Decode(ctx, limits(), src, box, dst) != nil || !box.Covers([]int{3, 4}) {
					continue
				}
				out, err := b.Encode(ctx, limits(), nil, dst)
				if err != nil {
					t.Fatalf("what was decoded cannot be encoded: %v", err)
				}
				again := nd.Make(dst.Size, 3, 4)
				again.Heap = &nd.Heap{}
				if err := b.Decode(ctx, limits(), &codec.Memory{Bytes: out}, box, again); err != nil {
					t.Fatalf("what was encoded cannot be decoded: %v", err)
				}
			}
		}
	})
}

func ExampleChain_Bind() {
	chain, err := std.Registry().ParseList(json.RawMessage(`[{"name": "bytes", "configuration": {"endian": "little"}}, "zstd"]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint16"), Shape: []int{2, 2}, Fill: []byte{0, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	data, err := bound.Encode(context.Background(), ck, nil, nd.Of([]byte{1, 0, 2, 0, 3, 0, 4, 0}, 2, 2, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	// One column, straight into the caller's memory.
	column := nd.Make(2, 2, 1)
	err = bound.Decode(context.Background(), ck, &codec.Memory{Bytes: data}, nd.Box{Start: []int{0, 1}, Shape: []int{2, 1}}, column)
	fmt.Println(column.Data, err)
	// Output: [2 0 4 0] <nil>
}
