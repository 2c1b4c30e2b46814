package write_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// to gives options by which the URL "test://" is a store.
func to(s store.Store, o write.Options) write.Options {
	o.Locate.Schemes = locate.Schemes{"test": func(context.Context, string, locate.Options) (locate.Location, error) {
		return locate.Location{Store: s}, nil
	}}
	return o
}

var (
	layouts = []write.Options{{Layout: hdmf.V2}, {Layout: hdmf.V2, Pickle: true}, {Layout: hdmf.V3}, {Layout: hdmf.V3, Plain: true}}

	fixtures = []string{"session_v2.nwb", "session_v3.nwb", "session_v2_json_compound.nwb", "custom_v2_pickle", "custom_v2_json", "custom_v2_json_compound", "custom_v3", "custom_cycle_v2", "custom_cycle_v3"}
)

func TestCopiesSayTheSameInEveryLayout(t *testing.T) {
	for i, name := range fixtures {
		src := in(t, memory(t, name))
		if name == "session_v2.nwb" || name == "session_v3.nwb" {
			src = source(t, name) // session_v2_json_compound is whole
		}
		want := sync.OnceValue(func() map[string]any { return dump(t, src) })
		for j, o := range layouts {
			if !thorough.Enabled && (j != i%len(layouts) || race.Enabled && i%4 != 0) {
				continue // the layouts take turns
			}
			t.Run(fmt.Sprintf("%s to %v pickle %v plain %v", name, o.Layout, o.Pickle, o.Plain), func(t *testing.T) {
				s := mem.New()
				check(t, copyFile(ctx, "test://", src, to(s, o)))
				f := in(t, s)
				if f.Layout() != o.Layout {
					t.Errorf("layout %v", f.Layout())
				}
				same(t, dump(t, f), want())
				_, _, stale := s.Get(ctx, ".zmetadata", store.All(), nil)
				if text, _, err := s.Get(ctx, "zarr.json", store.All(), nil); err == nil && !strings.Contains(string(text), "consolidated_metadata") {
					stale = store.ErrNotExist
				} else if err == nil {
					stale = nil
				}
				if o.Plain != errors.Is(stale, store.ErrNotExist) {
					t.Errorf("consolidated metadata: %v", stale)
				}
				// And back again, from the copy.
				if thorough.Enabled || i%3 == 1 {
					back := mem.New()
					check(t, copyFile(ctx, "test://", f, to(back, write.Options{Layout: src.Layout()})))
					same(t, dump(t, in(t, back)), want())
				}
				// The nodes themselves say what the consolidated metadata does.
				if thorough.Enabled || i%3 == 0 {
					same(t, dump(t, in(t, s, zarr.BypassConsolidated())), want())
				}
			})
		}
	}
}

func TestLegacySourcesBecomeRelativeToTheFile(t *testing.T) {
	dir := nwbtest.Unpack(t, "legacy_v2_0.10.nwb.zarr")
	src := open(t, filepath.Join(dir, "legacy_v2_0.10.nwb.zarr"))
	dst := filepath.Join(t.TempDir(), "new.zarr")
	check(t, copyFile(ctx, dst, src, write.Options{}))
	same(t, dump(t, open(t, dst)), dump(t, src))
	check(t, filepath.Walk(dst, func(path string, _ os.FileInfo, err error) error {
		if err == nil && filepath.Base(path) == ".zattrs" {
			text, _ := os.ReadFile(path)
			if strings.Contains(string(text), "legacy_v2") {
				t.Errorf("%s still names the old file: %s", path, text)
			}
		}
		return err
	}))
}

func TestExternalLinksStaySuch(t *testing.T) {
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		folder := fmt.Sprintf("external_%v", layout)
		dir := nwbtest.Unpack(t, folder)
		for i, name := range []string{"linked", "linked_refs", "sub/exported"} {
			if !thorough.Enabled && (i+int(layout))%2 != 0 {
				continue // so do the files
			}
			src := open(t, filepath.Join(dir, folder, name+".nwb.zarr"), hdmf.Allow(dir))
			want := dump(t, src)
			for j, o := range layouts[1:3] {
				if !thorough.Enabled && (i/2+j)%2 != 0 {
					continue // the layouts take turns
				}
				dst := filepath.Join(dir, folder, "far", "away", fmt.Sprint(filepath.Base(name), o.Layout))
				check(t, copyFile(ctx, dst, src, o))
				got := open(t, dst, hdmf.Allow(dir))
				same(t, dump(t, got), want)
				links := 0
				for m, err := range got.Root().Walk(ctx) {
					check(t, err)
					if m.Link == nil || m.Link.Source == "." {
						continue
					}
					links++
					if m.Link.Source != "../../../source.nwb.zarr" {
						t.Errorf("%s: source %s", m.Link.At(), m.Link.Source)
					}
				}
				if links == 0 {
					t.Errorf("%s has no external links", name)
				}
			}
		}
	}
}

