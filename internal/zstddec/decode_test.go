package zstddec

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
)

func TestFramesOfLibzstdAreRead(t *testing.T) {
	for _, g := range goldens(t) {
		for _, room := range []int{0, 1, 100, 1000} {
			dst := bytes.Repeat([]byte{0xa5}, g.size+room+8)
			n, err := Decode(dst[:g.size+room], g.frame)
			if err != nil || n != g.size || fmt.Sprintf("%x", sha256.Sum256(dst[:n]))[:16] != g.sum {
				t.Errorf("%s with room for %d more: %d of %d bytes, or others, %v", g.name, room, n, g.size, err)
			}
			if string(dst[g.size+room:]) != strings.Repeat("\xa5", 8) {
				t.Errorf("%s: something behind was written", g.name)
			}
		}
	}
}

func TestFramesOfOtherEncodersAreRead(t *testing.T) {
	room := make([]byte, 0, 1<<21)
	for name, frame := range encoded() {
		want, err := twin(frame, room)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want))
		if n, err := Decode(got, frame); err != nil || n != len(want) || !bytes.Equal(got, want) {
			t.Errorf("%s: %d of %d bytes, or others, %v", name, n, len(want), err)
		}
	}
}

// Whoever needs only the beginning gives less room.
func TestTheBeginningIsReadWhereThereIsNoMoreRoom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	room := make([]byte, 0, 1<<21)
	for name, frame := range encoded() {
		want, err := twin(frame, room)
		if err != nil {
			t.Fatal(err)
		}
		for range thorough.Rounds(16) {
			if len(want) == 0 {
				continue
			}
			dst := bytes.Repeat([]byte{0xa5}, r.IntN(len(want))+8)
			room := len(dst) - 8
			n, err := Decode(dst[:room], frame)
			if !errors.Is(err, ErrRoom) || n != room || !bytes.Equal(dst[:n], want[:n]) || string(dst[room:]) != strings.Repeat("\xa5", 8) {
				t.Errorf("%s: %d of %d bytes, or others, %v", name, n, room, err)
			}
		}
	}
}

// compare decodes with other decoders, with and without kernels, and fails where
// they do not agree.
func compare(t *testing.T, src []byte, limit int) {
	t.Helper()
	room, _ := rooms.Get().(*[3][]byte)
	if room == nil {
		room = new([3][]byte)
	}
	defer rooms.Put(room)
	for i := range room {
		room[i] = slices.Grow(room[i][:0], limit)[:limit]
	}
	want, wantErr := twin(src, room[0][:0:limit])
	got, plain := room[1], room[2]
	n, err := Decode(got, src)
	// It refuses tables of weights that libzstd 1.5.4 reads.
	strict := err == nil && wantErr != nil && strings.Contains(wantErr.Error(), "fse decompress returned")
	switch {
	case strict:
	case err == nil && wantErr == nil && !bytes.Equal(got[:n], want):
		t.Errorf("%x: %d bytes differ from %d", head(src), n, len(want))
	case (err == nil) != (wantErr == nil):
		t.Errorf("%x: %d bytes, %v instead of %d, %v", head(src), n, err, len(want), wantErr)
	}
	k, plainErr := decodePlain(plain, src)
	if k != n || fmt.Sprint(plainErr) != fmt.Sprint(err) || !bytes.Equal(got[:n], plain[:k]) {
		t.Errorf("%x: %d bytes with kernels, %v, and %d without, %v", head(src), n, err, k, plainErr)
	}
}

var rooms sync.Pool // fuzzing is fast where nothing is allocated

func head(b []byte) []byte { return b[:min(len(b), 200)] }

func TestDamagedFramesAreErrorsOrWhatOthersRead(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	frames := goldens(t)
	for range thorough.Rounds(4000) {
		g := frames[r.IntN(len(frames))]
		if g.size > 150_000 && r.IntN(20) > 0 {
			continue
		}
		compare(t, damage(r, g.frame), g.size+r.IntN(3)*50)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	if race.Enabled {
		t.Skip("pools forget under the race detector")
	}
	frame := encoded()["noisy3"]
	dst := make([]byte, len(contents()["noisy"]))
	if n := testing.AllocsPerRun(20, func() {
		if _, err := Decode(dst, frame); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzDecode(f *testing.F) {
	for _, g := range goldens(f) {
		if len(g.frame) < 3000 {
			f.Add(g.frame)
		}
	}
	fuzzlong.Fuzz(f, func(t *testing.T, src []byte) { compare(t, src, 1<<18) })
}
