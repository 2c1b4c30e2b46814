package disktest_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/omnizarr/zarr/internal/disk"
	"github.com/omnizarr/zarr/internal/disk/disktest"
	"github.com/omnizarr/zarr/internal/partial"
)

// replace writes a file beside another and renames it, with what flushes it or without.
func replace(path, text string, sync bool) error {
	f, err := partial.Open(path)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		return errors.Join(err, f.Remove())
	}
	if err := f.Commit(sync); err != nil {
		return errors.Join(err, f.Remove())
	}
	return nil
}

// What is flushed is there whole, old or new; what is not may be anything, also when all was
// done.
func TestCuts(t *testing.T) {
	for _, sync := range []bool{true, false} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a")
		if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		r := disktest.Record(t, dir)
		if err := replace(path, "newer", sync); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		r.Cuts(t, 1, 40, func(t *testing.T, c disktest.Cut) {
			text := disktest.Files(t, c.Dir)["a"]
			seen[text] = true
			if sync && (text != "newer" && text != "old" || c.Done && text != "newer") {
				t.Errorf("%q: %s", text, c.Last)
			}
		})
		if want := []string{"old", "newer"}; !seen[want[0]] || !seen[want[1]] {
			t.Error(seen)
		}
		if torn := seen["ne"] || seen["\x00\x00\x00\x00\x00"] || seen[""]; torn == sync {
			t.Errorf("sync %v: %v", sync, seen)
		}
	}
}

// A folder that is removed may be there in part, and a new one may not be there at all.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	r := disktest.Record(t, dir)
	if err := disk.MakeFolder(filepath.Join(dir, "a", "b"), false); err != nil {
		t.Fatal(err)
	}
	if err := replace(filepath.Join(dir, "a", "b", "c"), "new", true); err != nil {
		t.Fatal(err)
	}
	lost := false
	r.Cuts(t, 1, 10, func(t *testing.T, c disktest.Cut) { lost = lost || c.Done && len(disktest.Files(t, c.Dir)) == 0 })
	if !lost {
		t.Error("a folder that nobody flushed is there for sure")
	}
}

func TestFault(t *testing.T) {
	for _, dead := range []bool{false, true} {
		dir := t.TempDir()
		f := &disktest.Fault{Err: syscall.ENOSPC, At: 1, Dead: dead}
		stop := f.Start(t, dir)
		err := replace(filepath.Join(dir, "a"), "new", true)
		if hit, ok := f.Hit(); !errors.Is(err, syscall.ENOSPC) || !ok || hit.Op != disk.Write {
			t.Error(err, hit)
		}
		if got := disktest.Files(t, dir); len(got) != 0 {
			t.Error(got)
		}
		stop()
		if err := replace(filepath.Join(dir, "a"), "new", true); err != nil {
			t.Error(err)
		}
	}
}

func Example() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	f := &disktest.Fault{Err: syscall.EMFILE}
	defer disk.Watch(dir, f)()
	fmt.Println(replace(filepath.Join(dir, "a"), "text", false) != nil)
	// Output: true
}
