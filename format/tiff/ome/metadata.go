// Package ome reads and writes OME-XML, which the first ImageDescription of an
// OME-TIFF file holds: what the images in the file are, how their planes are
// stacked to more dimensions, and which directory holds which plane.
//
// Parse takes a description apart, Marshal makes one. Neither reads a file.
package ome

import (
	"fmt"
	"image/color"
	"math"
	"strings"
)

// Metadata is what a description says.
type Metadata struct {
	UUID    string // of the file, such as "urn:uuid:30cf4344-..."; may be empty
	Creator string // the program that wrote it; may be empty
	// Companion is the file that holds the metadata instead of this one, which
	// then has no images.
	Companion string
	Images    []Image
}

// Image is an image of up to five dimensions, made of planes.
type Image struct {
	ID, Name, Description string

	DimensionOrder                    string // such as "XYZCT": the first varies fastest
	Type                              string // of pixels as OME-XML spells it: "uint16", "float"
	SizeX, SizeY, SizeZ, SizeC, SizeT int
	// Samples is how many samples a pixel of every plane has, at least 1. SizeC
	// counts samples too: an RGB image has SizeC 3 and Samples 3, and one plane.
	Samples         int
	Interleaved     bool
	SignificantBits int // 0: not said

	PhysicalX, PhysicalY, PhysicalZ Quantity // size of a pixel
	TimeIncrement                   Quantity // between values of T

	Channels []Channel
	Data     []TiffData
	Modulo   []Modulo
}

// Quantity is a number with a unit in OME's spelling, such as 0.29 µm. A value
// of 0 means that it is not known.
type Quantity struct {
	Value float64
	Unit  string
}

// Channel describes a channel.
type Channel struct {
	ID, Name string
	Color    *color.NRGBA // nil: not said
	Samples  int          // SamplesPerPixel
}

// TiffData says which directories hold a run of planes.
type TiffData struct {
	IFD                    int // the first directory
	FirstZ, FirstC, FirstT int // the plane that it holds; C counts planes, not samples
	// PlaneCount is how many planes follow one another. 0 stands for as many as
	// the file has directories.
	PlaneCount int
	// UUID and FileName tell the file; both are empty for the file itself.
	UUID, FileName string
}

// Range is a run of planes in the order of the image.
type Range struct {
	IFD   int // the directory of the first of them
	First int // its number
	Count int // how many follow one another; 0: as many as the file has directories
	// FileName is the file that holds them, or its UUID if it has no name here;
	// empty if it is this file. Where the description does not say what this
	// file's UUID is, the name is given even if it may be this file's own.
	FileName string
}

// Modulo says that an axis is two: its values run through those of a second
// axis, which varies faster.
type Modulo struct {
	Along            string // "Z", "C" or "T"
	Type             string // "angle", "phase", "tile", "lifetime", "lambda" or "other"
	Unit             string
	Start, Step, End float64  // the values of the second axis, unless there are labels
	Labels           []string // its values as text
}

// letters are those that tifffile gives to the types of Modulo.
var letters = map[string]string{"angle": "A", "phase": "P", "tile": "R", "lifetime": "H", "lambda": "E", "other": "Q"}

// Letter is the name of the second axis: A angle, P phase, R tile, H lifetime,
// E lambda, Q anything else.
func (m *Modulo) Letter() string {
	if l, ok := letters[m.Type]; ok {
		return l
	}
	return "Q"
}

// Len is the length of the second axis, 0 if the values make no sense.
func (m *Modulo) Len() int {
	if len(m.Labels) > 0 {
		return len(m.Labels)
	}
	n := math.Ceil((m.End + m.Step - m.Start) / m.Step)
	if !(n >= 1 && n <= math.MaxInt32) {
		return 0
	}
	return int(n)
}

// Size is the number of planes along Z, C or T, the letter of an axis. Samples
// of a pixel are not counted along C.
func (img *Image) Size(axis byte) int {
	switch axis {
	case 'Z':
		return img.SizeZ
	case 'T':
		return img.SizeT
	case 'C':
		return max(1, img.SizeC/max(1, img.Samples))
	}
	return 1
}

// Axes are the letters of the axes that count planes, slowest first: "TCZ" for
// the order "XYZCT", and more where axes are split by Modulo. Axes of length 1
// are there too. It is the order in which tifffile stacks planes.
func (img *Image) Axes() string {
	axes, _ := img.stack()
	return axes
}

