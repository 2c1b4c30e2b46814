package convention

import (
	"encoding/json"
	"slices"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/store"
)

// listed is the first image of the attribute multiscales, of OME-NGFF or COSEM.
// Its finest level must be a dataset of as many dimensions.
func (f *finder) listed(raw json.RawMessage) (*ngff.Multiscales, error) {
	first := firstOf(raw)
	if first == nil {
		return nil, nil
	}
	m := parseNGFF(first)
	if m == nil {
		var err error
		if m, err = f.cosem(first); m == nil || err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(m.Levels, func(l ngff.Level) bool { return store.CheckKey(l.Path) != nil }) {
		return nil, nil
	}
	finest, err := f.node(m.Levels[0].Path)
	if err != nil || len(dimensions(finest)) != len(m.Axes) {
		return nil, err
	}
	return m, nil
}

// oldImage is an image of OME-NGFF before 0.5, as far as its numbers depend on
// the order of axes.
type oldImage struct {
	Version  json.RawMessage   `json:"version,omitempty"`
	Name     json.RawMessage   `json:"name,omitempty"`
	Axes     []json.RawMessage `json:"axes,omitempty"`
	Datasets []struct {
		Path       json.RawMessage `json:"path,omitempty"`
		Transforms []oldTransform  `json:"coordinateTransformations,omitempty"`
	} `json:"datasets"`
	Transforms []oldTransform `json:"coordinateTransformations,omitempty"`
}

// oldTransform has a type, and an array of numbers of the same name.
type oldTransform map[string]json.RawMessage

func (t oldTransform) reverse() {
	for _, name := range []string{"scale", "translation"} {
		var numbers []json.RawMessage
		if json.Unmarshal(t[name], &numbers) != nil {
			continue
		}
		slices.Reverse(numbers)
		t[name], _ = json.Marshal(numbers) // parts of what was read can be written
	}
}

// parseNGFF reads an image of OME-NGFF before 0.5, nil if it is none. Programs
// that see N5 through Zarr write x last; n5-universe, whose dimensions are N5's,
// writes x first, an order in which package ngff would not take c and t.
func parseNGFF(raw json.RawMessage) *ngff.Multiscales {
	var doc oldImage
	if json.Unmarshal(raw, &doc) != nil || len(doc.Datasets) == 0 {
		return nil
	}
	var axes []ngff.Axis
	for _, elem := range doc.Axes {
		a, _ := parseAxis(elem)
		axes = append(axes, a)
	}
	if len(axes) > 0 && xPlace(axes) >= 0 {
		slices.Reverse(doc.Axes)
		for _, t := range doc.Transforms {
			t.reverse()
		}
		for _, d := range doc.Datasets {
			for _, t := range d.Transforms {
				t.reverse()
			}
		}
	}
	out, err := json.Marshal([]oldImage{doc})
	if err != nil {
		return nil
	}
	images, err := ngff.Parse(out)
	if err != nil {
		return nil
	}
	m := &images[0]
	convert(m)
	Reverse(m)
	if checkAnyOrder(m) != nil {
		return nil
	}
	return m
}

// cosem reads an image of COSEM: names of datasets, with their transforms or
// without, which the datasets themselves have then.
func (f *finder) cosem(raw json.RawMessage) (*ngff.Multiscales, error) {
	m := &ngff.Multiscales{Name: text(member(raw, "name"))}
	var failed error
	err := strictjson.Each(member(raw, "datasets"), func(i int, elem json.RawMessage) error {
		if i >= maxLevels {
			return nil
		}
		path := text(elem)
		if path == "" {
			path = text(member(elem, "path"))
		}
		if store.CheckKey(path) != nil {
			return errMalformed
		}
		transform := member(elem, "transform")
		if transform == nil {
			attrs, err := f.node(path)
			if err != nil {
				failed = err
				return err
			}
			transform = attrs.Raw("transform")
		}
		if !parseTransform(transform).add(m, path) {
			return errMalformed
		}
		return nil
	})
	if err != nil || len(m.Levels) == 0 {
		return nil, failed
	}
	return finished(m), nil
}

// cosemLevels is the image of datasets that all have a transform of COSEM, else
// nil.
func cosemLevels(levels []dataset) *ngff.Multiscales {
	m := &ngff.Multiscales{}
	for _, l := range levels {
		t := parseTransform(l.attrs.Raw("transform"))
		if t == nil || len(t.axes) != len(l.dimensions) || !t.add(m, l.path) {
			return nil
		}
	}
	return finished(m)
}

func finished(m *ngff.Multiscales) *ngff.Multiscales {
	convert(m)
	if checkAnyOrder(m) != nil {
		return nil
	}
	return m
}

// transform is what COSEM says of a dataset, in N5's order.
type transform struct {
	axes             []ngff.Axis
	scale, translate []float64
}

// parseTransform reads it, nil if it makes no sense. Its order is that of NumPy
// unless its names or the member ordering say otherwise.
func parseTransform(raw json.RawMessage) *transform {
	names := texts(member(raw, "axes"))
	t := &transform{scale: vector(member(raw, "scale"), maxAxes), translate: make([]float64, len(names))}
	if len(names) == 0 || len(t.scale) != len(names) || !positive(t.scale) {
		return nil
	}
	if move := member(raw, "translate"); move != nil {
		if t.translate = vector(move, maxAxes); len(t.translate) != len(names) {
			return nil
		}
	}
	for _, name := range names {
		t.axes = append(t.axes, ngff.Axis{Name: name, Type: ngff.AxisType(name)})
	}
	units := texts(member(raw, "units"))
	if unit := text(member(raw, "units")); unit != "" {
		units = ofSpace(unit, t.axes)
	}
	if len(units) == len(t.axes) {
		for i := range t.axes {
			t.axes[i].Unit = units[i]
		}
	}
	if text(member(raw, "ordering")) != "F" && xPlace(t.axes) <= 0 {
		slices.Reverse(t.axes)
		slices.Reverse(t.scale)
		slices.Reverse(t.translate)
	}
	return t
}

func sameAxis(a, b ngff.Axis) bool { return a.Name == b.Name && a.Type == b.Type && a.Unit == b.Unit }

// add makes a dataset a level; false if it has no transform or other axes than
// the levels before it.
func (t *transform) add(m *ngff.Multiscales, path string) bool {
	if t == nil || m.Axes != nil && !slices.EqualFunc(m.Axes, t.axes, sameAxis) {
		return false
	}
	m.Axes = t.axes
	l := ngff.Level{Path: path, Scale: t.scale}
	if nonzero(t.translate) {
		l.Translation = t.translate
	}
	m.Levels = append(m.Levels, l)
	return true
}
