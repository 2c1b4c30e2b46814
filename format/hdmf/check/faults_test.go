package check_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// References that lead nowhere over paths of a thousand parts take no longer than
// others: as elements and as attributes, with links beside them or not.
func TestLongPaths(t *testing.T) {
	n := thorough.Of(120, 1000) // of which a hundred are told of where elements lead
	long := func(i int) string { return fmt.Sprintf("/x%d%s", i, strings.Repeat("/a", 1000)) }
	for name, test := range map[string]struct {
		attrs string
		make  func(f files)
		told  int
	}{
		"elements": {"", func(f files) {
			var list []string
			for i := range n {
				list = append(list, long(i))
			}
			f.texts("t", `"_DTYPE":"object_reference"`, false, list...)
		}, 101},
		"elements beside a link": {`"_LINKS":[{"name":"l","source":".","path":"/t"}]`, func(f files) {
			var list []string
			for i := range n {
				list = append(list, long(i))
			}
			f.texts("t", `"_DTYPE":"object_reference"`, false, list...)
		}, 101},
		"attributes": {"", func(f files) {
			var list []string
			for i := range n {
				list = append(list, fmt.Sprintf(`{"_REFERENCE":{"source":".","path":%q}}`, long(i)))
			}
			f.group("t", `"r":[`+strings.Join(list, ",")+`]`)
		}, n},
		"elements below groups": {"", func(f files) {
			var list []string
			for i := range n {
				list = append(list, strings.Repeat("/g", 100)+long(i))
			}
			at := strings.Repeat("/g", 100)[1:]
			for i := 1; i <= len(at); i += 2 {
				f.group(at[:i], "")
			}
			f.texts("t", `"_DTYPE":"object_reference"`, false, list...)
		}, 101},
	} {
		t.Run(name, func(t *testing.T) {
			f := made(test.attrs)
			test.make(f)
			file := in(t, f)
			var found []check.Finding
			used := alloctest.Bytes(func() { found = findings(t, file, check.Options{}) })
			if len(found) != 1+test.told { // and that there is no schema
				t.Errorf("%d findings, want %d", len(found), 1+test.told)
			}
			if used > 1<<28 {
				t.Errorf("%d bytes were allocated", used)
			}
		})
	}
}

// A long path is found where it leads, behind links too, and before all nodes are
// known.
func TestLongPathsThatLeadSomewhere(t *testing.T) {
	f := made(`"_LINKS":[{"name":"l","source":".","path":"/g"}]`)
	at := strings.Repeat("/g", 40)[1:]
	for i := 1; i <= len(at); i += 2 {
		f.group(at[:i], "")
	}
	behind := "/l" + strings.Repeat("/g", 39)
	f.group("a", fmt.Sprintf(`"r":[{"_REFERENCE":{"source":".","path":"/%s"}},{"_REFERENCE":{"source":".","path":%q}},{"_REFERENCE":{"source":".","path":"%s/no"}}]`, at, behind, behind))
	f.texts("t", `"_DTYPE":"object_reference"`, false, "/"+at, behind, behind+"/no", "/"+at+"/no")
	want(t, findings(t, in(t, f), check.Options{}), noSchema,
		"/a DanglingReference element 2 of attribute \"r\" leads to "+behind+"/no, and nothing is there",
		"/t DanglingReference element 2 leads to "+behind+"/no", "/t DanglingReference element 3 leads to /"+at+"/no")
}