// Shape is the length of every axis of Axes.
func (img *Image) Shape() []int {
	_, shape := img.stack()
	return shape
}

// order gives the letters of DimensionOrder behind XY, slowest first.
func (img *Image) order() (order [3]byte) {
	if len(img.DimensionOrder) == 5 {
		for i := range order {
			order[i] = img.DimensionOrder[4-i]
		}
	}
	return order
}

func (img *Image) stack() (axes string, shape []int) {
	for _, axis := range img.order() {
		axes += string(axis)
		shape = append(shape, img.Size(axis))
	}
	for i := range img.Modulo {
		m := &img.Modulo[i]
		at, n := strings.Index(axes, m.Along), m.Len()
		switch {
		case len(m.Along) != 1 || at < 0 || n == 0 || shape[at]%n != 0:
			// It contradicts the sizes, which count.
		case strings.Contains(axes, m.Letter()):
			// Two axes of the same name would be one too many.
		case shape[at] == n:
			axes = axes[:at] + m.Letter() + axes[at+1:]
		default:
			axes = axes[:at+1] + m.Letter() + axes[at+1:]
			shape = append(shape[:at+1], append([]int{n}, shape[at+1:]...)...)
			shape[at] /= n
		}
	}
	return axes, shape
}

// PlaneCount is how many planes the image claims to have, which may be any
// number: it says nothing about the file.
func (img *Image) PlaneCount() int { return img.SizeZ * img.Size('C') * img.SizeT }

// Planes lists where planes are, in the order of the description. Runs that
// begin outside the image are left out, as tifffile does: programs that crop
// images leave them behind. What is listed twice is where the last run says.
// An image without any run has no data.
func (img *Image) Planes() []Range {
	ranges := make([]Range, 0, len(img.Data))
	planes := img.PlaneCount()
	for i := range img.Data {
		d := &img.Data[i]
		first, ok := img.index(d)
		if !ok {
			continue
		}
		r := Range{IFD: d.IFD, First: first, Count: min(d.PlaneCount, planes-first), FileName: d.FileName}
		if r.FileName == "" {
			r.FileName = d.UUID
		}
		ranges = append(ranges, r)
	}
	return ranges
}

// index is the number of the first plane of a run.
func (img *Image) index(d *TiffData) (n int, ok bool) {
	for _, axis := range img.order() {
		at := 0
		switch axis {
		case 'Z':
			at = d.FirstZ
		case 'C':
			at = d.FirstC
		case 'T':
			at = d.FirstT
		}
		size := img.Size(axis)
		if at < 0 || at >= size {
			return 0, false
		}
		n = n*size + at
	}
	return n, true
}

// check says what is wrong with the sizes of an image.
func (img *Image) check() error {
	if err := checkOrder(img.DimensionOrder); err != nil {
		return err
	}
	for _, s := range []struct {
		name string
		n    int
	}{{"SizeX", img.SizeX}, {"SizeY", img.SizeY}, {"SizeZ", img.SizeZ}, {"SizeC", img.SizeC}, {"SizeT", img.SizeT}, {"SamplesPerPixel", img.Samples}} {
		if s.n < 1 || s.n > math.MaxInt32 {
			return fmt.Errorf("%s is %d, not between 1 and %d", s.name, s.n, math.MaxInt32)
		}
	}
	if z, c := img.SizeZ, img.Size('C'); c > math.MaxInt/z || z*c > math.MaxInt/img.SizeT {
		return fmt.Errorf("%d x %d x %d planes are too many", img.SizeZ, img.Size('C'), img.SizeT)
	}
	return nil
}

func checkOrder(order string) error {
	rest, ok := strings.CutPrefix(order, "XY")
	if !ok || len(rest) != 3 || !strings.Contains(rest, "Z") || !strings.Contains(rest, "C") || !strings.Contains(rest, "T") {
		return fmt.Errorf("DimensionOrder is %s, not XY and then Z, C and T in some order", excerpt(order))
	}
	return nil
}

// excerpt is how errors show text out of a description.
func excerpt(text string) string {
	const longest = 40
	if len(text) > longest {
		return fmt.Sprintf("%q...", text[:longest])
	}
	return fmt.Sprintf("%q", text)
}
