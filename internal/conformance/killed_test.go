package conformance_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/zarr2/jobs"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/file"
)

// killedEnv tells a process what to do to a folder, until it is killed.
const killedEnv = "OMNIZARR_TEST_KILLED"

// telling is a folder that says each time before it is changed, so that who listens can
// end the process about then.
type telling struct {
	*file.Store
	say func()
}

func (s telling) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	s.say()
	return s.Store.Put(ctx, key, data, opt)
}

func (s telling) PutFrom(ctx context.Context, key string, r io.Reader, size int64) (store.Info, error) {
	s.say()
	return s.Store.PutFrom(ctx, key, r, size)
}

func (s telling) Delete(ctx context.Context, key string) error {
	s.say()
	return s.Store.Delete(ctx, key)
}

func (s telling) DeleteMatch(ctx context.Context, key, etag string) error {
	s.say()
	return s.Store.DeleteMatch(ctx, key, etag)
}

// change is what a process does that may be killed.
type change struct {
	name string
	do   func(ctx context.Context, s store.Store) error
	// look checks what there is, which is the old, the new, or a part of each.
	look func(t *testing.T, g *zarr.Group)
}

const killedChunks, killedShards = 64, 8

// fill writes all of an array, or every second element.
func fill(name string, sel string, value uint8) func(ctx context.Context, s store.Store) error {
	return func(ctx context.Context, s store.Store) error {
		n, err := zarr.OpenStore(ctx, s, name)
		if err != nil {
			return err
		}
		a := n.(*zarr.Array)
		shape, err := a.ResultShape(zarr.Slice(sel))
		if err != nil {
			return err
		}
		return zarr.Write(ctx, a, zarr.Slice(sel), slices.Repeat([]uint8{value}, shape[0]))
	}
}

// wholes checks that in every stored piece the elements with a step are all old or all
// new, and the others old.
func wholes(name string, step int) func(t *testing.T, g *zarr.Group) {
	return func(t *testing.T, g *zarr.Group) {
		a := must[*zarr.Array](t)(g.Array(ctx, name))
		for c := range a.Grid() {
			got := must[nd.Array[uint8]](t)(zarr.Read[uint8](ctx, a, zarr.Box(c.Box.Start, c.Box.Shape))).Data
			for i, v := range got {
				if i%step != 0 && v != 1 || i%step == 0 && (v != got[0] || v != 1 && v != 2) {
					t.Fatalf("%s: chunk %s is %v", name, c.Key, got)
				}
			}
		}
	}
}

// shown checks that an array has one of two shapes, and that elements are numbered where
// they were in the old and will be in the new, and 0 elsewhere.
func shown(name string, cols int, kept []int, shapes ...[]int) func(t *testing.T, g *zarr.Group) {
	return func(t *testing.T, g *zarr.Group) {
		a := must[*zarr.Array](t)(g.Array(ctx, name))
		got := must[nd.Array[uint8]](t)(zarr.Read[uint8](ctx, a, zarr.All()))
		if !slices.ContainsFunc(shapes, func(s []int) bool { return slices.Equal(s, got.Shape) }) {
			t.Fatalf("%s: shape %v", name, got.Shape)
		}
		kept := kept
		if slices.Equal(got.Shape, shapes[0]) {
			kept = shapes[0]
		}
		for k, v := range got.Data {
			i, j, want := k/got.Shape[1], k%got.Shape[1], uint8(0)
			if i < kept[0] && j < kept[1] {
				want = uint8(i*cols + j + 1)
			}
			if v != want {
				t.Fatalf("%s: element %d, %d is %d, want %d", name, i, j, v, want)
			}
		}
	}
}

func resize(shape ...int) func(ctx context.Context, s store.Store) error {
	return func(ctx context.Context, s store.Store) error {
		n, err := zarr.OpenStore(ctx, s, "cut")
		if err != nil {
			return err
		}
		return n.(*zarr.Array).Resize(ctx, shape...)
	}
}

var changes = []change{
	{"chunks", fill("chunks", ":", 2), wholes("chunks", 1)},
	{"shards", fill("shards", ":", 2), wholes("shards", 1)},
	{"parts of chunks", fill("chunks", "::2", 2), wholes("chunks", 2)},
	{"parts of shards", fill("shards", "::2", 2), wholes("shards", 2)},
	{"append", func(ctx context.Context, s store.Store) error {
		n, err := zarr.OpenStore(ctx, s, "rows")
		if err != nil || n.(*zarr.Array).Shape()[0] == 17 {
			return err
		}
		return zarr.Append(ctx, n.(*zarr.Array), 0, numbered(17 * 4)[40:])
	}, shown("rows", 4, []int{17, 4}, []int{10, 4}, []int{17, 4})},
	{"shrink", resize(7, 8), shown("cut", 12, []int{7, 8}, []int{12, 12}, []int{7, 8})},
	{"grow", resize(20, 20), shown("cut", 12, []int{12, 12}, []int{12, 12}, []int{20, 20})},
	{"consolidate", func(ctx context.Context, s store.Store) error {
		n, err := zarr.OpenStore(ctx, s, "")
		if err != nil {
			return err
		}
		if _, err := n.(*zarr.Group).RequireGroup(ctx, "new"); err != nil {
			return err
		}
		return n.(*zarr.Group).Consolidate(ctx)
	}, func(*testing.T, *zarr.Group) {}},
	{"migrate", func(ctx context.Context, s store.Store) error {
		_, err := jobs.Migrate(ctx, s, "old", jobs.MigrateOptions{To: "zarr3"})
		return err
	}, func(t *testing.T, g *zarr.Group) {
		for _, name := range []string{"old/a", "old/b"} {
			a := must[*zarr.Array](t)(g.Array(ctx, name))
			if got := must[nd.Array[uint8]](t)(zarr.Read[uint8](ctx, a, zarr.All())).Data; !slices.Equal(got, numbered(12)) {
				t.Fatalf("%s: %v", name, got)
			}
		}
	}},
}

