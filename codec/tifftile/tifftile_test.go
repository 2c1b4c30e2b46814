package tifftile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/tiff/tile"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

func TestConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		``:                                        "",
		`{}`:                                      "",
		`{"jpeg_tables":null}`:                    "",
		`{"jpeg_tables":""}`:                      "",
		`{"jpeg_tables":"/9j/2Q=="}`:              "",
		`{"jpeg_tables":"base64:/9j/2Q=="}`:       "",
		`{"jpeg_tables":"/9j/2Q"}`:                "jpeg_tables is not base64: 6 letters are not whole groups of four",
		`{"jpeg_tables":"/9j/!!2Q=="}`:            "jpeg_tables is not base64: letter 5, \"!\", cannot be there",
		`{"jpeg_tables":"/9j/\n2Q=="}`:            "jpeg_tables is not base64",
		`{"jpeg_tables":"/9j/2R=="}`:              "jpeg_tables is not base64",
		`{"jpeg_tables":7}`:                       "configuration.jpeg_tables: must be a string, not a number",
		`{"tile_width":1.5}`:                      "tile_width",
		`{"tile_width":16.0}`:                     "tile_width",
		`{"tile_width":"16"}`:                     "tile_width",
		`{"tile_width":null}`:                     "tile_width: must not be null",
		`{"tile_height":99999999999999999999}`:    "tile_height",
		`{"tile_height":4294967296}`:              "tile_height is 4294967296",
		`{"compression":70000}`:                   "compression is 70000",
		`{"predictor":70000}`:                     "predictor is 70000",
		`{"samples_per_pixel":-1}`:                "samples_per_pixel is -1",
		`{"tiles":1}`:                             `unknown member "tiles"`,
		`{"byte_order":"big"}`:                    "",
		`{"byte_order":"little"}`:                 "",
		`{"byte_order":"II"}`:                     `byte_order is "II": must be "little" or "big"`,
		`{"bits_per_sample":16,"packed_bits":12}`: "",
		`{"packed_bits":0}`:                       "packed_bits is 0",
		`{"packed_bits":-1}`:                      "packed_bits is -1",
		`{"compression":8,"level":9}`:             "",
		`{"compression":8,"level":99}`:            "level is 99",
		`{"quality":9}`:                           "quality",
		`{"compression":7,"quality":101}`:         "quality is 101",
		`{"compression":7,"subsampling":[2]}`:     "subsampling is [2]: must be two numbers",
		`{"compression":7,"subsampling":[2,2]}`:   "subsampling is [2 2]",
		`{"compression":7,"subsampling":2}`:       "subsampling",
		`{"compression":34712}`:                   "compression is 34712 (JPEG 2000), which is not supported",
		`{"photometric":6,"samples_per_pixel":3}`: "photometric is 6 (YCbCr) without JPEG",
		`{"compression":7,"photometric":6,"samples_per_pixel":3,"quality":90,"subsampling":[2,1]}`: "",
	} {
		_, err := registry().Parse(codec.Entry{Name: tifftile.Name, Config: json.RawMessage(config)})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
		unsupported := strings.Contains(config, "34712") || strings.Contains(config, `{"photometric":6`)
		if errors.Is(err, codec.ErrUnknown) != unsupported {
			t.Errorf("%s: %v is taken for a codec that is missing, or not", config, err)
		}
	}
}

func TestMetadataHasTheTenMembersAndOthersWhereTheySaySomething(t *testing.T) {
	const defaults = `"compression":1,"bits_per_sample":8,"samples_per_pixel":1,"photometric":1,"planar_config":1,"predictor":1,"tile_width":256,"tile_height":256,"sample_format":1,"jpeg_tables":null`
	for config, want := range map[string]string{
		``:                        defaults,
		`{"byte_order":"little"}`: defaults,
		`{"byte_order":"big"}`:    defaults + `,"byte_order":"big"`,
		`{"bits_per_sample":16,"packed_bits":12}`: strings.Replace(defaults, `"bits_per_sample":8`, `"bits_per_sample":16`, 1) + `,"packed_bits":12`,
		`{"jpeg_tables":"base64:/9j/2Q=="}`:       strings.Replace(defaults, "null", `"base64:/9j/2Q=="`, 1),
		`{"compression":50000,"level":-4}`:        strings.Replace(defaults, `"compression":1`, `"compression":50000`, 1) + `,"level":-4`,
		`{"compression":7,"photometric":6,"samples_per_pixel":3,"quality":90,"subsampling":[2,1]}`: strings.NewReplacer(`"compression":1`, `"compression":7`,
			`"photometric":1`, `"photometric":6`, `"samples_per_pixel":1`, `"samples_per_pixel":3`).Replace(defaults) + `,"quality":90,"subsampling":[2,1]`,
	} {
		c, err := tifftile.Parse(nil, tifftile.Name, json.RawMessage(config))
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.MarshalJSON()
		if want = `{"name":"` + tifftile.Name + `","configuration":{` + want + `}}`; err != nil || string(text) != want {
			t.Errorf("%s became %s, %v", config, text, err)
		}
		again, err := tifftile.New(c.(*tifftile.Codec).Layout(), tile.Encoding{})
		if err != nil {
			t.Error(err)
		} else if text, err := again.MarshalJSON(); err != nil || !json.Valid(text) {
			t.Error(err)
		}
	}
}

