package zip

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/internal/partial"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
)

func begin(t *testing.T, path string, opt Options) *Store {
	t.Helper()
	s, err := Create(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func values(n int) (keys []string, data [][]byte) {
	for i := range n {
		keys = append(keys, fmt.Sprintf("c/%d", i))
		data = append(data, bytes.Repeat([]byte{byte(i), 7}, 20*i))
	}
	return keys, data
}

func putAll(t *testing.T, s *Store, keys []string, data [][]byte) {
	t.Helper()
	for i, key := range keys {
		if _, err := s.Put(ctx, key, data[i], store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// An archive that ends anywhere is taken up with all entries that are whole, and
// ends as one that was never interrupted.
func TestAnArchiveThatWasBegunGoesOn(t *testing.T) {
	for _, opt := range []Options{{Resume: true}, {Resume: true, Deflate: true}} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.zip")
		keys, data := values(6)
		s := begin(t, path, opt)
		var ends []int64
		for i := range keys {
			putAll(t, s, keys[i:i+1], data[i:i+1])
			ends = append(ends, s.w.Load().end.Load())
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(path)
		step := thorough.Step(15)
		for cut := 0; cut <= len(want); cut++ {
			if near := slices.Contains(ends, int64(cut)) || slices.Contains(ends, int64(cut+1)); cut%step != 0 && !near && cut < len(want)-1 {
				continue
			}
			if err := os.WriteFile(partial.Name(path), want[:cut], 0o666); err != nil {
				t.Fatal(err)
			}
			s := begin(t, path, opt)
			whole := 0
			for whole < len(ends) && ends[whole] <= int64(cut) {
				whole++
			}
			if got := len(s.keys()); got != whole {
				t.Fatalf("cut at %d: %d entries, not %d", cut, got, whole)
			}
			for i := range whole {
				if b, _, err := s.Get(ctx, keys[i], store.All(), nil); err != nil || !bytes.Equal(b, data[i]) {
					t.Fatalf("cut at %d: %s: %v", cut, keys[i], err)
				}
			}
			putAll(t, s, keys[whole:], data[whole:])
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("cut at %d: the archive differs, %v", cut, err)
			}
			wantFiles(t, dir, "a.zip")
			os.Remove(path)
		}
	}
}

// An entry that was not written, or not to its end, is the only one that is lost:
// those behind it were put by others at the same time.
func TestEntriesBehindOneThatIsNotWhole(t *testing.T) {
	for _, deflate := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "a.zip")
		keys, data := values(6)
		s := begin(t, path, Options{Deflate: deflate})
		starts := []int64{0}
		for i := range keys {
			putAll(t, s, keys[i:i+1], data[i:i+1])
			starts = append(starts, s.w.Load().end.Load())
		}
		if err := s.Leave(); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadFile(partial.Name(path))
		if err != nil {
			t.Fatal(err)
		}
		for lost := range keys {
			header := int64(localSize + len(keys[lost]))
			for _, from := range []int64{starts[lost], starts[lost] + header} { // without its header, and with it
				blank := bytes.Clone(left)
				clear(blank[from:starts[lost+1]])
				if bytes.Equal(blank, left) {
					continue // it has no data
				}
				if err := os.WriteFile(partial.Name(path), blank, 0o666); err != nil {
					t.Fatal(err)
				}
				s := begin(t, path, Options{Resume: true, Deflate: deflate})
				if n := len(s.keys()); n != len(keys)-1 || indexOf(s.keys(), keys[lost]) >= 0 {
					t.Errorf("without %s there is %v", keys[lost], s.keys())
				}
				putAll(t, s, keys[lost:lost+1], data[lost:lost+1])
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				whole, err := OpenFile(ctx, path)
				if err != nil {
					t.Fatal(err)
				}
				for i, key := range keys {
					if b, _, err := whole.Get(ctx, key, store.All(), nil); err != nil || !bytes.Equal(b, data[i]) {
						t.Errorf("%s: %v", key, err)
					}
				}
				if err := errors.Join(whole.Close(), os.Remove(path)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A byte that is not what was written, in the middle, is never given for a value.
func TestWhatIsNotWholeIsNotTakenUp(t *testing.T) {
	for _, deflate := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "a.zip")
		keys, data := values(4)
		s := begin(t, path, Options{Deflate: deflate})
		putAll(t, s, keys, data)
		if err := s.Leave(); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadFile(partial.Name(path))
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(left); at += thorough.Step(5) {
			damaged := bytes.Clone(left)
			damaged[at] ^= 0xff
			if err := os.WriteFile(partial.Name(path), damaged, 0o666); err != nil {
				t.Fatal(err)
			}
			s := begin(t, path, Options{Resume: true})
			for _, key := range s.keys() {
				b, _, err := s.Get(ctx, key, store.All(), nil)
				if err != nil {
					t.Fatal(at, err)
				}
				if i := indexOf(keys, key); i >= 0 && !bytes.Equal(b, data[i]) {
					t.Fatalf("byte %d: %s has another value", at, key)
				}
			}
			if err := s.Leave(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func indexOf(keys []string, key string) int {
	for i, k := range keys {
		if k == key {
			return i
		}
	}
	return -1
}

// Without Resume an archive begins anew; while one is written, no other process
// writes it.
func TestAnArchiveBeginsAnew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.zip")
	keys, data := values(3)
	s := begin(t, path, Options{})
	putAll(t, s, keys, data)
	if runtime.GOOS != "windows" {
		if f, err := partial.Open(path); !errors.Is(err, partial.ErrBusy) {
			f.Leave()
			t.Error("two at once:", err)
		}
	}
	if err := s.Leave(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, filepath.Base(partial.Name(path)))
	s = begin(t, path, Options{})
	if n := len(s.keys()); n != 0 {
		t.Errorf("%d entries", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, "a.zip")
}

// faulty fails at the n-th thing that is done with it.
type faulty struct {
	newFile
	left *int
}

var errFault = errors.New("no space left")

func (f faulty) step() error {
	if *f.left--; *f.left == 0 {
		return errFault
	}
	return nil
}

func (f faulty) WriteAt(p []byte, off int64) (int, error) {
	if err := f.step(); err != nil {
		f.newFile.WriteAt(p[:len(p)/2], off)
		return len(p) / 2, err
	}
	return f.newFile.WriteAt(p, off)
}

func (f faulty) Truncate(size int64) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.newFile.Truncate(size)
}

func (f faulty) Commit(sync bool) error {
	if err := f.step(); err != nil {
		return err
	}
	return f.newFile.Commit(sync)
}

// Whichever step fails, the archive that is to be replaced is as it was; what was
// to be taken up lies there, and goes on to the same archive.
func TestTheOldArchiveStays(t *testing.T) {
	for _, resume := range []bool{false, true} {
		steps := 0
		for n := 1; ; n++ {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.zip")
			if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
			left := n
			keys, data := values(3)
			data[2] = make([]byte, together+1) // header and data apart
			write := func(opt Options) error {
				s, err := Create(path, opt)
				if err != nil {
					return err
				}
				for i, key := range keys {
					if _, err := s.Put(ctx, key, data[i], store.PutOptions{}); err != nil {
						if opt.Resume {
							return errors.Join(err, s.Leave())
						}
						return errors.Join(err, s.Discard())
					}
				}
				return s.Close()
			}
			err := write(Options{Resume: resume, begun: func(f newFile) newFile { return faulty{f, &left} }})
			if err == nil {
				break
			}
			steps++
			if old, readErr := os.ReadFile(path); string(old) != "old" || !errors.Is(err, errFault) {
				t.Error(n, len(old), readErr, err)
			}
			if !resume {
				wantFiles(t, dir, "a.zip")
				continue
			}
			if err := write(Options{Resume: true}); err != nil {
				t.Fatal(err)
			}
			wantFiles(t, dir, "a.zip")
			s, err := OpenFile(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			for i, key := range keys {
				if b, _, err := s.Get(ctx, key, store.All(), nil); err != nil || !bytes.Equal(b, data[i]) {
					t.Error(n, key, err)
				}
			}
			s.Close()
		}
		if steps != 7 {
			t.Errorf("%d steps can fail, not 7", steps)
		}
	}
}

// Values that were replaced or deleted are not in the archive, which is taken up as
// any other.
func TestDeadValuesAreBlank(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zip")
	for _, opt := range []Options{{}, {Deflate: true}} {
		s := begin(t, path, opt)
		putAll(t, s, []string{"a", "k", "gone", "k", "b"}, [][]byte{[]byte("first"), bytes.Repeat([]byte("secret"), 20), []byte("secret"), []byte("known"), []byte("last")})
		if err := errors.Join(s.Delete(ctx, "gone"), s.Close()); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil || bytes.Contains(b, []byte("secret")) || !bytes.Contains(b, []byte("known")) {
			t.Errorf("%v, %q", err, b)
		}
		if err := os.Rename(path, partial.Name(path)); err != nil {
			t.Fatal(err)
		}
		s = begin(t, path, Options{Resume: true})
		if v, _, err := s.Get(ctx, "k", store.All(), nil); err != nil || string(v) != "known" || len(s.keys()) != 4 {
			t.Errorf("%q, %v, %q", v, err, s.keys())
		}
		if err := s.Discard(); err != nil {
			t.Fatal(err)
		}
	}
}
