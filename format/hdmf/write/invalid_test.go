package write_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	schemas "github.com/omnizarr/zarr/format/hdmf/check"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/internal/thorough"
	"github.com/omnizarr/zarr/store/mem"
)

// labSchemas have a root that holds tracks, each with samples and a unit.
var labSchemas = []hdmf.SchemaText{
	{Namespace: "lab", Version: "1.0", Source: "namespace", Text: `{"namespaces":[{"name":"lab","version":"1.0","doc":"d","schema":[{"source":"lab.types"}]}]}`},
	{Namespace: "lab", Version: "1.0", Source: "lab.types", Text: `{"datasets":[
		{"data_type_def":"VectorIndex","doc":"d","dtype":"uint8","shape":[null]}],"groups":[
		{"data_type_def":"Root","doc":"d","groups":[{"data_type_inc":"Track","quantity":"+","doc":"d"}],"links":[{"name":"best","target_type":"Track","quantity":"?","doc":"d"}]},
		{"data_type_def":"Track","doc":"d","attributes":[{"name":"unit","dtype":"text","doc":"d"}],
		 "datasets":[{"name":"data","dtype":"int16","shape":[null,2],"doc":"d"},{"name":"when","dtype":"isodatetime","quantity":"?","doc":"d"},{"name":"ends","data_type_inc":"VectorIndex","quantity":"?","doc":"d"}]}]}`},
}

func lab(name string) write.Object {
	return write.Object{Type: hdmf.Type{Namespace: "lab", Name: name}, Attributes: map[string]any{}}
}

// labTree is as the schemas say.
func labTree() *write.Group {
	rows := thorough.Of(1<<13, 1<<19)
	track := &write.Group{Object: lab("Track"), Datasets: map[string]*write.Dataset{
		"data": {Data: write.Numbers(make([]int16, 2*rows), rows, 2)},
		"when": {Data: write.Scalar("2026-11-16T03:04:05Z")},
		"ends": {Object: lab("VectorIndex"), Data: write.Numbers([]uint32{1})},
	}}
	track.Attributes["unit"] = "V"
	return &write.Group{Object: lab("Root"), Groups: map[string]*write.Group{"a": track}, Links: map[string]hdmf.Reference{"best": {Path: "/a"}}}
}

// What validate would find in a file keeps it from being made, with the same place
// and rule.
func TestCreateChecks(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(root, track *write.Group)
		at    string
		rule  string
	}{
		"attribute": {func(_, track *write.Group) { delete(track.Attributes, "unit") }, "/a", schemas.Missing},
		"dataset":   {func(_, track *write.Group) { delete(track.Datasets, "data") }, "/a", schemas.Missing},
		"dtype":     {func(_, track *write.Group) { track.Datasets["data"].Data = write.Numbers([]float32{1, 2}, 1, 2) }, "/a/data", schemas.BadDType},
		"shape":     {func(_, track *write.Group) { track.Datasets["data"].Data = write.Numbers([]int16{1, 2, 3}, 1, 3) }, "/a/data", schemas.BadShape},
		"time":      {func(_, track *write.Group) { track.Datasets["when"].Data = write.Scalar("yesterday") }, "/a/when", schemas.BadDType},
		"extra":     {func(_, track *write.Group) { track.Attributes["colour"] = "red" }, "/a", schemas.ExtraField},
		"quantity":  {func(root, _ *write.Group) { root.Groups = nil; root.Links = nil }, "/", schemas.MissingType},
		"type":      {func(_, track *write.Group) { track.Type.Name = "Trak" }, "/a", schemas.UnknownType},
		"dangling":  {func(root, _ *write.Group) { root.Links["best"] = hdmf.Reference{Path: "/b"} }, "/", schemas.DanglingLink},
	} {
		for _, o := range thorough.Of(layouts[1:3], layouts) {
			o.Schemas, o.DataType = labSchemas, true
			root := labTree()
			c.spoil(root, root.Groups["a"])
			s := mem.New()
			err := write.Create(ctx, "test://", root, to(s, o))
			invalid, ok := errors.AsType[*write.Invalid](err)
			if !ok || !slices.ContainsFunc(invalid.Findings, func(f schemas.Finding) bool { return f.Path == c.at && f.Rule == c.rule }) {
				t.Errorf("%s: error %v, want %s at %s", name, err, c.rule, c.at)
			}
			for e := range s.List(ctx, "", "") {
				t.Errorf("%s: %s is stored", name, e.Key)
			}
			o.Unchecked = true
			check(t, write.Create(ctx, "test://", root, to(s, o)))
			f := in(t, s)
			found, err := schemas.File(ctx, f, schemas.Options{})
			check(t, err)
			if ok && !slices.Equal(found, invalid.Findings) {
				t.Errorf("%s: validate finds\n%v, Create\n%v", name, found, invalid.Findings)
			}
		}
	}
}

