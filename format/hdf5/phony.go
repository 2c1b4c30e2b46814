package hdf5

import (
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/hdf5"
)

// length is what dimensions have in common that variables of a group may share.
type length struct {
	size      uint64
	unlimited bool
}

// phony are the names of the dimensions of a variable that has no scales. The library
// of netCDF makes them up when it opens a file, those of inner groups first: variables
// of a group share the first dimension of the same length that they do not have yet.
func (c *scales) phony(n *node) []string {
	c.once.Do(func() {
		c.made = map[uint64][]string{}
		next := 0 // behind those that there are
		root := c.s.f.Root()
		_ = root.Walk(func(_ string, _ hdf5.Link, x *hdf5.Object, err error) error {
			if err == nil && x != nil && x.Kind == hdf5.KindDataset && c.isScale(of(x)) {
				next++
			}
			return nil // what is wrong is told by its node
		})
		c.makeUp(root, map[uint64]bool{}, 0, &next)
	})
	return c.made[n.o.Address()]
}

// maxGroups is how deep groups may lie in each other for names to be made up.
const maxGroups = 256

func (c *scales) makeUp(g *hdf5.Object, seen map[uint64]bool, depth int, next *int) {
	links, err := g.Links()
	if err != nil || seen[g.Address()] || depth > maxGroups {
		return
	}
	seen[g.Address()] = true
	dims := map[length][]string{} // the names of dimensions
	var free []*hdf5.Dataset      // those without scales
	var at []uint64
	for _, l := range links {
		x := find(g, l.Name)
		switch {
		case x == nil:
		case x.Kind == hdf5.KindGroup:
			c.makeUp(x, seen, depth+1, next)
		case x.Kind == hdf5.KindDataset:
			d, err := x.Dataset()
			if err != nil {
				continue
			}
			list := of(x)
			switch {
			case c.isScale(list):
				if len(d.Space.Shape) == 1 {
					k := lengthOf(d, 0)
					dims[k] = append(dims[k], c.dimensionName(l))
				}
			case said(list, scaleList) == nil && said(list, ncDims) == nil:
				free, at = append(free, d), append(at, x.Address())
			}
		}
	}
	for i, d := range free {
		var names []string
		for axis := range d.Space.Shape {
			k := lengthOf(d, axis)
			i := slices.IndexFunc(dims[k], func(name string) bool { return !slices.Contains(names, name) })
			if i < 0 {
				i = len(dims[k])
				dims[k] = append(dims[k], fmt.Sprint("phony_dim_", *next))
				*next++
			}
			names = append(names, dims[k][i])
		}
		c.made[at[i]] = names
	}
}

func lengthOf(d *hdf5.Dataset, axis int) length {
	return length{d.Space.Shape[axis], axis < len(d.Space.Max) && d.Space.Max[axis] == hdf5.Unlimited}
}
