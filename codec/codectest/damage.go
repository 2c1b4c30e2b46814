package codectest

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime/metrics"
	"testing"

	"github.com/omnizarr/zarr/codec"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

// testDamage decodes and updates bytes that are cut, changed and made up. An
// error is fine and so are values, since not every codec has a checksum; a
// panic, and memory beyond what metadata allows, are not.
func testDamage(t *testing.T, s *subject) {
	r := s.random(t)
	good := s.encode(t, s.sample(r, s.Shape))
	decoded, _ := nd.Bytes(s.Shape, s.typ.Size())
	bound := uint64(4<<20 + 16*decoded + 16*len(good) + 4*s.limits.MaxChunk)
	rounds := 300
	if decoded > 1<<16 {
		rounds = 30
	}
	for i := range min(thorough.Rounds(rounds), thorough.Of(24, rounds)) { // after 12, each kind was in each source
		bad := damage(r, good, i)
		box := s.whole()
		if i%3 == 0 {
			box = randomBox(r, s.Shape)
		}
		src := sources(bad)[i%4]
		dst := s.empty(box.Shape)
		var err error
		if n := allocated(func() { err = s.bound.Decode(context.Background(), s.chunk(), src, box, dst) }); n > bound && !race.Enabled {
			t.Fatalf("%d bytes of damaged data took %d bytes of memory, %v", len(bad), n, err)
		}
		if i%5 == 0 {
			part := s.empty(box.Shape)
			n := allocated(func() {
				_, _ = s.bound.Update(context.Background(), s.keeping(), nil, sources(bad)[i%4], box, part)
			})
			if n > bound+encoders && !race.Enabled {
				t.Fatalf("changing %d bytes of damaged data took %d bytes of memory", len(bad), n)
			}
		}
		if err == nil {
			s.values(dst) // every reference leads somewhere
		} else if len(err.Error()) > 1000 {
			t.Errorf("error of %d bytes", len(err.Error()))
		}
	}
	s.testTruncated(t, good)
}

// encoders is what the tables of compressors may take that encode inner chunks at
// the same time, if they have to be made anew.
const encoders = 64 << 20

// allocated is about how many bytes f allocates: small pieces are counted some together.
func allocated(f func()) uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	before := sample[0].Value.Uint64()
	f()
	metrics.Read(sample)
	return sample[0].Value.Uint64() - before
}

// testTruncated cuts at every place: a whole read must notice.
func (s *subject) testTruncated(t *testing.T, good []byte) {
	step := max(1, len(good)/thorough.Least(6, 16, 64))
	for n := 0; n < len(good); n += step {
		for _, src := range sources(good[:n:n]) {
			err := s.bound.Decode(context.Background(), s.chunk(), src, s.whole(), s.empty(s.Shape))
			if err == nil {
				t.Errorf("%d of %d bytes were taken for the whole by %T", n, len(good), src)
			}
		}
	}
	for i, src := range sources(append(bytes.Clone(good), 0)) {
		// A source that does not tell its size cannot show that there is more.
		if s.bound.Size().Exact && i < 3 {
			if err := s.bound.Decode(context.Background(), s.chunk(), src, s.whole(), s.empty(s.Shape)); err == nil {
				t.Errorf("a byte too many went unnoticed by %T", src)
			}
		}
	}
	for _, n := range []int{0, 1, 3, 4, 16} {
		if n < len(good) {
			if err := s.bound.Decode(context.Background(), s.chunk(), &codec.Memory{Bytes: make([]byte, n)}, s.whole(), s.empty(s.Shape)); err == nil {
				t.Errorf("%d zeros were decoded", n)
			}
		}
	}
}

func damage(r *rand.Rand, good []byte, i int) []byte {
	bad := bytes.Clone(good)
	switch i % 6 {
	case 0:
		bad = bad[:r.IntN(len(bad)+1)]
	case 1, 2:
		for range 1 + r.IntN(3) {
			bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		}
	case 3:
		at := r.IntN(len(bad)) // a number that is as large as can be
		for k := at; k < min(len(bad), at+8); k++ {
			bad[k] = 0xff
		}
	case 4:
		at := r.IntN(len(bad))
		bad = append(bad[:at], bad[min(len(bad), at+1+r.IntN(8)):]...)
	case 5:
		bad = make([]byte, r.IntN(2*len(good)+1))
		for k := range bad {
			bad[k] = byte(r.Uint32())
		}
	}
	return bad
}