// Texts of the layouts, as the issue and the libraries have them.
func TestFormsOfTheLayouts(t *testing.T) {
	src := in(t, memory(t, "session_v3.nwb"))
	two, three := mem.New(), mem.New()
	check(t, copyFile(ctx, "test://", src, to(two, write.Options{Layout: hdmf.V2})))
	check(t, copyFile(ctx, "test://", src, to(three, write.Options{Layout: hdmf.V3})))
	device := `"object_id":"` + id(t, src, "/general/devices/probe") + `","path":"/general/devices/probe","source":".","source_object_id":"` + src.ID() + `"`
	table := `"object_id":"` + id(t, src, "/general/extracellular_ephys/electrodes") + `","path":"/general/extracellular_ephys/electrodes","source":".","source_object_id":"` + src.ID() + `"`
	for _, c := range []struct {
		s         store.Store
		key, want string
	}{
		{two, "general/extracellular_ephys/shank0/.zattrs", `"zarr_link":[{` + device + `,"name":"device"}]`},
		{two, "acquisition/ElectricalSeries/electrodes/.zattrs", `"table":{"value":{` + table + `},"zarr_dtype":"object"}`},
		{two, "acquisition/ElectricalSeries/electrodes/.zattrs", `"zarr_dtype":"int64"`},
		{two, "intervals/trials/timeseries/.zattrs", `"zarr_dtype":[{"dtype":"int32","name":"idx_start"},{"dtype":"int32","name":"count"},{"dtype":"object","name":"timeseries"}]`},
		{two, "intervals/trials/timeseries/.zarray", `"dtype":[["idx_start","<i4"],["count","<i4"],["timeseries","|O"]]`},
		{two, "intervals/trials/timeseries/.zarray", `"fill_value":"gAVLAC4="`},
		{two, "identifier/.zattrs", `"zarr_dtype":"scalar"`},
		{two, "identifier/.zarray", `"shape":[1]`},
		{two, "identifier/.zarray", `"fill_value":0,`},
		{two, "file_create_date/.zarray", `"fill_value":0,`},
		{two, "identifier/.zarray", `"filters":[{"id":"vlen-utf8"}]`},
		{two, "units/id/.zarray", `"compressor":{"id":"blosc","cname":"lz4","clevel":5,"shuffle":1,"blocksize":0}`},
		{two, "acquisition/ElectricalSeries/data/.zarray", `"cname":"zstd"`},
		{two, "acquisition/ElectricalSeries/timestamps/.zarray", `"id":"gzip"`},
		{two, "acquisition/sharded/data/.zarray", `"chunks":[10,4]`},
		{two, "units/electrode_group/.zattrs", `"zarr_dtype":"object"`},
		{two, "specifications/core/2.11.0/namespace/.zarray", `"compressor":null`},
		{two, "specifications/core/2.11.0/namespace/.zattrs", `"zarr_dtype":"scalar"`},
		{two, ".zattrs", `".specloc":"specifications"`},
		{two, ".zmetadata", `"zarr_consolidated_format":1`},
		{three, "general/extracellular_ephys/shank0/zarr.json", `"_LINKS":[{"source":".","path":"/general/devices/probe","name":"device"}]`},
		{three, "acquisition/ElectricalSeries/electrodes/zarr.json", `"table":{"_REFERENCE":{"source":".","path":"/general/extracellular_ephys/electrodes"}}`},
		{three, "acquisition/ElectricalSeries/electrodes/zarr.json", `"_ARRAY_DIMENSIONS":["num_rows"]`},
		{three, "intervals/trials/timeseries/zarr.json", `{"name":"fixed_length_utf32","configuration":{"length_bytes":2048}}`},
		{three, "intervals/trials/timeseries/zarr.json", `"_REFERENCE_FIELDS":["timeseries"]`},
		{three, "intervals/trials/timeseries/zarr.json", `"fill_value":{"idx_start":0,"count":0,"timeseries":""}`},
		{three, "identifier/zarr.json", `"shape":[],"data_type":"string"`},
		{three, "identifier/zarr.json", `"codecs":[{"name":"vlen-utf8"},{"name":"zstd","configuration":{"level":0,"checksum":false}}]`},
		{three, "units/electrode_group/zarr.json", `"_DTYPE":"object_reference"`},
		{three, "acquisition/sharded/data/zarr.json", `"name":"sharding_indexed"`},
		{three, "zarr.json", `"consolidated_metadata":{"kind":"inline","must_understand":false,`},
	} {
		text, _, err := c.s.Get(ctx, c.key, store.All(), nil)
		check(t, err)
		var compact json.RawMessage
		check(t, json.Unmarshal(text, &compact))
		if got := squeeze(text); !strings.Contains(got, c.want) {
			t.Errorf("%s lacks %s:\n%.900s", c.key, c.want, got)
		}
	}
}

