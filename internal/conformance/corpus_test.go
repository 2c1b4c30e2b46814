package conformance_test

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
	zipstore "github.com/omnizarr/zarr/store/zip"
)

// Stores that other implementations wrote, with what they hold.
var corpus = []string{
	"tensorstore-v3.zarr.zip", "zarr-java-v3.zarr.zip", "zarr-python3-v3.zarr.zip",
	"zarr-python3-zip.zip", "zarrita.zarr.zip", "zarrs-v3.zarr.zip",
	"tensorstore-v2.zarr.zip", "zarr-java-v2.zarr.zip", "zarr-python2-zip.zip",
	"zarr-python2.zarr.zip", "zarr-python3-v2.zarr.zip",
}

// Sums of these types may have been taken over memory in which the sign is not
// extended, as the Python package ml_dtypes holds them.
var bare = map[string]int{"int2": 2, "int4": 4}

type expected struct {
	Groups map[string]json.RawMessage `json:"groups"`
	Arrays map[string]expectedArray   `json:"arrays"`
}

type expectedArray struct {
	Shape          []int             `json:"shape"`
	SHA256         string            `json:"sha256"`
	Values         []json.RawMessage `json:"values"`
	Attributes     json.RawMessage   `json:"attributes"`
	DimensionNames []*string         `json:"dimension_names"`
}

func loadExpected(t *testing.T) map[string]expected {
	t.Helper()
	r := must[*zip.ReadCloser](t)(zip.OpenReader("testdata/corpus/expected.zip"))
	defer r.Close()
	out := map[string]expected{}
	for _, f := range r.File {
		var e expected
		check(t, json.Unmarshal(zipped(t, f), &e))
		out[strings.TrimSuffix(f.Name, ".json")] = e
	}
	return out
}

func TestEveryArrayOfOtherImplementationsIsReadExactly(t *testing.T) {
	all := loadExpected(t)
	read := 0
	for _, name := range corpus {
		want, ok := all[strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".zarr")]
		if !ok {
			t.Fatalf("nothing is known of %s", name)
		}
		s := must[*zipstore.Store](t)(zipstore.OpenFile(ctx, filepath.Join("testdata/corpus", name)))
		defer s.Close()
		for path, attrs := range want.Groups {
			n, err := zarr.OpenStore(ctx, s, path)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if _, ok := n.(*zarr.Group); !ok {
				t.Errorf("%s: %q is a %T", name, path, n)
			}
			checkAttributes(t, n, attrs)
		}
		for _, path := range slices.Sorted(maps.Keys(want.Arrays)) {
			t.Run(name+"/"+path, func(t *testing.T) {
				n, err := zarr.OpenStore(ctx, s, path)
				check(t, err)
				checkArray(t, n.(*zarr.Array), want.Arrays[path])
				read++
			})
		}
	}
	if read != 545 {
		t.Errorf("%d arrays were read", read)
	}
}

// checkArray compares an array with what is known of it.
func checkArray(t *testing.T, a *zarr.Array, want expectedArray) {
	t.Helper()
	if !slices.Equal(a.Shape(), want.Shape) {
		t.Errorf("shape %v, want %v", a.Shape(), want.Shape)
	}
	if want.Attributes != nil {
		checkAttributes(t, a, want.Attributes)
	}
	if want.DimensionNames != nil {
		for i, n := range a.DimensionNames() {
			if w := want.DimensionNames[i]; w == nil && n != "" || w != nil && n != *w {
				t.Errorf("dimension names %v", a.DimensionNames())
			}
		}
	}
	v, err := readAny(a, zarr.All())
	check(t, err)
	if want.Values != nil {
		checkValues(t, a, v, want.Values)
		return
	}
	sum := sha256.Sum256(v.Data)
	if bits, ok := bare[a.DataType().Name()]; ok && hex.EncodeToString(sum[:]) != want.SHA256 {
		for i := range v.Data {
			v.Data[i] &= 1<<bits - 1
		}
		sum = sha256.Sum256(v.Data)
	}
	if got := hex.EncodeToString(sum[:]); got != want.SHA256 {
		t.Errorf("sha256 %s, want %s", got, want.SHA256)
	}
}

func checkValues(t *testing.T, a *zarr.Array, v nd.View, want []json.RawMessage) {
	t.Helper()
	got := values(a.DataType(), v)
	if len(got) != len(want) {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	for i, raw := range want {
		if k := a.DataType().Kind(); k == dtype.Object || k == dtype.List {
			text, err := a.DataType().AppendValue(nil, v.At(i), v.Heap.Blobs())
			check(t, err)
			if !sameJSON(t, text, raw) {
				t.Errorf("value %d is %s, want %s", i, text, raw)
			}
			continue
		}
		var text string
		var h struct{ Hex string }
		if json.Unmarshal(raw, &text) != nil {
			check(t, json.Unmarshal(raw, &h))
			text = string(must[[]byte](t)(hex.DecodeString(h.Hex)))
		}
		if string(got[i]) != text {
			t.Errorf("value %d is %q, want %q", i, got[i], text)
		}
	}
}

func checkAttributes(t *testing.T, n zarr.Node, want json.RawMessage) {
	t.Helper()
	got := must[[]byte](t)(n.Attributes().MarshalJSON())
	if !sameJSON(t, got, want) {
		t.Errorf("%s: attributes %s, want %s", n.URL(), got, want)
	}
}

// Hierarchies are found by listing, and where there is consolidated metadata
// also without.
func TestHierarchiesOfOtherImplementationsAreWalked(t *testing.T) {
	all := loadExpected(t)
	for _, name := range corpus {
		want := all[strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".zarr")]
		if want.Groups[""] == nil {
			continue // tensorstore writes no groups
		}
		for _, opts := range [][]zarr.Option{nil, {zarr.BypassConsolidated()}} {
			s := must[*zipstore.Store](t)(zipstore.OpenFile(ctx, filepath.Join("testdata/corpus", name)))
			g := must[zarr.Node](t)(zarr.OpenStore(ctx, s, "", opts...)).(*zarr.Group)
			seen := map[string]bool{}
			for n, err := range g.Walk(ctx) {
				check(t, err)
				seen[n.Path()] = true
			}
			for path := range want.Arrays {
				if !seen[path] && reachable(want, path) {
					t.Errorf("%s: array %q was not found", name, path)
				}
			}
			check(t, s.Close())
		}
	}
}

// reachable says whether every folder above a node is a group.
func reachable(e expected, path string) bool {
	for i, c := range path {
		if c == '/' && e.Groups[path[:i]] == nil {
			return false
		}
	}
	return true
}
