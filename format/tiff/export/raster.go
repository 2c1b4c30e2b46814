package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/meta"
)

// raster is an array, or several resolutions of one, seen as images: planes of
// rows and columns, whose pixels have samples.
type raster struct {
	name     string
	levels   []*zarr.Array // the largest first
	attrs    *meta.Attributes
	channels []ngff.Channel // what is known of them
	lead     []rasterAxis   // of the planes, the slowest first
	samples  int            // axis, -1 if there is none
	y, x     int            // axes, -1 if there is none
	scaleY   rasterAxis     // scale and unit of rows
	scaleX   rasterAxis
}

// rasterAxis is an axis of the source.
type rasterAxis struct {
	at     int // which
	letter byte
	length int
	scale  float64 // 0 if unknown
	unit   string  // of OME-NGFF
}

// planes is how many planes the raster has.
func (r *raster) planes() int {
	n := 1
	for _, a := range r.lead {
		n *= a.length
	}
	return n
}

// along is the length of an axis of a level, 1 for one that there is not.
func along(a *zarr.Array, axis int) int {
	if axis < 0 {
		return 1
	}
	return a.Metadata().Shape[axis]
}

// rasters finds the images of a node: of a group those that are directly below
// it. In a file of one image the axis before rows and columns is that of
// samples. attrs are what is known of an array that was named alone.
func rasters(ctx context.Context, src zarr.Node, attrs *meta.Attributes, single bool) ([]*raster, error) {
	fail := func(err error) ([]*raster, error) {
		return nil, &zarr.Error{Op: "copy", URL: src.URL(), Err: err}
	}
	if a, ok := src.(*zarr.Array); ok {
		r, err := newRaster([]*zarr.Array{a}, nil, attrs, single)
		if err != nil {
			return fail(err)
		}
		r.channels = ngff.Hints(attrs)
		return []*raster{r}, nil
	}
	g := src.(*zarr.Group)
	if r, err := pyramid(ctx, g, single); r != nil || err != nil {
		if err != nil {
			return fail(err)
		}
		return []*raster{r}, nil
	}
	nodes, err := images(ctx, g)
	if err != nil {
		return nil, err
	}
	var out []*raster
	for _, n := range nodes {
		var r *raster
		var err error
		switch n := n.(type) {
		case *zarr.Array:
			r, err = newRaster([]*zarr.Array{n}, nil, gridAttributes(ctx, n), single)
		case *zarr.Group:
			r, err = pyramid(ctx, n, single)
			if r == nil && err == nil {
				err = errors.New("a group without multiscales is no image")
			}
		}
		if err != nil {
			return nil, &zarr.Error{Op: "copy", URL: n.URL(), Err: err}
		}
		out = append(out, r)
	}
	switch {
	case len(out) == 0:
		return fail(errors.New("there is no array in the group"))
	case single && len(out) > 1:
		return fail(fmt.Errorf("a COG holds one image, here are %d: copy them one by one", len(out)))
	}
	return out, nil
}

