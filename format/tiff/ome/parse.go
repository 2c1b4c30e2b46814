package ome

import (
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What a description may hold at most.
const (
	maxBytes   = 64 << 20 // of text
	maxDepth   = 64       // nested elements
	maxImages  = 1 << 16
	maxEntries = 1 << 20 // channels, runs of planes and labels, all images together
)

// IsOME reports whether a description is OME-XML. Like tifffile, it looks at
// the end only.
func IsOME(description string) bool {
	tail := description[max(0, len(description)-10):]
	return strings.HasSuffix(strings.TrimSpace(tail), "OME>")
}

// Parse reads OME-XML of any version. Documents that need entities beyond the
// five of XML itself are refused; nothing is ever expanded or loaded.
func Parse(text string) (*Metadata, error) {
	md, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("OME-XML: %w", err)
	}
	return md, nil
}

func parse(text string) (*Metadata, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%d bytes are more than %d", len(text), maxBytes)
	}
	if !utf8.ValidString(text) {
		text = fromLatin1(text)
	}
	d := xml.NewDecoder(strings.NewReader(text))
	// The text is UTF-8 by now, whatever its first line claims.
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	p := &parser{xml: d, md: &Metadata{}, modulo: map[string][]Modulo{}}
	found := false
	err := p.children(func(e xml.StartElement) error {
		if e.Name.Local != "OME" || found {
			return fmt.Errorf("element %s where a single OME should be", excerpt(e.Name.Local))
		}
		found = true
		return p.root(e)
	})
	if err == nil && !found {
		err = errors.New("there is no OME element")
	}
	if err != nil {
		return nil, err
	}
	p.link()
	return p.md, nil
}

// parser walks through a document element by element.
type parser struct {
	xml     *xml.Decoder
	md      *Metadata
	depth   int
	entries int
	refs    []string            // the annotation that each image refers to
	modulo  map[string][]Modulo // annotations by ID
}

// children calls f for every element up to the end of the current one; f
// either goes through the element's own children or calls skip.
func (p *parser) children(f func(xml.StartElement) error) error {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return fmt.Errorf("elements are nested deeper than %d levels", maxDepth)
	}
	for {
		t, err := p.xml.Token()
		if err == io.EOF && p.depth == 1 {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			if err := f(t); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// skip goes to the end of the current element.
func (p *parser) skip() error {
	return p.children(func(xml.StartElement) error { return p.skip() })
}

// text goes to the end of the current element and gives the text in it.
func (p *parser) text() (string, error) {
	var b strings.Builder
	for depth := 0; ; {
		t, err := p.xml.Token()
		if err != nil {
			return "", err
		}
		switch t := t.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.StartElement:
			if depth++; p.depth+depth > maxDepth {
				return "", fmt.Errorf("elements are nested deeper than %d levels", maxDepth)
			}
		case xml.EndElement:
			if depth--; depth < 0 {
				return strings.TrimSpace(b.String()), nil
			}
		}
	}
}

// count notes an entry of a list.
func (p *parser) count() error {
	if p.entries++; p.entries > maxEntries {
		return fmt.Errorf("more than %d channels and runs of planes", maxEntries)
	}
	return nil
}

func (p *parser) root(e xml.StartElement) error {
	p.md.UUID, _ = attribute(e, "UUID")
	p.md.Creator, _ = attribute(e, "Creator")
	return p.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "BinaryOnly":
			p.md.Companion, _ = attribute(e, "MetadataFile")
			if p.md.Companion == "" {
				return errors.New("BinaryOnly names no MetadataFile")
			}
		case "Image":
			if len(p.md.Images) == maxImages {
				return fmt.Errorf("more than %d images", maxImages)
			}
			if err := p.image(e); err != nil {
				return fmt.Errorf("image %d: %w", len(p.md.Images), err)
			}
			return nil
		case "StructuredAnnotations":
			return p.children(p.annotation)
		}
		return p.skip()
	})
}

func (p *parser) image(e xml.StartElement) error {
	img := Image{}
	img.ID, _ = attribute(e, "ID")
	img.Name, _ = attribute(e, "Name")
	ref, pixels := "", false
	err := p.children(func(e xml.StartElement) (err error) {
		switch e.Name.Local {
		case "Description":
			img.Description, err = p.text()
			return err
		case "AnnotationRef":
			if ref == "" {
				ref, _ = attribute(e, "ID")
			}
		case "Pixels":
			if pixels {
				return errors.New("more than one Pixels element")
			}
			pixels = true
			return p.pixels(&img, e)
		}
		return p.skip()
	})
	if err == nil && !pixels {
		err = errors.New("there is no Pixels element")
	}
	if err != nil {
		return err
	}
	p.md.Images = append(p.md.Images, img)
	p.refs = append(p.refs, ref)
	return nil
}

