package tifftile_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/codectest"
	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/format/tiff/tiletest"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

// codecs is the list of codecs for a tile, alone or behind "bytes".
func codecs(v tiletest.Tile, behind bool) string {
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
	return &codec.Chunk{Limits: &codec.Limits{MaxChunk: 1 << 30}}
}

func decode(b *codec.Bound, ck *codec.Chunk, src codec.Source) (nd.View, error) {
	spec := b.Spec()
	v := nd.Make(spec.Type.Size(), spec.Shape...)
	for i := range v.Data {
		v.Data[i] = 0xa5
	}
	return v, b.Decode(context.Background(), ck, src, nd.Whole(spec.Shape), v)
}

func TestTilesAreThoseOfLibtiff(t *testing.T) {
	for i, c := range tiletest.Tiles() {
		for k, behind := range []bool{false, true} {
			if thorough.Least(i%6 != 3*k, false, false) {
				continue
			}
			b, err := bind(codecs(c, behind), "")
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			extent := append([]int(nil), b.Spec().Shape...)
			if c.Rows > 0 {
				extent[1] = c.Rows
			}
			for _, e := range [][]int{nil, extent} {
				for _, src := range []codec.Source{&codec.Memory{Bytes: c.Data}, &codectest.Source{Data: c.Data, Unsized: true}} {
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
				if _, err := decode(b, ck, &codec.Memory{Bytes: c.Data}); err == nil && !strings.Contains(string(c.Configuration), `"compression": 7`) {
					t.Errorf("%s: %d rows were enough for an array that has more", c.Name, c.Rows)
				}
			}
		}
	}
}

// Each must end in an error that says what is wrong, or where that is fine too, in
// zeros for what is missing.
func TestBadTilesDoNoHarm(t *testing.T) {
	for _, c := range tiletest.Broken() {
		t.Run(c.Name, func(t *testing.T) {
			for _, behind := range []bool{false, true} {
				for _, inside := range []bool{false, true} {
					testBadTile(t, c, behind, inside)
				}
			}
		})
	}
}

func testBadTile(t *testing.T, c tiletest.Tile, behind, inside bool) {
	b, err := bind(codecs(c, behind), "")
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
			v, err = decode(b, ck, &codec.Memory{Bytes: c.Data})
		} else {
			// Nothing may be written before it is known that the data is not
			// there: all elements may share one.
			shape := b.Spec().Shape
			v = nd.View{Data: make([]byte, 1), Size: 1, Shape: shape, Strides: make([]int, len(shape))}
			err = b.Decode(context.Background(), ck, &codec.Memory{Bytes: c.Data}, nd.Whole(shape), v)
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

// FuzzTiles decodes any bytes as a tile of one of the real files: without a panic,
// and the same from memory as by ranges.
func FuzzTiles(f *testing.F) {
	var bounds []*codec.Bound
	for _, c := range tiletest.Tiles() {
		b, err := bind(codecs(c, len(bounds)%2 == 1), "")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint(len(bounds)), c.Data)
		bounds = append(bounds, b)
	}
	for i, c := range tiletest.Broken() {
		f.Add(uint(i), c.Data)
	}
	fuzzlong.Fuzz(f, func(t *testing.T, which uint, data []byte) {
		b := bounds[which%uint(len(bounds))]
		v, err := decode(b, chunk(), &codec.Memory{Bytes: data})
		w, other := decode(b, chunk(), &codectest.Source{Data: data})
		if (err == nil) != (other == nil) {
			t.Fatalf("%v from memory, %v by ranges", err, other)
		}
		if err == nil && !bytes.Equal(v.Data, w.Data) {
			t.Fatal("other samples by ranges")
		}
	})
}
