package hdmf

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store/mem"
)

// Every link of a row of them leads on by the same group, whose links are parsed once, and
// anew when they are others.
func TestLinksOfAGroupAreParsedOnce(t *testing.T) {
	ctx := context.Background()
	g, err := zarr.CreateGroupIn(ctx, mem.New(), "")
	if err != nil {
		t.Fatal(err)
	}
	set := func(n int, last string) {
		var list []map[string]string
		for i := range n {
			to := fmt.Sprintf("/s%d", i+1)
			if i == n-1 {
				to = last
			}
			list = append(list, map[string]string{"name": fmt.Sprintf("s%d", i), "source": ".", "path": to})
		}
		attrs := g.Attributes().Clone()
		if err := attrs.Set(linksV3, list); err != nil {
			t.Fatal(err)
		}
		if err := g.SetAttributes(ctx, attrs); err != nil {
			t.Fatal(err)
		}
	}
	set(300, "/")
	f := Of(ctx, g)
	first := f.Root().links()
	if len(first) != 300 || f.Root().links()[0] != first[0] {
		t.Error("the links of one group are parsed twice")
	}
	set(20, "/")
	if now := f.Root().links(); len(now) != 20 {
		t.Errorf("%d links after a change to 20", len(now))
	}
	o, err := f.Resolve(ctx, Reference{Source: ".", Path: "/s0"})
	if err != nil || o.Path() != "/" {
		t.Errorf("a row of 20 links: %v, %v", o, err)
	}
	// No more groups are remembered than are bounded.
	for i := range 5 * maxKnown {
		sub, err := g.CreateGroup(ctx, fmt.Sprint("g", i))
		if err != nil {
			t.Fatal(err)
		}
		attrs := sub.Attributes().Clone()
		if err := attrs.Set(linksV3, json.RawMessage(`[{"name":"a","source":".","path":"/"}]`)); err != nil {
			t.Fatal(err)
		}
		if err := sub.SetAttributes(ctx, attrs); err != nil {
			t.Fatal(err)
		}
		if o, err := f.Resolve(ctx, Reference{Source: ".", Path: fmt.Sprintf("/g%d/a", i)}); err != nil || o.Path() != "/" {
			t.Fatalf("%v, %v", o, err)
		}
	}
	if len(f.known) > maxKnown {
		t.Errorf("the links of %d groups are remembered", len(f.known))
	}
}
