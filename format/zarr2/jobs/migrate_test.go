package jobs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/zarr2/jobs"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

var ctx = context.Background()

// old makes a hierarchy of Zarr v2.
func old(t *testing.T) store.Store {
	t.Helper()
	s := mem.New()
	g, err := zarr.CreateGroupIn(ctx, s, "", zarr.As("zarr2"))
	if err != nil {
		t.Fatal(err)
	}
	attrs, err := meta.ParseAttributes([]byte(`{"nan": NaN}`))
	if err != nil {
		t.Fatal(err)
	}
	for path, codecs := range map[string]string{
		"a":     `[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}},"gzip"]`,
		"sub/b": `[{"name":"bytes","configuration":{"endian":"little"}},"numcodecs.zlib","crc32c"]`,
	} {
		a, err := g.CreateArray(ctx, path, zarr.ArraySpec{
			Shape: []int{4, 6}, Chunks: []int{2, 3}, DataType: "int16", Codecs: json.RawMessage(codecs), Attributes: attrs, DimensionNames: []string{"y", "x"},
		})
		if err != nil {
			t.Fatal(err)
		}
		data := make([]int16, 24)
		for i := range data {
			data[i] = int16(i*i - 50)
		}
		if err := zarr.Write(ctx, a, zarr.All(), data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(g.SetAttributes(ctx, attrs), g.Consolidate(ctx)); err != nil {
		t.Fatal(err)
	}
	return s
}

func chunksOf(all map[string]string) map[string]string {
	out := maps.Clone(all)
	maps.DeleteFunc(out, func(key, _ string) bool { return strings.Contains(key, ".z") || strings.HasSuffix(key, "zarr.json") })
	return out
}

func TestMigrationChangesMetadataOnlyAndGoesBack(t *testing.T) {
	s := old(t)
	before := jobtest.Content(t, s)
	dry, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{DryRun: true})
	if err != nil || dry.Nodes != 4 || !dry.Consolidated || !maps.Equal(jobtest.Content(t, s), before) {
		t.Fatalf("%+v, %v", dry, err)
	}
	kept, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{Keep: true})
	if err != nil || kept.Nodes != 4 {
		t.Fatalf("%+v, %v", kept, err)
	}
	both := jobtest.Content(t, s)
	for key, text := range before {
		if both[key] != text {
			t.Errorf("%s was changed", key)
		}
	}
	reads := func(format string) {
		t.Helper()
		g, err := zarr.OpenStore(ctx, s, "")
		if err != nil {
			t.Fatal(err)
		}
		if g.Format() != format || g.(*zarr.Group).Metadata().Consolidated.Len() != 3 {
			t.Errorf("%s, %d nodes", g.Format(), g.(*zarr.Group).Metadata().Consolidated.Len())
		}
		for _, path := range []string{"a", "sub/b"} {
			a, err := g.(*zarr.Group).Array(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := zarr.Read[int16](ctx, a, zarr.All())
			if err != nil || got.Data[20] != 350 || !slices.Equal(a.DimensionNames(), []string{"y", "x"}) {
				t.Errorf("%v, %v", got, err)
			}
			if text, _ := a.Attributes().MarshalJSON(); !bytes.Contains(text, []byte("NaN")) {
				t.Errorf("attributes %s", text)
			}
		}
	}
	reads("zarr3")
	s = old(t)
	if _, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	after := jobtest.Content(t, s)
	for key := range after {
		if strings.Contains(key, ".z") {
			t.Errorf("%s is still there", key)
		}
	}
	if !maps.Equal(chunksOf(before), chunksOf(after)) || len(chunksOf(after)) != 8 {
		t.Error("chunks have changed")
	}
	reads("zarr3")
	again, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{})
	if err != nil || again.Nodes != 0 || again.Already != 4 || !maps.Equal(jobtest.Content(t, s), after) {
		t.Errorf("%+v, %v", again, err)
	}
	if _, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{To: "zarr2"}); err != nil {
		t.Fatal(err)
	}
	reads("zarr2")
	if back := jobtest.Content(t, s); !maps.Equal(back, before) {
		for key := range back {
			if back[key] != before[key] {
				t.Errorf("%s is\n%s, was\n%s", key, back[key], before[key])
			}
		}
	}
}

