package partial_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/partial"
)

func Example() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "a.txt")
	f, err := partial.Open(path)
	if err != nil {
		panic(err)
	}
	f.WriteAt([]byte("whole"), 0)
	fmt.Println(partial.Exists(path))
	if err := f.Commit(false); err != nil {
		panic(err)
	}
	text, _ := os.ReadFile(path)
	fmt.Println(string(text), partial.Exists(path))
	// Output:
	// true
	// whole false
}

func names(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

// What was left is there for the next one; one at a time has it.
func TestAFileIsTakenUp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	f, err := partial.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("half"), 0); err != nil {
		t.Fatal(err)
	}
	if other, err := partial.Open(path); !errors.Is(err, partial.ErrBusy) {
		if err == nil {
			other.Leave()
			t.Skip("no locks here")
		}
		t.Fatal(err)
	}
	if err := f.Leave(); err != nil {
		t.Fatal(err)
	}
	if f, err = partial.Open(path); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 4)
	if _, err := f.ReadAt(text, 0); err != nil || string(text) != "half" {
		t.Fatal(string(text), err)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); got != "" {
		t.Error(got)
	}
}

// A file that cannot be put in its place is still there, and what was there too.
func TestARenameThatFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.MkdirAll(filepath.Join(path, "in"), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := partial.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(true); err == nil {
		t.Fatal("a folder was replaced")
	}
	if got := names(t, dir); got != ".a.omnizarr-unfinished a" {
		t.Error(got)
	}
	if err := f.Remove(); err != nil {
		t.Error(err)
	}
	if got := names(t, dir); got != "a" {
		t.Error(got)
	}
}

// Links and folders in its place are refused.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := os.WriteFile(path, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, partial.Name(path)); err != nil {
		t.Skip(err)
	}
	if f, err := partial.Open(path); err == nil {
		f.Leave()
		t.Error("a link was followed")
	}
	if partial.Exists(path) {
		t.Error("a link is a file")
	}
	os.Remove(partial.Name(path))
	if err := os.Link(path, partial.Name(path)); err == nil && runtime.GOOS != "windows" {
		if f, err := partial.Open(path); err == nil {
			f.Leave()
			t.Error("a file that has another name was opened")
		}
		if err := partial.Discard(path); err == nil {
			t.Error("a file that has another name was removed")
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "precious" {
			t.Errorf("%q, %v", text, err)
		}
	}
	os.Remove(partial.Name(path))
	if err := os.Mkdir(partial.Name(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if f, err := partial.Open(path); err == nil {
		f.Leave()
		t.Error("a folder was opened")
	}
}
