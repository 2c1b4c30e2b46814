package landing_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

// stopping is a store that does some changes and then fails all, as if the process had
// ended there.
type stopping struct {
	store.Store
	two  bool // cannot exchange, only move
	mu   sync.Mutex
	left int
}

var errStopped = errors.New("stopped")

func (s *stopping) step() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left--; s.left < 0 {
		return errStopped
	}
	return nil
}

func (s *stopping) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if err := s.step(); err != nil {
		return store.Info{}, err
	}
	return s.Store.Put(ctx, key, data, opt)
}

func (s *stopping) Delete(ctx context.Context, key string) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.Store.Delete(ctx, key)
}

func (s *stopping) Move(ctx context.Context, from, to string) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.Store.(store.Mover).Move(ctx, from, to)
}

func (s *stopping) Exchange(ctx context.Context, a, b string) error {
	if s.two {
		return errors.ErrUnsupported
	}
	if err := s.step(); err != nil {
		return err
	}
	return s.Store.(store.Mover).Exchange(ctx, a, b)
}

func (s *stopping) Identity(key string) string { return store.Identity(s.Store, key) }

func (s *stopping) Hidden(ctx context.Context, prefix string) iter.Seq2[store.HiddenEntry, error] {
	return store.Hidden(ctx, s.Store, prefix)
}

func (s *stopping) Sweep(ctx context.Context, key string) error {
	return store.Sweep(ctx, s.Store, key)
}

// immovable hides that a store can give folders other names.
type immovable struct{ store.Store }

func (s immovable) Identity(key string) string { return store.Identity(s.Store, key) }

// kinds are stores that differ in what they can do.
func kinds(t *testing.T) map[string]func(left int) store.Store {
	folder := func() store.Store {
		s, err := file.Open(t.TempDir(), file.Options{})
		jobtest.Check(t, err)
		t.Cleanup(func() { s.Close() })
		return s
	}
	return map[string]func(left int) store.Store{
		"memory":    func(left int) store.Store { return &stopping{Store: mem.New(), left: left} },
		"two moves": func(left int) store.Store { return &stopping{Store: mem.New(), left: left, two: true} },
		"no moves":  func(left int) store.Store { return immovable{&stopping{Store: mem.New(), left: left}} },
		"folder":    func(left int) store.Store { return &stopping{Store: folder(), left: left} },
	}
}

// steps is how far apart tests stop what goes on in a store of each kind: other ones in
// each, most closely where most can happen between two of them.
var steps = map[string]int{"memory": 4, "two moves": 3, "no moves": 3, "folder": 5}

func setLeft(s store.Store, left int) {
	if i, ok := s.(immovable); ok {
		s = i.Store
	}
	s.(*stopping).left = left
}

const plenty = 1 << 30

// below gives what a store holds below a path, and fails on anything beside it.
func below(t *testing.T, s store.Store, at string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for key, value := range jobtest.All(t, s) {
		rest, ok := strings.CutPrefix(key, at+"/")
		if !ok && key != "zarr.json" { // of the group above
			t.Errorf("%s lies beside", key)
		}
		out[rest] = value
	}
	return out
}

// elements reads an array of a copy, nil if it does not open.
func elements(t *testing.T, s store.Store, at string) ([]byte, error) {
	t.Helper()
	n, err := zarr.OpenStore(ctx, s, at+"/plane")
	if err != nil {
		return nil, err
	}
	return jobtest.Elements(t, n.(*zarr.Array)), nil
}

// small is a group of two arrays, whose elements have a sign.
func small(t *testing.T, sign int16) *zarr.Group {
	t.Helper()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	jobtest.Check(t, err)
	for _, path := range []string{"plane", "deep/more"} {
		a, err := g.CreateArray(ctx, path, zarr.ArraySpec{Shape: []int{2, 2}, Chunks: []int{1, 2}, DataType: "int16"})
		jobtest.Check(t, err)
		jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), []int16{sign, 2 * sign, 3 * sign, 4 * sign}))
	}
	return g
}

