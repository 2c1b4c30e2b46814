package check_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
)

// Links and references are checked without any schema too.
const noSchema = "/ MissingSpec no .specloc"

func TestReferences(t *testing.T) {
	ref := func(inner string) string { return `"r":{"_REFERENCE":{"source":".",` + inner + `}}` }
	for name, test := range map[string]struct {
		make func(f files)
		want []string
	}{
		"good": {func(f files) {
			f.group("g", ref(`"path":"/d","region":[{"start":1,"stop":4}]`))
			f.group("h", `"r":[{"_REFERENCE":{"source":".","path":"/d"}},{"_REFERENCE":{"source":".","path":"/g"}}],"_LINKS":[{"name":"l","source":".","path":"/k/m"}]`)
			f.group("k", `"_LINKS":[{"name":"m","source":".","path":"/d"}]`)
			f.texts("t", `"_DTYPE":"region_reference"`, false, `{"source":".","path":"/d","region":{"points":[[0],[3]]}}`, `{"source":".","path":"/h/l","region":[]}`)
		}, nil},
		"no regions": {func(f files) {
			f.group("g", `"r":{"zarr_dtype":"region","value":{"source":".","path":"/d"}},"l":[{"zarr_dtype":"region","value":{"source":".","path":"/d","region":[]}},{"zarr_dtype":"region","value":{"source":".","path":"/d"}}],"o":{"zarr_dtype":"object","value":{"source":".","path":"/d"}}`)
			f.texts("t", `"_DTYPE":"region_reference"`, false, `{"source":".","path":"/d","region":[]}`, "/d")
		}, []string{`/g BadRegion attribute "r" is a reference to a region of /d, and has no region`, `/g BadRegion element 1 of attribute "l"`, "/t BadRegion element 1 is a reference to a region of /d, and has no region"}},
		"dangling": {func(f files) {
			f.group("g", ref(`"path":"/e"`))
			f.group("h", `"r":[{"_REFERENCE":{"source":".","path":"/d"}},{"_REFERENCE":{"source":".","path":"/d/x"}}]`)
			f.texts("t", `"_DTYPE":"object_reference"`, false, "/d", "/none", "/none")
		}, []string{"/g DanglingReference attribute \"r\" leads to /e, and nothing", "/h DanglingReference element 1 of attribute \"r\" leads to /d/x",
			"/t DanglingReference element 1 leads to /none", "/t DanglingReference element 2 leads to /none"}},
		"inside of attributes": {func(f files) {
			f.group("g", `"r":{"a":[1,{"_REFERENCE":{"source":".","path":"/d"}},{"_REFERENCE":{"source":".","path":"/e"}}],"b":{"_REFERENCE":7}}`)
		}, []string{`/g DanglingReference attribute "r".a[2] leads to /e, and nothing`, `/g DtypeError attribute "r".b is a reference that cannot be read`}},
		"no reference": {func(f files) {
			f.group("g", `"r":{"_REFERENCE":{"source":"."}},"s":{"_REFERENCE":5}`)
			f.texts("t", `"_DTYPE":"object_reference"`, false, "/d", "")
		}, []string{"/g DtypeError \"r\" is a reference that cannot be read", "/g DtypeError \"s\"", "/t DanglingReference element 1 is no reference"}},
		"regions": {func(f files) {
			f.group("g", ref(`"path":"/d","region":[{"start":1,"stop":5}]`))
			f.group("h", ref(`"path":"/g","region":[]`))
			f.texts("t", `"_DTYPE":"region_reference"`, false, `{"source":".","path":"/d","region":{"points":[[0],[4]]}}`, `{"source":".","path":"/d","region":[{"indices":[3]},{"indices":[0]}]}`)
		}, []string{"/g BadRegion axis 0 from 1 to 5", "/h BadRegion which is a group", "/t BadRegion element 0: region does not fit", "/t BadRegion element 1: region does not fit"}},
		"ids": {func(f files) {
			f.group("g", ref(`"path":"/h","object_id":"2"`))
			f.group("h", `"object_id":"1"`)
		}, []string{"/g DanglingReference an object whose id is 1, and was made for one with 2"}},
		"links": {func(f files) {
			f.group("a", `"_LINKS":[{"name":"b","source":".","path":"/a/c"},{"name":"c","source":".","path":"/a/b"},{"name":"e","source":".","path":"/a/e"}]`)
			f.group("b", `"_LINKS":[{"name":"x","path":"/nowhere"},{"path":"/d"},7,{"name":"f","source":"../other.zarr","path":"/"}]`)
		}, []string{
			`/a DanglingLink link "b" leads to /a/c: links lead in a circle`, `/a DanglingLink link "c"`, `/a DanglingLink link "e"`,
			"/b DanglingLink _LINKS[1]", "/b DanglingLink _LINKS[2]", `/b DanglingLink link "f" leads to ../other.zarr:/: source`, `/b DanglingLink link "x" leads to /nowhere, and nothing`}},
		"links are no list": {func(f files) { f.group("a", `"_LINKS":"x"`) }, []string{"/a DanglingLink _LINKS"}},
		"never written": {func(f files) {
			f.texts("t", `"_DTYPE":"object_reference"`, false, "/d", "/d")
			doc := f.load("t/zarr.json")
			doc["shape"] = []int{1 << 40}
			f.save("t/zarr.json", doc)
		}, []string{"/t DanglingReference 1099511627774 elements were never written"}},
		"damaged": {func(f files) {
			f.texts("t", `"_DTYPE":"object_reference"`, false, "/d")
			f["t/c/0"] = []byte{9, 0, 0, 0}
		}, []string{"/t Unreadable "}},
		"broken node": {func(f files) {
			f["a/zarr.json"] = []byte(`{"zarr_format":3`)
			f.texts("t", `"_DTYPE":"object_reference"`, false, "/a", "/d")
		}, []string{"/a Unreadable not JSON", "/t DanglingReference element 0 leads to /a: zarr.json: not JSON"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := made("")
			f.floats("d", "", []int{4}, 1, 2, 3, 4)
			test.make(f)
			want(t, findings(t, in(t, f), check.Options{}), append([]string{noSchema}, test.want...)...)
		})
	}
}

