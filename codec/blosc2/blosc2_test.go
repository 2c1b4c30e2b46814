package blosc2_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/codec/blosc2"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/shuffle"
	"github.com/omnizarr/zarr/internal/thorough"
)

func filter(t testing.TB) codec.BytesFilter {
	t.Helper()
	f, err := blosc2.Codec{}.BindBytes(codec.Spec{}, codec.Size{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

type stored struct {
	Name, SHA256 string
	Bytes        int
	Chunk        []byte
}

func chunks(t testing.TB) []stored {
	t.Helper()
	text, err := os.ReadFile("testdata/chunks.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []stored
	if err := json.Unmarshal(text, &list); err != nil || len(list) < 10 {
		t.Fatal(len(list), err)
	}
	return list
}

// The chunks were written by HDF5 2.0.0 with hdf5plugin 7.1.0: all compressors, and no
// filter, shuffled bytes, shuffled bits and differences. The digests are of the same
// arrays in other files.
func TestChunksOfHDF5(t *testing.T) {
	for _, c := range chunks(t) {
		dst := append(make([]byte, 0, 3+c.Bytes), "pre"...)
		data, err := filter(t).Decode(nil, dst, c.Chunk, c.Bytes)
		if err != nil || fmt.Sprintf("%x", sha256.Sum256(data[3:])) != c.SHA256 || &data[0] != &dst[0] {
			t.Errorf("%s: %d bytes, not those of HDF5, %v", c.Name, len(data), err)
		}
		if _, err := filter(t).Decode(nil, nil, c.Chunk, c.Bytes-1); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("%s: more than the limit was decoded: %v", c.Name, err)
		}
	}
}

// head is the header of a chunk of elements of eight bytes; more are its last flags.
func head(flags, more byte, size, block, length int) []byte {
	b := []byte{5, 1, flags | 5, 8}
	for _, n := range []int{size, block, length} {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return append(append(b, make([]byte, 15)...), more)
}

// plain is a chunk that is stored as it is.
func plain(data []byte) []byte {
	return append(head(2, 0, len(data), len(data), 32+len(data)), data...)
}

// framed is a frame of elements of eight bytes, with places in its index and what is
// stored before it.
func framed(size, chunk int, layer, packed []byte, places ...uint64) []byte {
	be := binary.BigEndian
	layers := []byte{0x93, 0xcd, 0, 0, 0xde, 0, 0, 0xdc, 0, 0}
	if layer != nil {
		layers = append([]byte{0x93, 0xcd, 0, 0, 0xde, 0, 1}, "\xa4b2nd\xd2"...)
		layers = be.AppendUint32(layers, uint32(87+len(layers)+4+3))
		layers = append(layers, 0xdc, 0, 1, 0xc6)
		layers = append(be.AppendUint32(layers, uint32(len(layer))), layer...)
	}
	var index []byte
	for _, p := range places {
		index = binary.LittleEndian.AppendUint64(index, p)
	}
	index = plain(index)
	header := 87 + len(layers)
	b := be.AppendUint32([]byte("\x9e\xa8b2frame\x00\xd2"), uint32(header))
	b = be.AppendUint64(append(b, 0xcf), uint64(header+len(packed)+len(index)))
	b = append(b, 0xa4, 0x12, 0, 0, 0)
	b = be.AppendUint64(append(b, 0xd3), uint64(size))
	b = be.AppendUint64(append(b, 0xd3), uint64(len(packed)))
	for _, n := range []int{8, 0, chunk} {
		b = be.AppendUint32(append(b, 0xd2), uint32(n))
	}
	b = append(b, 0xd1, 0, 0, 0xd1, 0, 1, 0xc2, 0xd8, 6)
	b = append(b, make([]byte, 16)...)
	return append(append(append(b, layers...), packed...), index...)
}

// layer is the metalayer of an array of one chunk.
func layer(shape, block []int) []byte {
	b := []byte{0x97, 0, byte(len(shape))}
	for i, list := range [][]int{shape, shape, block} {
		b = append(b, 0x90|byte(len(list)))
		for _, n := range list {
			if i == 0 {
				b = binary.BigEndian.AppendUint64(append(b, 0xd3), uint64(n))
			} else {
				b = binary.BigEndian.AppendUint32(append(b, 0xd2), uint32(n))
			}
		}
	}
	return append(b, 0, 0xdb, 0, 0, 0, 3, '<', 'i', '8')
}

func numbers(list ...uint64) (b []byte) {
	for _, n := range list {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

func TestBlocksAreBoxes(t *testing.T) {
	for _, c := range []struct{ shape, block []int }{
		{[]int{5}, []int{2}}, {[]int{6}, []int{6}}, {[]int{5, 3}, []int{2, 2}}, {[]int{4, 3}, []int{2, 3}},
		{[]int{5, 3}, []int{2, 3}}, {[]int{3, 4, 5}, []int{2, 3, 4}}, {[]int{1, 1, 7}, []int{1, 1, 3}},
	} {
		// Each number is where it is in the array, and blocks are filled up with ones.
		rank, count, boxes := len(c.shape), 1, 1
		grid := make([]int, rank)
		for i, n := range c.shape {
			grid[i] = (n + c.block[i] - 1) / c.block[i]
			count, boxes = count*n, boxes*grid[i]
		}
		var data, want []byte
		for i := range count {
			want = append(want, numbers(uint64(i))...)
		}
		inside := 1
		for _, n := range c.block {
			inside *= n
		}
		for b := range boxes {
			for k := range inside {
				place, step, outside := 0, 1, false
				for i, b, k := rank-1, b, k; i >= 0; i-- {
					at := b%grid[i]*c.block[i] + k%c.block[i]
					outside = outside || at >= c.shape[i]
					place += at * step
					step *= c.shape[i]
					b, k = b/grid[i], k/c.block[i]
				}
				if outside {
					place = math.MaxInt
				}
				data = append(data, numbers(uint64(place))...)
			}
		}
		src := framed(len(data), len(data), layer(c.shape, c.block), plain(data), 0)
		got, err := filter(t).Decode(nil, nil, src, len(want))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d in blocks of %d: %x, not %x, %v", c.shape, c.block, got, want, err)
		}
	}
}

func TestFramesAndChunks(t *testing.T) {
	nan := uint64(0x7ff8 << 48)
	zero := uint64(1)<<63 | 1<<56
	for name, c := range map[string]struct {
		src  []byte
		want []byte
	}{
		"stored":               {plain(numbers(1, 2, 3)), numbers(1, 2, 3)},
		"zeros":                {head(2, 1<<4, 24, 8, 32), numbers(0, 0, 0)},
		"NaN":                  {head(2, 2<<4, 24, 8, 32), numbers(nan, nan, nan)},
		"one value":            {append(head(2, 3<<4, 24, 8, 40), numbers(7)...), numbers(7, 7, 7)},
		"a value of 3":         {append(head(2, 3<<4, 12, 12, 35), "abc"...), []byte("abcabcabcabc")},
		"never written":        {head(2, 4<<4, 16, 8, 32), numbers(0, 0)},
		"nothing":              {head(2, 0, 0, 0, 32), nil},
		"runs of bytes":        {append(head(0x10, 0, 16, 8, 49), 40, 0, 0, 0, 44, 0, 0, 0, 0, 0, 0, 0, 0xf9, 0xff, 0xff, 0xff, 1), append(make([]byte, 8), 7, 7, 7, 7, 7, 7, 7, 7)},
		"a frame of nothing":   {framed(0, 0, nil, nil), nil},
		"a frame":              {framed(24, 24, nil, plain(numbers(1, 2, 3)), 0), numbers(1, 2, 3)},
		"two chunks":           {framed(24, 16, nil, append(plain(numbers(3)), plain(numbers(1, 2))...), 40, 0), numbers(1, 2, 3)},
		"chunks not stored":    {framed(40, 8, nil, plain(numbers(9)), zero, 0, uint64(1)<<63|2<<56, uint64(1)<<63|4<<56, 0), numbers(0, 9, nan, 0, 9)},
		"an array not stored":  {framed(16, 16, layer([]int{2}, []int{2}), nil, zero), numbers(0, 0)},
		"an array of no rows":  {framed(0, 0, layer([]int{0, 2}, []int{1, 2}), nil), nil},
		"bytes behind a frame": {append(framed(8, 8, nil, plain(numbers(5)), 0), 1, 2, 3), numbers(5)},
	} {
		if got, err := filter(t).Decode(nil, []byte("pre"), c.src, len(c.want)); err != nil || string(got) != "pre"+string(c.want) {
			t.Errorf("%s: %x, not %x, %v", name, got, c.want, err)
		}
	}
}

// The differences of a second block are to the first; filters are undone from the last.
func TestFilters(t *testing.T) {
	data := numbers(0x0102030405060708, 0x1112131415161718, 9, 10, 11, 12)
	delta := func(b []byte) []byte {
		out := bytes.Clone(b)
		for i := range b {
			if i < 32 && i >= 8 {
				out[i] ^= b[i-8]
			} else if i >= 32 {
				out[i] ^= b[i-32]
			}
		}
		return out
	}
	shuffled := func(b []byte, size int) []byte { // in blocks of 32
		out := make([]byte, 0, len(b))
		for block := range slices.Chunk(b, 32) {
			part := make([]byte, len(block))
			shuffle.Shuffle(part, block, size)
			out = append(out, part...)
		}
		return out
	}
	for name, c := range map[string]struct{ codes, meta, packed []byte }{
		"differences":          {[]byte{3}, nil, delta(data)},
		"shuffled differences": {[]byte{3, 4, 0, 0, 1}, nil, shuffled(delta(data), 8)},
		"shuffled by pairs":    {[]byte{0, 1}, []byte{0, 2}, shuffled(data, 2)},
		"shuffled three times": {[]byte{1, 1, 1}, []byte{2, 0, 4}, shuffled(shuffled(shuffled(data, 2), 8), 4)},
		"bits of few elements": {[]byte{2}, nil, data},
	} {
		src := head(0x10, 0, 48, 32, 96)
		copy(src[16:], c.codes)
		copy(src[24:], c.meta)
		src = append(src, 40, 0, 0, 0, 76, 0, 0, 0, 32, 0, 0, 0)
		src = append(append(src, c.packed[:32]...), 16, 0, 0, 0)
		src = append(src, c.packed[32:]...)
		if got, err := filter(t).Decode(nil, nil, src, 48); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: %x, not %x, %v", name, got, data, err)
		}
	}
}

func TestWhatIsNotKnown(t *testing.T) {
	filters := func(codes ...byte) []byte {
		b := append(head(0x10, 0, 8, 8, 44), 36, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		copy(b[16:], codes)
		return b
	}
	change := func(b []byte, at int, to ...byte) []byte {
		copy(b[at:], to)
		return b
	}
	frame := func() []byte { return framed(8, 8, layer([]int{1}, []int{1}), plain(numbers(5)), 0) }
	for want, src := range map[string][]byte{
		"0 bytes are too few for the header":               nil,
		"version 2 with flags 0x05":                        change(head(0, 0, 8, 8, 40), 0, 2),
		"claims 4294967295 bytes":                          head(0, 0, -1, 8, 40),
		"flags 0x01 0x00 of the Blosc 2 header":            head(0, 1, 8, 8, 40),
		"elements of no bytes":                             change(head(0, 0, 8, 8, 40), 3, 0),
		"8 bytes of a value of 0":                          head(2, 3<<4, 8, 8, 32),
		"8 bytes of NaN of 2":                              change(head(2, 2<<4, 8, 8, 32), 3, 2),
		"special value 5 is not known":                     head(2, 5<<4, 8, 8, 32),
		"claims blocks of 9 bytes, 8 bytes in all":         head(0, 0, 8, 9, 40),
		"8 bytes, stored in a chunk of 41":                 head(2, 0, 8, 8, 41),
		"compressor 6 of Blosc 2 is not known":             head(6<<5, 0, 8, 8, 40),
		"claims 8 blocks in a chunk of 40 bytes":           head(0, 0, 8, 1, 40),
		"32 bytes of a Blosc 2 chunk of 40":                head(0, 0, 8, 8, 40),
		"filter 33 of Blosc 2 is not known":                filters(33),
		"a difference of what was shuffled is not known":   filters(1, 3),
		"block 0 begins at byte 35":                        change(filters(), 32, 35),
		"a stream of 8 bytes claims 9, with 4 left":        change(filters(), 36, 9),
		"a stream of length -1 is not known":               change(filters(), 36, 255, 255, 255, 255),
		"50 bytes are too few for its header":              frame()[:50],
		"of which 150 are there":                           frame()[:150],
		"members of other types":                           change(frame(), 24, 0xa5),
		"a header of 1 bytes":                              change(frame(), 11, 0, 0, 0, 1),
		"not all as long":                                  change(frame(), 58, 0, 0, 0, 0),
		"its elements have 0 bytes":                        change(frame(), 48, 0, 0, 0, 0),
		"numbers of another width":                         change(frame(), 25, 2),
		"no list of metalayers":                            change(frame(), 87, 0),
		"no map of metalayers":                             change(frame(), 91, 0x80),
		"an array of [2] in blocks of [1] has not 8 bytes": framed(8, 8, layer([]int{2}, []int{1}), plain(numbers(5)), 0),
		"an array of [1] has blocks of [2]":                framed(8, 8, layer([]int{1}, []int{2}), plain(numbers(5)), 0),
		"an array of version 0 and rank 0":                 framed(8, 8, layer(nil, nil), plain(numbers(5)), 0),
		"begins at byte 41 of 40":                          framed(8, 8, nil, plain(numbers(5)), 41),
		"the special value 3":                              framed(8, 8, nil, nil, 1<<63|3<<56),
		"holds 8 bytes instead of 16":                      framed(16, 16, nil, plain(numbers(5)), 0),
		"index of a Blosc 2 frame: holds 8 bytes":          framed(16, 8, nil, plain(numbers(5)), 0),
	} {
		if got, err := filter(t).Decode(nil, nil, src, 1000); !errors.Is(err, codec.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%x: %d bytes, %v; want %s", src, len(got), err, want)
		}
	}
	if _, err := filter(t).Encode(nil, nil, nil); err == nil || !strings.Contains(err.Error(), "only read") {
		t.Error(err)
	}
	if _, err := registry().Parse(codec.Entry{Name: blosc2.Name, Config: json.RawMessage(`{"clevel":5}`)}); err == nil || !strings.Contains(err.Error(), `unknown member "clevel"`) {
		t.Error(err)
	}
}

// Damage is an error or other values, never more than was asked for.
func TestDamage(t *testing.T) {
	for _, c := range chunks(t) {
		for i := 0; i < 8*len(c.Chunk); i += 7 * thorough.Step(1) {
			bad := bytes.Clone(c.Chunk)
			bad[i/8] ^= 1 << (i % 8)
			if out, err := filter(t).Decode(nil, nil, bad, c.Bytes); err == nil && len(out) > c.Bytes {
				t.Fatalf("%s: bit %d changed: %d bytes", c.Name, i, len(out))
			}
		}
		for n := 0; n < len(c.Chunk); n += thorough.Step(1) {
			if _, err := filter(t).Decode(nil, nil, c.Chunk[:n:n], c.Bytes); err == nil {
				t.Fatalf("%s: %d of %d bytes accepted", c.Name, n, len(c.Chunk))
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range chunks(f) {
		f.Add(c.Chunk)
	}
	f.Add(plain(numbers(1, 2)))
	f.Add(framed(48, 48, layer([]int{3, 1}, []int{2, 1}), plain(make([]byte, 32)), 0))
	fuzzlong.Fuzz(f, func(t *testing.T, data []byte) {
		out, err := filter(t).Decode(nil, []byte("pre"), data, 1<<16)
		if err == nil && (len(out) > 3+1<<16 || string(out[:3]) != "pre") {
			t.Errorf("%d bytes", len(out))
		}
	})
}

func ExampleCodec() {
	f, err := blosc2.Codec{}.BindBytes(codec.Spec{}, codec.Exactly(16))
	if err != nil {
		fmt.Println(err)
		return
	}
	// A chunk whose sixteen bytes are all zero is nothing but its header.
	header := make([]byte, 32)
	copy(header, []byte{5, 1, 7, 8, 16, 0, 0, 0, 16, 0, 0, 0, 32})
	header[31] = 1 << 4
	data, err := f.Decode(nil, nil, header, 16)
	fmt.Println(len(data), err)
	// Output: 16 <nil>
}
