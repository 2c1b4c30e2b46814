package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

func testPut(t *testing.T, s store.Store) {
	wantMissing(t, s, "k")
	put(t, s, "k", []byte("one"))
	want(t, s, "k", []byte("one"))
	put(t, s, "k", []byte("a longer one"))
	want(t, s, "k", []byte("a longer one"))
	put(t, s, "k", nil)
	want(t, s, "k", nil)
	put(t, s, "k", []byte("2"))
	want(t, s, "k", []byte("2"))
	put(t, s, "deep/er/k", []byte("3"))
	put(t, s, "deep/other", []byte("4"))
	wantList(t, s, "", "", "deep/er/k", "deep/other", "k")
}

func testPutCopies(t *testing.T, s store.Store) {
	data := []byte("mine")
	put(t, s, "k", data)
	copy(data, "----")
	want(t, s, "k", []byte("mine"))
	b, _ := get(t, s, "k")
	copy(b, "YYYY")
	want(t, s, "k", []byte("mine"))
}

func testPutBadKeys(t *testing.T, s store.Store) {
	for _, key := range badKeys {
		if _, err := s.Put(context.Background(), key, ten, store.PutOptions{}); !errors.Is(err, store.ErrBadKey) {
			t.Errorf("Put %q: %v, want ErrBadKey", key, err)
		}
	}
	wantList(t, s, "", "")
}

func testPutCancelled(t *testing.T, s store.Store) {
	put(t, s, "k", ten)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Put(ctx, "k", []byte("new"), store.PutOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Put: %v, want context.Canceled", err)
	}
	if err := s.Delete(ctx, "k"); !errors.Is(err, context.Canceled) {
		t.Errorf("Delete: %v, want context.Canceled", err)
	}
	want(t, s, "k", ten)
}

func testIfAbsent(t *testing.T, s store.Store) {
	ctx, absent := context.Background(), store.PutOptions{IfAbsent: true}
	if _, err := s.Put(ctx, "d/k", []byte("first"), absent); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, "d/k", []byte("second"), absent); !errors.Is(err, store.ErrPrecondition) {
		t.Errorf("second Put: %v, want ErrPrecondition", err)
	}
	want(t, s, "d/k", []byte("first"))
	if err := s.Delete(ctx, "d/k"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, "d/k", []byte("third"), absent); err != nil {
		t.Errorf("Put after Delete: %v", err)
	}
	want(t, s, "d/k", []byte("third"))
	wantList(t, s, "", "", "d/k")
}

func testIfMatch(t *testing.T, s store.Store) {
	ctx := context.Background()
	if _, err := s.Put(ctx, "k", ten, store.PutOptions{IfMatch: "x"}); !errors.Is(err, store.ErrPrecondition) {
		t.Errorf("Put of a missing key: %v, want ErrPrecondition", err)
	}
	wantMissing(t, s, "k")
	old := put(t, s, "k", []byte("old"))
	if old.ETag == "" {
		t.Skip("the store has no ETags")
	}
	second, err := s.Put(ctx, "k", []byte("new"), store.PutOptions{IfMatch: old.ETag})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, "k", []byte("lost"), store.PutOptions{IfMatch: old.ETag}); !errors.Is(err, store.ErrPrecondition) {
		t.Errorf("Put with an old ETag: %v, want ErrPrecondition", err)
	}
	want(t, s, "k", []byte("new"))
	if _, info := get(t, s, "k"); info.ETag != second.ETag {
		t.Errorf("Get says ETag %q, Put said %q", info.ETag, second.ETag)
	}
	if err := s.Delete(ctx, "k"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, "k", ten, store.PutOptions{IfMatch: second.ETag}); !errors.Is(err, store.ErrPrecondition) {
		t.Errorf("Put after Delete: %v, want ErrPrecondition", err)
	}
	wantList(t, s, "", "")
}