func TestWhatCannotBeMigratedIsToldBeforeAnythingChanges(t *testing.T) {
	s := mem.New()
	g, err := zarr.CreateGroupIn(ctx, s, "")
	if err != nil {
		t.Fatal(err)
	}
	for path, spec := range map[string]zarr.ArraySpec{
		"keys":   {Shape: []int{4}, DataType: "int8"},
		"shards": {Shape: []int{4}, Chunks: []int{1}, Shards: []int{2}, DataType: "int8", Keys: json.RawMessage(`"v2"`)},
		"fine":   {Shape: []int{4}, DataType: "int8", Keys: json.RawMessage(`"v2"`)},
	} {
		if _, err := g.CreateArray(ctx, path, spec); err != nil {
			t.Fatal(err)
		}
	}
	before := jobtest.Content(t, s)
	_, err = jobs.Migrate(ctx, s, "", jobs.MigrateOptions{To: "zarr2"})
	for _, want := range []string{"mem:/keys", "chunk keys", "mem:/shards", "sharding_indexed"} {
		if err == nil || !errors.Is(err, jobs.ErrNoMigration) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if !maps.Equal(jobtest.Content(t, s), before) {
		t.Error("something has changed")
	}
	// Many arrays are refused in one line, which says what can be done.
	s = mem.New()
	for _, name := range []string{"a", "b", "c"} {
		if _, err := zarr.CreateArrayIn(ctx, s, name, zarr.ArraySpec{Shape: []int{4}, DataType: "int8"}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = jobs.Migrate(ctx, s, "", jobs.MigrateOptions{To: "zarr2"})
	want := "migrate mem:/a: cannot be migrated to zarr2: no chunk keys of the encoding default in Zarr v2, whose chunks are called 0.0 or 0/0" +
		" (and 2 more nodes like it); omnizarr copy --to zarr2 makes a new one, whose chunks have the names of Zarr v2 and lie in no shards"
	if err == nil || strings.TrimPrefix(err.Error(), "zarr: ") != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}

	s = mem.New()
	zarray := `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":[["a","<i2"],["b",">i2"]],"order":"C","fill_value":null,"filters":null,"compressor":null}`
	if _, err := s.Put(ctx, ".zarray", []byte(zarray), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{}); err == nil || !strings.Contains(err.Error(), "numpy") {
		t.Errorf("got %v", err)
	}
	if _, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{To: "n5"}); err == nil {
		t.Error("migrated to n5")
	}
	if _, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{Consolidate: true}); err == nil || !strings.Contains(err.Error(), "not a group") {
		t.Errorf("got %v", err)
	}
}

func TestConsolidationAlone(t *testing.T) {
	for _, format := range []string{"zarr2", "zarr3"} {
		s := mem.New()
		g, err := zarr.CreateGroupIn(ctx, s, "", zarr.As(format))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.CreateArray(ctx, "a", zarr.ArraySpec{Shape: []int{2}, DataType: "int8"}); err != nil {
			t.Fatal(err)
		}
		report, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{Consolidate: true})
		if err != nil || report.Nodes != 0 || !report.Consolidated {
			t.Errorf("%+v, %v", report, err)
		}
		n, err := zarr.OpenStore(ctx, s, "")
		if err != nil || n.(*zarr.Group).Metadata().Consolidated.Len() != 1 || n.Format() != format {
			t.Errorf("%v, %v", n, err)
		}
	}
}

