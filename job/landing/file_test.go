package landing_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/job/virtual"
	"github.com/omnizarr/zarr/store/mem"
)

// A file that is no archive is not replaced by one, whatever its name; one that is
// broken is.
func TestFilesOfOthersAreNotReplaced(t *testing.T) {
	g, _ := jobtest.Sample(t)
	dir := t.TempDir()
	for _, name := range []string{"a.zip", "a.zip/inner"} {
		path := filepath.Join(dir, "a.zip")
		jobtest.Check(t, os.WriteFile(path, []byte("my thesis"), 0o666))
		err := jobtest.Err(copying.Copy(ctx, g, filepath.Join(dir, name), copying.Options{Overwrite: true}))
		if text, _ := os.ReadFile(path); !errors.Is(err, landing.ErrNotEmpty) || string(text) != "my thesis" {
			t.Errorf("%s: %v, %q", name, err, text)
		}
	}
	for _, head := range []string{"", "PK\x03\x04 and no more"} {
		path := filepath.Join(dir, "b.zip")
		jobtest.Check(t, os.WriteFile(path, []byte(head), 0o666))
		if err := jobtest.Err(copying.Copy(ctx, g, path, copying.Options{Overwrite: true})); err != nil {
			t.Errorf("%q: %v", head, err)
		}
	}
	src := filepath.Join(dir, "a.zarr")
	jobtest.Check(t, jobtest.Err(copying.Copy(ctx, g, src, copying.Options{})))
	n, err := zarr.Open(ctx, src)
	jobtest.Check(t, err)
	defer n.Close()
	path := filepath.Join(dir, "a.json")
	jobtest.Check(t, os.WriteFile(path, []byte(`{"my": "settings"}`), 0o666))
	err = virtual.Write(ctx, n, path, virtual.Options{Overwrite: true})
	if text, _ := os.ReadFile(path); !errors.Is(err, landing.ErrNotEmpty) || string(text) != `{"my": "settings"}` {
		t.Errorf("%v, %q", err, text)
	}
}

// A source whose chunk was changed in place is another one, also if the chunk has the
// same size.
func TestAChunkThatWasChangedInPlace(t *testing.T) {
	g, _ := jobtest.Sample(t)
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src.zarr"), filepath.Join(dir, "dst.zarr")
	jobtest.Check(t, jobtest.Err(copying.Copy(ctx, g, src, copying.Options{})))
	again := func() error {
		n, err := zarr.Open(ctx, src)
		jobtest.Check(t, err)
		defer n.Close()
		return jobtest.Err(copying.Copy(ctx, n, dst, copying.Options{}))
	}
	jobtest.Check(t, again())
	jobtest.Check(t, again())
	chunk := filepath.Join(src, "plane", "c", "0", "0")
	info, err := os.Stat(chunk)
	jobtest.Check(t, err)
	b, err := os.ReadFile(chunk)
	jobtest.Check(t, err)
	b[len(b)-1] ^= 1
	jobtest.Check(t, os.WriteFile(chunk, b, 0o666))
	later := info.ModTime().Add(1)
	jobtest.Check(t, os.Chtimes(chunk, later, later))
	if err := again(); !errors.Is(err, landing.ErrNotEmpty) {
		t.Errorf("%v", err)
	}
}

// A copy inside of a hierarchy that is stopped anywhere, and run again, is in the
// consolidated metadata above it; the next run changes nothing.
func TestTheConsolidatedMetadataAboveIsMended(t *testing.T) {
	src, _ := jobtest.Sample(t)
	stopped := func(left int) (changes int) {
		s := &stopping{Store: mem.New(), left: plenty}
		root, err := zarr.CreateGroupIn(ctx, s, "")
		jobtest.Check(t, err)
		jobtest.Check(t, jobtest.Err(root.CreateGroup(ctx, "sub")))
		jobtest.Check(t, root.Consolidate(ctx))
		s.left = left
		if err := jobtest.Err(copying.Into(ctx, src, s, "sub/a", copying.Options{})); err != nil && !errors.Is(err, errStopped) {
			t.Fatal(err)
		}
		changes = left - s.left
		s.left = plenty
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, s, "sub/a", copying.Options{})))
		n, err := zarr.OpenStore(ctx, s, "")
		jobtest.Check(t, err)
		for _, path := range []string{"sub/a", "sub/a/plane"} {
			if _, err := n.(*zarr.Group).Metadata().Consolidated.Get(path); err != nil {
				t.Errorf("stopped after %d changes: %s: %v", left, path, err)
			}
		}
		s.left = 0
		if sum, err := copying.Into(ctx, src, s, "sub/a", copying.Options{}); err != nil || !sum.Already {
			t.Errorf("once more: %+v, %v", sum, err)
		}
		return changes
	}
	all := stopped(plenty)
	for left := range all {
		if all-left < 8 || left%thorough.Step(11) == 0 { // the documents are written in the end
			stopped(left)
		}
	}
}
