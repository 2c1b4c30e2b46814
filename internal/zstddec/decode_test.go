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
	"github.com/omnizarr/zarr/internal/zstdenc"
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

// Literals of blocks that have nothing else are decoded where they belong, as far as there is room for all of
// them, and those of a block that is wrong damage none before it.
func TestLiteralsAloneAreDecodedInPlace(t *testing.T) {
	want, f := contents()["bell"], bytes.Clone(encoded()["bell3"])
	for _, less := range []int{0, 1, 100, maxBlock, maxBlock + 1, len(want) - 1} {
		d := new(Decoder)
		room := len(want) - less
		dst := bytes.Repeat([]byte{0xa5}, room+8)
		n, err := d.Decode(dst[:room], f, nil)
		if n != room || !bytes.Equal(dst[:n], want[:n]) || string(dst[n:]) != strings.Repeat("\xa5", 8) || less > 0 && err != ErrRoom || less == 0 && err != nil {
			t.Errorf("room for %d less: %d bytes, or others, %v", less, n, err)
		}
		for _, b := range d.literals.buffers {
			if less == 0 && len(bytes.Trim(b[:], "\x00")) > 0 {
				t.Error("they were decoded somewhere else")
			}
		}
	}
	_, k, _ := parseHeader(f)
	blocks := 0
	for src := f[k:]; ; blocks++ {
		h, block, rest, err := cutBlock(src)
		if err != nil || h.kind != compressed {
			t.Fatal(h, err)
		}
		end := &block[len(block)-2] // behind it is that there are no sequences
		was := *end
		*end = 0
		dst := make([]byte, len(want))
		if n, err := Decode(dst, f); err != errStream || n != blocks*maxBlock || !bytes.Equal(dst[:n], want[:n]) {
			t.Errorf("block %d is wrong: %d bytes, or others, %v", blocks, n, err)
		}
		*end = was
		if src = rest; h.last {
			break
		}
	}
	if blocks < 3 {
		t.Errorf("%d blocks", blocks)
	}
}

// compare decodes with other decoders, with and without kernels, and fails where
// they do not agree.
func compare(t *testing.T, src []byte, limit int) {
	t.Helper()
	room, _ := rooms.Get().(*[4][]byte)
	if room == nil {
		room = new([4][]byte)
	}
	defer rooms.Put(room)
	for i := range room {
		room[i] = slices.Grow(room[i][:0], limit)[:limit]
	}
	want, wantErr := twin(src, room[0][:0:limit])
	got, plain, second := room[1], room[2], room[3]
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
	k, rowErr := decodeSecond(t, second, src, src)
	if k != n || fmt.Sprint(rowErr) != fmt.Sprint(err) || !bytes.Equal(got[:n], second[:k]) {
		t.Errorf("%x: %d bytes alone, %v, and %d behind others, %v", head(src), n, err, k, rowErr)
	}
}

// decodeSecond is Decode behind a short frame, when next was announced.
func decodeSecond(t *testing.T, dst, src, next []byte) (int, error) {
	t.Helper()
	f := short()
	d := NewDecoder()
	defer d.Free()
	var first [shortLen]byte
	if n, err := d.Decode(first[:], f.frame, next); err != nil || string(first[:n]) != f.data {
		t.Errorf("a frame that is followed by another: %d bytes, or others, %v", n, err)
	}
	return d.Decode(dst, src, nil)
}

const shortLen = 5000

// short gives a frame of one block, with four streams of literals.
var short = sync.OnceValue(func() (f struct {
	data  string
	frame []byte
}) {
	r := rand.New(rand.NewPCG(1, 9))
	data := make([]byte, shortLen)
	for i := range data {
		data[i] = byte(r.NormFloat64() * 9)
	}
	f.data, f.frame = string(data), zstdenc.AppendEncode(nil, data, 3, false)
	return f
})