func TestShapesAndTypesOfChunks(t *testing.T) {
	three := entry(`"tile_width":6,"tile_height":5,"samples_per_pixel":3`)
	four := entry(`"tile_width":6,"tile_height":5,"samples_per_pixel":4`)
	one := entry(`"tile_width":6,"tile_height":5`)
	for _, c := range []struct {
		entry, typ string
		shape      []int
		ok         bool
	}{
		{one, "uint8", []int{5, 6}, true},
		{one, "uint8", []int{1, 5, 6}, true},
		{one, "uint8", []int{1, 1, 1, 5, 6}, true},
		{one, "uint8", []int{6, 5}, false},
		{one, "uint8", []int{30}, false},
		{one, "uint8", nil, true},
		{one, "uint8", []int{4, 6}, false},
		{one, "uint8", []int{8, 8}, true},
		{one, "uint8", []int{2, 5, 6}, false},
		{three, "uint8", []int{3, 5, 6}, true},
		{three, "uint8", []int{1, 3, 1, 5, 6}, true},
		{three, "uint8", []int{5, 6}, false},
		{three, "uint8", []int{5, 6, 3}, false},
		{three, "uint8", []int{2, 5, 6}, false},
		{three, "uint8", []int{4, 6, 7}, false},
		{three, "uint8", []int{3, 6, 7}, true},
		{four, "uint8", []int{2, 2, 5, 6}, true},
		{four, "uint8", []int{2, 3, 5, 6}, false},
		{one, "int8", []int{5, 6}, false},
		{one, "uint16", []int{5, 6}, false},
		{entry(`"tile_width":6,"tile_height":5,"bits_per_sample":1`), "bool", []int{5, 6}, true},
		{entry(`"tile_width":6,"tile_height":5,"bits_per_sample":1`), "uint8", []int{5, 6}, true},
		{entry(`"tile_width":6,"tile_height":5,"bits_per_sample":1`), "int8", []int{5, 6}, false},
		{entry(`"tile_width":6,"tile_height":5,"bits_per_sample":16,"packed_bits":12`), "uint16", []int{5, 6}, true},
		{entry(`"tile_width":6,"tile_height":5,"compression":7,"sample_format":2`), "int8", []int{5, 6}, true},
	} {
		for _, before := range []string{``, `"bytes",`} {
			if before != "" && c.typ != "uint8" {
				continue
			}
			_, err := bind(`[`+before+c.entry+`]`, c.typ, c.shape...)
			if (err == nil) != c.ok {
				t.Errorf("%s of %s, %v: %v", c.entry, c.typ, c.shape, err)
			}
		}
	}
	if _, err := bind(`["bytes","crc32c",`+one+`]`, "uint8", 5, 6); err == nil || !strings.Contains(err.Error(), "must follow a codec that writes the elements") {
		t.Error(err)
	}
}

