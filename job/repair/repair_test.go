package repair_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/check"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/job/repair"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
	"github.com/omnizarr/zarr/store/held"
	"github.com/omnizarr/zarr/store/journal"
	"github.com/omnizarr/zarr/store/lock"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

// damaged is a hierarchy with all that repair knows, and some things that it does not.
func damaged(t *testing.T) store.Store {
	t.Helper()
	g, s := jobtest.Sample(t)
	jobtest.Check(t, g.Consolidate(ctx))
	for key, data := range map[string]string{
		"plane/c/9/9": "orphan", "plane/c/7/0": "another", "plane/c/1/1": "no zstd", "deep/volume/c/0/0/0": "no shard",
		"README.md": "mine", "plane/2024": "mine too", "deep/new/zarr.json": `{"zarr_format":3,"node_type":"group"}`,
	} {
		_, err := s.Put(ctx, key, []byte(data), store.PutOptions{})
		jobtest.Check(t, err)
	}
	return s
}

func plan(t *testing.T, s store.Store, opts repair.Options) *repair.Plan {
	t.Helper()
	p, err := repair.Make(ctx, s, "", opts)
	jobtest.Check(t, err)
	return p
}

func steps(actions []repair.Action) (out []string) {
	for _, a := range actions {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", a.Action, a.Path, a.Key, a.Needs)))
		if a.Reason == "" {
			out = append(out, "without a reason")
		}
	}
	return out
}

func TestPlanChangesNothing(t *testing.T) {
	s := damaged(t)
	before := jobtest.Content(t, s)
	p := plan(t, s, repair.Options{})
	want := []string{"remove /plane c/7/0", "remove /plane c/9/9", "set aside /deep/volume c/0/0/0 --remove-corrupt", "set aside /plane c/1/1 --remove-corrupt", "consolidate /"}
	if got := steps(p.Actions); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	jobtest.Same(t, jobtest.Content(t, s), before)
	// Without leave, chunks that do not decode stay.
	done, err := p.Do(ctx)
	if err != nil || len(done) != 3 {
		t.Errorf("%q, %v", steps(done), err)
	}
	after := jobtest.Content(t, s)
	if after["plane/c/1/1"] != "no zstd" || after["plane/c/9/9"] != "" || after["README.md"] != "mine" || after["plane/2024"] != "mine too" {
		t.Errorf("got %q", after)
	}
	if got := steps(plan(t, s, repair.Options{}).Actions); !slices.Equal(got, want[2:4]) {
		t.Errorf("the second plan: %q", got)
	}
	if got := steps(plan(t, s, repair.Options{NoChunks: true}).Actions); len(got) != 0 {
		t.Errorf("without chunks: %q", got)
	}
}

// Stopped after any number of changes, everything of worth is still there; run again, it
// comes to the same end, after which there is nothing to do.
func TestRepairStoppedAtEveryStep(t *testing.T) {
	whole := damaged(t)
	kept := jobtest.Content(t, whole)
	finished := false
	for left := 0; !finished; left++ {
		if left > 50 {
			t.Fatal("it does not end")
		}
		s := damaged(t)
		f := &jobtest.Failing{Store: s, Left: left}
		_, err := plan(t, f, repair.Options{SetAside: true}).Do(ctx)
		if finished = err == nil; !finished && !errors.Is(err, jobtest.ErrFull) {
			t.Fatal(err)
		}
		now := jobtest.Content(t, s)
		for key, want := range kept {
			got, there := now[key]
			switch key {
			case "plane/c/9/9", "plane/c/7/0", "zarr.json":
			case "plane/c/1/1", "deep/volume/c/0/0/0":
				if !there {
					got = now[repair.Aside+"/"+key]
				}
				fallthrough
			default:
				if got != want {
					t.Errorf("stopped after %d changes: %s is %q", left, key, got)
				}
			}
		}
		for range 2 {
			if _, err := plan(t, s, repair.Options{SetAside: true}).Do(ctx); err != nil {
				t.Error(err)
			}
		}
		p := plan(t, s, repair.Options{})
		if len(p.Actions) > 0 || len(p.Left) > 0 {
			t.Errorf("stopped after %d changes: left %q %v", left, steps(p.Actions), p.Left)
		}
		n, err := zarr.OpenStore(ctx, s, "")
		jobtest.Check(t, err)
		if r, err := check.Verify(ctx, n, check.VerifyOptions{}); err != nil || !r.OK {
			t.Errorf("stopped after %d changes: %+v, %v", left, r, err)
		}
	}
}

