package pad_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/pad"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// tiffFile is a TIFF file as a plain reader sees it.
type tiffFile struct {
	raw  []byte
	big  bool
	tags map[uint16][]uint64
}

// parseTIFF reads a file with one directory, from the specification.
func parseTIFF(t testing.TB, b []byte) *tiffFile {
	t.Helper()
	f := &tiffFile{raw: b, tags: map[uint16][]uint64{}}
	var o binary.ByteOrder = binary.LittleEndian
	if string(b[:2]) == "MM" {
		o = binary.BigEndian
	} else if string(b[:2]) != "II" {
		t.Fatalf("not TIFF: %x", b[:8])
	}
	var at, count, entry int
	switch o.Uint16(b[2:]) {
	case 42:
		at = int(o.Uint32(b[4:]))
		count, entry = int(o.Uint16(b[at:])), 12
		at += 2
	case 43:
		f.big = true
		if o.Uint16(b[4:]) != 8 || o.Uint16(b[6:]) != 0 {
			t.Fatalf("not BigTIFF: %x", b[:8])
		}
		at = int(o.Uint64(b[8:]))
		count, entry = int(o.Uint64(b[at:])), 20
		at += 8
	default:
		t.Fatalf("not TIFF: %x", b[:8])
	}
	if at%2 != 0 {
		t.Error("the directory is not at a word boundary")
	}
	last := 0
	for range count {
		e := b[at : at+entry]
		tag, typ := o.Uint16(e), o.Uint16(e[2:])
		if int(tag) <= last {
			t.Errorf("tag %d follows %d", tag, last)
		}
		last = int(tag)
		size := map[uint16]int{3: 2, 4: 4, 16: 8}[typ]
		n, value := int(o.Uint32(e[4:])), e[8:]
		if f.big {
			n, value = int(o.Uint64(e[4:])), e[12:]
		}
		if n*size > len(value) {
			from := int(o.Uint32(value))
			if f.big {
				from = int(o.Uint64(value))
			}
			if from%2 != 0 {
				t.Errorf("tag %d: values at an odd offset", tag)
			}
			value = b[from:]
		}
		for i := range n {
			v := value[i*size:]
			switch size {
			case 2:
				f.tags[tag] = append(f.tags[tag], uint64(o.Uint16(v)))
			case 4:
				f.tags[tag] = append(f.tags[tag], uint64(o.Uint32(v)))
			case 8:
				f.tags[tag] = append(f.tags[tag], o.Uint64(v))
			default:
				t.Fatalf("tag %d has type %d", tag, typ)
			}
		}
		at += entry
	}
	if next := b[at : at+4]; !bytes.Equal(next, make([]byte, 4)) {
		t.Error("a directory follows")
	}
	return f
}

func (f *tiffFile) one(tag uint16) uint64 {
	if len(f.tags[tag]) != 1 {
		return 1<<64 - 1
	}
	return f.tags[tag][0]
}

// data is what the strips or tiles hold, one after the other.
func (f *tiffFile) data(t testing.TB) (out []byte) {
	t.Helper()
	offsets, counts := f.tags[273], f.tags[279]
	if f.tags[322] != nil {
		offsets, counts = f.tags[324], f.tags[325]
	}
	for i, at := range offsets {
		out = append(out, f.raw[at:at+counts[i]]...)
	}
	return out
}

// chunkFile writes one chunk and gives its file and its bytes behind the header.
func chunkFile(t testing.TB, f pad.Format, codecs, typ string, shape ...int) (file, data []byte) {
	t.Helper()
	r := registry()
	dt := dtype.MustParse(typ)
	list, err := f.Codecs(r, json.RawMessage(codecs), dt, shape)
	if err != nil {
		t.Fatal(err)
	}
	f.Register(r)
	chain, err := r.ParseList(list)
	if err != nil {
		t.Fatal(err)
	}
	b, err := chain.Bind(codec.Spec{Type: dt, Shape: shape, Fill: make([]byte, dt.Size())})
	if err != nil {
		t.Fatal(err)
	}
	v := nd.Make(dt.Size(), shape...)
	for i := range v.Data {
		v.Data[i] = byte(i / 5)
	}
	if file, err = b.Encode(context.Background(), limits(), nil, v); err != nil {
		t.Fatal(err)
	}
	all := chain.Codecs()
	return file, file[all[len(all)-1].(pad.Codec).NBytes:]
}

