package meta

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/grid"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/internal/strictjson"
	"pgregory.net/rapid"
)

// fills are data types with fill values that they have.
var fills = map[string][]string{
	`"bool"`:       {`true`, `false`},
	`"uint8"`:      {`0`, `255`},
	`"int64"`:      {`-9223372036854775808`, `9223372036854775807`},
	`"float32"`:    {`0`, `-1.50`, `"NaN"`, `"-Infinity"`, `"0x7fc00001"`, `1e-3`},
	`"complex128"`: {`[0, 1.5]`, `["NaN", "Infinity"]`},
	`"string"`:     {`""`, `"\u00e4\n"`},
	`"r16"`:        {`[1, 255]`},
	`{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":10}}`: {`0`, `"NaT"`},
}

// drawJSON makes a JSON text with odd spellings, at most depth levels deep.
func drawJSON(t *rapid.T, depth int, nan bool) string {
	scalars := []string{"0", "-0", "1.50", "1e3", "1E+30", "12345678901234567890", `"\u00e4"`, `"<&>\""`, `""`, "null", "true", "false"}
	if nan {
		scalars = append(scalars, "NaN", "Infinity", "-Infinity")
	}
	form := rapid.IntRange(0, 4).Draw(t, "form")
	if depth == 0 || form > 1 {
		return rapid.SampledFrom(scalars).Draw(t, "scalar")
	}
	items := make([]string, rapid.IntRange(0, 3).Draw(t, "size"))
	for i := range items {
		items[i] = drawJSON(t, depth-1, nan)
		if form == 1 {
			items[i] = string(rune('a'+i)) + `" : ` + items[i]
			items[i] = `"` + items[i]
		}
	}
	if form == 0 {
		return "[" + strings.Join(items, " ,") + "]"
	}
	return "{ " + strings.Join(items, ",") + "}"
}

var name = rapid.OneOf(rapid.StringMatching(`[a-z][a-z0-9._-]{0,8}`), rapid.StringN(1, 4, -1))