// What was set aside before is not replaced by what is set aside later.
func TestNothingThatWasSetAsideIsLost(t *testing.T) {
	s := damaged(t)
	for _, bad := range []string{"no zstd", "other nonsense", "other nonsense"} {
		_, err := s.Put(ctx, "plane/c/1/1", []byte(bad), store.PutOptions{})
		jobtest.Check(t, err)
		if _, err := plan(t, s, repair.Options{SetAside: true}).Do(ctx); err != nil {
			t.Fatal(err)
		}
	}
	all := jobtest.Content(t, s)
	if all[repair.Aside+"/plane/c/1/1"] != "no zstd" || all[repair.Aside+"/plane/c/1/1~2"] != "other nonsense" {
		t.Errorf("got %q", all)
	}
}

// Between plan and deed somebody may have mended things.
func TestStepsLookAgain(t *testing.T) {
	s := damaged(t)
	p := plan(t, s, repair.Options{SetAside: true})
	n, err := zarr.OpenStore(ctx, s, "plane")
	jobtest.Check(t, err)
	a := n.(*zarr.Array)
	jobtest.Check(t, a.Resize(ctx, 100, 100))
	jobtest.Check(t, zarr.Write(ctx, a, zarr.Slice("36:40,27:30"), jobtest.Count[int16](12)))
	jobtest.Check(t, zarr.Write(ctx, a, zarr.Slice("4:8,3:6"), jobtest.Count[int16](12)))
	done, err := p.Do(ctx)
	if got := steps(done); err != nil || !slices.Equal(got, []string{"set aside /deep/volume c/0/0/0", "consolidate /"}) {
		t.Errorf("%q, %v", got, err)
	}
	if all := jobtest.Content(t, s); all["plane/c/9/9"] == "" || all["plane/c/1/1"] == "" {
		t.Error("chunks of the array are gone")
	}
}

// Consolidated metadata that keeps a document from being read is dropped and made anew.
func TestBrokenConsolidatedMetadata(t *testing.T) {
	_, s := jobtest.Sample(t)
	text, _, err := s.Get(ctx, "zarr.json", store.All(), nil)
	jobtest.Check(t, err)
	bad := strings.Replace(string(text), "{", `{"consolidated_metadata":7,`, 1)
	for left := range 4 {
		_, err = s.Put(ctx, "zarr.json", []byte(bad), store.PutOptions{})
		jobtest.Check(t, err)
		p := plan(t, &jobtest.Failing{Store: s, Left: left}, repair.Options{})
		if got := steps(p.Actions); !slices.Equal(got, []string{"consolidate / zarr.json"}) {
			t.Fatalf("got %q", got)
		}
		if _, err := p.Do(ctx); err == nil != (left >= 2) {
			t.Errorf("%d changes: %v", left, err)
		}
		n, err := zarr.OpenStore(ctx, s, "")
		if err == nil != (left >= 1) {
			t.Fatalf("%d changes: %v", left, err)
		}
		if left >= 2 && (n.(*zarr.Group).Metadata().Consolidated == nil || len(plan(t, s, repair.Options{}).Actions) > 0) {
			t.Errorf("%d changes: not consolidated", left)
		}
	}
	// Any other mistake is not ours to mend.
	for _, doc := range []string{`{"consolidated_metadata":7,"zarr_format":3,"node_type":"grp"}`, `{`, `{"zarr_format":3}`} {
		s := mem.New()
		_, err := s.Put(ctx, "zarr.json", []byte(doc), store.PutOptions{})
		jobtest.Check(t, err)
		if _, err := repair.Make(ctx, s, "", repair.Options{}); err == nil {
			t.Errorf("%s: a plan", doc)
		}
	}
}

