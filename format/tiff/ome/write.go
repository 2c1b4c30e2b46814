package ome

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

const (
	namespace = "http://www.openmicroscopy.org/Schemas/OME/2016-06"
	modulo    = "openmicroscopy.org/omero/dimension/modulo"
)

// Marshal writes OME-XML of the schema of June 2016. Images and channels are
// numbered anew, whatever their IDs are. An image without TiffData is one whose
// pixels are not in the file. Sizes, types, units and channels must be what the
// schema allows.
func Marshal(md *Metadata) ([]byte, error) {
	if md.Companion != "" {
		return nil, errors.New("OME-XML: the metadata is in a companion file, which cannot be written")
	}
	w := &writer{}
	w.raw(`<?xml version="1.0" encoding="UTF-8"?>`)
	w.raw(`<OME xmlns="` + namespace + `" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="` +
		namespace + " " + namespace + `/ome.xsd"`)
	w.optional("UUID", md.UUID)
	w.optional("Creator", md.Creator)
	w.raw(">")
	for i := range md.Images {
		if err := w.image(i, &md.Images[i]); err != nil {
			return nil, fmt.Errorf("OME-XML: image %d: %w", i, err)
		}
	}
	w.annotations(md.Images)
	w.raw("</OME>")
	return w.b.Bytes(), nil
}

type writer struct{ b bytes.Buffer }

func (w *writer) raw(s string) { w.b.WriteString(s) }

func (w *writer) attribute(name, value string) {
	w.raw(" " + name + `="`)
	w.escape(value)
	w.raw(`"`)
}

// escape writes text; a buffer takes everything.
func (w *writer) escape(s string) { _ = xml.EscapeText(&w.b, []byte(s)) }

func (w *writer) optional(name, value string) {
	if value != "" {
		w.attribute(name, value)
	}
}

func (w *writer) integer(name string, n int) { w.attribute(name, strconv.Itoa(n)) }

func (w *writer) float(name string, v float64) {
	w.attribute(name, strconv.FormatFloat(v, 'g', -1, 64))
}

// quantity writes an attribute and its unit if the value is known.
func (w *writer) quantity(name string, q Quantity, units []string) error {
	if q.Value == 0 {
		return nil
	}
	if !(q.Value > 0) || math.IsInf(q.Value, 0) {
		return fmt.Errorf("%s is %v", name, q.Value)
	}
	if q.Unit != "" && !slices.Contains(units, q.Unit) {
		return fmt.Errorf("%s has the unit %s, which OME-XML does not know", name, excerpt(q.Unit))
	}
	w.float(name, q.Value)
	w.optional(name+"Unit", q.Unit)
	return nil
}

func (w *writer) image(i int, img *Image) error {
	if err := img.check(); err != nil {
		return err
	}
	if _, ok := img.DataType(); !ok {
		return fmt.Errorf("the pixel type %s does not exist", excerpt(img.Type))
	}
	if n := img.Size('C'); img.SizeC%img.Samples != 0 || len(img.Channels) > 0 && len(img.Channels) != n {
		return fmt.Errorf("%d channels of %d samples do not make SizeC %d", len(img.Channels), img.Samples, img.SizeC)
	}
	w.raw("<Image")
	w.attribute("ID", fmt.Sprintf("Image:%d", i))
	w.optional("Name", img.Name)
	w.raw(">")
	if img.Description != "" {
		w.raw("<Description>")
		w.escape(img.Description)
		w.raw("</Description>")
	}
	if err := w.pixels(i, img); err != nil {
		return err
	}
	if len(img.Modulo) > 0 {
		w.raw("<AnnotationRef")
		w.attribute("ID", annotationID(i))
		w.raw("/>")
	}
	w.raw("</Image>")
	return nil
}

