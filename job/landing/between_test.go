package landing_test

import (
	"errors"
	"path"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// slow is an array whose copy goes by way of another one, and how it is copied.
func slow(t *testing.T, sign int16) (*zarr.Array, copying.Options) {
	t.Helper()
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{32, 64, 64}, Chunks: []int{1, 64, 64}, DataType: "int16", Codecs: []byte(`[{"name": "bytes", "configuration": {"endian": "little"}}]`)})
	jobtest.Check(t, err)
	data := jobtest.Count[int16](32 * 64 * 64)
	for i := range data {
		data[i] = sign * (data[i]*31 + 1)
	}
	jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), data))
	return a, copying.Options{Chunks: []int{32, 16, 16}, Memory: 352 << 10, Workers: 1}
}

// A copy by way of another array that stops at any step is not there, goes on, and ends
// with the bytes of a direct one, and nothing more.
func TestACopyBetweenThatStopsAnywhereGoesOn(t *testing.T) {
	src, opts := slow(t, 1)
	direct := opts
	direct.Direct = true
	for name, open := range kinds(t) {
		if name == "no moves" {
			continue // and no conditions, as in archives, which are copied directly
		}
		t.Run(name, func(t *testing.T) {
			whole := open(plenty)
			jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, whole, "in/whole", direct)))
			want := jobtest.All(t, whole)
			step := thorough.Step(2*steps[name] + 1) // there are more of them
			between := false
			for stop := 0; ; stop += step {
				dst := open(stop)
				sum, err := copying.Into(ctx, src, dst, "in/whole", opts)
				setLeft(dst, plenty)
				for key := range jobtest.All(t, dst) {
					if !strings.HasPrefix(key, path.Join("in/whole", zarr.Between)) {
						continue
					}
					between = true
					if n, err := zarr.OpenStore(ctx, dst, path.Dir(path.Dir(key))); err == nil {
						t.Errorf("stopped at step %d: %s is of a node, %s", stop, key, n.URL())
					}
				}
				switch n, openErr := zarr.OpenStore(ctx, dst, "in/whole"); {
				case err == nil && sum.Between == 0:
					t.Errorf("it was copied directly: %+v", sum)
				case err != nil && openErr == nil:
					jobtest.Elements(t, n.(*zarr.Array)) // the document is there: all is
				case err != nil && !errors.Is(openErr, zarr.ErrUnfinished) && !errors.Is(openErr, zarr.ErrNoNode):
					t.Errorf("stopped at step %d: %v", stop, openErr)
				}
				// Going on directly ends with the same, too.
				again := opts
				again.Direct = stop%4 == 3
				sum, againErr := copying.Into(ctx, src, dst, "in/whole", again)
				jobtest.Check(t, againErr)
				if err == nil && !sum.Already {
					t.Errorf("a copy that is complete was done again: %+v", sum)
				}
				jobtest.Same(t, jobtest.All(t, dst), want)
				if err == nil || t.Failed() {
					break
				}
			}
			if !between {
				t.Error("nothing was ever between")
			}
		})
	}
}

// A copy by way of another array that replaces one leaves the old or the new at every step.
func TestReplacingBetweenThatStopsAnywhere(t *testing.T) {
	src, opts := slow(t, 1)
	other, _ := slow(t, -1)
	newer, older := string(jobtest.Elements(t, src)), string(jobtest.Elements(t, other))
	opts.Overwrite = true
	direct := opts
	direct.Direct = true
	for name, open := range kinds(t) {
		if name == "no moves" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			whole := open(plenty)
			jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, whole, "a", direct)))
			want := jobtest.All(t, whole)
			for stop := 0; ; stop += thorough.Step(53) {
				dst := open(plenty)
				jobtest.Check(t, jobtest.Err(copying.Into(ctx, other, dst, "a", copying.Options{})))
				setLeft(dst, stop)
				err := jobtest.Err(copying.Into(ctx, src, dst, "a", opts))
				setLeft(dst, plenty)
				if n, openErr := zarr.OpenStore(ctx, dst, "a"); openErr == nil {
					if got := string(jobtest.Elements(t, n.(*zarr.Array))); got != newer && got != older {
						t.Errorf("stopped at step %d: neither the old nor the new", stop)
					}
				} else if name != "two moves" {
					t.Errorf("stopped at step %d: %v", stop, openErr)
				}
				jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "a", opts)))
				jobtest.Same(t, jobtest.All(t, dst), want)
				below(t, dst, "a")
				if err == nil || t.Failed() {
					break
				}
			}
		})
	}
}

// What was between of a copy that somebody else has removed, but for that, is nobody's: it
// is not taken for this one's, and not in the way of it.
func TestWhatIsLeftBetween(t *testing.T) {
	src, opts := slow(t, 1)
	other, _ := slow(t, -1)
	dst := &stopping{Store: mem.New(), left: 12}
	if err := jobtest.Err(copying.Into(ctx, other, dst, "a", opts)); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	dst.left = plenty
	left := keysIn(t, dst, path.Join("a", zarr.Between)+"/")
	if len(left) == 0 {
		t.Fatal("nothing was between")
	}
	// Another copy does not go where one was begun.
	if err := jobtest.Err(copying.Into(ctx, src, dst, "a", opts)); !errors.Is(err, landing.ErrNotEmpty) {
		t.Errorf("got %v", err)
	}
	jobtest.Check(t, dst.Delete(ctx, path.Join("a", zarr.Unfinished)))
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "a", opts)))
	n, err := zarr.OpenStore(ctx, dst, "a")
	jobtest.Check(t, err)
	if string(jobtest.Elements(t, n.(*zarr.Array))) != string(jobtest.Elements(t, src)) {
		t.Error("elements of another copy")
	}
	if left := keysIn(t, dst, path.Join("a", zarr.Between)+"/"); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	// It is the copy's own, also for who removes it.
	_, err = dst.Put(ctx, path.Join("a", zarr.Between, "x/c/0/0/0"), []byte("?"), store.PutOptions{})
	jobtest.Check(t, err)
	opts.Overwrite = true
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, other, dst, "a", opts)))
	below(t, dst, "a")
	if left := keysIn(t, dst, path.Join("a", zarr.Between)+"/"); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
