package schema

import (
	"errors"
	"strings"
	"testing"
)

// bad are types with something wrong, and words of the error that must say so.
var bad = []struct {
	spec  string // members behind the definition
	words []string
}{
	{`"attributes":[{"name":"a","dtype":"flot"}]`, []string{"attributes.a.dtype", `"flot"`}},
	{`"attributes":[{"name":"a","dtype":7}]`, []string{"attributes.a.dtype", "a number"}},
	{`"attributes":[{"dtype":"int"}]`, []string{"attributes[0].name", "missing"}},
	{`"attributes":[{"name":"a","dtype":"int","required":"no"}]`, []string{"attributes.a.required"}},
	{`"attributes":[{"name":"a","dtype":"int","shape":[[null],3]}]`, []string{"attributes.a.shape[1]"}},
	{`"attributes":[{"name":"a","dtype":"int","shape":[-1]}]`, []string{"attributes.a.shape[0]", "-1"}},
	{`"attributes":[{"name":"a","dtype":"int","shape":[]}]`, []string{"attributes.a.shape", "without axes"}},
	{`"attributes":[{"name":"a","dtype":"int","dims":[3]}]`, []string{"attributes.a.dims[0]"}},
	{`"attributes":[{"name":"a","dtype":"int","value":1,"default_value":2}]`, []string{"attributes.a.default_value"}},
	{`"attributes":[{"name":"a","dtype":[{"name":"x","dtype":"int"}]}]`, []string{"attributes.a.dtype", "compound"}},
	{`"attributes":{}`, []string{"attributes", "must be an array, not an object"}},
	{`"attributes":[3]`, []string{"attributes[0]", "must be an object"}},
	{`"datasets":[{"name":"d","dtype":{"reftype":"object"}}]`, []string{"datasets.d.dtype", "target_type"}},
	{`"datasets":[{"name":"d","dtype":{"target_type":"T","reftype":"int"}}]`, []string{"datasets.d.dtype.reftype", `"int"`}},
	{`"datasets":[{"name":"d","dtype":[]}]`, []string{"datasets.d.dtype", "without fields"}},
	{`"datasets":[{"name":"d","dtype":[{"name":"x"}]}]`, []string{"datasets.d.dtype[0].dtype", "missing"}},
	{`"datasets":[{"name":"d","dtype":[{"dtype":"int"}]}]`, []string{"datasets.d.dtype[0]", "name"}},
	{`"datasets":[{"name":"d","dtype":[{"name":"x","dtype":"int"},{"name":"x","dtype":"int"}]}]`, []string{"datasets.d.dtype[1]", "two fields"}},
	{`"datasets":[{"name":"d","quantity":"*"}]`, []string{"datasets.d.quantity", "name"}},
	{`"datasets":[{"name":"d","quantity":"many"}]`, []string{"datasets.d.quantity", `"many"`}},
	{`"datasets":[{"name":"d","quantity":0}]`, []string{"datasets.d.quantity", "less than 1"}},
	{`"datasets":[{"name":"d/e"}]`, []string{"datasets.d/e.name", "slash"}},
	{`"datasets":[{"doc":"no name"}]`, []string{"datasets[0]", "neither a name nor a type"}},
	{`"datasets":[{"name":"d","doc":{}}]`, []string{"datasets.d.doc"}},
	{`"datasets":[{"data_type_inc":"T"},{"data_type_inc":"T"}]`, []string{"datasets", `two of type "T"`}},
	{`"groups":[{"name":"g","groups":[{"name":"h","links":[{"name":"l"}]}]}]`, []string{"groups.g.groups.h.links.l.target_type"}},
	{`"groups":[{"name":"g","linkable":1}]`, []string{"groups.g.linkable"}},
	{`"groups":[{"name":4}]`, []string{"groups[0].name", "must be a string"}},
	{`"links":[{"target_type":"T"},{"target_type":"T"}]`, []string{"links", `two of type "T"`}},
	{`"name":"a/b"`, []string{"name", "slash"}},
	{`"quantity":{}`, []string{"quantity"}},
}

func TestABrokenTypeIsNamedAndHidesNoOther(t *testing.T) {
	for _, tt := range bad {
		c := catalogOf(t, `{"groups":[{"data_type_def":"Before"},{"data_type_def":"Bad",`+tt.spec+`},{"data_type_def":"Child","data_type_inc":"Bad"},`+
			`{"data_type_def":"After","groups":[{"data_type_inc":"Bad","quantity":"*"}]}]}`)
		_, err := c.Type("n", "Bad")
		var at *Error
		if !errors.As(err, &at) || at.Namespace != "n" || at.Source != "s" || at.Type != "Bad" || !containsAll(err.Error(), tt.words) {
			t.Errorf("%s: %v, without one of %q", tt.spec, err, tt.words)
		}
		if _, err := c.Type("n", "Child"); err == nil || !containsAll(err.Error(), append([]string{"type Child", "broken type", "type Bad"}, tt.words...)) {
			t.Errorf("%s: the type that inherits: %v", tt.spec, err)
		}
		mustType(t, c, "n", "Before")
		after := mustType(t, c, "n", "After")
		if _, err := after.Group.Groups[0].Expand(); err == nil {
			t.Errorf("%s: a broken type was expanded", tt.spec)
		}
		if n := len(c.Problems()); n != 2 {
			t.Errorf("%s: %d problems: %v", tt.spec, n, c.Problems())
		}
	}
}

