package n5_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/nd"
)

// Every dataset of the containers, from a zip archive, from a folder and over
// HTTP: as in its dimensions, and with them reversed.
func TestDatasetsOfOtherWriters(t *testing.T) {
	all := expectations(t)
	for _, name := range containers {
		folder := unpack(t, name)
		web := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(folder))))
		defer web.Close()
		seen := 0
		for _, path := range slices.Sorted(maps.Keys(all[name].Arrays)) {
			want := all[name].Arrays[path]
			if want.Mode != nil {
				continue
			}
			seen++
			for i, url := range []string{"testdata/" + name + ".zip/" + path, folder + "/" + path, web.URL + "/" + name + "/" + path} {
				if i < 2 && i != seen%2 && !thorough.Enabled {
					continue // one of the two
				}
				if strings.HasPrefix(url, web.URL) && seen%thorough.Step(4) != 0 {
					continue
				}
				a := openArray(t, url)
				if got := read(t, a, zarr.All()); sum(got) != want.Sha256 || a.Format() != "n5" || !slices.Equal(a.Shape(), want.Shape) || a.DataType().Name() != want.Dtype {
					t.Errorf("%s: %s %v %s, or its elements are others", url, a.Format(), a.Shape(), a.DataType().Name())
				}
			}
			if seen%thorough.Step(4) == 0 {
				if _, err := zarr.Open(ctx, web.URL+"/"+name+"/no/"+path); err == nil {
					t.Errorf("%s: a dataset that is not there", path)
				}
			}
			if seen%thorough.Step(2) == 0 {
				straight, back := openArray(t, folder+"/"+path), openArray(t, folder+"/"+path, zarr.With(n5.Reversed))
				compareReversed(t, straight, back)
			}
		}
		root, err := zarr.OpenGroup(ctx, web.URL+"/"+name) // by its name, without a listing
		check(t, err)
		if root.Format() != "n5" {
			t.Errorf("%s is %s", name, root.Format())
		}
		t.Logf("%s: %d datasets", name, seen)
	}
}

// compareReversed reads two views of a dataset wholly and in parts.
func compareReversed(t *testing.T, a, b *zarr.Array) {
	t.Helper()
	if !slices.Equal(reversed(a.Shape()), b.Shape()) {
		t.Fatalf("%s: shapes %v and %v", a.URL(), a.Shape(), b.Shape())
	}
	size := a.DataType().Size()
	want := transposed(nd.Of(read(t, a, zarr.All()), size, a.Shape()...))
	if got := read(t, b, zarr.All()); !bytes.Equal(got, want) {
		t.Errorf("%s: reversed elements are others", b.URL())
	}
	var start, part []int
	for _, n := range a.Shape() {
		start, part = append(start, n/3), append(part, n-n/3)
	}
	want = transposed(nd.Of(read(t, a, zarr.Box(start, part)), size, part...))
	if got := read(t, b, zarr.Box(reversed(start), reversed(part))); !bytes.Equal(got, want) {
		t.Errorf("%s: a part of the reversed elements is other", b.URL())
	}
}

// transposed gives the elements of v with its axes reversed, in C order.
func transposed(v nd.View) []byte {
	out := nd.Make(v.Size, reversed(v.Shape)...)
	to := nd.View{Data: out.Data, Size: v.Size, Shape: v.Shape, Strides: reversed(out.Strides), Offset: out.Offset}
	nd.Copy(to, v)
	return out.Data
}

func reversed(list []int) []int {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func TestGroupsOfOtherWriters(t *testing.T) {
	all := expectations(t)
	for _, name := range containers {
		g, err := zarr.OpenGroup(ctx, "testdata/"+name+".zip", zarr.ReadOnly())
		check(t, err)
		defer g.Close()
		arrays := map[string]bool{}
		for n, err := range g.Walk(ctx) {
			check(t, err)
			if _, ok := n.(*zarr.Array); ok {
				arrays[n.Path()] = true
			}
		}
		if len(arrays) != len(all[name].Arrays) {
			t.Errorf("%s: %d datasets, want %d", name, len(arrays), len(all[name].Arrays))
		}
		for path, want := range all[name].Groups {
			n, err := g.Open(ctx, path)
			check(t, err)
			got, err := n.Attributes().Map()
			check(t, err)
			if nested, ok := want["nested"].(map[string]any); ok {
				delete(nested["a"].(map[string]any), "b") // a null, which Java does not write
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %q has attributes %v, want %v", name, path, got, want)
			}
		}
	}
}

func TestBlocksThatHoldNoNumbers(t *testing.T) {
	want := expectations(t)["java.n5"].Arrays
	strings := openArray(t, "testdata/java.n5.zip/modes/strings")
	texts, err := zarr.Read[string](ctx, strings, zarr.All())
	check(t, err)
	if all := slices.Concat(want["modes/strings"].Values...); !slices.Equal(texts.Data, all) {
		t.Errorf("strings %q, want %q", texts.Data, all)
	}
	objects := openArray(t, "testdata/java.n5.zip/modes/object")
	blobs, err := zarr.Read[[]byte](ctx, objects, zarr.All())
	check(t, err)
	if got := hex.EncodeToString(blobs.Data[0]); len(blobs.Data) != 1 || got != want["modes/object"].Hex[0] {
		t.Errorf("object %s, want %s", got, want["modes/object"].Hex[0])
	}
	numbers := openArray(t, "testdata/java.n5.zip/modes/varlength_uint16")
	_, err = zarr.Read[uint16](ctx, numbers, zarr.All())
	wantError(t, err, "modes/varlength_uint16: 0/0: codec n5_default", "mode 1 (varlength)")
}

func TestImplicitGroups(t *testing.T) {
	s := inMemory(t, map[string]string{
		"a/b/set/attributes.json": `{"dimensions":[4],"blockSize":[2],"dataType":"uint8","compression":{"type":"raw"}}`,
		"a/b/set/0":               "\x00\x00\x00\x01\x00\x00\x00\x02\x05\x06",
		"a/b/set/7/leftover":      "x",
		"a/12/set/x":              "",
	})
	g, err := zarr.OpenStore(ctx, s, "", zarr.As("n5"))
	check(t, err)
	var paths []string
	for n, err := range g.(*zarr.Group).Walk(ctx) {
		check(t, err)
		paths = append(paths, fmt.Sprintf("%T %s", n, n.Path()))
	}
	want := []string{"*zarr.Group a", "*zarr.Group a/12", "*zarr.Group a/12/set", "*zarr.Group a/b", "*zarr.Array a/b/set"}
	if !slices.Equal(paths, want) {
		t.Errorf("%q", paths)
	}
	for _, path := range []string{"b", "a/b/set/7", "a/b/c"} {
		_, err = g.(*zarr.Group).Open(ctx, path)
		wantError(t, err, "no Zarr node here", path)
	}
}
