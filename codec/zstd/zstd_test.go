package zstd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	peer "github.com/klauspost/compress/zstd"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/zstd"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

func TestZstdPassesTheSuite(t *testing.T) {
	for _, c := range []codectest.Case{
		{Codecs: `["bytes",{"name":"zstd","configuration":{"level":3,"checksum":false}}]`, Type: "uint8", Shape: []int{20, 30}, Fill: "9"},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"big"}},{"name":"zstd","configuration":{"level":1,"checksum":true}}]`, Type: "int32", Shape: []int{3, 4, 5}},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"little"}},"zstd"]`, Type: "complex64", Shape: []int{17}},
		{Codecs: `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"zstd","configuration":{"level":-5}},"crc32c"]`, Type: "uint16", Shape: []int{60, 70}},
		{Codecs: `["bytes",{"name":"gzip"},{"name":"zstd","configuration":{"level":19,"checksum":true}}]`, Type: "bool", Shape: []int{99}},
		{Codecs: `["vlen-utf8","zstd"]`, Type: "string", Shape: []int{4, 5}, Fill: `"☃"`},
	} {
		c.Registry = registry()
		t.Run(c.Name(), func(t *testing.T) { codectest.Run(t, c) })
	}
}

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		``:                               "",
		`{}`:                             "",
		`{"level":0}`:                    "",
		`{"level":22,"checksum":true}`:   "",
		`{"level":-131072}`:              "",
		`{"level":23}`:                   "level is 23: must be from -131072 to 22",
		`{"level":-131073}`:              "must be from -131072 to 22",
		`{"level":1e1}`:                  "must be an integer, not 1e1",
		`{"checksum":1}`:                 "must be true or false, not a number",
		`{"checksum":null}`:              "checksum: must not be null",
		`{"level":3,"window":1}`:         `unknown member "window"`,
		`{"level":99999999999999999999}`: "is out of range",
	} {
		_, err := registry().Parse(codec.Entry{Name: "zstd", Config: json.RawMessage(config)})
		if want == "" && err != nil {
			t.Errorf("%s: %v", config, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "codec zstd: ")) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}

func TestNumcodecsHasLevelsOfItsOwn(t *testing.T) {
	for entry, want := range map[[2]string]string{
		{"zstd"}:                                `{"name":"zstd","configuration":{"level":3,"checksum":false}}`,
		{"numcodecs.zstd"}:                      `{"name":"numcodecs.zstd","configuration":{"level":0,"checksum":false}}`,
		{"numcodecs.zstd", `{"checksum":true}`}: `{"name":"numcodecs.zstd","configuration":{"level":0,"checksum":true}}`,
		{"numcodecs.zstd", `{"level":99}`}:      `{"name":"numcodecs.zstd","configuration":{"level":99,"checksum":false}}`,
		{"numcodecs.zstd", `{"level":-999999}`}: `{"name":"numcodecs.zstd","configuration":{"level":-999999,"checksum":false}}`,
	} {
		c, err := zstd.Parse(nil, entry[0], json.RawMessage(entry[1]))
		if err != nil {
			t.Fatal(err)
		}
		if spelled, err := c.MarshalJSON(); err != nil || string(spelled) != want || c.Name() != entry[0] {
			t.Errorf("%s became %s, %v", entry, spelled, err)
		}
		data := text(1000)
		out, err := filter(t, c.(zstd.Codec)).Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := filter(t, c.(zstd.Codec)).Decode(nil, nil, out, 1000); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%s: %d bytes, %v", entry, len(back), err)
		}
	}
}

