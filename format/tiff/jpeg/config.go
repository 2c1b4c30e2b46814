package jpeg

import "fmt"

// Config is what a stream says of its image.
type Config struct {
	Width, Height int
	Components    int
	Precision     int       // bits per sample
	Sampling      [4][2]int // of each component: horizontal, vertical
	Progressive   bool
	Arithmetic    bool
}

// ReadConfig reads the headers of a stream as far as the size of its image.
// Streams that Decode refuses, such as those of 12 bits, are described as well.
func ReadConfig(src []byte) (Config, error) {
	in, err := begin(src)
	if err != nil {
		return Config{}, err
	}
	for {
		s, err := in.next()
		if err != nil {
			return Config{}, err
		}
		switch {
		case isFrame(s.marker):
			var f frame
			if err := f.parse(s); err != nil {
				return Config{}, err
			}
			return f.config(), nil
		case s.marker == markerSOS:
			return Config{}, fmt.Errorf("JPEG: scan at byte %d before the frame header", s.offset)
		case s.marker == markerEOI:
			return Config{}, fmt.Errorf("JPEG: no frame header in %d bytes", len(src))
		}
	}
}

// config describes the frame.
func (f *frame) config() Config {
	c := Config{
		Width: f.width, Height: f.height, Components: f.n, Precision: f.precision,
		Progressive: f.progressive, Arithmetic: f.arithmetic,
	}
	for i := range f.n {
		c.Sampling[i] = [2]int{f.comp[i].h, f.comp[i].v}
	}
	return c
}