func TestTIFFHeaders(t *testing.T) {
	const width, length, bits, compression, photometric, samples, planar, extra, format = 256, 257, 258, 259, 262, 277, 284, 338, 339
	type tags map[uint16][]uint64
	for _, c := range []struct {
		name, codecs, typ string
		shape             []int
		options           pad.TIFFOptions
		want              tags
	}{
		{"2-D", `[` + little + `]`, "uint16", []int{6, 10}, pad.TIFFOptions{},
			tags{width: {10}, length: {6}, bits: {16}, compression: {1}, photometric: {1}, samples: {1}, planar: {1}, format: {1}, 278: {6}, extra: nil, 322: nil}},
		{"signed, zlib", `[` + little + `,"zlib"]`, "int32", []int{6, 10}, pad.TIFFOptions{},
			tags{width: {10}, length: {6}, bits: {32}, compression: {8}, format: {2}}},
		{"float, numcodecs.zlib", `[` + little + `,"numcodecs.zlib"]`, "float32", []int{6, 10}, pad.TIFFOptions{},
			tags{bits: {32}, compression: {8}, format: {3}}},
		{"complex, zstd", `[` + little + `,"zstd"]`, "complex64", []int{6, 10}, pad.TIFFOptions{},
			tags{bits: {64}, compression: {50000}, format: {6}}},
		{"big-endian", `[` + bigOrder + `]`, "float64", []int{6, 10}, pad.TIFFOptions{},
			tags{width: {10}, bits: {64}, format: {3}}},
		{"one axis", `["bytes"]`, "uint8", []int{9}, pad.TIFFOptions{}, tags{width: {9}, length: {1}}},
		{"no axis", `["bytes"]`, "bool", nil, pad.TIFFOptions{}, tags{width: {1}, length: {1}, bits: {8}, format: {1}}},
		{"colours", `["bytes"]`, "uint8", []int{6, 10, 3}, pad.TIFFOptions{},
			tags{width: {10}, length: {6}, bits: {8, 8, 8}, photometric: {2}, samples: {3}, planar: {1}, format: {1, 1, 1}, extra: nil}},
		{"colours and one more", `["bytes","zstd"]`, "uint8", []int{2, 6, 10, 4}, pad.TIFFOptions{},
			tags{width: {10}, length: {12}, samples: {4}, photometric: {2}, extra: {0}}},
		{"bands", `[` + little + `]`, "int16", []int{5, 6, 10}, pad.TIFFOptions{},
			tags{width: {10}, length: {6}, bits: {16, 16, 16, 16, 16}, photometric: {1}, samples: {5}, planar: {2}, extra: {0, 0, 0, 0}, 279: {120, 120, 120, 120, 120}}},
		{"bands, compressed", `[` + little + `,"zstd"]`, "int16", []int{5, 6, 10}, pad.TIFFOptions{},
			tags{width: {10}, length: {30}, samples: {1}, planar: {1}}},
		{"interleaved on request", `[` + little + `,"zstd"]`, "float32", []int{6, 10, 7}, pad.TIFFOptions{Samples: pad.Interleaved},
			tags{width: {10}, length: {6}, samples: {7}, photometric: {1}, extra: {0, 0, 0, 0, 0, 0}}},
		{"one sample on request", `["bytes","zstd"]`, "uint8", []int{6, 10, 1}, pad.TIFFOptions{Samples: pad.Interleaved}, tags{width: {10}, length: {6}, samples: {1}}},
		{"tiles", `[` + little + `]`, "uint16", []int{32, 48}, pad.TIFFOptions{Tiles: true},
			tags{width: {48}, length: {32}, 322: {48}, 323: {32}, 325: {3072}, 273: nil, 278: nil, 279: nil}},
		{"transposed", `[{"name":"transpose","configuration":{"order":[1,0]}},` + little + `]`, "uint16", []int{6, 10}, pad.TIFFOptions{},
			tags{width: {6}, length: {10}}},
		{"BigTIFF on request", `[` + little + `,"zlib"]`, "uint16", []int{6, 10}, pad.TIFFOptions{Big: true}, tags{width: {10}}},
		{"BigTIFF of bands", `[` + little + `]`, "uint16", []int{9, 6, 10}, pad.TIFFOptions{Big: true}, tags{samples: {9}, planar: {2}}},
	} {
		file, data := chunkFile(t, pad.TIFF(c.options), c.codecs, c.typ, c.shape...)
		f := parseTIFF(t, file)
		if !bytes.Equal(f.data(t), data) {
			t.Errorf("%s: the strips are not the data", c.name)
		}
		if f.big != c.options.Big || (file[0] == 'M') != strings.Contains(c.codecs, "big") || (len(file)-len(data))%16 != 0 {
			t.Errorf("%s: header %x", c.name, file[:8])
		}
		for tag, want := range c.want {
			if got := f.tags[tag]; !slices.Equal(got, want) {
				t.Errorf("%s: tag %d is %v, want %v", c.name, tag, got, want)
			}
		}
	}
}

