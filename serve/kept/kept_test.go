package kept_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/omnizarr/zarr/internal/par"
	"github.com/omnizarr/zarr/internal/zerotest"
	"github.com/omnizarr/zarr/serve/kept"
)

func open(t *testing.T, memory int64, dir string, disk int64) *kept.Cache {
	t.Helper()
	c, err := kept.New(memory, dir, disk)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func closed(t *testing.T, c *kept.Cache) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// get asks for a key, and says whether it had to be made.
func get(t *testing.T, c *kept.Cache, key string, value []byte) (made bool) {
	t.Helper()
	data, err := c.Get(t.Context(), key, func(context.Context) ([]byte, error) {
		made = true
		return value, nil
	})
	if err != nil || !bytes.Equal(data, value) {
		t.Fatalf("%s: got %d bytes and %v, want %d", key, len(data), err, len(value))
	}
	return made
}

func TestMemoryIsBoundedAndKeepsWhatWasUsedLast(t *testing.T) {
	const limit = 10 * 1500
	c := open(t, limit, "", 0)
	defer closed(t, c)
	value := make([]byte, 1000)
	for i := range 100 {
		get(t, c, fmt.Sprint("v", i), value)
		if get(t, c, "v0", value) {
			t.Fatalf("v0, which is asked for all the time, was gone after %d others", i)
		}
		if s := c.Stats(); s.Bytes > limit || s.Bytes < 1000*s.Entries {
			t.Fatalf("%d bytes in %d entries, at most %d are allowed", s.Bytes, s.Entries, limit)
		}
	}
	if !get(t, c, "v1", value) {
		t.Error("v1 was kept, though others needed its room")
	}
	if get(t, c, "huge", make([]byte, limit)); !get(t, c, "huge", make([]byte, limit)) {
		t.Error("a value larger than the cache was kept")
	}
	if get(t, c, "v0", value) {
		t.Error("a value larger than the cache made others leave")
	}
	if s := c.Stats(); s.Evicted == 0 || s.Hits != 101 || s.Made != 103 {
		t.Errorf("statistics: %+v", s)
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	c := open(t, 1000, t.TempDir(), 1000)
	defer closed(t, c)
	wrong := errors.New("no luck")
	for range 2 {
		if data, err := c.Get(t.Context(), "k", func(context.Context) ([]byte, error) { return []byte("half"), wrong }); data != nil || err != wrong {
			t.Errorf("got %q, %v", data, err)
		}
	}
	if !get(t, c, "k", []byte("whole")) || get(t, c, "k", []byte("whole")) {
		t.Error("the value after an error is not made, or not kept")
	}
	if s := c.Stats(); s.Failed != 2 || s.Made != 1 {
		t.Errorf("statistics: %+v", s)
	}
}

// What was made along with something else is kept like it.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	c := open(t, 1000, dir, 1000)
	c.Keep("k", []byte("v"))
	if get(t, c, "k", []byte("v")) {
		t.Error("made though it was kept")
	}
	closed(t, c)
	c = open(t, 1000, dir, 1000)
	defer closed(t, c)
	if get(t, c, "k", []byte("v")) {
		t.Error("made though it was kept on disk")
	}
}

func TestPanicIsAnError(t *testing.T) {
	c := open(t, 1000, "", 0)
	defer closed(t, c)
	_, err := c.Get(t.Context(), "k", func(context.Context) ([]byte, error) { panic("oh") })
	if err == nil || !strings.Contains(err.Error(), "oh") || par.Panics() != 1 {
		t.Errorf("got %v", err)
	}
	get(t, c, "k", []byte("whole"))
}

func TestOneMakeForAllWhoAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, 1000, "", 0)
		defer closed(t, c)
		var made atomic.Int64
		goOn := make(chan bool)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				data, err := c.Get(t.Context(), "k", func(context.Context) ([]byte, error) {
					made.Add(1)
					<-goOn
					return []byte("v"), nil
				})
				if string(data) != "v" || err != nil {
					t.Errorf("got %q, %v", data, err)
				}
			})
		}
		synctest.Wait()
		close(goOn)
		all.Wait()
		if made.Load() != 1 {
			t.Errorf("made %d times", made.Load())
		}
		if s := c.Stats(); s.Shared != 19 || s.Made != 1 {
			t.Errorf("statistics: %+v", s)
		}
	})
}