func filter(t testing.TB, c zstd.Codec) codec.BytesFilter {
	t.Helper()
	f, err := c.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func compress(t testing.TB, data []byte, opts ...peer.EOption) []byte {
	t.Helper()
	e, err := peer.NewWriter(nil, append(opts, peer.WithZeroFrames(true))...)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	return e.EncodeAll(data, nil)
}

// stream compresses without telling the size in the header.
func stream(t testing.TB, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	e, err := peer.NewWriter(&buf)
	if err != nil {
		t.Fatal(err)
	}
	for len(data) > 0 {
		n := min(len(data), 1000)
		if _, err := e.Write(data[:n]); err != nil {
			t.Fatal(err)
		}
		if err := e.Flush(); err != nil {
			t.Fatal(err)
		}
		data = data[n:]
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func text(n int) []byte {
	var b []byte
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, "line %d of some text\n", i)
	}
	return b[:n]
}

func TestOthersReadWhatIsWritten(t *testing.T) {
	d, err := peer.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for _, n := range thorough.Least([]int{0, 1, 100, 7000}, []int{0, 1, 100, 70_000, 140_000}, []int{0, 1, 100, 70_000, 300_000}) {
		data := text(n)
		for _, level := range []int{-131072, -1, 0, 1, 3, 9, 19, 22} {
			if n == 70_000 && level > 3 && !thorough.Enabled {
				continue // the next are of two blocks
			}
			out, err := filter(t, zstd.Codec{Level: level, Checksum: n%200 == 0}).Encode(nil, []byte("x"), data)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := d.DecodeAll(out[1:], nil); err != nil || !bytes.Equal(got, data) {
				t.Errorf("level %d, %d bytes: got %d, %v", level, n, len(got), err)
			}
		}
	}
}

// counting counts what the loop of a codec is cut into.
type counting struct {
	*par.Limiter
	parts int
}

func (c *counting) Run(ctx context.Context, n int, weight int64, f func(i int) error) error {
	c.parts += n
	return c.Limiter.Run(ctx, n, weight, f)
}

// One large frame is encoded by several workers, to the bytes that one makes.
func TestSeveralEncodeALargeFrame(t *testing.T) {
	data := bytes.Repeat(text(1<<20), 17)
	if !thorough.Enabled {
		clear(data[1<<20 : 16<<20-100_000]) // which takes no time, but where segments meet
	}
	f := filter(t, zstd.Codec{Level: 3, Checksum: true})
	one, err := f.Encode(nil, nil, data)
	if err != nil {
		t.Fatal(err)
	}
	workers := &counting{Limiter: par.NewLimiter(3, 1<<30)}
	several, err := f.Encode(&codec.Chunk{Limits: &codec.Limits{Workers: workers}}, nil, data)
	if err != nil || !bytes.Equal(one, several) || workers.parts != 4 {
		t.Errorf("the same frame %v, in %d parts, %v", bytes.Equal(one, several), workers.parts, err)
	}
}

func TestFramesOfEveryKindAreRead(t *testing.T) {
	empty := compress(t, nil)
	skip := []byte{0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'}
	for name, c := range map[string]struct{ data, want []byte }{
		"with its size":          {compress(t, text(5000)), text(5000)},
		"without its size":       {stream(t, text(50_000)), text(50_000)},
		"zeros without size":     {stream(t, make([]byte, 300_000)), make([]byte, 300_000)},
		"two frames":             {append(compress(t, text(10)), compress(t, text(5000))...), append(text(10), text(5000)...)},
		"an empty one":           {empty, nil},
		"an empty one before":    {append(bytes.Clone(empty), compress(t, text(5000))...), text(5000)},
		"a skippable one before": {append(bytes.Clone(skip), compress(t, text(5000))...), text(5000)},
		"a skippable one behind": {append(compress(t, text(5000)), skip...), text(5000)},
	} {
		for _, room := range []int{0, 1, 100, len(c.want), len(c.want) + 100} {
			dst := append(make([]byte, 0, 3+room), "pre"...)
			out, err := filter(t, zstd.Codec{}).Decode(nil, dst, c.data, len(c.want))
			if err != nil || string(out) != "pre"+string(c.want) {
				t.Errorf("%s, room for %d: got %d bytes, %v", name, room, len(out), err)
			}
		}
	}
}

func TestFramesAreReadIntoAnyRoom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range thorough.Rounds(60) {
		data := text(r.IntN(thorough.Of(150_000, 400_000)))
		for k := range data {
			switch {
			case i%3 == 0:
				data[k] = byte(r.IntN(3))
			case i%3 == 1 && k > 100 && r.IntN(50) > 0:
				data[k] = data[k-97]
			}
		}
		for _, enc := range [][]byte{stream(t, data), compress(t, data)} {
			room := r.IntN(len(data)+1) * r.IntN(2)
			out, err := filter(t, zstd.Codec{}).Decode(nil, make([]byte, 0, room), enc, len(data))
			if err != nil || !bytes.Equal(out, data) {
				t.Errorf("%d bytes into room for %d: %v", len(data), room, err)
			}
		}
	}
}

func TestABombStopsAtItsLimit(t *testing.T) {
	data := make([]byte, thorough.Of(4<<20, 16<<20))
	for _, bomb := range [][]byte{compress(t, data), stream(t, data[:4<<20]), append(compress(t, nil), compress(t, data)...)} {
		for _, limit := range []int{0, 1, 4096} {
			for _, room := range []int{0, limit, limit + 16, limit + 4096} {
				out, err := filter(t, zstd.Codec{}).Decode(nil, make([]byte, 0, room), bomb, limit)
				if err == nil || !strings.Contains(err.Error(), "possible") {
					t.Errorf("limit %d, room %d: got %d bytes, %v", limit, room, len(out), err)
				}
			}
		}
	}
	if out, err := filter(t, zstd.Codec{}).Decode(nil, nil, compress(t, data), math.MaxInt); err != nil || len(out) != len(data) {
		t.Errorf("got %d bytes, %v", len(out), err)
	}
}

func TestAFrameThatLiesAboutItsSizeTakesNoMemory(t *testing.T) {
	lie := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0}
	for _, limit := range []int{100, 1 << 40, math.MaxInt} {
		if _, err := filter(t, zstd.Codec{}).Decode(nil, nil, lie, limit); err == nil {
			t.Errorf("limit %d: accepted", limit)
		}
	}
}

