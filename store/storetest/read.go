package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

func itoa(n int) string { return strconv.Itoa(n) }

// rangeCase is a range and what it gives: a part of the value or an error.
type rangeCase struct {
	name   string
	key    string
	r      store.Range
	lo, hi int
	err    error
}

var rangeCases = []rangeCase{
	{"all", "ten", store.All(), 0, 10, nil},
	{"all of nothing", "empty", store.All(), 0, 0, nil},
	{"all of a big one", "deep/in/big", store.All(), 0, 300_000, nil},
	{"first bytes", "ten", store.Part(0, 3), 0, 3, nil},
	{"middle", "ten", store.Part(4, 3), 4, 7, nil},
	{"middle of a big one", "deep/in/big", store.Part(100_000, 70_000), 100_000, 170_000, nil},
	{"last bytes", "ten", store.Part(7, 3), 7, 10, nil},
	{"part that is all", "ten", store.Part(0, 10), 0, 10, nil},
	{"no bytes", "ten", store.Part(3, 0), 3, 3, nil},
	{"no bytes at the start", "ten", store.Part(0, 0), 0, 0, nil},
	{"no bytes at the end", "ten", store.Part(10, 0), 10, 10, nil},
	{"no bytes of nothing", "empty", store.Part(0, 0), 0, 0, nil},
	{"one byte too many", "ten", store.Part(7, 4), 0, 0, store.ErrRange},
	{"behind the end", "ten", store.Part(11, 1), 0, 0, store.ErrRange},
	{"at the end", "ten", store.Part(10, 1), 0, 0, store.ErrRange},
	{"no bytes behind the end", "ten", store.Part(11, 0), 0, 0, store.ErrRange},
	{"a byte of nothing", "empty", store.Part(0, 1), 0, 0, store.ErrRange},
	{"negative start", "ten", store.Part(-1, 3), 0, 0, store.ErrRange},
	{"negative length", "ten", store.Part(3, -1), 0, 0, store.ErrRange},
	{"sum overflows", "ten", store.Part(5, math.MaxInt64), 0, 0, store.ErrRange},
	{"far start", "ten", store.Part(math.MaxInt64, 1), 0, 0, store.ErrRange},
	{"suffix", "ten", store.Suffix(4), 6, 10, nil},
	{"suffix that is all", "ten", store.Suffix(10), 0, 10, nil},
	{"suffix longer than the value", "ten", store.Suffix(1 << 40), 0, 10, nil},
	{"suffix of no bytes", "ten", store.Suffix(0), 10, 10, nil},
	{"suffix of nothing", "empty", store.Suffix(5), 0, 0, nil},
	{"suffix of a big one", "deep/in/big", store.Suffix(16), 299_984, 300_000, nil},
	{"limit that fits", "ten", store.UpTo(10), 0, 10, nil},
	{"limit with room", "ten", store.UpTo(1 << 50), 0, 10, nil},
	{"limit too small", "ten", store.UpTo(9), 0, 0, store.ErrTooLarge},
	{"limit zero", "ten", store.UpTo(0), 0, 0, store.ErrTooLarge},
	{"limit zero of nothing", "empty", store.UpTo(0), 0, 0, nil},
	{"limit too small for a big one", "deep/in/big", store.UpTo(200_000), 0, 0, store.ErrTooLarge},
}

// rooms are where values are read to, used again as they are large.
var rooms = sync.Pool{New: func() any { return new([1 << 19]byte) }}