// squeeze leaves out the white space between the tokens of JSON.
func squeeze(text []byte) string {
	var out strings.Builder
	quoted := false
	for i, c := range text {
		if c == '"' && (i == 0 || text[i-1] != '\\') {
			quoted = !quoted
		}
		if quoted || !strings.ContainsRune(" \n\t", rune(c)) {
			out.WriteByte(c)
		}
	}
	return out.String()
}

func id(t testing.TB, f *hdmf.File, at string) string {
	t.Helper()
	o, err := f.Object(ctx, at)
	check(t, err)
	return o.ID()
}

// failing is a store whose n-th change fails, and all behind it.
type failing struct {
	*mem.Store
	left atomic.Int64
}

func failAfter(s *mem.Store, n int) *failing {
	f := &failing{Store: s}
	f.left.Store(int64(n))
	return f
}

// stride leaves out most interruptions where each takes long.
func stride(quick int) int {
	if race.Enabled {
		return 67
	}
	return thorough.Step(quick)
}

var errCrash = errors.New("crash")

func (s *failing) Put(ctx context.Context, key string, data []byte, opt store.PutOptions) (store.Info, error) {
	if s.left.Add(-1) < 0 {
		return store.Info{}, errCrash
	}
	return s.Store.Put(ctx, key, data, opt)
}

func (s *failing) Delete(ctx context.Context, key string) error {
	if s.left.Add(-1) < 0 {
		return errCrash
	}
	return s.Store.Delete(ctx, key)
}

func TestAnInterruptedCopyIsNoFile(t *testing.T) {
	made := mem.New()
	check(t, write.Create(ctx, "test://", tree(t), to(made, write.Options{})))
	src := in(t, made)
	want := dump(t, src)
	for _, layout := range []hdmf.Layout{hdmf.V2, hdmf.V3} {
		whole := false
		for n := 0; !whole; n += stride(29) {
			s := failAfter(mem.New(), n)
			err := copyFile(ctx, "test://", src, to(s, write.Options{Layout: layout, Overwrite: true}))
			if err != nil && !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
			whole = err == nil
			f, opened := zarr.OpenStore(ctx, s.Store, "")
			switch {
			case opened == nil:
				same(t, dump(t, hdmf.Of(ctx, f.(*zarr.Group))), want)
			case !errors.Is(opened, zarr.ErrNoNode) && !errors.Is(opened, zarr.ErrUnfinished):
				t.Errorf("after %d changes: %v", n, opened)
			default: // begun again, it is whole, and nothing of the first time is left
				check(t, copyFile(ctx, "test://", src, to(s.Store, write.Options{Layout: layout})))
				same(t, dump(t, in(t, s.Store)), want)
				for e, err := range s.Store.List(ctx, "", "/") {
					if check(t, err); e.Key == ".omnizarr-unfinished" {
						t.Errorf("after %d changes: %s is left", n, e.Key)
					}
				}
			}
		}
	}
}

func TestWhatIsThereIsNotReplacedUnasked(t *testing.T) {
	src := in(t, memory(t, "custom_cycle_v3"))
	s := mem.New()
	_, err := s.Put(ctx, "left/c/0", []byte("chunk"), store.PutOptions{})
	check(t, err)
	if err := copyFile(ctx, "test://", src, to(s, write.Options{})); !errors.Is(err, landing.ErrNotEmpty) {
		t.Errorf("got %v", err)
	}
	check(t, copyFile(ctx, "test://", src, to(s, write.Options{Overwrite: true})))
	if _, _, err := s.Get(ctx, "left/c/0", store.All(), nil); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("what was left is still there: %v", err)
	}
}

