package n5_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func reopen(t *testing.T, s store.Store, path string, opts ...zarr.Option) *zarr.Array {
	t.Helper()
	n, err := zarr.OpenStore(ctx, s, path, append(opts, zarr.As("n5"))...)
	check(t, err)
	return n.(*zarr.Array)
}

// A dataset whose blocks have no size of their own, and one of objects, have the
// blocks that they had when their shape changes.
func TestResizeKeepsBlocks(t *testing.T) {
	s := inMemory(t, map[string]string{
		"plain/attributes.json":  `{"dimensions":[4,6],"dataType":"uint8"}`,
		"object/attributes.json": `{"dimensions":[35,60],"blockSize":[10,20],"dataType":"object","compression":{"type":"raw"}}`,
	})
	for path, want := range map[string]string{
		"plain":  `{"dataType":"uint8","blockSize":[4,6],"dimensions":[8,6]}`,
		"object": `{"dataType":"object","compression":{"type":"raw"},"blockSize":[10,20],"dimensions":[80,60]}`,
	} {
		a := reopen(t, s, path)
		shape := a.Shape()
		chunks := a.ChunkShape()
		shape[0] = 8
		check(t, a.Resize(ctx, shape...))
		if got := value(s, path+"/attributes.json"); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
		if b := reopen(t, s, path); !slices.Equal(b.Shape(), shape) || !slices.Equal(b.ChunkShape(), chunks) {
			t.Errorf("%s: shape %v, chunks %v", path, b.Shape(), b.ChunkShape())
		}
	}
}