// A copy that stops at any step is not there, and run again ends as one that was never
// stopped.
func TestACopyThatStopsAnywhereGoesOn(t *testing.T) {
	g := small(t, 1)
	opts := copying.Options{Chunks: []int{2, 1}, Workers: 1}
	for name, open := range kinds(t) {
		t.Run(name, func(t *testing.T) {
			whole := open(plenty)
			jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, whole, "in/whole", opts)))
			want := jobtest.All(t, whole)
			for stop := 0; ; stop += thorough.Step(steps[name]) {
				dst := open(stop)
				err := jobtest.Err(copying.Into(ctx, g, dst, "in/whole", opts))
				setLeft(dst, plenty)
				if _, openErr := zarr.OpenStore(ctx, dst, "in/whole"); err != nil && openErr == nil {
					// The document of the root is there: all is.
					if _, err := elements(t, dst, "in/whole"); err != nil {
						t.Errorf("stopped at step %d: %v", stop, err)
					}
				} else if err != nil && !errors.Is(openErr, zarr.ErrUnfinished) && !errors.Is(openErr, zarr.ErrNoNode) {
					t.Errorf("stopped at step %d: %v", stop, openErr)
				} else if _, openErr := zarr.OpenStore(ctx, dst, "in/whole/deep/none"); stop > 0 && err != nil && !errors.Is(openErr, zarr.ErrUnfinished) {
					t.Errorf("stopped at step %d, what is below: %v", stop, openErr)
				}
				sum, again := copying.Into(ctx, g, dst, "in/whole", opts)
				jobtest.Check(t, again)
				if err == nil && !sum.Already {
					t.Errorf("a copy that is complete was done again: %+v", sum)
				}
				jobtest.Same(t, jobtest.All(t, dst), want)
				if err == nil || t.Failed() {
					break
				}
			}
		})
	}
}

// What a copy replaces stays until it is complete: at every step there is the old or
// the new, and the same copy again ends with the new.
func TestReplacingThatStopsAnywhereLeavesTheOldOrTheNew(t *testing.T) {
	g, other := small(t, 1), small(t, -1)
	elementsOf := func(g *zarr.Group) []byte {
		a, err := g.Array(ctx, "plane")
		jobtest.Check(t, err)
		return jobtest.Elements(t, a)
	}
	oldPlane, newPlane := elementsOf(other), elementsOf(g)
	opts := copying.Options{Chunks: []int{2, 1}, Workers: 1, Overwrite: true}
	for name, open := range kinds(t) {
		t.Run(name, func(t *testing.T) {
			whole := open(plenty)
			jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, whole, "a", opts)))
			want := jobtest.All(t, whole)
			last := plenty
			if (name == "memory" || name == "two moves") && !thorough.Enabled {
				// In one of the last steps the one takes the place of the other: none is passed over.
				dst := open(plenty)
				jobtest.Check(t, jobtest.Err(copying.Into(ctx, other, dst, "a", copying.Options{})))
				setLeft(dst, plenty)
				jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "a", opts)))
				last = plenty - dst.(*stopping).left - 6
			}
			for stop := 0; ; stop = min(stop+thorough.Step(steps[name]), max(stop+1, last)) {
				dst := open(plenty)
				jobtest.Check(t, jobtest.Err(copying.Into(ctx, other, dst, "a", copying.Options{})))
				setLeft(dst, stop)
				err := jobtest.Err(copying.Into(ctx, g, dst, "a", opts))
				setLeft(dst, plenty)
				got, openErr := elements(t, dst, "a")
				switch {
				case openErr == nil && !slices.Equal(got, oldPlane) && !slices.Equal(got, newPlane):
					t.Errorf("stopped at step %d: neither the old nor the new", stop)
				case openErr != nil && (name == "memory" || name == "folder"):
					t.Errorf("stopped at step %d: %v", stop, openErr)
				case openErr != nil && name == "two moves" && !errors.Is(openErr, zarr.ErrNoNode):
					t.Errorf("stopped at step %d: %v", stop, openErr)
				}
				if openErr != nil && name == "two moves" {
					if old, new := len(keysIn(t, dst, ".a.omnizarr-old/")), len(keysIn(t, dst, ".a.omnizarr-new/")); old == 0 || new == 0 {
						t.Errorf("stopped at step %d: between the moves, %d and %d keys", stop, old, new)
					}
				}
				jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "a", opts)))
				jobtest.Same(t, jobtest.All(t, dst), want)
				below(t, dst, "a")
				if err == nil || t.Failed() {
					break
				}
			}
		})
	}
}

