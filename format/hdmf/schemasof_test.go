package hdmf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/schema"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/internal/thorough"
)

// The schemas that a file caches are the same types as JSON in a folder, whose
// sources have endings and share a document of namespaces.
func TestSchemasOfFolder(t *testing.T) {
	file := filepath.Join(nwbtest.Unpack(t, "session_v3.nwb.zarr"), "session_v3.nwb.zarr")
	cached, err := hdmf.SchemasOf(ctx, file)
	check(t, err)
	dir := t.TempDir()
	var spaces []string
	for _, s := range cached {
		if s.Source == "namespace" {
			one := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s.Text), `{"namespaces":[`), "]}")
			spaces = append(spaces, one)
			continue
		}
		check(t, os.WriteFile(filepath.Join(dir, s.Source+".json"), []byte(s.Text), 0o666))
	}
	check(t, os.WriteFile(filepath.Join(dir, "lab.namespace.json"), []byte(`{"namespaces":[`+strings.Join(spaces, ",")+`]}`), 0o666))
	read, err := hdmf.SchemasOf(ctx, dir)
	check(t, err)
	if len(read) != len(cached) {
		t.Errorf("%d texts, want %d", len(read), len(cached))
	}
	want, got := catalogOf(t, cached), catalogOf(t, read)
	for _, n := range want.Namespaces() {
		other := got.Namespace(n.Name, n.Version)
		if other == nil {
			t.Errorf("namespace %s %s is missing", n.Name, n.Version)
		}
	}
	if typ, err := got.Type("core", "ElectricalSeries"); err != nil || !typ.Is("core", "TimeSeries") {
		t.Errorf("ElectricalSeries: %v", err)
	}
}

func catalogOf(t *testing.T, texts []hdmf.SchemaText) *schema.Catalog {
	t.Helper()
	c := hdmf.Catalog(texts, func(s hdmf.SchemaText, err error) { t.Errorf("%s %s: %v", s.Namespace, s.Source, err) })
	for _, err := range c.Problems() {
		t.Error(err)
	}
	return c
}

// Documents in YAML become the JSON that files cache: members in their order,
// numbers and text as they are, what JSON has no type for as text.
func TestSchemasOfYAML(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("ndx-lab.namespace.yaml", "namespaces:\n- name: ndx-lab\n  version: 0.1.0\n  doc: >-\n    rigs of\n    the lab\n  date: 2026-11-16\n  schema:\n  - namespace: core\n  - source: ndx-lab.extensions.yaml\n")
	write("ndx-lab.extensions.yaml", "groups:\n- neurodata_type_def: Rig\n  doc: 'a rig: ours'\n  attributes:\n  - &size {name: size, dtype: float, value: 1.0, doc: d, required: false}\n"+
		"  - name: none\n    default_value: .nan\n    shape: [null, 3]\n    doc: |\n      two\n      lines\n  groups:\n  - quantity: '?'\n    name: same\n    doc: d\n    attributes: [*size]\n")
	write("notes.yaml", "this: is no schema")
	texts, err := hdmf.SchemasOf(ctx, dir)
	check(t, err)
	want := []hdmf.SchemaText{
		{Namespace: "ndx-lab", Version: "0.1.0", Source: "namespace", Text: `{"namespaces":[{"name":"ndx-lab","version":"0.1.0","doc":"rigs of the lab","date":"2026-11-16","schema":[{"namespace":"core"},{"source":"ndx-lab.extensions"}]}]}`},
		{Namespace: "ndx-lab", Version: "0.1.0", Source: "ndx-lab.extensions", Text: `{"groups":[{"neurodata_type_def":"Rig","doc":"a rig: ours","attributes":[{"name":"size","dtype":"float","value":1.0,"doc":"d","required":false},` +
			`{"name":"none","default_value":NaN,"shape":[null,3],"doc":"two\nlines\n"}],"groups":[{"quantity":"?","name":"same","doc":"d","attributes":[{"name":"size","dtype":"float","value":1.0,"doc":"d","required":false}]}]}]}`},
	}
	if len(texts) != len(want) {
		t.Fatalf("%d texts, want %d", len(texts), len(want))
	}
	for i, s := range texts {
		if s != want[i] {
			t.Errorf("text %d is\n%+v, want\n%+v", i, s, want[i])
		}
	}
}

// Documents that grow without end, lie elsewhere or are none are refused.
func TestSchemasOfRefused(t *testing.T) {
	x := strings.Repeat("x", thorough.Of(1000, 1))
	bomb := "a0: &a0 [" + strings.Repeat(x+",", 9) + x + "]\n"
	for i := range 12 {
		name := string(rune('b' + i))
		before := string(rune('a' + i))
		bomb += name + "0: &" + name + "0 [" + strings.TrimSuffix(strings.Repeat("*"+before+"0,", 10), ",") + "]\n"
	}
	const space = "namespaces:\n- {name: x, version: '1', schema: [{source: %}]}\n"
	for _, c := range []struct{ source, text, want string }{
		{"t.yaml", bomb, "t.yaml"},
		{"t.yaml", strings.Repeat("[", 1000) + strings.Repeat("]", 1000), "more than 64 times"},
		{"t.yaml", "? [a]\n: b\n", "a key must be a plain name"},
		{"t.yaml", "", "is empty"},
		{"../t.yaml", "a: b", "is no name of a file beside it"},
		{"/etc/passwd", "a: b", "is no name of a file beside it"},
		{"other.yaml", "a: b", "there is no such file"},
	} {
		dir := t.TempDir()
		check(t, os.WriteFile(filepath.Join(dir, "x.namespace.yaml"), []byte(strings.ReplaceAll(space, "%", c.source)), 0o666))
		check(t, os.WriteFile(filepath.Join(dir, "t.yaml"), []byte(c.text), 0o666))
		if _, err := hdmf.SchemasOf(ctx, dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.20q: error %v, want %q", c.source, c.text, err, c.want)
		}
	}
	if _, err := hdmf.SchemasOf(ctx, t.TempDir()); err == nil || !strings.Contains(err.Error(), "no documents of namespaces") {
		t.Errorf("empty folder: %v", err)
	}
}
