package meta

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/alloctest"
	"github.com/omnizarr/zarr/internal/thorough"
	"pgregory.net/rapid"
)

// group parses a group with this consolidated_metadata member.
func group(t testing.TB, consolidated string) *Group {
	t.Helper()
	node, err := Parse([]byte(`{"zarr_format":3,"node_type":"group","consolidated_metadata":`+consolidated+`}`), Registry{MaxBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return node.(*Group)
}

const emptyGroup = `{"zarr_format":3,"node_type":"group","attributes":{}}`

func TestConsolidatedPaths(t *testing.T) {
	var metadata []string
	for _, path := range []string{"a-b", "a", "a/b/c", "x/y", "a/b", "B", "a/b-c", "", "../escape", "/abs", "a//b", ".", "a/..", "n\\u0000", "...", "a/"} {
		metadata = append(metadata, `"`+path+`":`+emptyGroup)
	}
	g := group(t, `{"kind":"inline","must_understand":false,"x":1.0,"metadata":{`+strings.Join(metadata, ",")+`}}`)
	c := g.Consolidated
	if got, want := slices.Collect(c.Paths("")), []string{"B", "a", "a/b", "a/b/c", "a/b-c", "a-b", "x/y"}; !slices.Equal(got, want) {
		t.Errorf("paths %q", got)
	}
	if want := []string{"", "../escape", "/abs", "a//b", ".", "a/..", "n\x00", "...", "a/"}; !slices.Equal(c.Ignored, want) {
		t.Errorf("ignored %q", c.Ignored)
	}
	for of, want := range map[string][]string{"": {"B", "a", "a-b"}, "a": {"a/b", "a/b-c"}, "a/b": {"a/b/c"}, "x": {"x/y"}, "a/b/c": nil, "none": nil} {
		if got := slices.Collect(c.Children(of)); !slices.Equal(got, want) {
			t.Errorf("children of %q: %q", of, got)
		}
	}
	if got, want := slices.Collect(c.Sub("a").Paths("")), []string{"b", "b/c", "b-c"}; !slices.Equal(got, want) {
		t.Errorf("below a: %q", got)
	}
	if n, err := c.Sub("a").Get("b/c"); err != nil || n.NodeType() != "group" {
		t.Errorf("got %v, %v", n, err)
	}
	if _, err := c.Get("a/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	d := c.Clone()
	d.Delete("a")
	d.Delete("none")
	d.Delete("x")
	if got, want := slices.Collect(d.Paths("")), []string{"B", "a-b"}; !slices.Equal(got, want) {
		t.Errorf("after delete: %q", got)
	}
	if c.Len() != 7 || d.Len() != 2 || (*Consolidated)(nil).Len() != 0 {
		t.Errorf("%d and %d nodes", c.Len(), d.Len())
	}
	out, err := g.Marshal()
	if err != nil || !strings.Contains(string(out), `"x": 1.0`) || strings.Contains(string(out), "escape") {
		t.Errorf("%v in %s", err, out)
	}
}

func TestConsolidatedForms(t *testing.T) {
	if g := group(t, "null"); g.Consolidated != nil || len(g.Extra) != 0 {
		t.Errorf("null is %v", g)
	}
	g := group(t, `{"kind":"other","must_understand":false,"q":[1.0]}`)
	out, err := g.Marshal()
	if err != nil || g.Consolidated != nil || !strings.Contains(string(out), `"q": [1.0]`) {
		t.Errorf("%v in %s", err, out)
	}
	for raw, want := range map[string]string{
		`[]`:                              "consolidated_metadata: must be an object, not an array",
		`{"kind":"inline","metadata":[]}`: "consolidated_metadata.metadata: must be an object, not an array",
		`{"kind":"inline"}`:               `consolidated_metadata: missing member "metadata"`,
		`{"kind":1,"metadata":{}}`:        "consolidated_metadata.kind: must be a string, not a number",
		`{"metadata":{}}`:                 `consolidated_metadata.kind: unknown kind "" must be understood`,
		`{"kind":"x","must_understand":false,"y":NaN}`:     "consolidated_metadata.y: bare NaN is not JSON",
		`{"kind":"inline","metadata":{"a":{},"\u0061":1}}`: "consolidated_metadata.metadata.a: the object has two members of this name",
	} {
		_, err := Parse([]byte(`{"zarr_format":3,"node_type":"group","consolidated_metadata":`+raw+`}`), Registry{})
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", raw, err, want)
		}
	}
	g = group(t, `{"kind":"inline","must_understand":false,"metadata":{"a":5,"b":`+emptyGroup+`}}`)
	if _, err := g.Consolidated.Get("a"); err == nil || err.Error() != "consolidated_metadata.metadata.a: must be an object, not a number" {
		t.Errorf("got %v", err)
	}
}

func TestGroupsInsideHaveNoConsolidatedMetadata(t *testing.T) {
	inner := group(t, `{"kind":"inline","must_understand":false,"metadata":{"z":`+emptyGroup+`}}`)
	skipped := group(t, `{"kind":"other","must_understand":false}`)
	c, err := NewConsolidated(map[string]Node{"b": inner, "a": skipped})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Set("a/x", inner); err != nil {
		t.Fatal(err)
	}
	if err := c.Set("b", inner); err != nil {
		t.Fatal(err)
	}
	out, err := (&Group{Consolidated: c}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(out), "consolidated_metadata") != 1 {
		t.Errorf("got %s", out)
	}
	if got, want := slices.Collect(c.Paths("")), []string{"a", "a/x", "b"}; !slices.Equal(got, want) {
		t.Errorf("paths %q", got)
	}
	// zarr-python gives each inner group an empty one, which says nothing.
	outer := group(t, `{"kind":"inline","must_understand":false,"metadata":{"g":{"zarr_format":3,"node_type":"group",
		"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{}}},"g/h":`+emptyGroup+`}}`)
	if n, err := outer.Consolidated.Get("g"); err != nil || n.(*Group).Consolidated != nil {
		t.Errorf("got %v, %v", n, err)
	}
	for _, path := range []string{"", "/a", "a/", "../a", "a/./b"} {
		if err := c.Set(path, inner); err == nil {
			t.Errorf("path %q accepted", path)
		}
		if _, err := NewConsolidated(map[string]Node{path: inner}); err == nil {
			t.Errorf("path %q accepted", path)
		}
	}
}

func TestManyNodesOpenFast(t *testing.T) {
	nodes := thorough.Least(2000, 10_000, 100_000)
	var b strings.Builder
	b.WriteString(`{"kind":"inline","must_understand":false,"metadata":{`)
	array := strings.Replace(simpleArray, "ATTR", "1", 1)
	for i := range nodes {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"g%d/a%d":%s`, i/1000, i, array)
	}
	b.WriteString("}}")
	var g *Group
	used := alloctest.Bytes(func() { g = group(t, b.String()) })
	if g.Consolidated.Len() != nodes || used > 5*int64(b.Len()) {
		t.Errorf("%d nodes of %d bytes in %d bytes", g.Consolidated.Len(), b.Len(), used)
	}
	if n, err := g.Consolidated.Get(fmt.Sprintf("g%d/a%d", nodes/2000, nodes/2)); err != nil || n.NodeType() != "array" {
		t.Errorf("got %v, %v", n, err)
	}
}

func TestPathOrder(t *testing.T) {
	path := rapid.StringMatching(`[a-c/.~!]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := path.Draw(t, "a"), path.Draw(t, "b")
		got := ComparePaths(a, b)
		want := slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
		if (got < 0) != (want < 0) || (got > 0) != (want > 0) {
			t.Fatalf("%q and %q: %d, want %d", a, b, got, want)
		}
	})
}
