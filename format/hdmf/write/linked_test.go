package write_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/landing"
)

// linkedSet makes files below dir/in that refer to each other, in circles, in every way:
// a.nwb.zarr to b.zarr, that to sub/c.zarr and to a.nwb.zarr, and that to both.
func linkedSet(t testing.TB, dir string, layout hdmf.Layout) string {
	t.Helper()
	ref := func(source, path string) hdmf.Reference { return hdmf.Reference{Source: source, Path: path} }
	numbers := func() *write.Dataset { return &write.Dataset{Data: write.Numbers([]int16{1, 2, 3}), Chunks: []int{2}} }
	for name, root := range map[string]*write.Group{
		"a.nwb.zarr": {Links: map[string]hdmf.Reference{"b": ref("../b.zarr", "/x")}},
		"b.zarr": {Datasets: map[string]*write.Dataset{"x": numbers(),
			"refs": {Data: write.References([]hdmf.Reference{to1("/x"), ref("../sub/c.zarr", "/y"), ref("../a.nwb.zarr", "/own")})}}},
		"sub/c.zarr": {Object: write.Object{Attributes: map[string]any{"r": map[string]any{"in": []any{1, ref("../../a.nwb.zarr", "/b")}}}},
			Datasets: map[string]*write.Dataset{"y": numbers(), "pairs": {Data: write.Compounds(write.Field{Name: "n", Data: write.Numbers([]int8{1})},
				write.Field{Name: "r", Data: write.References([]hdmf.Reference{ref("../../b.zarr", "/x")})})}}},
	} {
		if root.Datasets == nil {
			root.Datasets = map[string]*write.Dataset{"own": numbers()}
		}
		root.Type, root.ID = hdmf.Type{Namespace: "test", Name: "File"}, name
		check(t, write.Create(ctx, filepath.Join(dir, "in", name), root, write.Options{Layout: layout}))
	}
	return filepath.Join(dir, "in", "a.nwb.zarr")
}

// leads gives all links and references of a file and where they lead, without the
// folders around the files; those that lead nowhere are errors.
func leads(t testing.TB, f *hdmf.File) (all []string) {
	t.Helper()
	for m, err := range hdmf.References(ctx, f.Root(), true) {
		check(t, err)
		o, err := m.Target(ctx)
		if err != nil {
			t.Errorf("%s: %v", m.Path(), err)
			continue
		}
		all = append(all, fmt.Sprint(m.Path(), m.Attribute, m.Inside, m.Index, m.Field, "=", o.File().ID(), o.Path(), " ", o.File().Layout()))
	}
	slices.Sort(all)
	return all
}

func TestLinkedFilesAreCopiedAlong(t *testing.T) {
	for _, from := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
			dir := t.TempDir()
			src := linkedSet(t, dir, from)
			out := filepath.Join(dir, "out", "x.zarr")
			opts := write.Options{Layout: layout, WithLinks: true}
			f := open(t, src)
			var plan copying.Plan
			check(t, write.Plan(ctx, out, f, opts, &plan))
			sum, err := write.Copy(ctx, out, f, opts)
			check(t, err)
			want := []copying.Linked{
				{From: filepath.Join(dir, "in", "b.zarr"), To: filepath.Join(dir, "out", "b.zarr")},
				{From: filepath.Join(dir, "in", "sub", "c.zarr"), To: filepath.Join(dir, "out", "sub", "c.zarr")},
			}
			if !slices.Equal(sum.Linked, want) || !slices.Equal(plan.Linked, want) || !slices.Equal(sum.Notes, plan.Notes) || sum.Already {
				t.Errorf("%+v, plan %+v, want %v", sum, plan, want)
			}
			again, err := write.Copy(ctx, out, f, opts)
			if err != nil || !again.Already || !slices.Equal(again.Linked, want) {
				t.Errorf("again: %+v, %v", again, err)
			}
			// Nothing refers to the originals, and all is of the one layout.
			check(t, os.Rename(filepath.Join(dir, "in"), filepath.Join(dir, "gone")))
			for name, want := range map[string]string{
				"x.zarr":     "[/b[]=b.zarr/x L]",
				"b.zarr":     "[/refs[0]=b.zarr/x L /refs[1]=sub/c.zarr/y L /refs[2]=a.nwb.zarr/own L]",
				"sub/c.zarr": "[/pairs[0]r=b.zarr/x L /r.in[1][]=b.zarr/x L]",
			} {
				got := leads(t, open(t, filepath.Join(dir, "out", name), hdmf.Allow(dir)))
				if want = strings.ReplaceAll(want, "L", layout.String()); fmt.Sprint(got) != want {
					t.Errorf("%s: %s, want %s", name, got, want)
				}
			}
			if left := unexpected(t, filepath.Join(dir, "out"), "x.zarr", "b.zarr", "sub"); left != "" {
				t.Errorf("beside the copies: %s", left)
			}
		}
	}
}