// A golden header: any change of it changes files that people have.
func TestTheTIFFHeaderOfAPlainChunk(t *testing.T) {
	file, data := chunkFile(t, pad.TIFF(pad.TIFFOptions{}), `[`+little+`]`, "uint16", 256, 256)
	const want = "49492a0008000000" + "0b00" +
		"0001040001000000" + "00010000" + "0101040001000000" + "00010000" + "0201030001000000" + "10000000" +
		"0301030001000000" + "01000000" + "0601030001000000" + "01000000" + "1101040001000000" + "a0000000" +
		"1501030001000000" + "01000000" + "1601040001000000" + "00010000" + "1701040001000000" + "00000200" +
		"1c01030001000000" + "01000000" + "5301030001000000" + "01000000" + "00000000" + "0000000000000000000000000000"
	if got := hex.EncodeToString(file[:len(file)-len(data)]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestChunksThatReachPast4GiBAreBigTIFF(t *testing.T) {
	for _, c := range []struct {
		shape  []int
		codecs string
		big    bool
	}{
		{[]int{1 << 15, 1 << 15}, `[` + little + `]`, false},
		{[]int{1 << 16, 1 << 15}, `[` + little + `]`, true},
		{[]int{1 << 16, 1 << 15}, `[` + little + `,"zstd"]`, true},
		{[]int{1 << 20, 1 << 20}, `[` + little + `,"zlib"]`, true},
	} {
		list, err := pad.TIFF(pad.TIFFOptions{}).Codecs(registry(), json.RawMessage(c.codecs), dtype.MustParse("uint16"), c.shape)
		if err != nil {
			t.Fatal(err)
		}
		f := parseTIFF(t, literal(t, list))
		if f.big != c.big {
			t.Errorf("%v %s: BigTIFF %v", c.shape, c.codecs, f.big)
		}
		if raw := uint64(c.shape[0]) * uint64(c.shape[1]) * 2; f.one(259) == 1 && f.one(279) != raw {
			t.Errorf("%v: %v bytes", c.shape, f.tags[279])
		}
	}
}

// literal is the padding of the last codec of a list.
func literal(t testing.TB, list json.RawMessage) []byte {
	t.Helper()
	chain, err := registry().ParseList(list)
	if err != nil {
		t.Fatal(err)
	}
	all := chain.Codecs()
	return all[len(all)-1].(pad.Codec).Literal
}

func TestWhatTIFFCannotHoldIsRefused(t *testing.T) {
	for _, c := range []struct {
		codecs, typ string
		shape       []int
		options     pad.TIFFOptions
		want        string
	}{
		{`[` + little + `,"gzip"]`, "uint16", []int{6, 10}, pad.TIFFOptions{}, "codec gzip is no compression of TIFF"},
		{`[` + little + `,"zstd","crc32c"]`, "uint16", []int{6, 10}, pad.TIFFOptions{}, "codecs zstd and crc32c follow each other"},
		{`["vlen-utf8"]`, "string", []int{6}, pad.TIFFOptions{}, "TIFF and string: no such data type"},
		{`[` + little + `]`, "bfloat16", []int{6}, pad.TIFFOptions{}, "TIFF and bfloat16: no such data type"},
		{`["bytes"]`, "int4", []int{6}, pad.TIFFOptions{}, "TIFF and int4: no such data type"},
		{`[` + little + `]`, "uint16", []int{6, 10}, pad.TIFFOptions{Tiles: true}, "lengths must be multiples of 16"},
		{`[` + little + `,"zstd"]`, "uint16", []int{3, 6, 10}, pad.TIFFOptions{Samples: pad.Planar}, "is one stream"},
		{`[` + little + `]`, "uint16", []int{10}, pad.TIFFOptions{Samples: pad.Interleaved}, "has no axis for samples"},
		{`[` + little + `]`, "uint16", []int{1 << 17, 2, 2, 2}, pad.TIFFOptions{Samples: pad.Planar}, "262144 samples"},
		{`["brotli"]`, "uint16", []int{10}, pad.TIFFOptions{}, "codec brotli: unknown codec"},
	} {
		_, err := pad.TIFF(c.options).Codecs(registry(), json.RawMessage(c.codecs), dtype.MustParse(c.typ), c.shape)
		if err == nil || !strings.HasPrefix(err.Error(), "padding tiff: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %v: got %v, want %s", c.codecs, c.typ, c.shape, err, c.want)
		}
	}
}

func TestEveryChunkOfAnArrayIsAFile(t *testing.T) {
	for _, name := range pad.Names() {
		for _, grid := range []string{"", `{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[20,25],[32,32,6]]}}`} {
			f, err := pad.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			r := registry()
			list, err := f.Codecs(r, json.RawMessage(`[`+little+`,"zstd"]`), dtype.MustParse("uint16"), []int{25, 32})
			if err != nil {
				t.Fatal(err)
			}
			f.Register(r)
			spec := zarr.ArraySpec{Shape: []int{45, 70}, DataType: "uint16", Codecs: list, Chunks: []int{25, 32}}
			if grid != "" {
				spec.Chunks, spec.Grid = nil, json.RawMessage(grid)
			}
			s, _ := create(t, spec, r)
			// The array is opened again, as one does to go on writing.
			a := openArray(t, s, r)
			want := counted(45 * 70)
			if err := zarr.Write(context.Background(), a, zarr.All(), want); err != nil {
				t.Fatal(err)
			}
			n := 0
			for c := range a.Grid() {
				n++
				data := get(t, s, c.Key)
				rows, cols := 25, 32
				if grid != "" {
					rows, cols = c.Box.Shape[0], c.Box.Shape[1]
				}
				if name == "n5" {
					if got := fmt.Sprint(data[:12]); got != fmt.Sprint([]byte{0, 0, 0, 2, 0, 0, 0, byte(rows), 0, 0, 0, byte(cols)}) {
						t.Errorf("chunk %s: header %s", c.Key, got)
					}
					continue
				}
				image := parseTIFF(t, data)
				if int(image.one(256)) != cols || int(image.one(257)) != rows || int(image.one(278)) != rows || int(image.one(279)) != len(data)-int(image.one(273)) {
					t.Errorf("chunk %s of %d × %d: %v", c.Key, rows, cols, image.tags)
				}
			}
			if n != 6 {
				t.Errorf("%d chunks", n)
			}
			got, err := zarr.Read[uint16](context.Background(), openArray(t, s, registry()), zarr.All())
			if err != nil || !slices.Equal(got.Data, want) {
				t.Errorf("%s: read something else, %v", name, err)
			}
		}
	}
}

// A header that somebody wrote by hand: what it cannot be true for is an error.
func TestTheHeaderOfTheTextsIsATemplateToo(t *testing.T) {
	entry := `{"name":"pad","configuration":{"location":"start","nbytes":110,"padding":"` + textHeader + `"}}`
	for _, c := range []struct {
		codecs string
		chunks []int
		want   string
	}{
		{little, []int{256, 256}, ""},
		{little, []int{16, 20}, ""},
		{little + `,"zstd"`, []int{256, 256}, "says that the data is not compressed"},
	} {
		r := registry()
		pad.TIFF(pad.TIFFOptions{}).Register(r)
		n := 1
		for _, k := range c.chunks {
			n *= k
		}
		s, a := create(t, zarr.ArraySpec{Shape: c.chunks, Chunks: c.chunks, DataType: "uint16", Codecs: json.RawMessage("[" + c.codecs + "," + entry + "]")}, r)
		err := zarr.Write(context.Background(), a, zarr.All(), counted(n))
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %v: got %v, want %s", c.codecs, c.chunks, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		f := parseTIFF(t, get(t, s, "c/0/0"))
		if f.one(256) != uint64(c.chunks[1]) || f.one(257) != uint64(c.chunks[0]) || len(f.data(t)) != 2*n {
			t.Errorf("%v: %v", c.chunks, f.tags)
		}
	}
}