// Whoever was told of what comes next reads it as if by itself, or something else, or less of it.
func TestFramesAfterEachOther(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	var frames [][]byte
	for _, g := range goldens(t) {
		if g.size < 150_000 {
			frames = append(frames, g.frame)
		}
	}
	begun, got, want := 0, make([]byte, 300_000), make([]byte, 300_000)
	d := NewDecoder()
	defer d.Free()
	src := short().frame
	for range thorough.Rounds(4000) {
		next := frames[r.IntN(len(frames))]
		switch r.IntN(6) {
		case 0:
			next = damage(r, next)
		case 1:
			next = slices.Concat(next, frames[r.IntN(len(frames))])
		case 2, 3:
			next = short().frame
		}
		room := len(want)
		if r.IntN(8) == 0 {
			room = r.IntN(10_000)
		}
		told := next
		if r.IntN(8) == 0 {
			told = bytes.Clone(next) // something else, as long
			told[r.IntN(len(told))] ^= 1 << r.IntN(8)
		}
		k, wantErr := Decode(want[:room], src)
		n, err := d.Decode(got[:room], src, told)
		if d.literals.ahead.ready {
			begun++
		}
		if n != k || fmt.Sprint(err) != fmt.Sprint(wantErr) || !bytes.Equal(got[:n], want[:k]) {
			t.Fatalf("%x: %d bytes behind others, %v, and %d alone, %v", head(src), n, err, k, wantErr)
		}
		src = next
	}
	if hasKernels && begun < thorough.Rounds(4000)/20 {
		t.Errorf("%d frames were begun", begun)
	}
}

// What was begun of the next frame is nowhere in the room of this one, which its owner changes.
func TestWhatIsBegunIsNotInTheRoomOfOthers(t *testing.T) {
	f := short()
	_, k, _ := parseHeader(f.frame)
	open := frame(0, append([]byte{0x38}, f.frame[k:]...)...) // does not say how much it holds
	d := NewDecoder()
	defer d.Free()
	dst := make([]byte, 3*shortLen)
	if n, err := d.Decode(dst, open, f.frame); err != nil || string(dst[:n]) != f.data || d.literals.ahead.ready != hasKernels {
		t.Errorf("%d bytes, or others, %v", n, err)
	}
	clear(dst)
	if n, err := d.Decode(dst, f.frame, nil); err != nil || string(dst[:n]) != f.data {
		t.Errorf("%d bytes behind others, or others, %v", n, err)
	}
}

var rooms sync.Pool // fuzzing is fast where nothing is allocated

func head(b []byte) []byte { return b[:min(len(b), 200)] }

// low has a small address, where the program is not moved: offsets may be larger.
var low [4096]byte

// Sequences with the same codes and any bits, most of them wrong sooner or later, say the same with and without kernels.
func TestSequencesThatAreAllAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for offset := range byte(ofField.symbols) {
		for i := range 24 {
			stream := make([]byte, 200)
			for i := range stream {
				stream[i] = byte(r.Uint32())
			}
			stream[len(stream)-1] |= 1
			block := slices.Concat(
				[]byte{100<<4&0xf0 | 1<<2, 100 >> 4}, stream[:100], // literals as they are
				[]byte{50, 0x54, []byte{0, 1, 16, 25}[i%4], offset, []byte{0, 20, 36}[i%3]}, stream,
			)
			frame := slices.Concat([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x60, 2000 & 0xff, 2000>>8 - 1,
				byte(len(block)<<3 | 2<<1 | 1), byte(len(block) >> 5), byte(len(block) >> 13)}, block)
			n, err := Decode(low[:2000], frame)
			k, plainErr := decodePlain(low[:2000], frame)
			if n != k || fmt.Sprint(err) != fmt.Sprint(plainErr) || offset > 12 && err == nil {
				t.Errorf("%x: %d bytes, %v, and %d by Go, %v", frame, n, err, k, plainErr)
			}
		}
	}
}

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
