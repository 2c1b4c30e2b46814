package blosc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

// golden is a frame that another library wrote.
type golden struct {
	By        string `json:"by"`
	CName     string `json:"cname"`
	Shuffle   int    `json:"shuffle"`
	TypeSize  int    `json:"typesize"`
	Bytes     int    `json:"bytes"`
	BlockSize int    `json:"blocksize"`
	CLevel    int    `json:"clevel"`
	Frame     []byte `json:"frame"`
}

func (g golden) String() string {
	return fmt.Sprintf("%s %s%d shuffle %d, %d bytes of %d, blocks of %d", g.By, g.CName, g.CLevel, g.Shuffle, g.Bytes, g.TypeSize, g.BlockSize)
}

// data is what the golden frames hold.
func (g golden) data() []byte {
	out := make([]byte, g.Bytes)
	for i := range out {
		if i%8 < 2 {
			out[i] = byte(i >> 6 * 7)
		} else {
			out[i] = byte(i % 8 * 17)
		}
	}
	return out
}

func (g golden) options() Options {
	c, _ := LookupCompressor(g.CName)
	return Options{c, g.CLevel, Shuffle(g.Shuffle), g.TypeSize, g.BlockSize}
}

// goldens are frames by numcodecs 0.17.1 (c-blosc 1.21.7.dev), and those with
// Snappy, which it lacks, by imagecodecs 2026.10.10 (c-blosc 1.21.6).
func goldens(t testing.TB) []golden {
	t.Helper()
	file, err := os.Open("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out []golden
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		out = append(out, g)
	}
	if len(out) < 100 {
		t.Fatalf("%d frames", len(out))
	}
	return out
}

func TestFramesOfOthersAreRead(t *testing.T) {
	for _, g := range goldens(t) {
		got, err := Decode([]byte("begin"), g.Frame, g.Bytes)
		if err != nil || !bytes.Equal(got, append([]byte("begin"), g.data()...)) {
			t.Errorf("%v: differs, %v", g, err)
		}
		checkBlocks(t, g.String(), g.Frame, g.data())
	}
}

// checkBlocks decodes block by block, from just the bytes that the index names.
func checkBlocks(t *testing.T, name string, frame, want []byte) {
	t.Helper()
	h, err := ParseHeader(frame)
	if err != nil {
		t.Fatal(err)
	}
	x, err := ParseIndex(h, frame[:h.IndexLen()])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for i := h.Blocks() - 1; i >= 0; i-- {
		lo, hi := h.Block(i)
		start, end := x.Range(i)
		got := make([]byte, hi-lo)
		if err := x.DecodeBlock(got, i, bytes.Clone(frame[start:end])); err != nil || !bytes.Equal(got, want[lo:hi]) {
			t.Errorf("%s: block %d differs, %v", name, i, err)
		}
	}
}

// The header of our frame, where it does not depend on how well the compressor
// does, is that of c-blosc: blocks are cut and split alike.
func TestHeadersAreThoseOfOthers(t *testing.T) {
	for _, g := range goldens(t) {
		got, err := Encode(nil, g.data(), g.options())
		if err != nil {
			t.Fatal(err)
		}
		if string(got[:2]) != string(g.Frame[:2]) || (got[2]^g.Frame[2])&^flagStored != 0 || string(got[3:12]) != string(g.Frame[3:12]) {
			t.Errorf("%v: header % x, want % x", g, got[:16], g.Frame[:16])
		}
	}
}

// Block sizes by blosc_compress of c-blosc 1.21.7.dev, through numcodecs 0.17.1.
func TestBlockSizesAreThoseOfOthers(t *testing.T) {
	for _, c := range blockSizes {
		if got := (Options{Compressor: c.compressor, Level: c.level, TypeSize: c.typeSize, BlockSize: c.forced}).blockSize(c.bytes); got != c.want {
			t.Errorf("%v%d, elements of %d, %d bytes, forced %d: blocks of %d, want %d", c.compressor, c.level, c.typeSize, c.bytes, c.forced, got, c.want)
		}
	}
}