// testIfMatchRace counts in a value of constant length by several goroutines.
func testIfMatchRace(t *testing.T, s store.Store) {
	ctx := context.Background()
	if put(t, s, "n", []byte("0000")).ETag == "" {
		t.Skip("the store has no ETags")
	}
	const goroutines = 4
	each := thorough.Least(4, 10, 25)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for done := 0; done < each; {
				b, info, err := s.Get(ctx, "n", store.All(), nil)
				if err != nil {
					t.Error(err)
					return
				}
				n, _ := strconv.Atoi(string(b))
				_, err = s.Put(ctx, "n", fmt.Appendf(nil, "%04d", n+1), store.PutOptions{IfMatch: info.ETag})
				switch {
				case err == nil:
					done++
				case !errors.Is(err, store.ErrPrecondition):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	want(t, s, "n", fmt.Appendf(nil, "%04d", goroutines*each))
}

func testIfAbsentRace(t *testing.T, s store.Store) {
	for round := range thorough.Least(2, 5, 10) {
		key := fmt.Sprintf("d%d/k", round)
		var wins atomic.Int32
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				_, err := s.Put(context.Background(), key, []byte{byte(i)}, store.PutOptions{IfAbsent: true})
				if err == nil {
					wins.Add(1)
				} else if !errors.Is(err, store.ErrPrecondition) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 {
			t.Errorf("%d of 4 goroutines made %q", wins.Load(), key)
		}
	}
}

// testReplace reads a value while it is replaced by ones of other lengths.
func testReplace(t *testing.T, s store.Store) {
	ctx := context.Background()
	values := [][]byte{pattern(100_000, 1), pattern(5_000, 2), pattern(70_001, 3)}
	put(t, s, "d/k", values[0])
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			var buf []byte
			for !stop.Load() {
				b, info, err := s.Get(ctx, "d/k", store.All(), buf[:0])
				if err != nil {
					t.Errorf("Get during Put: %v", err)
					return
				}
				if !slices.ContainsFunc(values, func(v []byte) bool { return bytes.Equal(v, b) }) || info.Size != int64(len(b)) {
					t.Errorf("Get during Put gave a value of %d bytes, size %d, that nobody put", len(b), info.Size)
					return
				}
				buf = b
			}
		})
		wg.Go(func() {
			for !stop.Load() {
				if keys, ok := list(t, s, "", ""); ok && !slices.Equal(keys, []string{"d/k"}) {
					t.Errorf("List during Put gave %q", keys)
					return
				}
			}
		})
	}
	for i := range thorough.Least(8, 24, 60) {
		put(t, s, "d/k", values[i%len(values)])
	}
	stop.Store(true)
	wg.Wait()
}

// bigValue is the same for all stores; to make it takes longer than to store it.
var bigValue = sync.OnceValue(func() []byte { return pattern(9<<20+7, 9) })

func testBig(t *testing.T, s store.Store) {
	big := bigValue()
	put(t, s, "big", big)
	want(t, s, "big", big)
	b, _, err := s.Get(context.Background(), "big", store.Part(5<<20, 1<<20), nil)
	if err != nil || !bytes.Equal(b, big[5<<20:6<<20]) {
		t.Errorf("part of a big value: %v, or the wrong bytes", err)
	}
}

func testDelete(t *testing.T, s store.Store) {
	ctx := context.Background()
	for _, key := range []string{"a", "b", "d/x", "d/y"} {
		put(t, s, key, ten)
	}
	for _, key := range []string{"a", "a", "missing", "missing/deep", "d", "b/below", "d/x"} {
		if err := s.Delete(ctx, key); err != nil {
			t.Errorf("Delete %q: %v", key, err)
		}
	}
	wantMissing(t, s, "a")
	wantMissing(t, s, "d/x")
	wantList(t, s, "", "", "b", "d/y")
}

func testDeleteTree(t *testing.T, s store.Store) {
	ctx := context.Background()
	for _, key := range []string{"a/b/1", "a/b/2", "a/b/c/3", "a/bc", "a/c", "d", "e"} {
		put(t, s, key, ten)
	}
	for _, key := range []string{"a/b/", "a/b/", "missing/", "missing/deep/", "d/", "d/e/"} {
		if err := s.Delete(ctx, key); err != nil {
			t.Errorf("Delete %q: %v", key, err)
		}
	}
	wantList(t, s, "", "", "a/bc", "a/c", "d", "e")
	put(t, s, "a/b/1", []byte("again"))
	want(t, s, "a/b/1", []byte("again"))
	if err := s.Delete(ctx, "a/"); err != nil {
		t.Error(err)
	}
	wantList(t, s, "", "", "d", "e")
}

func testDeleteBadKeys(t *testing.T, s store.Store) {
	put(t, s, "a/b", ten)
	for _, key := range append([]string{"../", "a/../", "a//", "//", "./"}, badKeys...) {
		if key == "a/" {
			continue
		}
		if err := s.Delete(context.Background(), key); !errors.Is(err, store.ErrBadKey) {
			t.Errorf("Delete %q: %v, want ErrBadKey", key, err)
		}
	}
	wantList(t, s, "", "", "a/b")
}