// A file that is not the one that a reference was made for is told.
func TestSourceIsAnotherFile(t *testing.T) {
	dir := nwbtest.Unpack(t, "external_v2")
	found := findings(t, at(t, filepath.Join(dir, "external_v2/linked.nwb.zarr")), check.Options{})
	want(t, found)
	edit(t, filepath.Join(dir, "external_v2/linked.nwb.zarr"), "acquisition", func(attrs map[string]any) {
		attrs["zarr_link"].([]any)[0].(map[string]any)["source_object_id"] = "other"
	})
	found = findings(t, at(t, filepath.Join(dir, "external_v2/linked.nwb.zarr")), check.Options{})
	want(t, found, "/acquisition ForeignSource was made for one with other")
}

// References in the fields of compounds are checked one by one.
func TestReferencesInCompounds(t *testing.T) {
	for _, name := range []string{"session_v2_plain.nwb.zarr", "session_v3_plain.nwb.zarr", "session_v2_json_compound.nwb.zarr"}[:thorough.Least(1, 3, 3)] {
		f := unpacked(t, name)
		want(t, findings(t, in(t, f), check.Options{}))
		f.move("acquisition/ElectricalSeries", "acquisition/Renamed")
		found := findings(t, in(t, f), check.Options{})
		n := 0
		for _, x := range found {
			if x.Path == "/intervals/trials/timeseries" && x.Rule == check.DanglingReference && strings.Contains(x.Problem, `field "timeseries"`) {
				n++
			}
		}
		if n == 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// many is a file with n references in chunks of some length.
func many(n, chunk int, to func(i int) string) files {
	f := made("")
	f.plain("t", "string", `{"name":"vlen-utf8"}`, `"_DTYPE":"object_reference"`, n)
	doc := f.load("t/zarr.json")
	doc["chunk_grid"] = map[string]any{"name": "regular", "configuration": map[string]any{"chunk_shape": []int{chunk}}}
	f.save("t/zarr.json", doc)
	for start := 0; start < n; start += chunk {
		var list []string
		for i := start; i < start+chunk; i++ {
			list = append(list, to(i))
		}
		f[fmt.Sprintf("t/c/%d", start/chunk)] = vlen(list)
	}
	return f
}

// An element is named by its place in the whole dataset.
func TestReferenceInALaterChunk(t *testing.T) {
	f := many(40_000, 10_000, func(i int) string {
		if i == 35_000 {
			return "/none"
		}
		return "/"
	})
	want(t, findings(t, in(t, f), check.Options{}), noSchema, "/t DanglingReference element 35000 leads to /none")
}

// Many references, a hundred thousand if all is tried, take little work, wherever they lead.
func TestManyReferences(t *testing.T) {
	n := thorough.Of(20_000, 100_000)
	for name, test := range map[string]struct {
		chunk int
		to    func(i int) string
		lost  bool
	}{
		"one chunk":    {n, func(i int) string { return fmt.Sprint("/g/", i%50) }, false},
		"small chunks": {10, func(i int) string { return fmt.Sprint("/g/", i%50) }, false},
		"all dangling": {10_000, func(i int) string { return fmt.Sprint("/none/", i) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			f := many(n, test.chunk, test.to)
			f.group("g", "")
			for i := range 50 {
				f.group(fmt.Sprint("g/", i), "")
			}
			file := in(t, f)
			var found []check.Finding
			used := alloctest.Bytes(func() { found = findings(t, file, check.Options{}) }) / int64(n)
			if test.lost {
				if len(found) != 102 || !strings.Contains(found[101].Problem, fmt.Sprint(n-100, " more elements")) {
					t.Errorf("%d findings, the last %v", len(found), found[len(found)-1])
				}
			} else {
				want(t, found, noSchema)
			}
			if used > 600 {
				t.Errorf("%d bytes were allocated per reference", used)
			}
		})
	}
}