// unexpected is what a folder holds besides some names.
func unexpected(t testing.TB, dir string, names ...string) string {
	t.Helper()
	all, err := os.ReadDir(dir)
	check(t, err)
	var more []string
	for _, e := range all {
		if !slices.Contains(names, e.Name()) {
			more = append(more, e.Name())
		}
	}
	return strings.Join(more, " ")
}

func TestCopiesOfLinkedFilesHaveNamesOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	src := linkedSet(t, dir, hdmf.V2)
	in := filepath.Join(dir, "in")
	before := listing(t, in)
	// Beside the originals.
	sum, err := write.Copy(ctx, filepath.Join(in, "new.zarr"), open(t, src), write.Options{Layout: hdmf.V3, WithLinks: true})
	check(t, err)
	if got := fmt.Sprint(sum.Linked); got != fmt.Sprintf("[{%s %s} {%s %s}]", filepath.Join(in, "b.zarr"), filepath.Join(in, "b-zarr3.zarr"),
		filepath.Join(in, "sub", "c.zarr"), filepath.Join(in, "sub", "c-zarr3.zarr")) {
		t.Error(got)
	}
	leads(t, open(t, filepath.Join(in, "new.zarr")))
	for _, name := range []string{"new.zarr", "b-zarr3.zarr", "sub/c-zarr3.zarr"} {
		check(t, os.RemoveAll(filepath.Join(in, name)))
	}
	if listing(t, in) != before {
		t.Error("the originals have changed")
	}
	// Where one of them is what others call another.
	sum, err = write.Copy(ctx, filepath.Join(dir, "out", "b.zarr"), open(t, src), write.Options{Layout: hdmf.V3, WithLinks: true})
	if err != nil || filepath.Base(sum.Linked[0].To) != "b-zarr3.zarr" {
		t.Errorf("%v, %v", sum.Linked, err)
	}
	// What it would be copied into.
	for _, at := range []string{"b.zarr/deep", "b.zarr", "sub"} {
		_, err := write.Copy(ctx, filepath.Join(in, at), open(t, src), write.Options{Layout: hdmf.V3, WithLinks: true, Overwrite: true})
		if err == nil || !strings.Contains(err.Error(), "in or around") || listing(t, in) != before {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := write.Copy(ctx, filepath.Join(dir, "x.zip"), open(t, src), write.Options{Layout: hdmf.V3, WithLinks: true}); err == nil || !strings.Contains(err.Error(), "has to be a folder") {
		t.Error(err)
	}
}

func TestLinkedFilesOutsideOfTheFolderOfTheSource(t *testing.T) {
	dir := t.TempDir()
	other := func(name string) {
		check(t, write.Create(ctx, filepath.Join(dir, name), &write.Group{Object: write.Object{ID: name}, Datasets: map[string]*write.Dataset{"x": {Data: write.Scalar(1)}}}, write.Options{Layout: hdmf.V2}))
	}
	other("far/d.zarr")
	other("work/in/far/d.zarr")
	src := filepath.Join(dir, "work", "in", "a.zarr")
	check(t, write.Create(ctx, src, &write.Group{Object: typed("A"), Links: map[string]hdmf.Reference{
		"far": {Source: "../../../far/d.zarr", Path: "/x"}, "near": {Source: "../far/d.zarr", Path: "/x"}, "none": {Source: "../none.zarr", Path: "/x"},
	}}, write.Options{Layout: hdmf.V2}))
	opts := write.Options{Layout: hdmf.V3, WithLinks: true}
	out := filepath.Join(dir, "work", "out")
	// Who may not be opened is not copied, and the link leads where it did.
	sum, err := write.Copy(ctx, filepath.Join(out, "1", "a.zarr"), open(t, src), opts)
	check(t, err)
	notes := strings.Join(sum.Notes, "\n")
	if len(sum.Linked) != 1 || len(sum.Notes) != 2 || !strings.Contains(notes, "--allow") || !strings.Contains(notes, "../none.zarr") {
		t.Errorf("%+v", sum)
	}
	far, err := open(t, filepath.Join(out, "1", "a.zarr"), hdmf.Allow(dir)).Object(ctx, "/far")
	if err != nil || far.File().ID() != "far/d.zarr" || far.File().Layout() != hdmf.V2 {
		t.Errorf("%v", err)
	}
	// Who may be is copied into the folder, under another name.
	sum, err = write.Copy(ctx, filepath.Join(out, "2", "a.zarr"), open(t, src, hdmf.Allow(dir)), opts)
	check(t, err)
	copied := open(t, filepath.Join(out, "2", "a.zarr"))
	for name, want := range map[string]string{"far": "far/d.zarr", "near": "work/in/far/d.zarr"} {
		if o, err := copied.Object(ctx, "/"+name); err != nil || o.File().ID() != want || o.File().Layout() != hdmf.V3 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if notes = strings.Join(sum.Notes, "\n"); len(sum.Linked) != 2 || !strings.Contains(notes, "does not lie in the folder of the source; its copy is "+filepath.Join(out, "2", "far", "d")) {
		t.Errorf("%+v", sum)
	}
	if left := unexpected(t, out, "1", "2"); left != "" {
		t.Errorf("above the folder of the copy: %s", left)
	}
}

func TestCopiesSayThatOtherFilesHaveTheOldLayout(t *testing.T) {
	dir := t.TempDir()
	src := open(t, linkedSet(t, dir, hdmf.V2))
	for layout, want := range map[hdmf.Layout]int{hdmf.V2: 0, hdmf.V3: 1} {
		sum, err := write.Copy(ctx, filepath.Join(dir, fmt.Sprint("out", layout)), src, write.Options{Layout: layout})
		check(t, err)
		if len(sum.Notes) != want || want == 1 && (!strings.Contains(sum.Notes[0], "--with-links") || !strings.HasSuffix(sum.Notes[0], ": "+filepath.Join(dir, "in", "b.zarr"))) {
			t.Errorf("to %v: %q", layout, sum.Notes)
		}
	}
}

func TestLinkedCopiesReplaceNothingButThemselves(t *testing.T) {
	dir := t.TempDir()
	src := linkedSet(t, dir, hdmf.V2)
	out := filepath.Join(dir, "out")
	theirs := func() {
		check(t, write.Create(ctx, filepath.Join(out, "b.zarr"), &write.Group{Object: typed("Other")}, write.Options{Overwrite: true}))
	}
	theirs()
	before := listing(t, out)
	opts := write.Options{Layout: hdmf.V3, WithLinks: true}
	for _, opts.Overwrite = range []bool{false, true} {
		_, err := write.Copy(ctx, filepath.Join(out, "a.zarr"), open(t, src), opts)
		if !errors.Is(err, landing.ErrNotEmpty) || !strings.Contains(err.Error(), "b.zarr") || strings.Contains(err.Error(), "--overwrite") || listing(t, out) != before {
			t.Errorf("overwrite %v: %v\n%s", opts.Overwrite, err, listing(t, out))
		}
	}
	check(t, os.RemoveAll(out))
	_, err := write.Copy(ctx, filepath.Join(out, "a.zarr"), open(t, src), opts)
	check(t, err)
	// The source changes: a copy that nobody touched is made anew, one that was changed is not.
	e, err := write.Edit(ctx, filepath.Join(dir, "in", "b.zarr"), write.Options{})
	check(t, err)
	check(t, e.SetAttribute(ctx, "/", "new", 5))
	check(t, e.Commit(ctx))
	check(t, e.Close())
	opts.Overwrite = false
	if _, err := write.Copy(ctx, filepath.Join(out, "a.zarr"), open(t, src), opts); !errors.Is(err, landing.ErrNotEmpty) || !strings.Contains(err.Error(), "--overwrite makes it anew") {
		t.Error(err)
	}
	opts.Overwrite = true
	if _, err := write.Copy(ctx, filepath.Join(out, "a.zarr"), open(t, src), opts); err != nil {
		t.Error(err)
	}
	if _, ok := open(t, filepath.Join(out, "b.zarr")).Root().Attribute("new"); !ok {
		t.Error("the old copy is still there")
	}
	theirs()
	before = listing(t, out)
	if _, err := write.Copy(ctx, filepath.Join(out, "a.zarr"), open(t, src), opts); !errors.Is(err, landing.ErrNotEmpty) || listing(t, out) != before {
		t.Error(err)
	}
}

// stopping is a context that ends when it was asked some times, as if the process had
// ended there.
type stopping struct {
	context.Context
	mu   sync.Mutex
	left int
	done chan struct{}
}

func (c *stopping) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left == 0 {
		close(c.done)
	}
	if c.left <= 0 {
		return context.Canceled
	}
	return nil
}

func (c *stopping) Done() <-chan struct{} { return c.done }

// A copy of several files that stops anywhere leaves originals as they are, and no
// file that looks finished and refers to one that is not; the next one goes on.
func TestInterruptedCopiesOfLinkedFilesGoOn(t *testing.T) {
	dir := t.TempDir()
	src := linkedSet(t, dir, hdmf.V2)
	opts := write.Options{Layout: hdmf.V3, WithLinks: true}
	copyTo := func(ctx context.Context, out string) error {
		f, err := hdmf.Open(context.WithoutCancel(ctx), src)
		check(t, err)
		_, err = write.Copy(ctx, filepath.Join(out, "a.zarr"), f, opts)
		check(t, f.Close())
		return err
	}
	// First where nothing is, then in the place of copies of what the source was.
	old := filepath.Join(dir, "old")
	check(t, copyTo(ctx, old))
	for _, opts.Overwrite = range []bool{false, true} {
		if opts.Overwrite {
			for _, name := range []string{"a.nwb.zarr", "b.zarr", "sub/c.zarr"} {
				e, err := write.Edit(ctx, filepath.Join(dir, "in", name), write.Options{})
				check(t, err)
				check(t, e.SetAttribute(ctx, "/", "edited", "since"))
				check(t, e.Commit(ctx))
				check(t, e.Close())
			}
		}
		before := listing(t, filepath.Join(dir, "in"))
		whole := filepath.Join(dir, fmt.Sprint("whole", opts.Overwrite))
		check(t, copyTo(ctx, whole))
		want := withoutMarks(t, whole)
		stopped, there := 0, 0
		for n := 1; ; n += min(max(thorough.Step(89), 11), 89) {
			out := filepath.Join(dir, fmt.Sprint("out", opts.Overwrite, n))
			if opts.Overwrite {
				check(t, os.CopyFS(out, os.DirFS(old)))
			}
			if copyTo(&stopping{Context: ctx, left: n, done: make(chan struct{})}, out) == nil {
				break
			}
			stopped++
			for _, name := range []string{"a.zarr", "b.zarr", "sub/c.zarr"} {
				f, err := hdmf.Open(ctx, filepath.Join(out, name), hdmf.Allow(dir))
				switch {
				case err == nil && (name == "a.zarr" || opts.Overwrite): // nothing else would be open before all is there
					leads(t, f)
				case err != nil && (opts.Overwrite || !errors.Is(err, zarr.ErrNoNode) && !errors.Is(err, zarr.ErrUnfinished)):
					t.Errorf("overwrite %v after %d: %s: %v", opts.Overwrite, n, name, err)
				}
				if err == nil {
					there++
					check(t, f.Close())
				}
			}
			if err := copyTo(ctx, out); err != nil {
				t.Errorf("overwrite %v after %d, again: %v", opts.Overwrite, n, err)
				continue
			}
			if got := withoutMarks(t, out); got != want {
				t.Errorf("overwrite %v after %d: %s, want %s", opts.Overwrite, n, got, want)
			}
			check(t, os.RemoveAll(out))
		}
		if listing(t, filepath.Join(dir, "in")) != before || stopped < 5 || there == 0 {
			t.Errorf("overwrite %v: stopped %d times, %d files were there; originals as they were: %v", opts.Overwrite, stopped, there, listing(t, filepath.Join(dir, "in")) == before)
		}
	}
}

// withoutMarks lists the contents of a folder, but what copies remember.
func withoutMarks(t testing.TB, dir string) string {
	var lines []string
	for line := range strings.Lines(listing(t, dir)) {
		if !strings.Contains(line, zarr.Copied) {
			lines = append(lines, strings.TrimPrefix(line, dir))
		}
	}
	return strings.Join(lines, "")
}
