package write_test

import (
	"testing"

	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/hdmf/write"
	"github.com/omnizarr/zarr/store/mem"
)

// References that lead through links have the ids of what they lead to, as those that
// name it do, in new files and in what is added to one.
func TestReferencesThroughLinksHaveIDs(t *testing.T) {
	object := func(id string) write.Object {
		return write.Object{Type: hdmf.Type{Namespace: "n", Name: "T"}, ID: id}
	}
	tree := func(at string) *write.Group {
		g := &write.Group{Object: object("tree" + at),
			Groups: map[string]*write.Group{"a": {Object: object("a" + at), Datasets: map[string]*write.Dataset{
				"d": {Object: object("d" + at), Data: write.Numbers([]int8{1})},
			}}},
			Datasets: map[string]*write.Dataset{"refs": {Object: object("refs" + at), Data: write.References([]hdmf.Reference{{Path: at + "/far/d"}})}},
			Links:    map[string]hdmf.Reference{"near": {Path: at + "/a"}, "far": {Path: at + "/near"}, "circle": {Path: at + "/circle"}},
		}
		g.Attributes = map[string]any{"deep": hdmf.Reference{Path: at + "/far/d"}, "link": hdmf.Reference{Path: at + "/far"}, "none": hdmf.Reference{Path: at + "/circle/x"}}
		return g
	}
	s := mem.New()
	o := write.Options{Layout: hdmf.V2}
	check(t, write.Create(ctx, "test://", tree(""), to(s, o)))
	e, err := write.Edit(ctx, "test://", to(s, o))
	check(t, err)
	added := tree("/new")
	added.Attributes["old"] = hdmf.Reference{Path: "/far/d"}
	added.Links["out"] = hdmf.Reference{Path: "/far"}
	added.Attributes["out"] = hdmf.Reference{Path: "/new/out/d"}
	check(t, e.AddGroup(ctx, "/new", added))
	check(t, e.Commit(ctx))
	check(t, e.Close())
	want := map[string]string{
		"/ deep": "d", "/ link": "a", "/ none": "", "/refs ": "d", "/new deep": "d/new", "/new link": "a/new", "/new none": "", "/new/refs ": "d/new",
		"/new old": "d", "/new out": "d",
	}
	for m, err := range hdmf.References(ctx, in(t, s).Root(), false) {
		check(t, err)
		if m.Link != nil {
			continue
		}
		at := m.Path() + " " + m.Attribute
		id, known := want[at]
		if !known || m.To.ObjectID != id {
			t.Errorf("%q has the id %q, want %q", at, m.To.ObjectID, id)
		}
		delete(want, at)
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
}