// What a chunk has beyond the tile is zero, and cannot be stored if it is not.
func TestAChunkMayBeLargerThanItsTile(t *testing.T) {
	for _, before := range []string{``, `"bytes",`} {
		b, err := bind(`[`+before+entry(`"tile_width":3,"tile_height":2,"samples_per_pixel":2`)+`]`, "uint8", 2, 3, 4)
		if err != nil {
			t.Fatal(err)
		}
		data := []byte{1, 11, 2, 12, 3, 13, 4, 14, 5, 15, 6, 16}
		want := []byte{
			1, 2, 3, 0, 4, 5, 6, 0, 0, 0, 0, 0,
			11, 12, 13, 0, 14, 15, 16, 0, 0, 0, 0, 0,
		}
		v, err := decode(b, chunk(), &codec.Memory{Bytes: data})
		if err != nil || !bytes.Equal(v.Data, want) {
			t.Errorf("got %v, %v", v.Data, err)
		}
		out, err := b.Encode(context.Background(), chunk(), nil, v)
		if err != nil || !bytes.Equal(out, data) {
			t.Errorf("got %v, %v", out, err)
		}
		for _, at := range []int{3, 8, 20} {
			v.Data[at] = 1
			if _, err := b.Encode(context.Background(), chunk(), nil, v); err == nil || !strings.Contains(err.Error(), "outside the tile") {
				t.Error(err)
			}
			v.Data[at] = 0
		}
		for _, box := range []nd.Box{{Start: []int{1, 0, 0}, Shape: []int{1, 3, 4}}, {Start: []int{0, 1, 2}, Shape: []int{2, 2, 2}}, {Start: []int{1, 2, 3}, Shape: []int{1, 1, 1}}} {
			for _, src := range []codec.Source{&codec.Memory{Bytes: data}, &codectest.Source{Data: data}} {
				dst := nd.Make(1, box.Shape...)
				if err := b.Decode(context.Background(), chunk(), src, box, dst); err != nil {
					t.Fatal(err)
				}
				part := nd.Make(1, box.Shape...)
				nd.Copy(part, nd.Of(want, 1, 2, 3, 4).Box(box))
				if !bytes.Equal(dst.Data, part.Data) {
					t.Errorf("%v: got %v, want %v", box, dst.Data, part.Data)
				}
			}
		}
	}
}

// The bytes behind "bytes" are little-endian, whatever that makes of them: so
// does the program that the codec comes from.
func TestBehindBytesSamplesAreLittleEndian(t *testing.T) {
	tile16 := entry(`"tile_width":2,"tile_height":1,"bits_per_sample":16`)
	for endian, want := range map[string]string{"little": "\x01\x02\x03\x04", "big": "\x02\x01\x04\x03"} {
		b, err := bind(`[{"name":"bytes","configuration":{"endian":"`+endian+`"}},`+tile16+`]`, "uint16", 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		v, err := decode(b, chunk(), &codec.Memory{Bytes: []byte{1, 2, 3, 4}})
		if err != nil || string(v.Data) != want {
			t.Errorf("%s: got %x, %v", endian, v.Data, err)
		}
	}
}

// A part of a tile that is not compressed costs the rows that hold it, or the
// columns where rows are long.
func TestPartsOfPlainTilesAreReadByThemselves(t *testing.T) {
	const width, height = 20000, 16
	data := make([]byte, 3*width*height)
	for i := range data {
		data[i] = byte(i * 7 / 3)
	}
	for _, planar := range []int{1, 2} {
		b, err := bind(`[`+entry(`"tile_width":%d,"tile_height":%d,"samples_per_pixel":3,"planar_config":%d`, width, height, planar)+`]`, "uint8", 3, height, width)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := decode(b, chunk(), &codec.Memory{Bytes: data})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			near                     bool
			box                      nd.Box
			requests, size           int64 // chunky
			planarRequests, planarSz int64
		}{
			{true, nd.Box{Start: []int{0, 3, 0}, Shape: []int{3, 2, width}}, 1, 2 * 3 * width, 3, 2 * 3 * width},
			{true, nd.Box{Start: []int{1, 3, 5}, Shape: []int{1, 4, 10}}, 4, 4 * 30, 4, 4 * 10},
			{false, nd.Box{Start: []int{1, 3, 5}, Shape: []int{1, 4, 10}}, 1, 4 * 3 * width, 1, 4 * width},
			{true, nd.Box{Start: []int{0, 0, 0}, Shape: []int{3, height, width}}, 1, 3 * width * height, 3, 3 * width * height},
		} {
			src := &codectest.Source{Data: data, IsNear: c.near}
			dst := nd.Make(1, c.box.Shape...)
			if err := b.Decode(context.Background(), chunk(), src, c.box, dst); err != nil {
				t.Fatal(err)
			}
			want := nd.Make(1, c.box.Shape...)
			nd.Copy(want, whole.Box(c.box))
			if !bytes.Equal(dst.Data, want.Data) {
				t.Errorf("planar %d, %v: differs", planar, c.box)
			}
			requests, size := c.requests, c.size
			if planar == 2 {
				requests, size = c.planarRequests, c.planarSz
			}
			if src.Requests.Load() != requests || src.Bytes.Load() != size {
				t.Errorf("planar %d, %v near %v: %d requests of %d bytes, want %d of %d", planar, c.box, c.near, src.Requests.Load(), src.Bytes.Load(), requests, size)
			}
		}
	}
}