func TestAChecksumIsChecked(t *testing.T) {
	data := text(1000)
	out, err := filter(t, zstd.Codec{Level: 3, Checksum: true}).Encode(nil, nil, data)
	if err != nil {
		t.Fatal(err)
	}
	out[len(out)-1] ^= 1
	if _, err := filter(t, zstd.Codec{}).Decode(nil, nil, out, 1000); err == nil {
		t.Error("wrong checksum accepted")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(compress(f, []byte("some text")))
	f.Add(append(compress(f, nil), compress(f, []byte("x"))...))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0})
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		for _, room := range []int{0, 100} {
			out, err := filter(t, zstd.Codec{}).Decode(nil, append(make([]byte, 0, 3+room), "pre"...), data, 1<<16)
			if err == nil && (len(out) > 3+1<<16 || string(out[:3]) != "pre") {
				t.Errorf("%d bytes", len(out))
			}
			if err == nil {
				n := (len(out) - 3) / 2
				begun, err := front(t)(nil, nil, data, n, 1<<16)
				if err != nil || len(begun) < n || !bytes.HasPrefix(out[3:], begun) {
					t.Errorf("the first %d of %d bytes are %d, %v", n, len(out)-3, len(begun), err)
				}
			}
		}
		enc, err := filter(t, zstd.Codec{Level: 3}).Encode(nil, nil, data)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := filter(t, zstd.Codec{}).Decode(nil, nil, enc, len(data)); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%d bytes became %d, %v", len(data), len(back), err)
		}
	})
}

