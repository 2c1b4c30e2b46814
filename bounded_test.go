package zarr_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// allocates reports how many bytes f allocates.
func allocates(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// MaxChunk bounds chunks whose size metadata tells, too. What can be read in parts
// still is.
func TestMaxChunkBoundsEveryChunk(t *testing.T) {
	length := thorough.Of(1<<20, 4<<20)
	for _, c := range []struct {
		codecs string
		parts  bool
	}{
		{`["bytes"]`, true},
		{`["bytes",{"name":"zstd","configuration":{"level":3,"checksum":false}}]`, false},
		{`["bytes",{"name":"gzip","configuration":{"level":5}}]`, false},
		{`["bytes","crc32c"]`, false},
		{`[{"name":"numcodecs.delta","configuration":{"dtype":"|u1"}},"bytes"]`, false},
		{`[{"name":"numcodecs.pcodec","configuration":{}}]`, false},
	} {
		s := mem.New()
		a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{length}, Chunks: []int{length}, DataType: "uint8", Codecs: json.RawMessage(c.codecs)})
		check(t, err)
		data := make([]uint8, length)
		data[length-1] = 7
		check(t, zarr.Write(ctx, a, zarr.All(), data))
		n, err := zarr.OpenStore(ctx, s, "", zarr.MaxChunk(length/4), zarr.NoPartCache())
		check(t, err)
		small := n.(*zarr.Array)
		var got ndArray[uint8]
		used := allocates(func() { got, err = zarr.Read[uint8](ctx, small, zarr.Slice("-1")) })
		if used > uint64(3*length/4) && !race.Enabled {
			t.Errorf("%s: one element took %d bytes", c.codecs, used)
		}
		switch {
		case c.parts && (err != nil || got.At() != 7):
			t.Errorf("%s: %v, %v", c.codecs, got, err)
		case !c.parts && (!errors.Is(err, codec.ErrTooLarge) || !strings.Contains(err.Error(), "zarr.MaxChunk")):
			t.Errorf("%s: %v", c.codecs, err)
		}
		for info := range small.Grid() {
			if err := small.CheckChunk(ctx, info); c.parts != (err == nil) {
				t.Errorf("%s: checked with %v", c.codecs, err)
			}
		}
		if err := zarr.Write(ctx, small, zarr.Slice("3"), []uint8{1}); !errors.Is(err, codec.ErrTooLarge) {
			t.Errorf("%s: changed with %v", c.codecs, err)
		}
	}
}

// A chunk of 64 bytes whose document says that it has 2⁴⁰ elements is an error and
// not the end of the process.
func TestHugeChunksOfAFewBytes(t *testing.T) {
	for _, codecs := range []string{
		`[{"name":"numcodecs.delta","configuration":{"dtype":"|u1"}},"bytes"]`,
		`[{"name":"numcodecs.pcodec","configuration":{}}]`,
		`[{"name":"numcodecs.fixedscaleoffset","configuration":{"offset":0,"scale":1,"dtype":"|u1","astype":"|u1"}},"bytes","zstd"]`,
		`[{"name":"blosc","configuration":{"cname":"zstd","clevel":5,"shuffle":"noshuffle","typesize":1,"blocksize":0}}]`,
	} {
		s := mem.New()
		for key, text := range map[string]string{
			"zarr.json": fmt.Sprintf(`{"zarr_format":3,"node_type":"array","shape":[%d],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%d]}},`+
				`"chunk_key_encoding":"default","fill_value":0,"codecs":%s}`, 1<<40, 1<<40, strings.Replace(codecs, `[{"name":"blosc"`, `["bytes",{"name":"blosc"`, 1)),
			"c/0": strings.Repeat("x", 64),
		} {
			_, err := s.Put(ctx, key, []byte(text), store.PutOptions{})
			check(t, err)
		}
		n, err := zarr.OpenStore(ctx, s, "")
		check(t, err)
		for _, where := range []string{"0", "-1"} {
			used := allocates(func() { _, err = zarr.Read[uint8](ctx, n.(*zarr.Array), zarr.Slice(where)) })
			if err == nil || used > 64<<20 && !race.Enabled {
				t.Errorf("%s: %d bytes, %v", codecs, used, err)
			}
		}
	}
}

// A chunk that is not stored needs no memory to be checked: the sizes of a TIFF file
// of a few bytes may say that it would have gigabytes.
func TestCheckingAMissingChunkAllocatesNothing(t *testing.T) {
	var file []byte
	le := binary.LittleEndian
	file = append(file, "II*\x00\x08\x00\x00\x00"...)
	tags := [][3]uint32{{256, 4, 46000}, {257, 4, 46000}, {258, 3, 8}, {259, 3, 8}, {262, 3, 1}, {273, 4, 0}, {277, 3, 1}, {278, 4, 46000}, {279, 4, 0}}
	file = le.AppendUint16(file, uint16(len(tags)))
	for _, tag := range tags {
		file = le.AppendUint16(le.AppendUint16(file, uint16(tag[0])), uint16(tag[1]))
		file = le.AppendUint32(le.AppendUint32(file, 1), tag[2])
	}
	file = le.AppendUint32(file, 0)
	name := filepath.Join(t.TempDir(), "sparse.tif")
	check(t, os.WriteFile(name, file, 0o666))
	n, err := zarr.Open(ctx, name, zarr.ReadOnly())
	check(t, err)
	defer n.Close()
	a := n.(*zarr.Array)
	for info := range a.Grid() {
		used := allocates(func() { err = a.CheckChunk(ctx, info) })
		if !errors.Is(err, zarr.ErrMissing) || used > 1<<20 && !race.Enabled {
			t.Errorf("chunk %v of %v took %d bytes, %v", info.Index, slices.Clone(info.Box.Shape), used, err)
		}
	}
}

// Documents of metadata are short unless somebody says that they are not.
func TestDocumentsHaveALimit(t *testing.T) {
	text := func(spaces int) []byte {
		out := bytes.Repeat([]byte(" "), 101+spaces)
		copy(out, `{"zarr_format":3,"node_type":"group","attributes":{"a":1}`)
		out[len(out)-1] = '}'
		return out
	}
	for key, size := range map[string]int{"long/zarr.json": 16 << 20, "short/zarr.json": 15 << 20} {
		if thorough.Least(size < 16<<20, false, false) {
			continue // takes as long as the other
		}
		s := mem.New()
		_, err := s.Put(ctx, key, text(size), store.PutOptions{})
		check(t, err)
		path, _, _ := strings.Cut(key, "/")
		_, err = zarr.OpenStore(ctx, s, path)
		if long := path == "long"; long != errors.Is(err, zarr.ErrTooLarge) || long && !strings.Contains(err.Error(), "zarr.MaxDocument") {
			t.Errorf("%s: %v", path, err)
		}
		if path == "long" || thorough.Enabled {
			_, err = zarr.OpenStore(ctx, s, path, zarr.MaxDocument(17<<20))
			check(t, err)
		}
		if _, err = zarr.OpenStore(ctx, s, path, zarr.MaxDocument(1<<10)); !errors.Is(err, zarr.ErrTooLarge) {
			t.Errorf("%s: %v", path, err)
		}
	}
	v2 := mem.New()
	_, err := v2.Put(ctx, ".zgroup", []byte(`{"zarr_format":2`+strings.Repeat(" ", 16<<20)+`}`), store.PutOptions{})
	check(t, err)
	if _, err := zarr.OpenStore(ctx, v2, ""); !errors.Is(err, zarr.ErrTooLarge) {
		t.Errorf("Zarr v2: %v", err)
	}
}
