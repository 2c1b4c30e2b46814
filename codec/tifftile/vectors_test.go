package tifftile_test

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/nd"
)

// vector is a tile in a packed file.
type vector struct {
	Name          string
	Configuration json.RawMessage
	Data          string
	SHA256        string
	Rows          int // that are stored, if they are not all

	Expect      string
	MustMention []string `json:"must_mention"`
	MaxAlloc    int      `json:"max_alloc_mb"`

	tile []byte
}

func vectors(t testing.TB, file string) []vector {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	read := func(name string) []byte {
		f, err := z.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var index struct{ Cases []vector }
	if err := json.Unmarshal(read("index.json"), &index); err != nil || len(index.Cases) == 0 {
		t.Fatalf("%s: %v", file, err)
	}
	for i := range index.Cases {
		index.Cases[i].tile = read(index.Cases[i].Data)
	}
	return index.Cases
}

// codecs is the list of codecs for a vector, alone or behind "bytes".
func (v vector) codecs(behind bool) string {
	e := `{"name":"` + tifftile.Name + `","configuration":` + string(v.Configuration) + `}`
	if behind {
		return `[{"name":"bytes","configuration":{"endian":"little"}},` + e + `]`
	}
	return `[` + e + `]`
}

// bind fits a list to chunks of the tile's own shape, or the one given.
func bind(codecs, typ string, shape ...int) (*codec.Bound, error) {
	chain, err := registry().ParseList(json.RawMessage(codecs))
	if err != nil {
		return nil, err
	}
	list := chain.Codecs()
	l := list[len(list)-1].(*tifftile.Codec).Layout()
	if shape == nil {
		shape = []int{l.Samples, l.Height, l.Width}
	}
	if typ == "" {
		if typ, err = l.DataType(); err != nil {
			return nil, err
		}
	}
	dt := dtype.MustParse(typ)
	return chain.Bind(codec.Spec{Type: dt, Shape: shape, Fill: make([]byte, dt.Size())})
}

func chunk() *codec.Chunk {
	return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 30, MaxWork: 1 << 40}}
}

func decode(b *codec.Bound, ck *codec.Chunk, src codec.Source) (nd.View, error) {
	spec := b.Spec()
	v := nd.Make(spec.Type.Size(), spec.Shape...)
	for i := range v.Data {
		v.Data[i] = 0xa5
	}
	return v, b.Decode(context.Background(), ck, src, nd.Whole(spec.Shape), v)
}

// The tiles are of files that libtiff 4.5.0, GDAL 3.6.2 and tifffile 2026.10.15
// wrote, one or more of each kind, and the sums are of what libtiff with
// libjpeg-turbo 2.1.5 decodes them to.
func TestTilesAreThoseOfLibtiff(t *testing.T) {
	for _, c := range vectors(t, "testdata/tiles.zip") {
		for _, behind := range []bool{false, true} {
			b, err := bind(c.codecs(behind), "")
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			extent := append([]int(nil), b.Spec().Shape...)
			if c.Rows > 0 {
				extent[1] = c.Rows
			}
			for _, e := range [][]int{nil, extent} {
				for _, src := range []codec.Source{&codec.Memory{Bytes: c.tile}, &codectest.Source{Data: c.tile, Unsized: true}} {
					ck := chunk()
					ck.Extent = e
					v, err := decode(b, ck, src)
					sum := sha256.Sum256(v.Data)
					if err != nil || hex.EncodeToString(sum[:]) != c.SHA256 {
						t.Errorf("%s, %s: differs, %v", c.Name, c.Configuration, err)
					}
				}
			}
			if c.Rows > 0 {
				ck := chunk()
				ck.Extent = b.Spec().Shape
				if _, err := decode(b, ck, &codec.Memory{Bytes: c.tile}); err == nil && !strings.Contains(string(c.Configuration), `"compression": 7`) {
					t.Errorf("%s: %d rows were enough for an array that has more", c.Name, c.Rows)
				}
			}
		}
	}
}

// Each must end in an error that says what is wrong, or where that is fine too, in
// zeros for what is missing.
func TestBadTilesDoNoHarm(t *testing.T) {
	for _, c := range vectors(t, "testdata/bad.zip") {
		t.Run(c.Name, func(t *testing.T) {
			for _, behind := range []bool{false, true} {
				for _, inside := range []bool{false, true} {
					testBadTile(t, c, behind, inside)
				}
			}
		})
	}
}

func testBadTile(t *testing.T, c vector, behind, inside bool) {
	b, err := bind(c.codecs(behind), "")
	var v nd.View
	if err == nil {
		ck := chunk()
		if inside {
			ck.Extent = b.Spec().Shape
		}
		n, ok := nd.Bytes(b.Spec().Shape, 1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if ok && n <= 64<<20 {
			v, err = decode(b, ck, &codec.Memory{Bytes: c.tile})
		} else {
			// Nothing may be written before it is known that the data is not
			// there: all elements may share one.
			shape := b.Spec().Shape
			v = nd.View{Data: make([]byte, 1), Size: 1, Shape: shape, Strides: make([]int, len(shape))}
			err = b.Decode(context.Background(), ck, &codec.Memory{Bytes: c.tile}, nd.Whole(shape), v)
			if v.Data[0] != 0 {
				t.Error("something was written")
			}
		}
		runtime.ReadMemStats(&after)
		most := uint64(c.MaxAlloc) << 20
		if behind {
			most += 64 << 20 // which the chain reserves for what "bytes" says will come
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > most && !race.Enabled {
			t.Errorf("took %d bytes of memory", grown)
		}
	}
	if err == nil {
		if c.Expect == "error" {
			t.Errorf("was decoded, alone %v, inside %v", !behind, inside)
		}
		if strings.Contains(c.Expect, "zero_pad") && v.Data[len(v.Data)-1] != 0 {
			t.Error("what is missing is not zero")
		}
		return
	}
	if strings.Contains(c.Expect, "ok_first") {
		t.Errorf("the tile is there: %v", err)
	}
	for _, want := range c.MustMention {
		if want != "-" && !regexp.MustCompile("(?i)"+want).MatchString(err.Error()) {
			t.Errorf("%v, which does not mention %s", err, want)
		}
	}
	if errors.Is(err, codec.ErrUnknown) {
		t.Errorf("%v is taken for a codec that is missing", err)
	}
	if testing.Verbose() {
		t.Log(err)
	}
}
