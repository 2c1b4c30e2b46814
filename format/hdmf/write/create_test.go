package write_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

func typed(name string) write.Object {
	return write.Object{Type: hdmf.Type{Namespace: "test", Name: name}}
}

func to1(at string) hdmf.Reference { return hdmf.Reference{Source: ".", Path: at} }

var part = &hdmf.Region{Axes: []hdmf.RegionAxis{{Start: 1, Stop: 3, Step: 1}}}

// tree has one of everything.
func tree(t testing.TB) *write.Group {
	t.Helper()
	lazy, err := zarr.CreateArrayIn(ctx, mem.New(), "", zarr.ArraySpec{Shape: []int{1000, 3}, DataType: "float32", Chunks: []int{300, 2}})
	check(t, err)
	numbers := make([]float32, 3000)
	for i := range numbers {
		numbers[i] = float32(i)
	}
	check(t, zarr.Write(ctx, lazy, zarr.All(), numbers))
	region := hdmf.Reference{Path: "/things/numbers", Region: part}
	data := func(d write.Data) *write.Dataset { return &write.Dataset{Data: d} }
	things := &write.Group{
		Object: typed("Things"),
		Datasets: map[string]*write.Dataset{
			"numbers":  {Object: typed("Data"), Data: write.Numbers([]int16{1, -2, 3, 4}), Dims: []string{"n"}},
			"grid":     {Data: write.Numbers([]float64{1, 2, math.NaN(), math.Inf(-1), 5, 6}, 2, 3), Chunks: []int{1, 2}},
			"bools":    data(write.Numbers([]bool{true, false})),
			"none":     data(write.Numbers([]uint8{}, 0, 3)),
			"text":     data(write.Text([]string{"", "zwölf", "日本"})),
			"no text":  data(write.Text(nil)),
			"bytes":    data(write.Bytes([][]byte{[]byte("2018-09-28T14:43:54.123+02:00")})),
			"raw":      data(write.Bytes([][]byte{{0xff, 0}, nil})),
			"refs":     data(write.References([]hdmf.Reference{to1("/things"), {Path: "/things/numbers"}})),
			"regions":  data(write.References([]hdmf.Reference{region, {Path: "/things/grid", Region: &hdmf.Region{Points: [][]int{{0, 1}, {1, 2}}}}})),
			"lazy":     data(write.Array(lazy)),
			"scalar":   data(write.Scalar(2.5)),
			"word":     data(write.Scalar("wört")),
			"one ref":  data(write.Scalar(to1("/things/numbers"))),
			"one true": data(write.Scalar(true)),
			"pairs":    data(write.Compounds(write.Field{Name: "x", Data: write.Numbers([]uint32{1, 2})}, write.Field{Name: "w", Data: write.Numbers([]float32{0.5, 1.5})})),
			"named":    data(write.Compounds(write.Field{Name: "n", Data: write.Numbers([]int32{7, 8})}, write.Field{Name: "s", Data: write.Text([]string{"one", strings.Repeat("lang ", 200)})})),
			"table": data(write.Compounds(
				write.Field{Name: "start", Data: write.Numbers([]int32{1, 2, 3})},
				write.Field{Name: "label", Data: write.Text([]string{"a", "", "ö"})},
				write.Field{Name: "target", Data: write.References([]hdmf.Reference{to1("/things"), to1("/things"), to1("/things/lazy")})})),
		},
		Links: map[string]hdmf.Reference{"again": to1("/things/numbers"), "other": {Source: "../other.zarr", Path: "/a", ObjectID: "x", SourceObjectID: "y"}},
	}
	return &write.Group{
		Object: write.Object{Type: hdmf.Type{Namespace: "test", Name: "Root"}, ID: "00000000-0000-4000-8000-000000000001", Attributes: map[string]any{
			"version": "1.0", "nan": math.NaN(), "list": []int{1, 2}, "ref": to1("/things"), "refs": []hdmf.Reference{to1("/things"), to1("/things/numbers")},
			"region": region, "looks": `{"_REFERENCE":{}}`,
		}},
		Groups: map[string]*write.Group{"things": things, "empty": {}},
		Links:  map[string]hdmf.Reference{"at root": to1("/things")},
	}
}