func keysIn(t *testing.T, s store.Store, prefix string) (keys []string) {
	for e, err := range s.List(ctx, prefix, "") {
		jobtest.Check(t, err)
		keys = append(keys, e.Key)
	}
	return keys
}

// counting counts changes.
type counting struct {
	store.Store
	changes atomic.Int64
}

func (c *counting) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	c.changes.Add(1)
	return c.Store.Put(ctx, key, data, opt)
}

func (c *counting) Delete(ctx context.Context, key string) error {
	c.changes.Add(1)
	return c.Store.Delete(ctx, key)
}

func TestACopyThatIsThereIsLeftAsItIs(t *testing.T) {
	g, s := jobtest.Sample(t)
	dst := &counting{Store: mem.New()}
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "a", copying.Options{})))
	before := jobtest.All(t, dst)
	dst.changes.Store(0)
	sum, err := copying.Into(ctx, g, dst, "a", copying.Options{Workers: 3})
	if err != nil || !sum.Already || dst.changes.Load() != 0 {
		t.Errorf("%v, %+v, %d changes", err, sum, dst.changes.Load())
	}
	refused := func(what, words string, err error) {
		t.Helper()
		if !errors.Is(err, landing.ErrNotEmpty) || !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), "--overwrite") {
			t.Errorf("%s: %v", what, err)
		}
		jobtest.Same(t, jobtest.All(t, dst), before)
	}
	into := func(opts copying.Options) error { return jobtest.Err(copying.Into(ctx, g, dst, "a", opts)) }
	refused("other options", "other options", into(copying.Options{Chunks: []int{2, 2}}))
	twin, _ := jobtest.Sample(t)
	refused("another source", "another source", jobtest.Err(copying.Into(ctx, twin, dst, "a", copying.Options{})))
	_, err = dst.Put(ctx, "a/plane/c/0/0", []byte("?"), store.PutOptions{})
	jobtest.Check(t, err)
	before["a/plane/c/0/0"] = "?"
	refused("a changed copy", "changed since", into(copying.Options{}))
	jobtest.Check(t, into(copying.Options{Overwrite: true}))
	before = jobtest.All(t, dst)
	_, err = s.Put(ctx, "plane/c/0/0", []byte("?"), store.PutOptions{})
	jobtest.Check(t, err)
	refused("a changed source", "has changed since", into(copying.Options{}))
}

// The record and the mark are no user's files: nodes that have them are removed with
// them.
func TestTheRecordBelongsToTheCopy(t *testing.T) {
	g, _ := jobtest.Sample(t)
	dst := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "a", copying.Options{})))
	text := jobtest.All(t, dst)["a/"+zarr.Copied]
	if strings.Count(text, "\n") != 1 || len(text) > 256 || strings.Contains(text, "mem:") {
		t.Errorf("the record is %q", text)
	}
	n, err := zarr.OpenStore(ctx, dst, "a")
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Remove(ctx, n))
	below(t, dst, "nothing")
}

func TestWhatIsNoNodesIsNotReplaced(t *testing.T) {
	g, _ := jobtest.Sample(t)
	for _, key := range []string{"notes.txt", "sub/2024", "plane/README", "deep/volume/table.parquet"} {
		for _, overwrite := range []bool{false, true} {
			dst := mem.New()
			if key != "notes.txt" {
				jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, dst, "a", copying.Options{})))
			}
			_, err := dst.Put(ctx, "a/"+key, []byte("mine"), store.PutOptions{})
			jobtest.Check(t, err)
			before := jobtest.All(t, dst)
			err = jobtest.Err(copying.Into(ctx, g, dst, "a", copying.Options{Overwrite: overwrite, Chunks: []int{3, 3}}))
			if !errors.Is(err, landing.ErrNotEmpty) || (overwrite || key == "notes.txt") && !strings.Contains(err.Error(), key) {
				t.Errorf("%s, overwrite %v: %v", key, overwrite, err)
			}
			jobtest.Same(t, jobtest.All(t, dst), before)
		}
	}
}