// A node that does not open keeps consolidated metadata from being made: what it says of
// the node would be lost.
func TestBrokenNodesAreLeft(t *testing.T) {
	s := damaged(t)
	_, err := s.Put(ctx, "deep/words/zarr.json", []byte("{"), store.PutOptions{})
	jobtest.Check(t, err)
	p := plan(t, s, repair.Options{NoChunks: true})
	if got := steps(p.Actions); !slices.Equal(got, []string{"remove /plane c/7/0", "remove /plane c/9/9"}) || len(p.Left) < 2 {
		t.Errorf("%q, %v", got, p.Left)
	}
}

func TestTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	s, err := file.Open(dir, file.Options{})
	jobtest.Check(t, err)
	defer s.Close()
	_, err = zarr.CreateGroupIn(ctx, s, "")
	jobtest.Check(t, err)
	var names []string
	for i := range 3 {
		name := filepath.Join(dir, fmt.Sprintf(".omnizarr-%016x.tmp", i))
		jobtest.Check(t, os.WriteFile(name, nil, 0o666))
		names = append(names, name)
	}
	now, err := os.Stat(names[0])
	jobtest.Check(t, err)
	old := now.ModTime().Add(-time.Hour)
	jobtest.Check(t, os.Chtimes(names[0], old, old))
	jobtest.Check(t, os.Chtimes(names[1], old, old))
	p := plan(t, s, repair.Options{})
	jobtest.Check(t, os.Remove(names[1])) // by its writer, meanwhile
	if done, err := p.Do(ctx); err != nil || len(done) != 2 {
		t.Errorf("%q, %v", steps(done), err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".omnizarr-*"))
	if err != nil || len(left) != 1 || left[0] != names[2] {
		t.Errorf("left %q, %v", left, err)
	}
	// One that is being written stays.
	if p := plan(t, s, repair.Options{}); len(p.Actions) > 0 {
		t.Errorf("%q", steps(p.Actions))
	}
	if _, err := repair.Make(ctx, store.ReadOnly(s), "", repair.Options{}); err != nil {
		t.Errorf("a plan of what cannot be written: %v", err)
	}
}

// A file that a process of this machine writes stays, however old it is.
func TestTemporaryFilesOfTheLivingStay(t *testing.T) {
	dir := t.TempDir()
	s, err := file.Open(dir, file.Options{})
	jobtest.Check(t, err)
	defer s.Close()
	_, err = zarr.CreateGroupIn(ctx, s, "")
	jobtest.Check(t, err)
	_, err = s.PutFrom(ctx, "a", io.MultiReader(looks(func() {
		for e := range s.Hidden(ctx, "") {
			old := e.Modified.Add(-24 * time.Hour)
			jobtest.Check(t, os.Chtimes(filepath.Join(dir, e.Key), old, old))
		}
		if p := plan(t, s, repair.Options{}); len(p.Actions) > 0 {
			t.Errorf("%q", steps(p.Actions))
		}
	}), strings.NewReader("x")), 1)
	jobtest.Check(t, err)
}

// looks is an empty value that is looked at while it is read.
type looks func()

func (l looks) Read([]byte) (int, error) {
	l()
	return 0, io.EOF
}

