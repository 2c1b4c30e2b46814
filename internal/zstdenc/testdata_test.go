package zstdenc

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/omnizarr/zarr/internal/thorough"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func randomBytes(n int) []byte {
	r := newRand(uint64(n))
	b := make([]byte, n)
	for i := range b {
		b[i] = uint8(r.Uint32())
	}
	return b
}

// wave is the sine and the cosine along a row.
var wave = sync.OnceValue(func() *[128][2]float64 {
	out := new([128][2]float64)
	for x := range out {
		out[x][0], out[x][1] = math.Sincos(float64(x) / 37)
	}
	return out
})

// noisyUint16 makes n values: a slow wave over rows of 128 plus Gaussian noise.
func noisyUint16(n int, sigma float64, order binary.ByteOrder) []byte {
	r := newRand(uint64(n) + uint64(sigma*16))
	b := make([]byte, 2*n)
	row := wave()
	var sin, cos float64 // of what a row begins at
	for i := range n {
		x, y := i%128, float64(i/128)
		if x == 0 {
			sin, cos = math.Sincos(y / 90)
			height := 300 * math.Cos(y/41)
			sin, cos = height*sin, height*cos
		}
		v := 650 + row[x][0]*cos + row[x][1]*sin + sigma*r.NormFloat64()
		order.PutUint16(b[2*i:], uint16(v))
	}
	return b
}

func floatRamp(n int) []byte {
	b := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(i)*0.25))
	}
	return b
}

func text(n int) []byte {
	words := strings.Fields("the chunk grid of an array maps every index to a chunk whose bytes are encoded by a chain of codecs in order from array to bytes")
	r := newRand(uint64(n))
	var sb strings.Builder
	for sb.Len() < n {
		sb.WriteString(words[r.IntN(len(words))])
		sb.WriteByte(" ,.\n"[min(r.IntN(12), 3)])
	}
	return []byte(sb.String()[:n])
}

func filled(n int, v byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = v
	}
	return b
}

// labels makes a segmentation: long runs of few 32-bit values.
func labels(n int) []byte {
	r := newRand(uint64(n))
	b := make([]byte, 0, 4*n)
	for len(b) < 4*n {
		v := uint32(r.IntN(5)) * 1000003
		for range 1 + r.IntN(60) {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
	}
	return b[:4*n]
}

// skewed makes bytes whose Huffman code would be deeper than the limit.
func skewed(n int) []byte {
	r := newRand(uint64(n))
	b := make([]byte, n)
	for i := range b {
		v := 0
		for v < 40 && r.IntN(2) == 0 {
			v++
		}
		b[i] = byte(v * 6)
	}
	return b
}

// inputs returns named inputs of every kind the encoder treats differently, of more
// than one block.
var inputs = sync.OnceValue(func() map[string][]byte {
	some := func(all int) int { return thorough.Of(min(all, 70_000), all) }
	m := map[string][]byte{
		"empty":         {},
		"zeros":         make([]byte, 300_000),
		"ones":          filled(maxBlock, 1),
		"run4":          filled(4, 9),
		"random":        randomBytes(300_000),
		"text":          text(2 * some(200_000)),
		"noise5":        noisyUint16(some(300_000), 5, binary.LittleEndian),
		"noise5be":      noisyUint16(some(300_000), 5, binary.BigEndian),
		"noise5odd":     noisyUint16(100_000, 5, binary.LittleEndian)[1:],
		"noise0":        noisyUint16(some(200_000), 0, binary.LittleEndian),
		"noise1":        noisyUint16(some(200_000), 1, binary.LittleEndian),
		"noise50":       noisyUint16(some(200_000), 50, binary.LittleEndian),
		"floatRamp":     floatRamp(100_000),
		"labels":        labels(some(200_000)),
		"skewed":        skewed(200_000),
		"multiMiB":      noisyUint16(thorough.Of(9<<16, 5<<19), 4, binary.LittleEndian),
		"repeatedNoise": nil,
		"mixed":         nil,
		"runThenRandom": append(filled(maxBlock, 7), randomBytes(maxBlock)...),
		"randomThenRun": append(randomBytes(maxBlock), filled(2*maxBlock, 7)...),
	}
	for range 3 {
		m["repeatedNoise"] = append(m["repeatedNoise"], noisyUint16(90_000, 5, binary.LittleEndian)...)
	}
	for _, k := range []string{"noise5", "text", "random", "labels", "noise5be", "zeros", "text"} {
		m["mixed"] = append(m["mixed"], m[k][:min(len(m[k]), 190_000)]...)
	}
	return m
})