func ExampleCodec() {
	chain, err := registry().ParseList(json.RawMessage(`["bytes", {"name": "zstd", "configuration": {"level": 3, "checksum": false}}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{1000}, Fill: []byte{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	out, err := bound.Encode(context.Background(), ck, nil, nd.Make(1, 1000))
	fmt.Println(len(out) < 100, err)
	// Output: true <nil>
}

// 46 kB of Zstandard can stand for 1.5 GB. Where the limits say a mebibyte, one byte
// of it is an error that says how to lift them, and takes no such memory; neither
// does a frame that only says that its window is large.
func TestLittleDataDoesNotTakeMuchMemory(t *testing.T) {
	const blocks, block = 11_500, 128 << 10
	long := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3}
	for i := range blocks {
		header := block<<3 | 1<<1 // one byte over and over
		if i == blocks-1 {
			header |= 1
		}
		long = append(long, byte(header), byte(header>>8), byte(header>>16), 'x')
	}
	window := []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 20 << 3, 1<<3 | 1, 0, 0, 'x'} // a window of 1 GiB, one byte as it is
	for _, c := range []struct {
		name     string
		data     []byte
		typ      string
		length   int
		tooLarge bool
	}{
		{"a chunk of fixed size", long, "uint8", blocks * block, true},
		{"a window of a gigabyte", window, "uint8", 1, false},
		{"values without a size", long, "string", 1, true},
	} {
		typ, err := dtype.Lookup(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		serializer := `"bytes"`
		if c.typ == "string" {
			serializer = `"vlen-utf8"`
		}
		chain, err := registry().ParseList(json.RawMessage(`[` + serializer + `, "zstd"]`))
		if err != nil {
			t.Fatal(err)
		}
		b, err := chain.Bind(codec.Spec{Type: typ, Shape: []int{c.length}, Fill: make([]byte, typ.Size()), Heap: &nd.Heap{}})
		if err != nil {
			t.Fatal(err)
		}
		ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
		dst := nd.Make(typ.Size(), 1)
		dst.Heap = &nd.Heap{}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err = b.Decode(context.Background(), ck, &codec.Memory{Bytes: c.data}, nd.Box{Start: []int{0}, Shape: []int{1}}, dst)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 && !race.Enabled {
			t.Errorf("%s: %d bytes took %d bytes of memory, %v", c.name, len(c.data), used, err)
		}
		if c.tooLarge && (!errors.Is(err, codec.ErrTooLarge) || !strings.Contains(err.Error(), "1048576") || !strings.Contains(err.Error(), "zarr.MaxChunk")) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestADictionaryIsRefusedByItsNumber(t *testing.T) {
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x21, 42, 1, 9, 0, 0, 'x'}
	_, err := filter(t, zstd.Codec{}).Decode(nil, nil, frame, 1)
	if err == nil || !strings.Contains(err.Error(), "needs dictionary 42, and dictionaries are not supported") {
		t.Error(err)
	}
}

func TestDecodingAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("pools forget under the race detector")
	}
	f := filter(t, zstd.Codec{Level: 3, Checksum: true})
	frame, err := f.Encode(nil, nil, text(300_000))
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 0, 300_000)
	if n := testing.AllocsPerRun(10, func() {
		if out, err := f.Decode(nil, dst, frame, 300_000); err != nil || &out[0] != &dst[:1][0] {
			t.Fatal("elsewhere, or", err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// beginner is the filter of the codec as one that can stop early.
func front(t testing.TB) func(ck *codec.Chunk, dst, src []byte, n, limit int) ([]byte, error) {
	return filter(t, zstd.Codec{Level: 3}).(interface{ Traits() codec.Traits }).Traits().DecodeFront
}

func TestAFrontIsTheBeginningOfTheWhole(t *testing.T) {
	data := text(thorough.Of(140_000, 300_000)) // several blocks
	noise := make([]byte, thorough.Of(140_000, 200_000))
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(noise); i++ {
		noise[i] = byte(r.Uint32())
	}
	plain := peer.WithEncoderCRC(false)
	for name, src := range map[string][]byte{
		"one frame":         compress(t, data, plain),
		"one with checksum": compress(t, data),
		"stored blocks":     compress(t, noise, plain),
		"one byte repeated": compress(t, make([]byte, len(data)), plain),
		"without a size":    stream(t, data),
		"several frames":    append(compress(t, data[:1000], plain), compress(t, noise[:70_000], plain)...),
		"skippable before":  append([]byte("\x50\x2a\x4d\x18\x03\x00\x00\x00abc"), compress(t, data, plain)...),
		"checksum behind":   append(compress(t, data[:1000], plain), compress(t, data[:1000])...),
	} {
		want, err := filter(t, zstd.Codec{}).Decode(nil, nil, src, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 17, 999, 1000, 1001, len(want) / 2, len(want) - 1, len(want)} {
			for _, room := range []int{0, len(want) + 200, n, n + 64}[:thorough.Least(2, 4, 4)] {
				got, err := front(t)(nil, append(make([]byte, 0, room+1), 'x'), src, n, len(want))
				if err != nil || len(got) < n+1 || len(got) > len(want)+1 || got[0] != 'x' || !bytes.Equal(got[1:], want[:len(got)-1]) {
					t.Errorf("%s: %d bytes with room for %d: got %d, %v", name, n, room, len(got), err)
				}
			}
		}
		if _, err := front(t)(nil, nil, src, 5, len(want)-1); err == nil {
			t.Errorf("%s: more bytes than there may be are not noticed", name)
		}
		if got, err := front(t)(nil, nil, src, len(want)+1, len(want)+9); err != nil || len(got) != len(want) {
			t.Errorf("%s: got %d bytes, %v, want the %d that there are", name, len(got), err, len(want))
		}
	}
}

// What lies behind the elements that are wanted is not decoded, so that what is
// missing there does not show, unless a checksum speaks for all.
func TestABoxIsDecodedAsFarAsItReaches(t *testing.T) {
	const little = `{"name":"bytes","configuration":{"endian":"little"}}`
	shape := []int{64, 4096}
	src := nd.Make(2, shape...)
	copy(src.Data, text(len(src.Data)))
	for _, c := range []struct {
		codecs  string
		noticed bool
	}{
		{`[` + little + `,"zstd"]`, false},
		{`[{"name":"bytes","configuration":{"endian":"big"}},"zstd"]`, false},
		{`[{"name":"transpose","configuration":{"order":[1,0]}},` + little + `,"zstd"]`, false},
		{`[` + little + `,{"name":"zstd","configuration":{"level":3,"checksum":true}}]`, true},
		{`[` + little + `,"zstd","crc32c"]`, true},
		{`[` + little + `,"crc32c","zstd"]`, true},
	} {
		chain, err := registry().ParseList(json.RawMessage(c.codecs))
		if err != nil {
			t.Fatal(err)
		}
		b, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint16"), Shape: shape, Fill: []byte{0, 0}})
		if err != nil {
			t.Fatal(err)
		}
		data, err := b.Encode(context.Background(), &codec.Chunk{}, nil, src)
		if err != nil {
			t.Fatal(err)
		}
		data = data[:len(data)-30]
		box := nd.Box{Start: []int{1, 2}, Shape: []int{1, 3}}
		dst := nd.Make(2, box.Shape...)
		err = b.Decode(context.Background(), &codec.Chunk{}, &codec.Memory{Bytes: data}, box, dst)
		if c.noticed && err == nil || !c.noticed && (err != nil || !bytes.Equal(dst.Data, src.Data[(4096+2)*2:][:6])) {
			t.Errorf("%s: got %q, %v", c.codecs, dst.Data, err)
		}
		strict := &codec.Chunk{Limits: &codec.Limits{Strict: true}}
		if err := b.Decode(context.Background(), strict, &codec.Memory{Bytes: data}, box, dst); err == nil {
			t.Errorf("%s: strict reading does not notice what is missing", c.codecs)
		}
		whole := nd.Make(2, shape...)
		if err := b.Decode(context.Background(), &codec.Chunk{}, &codec.Memory{Bytes: data}, nd.Whole(shape), whole); err == nil {
			t.Errorf("%s: a whole read does not notice what is missing", c.codecs)
		}
	}
}