// checkRange runs one case through get, once with room and once without.
func checkRange(t *testing.T, c rangeCase, get func(r store.Range, dst []byte) ([]byte, store.Info, error)) {
	t.Helper()
	value := rangeContent[c.key]
	if b, _, err := get(c.r.BytesOnly(), nil); !errors.Is(err, c.err) || err == nil && !bytes.Equal(b, value[c.lo:c.hi]) {
		t.Errorf("%s, only the bytes: %v, or the wrong ones", c.name, err)
	}
	room := rooms.Get().(*[1 << 19]byte)
	defer rooms.Put(room)
	for _, dst := range [][]byte{nil, []byte("head"), append(room[:0], "head"...)} {
		before := bytes.Clone(dst)
		b, info, err := get(c.r, dst)
		if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.err)
			return
		}
		if !bytes.Equal(dst, before) {
			t.Errorf("%s: the bytes before were changed", c.name)
		}
		if err != nil {
			if !strings.Contains(err.Error(), c.key) || strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("%s: error %q should name the key, on one line", c.name, err)
			}
			continue
		}
		if w := append(before, value[c.lo:c.hi]...); !bytes.Equal(b, w) {
			t.Errorf("%s: got %s, want %s", c.name, show(b), show(w))
		}
		if info.Size != int64(len(value)) && info.Size != -1 {
			t.Errorf("%s: size %d, want %d", c.name, info.Size, len(value))
		}
	}
}

func testRanges(t *testing.T, s store.Reader) {
	for _, c := range rangeCases {
		checkRange(t, c, func(r store.Range, dst []byte) ([]byte, store.Info, error) {
			return s.Get(context.Background(), c.key, r, dst)
		})
	}
}

func testOpen(t *testing.T, s store.Reader) {
	ctx := context.Background()
	for _, c := range rangeCases {
		o, err := store.Open(ctx, s, c.key)
		if err != nil {
			t.Fatalf("Open %q: %v", c.key, err)
		}
		checkRange(t, c, func(r store.Range, dst []byte) ([]byte, store.Info, error) {
			return o.Get(ctx, r, dst)
		})
		if err := o.Close(); err != nil {
			t.Errorf("Close %q: %v", c.key, err)
		}
	}
	o, err := store.Open(ctx, s, "missing")
	if err == nil {
		_, _, err = o.Get(ctx, store.All(), nil)
		o.Close()
	}
	if !errors.Is(err, store.ErrNotExist) {
		t.Errorf("Open and Get of a missing key: %v, want ErrNotExist", err)
	}
	for _, key := range badKeys {
		if _, err := store.Open(ctx, s, key); !errors.Is(err, store.ErrBadKey) {
			t.Errorf("Open %q: %v, want ErrBadKey", key, err)
		}
	}
	o, err = store.Open(ctx, s, "deep/in/big")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			lo := i * 30_000
			b, _, err := o.Get(ctx, store.Part(int64(lo), 40_000), nil)
			if err != nil || !bytes.Equal(b, rangeContent["deep/in/big"][lo:lo+40_000]) {
				t.Errorf("part from %d of an open object: %v, or the wrong bytes", lo, err)
			}
		})
	}
	wg.Wait()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := o.Get(cancelled, store.All(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Get of an open object with a cancelled context: %v", err)
	}
}

func testAppend(t *testing.T, s store.Reader) {
	ctx := context.Background()
	big := rangeContent["deep/in/big"]
	room := make([]byte, 3+len(big)+5)
	copy(room, "abc")
	tail := room[3+len(big):]
	copy(tail, "vwxyz")
	b, _, err := s.Get(ctx, "deep/in/big", store.All(), room[:3:3+len(big)])
	if err != nil {
		t.Fatal(err)
	}
	if &b[0] != &room[0] {
		t.Error("Get took other memory though dst had just the room")
	}
	if string(b[:3]) != "abc" || !bytes.Equal(b[3:], big) || string(tail) != "vwxyz" {
		t.Error("Get did not append the value, or wrote outside its place")
	}
	short := make([]byte, 3, 20)
	copy(short, "abc")
	b, _, err = s.Get(ctx, "deep/in/big", store.All(), short)
	if err != nil {
		t.Fatal(err)
	}
	if string(b[:3]) != "abc" || !bytes.Equal(b[3:], big) || string(short) != "abc" {
		t.Error("Get into a dst without the room did not give dst and the value")
	}
}