func (p *parser) pixels(img *Image, e xml.StartElement) error {
	img.DimensionOrder, _ = attribute(e, "DimensionOrder")
	img.Type, _ = attribute(e, "Type")
	if img.Type == "" {
		img.Type, _ = attribute(e, "PixelType") // the schemas before 2010
	}
	for _, a := range []struct {
		name string
		dst  *int
	}{{"SizeX", &img.SizeX}, {"SizeY", &img.SizeY}, {"SizeZ", &img.SizeZ}, {"SizeC", &img.SizeC}, {"SizeT", &img.SizeT}} {
		var err error
		if *a.dst, err = integer(e, a.name, -1); err != nil {
			return err
		}
		if *a.dst < 0 {
			return fmt.Errorf("no %s in Pixels", a.name)
		}
	}
	img.Interleaved, _ = strconv.ParseBool(valueOf(e, "Interleaved"))
	img.SignificantBits, _ = integer(e, "SignificantBits", 0) // tells nothing that the directories do not
	img.PhysicalX = quantity(e, "PhysicalSizeX", "µm")
	img.PhysicalY = quantity(e, "PhysicalSizeY", "µm")
	img.PhysicalZ = quantity(e, "PhysicalSizeZ", "µm")
	img.TimeIncrement = quantity(e, "TimeIncrement", "s")
	img.Samples = 1
	err := p.children(func(e xml.StartElement) error {
		switch e.Name.Local {
		case "Channel":
			return p.channel(img, e)
		case "TiffData":
			return p.tiffData(img, e)
		}
		return p.skip()
	})
	if err != nil {
		return err
	}
	return img.check()
}

func (p *parser) channel(img *Image, e xml.StartElement) error {
	if err := p.count(); err != nil {
		return err
	}
	var c Channel
	var err error
	c.ID, _ = attribute(e, "ID")
	c.Name, _ = attribute(e, "Name")
	if c.Samples, err = integer(e, "SamplesPerPixel", 1); err != nil {
		return err
	}
	if text, ok := attribute(e, "Color"); ok {
		if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && n >= math.MinInt32 && n <= math.MaxUint32 {
			c.Color = &color.NRGBA{uint8(n >> 24), uint8(n >> 16), uint8(n >> 8), uint8(n)}
		}
	}
	if len(img.Channels) == 0 {
		img.Samples = c.Samples
	} else if c.Samples != img.Samples {
		return fmt.Errorf("channel %d has %d samples per pixel where those before have %d", len(img.Channels), c.Samples, img.Samples)
	}
	img.Channels = append(img.Channels, c)
	return p.skip()
}

func (p *parser) tiffData(img *Image, e xml.StartElement) error {
	if err := p.count(); err != nil {
		return err
	}
	d := TiffData{}
	count, _ := attribute(e, "IFD")
	if count != "" {
		d.PlaneCount = 1
	}
	for _, a := range []struct {
		name string
		dst  *int
	}{{"IFD", &d.IFD}, {"FirstZ", &d.FirstZ}, {"FirstC", &d.FirstC}, {"FirstT", &d.FirstT},
		{"NumPlanes", &d.PlaneCount}, {"PlaneCount", &d.PlaneCount}} {
		var err error
		if *a.dst, err = integer(e, a.name, *a.dst); err != nil {
			return fmt.Errorf("TiffData %d: %w", len(img.Data), err)
		}
	}
	seen := false
	err := p.children(func(e xml.StartElement) (err error) {
		if e.Name.Local != "UUID" || seen {
			return p.skip()
		}
		seen = true
		d.FileName, _ = attribute(e, "FileName")
		d.UUID, err = p.text()
		return err
	})
	img.Data = append(img.Data, d)
	return err
}

// annotation reads an annotation if it splits an axis.
func (p *parser) annotation(e xml.StartElement) error {
	id, _ := attribute(e, "ID")
	if space, _ := attribute(e, "Namespace"); !strings.HasSuffix(space, "modulo") {
		return p.skip()
	}
	return p.children(func(e xml.StartElement) error { // Value
		return p.children(func(e xml.StartElement) error { // Modulo
			return p.children(func(e xml.StartElement) error { // ModuloAlongT
				axis, ok := strings.CutPrefix(e.Name.Local, "ModuloAlong")
				if !ok || !slices.Contains([]string{"Z", "C", "T"}, axis) {
					return p.skip()
				}
				if slices.ContainsFunc(p.modulo[id], func(m Modulo) bool { return m.Along == axis }) {
					return p.skip() // an axis is split once
				}
				m, err := p.along(axis, e)
				p.modulo[id] = append(p.modulo[id], m)
				return err
			})
		})
	})
}

func (p *parser) along(axis string, e xml.StartElement) (Modulo, error) {
	m := Modulo{Along: axis, Type: valueOf(e, "Type"), Unit: valueOf(e, "Unit"), Step: 1}
	for _, a := range []struct {
		name string
		dst  *float64
	}{{"Start", &m.Start}, {"Step", &m.Step}, {"End", &m.End}} {
		if text, ok := attribute(e, a.name); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return m, fmt.Errorf("ModuloAlong%s: %s is %s", axis, a.name, excerpt(text))
			}
			*a.dst = v
		}
	}
	err := p.children(func(e xml.StartElement) error {
		if e.Name.Local != "Label" {
			return p.skip()
		}
		if err := p.count(); err != nil {
			return err
		}
		label, err := p.text()
		m.Labels = append(m.Labels, label)
		return err
	})
	return m, err
}

// link does what needs the whole document: annotations come behind images.
func (p *parser) link() {
	for i := range p.md.Images {
		img := &p.md.Images[i]
		img.Modulo = p.modulo[p.refs[i]]
		for k := range img.Data {
			if d := &img.Data[k]; d.UUID != "" && d.UUID == p.md.UUID {
				d.UUID, d.FileName = "", "" // files are renamed, but this is the file
			}
		}
	}
}
