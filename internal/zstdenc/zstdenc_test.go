package zstdenc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic(err)
	}
	return d
})

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// roundTrip encodes src behind a prefix and checks all that AppendEncode promises.
func roundTrip(t failer, src []byte, level int, checksum bool) []byte {
	t.Helper()
	prefix := []byte("prefix")
	got := AppendEncode(prefix[:len(prefix):len(prefix)], src, level, checksum)
	if !bytes.HasPrefix(got, prefix) {
		t.Fatalf("level %d: prefix was overwritten", level)
	}
	frame := got[len(prefix):]
	if len(frame) > MaxEncodedLen(len(src)) {
		t.Fatalf("level %d: %d bytes became %d, more than the bound %d", level, len(src), len(frame), MaxEncodedLen(len(src)))
	}
	var h zstd.Header
	if err := h.Decode(frame); err != nil {
		t.Fatalf("level %d: header: %v", level, err)
	}
	if !h.HasFCS || h.FrameContentSize != uint64(len(src)) || h.HasCheckSum != checksum || h.WindowSize > maxWindow {
		t.Fatalf("level %d: header %+v for %d bytes", level, h, len(src))
	}
	back, err := decoder().DecodeAll(frame, nil)
	if err != nil {
		t.Fatalf("level %d, %d bytes: %v", level, len(src), err)
	}
	if !bytes.Equal(back, src) {
		t.Fatalf("level %d, %d bytes: content differs", level, len(src))
	}
	return frame
}

// roundTripBoth is roundTrip, also without kernels, to the same bytes. Nothing else may be encoded meanwhile.
func roundTripBoth(t failer, src []byte, level int, checksum bool) []byte {
	t.Helper()
	frame := roundTrip(t, src, level, checksum)
	if plain := encodePlain(src, level, checksum); !bytes.Equal(plain, frame) {
		t.Fatalf("level %d, %d bytes: %d bytes by kernels, others, %d, without", level, len(src), len(frame), len(plain))
	}
	return frame
}

func TestRoundTripInputs(t *testing.T) {
	for name, src := range inputs() {
		t.Run(name, func(t *testing.T) {
			if race.Enabled {
				src = src[:min(len(src), 10_000)]
			}
			levels := thorough.Of([]int{-131072, -5, 1, 2, 5}, []int{-131072, -5, -1, 0, 1, 2, 4, 5})
			if len(src) > 1<<20 {
				levels = []int{1, 5}
			}
			for _, level := range levels {
				roundTripBoth(t, src, level, true)
			}
			roundTripBoth(t, src, 3, false)
		})
	}
}

func TestRoundTripDelegated(t *testing.T) {
	in := inputs()
	for _, name := range []string{"empty", "zeros", "random", "text", "noise5", "mixed"} {
		src := in[name]
		if race.Enabled {
			src = src[:min(len(src), 20_000)]
		}
		for i, level := range []int{6, 9, 10, 22} {
			for k, checksum := range []bool{false, true} {
				if (i+k)%thorough.Step(2) != 0 {
					continue
				}
				roundTripBoth(t, src[:min(len(src), thorough.Of(20_000, 150_000))], level, checksum)
			}
		}
	}
}

func TestRoundTripShort(t *testing.T) {
	kinds := map[string][]byte{
		"random": randomBytes(300),
		"text":   text(300),
		"noise":  noisyUint16(150, 5, binary.LittleEndian),
		"zeros":  make([]byte, 300),
		"pairs":  bytes.Repeat([]byte{1, 2}, 150),
		"two":    append(filled(150, 1), filled(150, 2)...),
	}
	for name, b := range kinds {
		for _, level := range []int{1, 3, 5} {
			t.Run(fmt.Sprintf("%s/%d", name, level), func(t *testing.T) {
				for n := 0; n <= len(b); n += thorough.Step(1) {
					roundTripBoth(t, b[:n], level, n%2 == 0)
				}
			})
		}
	}
}

func TestRoundTripBlockEdges(t *testing.T) {
	all := []int{256, 1024, 4096, 16 << 10, 65536 + 256, maxBlock, 2 * maxBlock}
	noise := noisyUint16(maxBlock+64, 5, binary.LittleEndian)
	txt := text(2*maxBlock + 64)
	for _, edge := range thorough.Least([]int{256, 1024, 4096, maxBlock}, all, all) {
		step := thorough.Step(16) // of which one is at the edge
		for d := -17; d <= 17; d++ {
			if d%step != 0 && d*d != 1 {
				continue
			}
			roundTripBoth(t, noise[:edge+d], 3, true)
			roundTripBoth(t, txt[:edge+d], 3, true)
			roundTripBoth(t, txt[:edge+d], 1, true)
		}
	}
}