func (w *writer) pixels(i int, img *Image) error {
	w.raw("<Pixels")
	w.attribute("ID", fmt.Sprintf("Pixels:%d", i))
	w.attribute("DimensionOrder", img.DimensionOrder)
	w.attribute("Type", img.Type)
	if img.SignificantBits > 0 {
		w.integer("SignificantBits", img.SignificantBits)
	}
	if img.Samples > 1 {
		w.attribute("Interleaved", strconv.FormatBool(img.Interleaved))
	}
	w.integer("SizeX", img.SizeX)
	w.integer("SizeY", img.SizeY)
	w.integer("SizeZ", img.SizeZ)
	w.integer("SizeC", img.SizeC)
	w.integer("SizeT", img.SizeT)
	for _, q := range []struct {
		name  string
		q     Quantity
		units []string
	}{{"PhysicalSizeX", img.PhysicalX, lengthUnits}, {"PhysicalSizeY", img.PhysicalY, lengthUnits},
		{"PhysicalSizeZ", img.PhysicalZ, lengthUnits}, {"TimeIncrement", img.TimeIncrement, timeUnits}} {
		if err := w.quantity(q.name, q.q, q.units); err != nil {
			return err
		}
	}
	w.raw(">")
	channels := img.Channels
	if len(channels) == 0 {
		if n := img.Size('C'); n > maxUnnamed {
			return fmt.Errorf("%d channels without a description are more than %d", n, maxUnnamed)
		}
		channels = make([]Channel, img.Size('C'))
	}
	for c := range channels {
		w.channel(i, c, img.Samples, &channels[c])
	}
	for k := range img.Data {
		if err := w.tiffData(&img.Data[k]); err != nil {
			return fmt.Errorf("TiffData %d: %w", k, err)
		}
	}
	if len(img.Data) == 0 {
		w.raw("<MetadataOnly/>")
	}
	w.raw("</Pixels>")
	return nil
}

// maxUnnamed is up to how many channels are made up for an image that has no
// list of them: readers want an element for each.
const maxUnnamed = 1 << 16

func (w *writer) channel(image, i, samples int, c *Channel) {
	w.raw("<Channel")
	w.attribute("ID", fmt.Sprintf("Channel:%d:%d", image, i))
	w.optional("Name", c.Name)
	w.integer("SamplesPerPixel", samples)
	if c := c.Color; c != nil {
		w.integer("Color", int(int32(uint32(c.R)<<24|uint32(c.G)<<16|uint32(c.B)<<8|uint32(c.A))))
	}
	w.raw("/>")
}

func (w *writer) tiffData(d *TiffData) error {
	w.raw("<TiffData")
	for _, a := range []struct {
		name string
		n    int
	}{{"FirstZ", d.FirstZ}, {"FirstC", d.FirstC}, {"FirstT", d.FirstT}, {"IFD", d.IFD}, {"PlaneCount", d.PlaneCount}} {
		if a.n < 0 || a.n > math.MaxInt32 {
			return fmt.Errorf("%s is %d, not between 0 and %d", a.name, a.n, math.MaxInt32)
		}
		// Without an IFD and a count, all directories are meant.
		if a.n > 0 || a.name == "IFD" && d.PlaneCount > 0 {
			w.integer(a.name, a.n)
		}
	}
	if d.UUID == "" && d.FileName == "" {
		w.raw("/>")
		return nil
	}
	if d.UUID == "" {
		return fmt.Errorf("the file %s needs a UUID", excerpt(d.FileName))
	}
	w.raw("><UUID")
	w.optional("FileName", d.FileName)
	w.raw(">")
	w.escape(d.UUID)
	w.raw("</UUID></TiffData>")
	return nil
}

func annotationID(image int) string { return fmt.Sprintf("Annotation:Modulo:%d", image) }

// annotations writes how axes are split, which no image says itself.
func (w *writer) annotations(images []Image) {
	open := false
	for i := range images {
		if len(images[i].Modulo) == 0 {
			continue
		}
		if !open {
			w.raw("<StructuredAnnotations>")
			open = true
		}
		w.raw("<XMLAnnotation")
		w.attribute("ID", annotationID(i))
		w.attribute("Namespace", modulo)
		w.raw(`><Value><Modulo xmlns="http://www.openmicroscopy.org/Schemas/Additions/2011-09">`)
		for k := range images[i].Modulo {
			w.along(&images[i].Modulo[k])
		}
		w.raw("</Modulo></Value></XMLAnnotation>")
	}
	if open {
		w.raw("</StructuredAnnotations>")
	}
}

func (w *writer) along(m *Modulo) {
	name := "ModuloAlong" + m.Along
	w.raw("<" + name)
	w.optional("Type", m.Type)
	w.optional("Unit", m.Unit)
	if len(m.Labels) == 0 {
		w.float("Start", m.Start)
		w.float("Step", m.Step)
		w.float("End", m.End)
	}
	w.raw(">")
	for _, label := range m.Labels {
		w.raw("<Label>")
		w.escape(label)
		w.raw("</Label>")
	}
	w.raw("</" + name + ">")
}
