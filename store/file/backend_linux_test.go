package file

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A file is read alike whether the system has all of it in memory, nothing, or a part; one read
// in place of the other is never more than was asked for, nor behind the end.
func TestReadAtOfForgottenFiles(t *testing.T) {
	const size = 2*mostCopied + 12345
	want := make([]byte, size)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < size; i++ {
		want[i] = byte(r.Uint32())
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, want, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	g := fdFile(fd)
	defer g.Close()
	for name, forget := range map[string][2]int64{"nothing": {0, 0}, "all": {0, size}, "the middle": {mostCopied / 2, mostCopied}} {
		for _, at := range [][2]int{{0, size}, {0, 1}, {4095, 2}, {mostCopied - 1, 70000}, {3 * mostCopied / 2, size}, {size - 1, 10}, {0, size + 10}} {
			if forget[1] > 0 {
				// Only what is on the disk is given up.
				if err := unix.Fsync(fd); err != nil {
					t.Fatal(err)
				}
				if err := unix.Fadvise(fd, forget[0], forget[1], unix.FADV_DONTNEED); err != nil {
					t.Fatal(err)
				}
			}
			notCached.Store(0)
			got := make([]byte, at[1]+8)
			done := 0
			for done < at[1] {
				var n int
				n, err = g.ReadAt(got[done:at[1]], int64(at[0]+done))
				if done += n; err != nil {
					break
				}
			}
			end := min(at[0]+at[1], size)
			if !bytes.Equal(got[:done], want[at[0]:end]) || (err == io.EOF) != (at[0]+at[1] > size) || err != nil && err != io.EOF {
				t.Errorf("%s forgotten: %d bytes at %d: %d, %v", name, at[1], at[0], done, err)
			}
			if !bytes.Equal(got[at[1]:], make([]byte, 8)) {
				t.Errorf("%s forgotten: %d bytes at %d: what is behind them was written to", name, at[1], at[0])
			}
		}
	}
	notCached.Store(2) // reads do without, and then try again
	for i, want := range []int{0, 0, 10} {
		if n := g.copyCached(make([]byte, 10), 0); n != want && n != 0 {
			t.Errorf("try %d gave %d bytes", i, n)
		}
	}
	if n := notCached.Load(); n != 0 && n != withoutTry {
		t.Errorf("%d reads do without a try", n)
	}
	if n, err := g.ReadAt(nil, 5); n != 0 || err != nil {
		t.Errorf("nothing: %d, %v", n, err)
	}
}