// A vast array of references of which nothing is stored costs nothing.
func TestVastSourcesOfNothing(t *testing.T) {
	s := mem.New()
	put := func(key, text string) {
		t.Helper()
		_, err := s.Put(ctx, key, []byte(text), store.PutOptions{})
		check(t, err)
	}
	put(".zgroup", `{"zarr_format":2}`)
	for name, dtype := range map[string]string{"refs": `"|O"`, "table": `[["n","<i4"],["t","|O"]]`} {
		fill := "0"
		if name == "table" {
			fill = `"WzAsIjxpOCIsW11d"`
		}
		put(name+"/.zarray", `{"zarr_format":2,"shape":[1000000000000],"chunks":[1000],"dtype":`+dtype+`,"compressor":null,"fill_value":`+fill+`,"order":"C","filters":[{"id":"json2"}]}`)
	}
	put("refs/.zattrs", `{"zarr_dtype":"object"}`)
	put("table/.zattrs", `{"zarr_dtype":[{"name":"n","dtype":"int32"},{"name":"t","dtype":"object"}]}`)
	for _, o := range layouts {
		check(t, copyFile(ctx, "test://", in(t, s), to(mem.New(), o)))
	}
	// What is no reference is an error that says where.
	put("refs/7", `[`+strings.Repeat(`{"path":"/a"},`, 999)+`{"path":5},"|O",[1000]]`)
	err := copyFile(ctx, "test://", in(t, s), to(mem.New(), layouts[2]))
	if err == nil || !strings.Contains(err.Error(), "element 999") || !strings.Contains(err.Error(), "refs") {
		t.Errorf("got %v", err)
	}
}

func TestBrokenSourcesAreNotCopiedByHalf(t *testing.T) {
	for change, want := range map[[2]string]string{
		{"holder/zarr.json", `{"zarr_format":3,"node_type":"group","attributes":{"_LINKS":[{"name":"x"}]}}`}: "_LINKS[0]",
		{"types/array_int8/c/0/0", "damage"}:              "array_int8",
		{"types/array_int8/zarr.json", `{"a":`}:           "array_int8",
		{"specifications/fixture/0.1.0/namespace/c", "x"}: "namespace",
	} {
		s := memory(t, "custom_v3")
		_, err := s.Put(ctx, change[0], []byte(change[1]), store.PutOptions{})
		check(t, err)
		src := in(t, s, zarr.BypassConsolidated())
		dst := mem.New()
		err = copyFile(ctx, "test://", src, to(dst, write.Options{Layout: hdmf.V2}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", change[0], err, want)
		}
		if _, err := zarr.OpenStore(ctx, dst, ""); !errors.Is(err, zarr.ErrNoNode) && !errors.Is(err, zarr.ErrUnfinished) {
			t.Errorf("%s: there is a file: %v", change[0], err)
		}
	}
}

func TestAFileIsNotCopiedOntoItself(t *testing.T) {
	dir := nwbtest.Unpack(t, "custom_cycle_v3.zarr")
	at := filepath.Join(dir, "custom_cycle_v3.zarr")
	src := open(t, at)
	check(t, os.Symlink(at, filepath.Join(dir, "other")))
	for _, dst := range []string{at, dir, filepath.Join(at, "inside"), filepath.Join(dir, "other")} {
		if err := copyFile(ctx, dst, src, write.Options{Overwrite: true}); err == nil || !strings.Contains(err.Error(), "the same place") {
			t.Errorf("%s: got %v", dst, err)
		}
	}
	dump(t, open(t, at))
}

// deaf is a store that cannot list.
type deaf struct{ *mem.Store }

func (s deaf) List(_ context.Context, prefix, _ string) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		yield(store.Entry{}, store.WrapError("list", s.URL(), prefix, store.ErrNoList))
	}
}

func TestSourcesThatCannotList(t *testing.T) {
	made := mem.New()
	check(t, write.Create(ctx, "test://", tree(t), to(made, write.Options{})))
	src := in(t, deaf{made})
	want := dump(t, src)
	dst := mem.New()
	check(t, copyFile(ctx, "test://", src, to(dst, write.Options{Layout: hdmf.V2})))
	same(t, dump(t, in(t, dst)), want)
}

// An index of eight bits leaves little room for more rows.
func TestIndexesAreMadeWideIfAsked(t *testing.T) {
	for _, name := range sessions {
		s := mem.New()
		src := in(t, few(t, name), zarr.BypassConsolidated())
		check(t, copyFile(ctx, "test://", src, to(s, write.Options{WideIndexes: true})))
		if got, want := rows(t, in(t, s), "/units"), rows(t, src, "/units"); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		e := edit(t, s)
		check(t, e.AppendRows(ctx, "/units", units(300)))
		check(t, e.Commit(ctx))
		if got := rows(t, in(t, s), "/units"); len(got) != 7 || !strings.Contains(got[6], "spike_times=[float64 300.0]") {
			t.Errorf("%s: %d rows", name, len(got))
		}
	}
}
