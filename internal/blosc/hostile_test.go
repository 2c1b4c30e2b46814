package blosc

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
)

func TestWrongHeaders(t *testing.T) {
	src := bytes.Repeat([]byte{1, 0, 2, 0}, 1000)
	frame, err := Encode(nil, src, Options{Compressor: LZ4, Level: 5, Shuffle: ByteShuffle, TypeSize: 2, BlockSize: 512})
	if err != nil {
		t.Fatal(err)
	}
	put := func(at int, v uint32) func([]byte) []byte {
		return func(b []byte) []byte { le.PutUint32(b[at:], v); return b }
	}
	set := func(at int, v byte) func([]byte) []byte {
		return func(b []byte) []byte { b[at] = v; return b }
	}
	first := int(le.Uint32(frame[HeaderLen:]))
	for name, change := range map[string]func([]byte) []byte{
		"empty":                        func(b []byte) []byte { return nil },
		"half a header":                func(b []byte) []byte { return b[:15] },
		"no index":                     func(b []byte) []byte { return b[:16] },
		"cut short":                    func(b []byte) []byte { return b[:len(b)-1] },
		"version of Blosc 2":           set(0, 5),
		"version of the stream":        set(1, 2),
		"reserved flag":                set(2, frame[2]|flagReserved),
		"unknown compressor":           set(2, 5<<flagsFormat),
		"stored, but not that long":    set(2, frame[2]|flagStored),
		"no element size":              set(3, 0),
		"more bytes":                   put(4, 4001),
		"fewer bytes":                  put(4, 3999),
		"far too many bytes":           put(4, 1<<31-1),
		"negative bytes":               put(4, 1<<31),
		"no block size":                put(8, 0),
		"negative block size":          put(8, 1<<31),
		"tiny blocks":                  put(8, 1),
		"huge blocks":                  put(8, 1<<30),
		"frame shorter than a header":  put(12, 15),
		"negative length":              put(12, 1<<31|1000),
		"longer than it is":            put(12, uint32(len(frame)+1)),
		"shorter than it is":           put(12, uint32(len(frame)-1)),
		"block in the header":          put(HeaderLen, 8),
		"block in the index":           put(HeaderLen, 16),
		"block behind the end":         put(HeaderLen, uint32(len(frame))),
		"block before the start":       put(HeaderLen, 1<<31),
		"stream longer than the frame": put(first, 1<<20),
		"stream of negative length":    put(first, 1<<32-3),
		"run marker of Blosc 2":        put(first, 1<<32-1),
		"stream of no bytes":           put(first, 0),
	} {
		b := change(bytes.Clone(frame))
		if _, err := Decode(nil, b, len(src)); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
}

// All blocks may name the same stream, which must not be a long one that holds
// little: reading would take the square of the length.
func TestLongStreamsOfLittleAreRefused(t *testing.T) {
	const n = 300
	frame := make([]byte, HeaderLen+4*n)
	Header{Bytes: n, BlockSize: 1, TypeSize: 1, flags: byte(formatZstd)<<flagsFormat | flagWhole}.put(frame)
	for i := range n {
		le.PutUint32(frame[HeaderLen+4*i:], uint32(len(frame)))
	}
	stream := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, 1}
	for range 1000 {
		stream = append(stream, 0, 0, 0) // a block of nothing
	}
	stream = append(stream, 9, 0, 0, 'x') // the last one, of a byte
	frame = le.AppendUint32(frame, uint32(len(stream)))
	frame = append(frame, stream...)
	le.PutUint32(frame[12:], uint32(len(frame)))
	if _, err := Decode(nil, frame, n); err == nil {
		t.Error("no error")
	}
	// A stream of a sensible length is read by every block.
	frame = frame[:HeaderLen+4*n]
	stream = []byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 9, 0, 0, 'x'}
	frame = le.AppendUint32(frame, uint32(len(stream)))
	frame = append(frame, stream...)
	le.PutUint32(frame[12:], uint32(len(frame)))
	got, err := Decode(nil, frame, n)
	if err != nil || string(got) != string(bytes.Repeat([]byte("x"), n)) {
		t.Errorf("%q, %v", got, err)
	}
}

// Damaged frames give an error or the wanted number of bytes, and the same whole
// as block by block.
func decodeBoth(t *testing.T, frame []byte, limit int) {
	got, err := Decode(nil, frame, limit)
	if err == nil && len(got) > limit {
		t.Fatalf("%d bytes, at most %d are possible", len(got), limit)
	}
	h, herr := ParseHeader(frame)
	if herr != nil || h.Bytes > limit || h.Length > len(frame) {
		if err == nil {
			t.Fatalf("header: %v", herr)
		}
		return
	}
	if err == nil && len(got) != h.Bytes {
		t.Fatalf("%d bytes instead of %d", len(got), h.Bytes)
	}
	x, xerr := ParseIndex(h, frame[:h.IndexLen()])
	if xerr != nil {
		if err == nil {
			t.Fatal(xerr)
		}
		return
	}
	for i := range h.Blocks() {
		lo, hi := h.Block(i)
		start, end := x.Range(i)
		mem := make([]byte, hi-lo)
		if berr := x.DecodeBlock(mem, i, frame[start:end]); berr == nil && err == nil && !bytes.Equal(mem, got[lo:hi]) {
			t.Fatalf("block %d differs", i)
		}
	}
}

func TestDamageDoesNoHarm(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, g := range goldens(t) {
		for range 7 * rounds() {
			b := bytes.Clone(g.Frame)
			for range 1 + r.IntN(3) {
				b[r.IntN(len(b))] ^= 1 << r.IntN(8)
			}
			if r.IntN(4) == 0 {
				b = b[:r.IntN(len(b)+1)]
			}
			decodeBoth(t, b, g.Bytes)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, g := range goldens(f) {
		if g.Bytes < 10000 {
			f.Add(g.Frame)
		}
	}
	fuzzlong.Fuzz(f, func(t *testing.T, frame []byte) { decodeBoth(t, frame, 1<<16) })
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("some bytes"), byte(1), byte(5), byte(1), byte(2), uint16(0))
	f.Add(bytes.Repeat([]byte{1, 2, 3, 4}, 200), byte(5), byte(3), byte(2), byte(4), uint16(200))
	fuzzlong.Fuzz(f, func(t *testing.T, src []byte, c, level, s, size byte, block uint16) {
		o := Options{Compressor(c % 6), int(level % 10), Shuffle(s % 3), int(size), int(block)}
		frame, err := Encode(nil, src, o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(nil, frame, len(src))
		if err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%+v: differs, %v", o, err)
		}
	})
}

func TestAFewBytesDoNotHoldMillions(t *testing.T) {
	for _, c := range []Compressor{BloscLZ, LZ4, Snappy, Zlib, Zstd} {
		frame, err := Encode(nil, make([]byte, 1<<20), Options{Compressor: c, Level: 9, TypeSize: 1})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := Decode(nil, frame, 1<<30); err != nil || len(out) != 1<<20 {
			t.Errorf("%v: zeros in %d bytes: %d, %v", c, len(frame), len(out), err)
		}
		le.PutUint32(frame[4:], 1<<30)
		le.PutUint32(frame[8:], 1<<28)
		if _, err := Decode(nil, frame, 1<<30); err == nil || !strings.Contains(err.Error(), "claims") && !strings.Contains(err.Error(), "index") {
			t.Errorf("%v: got %v", c, err)
		}
	}
}