// What is as it should be is made, links into files that are not there included.
func TestCreatePasses(t *testing.T) {
	for _, o := range layouts {
		o.Schemas, o.DataType = labSchemas, true
		root := labTree()
		root.Links["best"] = hdmf.Reference{Source: "../other.zarr", Path: "/a", ObjectID: "1", SourceObjectID: "2"}
		root.Groups["a"].Datasets["data"].Chunks, root.Groups["a"].Datasets["data"].Shards = []int{1 << 12, 2}, []int{1 << 16, 2}
		s := mem.New()
		check(t, write.Create(ctx, "test://", root, to(s, o)))
		f := in(t, s)
		d, err := f.Object(ctx, "/a/data")
		check(t, err)
		want := []int{1 << 16, 2}
		if f.Layout() == hdmf.V2 { // which has no shards
			want = nil
		}
		a := d.(*hdmf.Dataset).Array()
		if chunks, shards := a.ChunkShape(), a.ShardShape(); !slices.Equal(chunks, []int{1 << 12, 2}) || !slices.Equal(shards, want) {
			t.Errorf("%v: chunks %v, shards %v, want shards %v", f.Layout(), chunks, shards, want)
		}
	}
	err := write.Create(ctx, "test://", labTree(), to(mem.New(), write.Options{DataType: true, Schemas: labSchemas[1:]}))
	wants(t, err, "schemas: namespace lab 1.0")
	root := labTree()
	root.Groups["a"].Datasets["data"].Shards = []int{3, 2}
	wants(t, write.Create(ctx, "test://", root, to(mem.New(), write.Options{})), "/a/data: shards of shape [3 2] for chunks of shape []")
}

// What is added to a file is checked against the schemas that it caches, and what is
// refused leaves the file, and the editor, as they were.
func TestAddChecks(t *testing.T) {
	for _, o := range layouts {
		o.Schemas, o.DataType = labSchemas, true
		s := mem.New()
		check(t, write.Create(ctx, "test://", labTree(), to(s, o)))
		e, err := write.Edit(ctx, "test://", to(s, write.Options{}))
		check(t, err)
		track := labTree().Groups["a"]
		delete(track.Attributes, "unit")
		invalid, ok := errors.AsType[*write.Invalid](e.AddGroup(ctx, "/b", track))
		if !ok || len(invalid.Findings) != 1 || invalid.Findings[0].Path != "/b" || invalid.Findings[0].Rule != schemas.Missing {
			t.Errorf("%v", invalid)
		}
		index := &write.Dataset{Object: lab("VectorIndex"), Data: write.Numbers([]float32{1})}
		invalid, ok = errors.AsType[*write.Invalid](e.AddDataset(ctx, "/a/more", index))
		if !ok || invalid.Findings[0].Path != "/a/more" || invalid.Findings[0].Rule != schemas.BadDType {
			t.Errorf("%v", invalid)
		}
		if _, err := e.File().Object(ctx, "/b"); err == nil {
			t.Error("what was refused is there")
		}
		track.Attributes["unit"] = "V"
		track.Links = nil
		check(t, e.AddGroup(ctx, "/b", track))
		check(t, e.Commit(ctx))
		check(t, e.Close())
		f := in(t, s)
		if found, err := schemas.File(ctx, f, schemas.Options{}); err != nil || len(found) > 0 {
			t.Errorf("%v, %v", found, err)
		}
		e, err = write.Edit(ctx, "test://", to(s, write.Options{Unchecked: true}))
		check(t, err)
		check(t, e.AddDataset(ctx, "/a/more", index))
		check(t, e.Close())
	}
}