// What other programs say stays where they look for it.
func TestAttributesOfOthersStay(t *testing.T) {
	setup := `{"dataType":"uint16","downsamplingFactors":[[1,1,1],[2,2,2]]}`
	level := `{"dataType":"uint8","compression":{"type":"raw"},"blockSize":[2,2],"dimensions":[4,4],"units":"nm","resolution":4,"axes":[{"name":"x"},{"name":"y"}]}`
	s := inMemory(t, map[string]string{"setup0/attributes.json": setup, "set/attributes.json": level})
	for path, text := range map[string]string{"setup0": setup, "set": level} {
		n, err := zarr.OpenStore(ctx, s, path, zarr.As("n5"))
		check(t, err)
		attrs := n.Attributes()
		check(t, attrs.Set("note", 1))
		check(t, n.SetAttributes(ctx, attrs))
		if got, want := value(s, path+"/attributes.json"), strings.TrimSuffix(text, "}")+`,"note":1}`; got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// An attribute that has the name of N5's axes and means something else is kept
// beside the names of dimensions; names that tensorstore refuses are refused.
func TestAxesOfUsers(t *testing.T) {
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "a", zarr.ArraySpec{Shape: []int{2, 2}, DataType: "uint8", DimensionNames: []string{"x", "y"}}, zarr.As("n5"))
	check(t, err)
	for _, raw := range []string{`["u","v"]`, `["u",null]`, `["u","u"]`, `"u"`} {
		attrs := a.Attributes()
		check(t, attrs.Set("axes", json.RawMessage(raw)))
		check(t, a.SetAttributes(ctx, attrs))
		b := reopen(t, s, "a")
		if got := string(b.Attributes().Raw("axes")); got != raw || strings.Join(b.DimensionNames(), "") != "xy" {
			t.Errorf("axes %s, names %v in %s", got, b.DimensionNames(), value(s, "a/attributes.json"))
		}
	}
	_, err = zarr.CreateArrayIn(ctx, s, "b", zarr.ArraySpec{Shape: []int{2, 2}, DataType: "uint8", DimensionNames: []string{"x", "x"}}, zarr.As("n5"))
	wantError(t, err, "different ones")
}

// A zarr.json beside attributes.json follows what is changed through N5, with its
// own codecs.
func TestAdoptedNodesFollow(t *testing.T) {
	s := inMemory(t, map[string]string{"set/attributes.json": dataset("uint8", raw)})
	doc := value(reopen(t, s, "set").Store(), "set/zarr.json")
	_, err := s.Put(ctx, "set/zarr.json", []byte(doc), store.PutOptions{})
	check(t, err)
	a := reopen(t, s, "set", zarr.With(n5.Reversed))
	check(t, a.Resize(ctx, 9, 10))
	attrs := a.Attributes()
	check(t, attrs.Set("note", 1))
	check(t, a.SetAttributes(ctx, attrs))
	b, err := zarr.OpenStore(ctx, s, "set")
	check(t, err)
	if b.Format() != "zarr3" || !slices.Equal(b.(*zarr.Array).Shape(), []int{10, 9}) || string(b.Attributes().Raw("note")) != "1" {
		t.Errorf("%s %v %s", b.Format(), b.(*zarr.Array).Shape(), value(s, "set/zarr.json"))
	}
	_, err = zarr.CreateArrayIn(ctx, s, "set", zarr.ArraySpec{Shape: []int{3}, DataType: "int16", Overwrite: true}, zarr.As("n5"))
	check(t, err)
	if value(s, "set/zarr.json") != "" {
		t.Error("the old zarr.json is still there")
	}
}

// failing is a store whose reads fail from some point on.
type failing struct {
	store.Store
	left int
}

var errTimeout = errors.New("timeout")

func (f *failing) Get(ctx context.Context, key string, r store.Range, dst []byte) ([]byte, store.Info, error) {
	if f.left--; f.left < 0 {
		return nil, store.Info{}, errTimeout
	}
	return f.Store.Get(ctx, key, r, dst)
}

// A document that cannot be read now is not one that may be replaced.
func TestReadErrorsAreNoBrokenDocuments(t *testing.T) {
	const text = `{"n5":"2.5.1","a":1}`
	for n := range 4 {
		s := &failing{Store: inMemory(t, map[string]string{"attributes.json": text}), left: 100}
		g, err := zarr.OpenStore(ctx, s, "", zarr.As("n5"))
		check(t, err)
		attrs := g.Attributes()
		check(t, attrs.Set("b", 2))
		s.left = n
		err = g.SetAttributes(ctx, attrs)
		s.left = 100
		if got := value(s, "attributes.json"); err != nil && got != text || !strings.Contains(got, "2.5.1") {
			t.Errorf("%v left %s", err, got)
		}
	}
}

// An image that a convention gave stays what the convention says, also when it
// says more than it did.
func TestImagesOfConventionsAreNotKept(t *testing.T) {
	level := `{"dimensions":[8,8,8],"blockSize":[4,4,4],"dataType":"uint8","compression":{"type":"raw"},"downsamplingFactors":[1,1,1],"pixelResolution":[1,1,1]}`
	s := inMemory(t, map[string]string{"g/s0/attributes.json": level})
	g, err := zarr.OpenStore(ctx, s, "g", zarr.As("n5"))
	check(t, err)
	_, err = s.Put(ctx, "g/s1/attributes.json", []byte(strings.ReplaceAll(strings.Replace(level, "[8,8,8]", "[4,4,4]", 1), "[1,1,1],\"pixel", "[2,2,2],\"pixel")), store.PutOptions{})
	check(t, err)
	attrs := g.Attributes()
	check(t, attrs.Set("note", 1))
	check(t, g.SetAttributes(ctx, attrs))
	if got := value(s, "g/attributes.json"); got != `{"note":1}` {
		t.Error(got)
	}
}

// Folders of blocks are no groups, whatever the dataset is called; a dataset is
// not made where datasets are.
func TestBlocksAreNoGroups(t *testing.T) {
	s := inMemory(t, map[string]string{"12/attributes.json": dataset("uint8", raw), "12/0/0": header, "0/3/7/attributes.json": `{}`, "g/s0/attributes.json": dataset("uint8", raw)})
	n, err := zarr.OpenStore(ctx, s, "", zarr.As("n5"))
	check(t, err)
	g := n.(*zarr.Group)
	_, err = g.Open(ctx, "12/0")
	wantError(t, err, "no Zarr node here")
	wantError(t, g.Delete(ctx, "12/0"), "no Zarr node here")
	if value(s, "12/0/0") == "" {
		t.Error("a block is gone")
	}
	if _, err := g.Open(ctx, "0/3"); err != nil {
		t.Error(err)
	}
	for _, path := range []string{"g", ""} {
		_, err = zarr.CreateArrayIn(ctx, s, path, zarr.ArraySpec{Shape: []int{3}, DataType: "int16"}, zarr.As("n5"))
		if !errors.Is(err, zarr.ErrExist) {
			t.Errorf("%q: %v", path, err)
		}
	}
}