func TestSourcesThatCannotBeRead(t *testing.T) {
	c := &Catalog{}
	err := c.Add("n", "1", map[string]string{
		"namespace": namespaceText("n", "2", `{"source":"gone"},{"source":"broken"},{"source":"list"},{"source":"types.yaml"},{},{"source":"types.yaml"},7,{"source":[]}`),
		"broken":    `{"groups":[`,
		"list":      `{"groups":7,"datasets":[8,{},{"data_type_def":5},{"name":"untyped"}]}`,
		"types":     `{"groups":[{"data_type_def":"A"}]}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	mustType(t, c, "n", "A")
	for _, words := range [][]string{
		{"source gone", "missing"}, {"source broken", "not JSON"}, {"source list, groups", "must be an array"},
		{"source list, datasets[0]", "must be an object"}, {"datasets[1]", "no type"}, {"datasets[2]", "must be a string"},
		{"datasets[3]", "defines no type"}, {`version is "2"`}, {"schema[4]", "neither"}, {"source types.yaml: is named twice"},
		{"schema[6]", "must be an object"}, {"schema[7]", "source", "must be a string"},
	} {
		wantProblem(t, c, words...)
	}
}

func TestNestedDefinitionsAreTypes(t *testing.T) {
	c := catalogOf(t, `{"groups":[{"data_type_def":"Outer","groups":[{"name":"in","groups":[{"data_type_def":"Deep","data_type_inc":"Base","quantity":"*"}],
		"datasets":[{"data_type_def":"Data","dtype":"int"}]}],"datasets":[{"name":"bad","dtype":"bad"}]},
		{"data_type_def":"Base","attributes":[{"name":"a","dtype":"text"}]}]}`)
	if _, err := c.Type("n", "Outer"); err == nil {
		t.Error("Outer has a broken member")
	}
	if d := mustType(t, c, "n", "Deep"); d.Base.Name != "Base" || len(d.Group.Attributes) != 1 || d.Group.Quantity != ZeroOrMany {
		t.Errorf("%+v", d)
	}
	if d := mustType(t, c, "n", "Data"); d.Dataset.DType.Primitive != Int32 {
		t.Errorf("%+v", d)
	}
}

func TestTypesOfNWBInheritByDefault(t *testing.T) {
	c := catalogOf(t, `{"groups":[{"neurodata_type_def":"NWBContainer"},{"neurodata_type_def":"A"},{"data_type_def":"B"}],
		"datasets":[{"neurodata_type_def":"NWBData"},{"neurodata_type_def":"D"}]}`)
	if a := mustType(t, c, "n", "A"); a.Base == nil || a.Base.Name != "NWBContainer" {
		t.Errorf("%+v", a)
	}
	if d := mustType(t, c, "n", "D"); d.Base == nil || d.Base.Name != "NWBData" {
		t.Errorf("%+v", d)
	}
	if b := mustType(t, c, "n", "B"); b.Base != nil {
		t.Errorf("%+v", b)
	}
}

func TestShapesAndDims(t *testing.T) {
	c := catalogOf(t, `{"datasets":[
		{"data_type_def":"DimsOnly","dims":[["x"],["x","y"]]},
		{"data_type_def":"MadeUp","shape":[[null],[null,3]],"dims":["dim_0","dim_1"]},
		{"data_type_def":"Odd","shape":[null,3],"dims":["x"]},
		{"data_type_def":"Empty","dims":[]}]}`)
	if d := mustType(t, c, "n", "DimsOnly").Dataset; len(d.Shapes) != 2 || d.Shapes[1].String() != "[*, *]" || d.Dims[1][1] != "y" {
		t.Errorf("%+v", d)
	}
	if d := mustType(t, c, "n", "MadeUp").Dataset; d.Dims != nil || d.Shapes[1].String() != "[*, 3]" {
		t.Errorf("%+v", d)
	}
	if d := mustType(t, c, "n", "Empty").Dataset; d.Dims != nil || d.Shapes != nil {
		t.Errorf("%+v", d)
	}
	mustType(t, c, "n", "Odd")
	if p := c.Problems(); len(p) != 1 || !strings.Contains(p[0].Error(), "type Odd, dims") {
		t.Error(p)
	}
	shapes := mustType(t, c, "n", "MadeUp").Dataset.Shapes
	for _, tt := range []struct {
		shape []int
		fits  bool
	}{{[]int{7}, true}, {[]int{7, 3}, true}, {[]int{7, 2}, false}, {nil, false}, {[]int{1, 3, 1}, false}} {
		if ShapesFit(shapes, tt.shape) != tt.fits {
			t.Errorf("%v fits %v: %v", tt.shape, shapes, !tt.fits)
		}
	}
	if !ShapesFit(nil, nil) || !ShapesFit(nil, []int{4}) {
		t.Error("without shapes everything fits")
	}
}