func numbered(n int) []uint8 {
	out := make([]uint8, n)
	for i := range out {
		out[i] = uint8(i + 1)
	}
	return out
}

// victim does a change.
func victim(env string) int {
	name, dir, _ := strings.Cut(env, ":")
	s, err := file.Open(dir, file.Options{})
	for _, c := range changes {
		if err == nil && c.name == name {
			err = c.do(context.Background(), telling{s, func() { os.Stdout.Write([]byte(".")) }})
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// run starts a process that does a change, and kills it when it has said so many times
// that it changes something; -1 lets it end. It gives how often it said so.
func (c change) run(t *testing.T, dir string, kill int) (said int) {
	t.Helper()
	if kill < 0 && !thorough.Enabled { // it ends as well where nobody starts a process
		var count atomic.Int64
		s := must[*file.Store](t)(file.Open(dir, file.Options{}))
		check(t, c.do(ctx, telling{s, func() { count.Add(1) }}))
		check(t, s.Close())
		return int(count.Load())
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killedEnv+"="+c.name+":"+dir, "GORACE=atexit_sleep_ms=0")
	var text bytes.Buffer
	cmd.Stderr = &text
	out := must[io.ReadCloser](t)(cmd.StdoutPipe())
	check(t, cmd.Start())
	for one := make([]byte, 1); ; said++ {
		if said == kill {
			check(t, cmd.Process.Kill())
		}
		if _, err := out.Read(one); err != nil {
			break
		}
	}
	if err := cmd.Wait(); err != nil && kill < 0 {
		t.Fatalf("%s: %v %s", c.name, err, text.String())
	}
	return said
}

// killedSample makes what is changed.
func killedSample(t *testing.T, dir string) {
	t.Helper()
	g := must[*zarr.Group](t)(zarr.CreateGroup(ctx, dir))
	for name, c := range map[string]struct {
		spec zarr.ArraySpec
		data []uint8
	}{
		"chunks": {zarr.ArraySpec{Shape: []int{4 * killedChunks}, Chunks: []int{4}}, slices.Repeat([]uint8{1}, 4*killedChunks)},
		"shards": {zarr.ArraySpec{Shape: []int{16 * killedShards}, Chunks: []int{4}, Shards: []int{16}}, slices.Repeat([]uint8{1}, 16*killedShards)},
		"rows":   {zarr.ArraySpec{Shape: []int{10, 4}, Chunks: []int{4, 3}}, numbered(40)},
		"cut":    {zarr.ArraySpec{Shape: []int{12, 12}, Chunks: []int{5, 5}}, numbered(144)},
	} {
		c.spec.DataType = "uint8"
		a := must[*zarr.Array](t)(g.CreateArray(ctx, name, c.spec))
		check(t, zarr.Write(ctx, a, zarr.All(), c.data))
	}
	check(t, g.Close())
	old := must[*zarr.Group](t)(zarr.CreateGroup(ctx, dir+"/old", zarr.As("zarr2")))
	for _, name := range []string{"a", "b"} {
		a := must[*zarr.Array](t)(old.CreateArray(ctx, name, zarr.ArraySpec{Shape: []int{12}, Chunks: []int{5}, DataType: "uint8"}))
		check(t, zarr.Write(ctx, a, zarr.All(), numbered(12)))
	}
	check(t, old.Close())
}

// stored are the values of a folder.
func stored(t *testing.T, s store.Store) map[string]string {
	t.Helper()
	out := map[string]string{}
	for e, err := range s.List(ctx, "", "") {
		check(t, err)
		text, _, err := s.Get(ctx, e.Key, store.All(), nil)
		check(t, err)
		out[e.Key] = string(text)
	}
	return out
}

// A process that is killed at any moment while it writes, appends, resizes, consolidates or
// migrates leaves chunks that are old or new, no row that was not written, and what the
// same change done again brings to the bytes of one that nobody disturbed.
func TestChangesThatAreKilled(t *testing.T) {
	sample := t.TempDir()
	killedSample(t, sample)
	for k, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(5, uint64(k)))
			whole := t.TempDir()
			check(t, os.CopyFS(whole, os.DirFS(sample)))
			steps := c.run(t, whole, -1)
			s := must[*file.Store](t)(file.Open(whole, file.Options{}))
			want := stored(t, s)
			check(t, s.Close())
			for range thorough.Of(1, 60) {
				dir := t.TempDir()
				check(t, os.CopyFS(dir, os.DirFS(sample)))
				at := 1 + random.IntN(steps)
				c.run(t, dir, at)
				s := must[*file.Store](t)(file.Open(dir, file.Options{}))
				g := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "", zarr.BypassConsolidated())).(*zarr.Group)
				for n, err := range g.Walk(ctx) {
					check(t, err)
					if a, ok := n.(*zarr.Array); ok {
						for chunk, err := range a.Stored(ctx) {
							check(t, err)
							check(t, a.CheckChunk(ctx, chunk))
						}
					}
				}
				c.look(t, g)
				c.run(t, dir, -1)
				if got := stored(t, s); !maps.Equal(got, want) {
					for key := range got {
						if got[key] != want[key] {
							t.Errorf("killed at %d of %d and done again, %s is %q, want %q", at, steps, key, got[key], want[key])
						}
					}
					t.Errorf("killed at %d of %d and done again, %d values, want %d", at, steps, len(got), len(want))
				}
				check(t, s.Close())
			}
		})
	}
}