// Who leaves does not take the value from those who stay, and the last one who leaves ends
// the work; who comes then gets a work of its own.
func TestWorkEndsWhenAllAreGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, 1000, "", 0)
		defer closed(t, c)
		type name struct{}
		ended := make(chan error, 1)
		slow := func(ctx context.Context) ([]byte, error) {
			if ctx.Value(name{}) != "first" {
				t.Error("the context does not have the values of the first who asked")
			}
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		}
		first, leaveFirst := context.WithCancel(context.WithValue(t.Context(), name{}, "first"))
		second, leaveSecond := context.WithCancel(t.Context())
		results := make(chan error, 2)
		go func() {
			_, err := c.Get(first, "k", slow)
			results <- err
		}()
		synctest.Wait()
		go func() {
			_, err := c.Get(second, "k", slow)
			results <- err
		}()
		synctest.Wait()
		leaveFirst()
		if err := <-results; err != context.Canceled {
			t.Error(err)
		}
		synctest.Wait()
		if len(ended) != 0 {
			t.Error("the work ended though one still waits")
		}
		leaveSecond()
		if err := <-results; err != context.Canceled {
			t.Error(err)
		}
		if err := <-ended; err != context.Canceled {
			t.Error(err)
		}
		get(t, c, "k", []byte("anew"))
		if _, err := c.Get(first, "k", slow); err != context.Canceled {
			t.Errorf("a context that has ended gave %v", err)
		}
	})
}

// A work that does not heed its context ends later than the one that was begun after it.
func TestNewWorkBesideOneThatWasLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, 1000, t.TempDir(), 1000)
		defer closed(t, c)
		goOn := make(chan bool)
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := c.Get(ctx, "k", func(context.Context) ([]byte, error) { <-goOn; return []byte("v"), nil })
			done <- err
		}()
		synctest.Wait()
		leave()
		<-done
		get(t, c, "k", []byte("v"))
		close(goOn)
		synctest.Wait()
		if get(t, c, "k", []byte("v")) || c.Stats().Entries != 1 {
			t.Errorf("not kept once: %+v", c.Stats())
		}
	})
}

func TestDiskSurvives(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	c := open(t, 0, dir, 1<<20)
	for _, key := range []string{"a", "", "../../outside", "/etc/passwd", strings.Repeat("long", 1000), "nul\x00"} {
		if !get(t, c, key, []byte("value of "+key)) || get(t, c, key, []byte("value of "+key)) {
			t.Errorf("%.20q: not kept on disk", key)
		}
	}
	get(t, c, "empty", nil)
	_, err := kept.New(0, dir, 1<<20)
	if !errors.Is(err, kept.ErrBusy) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder that is in use: %v", err)
	}
	closed(t, c)
	c = open(t, 0, dir, 1<<20)
	defer closed(t, c)
	if s := c.Stats(); s.DiskEntries != 7 {
		t.Errorf("statistics: %+v", s)
	}
	if get(t, c, "a", []byte("value of a")) || get(t, c, "empty", nil) {
		t.Error("the next process does not find what was kept")
	}
	if s := c.Stats(); s.DiskHits != 2 || s.Made != 0 {
		t.Errorf("statistics: %+v", s)
	}
}