func testMissing(t *testing.T, s store.Reader) {
	for _, key := range []string{"missing", "deep", "deep/in", "deep/missing", "missing/deep", "te", "ten/below", "ten/below/it"} {
		for _, r := range []store.Range{store.All(), store.Part(0, 1), store.Part(0, 0), store.Suffix(3), store.Suffix(0), store.UpTo(5)} {
			dst := []byte("head")
			b, _, err := s.Get(context.Background(), key, r, dst)
			if !errors.Is(err, store.ErrNotExist) {
				t.Errorf("Get %q: %v, want ErrNotExist", key, err)
				continue
			}
			if msg := err.Error(); strings.Count(msg, key+`"`) != 1 {
				t.Errorf("Get %q: error %q should name the key once", key, msg)
			}
			if len(b) > 0 && string(b) != "head" {
				t.Errorf("Get %q: gave bytes %q with an error", key, b)
			}
		}
	}
}

func testGetBadKeys(t *testing.T, s store.Reader) {
	for _, key := range badKeys {
		if _, _, err := s.Get(context.Background(), key, store.All(), nil); !errors.Is(err, store.ErrBadKey) {
			t.Errorf("Get %q: %v, want ErrBadKey", key, err)
		}
	}
}

func testGetCancelled(t *testing.T, s store.Reader) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := s.Get(ctx, "ten", store.All(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Get: %v, want context.Canceled", err)
	}
	if _, err := store.Open(ctx, s, "ten"); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v, want context.Canceled", err)
	}
}

func testGetConcurrent(t *testing.T, s store.Reader) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range thorough.Of(1, 3) * len(rangeCases) {
				c := rangeCases[i%len(rangeCases)]
				b, _, err := s.Get(context.Background(), c.key, c.r, nil)
				if !errors.Is(err, c.err) || err == nil && !bytes.Equal(b, rangeContent[c.key][c.lo:c.hi]) {
					t.Errorf("%s, by several goroutines: %v, or the wrong bytes", c.name, err)
				}
			}
		})
	}
	wg.Wait()
}

// oddContent has keys that need care in a path or a URL, but that every system
// can have as file names.
var oddContent = func() map[string][]byte {
	m := make(map[string][]byte)
	for _, key := range []string{
		"a b", "a#b", "a%b", "a%20b", "a%2Fb", "a+b", "a&b=c", "a;b", "a,b", "a'b", "a@b", "a~b", "a!b$c(d)",
		"[0]", "{x}", "^", "`", "-", "_", "..a/b", ".dotted", ".hidden/c",
		"größe", "日本語/キー", "🦀", "e\u0301", "Ωmega/c/0/0",
		"c/0", "c/1/2/3", "deep/" + strings.Repeat("d/", 30) + "end", strings.Repeat("n", 200),
	} {
		m[key] = []byte(fmt.Sprintf("value of %q", key))
	}
	return m
}()

func testOddKeys(t *testing.T, s store.Reader) {
	for key, value := range oddContent {
		want(t, s, key, value)
		o, err := store.Open(context.Background(), s, key)
		if err != nil {
			t.Errorf("Open %q: %v", key, err)
			continue
		}
		if b, _, err := o.Get(context.Background(), store.All(), nil); err != nil || !bytes.Equal(b, value) {
			t.Errorf("open %q: got %q, %v", key, b, err)
		}
		o.Close()
	}
	keys, ok := list(t, s, "", "")
	if !ok {
		return
	}
	if len(keys) != len(oddContent) {
		t.Errorf("List gave %d keys, want %d", len(keys), len(oddContent))
	}
	for i, key := range keys {
		if _, ok := oddContent[key]; !ok {
			t.Errorf("List gave %q, which was not stored", key)
		}
		if i > 0 && keys[i-1] >= key {
			t.Errorf("List gave %q before %q", keys[i-1], key)
		}
	}
}

func testURL(t *testing.T, s store.Reader) {
	if s.URL() == "" {
		t.Error("URL is empty")
	}
}