func everyOption(do func(o Options)) {
	for c := BloscLZ; c <= Zstd; c++ {
		for level := range 10 {
			if race.Enabled && level%4 != 1 {
				continue // it takes many times as long
			}
			for s := NoShuffle; s <= BitShuffle; s++ {
				do(Options{Compressor: c, Level: level, Shuffle: s})
			}
		}
	}
}

// sample is data of some kind.
func sample(r *rand.Rand, n int) []byte {
	out := make([]byte, n)
	kind, step := r.IntN(5), 1+r.IntN(300)
	for i := range out {
		switch kind {
		case 0: // noise
			out[i] = byte(r.Uint32())
		case 1: // steps
			out[i] = byte(i / step)
		case 2: // a pattern
			out[i] = byte(i % step)
		case 3: // noise in every other byte
			out[i] = byte(r.Uint32()) * byte(i&1)
		}
	}
	return out
}

func TestWhatIsEncodedIsDecoded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	everyOption(func(o Options) {
		for range rounds() {
			o.TypeSize = []int{1 + r.IntN(17), 1 << r.IntN(5), 255, 256}[r.IntN(4)]
			o.BlockSize = []int{0, 1 + r.IntN(5000)}[r.IntN(2)]
			src := sample(r, []int{r.IntN(300), r.IntN(30000), 128, 8 * o.TypeSize * r.IntN(40)}[r.IntN(4)])
			name := fmt.Sprintf("%+v of %d bytes", o, len(src))
			frame, err := Encode([]byte("begin"), src, o)
			if err != nil || !strings.HasPrefix(string(frame), "begin") {
				t.Fatalf("%s: %v", name, err)
			}
			frame = frame[5:]
			if len(frame) > MaxLen(len(src)) {
				t.Errorf("%s: %d bytes", name, len(frame))
			}
			// Exactly the room that is needed, and much of it.
			for _, room := range []int{len(src), 3 * len(src)} {
				got, err := Decode(make([]byte, 0, room), frame, len(src))
				if err != nil || !bytes.Equal(got, src) {
					t.Fatalf("%s: differs, %v", name, err)
				}
			}
			checkBlocks(t, name, frame, src)
			if len(src) > 0 {
				if _, err := Decode(nil, frame, len(src)-1); err == nil {
					t.Errorf("%s: more than the limit was decoded", name)
				}
			}
		}
	})
}

// Blocks that are encoded at once, in whatever order, become the bytes that they become one
// behind the other, also where the room for them ends before they do.
func TestBlocksAreEncodedApart(t *testing.T) {
	backwards := func(n int, part func(i int) error) error {
		for i := n - 1; i >= 0; i-- {
			if err := part(i); err != nil {
				return err
			}
		}
		return nil
	}
	n := thorough.Of(2, 3)<<20 + 1234 // three parts, or four
	r := rand.New(rand.NewPCG(5, 6))
	noise, smooth := make([]byte, n), make([]byte, n)
	for i := range noise {
		noise[i], smooth[i] = byte(r.Uint32()), byte(i>>10)
	}
	late := append(slices.Clone(smooth[:30_000]), noise[:n-30_000]...) // what it gains at first is soon used up
	tight := slices.Clone(noise)
	copy(tight[n-200_000:], smooth) // a gain that comes too late, or just in time
	var want, got, back []byte      // which keep their room
	for _, c := range []Compressor{LZ4, Zstd, BloscLZ, Snappy, Zlib, LZ4HC} {
		for _, s := range []Shuffle{NoShuffle, ByteShuffle, BitShuffle} {
			if !thorough.Enabled && c != LZ4 && (int(c)+int(s))%3 != 0 {
				continue
			}
			if thorough.Least(c != LZ4 || s != ByteShuffle, false, false) {
				continue
			}
			for _, size := range thorough.Least([]int{10_000}, []int{0, 10_000}, []int{0, 10_000}) {
				if !thorough.Enabled && c != LZ4 && (size == 0) != (c == Zstd) {
					continue // how a frame is cut does not go by who compresses its blocks, but by whether they are split
				}
				if !thorough.Enabled && c == LZ4 && s != ByteShuffle && (size == 0) != (s == BitShuffle) {
					continue // nor by how they are shuffled
				}
				o := Options{Compressor: c, Level: 1, Shuffle: s, TypeSize: 2, BlockSize: size}
				for name, src := range map[string][]byte{"noise": noise, "smooth": smooth, "late": late, "tight": tight} {
					if !thorough.Enabled && (c != LZ4 || s != ByteShuffle) && (name == "noise" || name == "late") {
						continue // of which the others are made
					}
					var err, perr error
					want, err = Encode(append(want[:0], "before"...), src, o)
					got, perr = EncodeParts(append(got[:0], "before"...), src, o, backwards)
					if err != nil || perr != nil || !bytes.Equal(got, want) {
						t.Fatalf("%v: %s: other bytes, %d for %d: %v, %v", o, name, len(got), len(want), err, perr)
					}
					if back, err = Decode(back[:0], got[len("before"):], n); err != nil || !bytes.Equal(back, src) {
						t.Fatalf("%v: %s does not come back: %v", o, name, err)
					}
				}
			}
		}
	}
}

