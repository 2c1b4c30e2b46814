package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/nwbtest"
	"github.com/omnizarr/zarr/serve/api"
)

func TestChildren(t *testing.T) {
	c := samples(t)
	for at, want := range map[string]string{
		"/":                          "image.tif:image:3 levels:true packed.zip:group:1 item:true plain.zarr:group:2 items:true " + session + ":group:13 items:true sub:group:2 items:true",
		"/sub":                       "cells.n5:image:1 level:true old.zarr:group:1 item:true",
		"/plain.zarr":                "a:image:6 × 8:false deep:group:1 item:true",
		"/image.tif":                 "0:image:300 × 400:false 1:image:150 × 200:false 2:image:75 × 100:false",
		"/" + session + "/intervals": "epochs:table:2 rows:true trials:table:4 rows:true",
	} {
		var got api.Children
		c.get(&got, "children", "source", "data", "path", at)
		var told []string
		for _, n := range got.Children {
			told = append(told, fmt.Sprint(n.Name, ":", n.Kind, ":", n.Fact, ":", n.More))
			if n.Problem != nil {
				t.Errorf("%+v", n.Problem)
			}
			var node api.Node
			c.get(&node, "node", "source", "data", "path", n.Path)
			if node.Kind != n.Kind || node.NodeType != n.NodeType || node.Fact != n.Fact || node.Label != n.Label {
				t.Errorf("%s is told otherwise as a node", n.Path)
			}
		}
		if text := strings.Join(told, " "); text != want || *got.Total != len(told) || got.Next != nil {
			t.Errorf("%s: %s", at, text)
		}
	}
	c.problem(422, "children", "source", "data", "path", "/plain.zarr/a")
	c.problem(404, "children", "source", "data", "path", "/none")
	for _, bad := range []string{"-1", "x", "99999999999999999999"} {
		c.problem(400, "children", "source", "data", "offset", bad)
		c.problem(400, "children", "source", "data", "limit", bad)
	}
}

