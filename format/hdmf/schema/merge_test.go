package schema

import (
	"strings"
	"testing"
)

func TestAMemberThatContradictsItsBaseIsOddButHolds(t *testing.T) {
	c := catalogOf(t, `{"datasets":[{"data_type_def":"D","dtype":"float32","shape":[null,3]},
		{"data_type_def":"E","data_type_inc":"D","dtype":"text","shape":[null,4]},
		{"data_type_def":"C","dtype":[{"name":"x","dtype":"int8"}]},
		{"data_type_def":"F","data_type_inc":"C","dtype":[{"name":"x","dtype":"text"}]}],
		"groups":[{"data_type_def":"P","attributes":[{"name":"a","dtype":"int32"}],"links":[{"name":"l","target_type":"D"}],
			"datasets":[{"name":"d","data_type_inc":"D"}],"groups":[{"name":"g","datasets":[{"name":"x","dtype":"bool"}]}]},
		{"data_type_def":"Q","data_type_inc":"P","attributes":[{"name":"a","dtype":"int8"}],"links":[{"name":"l","target_type":"P"}],
			"datasets":[{"name":"d","data_type_inc":"C"}],"groups":[{"name":"g","datasets":[{"name":"x","dtype":"text"}]}]}]}`)
	for _, words := range [][]string{
		{"type E, dtype", "text", "float32"}, {"type E, shape", "[*, 4]"}, {"type F, dtype.x", "text", "int8"},
		{"type Q, attributes.a.dtype", "int8", "int32"}, {"type Q, links.l.type", `"P"`, `"D"`},
		{"type Q, datasets.d.type", `"C"`, `"D"`}, {"type Q, groups.g.datasets.x.dtype", "text", "bool"},
	} {
		wantProblem(t, c, words...)
	}
	if n := len(c.Problems()); n != 7 {
		t.Errorf("%d problems: %v", n, c.Problems())
	}
	q := mustType(t, c, "n", "Q").Group
	if q.Attributes[0].DType.Primitive != Int8 || q.Links[0].TargetType != "P" || q.Datasets[0].TypeInc != "C" {
		t.Errorf("%+v", q)
	}
}

func TestDocumentationIsTheTypesOwn(t *testing.T) {
	c := catalogOf(t, `{"groups":[{"data_type_def":"P","doc":"p","name":"p","default_name":"x","attributes":[{"name":"a","dtype":"int8","doc":"pa"}]},
		{"data_type_def":"Q","data_type_inc":"P","doc":"q","attributes":[{"name":"a","dtype":"int8","doc":"qa"}]}]}`)
	p, q := mustType(t, c, "n", "P"), mustType(t, c, "n", "Q")
	if p.Group.DefaultName != "" || q.Group.Name != "" || q.Doc != "q" || q.Group.Attributes[0].Doc != "qa" || p.Group.Attributes[0].Doc != "pa" {
		t.Errorf("%+v %+v", p.Group, q.Group)
	}
}

func TestWhatIsInheritedIsShared(t *testing.T) {
	c := catalogOf(t, `{"groups":[{"data_type_def":"P","attributes":[{"name":"a","dtype":"int8"}],"datasets":[{"name":"d"}]},
		{"data_type_def":"Q","data_type_inc":"P"}]}`)
	p, q := mustType(t, c, "n", "P"), mustType(t, c, "n", "Q")
	if &p.Group.Attributes[0] != &q.Group.Attributes[0] || &p.Group.Datasets[0] != &q.Group.Datasets[0] {
		t.Error("lists were copied")
	}
}

func TestSpecsFindTheirTypesWhereTheyWereWritten(t *testing.T) {
	c := &Catalog{}
	add(t, c, "base", "1", `{"source":"s"}`, `{"datasets":[{"data_type_def":"D","dtype":"text","doc":"base"}],
		"groups":[{"data_type_def":"P","datasets":[{"name":"d","data_type_inc":"D","attributes":[{"name":"a","dtype":"int8"}]}],
			"links":[{"name":"l","target_type":"D"}],"groups":[{"name":"untyped"},{"name":"wrong","data_type_inc":"D"}]}]}`)
	add(t, c, "ext", "1", `{"source":"s"},{"namespace":"base"}`, `{"datasets":[{"data_type_def":"D","dtype":"int8","doc":"ext"}],
		"groups":[{"data_type_def":"Q","data_type_inc":"P"}]}`)
	q := mustType(t, c, "ext", "Q").Group
	if d, err := q.Datasets[0].Expand(); err != nil || d.DType.Primitive != Text || len(d.Attributes) != 1 || d.Name != "d" {
		t.Errorf("%+v %v", d, err)
	}
	if d, err := q.Links[0].Target(); err != nil || d.Doc != "base" {
		t.Errorf("%+v %v", d, err)
	}
	if g, err := q.Groups[0].Expand(); err != nil || g != q.Groups[0] {
		t.Errorf("%+v %v", g, err)
	}
	if _, err := q.Groups[1].Expand(); err == nil || !strings.Contains(err.Error(), "is a dataset") {
		t.Error(err)
	}
	if _, err := (&GroupSpec{TypeInc: "P"}).Type(); err == nil {
		t.Error("a spec of no namespace has a type")
	}
}
