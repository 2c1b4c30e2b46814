package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/kind"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/nd"
	"github.com/omnizarr/zarr/store"
)

// image is one that becomes a pyramid.
type image struct {
	path  string // of its group, "/" for the root
	from  *view
	axes  []axis
	said  ngff.Multiscales // by the source: its name and members that are not known
	omero *ngff.OMERO      // likewise, nil if it says nothing
	label *ngff.ImageLabel // for labels
	rest  ngff.Members
	attrs *meta.Attributes // of the group, without those of OME-NGFF
	first *meta.Attributes // of the array, without those that are OME-NGFF now
	// fillValue is that of the source as the copy says it, nil where it is the same.
	fillValue json.RawMessage
}

// survey is what a source holds.
type survey struct {
	images   []*image
	groups   map[string]*ngff.Metadata   // the groups that are no images, nil if they say nothing
	attrs    map[string]*meta.Attributes // and what else they say
	document string                      // OME-XML
	lost     []string                    // what the copy has no words for
}

// surveyor looks at a source.
type surveyor struct {
	describers []kind.Describer
	axes       []string // that arrays have, as the user says
	labels     bool     // all images are labels, as the user says
	dataType   string
	name       string        // of the source
	title      string        // of the node that was described last
	format     copying.Nodes // of the copy
	part       bool          // of an array, which says what is true of it
	found      *survey
}

// look finds the images of a source. All else that there may be is refused: a copy that
// leaves something out would not be one.
func (s *surveyor) look(ctx context.Context, src zarr.Node) (*survey, error) {
	s.found = &survey{groups: map[string]*ngff.Metadata{}, attrs: map[string]*meta.Attributes{}}
	groups, arrays, err := job.Nodes(ctx, src)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for _, at := range job.Paths(groups) {
		levels, err := s.group(at, groups[at], arrays)
		if err != nil {
			return nil, &zarr.Error{Op: "make a pyramid of", URL: groups[at].URL(), Err: err}
		}
		for _, l := range levels {
			used[l] = true
		}
	}
	for at := range used {
		delete(arrays, at)
	}
	docs, lost, err := s.format.Documents(arrays)
	if err != nil {
		return nil, err
	}
	s.found.lost = lost
	for _, at := range job.Paths(arrays) {
		err := s.level(ctx, at, arrays[at], docs[at])
		if err == nil {
			err = s.array(at, arrays[at], docs[at])
		}
		if err != nil {
			return nil, &zarr.Error{Op: "make a pyramid of", URL: arrays[at].URL(), Err: err}
		}
	}
	if err := s.kept(ctx, src); err != nil {
		return nil, err
	}
	if len(s.found.images) == 0 {
		return nil, &zarr.Error{Op: "make a pyramid of", URL: src.URL(), Err: errors.New("there is no image in it")}
	}
	return s.found, nil
}

// kept finds the OME-XML that a collection of images has beside them.
func (s *surveyor) kept(ctx context.Context, src zarr.Node) error {
	if s.found.document != "" {
		return nil
	}
	text, _, err := src.Store().Get(ctx, strings.TrimPrefix(src.Path()+"/"+collection+"/"+document, "/"), store.UpTo(maxDocument), nil)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	s.found.document = string(text)
	return err
}

// maxDocument bounds it.
const maxDocument = 64 << 20

// describe is what a node says, in the words of OME-NGFF, if its attributes are these.
func (s *surveyor) describe(n zarr.Node, attrs *meta.Attributes) *meta.Attributes {
	s.title = ""
	for _, k := range s.describers {
		if d, ok := k.Describe(n); ok {
			if s.found.document == "" {
				s.found.document = d.Document
			}
			attrs = d.Attributes
			if d.Name != "" {
				s.title = d.Name
			}
		}
	}
	if attrs == nil {
		return &meta.Attributes{}
	}
	return attrs.Clone()
}

// own reads what a group says of OME-NGFF, and takes it out of its attributes.
func own(g *zarr.Group, attrs *meta.Attributes) (*ngff.Metadata, error) {
	ours := owned(attrs, g.Path())
	m, err := ngff.Read(ours)
	if list := unversioned(ours); list != nil {
		m, err = list, nil
	}
	if errors.Is(err, ngff.ErrNone) {
		return nil, nil
	}
	for _, name := range ours.Names() {
		attrs.Delete(name)
	}
	return m, err
}