// images lists the nodes directly below a group that may be images: by name,
// numbers by value. Left out are what tells about images: the group "OME" of
// bioformats2raw, and coordinates, which are arrays without axes or with the one
// that they are named after.
func images(ctx context.Context, g *zarr.Group) ([]zarr.Node, error) {
	var out []zarr.Node
	planar := false
	for n, err := range g.Children(ctx) {
		if err != nil {
			return nil, err
		}
		a, isArray := n.(*zarr.Array)
		planar = planar || isArray && len(a.Metadata().Shape) > 1
		if isArray || path.Base(n.Path()) != "OME" || n.(*zarr.Group).Attributes().Raw("ome") == nil {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(a, b zarr.Node) int {
		x, errX := strconv.ParseUint(path.Base(a.Path()), 10, 32)
		y, errY := strconv.ParseUint(path.Base(b.Path()), 10, 32)
		if errX != nil || errY != nil {
			return 0
		}
		return cmp.Compare(x, y)
	})
	return slices.DeleteFunc(out, func(n zarr.Node) bool {
		a, ok := n.(*zarr.Array)
		if !ok || !planar {
			return false
		}
		names := a.DimensionNames()
		return len(a.Metadata().Shape) == 0 || len(names) == 1 && names[0] == path.Base(a.Path())
	}), nil
}

// aloneAttributes are those of an array with what groups say of it.
func aloneAttributes(ctx context.Context, a *zarr.Array) (*meta.Attributes, error) {
	attrs := gridAttributes(ctx, a)
	l, err := coordinates.LevelOf(ctx, a)
	if err != nil || l == nil {
		return attrs, err
	}
	return l.Alone(attrs)
}

// gridAttributes are the attributes of an array, with those of the variable beside
// it that says where on the earth it is, as the CF conventions have it.
func gridAttributes(ctx context.Context, a *zarr.Array) *meta.Attributes {
	attrs := a.Attributes()
	var name string
	if ok, err := attrs.Get("grid_mapping", &name); !ok || err != nil || meta.CheckPath(name) != nil || a.Path() == "" {
		return attrs
	}
	n, err := zarr.OpenStore(ctx, a.Store(), path.Join(path.Dir(a.Path()), name))
	if err != nil {
		return attrs // whatever it is, no such variable
	}
	var more *meta.Attributes
	switch n := n.(type) {
	case *zarr.Array:
		more = n.Attributes()
	case *zarr.Group:
		more = n.Attributes()
	}
	out := attrs.Clone()
	for _, name := range more.Names() {
		if attrs.Raw(name) == nil && out.Set(name, more.Raw(name)) != nil {
			return attrs
		}
	}
	return out
}

// pyramid makes a raster of a group whose arrays are resolutions of one image,
// nil if they are not.
func pyramid(ctx context.Context, g *zarr.Group, single bool) (*raster, error) {
	attrs := g.Attributes()
	images, err := ngff.Images(attrs)
	if err != nil {
		return nil, err
	}
	if len(images) == 0 {
		return nil, nil
	}
	m := &images[0]
	var levels []*zarr.Array
	for _, l := range m.Levels {
		a, err := g.Array(ctx, l.Path)
		if err != nil {
			return nil, err
		}
		levels = append(levels, a)
	}
	r, err := newRaster(levels, m, attrs, single)
	if err != nil {
		return nil, err
	}
	r.name = m.Name
	r.channels = ngff.Hints(attrs)
	return r, nil
}

// newRaster finds rows, columns and samples among the axes, by their names or,
// where they have none, as the last.
func newRaster(levels []*zarr.Array, m *ngff.Multiscales, attrs *meta.Attributes, single bool) (*raster, error) {
	full := levels[0]
	shape := full.Shape()
	for _, n := range shape {
		if n == 0 {
			return nil, fmt.Errorf("an array of shape %v has no elements, a TIFF file cannot hold it", shape)
		}
	}
	if m == nil {
		m = ngff.Described(attrs, full.DimensionNames())
	}
	axes := make([]rasterAxis, len(shape))
	names := full.DimensionNames()
	named := false
	for i := range axes {
		name := ""
		if len(names) == len(axes) {
			name = names[i]
		}
		if m != nil && len(m.Axes) == len(axes) {
			name = m.Axes[i].Name
			axes[i].unit = m.Axes[i].Unit
			if len(m.Levels) > 0 && len(m.Levels[0].Scale) == len(axes) {
				axes[i].scale = m.Levels[0].Scale[i]
			}
		}
		axes[i].at, axes[i].length, axes[i].letter = i, shape[i], axisLetter(name)
		named = named || name != ""
	}
	if !named && looksRGB(full) {
		axes[len(axes)-1].letter = 's'
	}
	r := &raster{levels: levels, attrs: attrs, samples: -1, y: -1, x: -1}
	var file struct{ Name string } // of an image in a TIFF file
	if ok, err := attrs.Get("tiff", &file); ok && err == nil {
		r.name = file.Name
	}
	rest := r.place(axes)
	if single && len(rest) == 1 && r.samples < 0 {
		r.samples, rest = rest[0].at, nil
	}
	if single && len(rest) > 0 {
		return nil, fmt.Errorf("a COG holds one image of rows, columns and samples, here are %d more axes, which a TIFF has pages for", len(rest))
	}
	r.lead = rest
	return r, r.trimLevels()
}

// looksRGB reports whether an array whose axes have no names is a picture as most
// programs hold it in memory: rows, columns, three or four small samples.
func looksRGB(a *zarr.Array) bool {
	shape := a.Metadata().Shape
	if len(shape) != 3 || shape[2] != 3 && shape[2] != 4 || shape[0] <= 4 || shape[1] <= 4 {
		return false
	}
	return a.DataType().Name() == "uint8" || a.DataType().Name() == "uint16"
}

// place takes rows, columns and samples, and gives the other axes.
func (r *raster) place(axes []rasterAxis) (rest []rasterAxis) {
	find := func(letter byte) int {
		return slices.IndexFunc(axes, func(a rasterAxis) bool { return a.letter == letter })
	}
	y, x := find('y'), find('x')
	if y < 0 || x < 0 {
		y, x = len(axes)-2, len(axes)-1
		if x >= 2 && axes[x].letter == 's' {
			y, x = y-1, x-1
		}
	}
	r.y, r.x = y, x
	if y >= 0 {
		r.scaleY = axes[y]
	}
	if x >= 0 {
		r.scaleX = axes[x]
	}
	if s := find('s'); s >= 0 {
		r.samples = s
	} else if last := len(axes) - 1; last > x && last > y && axes[last].letter == 'c' {
		r.samples = last // pixels whose channels stand together
	}
	for i, a := range axes {
		if i != y && i != x && i != r.samples {
			rest = append(rest, a)
		}
	}
	return rest
}

// axisLetter is what a name of an axis means: the letter that OME and tifffile
// give to it, or 'q'.
func axisLetter(name string) byte {
	low := strings.ToLower(name)
	if len(low) == 1 && low[0] >= 'a' && low[0] <= 'z' {
		return low[0]
	}
	switch low {
	case "lat", "latitude", "row", "rows", "height":
		return 'y'
	case "lon", "longitude", "col", "cols", "column", "columns", "width":
		return 'x'
	case "band", "bands", "sample", "samples", "rgb", "rgba":
		return 's'
	case "channel", "channels":
		return 'c'
	case "time", "frame", "frames":
		return 't'
	}
	return 'q'
}

// trimLevels leaves out the levels from the first on that is no smaller version
// of the same planes: pages have as many of each other, those of volumes that get
// smaller along all axes have not.
func (r *raster) trimLevels() error {
	full := r.levels[0]
	shape := full.Shape()
	for k, a := range r.levels[1:] {
		if len(a.Shape()) != len(shape) || a.DataType().Name() != full.DataType().Name() {
			return fmt.Errorf("level %s has type %s and shape %v, the first has %s and %v", a.Path(), a.DataType().Name(), a.Shape(), full.DataType().Name(), shape)
		}
		before := r.levels[k].Metadata().Shape
		for i, n := range a.Shape() {
			if inPlane := i == r.y || i == r.x; n == 0 || inPlane && n > before[i] || !inPlane && n != shape[i] {
				r.levels = r.levels[:k+1]
				return nil
			}
		}
	}
	return nil
}