// A frame may be decoded into the middle of somebody's array.
func TestNothingBehindTheCapacityIsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	everyOption(func(o Options) {
		o.TypeSize, o.BlockSize = 1+r.IntN(16), 4096
		src := sample(r, 4096+r.IntN(20000))
		frame, err := Encode(nil, src, o)
		if err != nil {
			t.Fatal(err)
		}
		mem := bytes.Repeat([]byte{0xa5}, len(src)+200)
		got, err := Decode(mem[100:100:100+len(src)], frame, len(src))
		if err != nil || !bytes.Equal(got, src) || &got[0] != &mem[100] {
			t.Fatalf("%+v: elsewhere or different, %v", o, err)
		}
		for _, b := range slices.Concat(mem[:100], mem[100+len(src):]) {
			if b != 0xa5 {
				t.Fatalf("%+v: something around was written", o)
			}
		}
	})
}

// Threads of c-blosc write blocks in the order in which they are done.
func TestBlocksMayStandInAnyOrder(t *testing.T) {
	src := golden{Bytes: 9000}.data()
	frame, err := Encode(nil, src, Options{Compressor: Zstd, Level: 5, Shuffle: ByteShuffle, TypeSize: 4, BlockSize: 1000})
	if err != nil {
		t.Fatal(err)
	}
	h, _ := ParseHeader(frame)
	x, err := ParseIndex(h, frame)
	if err != nil || h.Stored() || h.Blocks() != 9 {
		t.Fatal(h, err)
	}
	out := bytes.Clone(frame[:h.IndexLen()])
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(h.Blocks()) {
		start, end := x.Range(i)
		le.PutUint32(out[HeaderLen+4*i:], uint32(len(out)))
		out = append(out, frame[start:end]...)
	}
	got, err := Decode(nil, out, len(src))
	if err != nil || !bytes.Equal(got, src) {
		t.Error("differs", err)
	}
	checkBlocks(t, "permuted", out, src)
}

func TestNothingIsAllocated(t *testing.T) {
	if race.Enabled {
		t.Skip("pools forget under the race detector")
	}
	src := sample(rand.New(rand.NewPCG(5, 7)), 100000)
	for c := BloscLZ; c <= Zstd; c++ {
		o := Options{Compressor: c, Level: 3, Shuffle: ByteShuffle, TypeSize: 4}
		frame, _ := Encode(nil, src, o)
		dst, out := make([]byte, 0, len(src)+1000), make([]byte, 0, 2*len(src))
		n := testing.AllocsPerRun(20, func() {
			if _, err := Decode(dst, frame, len(src)); err != nil {
				t.Fatal(err)
			}
			if _, err := Encode(out, src, o); err != nil {
				t.Fatal(err)
			}
		})
		if n > 3 {
			t.Errorf("%v: %v allocations", c, n)
		}
	}
}

func Example() {
	data := bytes.Repeat([]byte{1, 0, 2, 0}, 1000)
	frame, err := Encode(nil, data, Options{Compressor: LZ4, Level: 5, Shuffle: ByteShuffle, TypeSize: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := Decode(nil, frame, len(data))
	fmt.Println(len(frame) < 100, bytes.Equal(back, data), err)
	// Output: true true <nil>
}

// rounds is how often random tests repeat.
func rounds() int {
	if race.Enabled {
		return 2
	}
	return thorough.Of(2, 6)
}