// Pages have all children, in the order in which people count.
func TestPagesOfChildren(t *testing.T) {
	dir := t.TempDir()
	for i := range 250 {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprint("run", i), "data"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	c := serving(t)
	if _, err := c.set.Add("x", dir); err != nil {
		t.Fatal(err)
	}
	offset, seen := 0, 0
	for {
		var page api.Children
		c.get(&page, "children", "source", "x", "offset", fmt.Sprint(offset), "limit", "100")
		for _, n := range page.Children {
			if n.Name != fmt.Sprint("run", seen) {
				t.Fatalf("%s comes after %d", n.Name, seen)
			}
			seen++
		}
		if *page.Total != 250 {
			t.Fatal(*page.Total)
		}
		if page.Next == nil {
			break
		}
		offset = *page.Next
	}
	if seen != 250 {
		t.Error(seen)
	}
	var page api.Children
	c.get(&page, "children", "source", "x", "filter", "RUN12")
	if *page.Total != 11 {
		t.Errorf("%+v", page)
	}
	c.get(&page, "children", "source", "x", "offset", "1000000")
	if len(page.Children) != 0 || *page.Total != 250 {
		t.Errorf("%+v", page)
	}
}

// What does not open is told, and the rest is there.
func TestBrokenChildren(t *testing.T) {
	dir := t.TempDir()
	g, err := zarr.CreateGroup(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.CreateArray(t.Context(), "good", zarr.ArraySpec{Shape: []int{3}, DataType: "uint8"}); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "bad"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bad", "zarr.json"), []byte(`{"zarr_format":3,`), 0o666); err != nil {
		t.Fatal(err)
	}
	c := serving(t)
	if _, err := c.set.Add("x", dir); err != nil {
		t.Fatal(err)
	}
	var page api.Children
	c.get(&page, "children", "source", "x")
	if len(page.Children) != 2 || page.Children[0].Problem == nil || page.Children[0].Problem.Kind != api.Damaged || page.Children[1].Problem != nil {
		t.Errorf("%+v", page)
	}
	c.problem(502, "node", "source", "x", "path", "/bad")
}

// The children of a group in an NWB file say where links lead.
func TestLinksAmongChildren(t *testing.T) {
	c := samples(t)
	var page api.Children
	c.get(&page, "children", "source", session, "path", "/general/extracellular_ephys/shank0")
	if len(page.Children) != 1 || page.Children[0].Link == nil || page.Children[0].Link.Path != "/general/devices/probe" {
		t.Errorf("%+v", page.Children)
	}
}

func TestSearch(t *testing.T) {
	c := samples(t)
	find := func(params ...string) (found []string, complete bool) {
		var m api.Matches
		c.get(&m, "search", params...)
		for _, n := range m.Matches {
			found = append(found, n.Source+n.Path)
		}
		return found, m.Complete
	}
	if got, complete := find("q", "CELLS", "source", "data"); !complete || len(got) != 1 || got[0] != "data/sub/cells.n5" {
		t.Errorf("%v %v", got, complete)
	}
	if got, _ := find("q", "electrodes"); len(got) < 4 || got[0] == got[1] {
		t.Errorf("%v", got)
	}
	if got, _ := find("q", "deep/b"); len(got) != 1 || got[0] != "data/plain.zarr/deep/b" {
		t.Errorf("%v", got)
	}
	if got, complete := find("q", "a", "limit", "3"); len(got) != 3 || complete {
		t.Errorf("%v %v", got, complete)
	}
	if got, complete := find("q", "there is no such thing"); len(got) != 0 || !complete {
		t.Errorf("%v %v", got, complete)
	}
	c.problem(400, "search")
	c.problem(400, "search", "q", " ")
	c.problem(404, "search", "q", "a", "source", "none")
}

// A link into another file says where that is served, and that it is not if so.
func TestLinksIntoOtherFiles(t *testing.T) {
	dir := filepath.Join(nwbtest.Unpack(t, "external_v3"), "external_v3")
	linked := func(c *client, source, at string) (found []api.Child) {
		t.Helper()
		var walk func(at string)
		walk = func(at string) {
			var page api.Children
			c.get(&page, "children", "source", source, "path", at)
			for _, n := range page.Children {
				if n.Link != nil {
					found = append(found, n)
				} else if n.NodeType == "group" && n.Problem == nil && strings.Count(n.Path, "/") < 5 {
					walk(n.Path)
				}
			}
		}
		walk(at)
		return found
	}
	c := serving(t, dir, filepath.Join(dir, "linked.nwb.zarr"))
	inFolder, alone := linked(c, "external_v3", "/linked.nwb.zarr"), linked(c, "linked.nwb.zarr", "/")
	if len(inFolder) == 0 || len(inFolder) != len(alone) {
		t.Fatalf("%d links in the folder, %d in the file", len(inFolder), len(alone))
	}
	elsewhere := 0
	for i, n := range inFolder {
		if n.Link.Source != "external_v3" || n.Link.Broken != "" {
			t.Errorf("%s: %+v", n.Path, n.Link)
			continue
		}
		var target api.Node
		c.get(&target, "node", "source", n.Link.Source, "path", n.Link.Path)
		if target.NodeType != n.NodeType || target.Kind != n.Kind {
			t.Errorf("%s leads to %+v", n.Path, target)
		}
		if strings.HasPrefix(n.Link.Path, "/source.nwb.zarr/") {
			elsewhere++
			// The folder is served too, and has it.
			if link := alone[i].Link; link.Source != "external_v3" || link.Path != n.Link.Path {
				t.Errorf("%+v", link)
			}
		}
	}
	if elsewhere == 0 {
		t.Error("no link leads to the other file")
	}
	broken := 0
	for _, n := range linked(serving(t, filepath.Join(dir, "linked.nwb.zarr")), "linked.nwb.zarr", "/") {
		if n.Link.Broken != "" && n.Link.Path == "" {
			broken++
		}
	}
	if broken != elsewhere {
		t.Errorf("%d of %d links are told to lead to what is not served", broken, elsewhere)
	}
}

// TestSearchAmongBrokenFiles: nodes that only the view of a file has, and objects whose links
// lead in circles or nowhere, are not looked for without end.
func TestSearchAmongBrokenFiles(t *testing.T) {
	dir := nwbtest.Unpack(t, "broken_v3", "custom_cycle_v2.zarr", "external_v2")
	c := serving(t)
	if _, err := c.set.Add("data", dir); err != nil {
		t.Fatal(err)
	}
	var out struct {
		Matches  []api.Child
		Complete bool
	}
	c.get(&out, "search", "q", "zzz")
	if len(out.Matches) != 0 {
		t.Errorf("%+v", out)
	}
	c.get(&out, "search", "q", "broken", "limit", "5")
}