func drawAttributes(t *rapid.T) *Attributes {
	if rapid.Bool().Draw(t, "no attributes") {
		return nil
	}
	a := &Attributes{}
	for _, n := range rapid.SliceOfN(name, 0, 4).Draw(t, "names") {
		if err := a.Set(n, json.RawMessage(drawJSON(t, 3, true))); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func drawExtra(t *rapid.T) (extra []Member) {
	for _, n := range rapid.SliceOfNDistinct(name, 0, 2, rapid.ID).Draw(t, "extra") {
		raw := `{"must_understand":false, "x":` + drawJSON(t, 2, false) + `}`
		extra = append(extra, Member{Name: "x-" + n, Raw: json.RawMessage(raw)})
	}
	return extra
}

func drawGrid(t *rapid.T, shape []int) grid.Grid {
	axes, chunks := make([]grid.Axis, len(shape)), make([]int, len(shape))
	for i, n := range shape {
		chunks[i] = rapid.IntRange(1, 10).Draw(t, "chunk")
		switch rapid.IntRange(0, 2).Draw(t, "axis") {
		case 0:
			axes[i].Step = chunks[i]
		case 1:
			axes[i].Runs = []grid.Run{{Length: chunks[i], Count: 1 << 40}}
		case 2:
			axes[i].Runs = []grid.Run{{Length: chunks[i]}, {Length: n + 1}}
		}
	}
	var g grid.Grid
	var err error
	if rapid.Bool().Draw(t, "regular") {
		g, err = grid.NewRegular(shape, chunks)
	} else {
		g, err = grid.NewRectilinear(shape, axes)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func drawArray(t *rapid.T) *Array {
	shape := rapid.SliceOfN(rapid.IntRange(0, 1<<40), 0, 4).Draw(t, "shape")
	types := make([]string, 0, len(fills))
	for spelled := range fills {
		types = append(types, spelled)
	}
	slices.Sort(types)
	spelled := rapid.SampledFrom(types).Draw(t, "data type")
	a := &Array{
		Shape:      shape,
		DataType:   dtype.MustParse(spelled),
		Grid:       drawGrid(t, shape),
		FillValue:  json.RawMessage(rapid.SampledFrom(fills[spelled]).Draw(t, "fill")),
		Attributes: drawAttributes(t),
		Extra:      drawExtra(t),
	}
	sep := rapid.SampledFrom([]byte{'/', '.'}).Draw(t, "separator")
	a.Keys = rapid.SampledFrom([]grid.Keys{grid.DefaultKeys{Sep: sep}, grid.V2Keys{Sep: sep}}).Draw(t, "keys")
	for range rapid.IntRange(1, 3).Draw(t, "codecs") {
		c := Extension{Name: name.Draw(t, "codec"), Optional: rapid.Bool().Draw(t, "optional")}
		if rapid.Bool().Draw(t, "configured") {
			c.Configuration = json.RawMessage(`{"x": ` + drawJSON(t, 2, false) + `}`)
		}
		a.Codecs = append(a.Codecs, c)
	}
	if rapid.Bool().Draw(t, "named") {
		a.DimensionNames = []*string{}
		for range shape {
			a.DimensionNames = append(a.DimensionNames, rapid.Ptr(rapid.String(), true).Draw(t, "dimension"))
		}
	}
	return a
}

// squeeze brings all raw JSON of an array into one form, since only white space
// may differ.
func squeeze(a *Array) *Array {
	one := func(raw json.RawMessage) json.RawMessage {
		if raw == nil {
			return nil
		}
		return strictjson.Indent(nil, raw)
	}
	s := a.Clone()
	s.FillValue = one(s.FillValue)
	for i := range s.Codecs {
		s.Codecs[i].Configuration = one(s.Codecs[i].Configuration)
	}
	for i := range s.Extra {
		s.Extra[i].Raw = one(s.Extra[i].Raw)
	}
	if s.Attributes != nil {
		for i := range s.Attributes.members {
			s.Attributes.members[i].Raw = one(s.Attributes.members[i].Raw)
		}
		if len(s.Attributes.members) == 0 {
			s.Attributes.members = nil
		}
	}
	return s
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawArray(t)
		doc, err := a.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		node, err := Parse(doc, Registry{})
		if err != nil {
			t.Fatalf("%v in %s", err, doc)
		}
		got, want := squeeze(node.(*Array)), squeeze(a)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
		if again, err := node.Marshal(); err != nil || !bytes.Equal(doc, again) {
			t.Fatalf("%v: %s\nfirst %s", err, again, doc)
		}
	})
}

func TestGroupsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &Group{Attributes: drawAttributes(t), Extra: drawExtra(t)}
		nodes := map[string]Node{}
		for _, path := range rapid.SliceOfN(rapid.StringMatching(`[a-c](/[a-c-]{1,2}){0,2}`), 0, 4).Draw(t, "paths") {
			nodes[path] = drawArray(t)
		}
		var err error
		if g.Consolidated, err = NewConsolidated(nodes); err != nil {
			t.Fatal(err)
		}
		doc, err := g.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		node, err := Parse(doc, Registry{})
		if err != nil {
			t.Fatalf("%v in %s", err, doc)
		}
		if again, err := node.Marshal(); err != nil || !bytes.Equal(doc, again) {
			t.Fatalf("%v: %s\nfirst %s", err, again, doc)
		}
		c := node.(*Group).Consolidated
		if c.Len() != len(nodes) || len(c.Ignored) > 0 {
			t.Fatalf("%d nodes, ignored %q", c.Len(), c.Ignored)
		}
		for path, want := range nodes {
			got, err := c.Get(path)
			if err != nil || !reflect.DeepEqual(squeeze(got.(*Array)), squeeze(want.(*Array))) {
				t.Fatalf("%s: %v", path, err)
			}
		}
	})
}

// FuzzParse reads any document; what can be read can be written, and reads the
// same again.
func FuzzParse(f *testing.F) {
	for i, row := range readTable(f, "corpus.tsv", 2) {
		if i%8 == 0 {
			f.Add([]byte(row[1]))
		}
	}
	for _, row := range readTable(f, "bad.tsv", 3) {
		f.Add([]byte(row[2]))
	}
	fuzzlong.Fuzz(f, func(t *testing.T, doc []byte) {
		node, err := Parse(doc, Registry{})
		if err != nil {
			if text := err.Error(); strings.ContainsAny(text, "\n\r") || len(text) > 2000 {
				t.Errorf("message %q", text)
			}
			return
		}
		first, err := node.Marshal()
		if err != nil {
			t.Fatalf("%v: cannot write %q", err, doc)
		}
		again, err := Parse(first, Registry{})
		if err != nil {
			t.Fatalf("%v: cannot read %s", err, first)
		}
		second, err := again.Marshal()
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%v: %s\nfirst %s", err, second, first)
		}
		if g, ok := node.(*Group); ok && g.Consolidated != nil {
			for path := range g.Consolidated.Paths("") {
				if _, err := g.Consolidated.Get(path); err != nil && strings.ContainsAny(err.Error(), "\n\r") {
					t.Errorf("message %q", err)
				}
			}
		}
	})
}