// files lists the files of a folder, but for the one that says that it is in use.
func files(t *testing.T, dir string) (names []string, bytes int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "in-use" {
			return err
		}
		info, err := d.Info()
		if err == nil {
			names, bytes = append(names, name), bytes+info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, bytes
}

func TestDiskIsBounded(t *testing.T) {
	dir := t.TempDir()
	c := open(t, 0, dir, 10_000)
	value := make([]byte, 900)
	for i := range 50 {
		get(t, c, fmt.Sprint("v", i), value)
		get(t, c, "v0", value)
	}
	names, bytes := files(t, dir)
	if s := c.Stats(); bytes > 10_000 || bytes != s.DiskBytes || int64(len(names)) != s.DiskEntries || len(names) < 9 {
		t.Errorf("%d bytes in %d files: %+v", bytes, len(names), s)
	}
	if get(t, c, "v0", value) {
		t.Error("what is asked for all the time was removed")
	}
	get(t, c, "huge", make([]byte, 10_001))
	closed(t, c)
	c = open(t, 0, dir, 3_000)
	defer closed(t, c)
	if _, bytes := files(t, dir); bytes > 3_000 || bytes < 1_800 {
		t.Errorf("%d bytes in a folder that was made smaller", bytes)
	}
}

func TestDamagedFilesAreNotServed(t *testing.T) {
	dir := t.TempDir()
	c := open(t, 0, dir, 1<<20)
	get(t, c, "k", []byte("some value"))
	names, _ := files(t, dir)
	whole, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	damaged := [][]byte{whole[:len(whole)-1], whole[:10], {}, append(slices.Clone(whole), 0)}
	for i := range whole {
		b := slices.Clone(whole)
		b[i] ^= 4
		damaged = append(damaged, b)
	}
	for i, b := range damaged {
		if err := os.WriteFile(names[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		if !get(t, c, "k", []byte("some value")) {
			t.Errorf("damaged file %d was served", i)
		}
		if get(t, c, "k", []byte("some value")) {
			t.Errorf("after damaged file %d nothing is kept", i)
		}
	}
	if s := c.Stats(); s.DiskDamaged != int64(len(damaged)) || s.DiskEntries != 1 {
		t.Errorf("statistics: %+v", s)
	}
	// The file of another key in its place.
	get(t, c, "other", []byte("other value"))
	if err := os.WriteFile(otherThan(t, dir, names[0]), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if !get(t, c, "other", []byte("other value")) {
		t.Error("the value of another key was served")
	}
	closed(t, c)
}

func otherThan(t *testing.T, dir, name string) string {
	t.Helper()
	names, _ := files(t, dir)
	return names[slices.IndexFunc(names, func(n string) bool { return n != name })]
}

// What others have in the folder is neither counted nor removed; what a process left
// unfinished is removed.
func TestFolderOfOthers(t *testing.T) {
	dir := t.TempDir()
	c := open(t, 0, dir, 1<<20)
	get(t, c, "k", []byte("v"))
	closed(t, c)
	names, bytes := files(t, dir)
	unfinished := names[0] + ".new"
	theirs := []string{filepath.Join(dir, "notes.kept"), filepath.Join(dir, "ab", "notes"), filepath.Join(dir, "docs", "x.kept")}
	for _, name := range append(theirs, unfinished) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, make([]byte, 100), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	c = open(t, 0, dir, bytes) // room for the one value, and no more
	defer closed(t, c)
	get(t, c, "l", []byte("w"))
	left, _ := files(t, dir)
	for _, name := range theirs {
		if !slices.Contains(left, name) {
			t.Errorf("%s was removed", name)
		}
	}
	if slices.Contains(left, unfinished) || len(left) != len(theirs)+1 {
		t.Errorf("left: %v", left)
	}
}

func TestFolderThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := kept.New(0, file, 1); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file in place of the folder: %v", err)
	}
}

func TestZeroValues(t *testing.T) {
	zerotest.Methods(t, "zero", new(kept.Cache), "Get")
	get(t, new(kept.Cache), "k", []byte("v"))
}

func TestManyAtOnce(t *testing.T) {
	c := open(t, 4_000, t.TempDir(), 6_000)
	defer closed(t, c)
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 100 {
				key := fmt.Sprint((i*7 + g) % 20)
				want := bytes.Repeat([]byte(key), 200)
				ctx, cancel := context.WithCancel(t.Context())
				if i%5 == 0 {
					go cancel()
				}
				data, err := c.Get(ctx, key, func(ctx context.Context) ([]byte, error) { return want, ctx.Err() })
				cancel()
				if err != nil && !errors.Is(err, context.Canceled) || err == nil && !bytes.Equal(data, want) {
					t.Errorf("%s: %d bytes, %v", key, len(data), err)
				}
			}
		})
	}
	all.Wait()
}

func TestPeekWaitsForNothing(t *testing.T) {
	c := open(t, 1<<20, "", 0)
	defer closed(t, c)
	if _, ok := c.Peek("a"); ok {
		t.Error("a value that nobody made")
	}
	get(t, c, "a", []byte("one"))
	if v, ok := c.Peek("a"); !ok || string(v) != "one" {
		t.Errorf("%q, %v", v, ok)
	}
}