// interrupted is a hierarchy in a folder with a commit that makes an array longer, and
// that was interrupted when it was decided.
func interrupted(t *testing.T) (dir string, s *file.Store) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "a.zarr")
	s, err := file.Create(dir, file.Options{})
	jobtest.Check(t, err)
	t.Cleanup(func() { s.Close() })
	g, err := zarr.CreateGroupIn(ctx, s, "")
	jobtest.Check(t, err)
	a, err := g.CreateArray(ctx, "deep/list", zarr.ArraySpec{Shape: []int{4}, DataType: "int8", Chunks: []int{2}})
	jobtest.Check(t, err)
	jobtest.Check(t, zarr.Write(ctx, a, zarr.All(), []int8{1, 2, 3, 4}))
	const key = "deep/list/zarr.json"
	long, _, err := s.Get(ctx, key, store.All(), nil)
	jobtest.Check(t, err)
	short := []byte(strings.Replace(string(long), "4", "2", 1))
	_, err = s.Put(ctx, key, short, store.PutOptions{})
	jobtest.Check(t, err)
	j := &journal.Journal{Changes: []journal.Change{{Key: key, Data: long, Was: held.Version(true, short)}}}
	text, err := j.Append(nil)
	jobtest.Check(t, err)
	_, err = s.Put(ctx, journal.Name, text, store.PutOptions{})
	jobtest.Check(t, err)
	return dir, s
}

// What lies behind the end of an array may be committed: it is no orphan.
func TestInterruptedCommitsAreCompletedFirst(t *testing.T) {
	dir, s := interrupted(t)
	before := jobtest.Content(t, s)
	for at, from := range map[string]string{"deep": "", "deep/list": "", "": filepath.Join(dir, "deep")} {
		s := store.Store(s)
		if from != "" {
			inner, err := file.Open(from, file.Options{})
			jobtest.Check(t, err)
			defer inner.Close()
			s = inner
		}
		if _, err := repair.Make(ctx, s, at, repair.Options{}); !errors.Is(err, repair.ErrInside) {
			t.Errorf("%q: %v", at, err)
		}
	}
	n, err := zarr.OpenStore(ctx, s, "")
	jobtest.Check(t, err)
	if r, err := check.Verify(ctx, n, check.VerifyOptions{}); err != nil || r.OK || !strings.Contains(fmt.Sprint(r.Problems), "repair completes it") {
		t.Errorf("%v, %v", r, err)
	}
	p := plan(t, s, repair.Options{})
	if got := steps(p.Actions); !slices.Equal(got, []string{"complete / .omnizarr-edit"}) || len(p.Left) > 0 {
		t.Errorf("%q, left %v", got, p.Left)
	}
	if !maps.Equal(jobtest.Content(t, s), before) {
		t.Error("the plan has changed something")
	}
	release, err := lock.Take(t.Context(), s, "")
	jobtest.Check(t, err)
	if _, err := p.Do(ctx); !errors.Is(err, lock.ErrBusy) || !maps.Equal(jobtest.Content(t, s), before) {
		t.Errorf("got %v", err)
	}
	jobtest.Check(t, release())
	if done, err := p.Do(ctx); err != nil || len(done) != 1 {
		t.Errorf("%v, %v", done, err)
	}
	n, err = zarr.OpenStore(ctx, s, "deep/list")
	jobtest.Check(t, err)
	v, err := zarr.Read[int8](ctx, n.(*zarr.Array), zarr.All())
	if err != nil || !slices.Equal(v.Data, []int8{1, 2, 3, 4}) {
		t.Errorf("%v, %v", v, err)
	}
	if p := plan(t, s, repair.Options{}); len(p.Actions)+len(p.Left) > 0 {
		t.Errorf("%v, %v", p.Actions, p.Left)
	}
}

func TestCommitsThatCannotBeCompletedAreTold(t *testing.T) {
	_, s := interrupted(t)
	_, err := s.Put(ctx, "deep/list/zarr.json", []byte(`{}`), store.PutOptions{})
	jobtest.Check(t, err)
	if p := plan(t, s, repair.Options{}); len(p.Left) == 0 || p.Left[0].Key != journal.Name || len(p.Actions) > 0 {
		t.Errorf("%v, %v", p.Actions, p.Left)
	}
}