func testETag(t *testing.T, s store.Store) {
	first := put(t, s, "k", []byte("one"))
	if first.ETag == "" {
		t.Skip("the store has no ETags")
	}
	if _, info := get(t, s, "k"); info.ETag != first.ETag {
		t.Errorf("ETag %q after Put said %q", info.ETag, first.ETag)
	}
	o, err := store.Open(context.Background(), s, "k")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if _, info, err := o.Get(context.Background(), store.Part(0, 1), nil); err != nil || info.ETag != first.ETag {
		t.Errorf("open: ETag %q after Put said %q, error %v", info.ETag, first.ETag, err)
	}
	if second := put(t, s, "k", []byte("other")); second.ETag == first.ETag {
		t.Error("another value has the same ETag")
	}
}

func testConcurrent(t *testing.T, s store.Store) {
	ctx := context.Background()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range thorough.Least(8, 22, 40) {
				key := fmt.Sprintf("g%d/%d/v", i%3, g)
				value := pattern(100+i, byte(g))
				if _, err := s.Put(ctx, key, value, store.PutOptions{}); err != nil {
					t.Error(err)
				}
				if b, _, err := s.Get(ctx, key, store.All(), nil); err != nil || !bytes.Equal(b, value) {
					t.Errorf("Get %q: %v, or the wrong bytes", key, err)
				}
				if i%5 == 0 {
					list(t, s, "", "")
				}
				if i%7 == 0 {
					if err := s.Delete(ctx, fmt.Sprintf("g%d/%d/", i%3, g)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
}

// testRandom does the same to the store and to a map.
func testRandom(t *testing.T, s store.Store) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 2))
	model := make(map[string][]byte)
	// Folders have other names than values, so that no key is the prefix of
	// another.
	key := func() string {
		var b strings.Builder
		for range rng.IntN(3) {
			fmt.Fprintf(&b, "f%d/", rng.IntN(3))
		}
		fmt.Fprintf(&b, "v%d", rng.IntN(4))
		return b.String()
	}
	for i := range thorough.Least(70, 200, 400) {
		switch op := rng.IntN(10); {
		case op < 5:
			k, v := key(), pattern(rng.IntN(50), byte(i))
			put(t, s, k, v)
			model[k] = v
		case op < 7:
			k := key()
			if err := s.Delete(ctx, k); err != nil {
				t.Fatal(err)
			}
			delete(model, k)
		case op == 7 && i%4 == 0:
			dir := fmt.Sprintf("f%d/", rng.IntN(3))
			if err := s.Delete(ctx, dir); err != nil {
				t.Fatal(err)
			}
			for k := range model {
				if strings.HasPrefix(k, dir) {
					delete(model, k)
				}
			}
		default:
			k := key()
			if v, ok := model[k]; ok {
				want(t, s, k, v)
			} else {
				wantMissing(t, s, k)
			}
		}
	}
	keys := make([]string, 0, len(model))
	for k, v := range model {
		keys = append(keys, k)
		want(t, s, k, v)
	}
	slices.Sort(keys)
	wantList(t, s, "", "", keys...)
}

// testMove is for stores that can give folders other names.
func testMove(t *testing.T, s store.Store) {
	m, ok := store.As[store.Mover](s)
	if !ok {
		t.Skip("no Mover")
	}
	ctx := t.Context()
	for _, key := range []string{"in/a/x", "in/a/deep/y", "in/ab/z", "b/x"} {
		put(t, s, key, []byte(key))
	}
	if err := m.Move(ctx, "in/a", "b"); !errors.Is(err, store.ErrPrecondition) {
		t.Errorf("onto something else: %v", err)
	}
	if err := m.Move(ctx, "in/a", "c"); err != nil {
		t.Fatal(err)
	}
	want(t, s, "c/deep/y", []byte("in/a/deep/y"))
	want(t, s, "in/ab/z", []byte("in/ab/z"))
	wantMissing(t, s, "in/a/x")
	switch err := m.Exchange(ctx, "c", "b"); {
	case errors.Is(err, errors.ErrUnsupported):
	case err != nil:
		t.Fatal(err)
	default:
		want(t, s, "c/x", []byte("b/x"))
		want(t, s, "b/deep/y", []byte("in/a/deep/y"))
		wantMissing(t, s, "c/deep/y")
	}
	for _, key := range []string{"", "../c", "/c"} {
		if m.Move(ctx, "b", key) == nil || m.Move(ctx, key, "b2") == nil || m.Exchange(ctx, "b", key) == nil || m.Exchange(ctx, key, "b") == nil {
			t.Errorf("%q is no key", key)
		}
	}
}
