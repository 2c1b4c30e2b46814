// Package measure finds out how fast an array reads here and now: whole, by slabs
// along every axis, in boxes at random, and where the time goes.
//
// Every way of reading is tried twice. With all workers, for its speed. And with one,
// whose time is that of requests to the store, of codecs, and of the rest, which is
// copying elements into place and planning: these three are the time that it took,
// since one worker does one thing after the other.
package measure

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/nd"
)

// Options says how long it is measured; the zero value is fine.
type Options struct {
	// Seconds bounds every way of reading; the default is 3. One read is made at least.
	Seconds float64
	// Reads is how many reads are made at most of every way, 0 for no limit.
	Reads int
	// Open opens the array with a number of workers, 0 for the usual.
	Open func(ctx context.Context, workers int) (*zarr.Array, error)
	// Now tells the time, time.Now unless said otherwise.
	Now func() time.Time
}

// Way is what was measured of a way of reading.
type Way struct {
	Name string `json:"name"`
	// Box is the shape of what was read at once.
	Box []int `json:"box"`
	// Fast is with all workers, Split with one.
	Fast  Speed `json:"parallel"`
	Split Split `json:"one_worker"`
}

// Speed is what was read in which time.
type Speed struct {
	Reads    int     `json:"reads"`
	Seconds  float64 `json:"seconds"`
	Bytes    int64   `json:"bytes"`        // of elements
	Stored   int64   `json:"stored_bytes"` // got from the store
	Requests int64   `json:"requests"`
	// Rate and StoredRate are how many bytes of elements, and of what is stored, were
	// read in a second.
	Rate       float64 `json:"bytes_per_second"`
	StoredRate float64 `json:"stored_bytes_per_second"`
	// Whole says that all of the array was read, and not a sample.
	Whole bool `json:"whole"`
}

// Split is where the time of one worker went: Seconds is the sum of the three.
type Split struct {
	Speed
	Fetch  float64 `json:"io_seconds"`
	Decode float64 `json:"decode_seconds"`
	Copy   float64 `json:"copy_seconds"`
}

// mostBox is how many bytes of elements are read at once.
const mostBox = 64 << 20