func TestWhatIsBrokenIsReplaced(t *testing.T) {
	g, _ := jobtest.Sample(t)
	whole := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, whole, "a", copying.Options{})))
	for name, values := range map[string]map[string]string{
		"no JSON":            {"zarr.json": "{", "c/0/0": "x", "0.0": "y"},
		"an array of v2":     {".zattrs": "{}", "0.0": "x", "1.0": "y"},
		"only chunks":        {"c/0/0": "x", "c/1/0": "y"},
		"a group":            {".zgroup": `{"zarr_format":2}`, "x/.zattrs": "{}", "x/0/1": "x"},
		"an unknown mark":    {zarr.Unfinished: "", "c/0": "x", "x/zarr.json": "{}"},
		"a mark of the past": {zarr.Unfinished: `{"omnizarr":0}`, "0.0": "x"},
	} {
		for _, s := range []store.Store{mem.New(), immovable{mem.New()}} {
			for key, value := range values {
				_, err := s.Put(ctx, "a/"+key, []byte(value), store.PutOptions{})
				jobtest.Check(t, err)
			}
			before := jobtest.All(t, s)
			if err := jobtest.Err(copying.Into(ctx, g, s, "a", copying.Options{})); !errors.Is(err, landing.ErrNotEmpty) {
				t.Errorf("%s: %v", name, err)
			}
			jobtest.Same(t, jobtest.All(t, s), before)
			jobtest.Check(t, jobtest.Err(copying.Into(ctx, g, s, "a", copying.Options{Overwrite: true})))
			jobtest.Same(t, jobtest.All(t, s), jobtest.All(t, whole))
		}
	}
}

// A copy that was begun is told from others, and made anew only if that is asked for.
func TestAnUnfinishedCopyIsOfOneSourceAndOneRequest(t *testing.T) {
	g, s := jobtest.Sample(t)
	dst := &stopping{Store: mem.New(), left: 12}
	opts := copying.Options{Chunks: []int{2, 2}, Workers: 1}
	if err := jobtest.Err(copying.Into(ctx, g, dst, "a", opts)); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	dst.left = plenty
	before := jobtest.All(t, dst)
	refused := func(words string, src zarr.Node, opts copying.Options) {
		t.Helper()
		err := jobtest.Err(copying.Into(ctx, src, dst, "a", opts))
		if !errors.Is(err, zarr.ErrUnfinished) || !strings.Contains(err.Error(), words) || !strings.Contains(err.Error(), "--overwrite") {
			t.Errorf("want %s: %v", words, err)
		}
		jobtest.Same(t, jobtest.All(t, dst), before)
	}
	twin, _ := jobtest.Sample(t)
	refused("another source", twin, opts)
	refused("other options", g, copying.Options{Chunks: []int{3, 3}})
	_, err := s.Put(ctx, "plane/c/0/0", []byte("?"), store.PutOptions{})
	jobtest.Check(t, err)
	refused("the source has changed", g, opts)
	whole := mem.New()
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, twin, whole, "a", opts)))
	opts.Overwrite = true
	jobtest.Check(t, jobtest.Err(copying.Into(ctx, twin, dst, "a", opts)))
	jobtest.Same(t, jobtest.All(t, dst), jobtest.All(t, whole))
}

