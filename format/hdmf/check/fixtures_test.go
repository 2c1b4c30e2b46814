package check_test

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/race"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// in opens a file that lies in memory.
func in(t testing.TB, files map[string][]byte) *hdmf.File {
	t.Helper()
	ctx := context.Background()
	s := mem.New()
	for key, data := range files {
		if _, err := s.Put(ctx, key, data, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	n, err := zarr.OpenStore(ctx, s, "")
	if err != nil {
		t.Fatal(err)
	}
	return hdmf.Of(ctx, n.(*zarr.Group))
}

// at opens a file by its path.
func at(t testing.TB, path string, opts ...hdmf.Option) *hdmf.File {
	t.Helper()
	f, err := hdmf.Open(context.Background(), path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func findings(t testing.TB, f *hdmf.File, opt check.Options) []check.Finding {
	t.Helper()
	found, err := check.File(context.Background(), f, opt)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// want compares findings with lines "path rule part of the problem".
func want(t testing.TB, found []check.Finding, lines ...string) {
	t.Helper()
	for i := range max(len(found), len(lines)) {
		switch {
		case i >= len(found):
			t.Errorf("lacks %s", lines[i])
		case i >= len(lines):
			t.Errorf("should not find %v", found[i])
		default:
			f := found[i]
			parts := strings.SplitN(lines[i], " ", 3)
			if f.Path != parts[0] || f.Rule != parts[1] || !strings.Contains(f.Problem, parts[2]) {
				t.Errorf("finds %v\nwant  %s", f, lines[i])
			}
		}
	}
}

// rules are those that say what the fixtures call a kind of defect.
var rules = map[string]string{
	"missing attribute": check.Missing, "missing dataset": check.Missing, "wrong dtype": check.BadDType, "wrong shape": check.BadShape,
	"unknown type": check.UnknownType, "dangling link": check.DanglingLink, "dangling reference": check.DanglingReference,
	"missing cached namespace": check.MissingSpec, "missing .specloc": check.MissingSpec,
}

// Every broken file gives the one finding that it should, also where pynwb's own
// validator says nothing or fails.
func TestBrokenFilesAreFound(t *testing.T) {
	for _, set := range []string{"broken_v2", "broken_v3"} {
		var all struct {
			Files map[string]struct {
				Should *struct {
					Kind, Node, Name, Target string
					Index                    *int
				} `json:"should_report"`
			}
		}
		if err := json.Unmarshal(nwbtest.Read(t, set+".findings.json"), &all); err != nil {
			t.Fatal(err)
		}
		if len(all.Files) != 12 {
			t.Fatalf("%d files", len(all.Files))
		}
		for i, name := range slices.Sorted(maps.Keys(all.Files)) {
			if i%thorough.Least(4, 1, 1) != 0 {
				continue
			}
			file := all.Files[name]
			t.Run(set+"/"+name, func(t *testing.T) {
				found := findings(t, in(t, nwbtest.Files(t, set+"/"+name)), check.Options{})
				if file.Should == nil {
					want(t, found)
					return
				}
				s := file.Should
				node := s.Node
				if node == "" {
					node = "/"
				}
				part := s.Name
				if s.Target != "" {
					part = s.Target
				}
				want(t, found, node+" "+rules[s.Kind]+" "+part)
				if s.Index != nil && !strings.Contains(found[0].Problem, "element 1 ") {
					t.Errorf("%v does not tell the element", found[0])
				}
			})
		}
	}
}

// checkedElsewhere are files that are found to be good by TestOnlyIndexesAreRead, the first
// two, and by TestReferencesInCompounds.
var checkedElsewhere = []string{"session_v2.nwb.zarr", "session_v3.nwb.zarr", "session_v2_plain.nwb.zarr", "session_v3_plain.nwb.zarr", "session_v2_json_compound.nwb.zarr"}

// Good files give no findings. The other ones are really wrong.
func TestGoodFilesAreGood(t *testing.T) {
	dirs := map[string]string{
		"external_v2": nwbtest.Unpack(t, "external_v2"), "external_v3": nwbtest.Unpack(t, "external_v3"), "legacy_v2_0.10.nwb.zarr": nwbtest.Unpack(t, "legacy_v2_0.10.nwb.zarr"),
	}
	for name, lines := range map[string][]string{
		"session_v2.nwb.zarr": nil, "session_v2_plain.nwb.zarr": nil, "session_v2_json.nwb.zarr": nil, "session_v2_json_compound.nwb.zarr": nil,
		"session_v3.nwb.zarr": nil, "session_v3_plain.nwb.zarr": nil, "legacy_v2_0.10.nwb.zarr": nil,
		"custom_cycle_v2.zarr": nil, "custom_cycle_v3.zarr": nil,
		"external_v2/source.nwb.zarr": nil, "external_v2/linked.nwb.zarr": nil, "external_v2/linked_refs.nwb.zarr": nil, "external_v2/copied.nwb.zarr": nil,
		"external_v3/source.nwb.zarr": nil, "external_v3/linked.nwb.zarr": nil, "external_v3/linked_refs.nwb.zarr": nil, "external_v3/copied.nwb.zarr": nil,
		// Its schema says all that a Holder has.
		"custom_v2_pickle.zarr": {"/holder/empty_refs ExtraField dataset"},
		"custom_v2_json.zarr":   {"/holder/empty_refs ExtraField dataset"},
		"custom_v3.zarr":        {"/holder/empty_refs ExtraField dataset"},
		// It was written without schemas.
		"custom_v2_json_compound.zarr": {"/ MissingSpec .specloc"},
		// hdmf_zarr 0.13 made a link to itself.
		"external_v2/sub/exported.nwb.zarr": {"/ DanglingLink circle"},
		"external_v3/sub/exported.nwb.zarr": nil,
	} {
		if race.Enabled && !thorough.Enabled && strings.Contains(name, "_v2") && !strings.Contains(name, "custom") {
			continue // the same in the other layout
		}
		if !thorough.Enabled && slices.Contains(checkedElsewhere, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			top, _, below := strings.Cut(name, "/")
			if !below && !strings.HasPrefix(name, "legacy") { // no name to know it by, no neighbours
				want(t, findings(t, in(t, nwbtest.Files(t, name)), check.Options{}), lines...)
				return
			}
			dir := dirs[top]
			want(t, findings(t, at(t, filepath.Join(dir, name), hdmf.Allow(dir)), check.Options{}), lines...)
		})
	}
}

// A file outside the folder around the one that is checked is not opened, and the
// finding says what would have to be allowed.
func TestForeignSourcesAreFound(t *testing.T) {
	dir := nwbtest.Unpack(t, "external_v3")
	found := findings(t, at(t, filepath.Join(dir, "external_v3/sub/exported.nwb.zarr")), check.Options{})
	want(t, found,
		"/acquisition ForeignSource --allow "+filepath.Join(dir, "external_v3"),
		"/acquisition/linked_data ForeignSource \"data\"",
		"/acquisition/linked_data ForeignSource \"timestamps\"")
}

// What is linked in another file is checked too, where the link is.
func TestLinkedFilesAreChecked(t *testing.T) {
	for _, l := range []string{"external_v2", "external_v3"} {
		dir := nwbtest.Unpack(t, l)
		edit(t, filepath.Join(dir, l, "source.nwb.zarr"), "acquisition/second/data", func(attrs map[string]any) { delete(attrs, "unit") })
		found := findings(t, at(t, filepath.Join(dir, l, "linked.nwb.zarr")), check.Options{})
		if !slices.ContainsFunc(found, func(f check.Finding) bool {
			return f.Path == "/acquisition/second/data" && f.Rule == check.Missing
		}) {
			t.Errorf("%s: %v", l, found)
		}
	}
}
