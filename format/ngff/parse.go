package ngff

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
	"github.com/omnizarr/zarr/meta"
)

// What a document may hold at most.
const (
	maxImages = 1 << 12
	maxLevels = 1 << 10
)

// ErrNoImage says that an attribute "ome" describes something else than an image,
// such as a plate.
var ErrNoImage = errors.New("there are no multiscales")

// Parse reads the attribute "ome" of version 0.5, an object, or the attribute
// "multiscales" of version 0.4 or older, an array. What it returns has passed Check.
// Transformations that a document applies to all levels are part of theirs.
func Parse(raw json.RawMessage) ([]Multiscales, error) {
	if err := strictjson.Validate(raw, strictjson.Options{}); err != nil {
		return nil, err
	}
	if text := strings.TrimSpace(string(raw)); strings.HasPrefix(text, "[") {
		images, err := parseImages(json.RawMessage(text), true)
		return images, strictjson.At("multiscales", err)
	}
	var list json.RawMessage
	version := ""
	_, err := split(raw, map[string]reader{keyVersion: text(&version), keyImages: func(raw json.RawMessage) error { list = raw; return nil }})
	if err == nil {
		err = checkVersion(version)
	}
	if err != nil {
		return nil, err
	}
	if list == nil {
		return nil, ErrNoImage
	}
	images, err := parseImages(list, false)
	return images, strictjson.At(keyImages, err)
}

// Images are those that the attributes of a node describe, in either version, whatever
// else they say; none if they describe no image.
func Images(attrs *meta.Attributes) ([]Multiscales, error) {
	for _, name := range []string{keyOME, keyImages} {
		raw := attrs.Raw(name)
		if raw == nil {
			continue
		}
		images, err := Parse(raw)
		switch {
		case errors.Is(err, ErrNoImage):
		case err != nil:
			return nil, fmt.Errorf("attribute %s: %w", name, err)
		default:
			return images, nil
		}
	}
	return nil, nil
}

// checkVersion takes those that are written into the attribute "ome".
func checkVersion(version string) error {
	if version != Version && !strings.HasPrefix(version, Version+".") && !strings.HasPrefix(version, Version+"-") {
		return strictjson.Errorf(keyVersion, "%s is not %s", strictjson.Quote(version), Version)
	}
	return nil
}

func parseImages(raw json.RawMessage, versioned bool) ([]Multiscales, error) {
	var images []Multiscales
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i == maxImages {
			return fmt.Errorf("more than %d images", maxImages)
		}
		m, err := parseImage(elem, versioned)
		images = append(images, m)
		return err
	})
	if err == nil && len(images) == 0 {
		err = errors.New("there is no image")
	}
	if err != nil {
		return nil, err
	}
	return images, nil
}

func parseImage(raw json.RawMessage, versioned bool) (Multiscales, error) {
	var m Multiscales
	members, err := strictjson.Split(raw)
	if err != nil {
		return m, err
	}
	version, common := "0.4", Level{}
	for _, member := range members {
		if member.Name == "version" {
			if version, err = strictjson.String(member.Raw); err != nil {
				return m, strictjson.AtMember(member.Name, err)
			}
		}
	}
	old := versioned && (version == "0.1" || version == "0.2" || version == "0.3")
	for _, member := range members {
		switch member.Name {
		case "name":
			if !strictjson.IsNull(member.Raw) {
				m.Name, err = strictjson.String(member.Raw)
			}
		case "axes":
			m.Axes, err = parseAxes(member.Raw, old)
		case "datasets":
			m.Levels, err = parseLevels(member.Raw, old)
		case "coordinateTransformations":
			if m.Identity = isIdentity(member.Raw); !m.Identity {
				common, err = parseTransforms(member.Raw)
			}
		case "version":
		default:
			m.Rest = append(m.Rest, member)
		}
		if err != nil {
			return m, strictjson.AtMember(member.Name, err)
		}
	}
	if versioned && version != "0.4" && !old {
		return m, strictjson.Errorf("version", "%s is not 0.4 or older", strictjson.Quote(version))
	}
	if old {
		m.complete()
	}
	if err := m.Check(); err != nil {
		return m, err
	}
	if common.Scale != nil {
		if err := common.check(len(m.Axes)); err != nil {
			return m, strictjson.At("coordinateTransformations", err)
		}
		for i := range m.Levels {
			m.Levels[i].then(&common)
		}
	}
	return m, m.Check()
}

