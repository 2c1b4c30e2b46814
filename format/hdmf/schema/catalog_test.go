package schema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// namespaceText describes a namespace; entries are its schema, in JSON.
func namespaceText(name, version, entries string) string {
	return fmt.Sprintf(`{"namespaces":[{"name":%q,"version":%q,"doc":"","schema":[%s]}]}`, name, version, entries)
}

// catalogOf gives a catalog with one namespace "n" of one source.
func catalogOf(tb testing.TB, source string) *Catalog {
	tb.Helper()
	c := &Catalog{}
	add(tb, c, "n", "1.0", `{"source":"s"}`, source)
	return c
}

func add(tb testing.TB, c *Catalog, name, version, entries, source string) {
	tb.Helper()
	err := c.Add(name, version, map[string]string{"namespace": namespaceText(name, version, entries), "s": source})
	if err != nil {
		tb.Fatal(err)
	}
}

func mustType(tb testing.TB, c *Catalog, namespace, name string) *Type {
	tb.Helper()
	t, err := c.Type(namespace, name)
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// wantProblem looks for one problem that has all the words.
func wantProblem(tb testing.TB, c *Catalog, words ...string) {
	tb.Helper()
	for _, err := range c.Problems() {
		if containsAll(err.Error(), words) {
			return
		}
	}
	tb.Errorf("no problem has all of %q: %v", words, c.Problems())
}

func containsAll(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

func TestVersionsAreOrderedByNumbers(t *testing.T) {
	c := &Catalog{}
	for _, v := range []string{"2.9.0", "2.11.0-alpha", "2.10.0", "2.0b"} {
		add(t, c, "n", v, "", "")
	}
	var got []string
	for _, n := range c.Namespaces() {
		got = append(got, n.Version)
	}
	if want := []string{"2.0b", "2.9.0", "2.10.0", "2.11.0-alpha"}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	if v := c.Latest("n").Version; v != "2.11.0-alpha" {
		t.Errorf("the latest is %s", v)
	}
	add(t, c, "n", "2.11.0", "", "")
	if v := c.Latest("n").Version; v != "2.11.0" {
		t.Errorf("the latest is %s", v)
	}
	if c.Latest("m") != nil || c.Namespace("n", "2.9") != nil || c.Namespace("n", "2.9.0") == nil {
		t.Error("a namespace is there that is not, or the other way round")
	}
	if CompareVersions("1.0", "1.0") != 0 || CompareVersions("1.0", "1.0.0") == 0 || CompareVersions("01.2", "1.10") >= 0 {
		t.Error("versions compare badly")
	}
}

func TestAddRefusesWhatIsNoNamespace(t *testing.T) {
	c := &Catalog{}
	for _, tt := range []struct {
		sources map[string]string
		want    []string
	}{
		{nil, []string{"namespace n 1.0", "source namespace", "missing"}},
		{map[string]string{"namespace": "{"}, []string{"source namespace", "not JSON"}},
		{map[string]string{"namespace": "[]"}, []string{"must be an object"}},
		{map[string]string{"namespace": `{"namespaces": 3}`}, []string{"namespaces", "must be an array"}},
		{map[string]string{"namespace": `{"namespaces": [3]}`}, []string{"namespaces[0]", "must be an object"}},
		{map[string]string{"namespace": namespaceText("m", "1.0", "")}, []string{"none of the name", `"n"`}},
		{map[string]string{"namespace": strings.Repeat("[", 1000)}, []string{"nested deeper than 64"}},
	} {
		err := c.Add("n", "1.0", tt.sources)
		if err == nil || !containsAll(err.Error(), tt.want) {
			t.Errorf("%v: %v, without one of %q", tt.sources, err, tt.want)
		}
	}
	add(t, c, "n", "1.0", "", "")
	if err := c.Add("n", "1.0", map[string]string{"namespace": namespaceText("n", "1.0", "")}); err == nil {
		t.Error("the same version twice")
	}
}

func TestIncludedNamespacesComeInAnyOrder(t *testing.T) {
	c := &Catalog{}
	add(t, c, "ext", "1.0", `{"namespace":"base"},{"source":"s"}`, `{"groups":[{"data_type_def":"B","data_type_inc":"A"}]}`)
	if _, err := c.Type("ext", "B"); !errors.Is(err, ErrUnknown) {
		t.Errorf("without its base: %v", err)
	}
	wantProblem(t, c, "namespace ext 1.0", "source namespace", "schema[0]", `"base"`)
	wantProblem(t, c, "type B", `"A"`)
	add(t, c, "base", "1.9", `{"source":"s"}`, `{"groups":[{"data_type_def":"A","attributes":[{"name":"old","dtype":"text"}]}]}`)
	add(t, c, "base", "1.10", `{"source":"s"}`, `{"groups":[{"data_type_def":"A","attributes":[{"name":"new","dtype":"text"}]}]}`)
	b := mustType(t, c, "ext", "B")
	if b.Base.Version != "1.10" || b.Group.Attributes[0].Name != "new" {
		t.Errorf("base %v, attribute %s", b.Base, b.Group.Attributes[0].Name)
	}
	if !b.Is("", "A") || !b.Is("base", "A") || b.Is("ext", "A") || b.Is("", "C") || (*Type)(nil).Is("", "A") {
		t.Error("Is is wrong")
	}
	if a := mustType(t, c, "ext", "A"); a.Namespace != "base" {
		t.Errorf("A comes from %s", a.Namespace)
	}
	if p := c.Problems(); len(p) > 0 {
		t.Error(p)
	}
	add(t, c, "pinned", "1.0", `{"namespace":"base","version":"1.9"},{"source":"s"}`, `{"groups":[{"data_type_def":"B","data_type_inc":"A"}]}`)
	if b := mustType(t, c, "pinned", "B"); b.Base.Version != "1.9" {
		t.Errorf("base of version %s", b.Base.Version)
	}
}

func TestOnlyListedTypesAreIncluded(t *testing.T) {
	c := &Catalog{}
	add(t, c, "one", "1.0", `{"source":"s"}`, `{"groups":[{"data_type_def":"A"},{"data_type_def":"X","doc":"one"}]}`)
	add(t, c, "two", "1.0", `{"source":"s"}`, `{"groups":[{"data_type_def":"X","doc":"two"}]}`)
	add(t, c, "ext", "1.0", `{"namespace":"one","data_types":["A","Gone"]},{"namespace":"two"},{"source":"s","data_types":["B"]}`,
		`{"groups":[{"data_type_def":"B","data_type_inc":"X"},{"data_type_def":"C"}]}`)
	if b := mustType(t, c, "ext", "B"); b.Base.Doc != "two" {
		t.Errorf("X comes from %s", b.Base.Namespace)
	}
	if _, err := c.Type("ext", "C"); !errors.Is(err, ErrUnknown) {
		t.Errorf("C is not listed: %v", err)
	}
	wantProblem(t, c, "namespace ext", "schema[0]", `"Gone"`)
	if got := c.Latest("ext").Includes(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("includes %v", got)
	}
}

func TestNamespacesMayIncludeEachOther(t *testing.T) {
	c := &Catalog{}
	add(t, c, "a", "1", `{"namespace":"b"},{"namespace":"a"},{"source":"s"}`, `{"groups":[{"data_type_def":"A","data_type_inc":"B"},{"data_type_def":"Root"}]}`)
	add(t, c, "b", "1", `{"namespace":"a"},{"source":"s"}`, `{"groups":[{"data_type_def":"B","data_type_inc":"Root"}]}`)
	if typ := mustType(t, c, "a", "A"); typ.Base.Name != "B" || typ.Base.Base.Name != "Root" {
		t.Errorf("%+v", typ)
	}
	if _, err := c.Type("b", "None"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

func TestTheFirstOfTwoTypesHolds(t *testing.T) {
	c := &Catalog{}
	add(t, c, "base", "1", `{"source":"s"}`, `{"groups":[{"data_type_def":"A","doc":"base"}]}`)
	add(t, c, "late", "1", `{"namespace":"base"},{"source":"s"}`, `{"groups":[{"data_type_def":"A","doc":"late"}]}`)
	add(t, c, "early", "1", `{"source":"s"},{"namespace":"base"}`, `{"groups":[{"data_type_def":"A","doc":"early"},{"data_type_def":"A"}]}`)
	if d := mustType(t, c, "late", "A").Doc; d != "base" {
		t.Errorf("late has the type of %s", d)
	}
	if d := mustType(t, c, "early", "A").Doc; d != "early" {
		t.Errorf("early has the type of %s", d)
	}
	wantProblem(t, c, "namespace late", "type A", "included namespace", `"base"`)
	wantProblem(t, c, "namespace early", "type A", "is defined before")
}