// TestBeyondWindow covers inputs of several segments and a frame header with a
// window descriptor.
func TestBeyondWindow(t *testing.T) {
	if thorough.Least(true, false, false) {
		t.Skip("nothing here is concurrent")
	}
	var src []byte
	if thorough.Enabled {
		part := append(noisyUint16(1<<20, 5, binary.LittleEndian), text(1<<20)...)
		src = bytes.Repeat(part, 4)[:10<<20+12345]
	} else { // the same again, and only zeros between
		part := append(noisyUint16(1<<16, 5, binary.LittleEndian), text(1<<16)...)
		src = slices.Concat(part, make([]byte, maxWindow+12345-len(part)), part)
	}
	roundTripBoth(t, src, 3, true)
	roundTripBoth(t, src, 1, true)
}

// Segments that are encoded at once, in whatever order, become the bytes that they become
// one behind the other: none knows what was repeated in, or which tables are those of,
// the one before it.
func TestSegmentsAreEncodedApart(t *testing.T) {
	const n = maxSegment + 200_000
	backwards := func(n int, part func(i int) error) error {
		for i := n - 1; i >= 0; i-- {
			if err := part(i); err != nil {
				return err
			}
		}
		return nil
	}
	if race.Enabled {
		t.Skip("nothing here is concurrent")
	}
	kinds := map[string]func() []byte{
		"noise":  func() []byte { return noisyUint16(n/2, 5, binary.LittleEndian) },
		"ramp":   func() []byte { return floatRamp(n / 4) },
		"zeros":  func() []byte { return make([]byte, n) },
		"random": func() []byte { return randomBytes(n) },
		"text":   func() []byte { return bytes.Repeat(text(100_000), n/100_000) },
		// Zeros take no time, and what could go from a segment to the next is where they meet.
		"noise where they meet": func() []byte { return append(make([]byte, n-400_000), noisyUint16(200_000, 5, binary.LittleEndian)...) },
		"text where they meet":  func() []byte { return append(make([]byte, n-400_000), text(400_000)...) },
	}
	var want, got, back []byte // which keep their room
	for _, name := range thorough.Of([]string{"noise where they meet", "text where they meet"}, []string{"noise", "ramp", "zeros", "random", "text"}) {
		src := kinds[name]()
		for _, level := range thorough.Of([]int{3}, []int{-5, 1, 2, 3, 5}) {
			want = AppendEncode(append(want[:0], "before"...), src, level, true)
			var err error
			got, err = AppendEncodeParts(append(got[:0], "before"...), src, level, true, backwards)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: level %d: other bytes, %v", name, level, err)
			}
			if back, err = decoder().DecodeAll(want[len("before"):], back[:0]); err != nil || !bytes.Equal(back, src) {
				t.Errorf("%s: level %d: does not come back: %v", name, level, err)
			}
		}
	}
	failed := errors.New("failed")
	if _, err := AppendEncodeParts(nil, make([]byte, n), 3, true, func(int, func(int) error) error { return failed }); err != failed {
		t.Errorf("the error of a part is %v", err)
	}
}

// TestDeterministic checks that what an encoder did before leaves no trace,
// including around the point where table positions start over.
func TestDeterministic(t *testing.T) {
	src := inputs()["mixed"][:thorough.Least(100_000, 300_000, 600_000)]
	times := thorough.Of(3, 30)
	if race.Enabled {
		times = 2 // nothing here is concurrent
	}
	for _, level := range []int{1, 3} {
		fresh := newEncoder()
		want := fresh.appendSegment(nil, src, 0, level)
		used := newEncoder()
		for i := range times {
			if got := used.appendSegment(nil, src, 0, level); !bytes.Equal(got, want) {
				t.Fatalf("level %d: call %d differs", level, i)
			}
		}
	}
}