// complete adds what versions before 0.4 do not say: which axes all images have,
// and that pixels have no size.
func (m *Multiscales) complete() {
	if m.Axes == nil {
		for _, name := range []string{"t", "c", "z", "y", "x"} {
			m.Axes = append(m.Axes, Axis{Name: name, Type: AxisType(name)})
		}
	}
	for i := range m.Levels {
		if l := &m.Levels[i]; l.Scale == nil {
			l.Scale = slices.Repeat([]float64{1}, len(m.Axes))
		}
	}
}

// then applies a transformation behind that of the level.
func (l *Level) then(next *Level) {
	for i := range l.Scale {
		l.Scale[i] *= next.Scale[i]
	}
	if l.Translation == nil && next.Translation == nil {
		return
	}
	moved := make([]float64, len(l.Scale))
	for i := range moved {
		if l.Translation != nil {
			moved[i] = l.Translation[i] * next.Scale[i]
		}
		if next.Translation != nil {
			moved[i] += next.Translation[i]
		}
	}
	l.Translation = moved
}

// parseAxes reads axes, which only have names in versions before 0.4.
func parseAxes(raw json.RawMessage, old bool) ([]Axis, error) {
	var axes []Axis
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i == 5 {
			return errors.New("more than 5 axes")
		}
		if old && len(elem) > 0 && elem[0] == '"' {
			name, err := strictjson.String(elem)
			axes = append(axes, Axis{Name: name, Type: AxisType(name)})
			return err
		}
		var a Axis
		var err error
		a.Rest, err = split(elem, map[string]reader{"name": text(&a.Name), "type": text(&a.Type), "unit": text(&a.Unit)})
		axes = append(axes, a)
		return err
	})
	return axes, err
}

func parseLevels(raw json.RawMessage, old bool) ([]Level, error) {
	var levels []Level
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i == maxLevels {
			return fmt.Errorf("more than %d levels", maxLevels)
		}
		l, path := Level{}, ""
		rest, err := split(elem, map[string]reader{
			"path":                      text(&path),
			"coordinateTransformations": func(raw json.RawMessage) (err error) { l, err = parseTransforms(raw); return err },
		})
		if err == nil && l.Scale == nil && !old {
			err = errors.New("there are no coordinateTransformations")
		}
		l.Path, l.Rest = path, rest
		levels = append(levels, l)
		return err
	})
	return levels, err
}

// isIdentity reports whether there is one transformation, which changes nothing.
func isIdentity(raw json.RawMessage) bool {
	count, kind := 0, ""
	err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
		count++
		_, err := split(elem, map[string]reader{"type": text(&kind)})
		return err
	})
	return err == nil && count == 1 && kind == "identity"
}

// parseTransforms reads a scale and possibly a translation behind it.
func parseTransforms(raw json.RawMessage) (Level, error) {
	l := Level{Path: "-"} // no part of what is read, but Check wants one
	err := strictjson.Each(raw, func(_ int, elem json.RawMessage) error {
		members, err := strictjson.Split(elem)
		if err != nil {
			return err
		}
		kind, vectors := "", map[string][]float64{}
		for _, m := range members {
			switch m.Name {
			case "type":
				kind, err = strictjson.String(m.Raw)
			case "scale", "translation":
				vectors[m.Name], err = parseVector(m.Raw)
			case "path":
				err = errors.New("transformations in arrays are not supported")
			}
			if err != nil {
				return strictjson.At(m.Name, err)
			}
		}
		v := vectors[kind]
		switch {
		case kind != "scale" && kind != "translation":
			err = fmt.Errorf("type %s is neither scale nor translation", strictjson.Quote(kind))
		case v == nil:
			err = fmt.Errorf("a %s without numbers", kind)
		case kind == "scale" && l.Scale == nil:
			l.Scale = v
		case kind == "translation" && l.Scale != nil && l.Translation == nil:
			l.Translation = v
		default:
			err = errors.New("there must be one scale and then at most one translation")
		}
		return err
	})
	if err == nil && l.Scale == nil {
		err = errors.New("there is no scale")
	}
	return l, err
}

func parseVector(raw json.RawMessage) ([]float64, error) {
	v := []float64{}
	err := strictjson.Each(raw, func(i int, elem json.RawMessage) error {
		if i == 5 {
			return errors.New("more than 5 numbers")
		}
		x, err := strconv.ParseFloat(string(elem), 64)
		if err != nil {
			return fmt.Errorf("must be a number, not %s", strictjson.Describe(elem))
		}
		v = append(v, x)
		return nil
	})
	return v, err
}