// endless is a source of so many bytes, the low ones of where they are.
type endless struct {
	size    int64
	largest int64
}

func (e *endless) Get(_ context.Context, r store.Range, dst []byte) ([]byte, store.Info, error) {
	off, n, err := r.Resolve(e.size)
	if err != nil {
		return dst, store.Info{}, err
	}
	e.largest = max(e.largest, n)
	for i := range n {
		dst = append(dst, byte((off+i)>>20))
	}
	return dst, store.Info{Size: e.size}, nil
}

func (*endless) Near() bool { return true }

func TestALargeStripNeedsLittleMemory(t *testing.T) {
	const width, height = 1 << 14, 1 << 18
	b, err := bind(`[`+entry(`"tile_width":%d,"tile_height":%d,"bits_per_sample":16,"byte_order":"big"`, width, height)+`]`, "uint16", height, width)
	if err != nil {
		t.Fatal(err)
	}
	src := &endless{size: 2 * width * height}
	box := nd.Box{Start: []int{height - 512, 0}, Shape: []int{512, width}}
	dst := nd.Make(2, box.Shape...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := b.Decode(context.Background(), chunk(), src, box, dst); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 && !race.Enabled {
		t.Errorf("took %d bytes", n)
	}
	if src.largest > 1<<20 {
		t.Errorf("asked for %d bytes", src.largest)
	}
	for y := range 512 {
		if got, want := dst.At(y, 9)[0], byte((2*width*(height-512+y))>>20); got != want {
			t.Fatalf("row %d is %d, want %d", y, got, want)
		}
	}
}

// FuzzParse reads configurations: one that is taken is written so that it is read
// the same again.
func FuzzParse(f *testing.F) {
	for _, config := range []string{
		`{}`, `{"compression":5,"predictor":2,"tile_width":16}`, `{"compression":7,"photometric":6,"samples_per_pixel":3,"quality":90,"subsampling":[2,1],"jpeg_tables":"base64:/9j/2Q=="}`,
		`{"bits_per_sample":16,"packed_bits":12,"byte_order":"big"}`, `{"compression":50000,"level":-4,"jpeg_tables":null}`, `{"tile_width":-1}`, `{"compression":34712}`,
	} {
		f.Add([]byte(config))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, config []byte) {
		c, err := tifftile.Parse(nil, tifftile.Name, config)
		if err != nil {
			return
		}
		first, err := c.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var e struct{ Configuration json.RawMessage }
		if err := json.Unmarshal(first, &e); err != nil {
			t.Fatal(err)
		}
		again, err := tifftile.Parse(nil, tifftile.Name, e.Configuration)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, err := again.MarshalJSON(); err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s became %s, %v", first, second, err)
		}
		l, m := c.(*tifftile.Codec).Layout(), again.(*tifftile.Codec).Layout()
		if !bytes.Equal(l.JPEGTables, m.JPEGTables) {
			t.Fatal("tables changed")
		}
	})
}

func Example() {
	r := codec.NewRegistry()
	r.Register(tifftile.Parse, tifftile.Name)
	chain, err := r.ParseList(json.RawMessage(`[{"name": "` + tifftile.Name + `", "configuration": {
		"compression": 5, "predictor": 2, "samples_per_pixel": 3, "photometric": 2, "tile_width": 2, "tile_height": 1}}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, err := chain.Bind(codec.Spec{Type: dtype.MustParse("uint8"), Shape: []int{3, 1, 2}, Fill: []byte{0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ck := &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 20}}
	data, err := bound.Encode(context.Background(), ck, nil, nd.Of([]byte{1, 2, 10, 20, 100, 200}, 1, 3, 1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	blue := nd.Make(1, 1, 1, 2)
	err = bound.Decode(context.Background(), ck, &codec.Memory{Bytes: data}, nd.Box{Start: []int{2, 0, 0}, Shape: []int{1, 1, 2}}, blue)
	fmt.Println(len(data), blue.Data, err)
	// Output: 8 [100 200] <nil>
}
