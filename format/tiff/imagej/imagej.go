// Package imagej reads what ImageJ, and tifffile in its own format, write into
// TIFF files about the stack that the pages are: the text of ImageDescription
// and ImageJ's private tags. It reads no file.
package imagej

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Info is an ImageJ description. Counts that are not given are 1.
type Info struct {
	Version    string // "1.11a"
	Images     int    // pages; not reliable
	Channels   int
	Slices     int
	Frames     int
	Hyperstack bool
	Loop       bool
	Mode       string // "grayscale", "color" or "composite"
	Order      string // of pages, the fastest first: "czt" unless it is given

	Unit                      string   // of lengths: "um", "micron", "pixel", ...
	Spacing                   float64  // between slices, in Unit; 0: not given
	Interval                  float64  // between frames, in seconds; 0: not given
	XOrigin, YOrigin, ZOrigin float64  // where the coordinate 0 is, in pixels
	Min, Max                  *float64 // what is shown as black and white; nil: not given
}

// maxLines is how many lines of a description are looked at. ImageJ writes some
// twenty.
const maxLines = 1 << 12

// Is reports whether a description is ImageJ's.
func Is(description string) bool {
	return strings.HasPrefix(description, "ImageJ=") || strings.HasPrefix(description, "SCIFIO=")
}

// Parse reads an ImageJ description. Lines that are not known are left out.
func Parse(description string) (*Info, error) {
	if !Is(description) {
		return nil, errors.New("ImageJ description: it does not begin with ImageJ=")
	}
	info := &Info{Images: 1, Channels: 1, Slices: 1, Frames: 1, Order: "czt"}
	rate := 0.0
	lines := 0
	for line := range strings.Lines(description) {
		if lines++; lines > maxLines {
			break
		}
		name, value, found := strings.Cut(line, "=")
		if !found {
			continue
		}
		if err := info.set(strings.TrimSpace(name), strings.TrimSpace(value), &rate); err != nil {
			return nil, fmt.Errorf("ImageJ description: %w", err)
		}
	}
	if !(info.Interval > 0) {
		info.Interval = 0
		if rate > 0 {
			info.Interval = 1 / rate
		}
	}
	return info, nil
}

// set takes one line. Counts must be right, since the stack depends on them;
// other values that make no sense are left out.
func (i *Info) set(name, value string, rate *float64) error {
	switch name {
	case "ImageJ", "SCIFIO":
		i.Version = value
	case "images":
		return count(&i.Images, name, value)
	case "channels":
		return count(&i.Channels, name, value)
	case "slices":
		return count(&i.Slices, name, value)
	case "frames":
		return count(&i.Frames, name, value)
	case "hyperstack":
		i.Hyperstack = strings.EqualFold(value, "true")
	case "loop":
		i.Loop = strings.EqualFold(value, "true")
	case "mode":
		i.Mode = value
	case "order":
		i.Order = strings.ToLower(value)
	case "unit":
		i.Unit = unescape(value)
	case "spacing":
		number(&i.Spacing, value)
		i.Spacing = max(0, i.Spacing)
	case "finterval":
		number(&i.Interval, value)
	case "fps":
		number(rate, value)
	case "xorigin":
		number(&i.XOrigin, value)
	case "yorigin":
		number(&i.YOrigin, value)
	case "zorigin":
		number(&i.ZOrigin, value)
	case "min":
		i.Min = pointer(value)
	case "max":
		i.Max = pointer(value)
	}
	return nil
}

func count(dst *int, name, value string) error {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt32 {
		return fmt.Errorf("%s is %.40q, not a number between 1 and %d", name, value, math.MaxInt32)
	}
	*dst = int(n)
	return nil
}

func number(dst *float64, value string) {
	if v, err := strconv.ParseFloat(value, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
		*dst = v
	}
}

func pointer(value string) *float64 {
	v := math.NaN()
	if number(&v, value); math.IsNaN(v) {
		return nil
	}
	return &v
}

// unescape undoes how ImageJ writes units that are not ASCII: "\u00B5m".
func unescape(value string) string {
	if !strings.Contains(value, `\u`) {
		return value
	}
	if s, err := strconv.Unquote(`"` + value + `"`); err == nil {
		return s
	}
	return value
}

// Stack is how pages make an array.
type Stack struct {
	Axes    string // letters of the axes that count pages, slowest first, those of length 1 too: "TZC"
	Shape   []int  // their lengths
	Samples byte   // the letter of the axis of samples within a page: 'S', or 'C' where samples are the channels
}

// Pages is how many pages the stack has.
func (s *Stack) Pages() int {
	n := 1
	for _, size := range s.Shape {
		n *= size
	}
	return n
}

// Stack tells the stack for a file whose first page has so many samples per
// pixel, in planes of their own or not, and which has so many directories. A
// file with one directory may still hold all pages: ImageJ then writes them
// right behind one another. The grouping is tifffile's.
func (i *Info) Stack(samples int, planar bool, directories int) (Stack, error) {
	channels := i.Channels
	s := Stack{Samples: 'S'}
	switch {
	case planar && samples > 1:
		// Bio-Formats declares separate samples as channels.
		if channels == 1 || samples == channels {
			s.Samples = 'C'
			channels = 1
		}
	case channels > 1 && samples == channels && i.Images == i.Frames*i.Slices:
		channels = 1 // the samples of a colour image
	}
	size := map[byte]int{'T': i.Frames, 'Z': i.Slices, 'C': channels}
	for _, letter := range axesOf(i.Order) {
		if s.Samples == 'C' && letter == 'C' {
			continue
		}
		s.Axes += string(letter)
		s.Shape = append(s.Shape, size[byte(letter)])
	}
	planes := i.Frames
	for _, n := range []int{i.Slices, channels} {
		if planes > math.MaxInt/n {
			return Stack{}, fmt.Errorf("ImageJ description: %d frames of %d slices of %d channels are too many", i.Frames, i.Slices, channels)
		}
		planes *= n
	}
	if planes == 1 && directories > 1 {
		s.Axes = "I" + s.Axes
		s.Shape = append([]int{directories}, s.Shape...)
	}
	return s, nil
}

// axesOf gives the axes of an order of pages, slowest first.
func axesOf(order string) string {
	switch order {
	case "ctz":
		return "ZTC"
	case "zct":
		return "TCZ"
	case "ztc":
		return "CTZ"
	case "tcz":
		return "ZCT"
	case "tzc":
		return "CZT"
	}
	return "TZC"
}