// Folders on disk: the mark is found from what lies below, from beside, and by a second
// process.
func TestFoldersThatAreUnfinished(t *testing.T) {
	dir := t.TempDir()
	g, _ := jobtest.Sample(t)
	at := filepath.Join(dir, "new", "a.zarr")
	l, err := landing.Begin(ctx, landing.Place{URL: at}, landing.Copy{Source: g})
	jobtest.Check(t, err)
	a, err := zarr.CreateArrayIn(ctx, l.Store(), "sub/x", zarr.ArraySpec{Shape: []int{4}, Chunks: []int{2}, DataType: "int16"})
	jobtest.Check(t, err)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("before the start: %v, %v", entries, err)
	}
	jobtest.Check(t, l.Start(ctx))
	jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), []int16{1, 2, 3, 4}))
	for _, below := range []string{"", "sub", "sub/x", "sub/x/c", "none"} {
		if _, err := zarr.Open(ctx, filepath.Join(at, below)); !errors.Is(err, zarr.ErrUnfinished) || !strings.Contains(err.Error(), "unfinished") {
			t.Errorf("%q: %v", below, err)
		}
	}
	for _, overwrite := range []bool{false, true} {
		err := jobtest.Err(copying.Copy(ctx, g, at, copying.Options{Overwrite: overwrite}))
		if err == nil || !strings.Contains(err.Error(), "somebody else") {
			t.Errorf("a second one at once: %v", err)
		}
		if who := fmt.Sprintf("by process %d ", os.Getpid()); runtime.GOOS == "linux" && !strings.Contains(err.Error(), who) {
			t.Errorf("who is at it is not told: %v", err)
		}
	}
	if err := jobtest.Err(copying.Copy(ctx, g, filepath.Join(at, "inner"), copying.Options{})); !errors.Is(err, zarr.ErrUnfinished) {
		t.Errorf("something inside: %v", err)
	}
	jobtest.Check(t, l.Finish(ctx))
	n, err := zarr.Open(ctx, at)
	jobtest.Check(t, err)
	jobtest.Check(t, n.Close())
	entries, err := os.ReadDir(at)
	jobtest.Check(t, err)
	if got := fmt.Sprint(entries); got != "[- .omnizarr-copied d sub/ - zarr.json]" {
		t.Error(got)
	}

	// Between two moves there is nothing in the place.
	jobtest.Check(t, os.Rename(at, filepath.Join(dir, "new", ".a.zarr.omnizarr-new")))
	for _, below := range []string{"", "sub"} {
		if _, err := zarr.Open(ctx, filepath.Join(at, below)); !errors.Is(err, zarr.ErrUnfinished) {
			t.Errorf("beside, %q: %v", below, err)
		}
	}
}

func TestTemporaryFilesOfDeadRunsAreRemoved(t *testing.T) {
	dir := t.TempDir()
	g, _ := jobtest.Sample(t)
	for _, begun := range []bool{false, true} {
		at := filepath.Join(dir, fmt.Sprint(begun))
		if begun {
			l, err := landing.Begin(ctx, landing.Place{URL: at}, landing.Copy{Source: g})
			jobtest.Check(t, err)
			_, err = zarr.CreateGroupIn(ctx, l.Store(), "")
			jobtest.Check(t, err)
			jobtest.Check(t, l.Start(ctx))
			l.Abandon(nil)
		}
		left := filepath.Join(at, ".omnizarr-0123456789abcdef.tmp")
		jobtest.Check(t, os.MkdirAll(at, 0o777))
		jobtest.Check(t, os.WriteFile(left, nil, 0o666))
		jobtest.Check(t, jobtest.Err(copying.Copy(ctx, g, at, copying.Options{Overwrite: begun})))
		if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("begun %v: %v", begun, err)
		}
	}
}

