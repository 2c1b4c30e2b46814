// Package storetest checks that a store does what package store promises. Each
// store runs it in its own tests:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return mem.New() })
//	}
//
// Stores that cannot be written run RunReader.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/store"
)

// Run checks a store that can be written. open gives an empty one each time,
// and cleans up with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	RunReader(t, func(t *testing.T, content map[string][]byte) store.Reader {
		s := open(t)
		for key, value := range content {
			put(t, s, key, value)
		}
		return s
	})
	for _, c := range []struct {
		name string
		test func(*testing.T, store.Store)
	}{
		{"Put gives what Get gives back", testPut},
		{"Put does not keep data", testPutCopies},
		{"Put refuses bad keys", testPutBadKeys},
		{"Put with IfAbsent", testIfAbsent},
		{"Put with IfMatch", testIfMatch},
		{"Put with IfMatch loses no update", testIfMatchRace},
		{"Put with IfAbsent lets one win", testIfAbsentRace},
		{"Put replaces as a whole", testReplace},
		{"Put of a big value", testBig},
		{"Put with a cancelled context", testPutCancelled},
		{"Delete a key", testDelete},
		{"Delete a tree", testDeleteTree},
		{"move", testMove},
		{"Delete refuses bad keys", testDeleteBadKeys},
		{"ETags tell values apart", testETag},
		{"many goroutines", testConcurrent},
		{"operations at random", testRandom},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

// RunReader checks a store that may be read-only. open gives one that has the
// given values and no others, and cleans up with t.Cleanup. Listing is left out
// where the store answers ErrNoList.
func RunReader(t *testing.T, open func(t *testing.T, content map[string][]byte) store.Reader) {
	for _, c := range []struct {
		name    string
		content map[string][]byte
		test    func(*testing.T, store.Reader)
	}{
		{"Get every kind of range", rangeContent, testRanges},
		{"Get appends to dst", rangeContent, testAppend},
		{"Get of a missing key", rangeContent, testMissing},
		{"Get refuses bad keys", rangeContent, testGetBadKeys},
		{"Get with a cancelled context", rangeContent, testGetCancelled},
		{"Get by many goroutines", rangeContent, testGetConcurrent},
		{"keys of all sorts", oddContent, testOddKeys},
		{"Open", rangeContent, testOpen},
		{"List", listContent, testList},
		{"List of nothing", nil, testListNothing},
		{"List stops when told", listContent, testListStops},
		{"List refuses bad prefixes", listContent, testListBad},
		{"List with a cancelled context", listContent, testListCancelled},
		{"Sub and ReadOnly", listContent, testWrappers},
		{"URL", nil, testURL},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t, c.content)) })
	}
}

// badKeys are refused by every method that takes a key.
var badKeys = []string{
	"", "/", ".", "..", "a/", "/a", "a//b", "./a", "a/.", "../a", "a/../b",
	"a/..", "a\\b", "..\\a", "a\x00", "a/\x00/b",
}

// Values for the tests of reading.
var (
	ten          = []byte("0123456789")
	rangeContent = map[string][]byte{
		"ten":         ten,
		"empty":       {},
		"deep/in/big": pattern(300_000, 1),
	}
)

// pattern gives n bytes that look like no other seed's.
func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	x := uint32(seed) + 1
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

func put(t *testing.T, s store.Writer, key string, value []byte) store.Info {
	t.Helper()
	info, err := s.Put(context.Background(), key, value, store.PutOptions{})
	if err != nil {
		t.Fatalf("Put %q: %v", key, err)
	}
	if info.Size != int64(len(value)) && info.Size != -1 {
		t.Errorf("Put %q says size %d, want %d", key, info.Size, len(value))
	}
	return info
}

func get(t *testing.T, s store.Reader, key string) ([]byte, store.Info) {
	t.Helper()
	b, info, err := s.Get(context.Background(), key, store.All(), nil)
	if err != nil {
		t.Fatalf("Get %q: %v", key, err)
	}
	return b, info
}

func want(t *testing.T, s store.Reader, key string, value []byte) {
	t.Helper()
	if b, _ := get(t, s, key); !bytes.Equal(b, value) {
		t.Errorf("Get %q: got %s, want %s", key, show(b), show(value))
	}
}

func wantMissing(t *testing.T, s store.Reader, key string) {
	t.Helper()
	if _, _, err := s.Get(context.Background(), key, store.All(), nil); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("Get %q: error %v, want ErrNotExist", key, err)
	}
}

// list gives the keys; ok is false where the store cannot list.
func list(t *testing.T, s store.Reader, prefix, delimiter string) (keys []string, ok bool) {
	t.Helper()
	for e, err := range s.List(context.Background(), prefix, delimiter) {
		if errors.Is(err, store.ErrNoList) {
			return nil, false
		}
		if err != nil {
			t.Fatalf("List %q %q: %v", prefix, delimiter, err)
		}
		if e.IsPrefix != (e.Key[len(e.Key)-1] == '/') {
			t.Errorf("List %q %q: %q with IsPrefix %v", prefix, delimiter, e.Key, e.IsPrefix)
		}
		keys = append(keys, e.Key)
	}
	return keys, true
}

func wantList(t *testing.T, s store.Reader, prefix, delimiter string, keys ...string) {
	t.Helper()
	got, ok := list(t, s, prefix, delimiter)
	if ok && !slices.Equal(got, keys) {
		t.Errorf("List %q %q: got %q, want %q", prefix, delimiter, got, keys)
	}
}

// show gives a value in few characters.
func show(b []byte) string {
	if len(b) <= 40 {
		return string(b)
	}
	return string(b[:20]) + "... of " + itoa(len(b)) + " bytes"
}