func TestCopiesBetweenFormats(t *testing.T) {
	s := old(t)
	src, err := zarr.OpenStore(ctx, s, "")
	if err != nil {
		t.Fatal(err)
	}
	three, two := mem.New(), mem.New()
	if _, err := copying.Into(ctx, src, three, "", copying.Options{}); err != nil {
		t.Fatal(err)
	}
	if got := jobtest.Content(t, three); got["a/c/0/0"] == "" || got["zarr.json"] == "" || got["a/.zarray"] != "" {
		t.Errorf("keys %v", slices.Sorted(maps.Keys(got)))
	}
	src, err = zarr.OpenStore(ctx, three, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := copying.Into(ctx, src, two, "", copying.Options{To: jobs.Format()}); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(jobtest.Content(t, s), jobtest.Content(t, two)) {
		t.Errorf("keys %v", slices.Sorted(maps.Keys(jobtest.Content(t, two))))
	}
	// What Zarr v2 does not have is laid out anew.
	spec := zarr.ArraySpec{Shape: []int{8}, Chunks: []int{2}, Shards: []int{4}, DataType: "uint8", Codecs: json.RawMessage(`["packbits"]`)}
	a, err := zarr.CreateArrayIn(ctx, mem.New(), "", spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := zarr.Write(ctx, a, zarr.All(), []uint8{1, 2, 3, 4, 5, 6, 7, 8}); err != nil {
		t.Fatal(err)
	}
	two = mem.New()
	if _, err := copying.Into(ctx, a, two, "", copying.Options{To: jobs.Format()}); err != nil {
		t.Fatal(err)
	}
	n, err := zarr.OpenStore(ctx, two, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := zarr.Read[uint8](ctx, n.(*zarr.Array), zarr.All())
	if err != nil || got.Data[7] != 8 || n.Format() != "zarr2" || !slices.Equal(n.(*zarr.Array).ChunkShape(), []int{2}) {
		t.Errorf("%v, %v, %v", got, err, n.(*zarr.Array).ChunkShape())
	}
	_, err = copying.Into(ctx, a, mem.New(), "", copying.Options{To: jobs.Format(), Shards: []int{4}})
	if err == nil || !strings.Contains(err.Error(), "no shards") {
		t.Errorf("got %v", err)
	}
}

// changes migrates all of s, and says with how many changes.
func changes(t testing.TB, s store.Store, to string) int {
	t.Helper()
	const most = 1 << 20
	counted := &jobtest.Failing{Store: s, Left: most}
	_, err := jobs.Migrate(ctx, counted, "", jobs.MigrateOptions{To: to})
	jobtest.Check(t, err)
	return most - counted.Left
}

// tried is whether a migration is stopped before the change n: where time matters, the
// first two and the last two, and some between.
func tried(n, total int) bool {
	return n < 2 || n >= total-2 || n%thorough.Step(4) == 0
}

func TestAnInterruptedMigrationGoesOn(t *testing.T) {
	for _, to := range []string{"zarr3", "zarr2"} {
		start := func() store.Store {
			s := old(t)
			if to == "zarr2" {
				if _, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			return s
		}
		whole := start()
		total := changes(t, whole, to)
		if total < 8 {
			t.Errorf("only %d changes", total)
		}
		want := jobtest.Content(t, whole)
		for n := range total {
			if !tried(n, total) {
				continue
			}
			s := start()
			_, err := jobs.Migrate(ctx, &jobtest.Failing{Store: s, Left: n}, "", jobs.MigrateOptions{To: to})
			if !errors.Is(err, jobtest.ErrFull) {
				t.Fatal(err)
			}
			g, err := zarr.OpenStore(ctx, s, "")
			if err != nil {
				t.Fatalf("%s after %d changes: %v", to, n, err)
			}
			for _, path := range []string{"a", "sub/b"} {
				a, err := g.(*zarr.Group).Array(ctx, path)
				if err == nil {
					_, err = zarr.Read[int16](ctx, a, zarr.All())
				}
				if err != nil {
					t.Errorf("%s after %d changes: %v", to, n, err)
				}
			}
			if _, err := jobs.Migrate(ctx, s, "", jobs.MigrateOptions{To: to}); err != nil {
				t.Fatal(err)
			}
			if got := jobtest.Content(t, s); !maps.Equal(got, want) {
				t.Errorf("%s after %d changes: keys %v, want %v", to, n, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
		}
	}
}

func TestACopyDoesNotGoOverTheOtherFormat(t *testing.T) {
	for _, to := range []copying.Format{copying.Zarr3(), jobs.Format()} {
		src, err := zarr.OpenStore(ctx, old(t), "")
		jobtest.Check(t, err)
		dst := old(t)
		if to.Name() == "zarr2" {
			_, err := jobs.Migrate(ctx, dst, "", jobs.MigrateOptions{})
			jobtest.Check(t, err)
		}
		before := jobtest.Content(t, dst)
		if _, err := copying.Into(ctx, src, dst, "", copying.Options{To: to}); err == nil || !maps.Equal(jobtest.Content(t, dst), before) {
			t.Errorf("%s: %v", to.Name(), err)
		}
		jobtest.Check(t, jobtest.Err(copying.Into(ctx, src, dst, "", copying.Options{To: to, Overwrite: true})))
		n, err := zarr.OpenStore(ctx, dst, "")
		if err != nil || n.Format() != to.Name() {
			t.Errorf("%v, %v", n, err)
		}
	}
}