// TestPlacesThatOverlap tries the ways in which a copy could destroy its source.
func TestPlacesThatOverlap(t *testing.T) {
	dir := t.TempDir()
	g, _ := jobtest.Sample(t)
	src := filepath.Join(dir, "d", "a.zarr")
	jobtest.Check(t, jobtest.Err(copying.Copy(ctx, g, src, copying.Options{})))
	for name, target := range map[string]string{"link": "d/a.zarr", "nowhere": "d/a.zarr/new", "up": "d"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	s, err := file.Open(src, file.Options{})
	jobtest.Check(t, err)
	defer s.Close()
	before := jobtest.All(t, s)
	for _, from := range []string{src, filepath.Join(dir, "link"), filepath.Join(src, "plane")} {
		n, err := zarr.Open(ctx, from)
		jobtest.Check(t, err)
		for _, to := range []string{from, src, "d", "d/a.zarr/in", "link", "link/in", "nowhere", "up", "up/a.zarr", ".", "d/a.zarr/in.zip", "d/a.zarr/in.tif"} {
			if !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			if strings.HasSuffix(from, "plane") && (strings.Contains(to, "in") || strings.Contains(to, "nowhere")) {
				continue // beside it
			}
			for _, overwrite := range []bool{false, true} {
				if err := jobtest.Err(copying.Copy(ctx, n, to, copying.Options{Overwrite: overwrite})); err == nil || !strings.Contains(err.Error(), "same place") {
					t.Errorf("%s to %s: %v", from, to, err)
				}
			}
		}
		jobtest.Check(t, n.Close())
	}
	jobtest.Same(t, jobtest.All(t, s), before)
}

// Files that a copy brought along are its own, as long as nobody has changed them.
func TestKeptFilesAreReplacedWithTheCopy(t *testing.T) {
	g := small(t, 1)
	dst := mem.New()
	land := func(request string, overwrite bool) error {
		l, err := landing.Begin(ctx, landing.Place{Store: dst, Path: "a"}, landing.Copy{Source: g, Request: request, Overwrite: overwrite})
		jobtest.Check(t, err)
		_, err = zarr.CreateGroupIn(ctx, l.Store(), l.Path())
		if err == nil {
			err = l.Start(ctx)
		}
		if err == nil && !l.Already() {
			_, err = l.Store().Put(ctx, "a/sub/README", []byte("read me"), store.PutOptions{})
			l.Keep("a/sub/README")
		}
		if err != nil {
			return l.Abandon(err)
		}
		return l.Finish(ctx)
	}
	jobtest.Check(t, land("one", false))
	jobtest.Check(t, land("one", false))
	jobtest.Check(t, land("two", true))
	_, err := dst.Put(ctx, "a/sub/README", []byte("somebody's notes"), store.PutOptions{})
	jobtest.Check(t, err)
	if err := land("three", true); !errors.Is(err, landing.ErrNotEmpty) || !strings.Contains(err.Error(), "README") {
		t.Error(err)
	}
}

// An archive that holds what is no node's is not made anew.
func TestArchiveOfOthersIsNotReplaced(t *testing.T) {
	g := small(t, 1)
	for name, files := range map[string][]string{
		"photos": {"ph/a.jpg"}, "stores": {"a.zarr/zarr.json", "b.zarr/zarr.json"}, "notes": {"zarr.json", "notes.docx"},
	} {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, file := range files {
			f, err := w.Create(file)
			jobtest.Check(t, err)
			_, err = f.Write([]byte(`{"zarr_format": 3, "node_type": "group"}`))
			jobtest.Check(t, err)
		}
		jobtest.Check(t, w.Close())
		to := filepath.Join(t.TempDir(), name+".zip")
		jobtest.Check(t, os.WriteFile(to, b.Bytes(), 0o666))
		for _, overwrite := range []bool{false, true} {
			err := jobtest.Err(copying.Copy(ctx, g, to, copying.Options{Overwrite: overwrite}))
			if !errors.Is(err, landing.ErrNotEmpty) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if now, err := os.ReadFile(to); err != nil || !bytes.Equal(now, b.Bytes()) {
			t.Errorf("%s: changed, %v", name, err)
		}
		if left, err := os.ReadDir(filepath.Dir(to)); err != nil || len(left) != 1 {
			t.Errorf("%s: %v, %v", name, left, err)
		}
	}
}

func TestOwnOnlyReplacesNothingButAnEarlierCopy(t *testing.T) {
	src := small(t, 1)
	for name, before := range map[string]func(s store.Store){
		"another node": func(s store.Store) { _, err := zarr.CreateGroupIn(ctx, s, "out"); jobtest.Check(t, err) },
		"another copy": func(s store.Store) { jobtest.Check(t, copyTo(t, s, small(t, -1), landing.Copy{})) },
		"other values": func(s store.Store) { putText(t, s, "out/README", "mine") },
		"changed": func(s store.Store) {
			jobtest.Check(t, copyTo(t, s, src, landing.Copy{}))
			putText(t, s, "out/more", "mine")
		},
		"another begun": func(s store.Store) {
			putText(t, s, "out/"+zarr.Unfinished, `{"omnizarr": 1, "source": "elsewhere"}`)
		},
	} {
		for _, over := range []bool{false, true} {
			s := mem.New()
			before(s)
			was := jobtest.All(t, s)
			err := copyTo(t, s, src, landing.Copy{Overwrite: over, OwnOnly: true})
			if !errors.Is(err, landing.ErrNotEmpty) || strings.Contains(err.Error(), "--overwrite") || !maps.Equal(jobtest.All(t, s), was) {
				t.Errorf("%s, overwrite %v: %v", name, over, err)
			}
		}
	}
	s := mem.New()
	for range 2 {
		jobtest.Check(t, copyTo(t, s, src, landing.Copy{Overwrite: true, OwnOnly: true}))
	}
}

func putText(t *testing.T, s store.Store, key, text string) {
	t.Helper()
	_, err := s.Put(ctx, key, []byte(text), store.PutOptions{})
	jobtest.Check(t, err)
}

// copyTo copies a group of small's to out.
func copyTo(t *testing.T, s store.Store, src *zarr.Group, c landing.Copy) error {
	t.Helper()
	c.Source, c.Request = src, "test"
	l, err := landing.Begin(ctx, landing.Place{Store: s, Path: "out"}, c)
	if err != nil {
		return err
	}
	_, err = zarr.CreateGroupIn(ctx, l.Store(), l.Path())
	if err == nil {
		err = l.Start(ctx)
	}
	if err != nil {
		return l.Abandon(err)
	}
	return l.Finish(ctx)
}

func TestWithdrawnCopiesLeaveNothing(t *testing.T) {
	for name, kind := range kinds(t) {
		s := kind(plenty)
		src := small(t, 1)
		begin := func() *landing.Landing {
			l, err := landing.Begin(ctx, landing.Place{Store: s, Path: "out"}, landing.Copy{Source: src, Request: "test"})
			jobtest.Check(t, err)
			_, err = zarr.CreateGroupIn(ctx, l.Store(), l.Path())
			jobtest.Check(t, err)
			jobtest.Check(t, l.Start(ctx))
			return l
		}
		if err := begin().Withdraw(errStopped); err != errStopped || len(jobtest.All(t, s)) > 0 {
			t.Errorf("%s: %v, left %v", name, err, jobtest.All(t, s))
		}
		// What was begun before stays.
		if err := begin().Abandon(errStopped); err != errStopped {
			t.Error(err)
		}
		if err := begin().Withdraw(errStopped); err != errStopped || len(jobtest.All(t, s)) != 1 {
			t.Errorf("%s: %v, left %v", name, err, jobtest.All(t, s))
		}
	}
}

// A folder in that of an array is no place for a copy: what lies there are its chunks.
func TestNothingLandsInAnArray(t *testing.T) {
	dir := t.TempDir()
	spec := zarr.ArraySpec{Shape: []int{4}, DataType: "uint8"}
	for _, name := range []string{"in", "from"} {
		a, err := zarr.CreateArray(ctx, filepath.Join(dir, name), spec)
		jobtest.Check(t, err)
		jobtest.Check(t, a.Close())
	}
	from, err := zarr.Open(ctx, filepath.Join(dir, "from"))
	jobtest.Check(t, err)
	defer from.Close()
	for _, below := range []string{"b", "x/y"} {
		l, err := landing.Begin(ctx, landing.Place{URL: filepath.Join(dir, "in", below)}, landing.Copy{Source: from})
		if !errors.Is(err, zarr.ErrNotGroup) || !strings.Contains(err.Error(), "in is an array") {
			t.Errorf("in %s: %v", below, err)
		}
		if err == nil {
			l.Abandon(nil)
		}
	}
	left, err := os.ReadDir(filepath.Join(dir, "in"))
	jobtest.Check(t, err)
	if len(left) != 1 {
		t.Errorf("%v is left", left)
	}
}