func TestCreateWritesEverythingInEveryLayout(t *testing.T) {
	var first map[string]any
	for _, o := range layouts {
		o.Schemas = []hdmf.SchemaText{{Namespace: "test", Version: "1.0", Source: "namespace", Text: `{"namespaces":[]}`}}
		o.Unchecked = true // of the types that the tree has, the schema has none
		s := mem.New()
		root := tree(t)
		check(t, write.Create(ctx, "test://", root, to(s, o)))
		f := in(t, s)
		got := dump(t, f)
		if first == nil {
			first = got
			checkTree(t, f, root)
			continue
		}
		// Ids are random: those of the first take their place.
		for at := range first {
			a, ok := got[at].(map[string]any)
			if b, both := first[at].(map[string]any); ok && both && a["id"] != "" {
				a["id"], a["attributes"].(map[string]any)["object_id"] = b["id"], b["attributes"].(map[string]any)["object_id"]
			}
		}
		same(t, got, first)
	}
}

// checkTree looks at single things, which a dump could have wrong everywhere.
func checkTree(t *testing.T, f *hdmf.File, root *write.Group) {
	t.Helper()
	o, err := f.Object(ctx, "/things/again")
	check(t, err)
	if o.Path() != "/things/numbers" || o.Type() != (hdmf.Type{Namespace: "test", Name: "Data"}) {
		t.Errorf("%s %s %v", o.Path(), o.ID(), o.Type())
	}
	if id := root.Groups["things"].Datasets["numbers"].ID; id != "" {
		t.Errorf("the caller's tree has the id %s", id)
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(o.ID()) {
		t.Errorf("id %s", o.ID())
	}
	a, _ := f.Root().Attribute("region")
	v, err := f.Select(ctx, a.References[0])
	check(t, err)
	if n, err := v.Ints(); err != nil || len(n) != 2 || n[0] != -2 || n[1] != 3 {
		t.Errorf("%v, %v", n, err)
	}
	o, err = f.Object(ctx, "/things/table")
	check(t, err)
	v, err = o.(*hdmf.Dataset).Read(ctx, zarr.All())
	check(t, err)
	v, err = v.Field("target")
	check(t, err)
	r, err := v.Reference(2)
	check(t, err)
	if f.Layout() == hdmf.V2 && (r.Path != "/things/lazy" || r.ObjectID != "" || r.SourceObjectID != f.ID()) {
		t.Errorf("%+v", r)
	}
	o, err = f.Object(ctx, "/things/grid")
	check(t, err)
	if c := o.(*hdmf.Dataset).Array().ChunkShape(); c[0] != 1 || c[1] != 2 {
		t.Errorf("chunks %v", c)
	}
}

func TestWhatCannotBeCreated(t *testing.T) {
	group := func(d write.Data, o ...func(*write.Group)) *write.Group {
		g := &write.Group{Datasets: map[string]*write.Dataset{"d": {Data: d}}}
		for _, f := range o {
			f(g)
		}
		return g
	}
	deep := &write.Group{}
	deep.Groups = map[string]*write.Group{"x": deep}
	for want, g := range map[string]*write.Group{
		"3 values for shape [2 2]":         group(write.Numbers([]int8{1, 2, 3}, 2, 2)),
		"without data":                     group(write.Data{}),
		"no dataset holds a chan int":      group(write.Scalar(make(chan int))),
		"does not have one value for each": group(write.Compounds(write.Field{Name: "a", Data: write.Text([]string{"x"})}, write.Field{Name: "b", Data: write.Text(nil)})),
		"without fields":                   group(write.Compounds()),
		"is reserved":                      {Object: write.Object{Attributes: map[string]any{"_DTYPE": 1}}},
		"cannot be the name":               {Groups: map[string]*write.Group{"a/b": {}}},
		"two members are called":           group(write.Scalar(1), func(g *write.Group) { g.Links = map[string]hdmf.Reference{"d": to1("/")} }),
		"more than 64 groups":              deep,
		"2 names for the axes":             group(write.Scalar(1), func(g *write.Group) { g.Datasets["d"].Dims = []string{"a", "b"} }),
		"not UTF-8":                        group(write.Text([]string{"\xff"})),
		"there is room for 1048576":        group(write.Compounds(write.Field{Name: "s", Data: write.Text([]string{strings.Repeat("x", 1<<20+1)})})),
	} {
		s := mem.New()
		err := write.Create(ctx, "test://", g, to(s, write.Options{}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, _, err := s.Get(ctx, "zarr.json", store.All(), nil); err == nil {
			t.Errorf("%s: there is a file", want)
		}
	}
}