// TestRatio guards the compression of the data this package is for.
func TestRatio(t *testing.T) {
	src := noisyUint16(thorough.Of(1<<17, 1<<20), 5, binary.LittleEndian)
	k, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := len(AppendEncode(nil, src, 3, true)), len(k.EncodeAll(src, nil))
	t.Logf("ratio %.3f, klauspost %.3f", float64(len(src))/float64(ours), float64(len(src))/float64(theirs))
	if ours > theirs {
		t.Errorf("level 3 makes %d bytes, klauspost's default %d", ours, theirs)
	}
	if fast := len(AppendEncode(nil, src, 1, true)); fast < ours {
		t.Errorf("level 1 makes %d bytes, level 3 %d", fast, ours)
	}
}

func TestDetectLanes(t *testing.T) {
	for name, want := range map[string]string{
		"noise5": "1", "noise5be": "0", "noise5odd": "0", "noise0": "no", "text": "no",
		"random": "no", "labels": "no", "floatRamp": "no", "zeros": "no", "noise50": "1",
	} {
		src := inputs()[name]
		got := "no"
		if lane, ok := detectLanesIn(src[:min(len(src), maxBlock)]); ok {
			got = fmt.Sprint(lane)
		}
		if got != want {
			t.Errorf("%s: lane %s, want %s", name, got, want)
		}
	}
}

func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Pieces that repeat, some of them with small alphabets, exercise
		// repeated offsets and all kinds of literal sections.
		var src []byte
		for range rapid.IntRange(0, 12).Draw(t, "pieces") {
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				src = append(src, rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "bytes")...)
			case 1:
				src = append(src, rapid.SliceOfN(rapid.ByteRange(0, 3), 0, 400).Draw(t, "few")...)
			case 2:
				src = append(src, filled(rapid.IntRange(0, 70_000).Draw(t, "run"), rapid.Byte().Draw(t, "value"))...)
			case 3:
				n := rapid.IntRange(0, 20_000).Draw(t, "values")
				src = append(src, noisyUint16(n, rapid.Float64Range(0, 60).Draw(t, "sigma"), binary.LittleEndian)...)
			case 4:
				if len(src) > 0 {
					at := rapid.IntRange(0, len(src)-1).Draw(t, "from")
					n := rapid.IntRange(0, len(src)-at).Draw(t, "length")
					src = append(src, src[at:at+n]...)
				}
			}
		}
		roundTripBoth(t, src, rapid.IntRange(-10, 5).Draw(t, "level"), rapid.Bool().Draw(t, "checksum"))
	})
}

func FuzzAppendEncode(f *testing.F) {
	for _, src := range inputs() {
		f.Add(src[:min(len(src), 5000)], 3, uint8(0))
		f.Add(src[:min(len(src), 100)], 1, uint8(3))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, src []byte, level int, repeat uint8) {
		if level > maxOwnLevel {
			level %= maxOwnLevel + 1 // the delegates have tests of their own
		}
		roundTripBoth(t, bytes.Repeat(src, 1+int(repeat)%64), level, repeat%2 == 0)
	})
}

func TestConcurrent(t *testing.T) {
	in := inputs()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for name, src := range in {
				src = src[:min(len(src), thorough.Of(20_000, 140_000))]
				frame := AppendEncode(nil, src, 1+g, true)
				back, err := decoder().DecodeAll(frame, nil)
				if err != nil || !bytes.Equal(back, src) {
					t.Errorf("%s, level %d: %v", name, 1+g, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestMaxEncodedLenSuffices(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 65535, 65536, maxBlock, maxBlock + 1, 3 * maxBlock} {
		if thorough.Least(n == 65535 || n == maxBlock || n > 2*maxBlock, false, false) {
			continue
		}
		src := randomBytes(n)
		dst := make([]byte, 3, 3+MaxEncodedLen(n))
		for _, level := range []int{-1, 1, 3, 7, 12} {
			if got := AppendEncode(dst, src, level, true); &got[0] != &dst[0] {
				t.Errorf("%d bytes at level %d: dst was reallocated", n, level)
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes sync.Pool drop items")
	}
	for _, name := range []string{"noise5", "text", "random"} {
		src := inputs()[name]
		src = src[:thorough.Of(maxBlock+1000, len(src))]
		dst := make([]byte, 0, MaxEncodedLen(len(src)))
		AppendEncode(dst, src, 3, true)
		if n := testing.AllocsPerRun(10, func() { AppendEncode(dst, src, 3, true) }); n >= 1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
