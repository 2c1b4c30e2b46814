package lock_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/lock"
	"github.com/omnizarr/zarr/store/mem"
)

func TestOneHasALock(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o777); err != nil {
		t.Fatal(err)
	}
	outer, err := file.Open(dir, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer outer.Close()
	inner, err := file.Open(filepath.Join(dir, "a"), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	release, err := lock.Take(t.Context(), outer, "a")
	if err != nil {
		t.Fatal(err)
	}
	_, err = lock.Take(t.Context(), inner, "") // the same folder
	if !errors.Is(err, lock.ErrBusy) {
		t.Errorf("got %v", err)
	}
	if runtime.GOOS == "linux" && !strings.Contains(fmt.Sprint(err), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("it is not said who: %v", err)
	}
	other, err := lock.Take(t.Context(), inner, "b")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other(), release()); err != nil {
		t.Fatal(err)
	}
	if release, err = lock.Take(t.Context(), inner, ""); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "a", ".*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func ExampleTake() {
	release, err := lock.Take(context.Background(), mem.New(), "") // which no other process has
	fmt.Println(err, release())
	// Output: <nil> <nil>
}

// Who reads can see that somebody writes, and keeps nobody from it.
func TestBusy(t *testing.T) {
	dir := t.TempDir()
	s, err := file.Open(dir, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	look := store.ReadOnly(s)
	if lock.Busy(look, "") || lock.Busy(look, "none") || lock.Busy(mem.New(), "") {
		t.Error("busy, and nobody is")
	}
	release, err := lock.Take(t.Context(), s, "")
	if err != nil {
		t.Fatal(err)
	}
	if !lock.Busy(look, "") {
		t.Error("somebody has the lock")
	}
	if err := release(); err != nil || lock.Busy(look, "") {
		t.Errorf("still busy, %v", err)
	}
}