// Array measures all ways of reading.
func Array(ctx context.Context, opt Options) ([]Way, error) {
	if opt.Seconds <= 0 {
		opt.Seconds = 3
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	fast, err := opt.Open(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer fast.Close()
	slow, err := opt.Open(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer slow.Close()
	if len(fast.DataType().Refs()) > 0 {
		return nil, &zarr.Error{Op: "measure", URL: fast.URL(), Err: fmt.Errorf("elements of %s have no fixed length", fast.DataType().Name())}
	}
	if n, _ := nd.Len(fast.Shape()); n == 0 {
		return nil, &zarr.Error{Op: "measure", URL: fast.URL(), Err: fmt.Errorf("shape %v has no elements", fast.Shape())}
	}
	var out []Way
	for _, w := range ways(fast) {
		m := measured{way: w, opt: opt}
		way := Way{Name: w.name, Box: w.box}
		if way.Fast, _, err = m.run(ctx, fast); err != nil {
			return nil, err
		}
		if way.Split.Speed, way.Split.Fetch, err = m.run(ctx, slow); err != nil {
			return nil, err
		}
		way.Split.Decode = m.decoding - way.Split.Fetch
		way.Split.Copy = way.Split.Seconds - m.decoding
		if m.decoding < way.Split.Fetch { // of chunks that are not there nothing is decoded
			way.Split.Decode, way.Split.Copy = 0, max(way.Split.Seconds-way.Split.Fetch, 0)
		}
		out = append(out, way)
	}
	return out, nil
}

// way is a way of reading: boxes, one after the other.
type way struct {
	name string
	box  []int
	next func(k int) (start []int) // where the k-th box begins
	all  int                       // how many boxes are the whole array, 0 if they never are
}

// ways are all that are measured.
func ways(a *zarr.Array) []way {
	shape, size := a.Shape(), a.DataType().Size()
	unit := a.ShardShape()
	if unit == nil {
		unit = a.ChunkShape()
	}
	if unit == nil { // chunks differ in shape
		unit = slices.Repeat([]int{1}, len(shape))
	}
	out := []way{inOrder("whole", shape, blockOf(shape, unit, size))}
	if len(shape) == 0 {
		return out
	}
	for axis := range shape {
		if len(shape) == 1 || shape[axis] == 1 {
			continue
		}
		box := slices.Clone(shape)
		box[axis] = 1
		for i := range box { // of large arrays a part of the slab
			for i != axis && box[i] > 1 {
				if n, ok := nd.Bytes(box, size); ok && n <= mostBox {
					break
				}
				box[i] = (box[i] + 1) / 2
			}
		}
		out = append(out, atRandom(fmt.Sprintf("slab of axis %d", axis), shape, box, uint64(axis)))
	}
	return append(out, atRandom("random boxes", shape, cube(shape, size), 99))
}

// blockOf is whole chunks, as many as are read at once.
func blockOf(shape, unit []int, size int) []int {
	box := make([]int, len(shape))
	for i := range box {
		box[i] = min(max(unit[i], 1), shape[i])
	}
	for i := len(box) - 1; i >= 0; i-- {
		for box[i] < shape[i] {
			longer := slices.Clone(box)
			longer[i] = min(2*box[i], shape[i])
			if n, ok := nd.Bytes(longer, size); !ok || n > mostBox {
				return box
			}
			box = longer
		}
	}
	return box
}

// cube is a box of about 256 KiB with equal sides where the array has room.
func cube(shape []int, size int) []int {
	const most = 256 << 10
	box := slices.Repeat([]int{1}, len(shape))
	for grown := true; grown; {
		grown = false
		for i := range box {
			longer := slices.Clone(box)
			longer[i] = min(2*box[i], shape[i])
			if n, ok := nd.Bytes(longer, size); ok && n <= most && longer[i] > box[i] {
				box, grown = longer, true
			}
		}
	}
	return box
}

func inOrder(name string, shape, box []int) way {
	count := make([]int, len(shape))
	for i := range count {
		count[i] = (shape[i] + box[i] - 1) / box[i]
	}
	total, ok := nd.Len(count)
	if !ok {
		total = 0
	}
	return way{name, box, func(k int) []int {
		start := make([]int, len(shape))
		for i, n := len(shape)-1, k; i >= 0; i-- { // and from the beginning again
			start[i], n = n%count[i]*box[i], n/count[i]
		}
		return start
	}, total}
}

// atRandom is boxes anywhere, the same ones each time.
func atRandom(name string, shape, box []int, seed uint64) way {
	return way{name, box, func(k int) []int {
		rng := rand.New(rand.NewPCG(seed, uint64(k)))
		start := make([]int, len(shape))
		for i := range start {
			start[i] = rng.IntN(shape[i] - box[i] + 1)
		}
		return start
	}, 0}
}

// measured is a way that is being measured.
type measured struct {
	way
	opt      Options
	decoding float64 // seconds in codecs, with what they fetch
	mem      []byte
}

// run reads one box after the other.
func (m *measured) run(ctx context.Context, a *zarr.Array) (s Speed, fetching float64, err error) {
	var meter zarr.Meter
	metered := meter.Context(ctx)
	size := a.DataType().Size()
	began := m.opt.Now()
	for k := 0; ; k++ {
		spent := m.opt.Now().Sub(began).Seconds()
		if k > 0 && (spent > m.opt.Seconds/2 || m.opt.Reads > 0 && k >= m.opt.Reads) {
			break
		}
		start := m.next(k)
		shape := slices.Clone(m.box)
		for i := range shape {
			shape[i] = min(shape[i], a.Shape()[i]-start[i])
		}
		n, _ := nd.Bytes(shape, size)
		m.mem = slices.Grow(m.mem[:0], n)[:n]
		if k == 0 {
			clear(m.mem) // memory that was never touched is slower, and not what is measured
			began = m.opt.Now()
		}
		if err := a.ReadInto(metered, zarr.Box(start, shape), nd.Of(m.mem, size, shape...)); err != nil {
			return s, 0, err
		}
		s.Reads++
		s.Bytes += int64(n)
	}
	s.Seconds = m.opt.Now().Sub(began).Seconds()
	s.Stored, s.Requests = meter.Read.Load(), meter.Requests.Load()
	s.Whole = m.all > 0 && s.Reads >= m.all
	if s.Seconds > 0 {
		s.Rate, s.StoredRate = float64(s.Bytes)/s.Seconds, float64(s.Stored)/s.Seconds
	}
	m.decoding = meter.Decoding().Seconds()
	return s, meter.Fetching().Seconds(), nil
}
