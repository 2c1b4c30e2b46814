// Package ngff reads and writes the metadata of OME-NGFF as Go values: images of
// several resolutions (multiscales), their channels, labels, plates and wells. Version
// 0.5 is the attribute "ome" of a node, version 0.4 attributes of their own, as they
// are found in Zarr v2; older images are read too. Members that the specification does
// not have are kept.
package ngff

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// Version is that of what Attributes writes.
const Version = "0.5"

// Axis is a dimension of all levels.
type Axis struct {
	Name string
	Type string // "space", "time", "channel", something else, or empty
	Unit string // such as "micrometer"; may be empty
	Rest Members
}

// Level is a resolution: an array and where its elements are.
type Level struct {
	Path string // of the array below the group
	// Scale is the distance of elements along every axis, in its unit.
	Scale []float64
	// Translation is where the first element is, nil for the origin.
	Translation []float64
	Rest        Members
}

// Multiscales is an image with its resolutions, the finest first.
type Multiscales struct {
	Name   string
	Axes   []Axis
	Levels []Level
	Rest   Members
	// Identity says that the image was read with a transformation of type identity,
	// which the specification does not allow and SpatialData writes. It moves nothing,
	// and is not written again.
	Identity bool
}

// AxisType is the type of an axis that has one of the usual names, in either
// case: x, y and z are space, t is time, c and s, the samples of a pixel, are
// channels. Others have none.
func AxisType(name string) string {
	switch strings.ToLower(name) {
	case "x", "y", "z":
		return "space"
	case "t":
		return "time"
	case "c", "s":
		return "channel"
	}
	return ""
}

// Check says what the specification forbids. Units are not looked at: they
// should be of its list, but need not.
func (m *Multiscales) Check() error {
	if err := m.checkAxes(); err != nil {
		return err
	}
	if len(m.Levels) == 0 {
		return strictjson.Errorf("datasets", "there is none")
	}
	for i, l := range m.Levels {
		if err := l.check(len(m.Axes)); err != nil {
			return strictjson.At("datasets", strictjson.AtIndex(i, err))
		}
	}
	return nil
}

func (m *Multiscales) checkAxes() error {
	if n := len(m.Axes); n < 2 || n > 5 {
		return strictjson.Errorf("axes", "there are %d, not 2 to 5", n)
	}
	var count [3]int
	last := 0
	for i, a := range m.Axes {
		if a.Name == "" {
			return strictjson.Errorf(fmt.Sprintf("axes[%d].name", i), "it is empty")
		}
		for k, other := range m.Axes[:i] {
			if other.Name == a.Name {
				return strictjson.Errorf(fmt.Sprintf("axes[%d].name", i), "%s is that of axis %d too", strictjson.Quote(a.Name), k)
			}
		}
		rank := 1 // channel and everything that is not known
		switch a.Type {
		case "time":
			rank = 0
		case "space":
			rank = 2
		}
		if rank < last {
			return strictjson.Errorf(fmt.Sprintf("axes[%d]", i), "%s comes behind %s: time must come first, space last",
				strictjson.Quote(a.Name), strictjson.Quote(m.Axes[i-1].Name))
		}
		last = rank
		count[rank]++
	}
	switch {
	case count[0] > 1:
		return strictjson.Errorf("axes", "%d are time, only one may be", count[0])
	case count[1] > 1:
		return strictjson.Errorf("axes", "%d are neither space nor time, only one may be", count[1])
	case count[2] < 2 || count[2] > 3:
		return strictjson.Errorf("axes", "%d are space, 2 or 3 must be", count[2])
	}
	return nil
}

func (l *Level) check(axes int) error {
	if err := checkPath(l.Path); err != nil {
		return strictjson.At("path", err)
	}
	if err := checkVector(l.Scale, axes); err != nil {
		return strictjson.At("scale", err)
	}
	for i, v := range l.Scale {
		if v == 0 {
			return strictjson.Errorf(fmt.Sprintf("scale[%d]", i), "it is 0")
		}
	}
	if l.Translation != nil {
		return strictjson.At("translation", checkVector(l.Translation, axes))
	}
	return nil
}

func checkVector(v []float64, axes int) error {
	if len(v) != axes {
		return fmt.Errorf("%d numbers for %d axes", len(v), axes)
	}
	for i, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return strictjson.AtIndex(i, fmt.Errorf("%v is no number", x))
		}
	}
	return nil
}

// checkPath refuses paths that leave the group.
func checkPath(path string) error {
	if path == "" {
		return errors.New("it is empty")
	}
	for step := range strings.SplitSeq(path, "/") {
		if step == "" || step == "." || step == ".." {
			return fmt.Errorf("%s does not stay below the group", strictjson.Quote(path))
		}
	}
	return nil
}

// Attributes gives the value of the attribute "ome" for images that pass Check.
// The same images give the same bytes.
func Attributes(images ...Multiscales) (json.RawMessage, error) {
	if len(images) == 0 {
		return nil, errors.New("multiscales: there is no image")
	}
	m := Metadata{Images: images}
	parts, err := m.parts()
	if err != nil {
		return nil, err
	}
	return m.document(parts)
}

// marshal gives the image, which says its version unless that is empty.
func (m *Multiscales) marshal(version string) (json.RawMessage, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	var o object
	o.optional("version", version)
	o.optional("name", m.Name)
	axes, err := raws(m.Axes, func(a *Axis) (json.RawMessage, error) {
		var o object
		o.set("name", a.Name)
		o.optional("type", a.Type)
		o.optional("unit", a.Unit)
		return o.end(a.Rest)
	})
	if err != nil {
		return nil, strictjson.At("axes", err)
	}
	o.set("axes", axes)
	levels, err := raws(m.Levels, (*Level).marshal)
	if err != nil {
		return nil, strictjson.At("datasets", err)
	}
	o.set("datasets", levels)
	return o.end(m.Rest)
}

func (l *Level) marshal() (json.RawMessage, error) {
	type transform struct {
		Type        string    `json:"type"`
		Scale       []float64 `json:"scale,omitempty"`
		Translation []float64 `json:"translation,omitempty"`
	}
	list := []transform{{Type: "scale", Scale: l.Scale}}
	if l.Translation != nil {
		list = append(list, transform{Type: "translation", Translation: l.Translation})
	}
	var o object
	o.set("path", l.Path)
	o.set("coordinateTransformations", list)
	return o.end(l.Rest)
}