// sub opens a file whose root is not that of its store.
func sub(t *testing.T, name string, f files) *hdmf.File {
	t.Helper()
	ctx := context.Background()
	s := mem.New()
	for key, data := range f {
		if _, err := s.Put(ctx, "a/"+name+"/"+key, data, store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	n, err := zarr.OpenStore(ctx, s, "a/"+name)
	if err != nil {
		t.Fatal(err)
	}
	return hdmf.Of(ctx, n.(*zarr.Group))
}

// Consolidated metadata is compared wherever in its store a file lies.
func TestConsolidatedOfAFileInsideAStore(t *testing.T) {
	for _, name := range []string{"legacy_v2_0.10.nwb.zarr", "session_v2.nwb.zarr", "session_v3.nwb.zarr"} {
		t.Run(name, func(t *testing.T) {
			f := files(nwbtest.Files(t, name))
			if thorough.Enabled || strings.HasPrefix(name, "legacy") {
				want(t, findings(t, sub(t, name, f), check.Options{}))
			}
			f = moved(f, "session_description", "elsewhere")
			found := findings(t, sub(t, name, f), check.Options{})
			want(t, found, "/elsewhere StaleConsolidated readers miss it", "/session_description StaleConsolidated there is no such node")
		})
	}
}

// A file of which no member opens is told of as any other.
func TestNoMemberOpens(t *testing.T) {
	f := made(`"_LINKS":[5]`)
	f["a/zarr.json"] = []byte(`{`)
	f["b/zarr.json"] = []byte(`[]`)
	want(t, findings(t, in(t, f), check.Options{}), "/ DanglingLink _LINKS[0]", noSchema, "/a Unreadable not JSON", "/b Unreadable ")
}

// Whatever fails when a node is opened is told at the node.
func TestArrayThatFailsWhenItIsOpened(t *testing.T) {
	f := files{
		".zgroup": []byte(`{"zarr_format":2}`), ".zattrs": []byte(`{"namespace":"t","data_type":"R"}`), "g/.zgroup": []byte(`{"zarr_format":2}`),
		"g/bad/.zarray": []byte(`{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|O","fill_value":0,"order":"C","filters":[{"id":"pickle"}],"compressor":null}`),
		"g/bad/.zattrs": []byte(`{"zarr_dtype":"object"}`), "g/bad/0": []byte("xx"),
	}
	want(t, findings(t, in(t, f), check.Options{}), noSchema, "/g/bad Unreadable opcode 0x78")
}

// A reference that was made for another file is told also where it means its own.
func TestSourceIsTheFileItself(t *testing.T) {
	f := made(`"object_id":"1"`)
	f.group("a", `"r":{"_REFERENCE":{"source":".","path":"/b","source_object_id":"2"}},"_LINKS":[{"name":"l","source":".","path":"/b","source_object_id":"3"},{"name":"m","source":".","path":"/b","source_object_id":"1"}]`)
	f.group("b", "")
	want(t, findings(t, in(t, f), check.Options{}), noSchema,
		`/a ForeignSource attribute "r" leads to /b, a file whose object id is 1, and was made for one with 2`,
		`/a ForeignSource link "l" leads to /b, a file whose object id is 1, and was made for one with 3`)
}

// References that cannot be read are told with what is wrong with them.
func TestReferencesThatCannotBeRead(t *testing.T) {
	f := made(`"r":[{"_REFERENCE":{"path":"/"}},{"_REFERENCE":{"source":"."}}],"s":{"zarr_dtype":"object"},"t":{"_REFERENCE":{"path":7}}`)
	want(t, findings(t, in(t, f), check.Options{}),
		`/ DtypeError attribute "r" is a reference that cannot be read: [1]`,
		`/ DtypeError attribute "s" is a reference that cannot be read: it has no value`,
		`/ DtypeError attribute "t" is a reference that cannot be read: `, noSchema)
}

// Links that nobody can follow are told: hidden ones, and others of the same name.
func TestLinksOfTakenNames(t *testing.T) {
	f := made(`"_LINKS":[{"name":"a","source":".","path":"/b"},{"name":"l","source":".","path":"/a"},{"name":"l","source":".","path":"/b"}]`)
	f.group("a", "")
	f.group("b", "")
	want(t, findings(t, in(t, f), check.Options{}), `/ DanglingLink two links named "l"`, `/ DanglingLink link "a" leads to /b, and the group holds something else`, noSchema)
}

// A source whose name is no name of a node is told where the others are.
func TestSourceNamedAsAPath(t *testing.T) {
	f := made(`".specloc":"s","namespace":"t","data_type":"R"`)
	f.group("s", "")
	f.group("s/t", "")
	f.group("s/t/1.0.0", "")
	f.texts("s/t/1.0.0/namespace", "", true, `{"namespaces":[{"name":"t","version":"1.0.0","doc":"d","author":"a","contact":"c","schema":[{"source":"../../../etc/passwd"}]}]}`)
	for _, x := range findings(t, in(t, f), check.Options{}) {
		if x.Rule == check.MissingSpec && (x.Path != "/s/t/1.0.0" || !strings.Contains(x.Problem, `source "../../../etc/passwd"`)) {
			t.Errorf("%v", x)
		}
	}
}
