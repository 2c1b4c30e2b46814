package zstddec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/internal/zstdenc"
)

// golden is a frame that libzstd 1.5.4 wrote, and what it holds.
type golden struct {
	name, sum string
	size      int
	frame     []byte
}

// goldens are frames of every level over data of every kind.
func goldens(t testing.TB) []golden {
	t.Helper()
	f, err := os.Open("testdata/frames/sums.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []golden
	for {
		var g golden
		if n, _ := fmt.Fscan(f, &g.name, &g.size, &g.sum); n < 3 {
			break
		}
		if g.frame, err = os.ReadFile("testdata/frames/" + g.name + ".zst"); err != nil {
			t.Fatal(err)
		}
		out = append(out, g)
	}
	if len(out) < 80 {
		t.Fatalf("%d frames", len(out))
	}
	return out
}

// contents are data of every kind that decoders treat differently.
var contents = sync.OnceValue(func() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noisy, floats := make([]byte, thorough.Least(150_000, 500_000, 500_000)), make([]byte, 200_000)
	for i := 0; i < len(noisy); i += 2 {
		binary.LittleEndian.PutUint16(noisy[i:], uint16(650+300*math.Sin(float64(i)/3000)+5*r.NormFloat64()))
	}
	for i := 0; i < len(floats); i += 4 {
		binary.LittleEndian.PutUint32(floats[i:], math.Float32bits(float32(math.Round(100*r.NormFloat64())/100)))
	}
	var labels, text []byte
	for len(labels) < 200_000 {
		v := uint32(r.IntN(9)) * 1_000_003
		for range 1 + r.IntN(90) {
			labels = binary.LittleEndian.AppendUint32(labels, v)
		}
	}
	for i := 0; len(text) < 200_000; i++ {
		text = fmt.Appendf(text, "row %d, %d: %x\n", i, r.IntN(50), r.IntN(1<<20)*(i%3))
	}
	bell := make([]byte, 500_000) // nothing to be found again
	for i := range bell {
		bell[i] = byte(20 * r.NormFloat64())
	}
	random := make([]byte, 200_000)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	planes := make([]byte, len(noisy)) // bytes of elements apart
	for i, v := range noisy {
		planes[i/2+i%2*len(noisy)/2] = v
	}
	var periods []byte // short offsets of every kind
	for len(periods) < 200_000 {
		p := 1 + r.IntN(70)
		for i, n := len(periods), 0; n < p+r.IntN(400); n++ {
			if n < p {
				periods = append(periods, byte(r.Uint32()))
			} else {
				periods = append(periods, periods[i+n-p])
			}
		}
	}
	return map[string][]byte{
		"noisy": noisy, "floats": floats, "labels": labels, "text": text, "random": random, "planes": planes, "periods": periods, "bell": bell,
		"zeros": make([]byte, 300_000), "empty": {}, "one": {7}, "mixed": append(append(text[:100_000:100_000], random[:150_000]...), labels...),
	}
})

// encoded are the contents as several encoders write them.
var encoded = sync.OnceValue(func() map[string][]byte {
	out := map[string][]byte{}
	for name, data := range contents() {
		for _, level := range []int{3, 1, -5}[:thorough.Least(1, 3, 3)] {
			out[fmt.Sprint(name, level)] = zstdenc.AppendEncode(nil, data, level, level == 3)
		}
		for _, speed := range []zstd.EncoderLevel{zstd.SpeedDefault} {
			e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(speed), zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
			if err != nil {
				panic(err)
			}
			out[fmt.Sprint(name, speed)] = e.EncodeAll(data, nil)
			e.Close()
		}
	}
	return out
})

var twins sync.Pool

// twin is another decoder's result, as far as dst has room.
func twin(src, dst []byte) ([]byte, error) {
	d, _ := twins.Get().(*zstd.Decoder)
	if d == nil {
		var err error
		d, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(1<<62), zstd.WithDecoderMaxWindow(1<<41+7<<38))
		if err != nil {
			panic(err)
		}
	}
	defer twins.Put(d)
	return d.DecodeAll(src, dst)
}

// damage changes a frame a little.
func damage(r *rand.Rand, frame []byte) []byte {
	b := append([]byte(nil), frame...)
	if len(b) == 0 {
		return b
	}
	// Most of what there is to get wrong stands at the beginning of blocks.
	at := func() int {
		if r.IntN(2) == 0 {
			return r.IntN(min(len(b), 200))
		}
		return r.IntN(len(b))
	}
	for range 1 + r.IntN(3) {
		switch i := at(); r.IntN(8) {
		case 0:
			b = b[:max(1, i)]
		case 1:
			b[i] = byte(r.Uint32())
		case 2:
			b[i] = [...]byte{0, 1, 127, 128, 255}[r.IntN(5)]
		case 3:
			n := r.IntN(min(len(b)-i, 40) + 1)
			b = append(b[:i], b[i+n:]...)
		case 4:
			j := at()
			n := r.IntN(min(len(b)-max(i, j), 40) + 1)
			copy(b[i:i+n], b[j:j+n])
		default:
			b[i] ^= 1 << r.IntN(8)
		}
		if len(b) == 0 {
			return b
		}
	}
	return b
}