// group takes a group for an image, whose levels it gives, or for one that holds others.
func (s *surveyor) group(at string, g *zarr.Group, arrays map[string]*zarr.Array) (levels []string, err error) {
	attrs := s.describe(g, g.Attributes())
	m, err := own(g, attrs)
	if err != nil {
		return nil, err
	}
	if m != nil && m.Series != nil {
		return nil, nil // the list of a collection, which is made anew
	}
	if m == nil || m.Images == nil {
		s.found.groups[at], s.found.attrs[at] = m, attrs
		return nil, nil
	}
	if len(m.Images) > 1 {
		return nil, fmt.Errorf("it is %d images at once, of which none can be named", len(m.Images))
	}
	for _, l := range m.Images[0].Levels {
		levels = append(levels, path.Join(at, l.Path))
	}
	a := arrays[levels[0]]
	if a == nil {
		return nil, fmt.Errorf("its level %s is no array", m.Images[0].Levels[0].Path)
	}
	img := &image{path: at, said: m.Images[0], omero: m.OMERO, label: m.ImageLabel, rest: m.Rest, attrs: attrs, first: s.describe(a, a.Attributes())}
	forget(img.first, axisList(m.Images[0].Axes))
	return levels, s.add(img, a, m.Images[0].Axes, m.Images[0].Levels[0], true)
}

// level adds to the document of an array that was named alone what the image says which it
// is a level of.
func (s *surveyor) level(ctx context.Context, at string, a *zarr.Array, doc *meta.Array) error {
	if at != "/" || s.part {
		return nil
	}
	l, err := coordinates.LevelOf(ctx, a)
	if err != nil || l == nil {
		return err
	}
	s.name = cmp.Or(l.Image.Name, s.name)
	doc.Attributes, err = l.Alone(doc.Attributes)
	return err
}

// array takes an array for an image by itself.
func (s *surveyor) array(at string, a *zarr.Array, doc *meta.Array) error {
	img := &image{path: at, attrs: &meta.Attributes{}, first: s.describe(a, doc.Attributes), fillValue: doc.FillValue}
	img.said.Name = s.title
	names := a.DimensionNames()
	axes, level, known := axesOf(names, len(a.Shape())), ngff.Level{}, false
	if m := ngff.Described(img.first, axisList(axes)); m != nil && len(m.Axes) == len(a.Shape()) {
		axes, level, known = m.Axes, m.Levels[0], true
	}
	if m, err := ngff.Read(only(img.first, "omero")); err == nil {
		img.omero = m.OMERO
	}
	forget(img.first, axisList(axes))
	return s.add(img, a, axes, level, known)
}

// add settles what an image is.
func (s *surveyor) add(img *image, a *zarr.Array, axes []ngff.Axis, level ngff.Level, known bool) error {
	shape := a.Shape()
	if len(s.axes) == len(shape) {
		axes = slices.Clone(axes)
		if len(axes) != len(shape) {
			axes = make([]ngff.Axis, len(shape))
		}
		for i, name := range s.axes {
			if axes[i].Name != name {
				axes[i] = ngff.Axis{Name: name}
			}
		}
	}
	if len(axes) != len(shape) || len(shape) < 2 {
		return fmt.Errorf("an array of shape %v is no image; one can be named alone: SOURCE/PATH", shape)
	}
	if n, ok := nd.Len(shape); !ok || n == 0 {
		return fmt.Errorf("an array of shape %v has no elements to show", shape)
	}
	typ, err := copying.TargetType(a.DataType(), s.dataType)
	if err != nil {
		return err
	}
	if !copying.IsNumber(typ) {
		return fmt.Errorf("an image is made of numbers, not of %s; others can be named alone: SOURCE/PATH", typ.Name())
	}
	if img.axes, err = arrange(axes, level, known); err != nil {
		return err
	}
	img.from = newView(a, img.axes, typ)
	if img.label == nil && isInteger(typ.Name()) && (s.labels || img.path != "/" && named(img.path) || img.path == "/" && named(s.name)) {
		img.label = &ngff.ImageLabel{}
	}
	if s.labels && img.label == nil {
		return fmt.Errorf("labels are integers, not %s", typ.Name())
	}
	if img.said.Name == "" {
		if img.said.Name = path.Base(img.path); img.path == "/" {
			img.said.Name = s.name
		}
	}
	s.found.images = append(s.found.images, img)
	return nil
}

// named reports whether a name says that an image is one of labels.
func named(at string) bool {
	words := strings.FieldsFunc(strings.ToLower(at), func(r rune) bool { return !(r >= 'a' && r <= 'z') })
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"label", "labels", "mask", "masks", "seg", "segmentation", "segmentations"}, w)
	})
}

// forget takes out of the attributes of an array what its group says from now on.
func forget(attrs *meta.Attributes, names []string) {
	if ngff.Described(attrs, names) != nil {
		for _, name := range []string{"axes", "scale", "translation", "units"} {
			attrs.Delete(name)
		}
	}
	attrs.Delete("_ARRAY_DIMENSIONS") // they have names
	attrs.Delete("omero")
	attrs.Delete("ome")
}

// only has one attribute of some.
func only(attrs *meta.Attributes, name string) *meta.Attributes {
	out := &meta.Attributes{}
	if raw := attrs.Raw(name); raw != nil {
		_ = out.Set(name, raw) // what was read can be written
	}
	return out
}
