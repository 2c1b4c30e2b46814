package ngff

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/color"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// ImageLabel says what the values of a label image mean.
type ImageLabel struct {
	Colors     []LabelColor
	Properties []LabelProperties
	// Source is the image that was labelled, nil if it is not said, which means the one
	// above the labels.
	Source *LabelSource
	Rest   Members
}

// LabelSource is an image that was labelled.
type LabelSource struct {
	Image string // its path, relative to the group of the labels: "../../"
	Rest  Members
}

// LabelColor is the colour of a value.
type LabelColor struct {
	Value float64
	Color *color.NRGBA // nil: not said
	Rest  Members
}

// LabelProperties are what is said about a value.
type LabelProperties struct {
	Value float64
	Rest  Members // everything but the value
}

const labelValue = "label-value"

func parseImageLabel(raw json.RawMessage) (*ImageLabel, error) {
	l := &ImageLabel{}
	version := ""
	var err error
	l.Rest, err = split(raw, map[string]reader{
		"version": text(&version), "colors": list(&l.Colors, parseLabelColor), "properties": list(&l.Properties, parseLabelProperties),
		"source": func(raw json.RawMessage) (err error) {
			l.Source = &LabelSource{}
			l.Source.Rest, err = split(raw, map[string]reader{"image": text(&l.Source.Image)})
			return err
		},
	})
	if err == nil {
		err = l.Check()
	}
	return l, err
}

var errNoValue = errors.New("there is no " + labelValue)

func parseLabelColor(raw json.RawMessage) (c LabelColor, err error) {
	said := false
	c.Rest, err = split(raw, map[string]reader{
		labelValue: func(raw json.RawMessage) error { said = true; return number(&c.Value)(raw) },
		"rgba": func(raw json.RawMessage) error {
			var v []int
			if err := list(&v, func(raw json.RawMessage) (n int, err error) { return n, integer(&n, 0)(raw) })(raw); err != nil {
				return err
			}
			if len(v) != 4 || max(v[0], v[1], v[2], v[3]) > 255 {
				return errors.New("must be four integers from 0 to 255")
			}
			c.Color = &color.NRGBA{R: uint8(v[0]), G: uint8(v[1]), B: uint8(v[2]), A: uint8(v[3])}
			return nil
		},
	})
	if err == nil && !said {
		err = errNoValue
	}
	return c, err
}

func parseLabelProperties(raw json.RawMessage) (p LabelProperties, err error) {
	said := false
	p.Rest, err = split(raw, map[string]reader{labelValue: func(raw json.RawMessage) error { said = true; return number(&p.Value)(raw) }})
	if err == nil && !said {
		err = errNoValue
	}
	return p, err
}

// Check says what the specification forbids.
func (l *ImageLabel) Check() error {
	seen := map[float64]bool{}
	for i, c := range l.Colors {
		if seen[c.Value] {
			return strictjson.Errorf(fmt.Sprintf("colors[%d].%s", i, labelValue), "%v is that of another too", c.Value)
		}
		seen[c.Value] = true
	}
	clear(seen)
	for i, p := range l.Properties {
		if seen[p.Value] {
			return strictjson.Errorf(fmt.Sprintf("properties[%d].%s", i, labelValue), "%v is that of another too", p.Value)
		}
		seen[p.Value] = true
	}
	return nil
}

func (l *ImageLabel) marshal(version string) (json.RawMessage, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	var o object
	o.optional("version", version)
	if l.Colors != nil {
		colors, err := raws(l.Colors, func(c *LabelColor) (json.RawMessage, error) {
			var o object
			o.set(labelValue, c.Value)
			if c.Color != nil {
				o.set("rgba", []int{int(c.Color.R), int(c.Color.G), int(c.Color.B), int(c.Color.A)})
			}
			return o.end(c.Rest)
		})
		if err != nil {
			return nil, strictjson.At("colors", err)
		}
		o.set("colors", colors)
	}
	if l.Properties != nil {
		properties, err := raws(l.Properties, func(p *LabelProperties) (json.RawMessage, error) {
			var o object
			o.set(labelValue, p.Value)
			return o.end(p.Rest)
		})
		if err != nil {
			return nil, strictjson.At("properties", err)
		}
		o.set("properties", properties)
	}
	if l.Source != nil {
		var s object
		s.optional("image", l.Source.Image)
		raw, err := s.end(l.Source.Rest)
		if err != nil {
			return nil, strictjson.At("source", err)
		}
		o.set("source", raw)
	}
	return o.end(l.Rest)
}
