package convention

import (
	"context"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/coordinates"
)

// Samples are numbers over time, such as those of a series.
type Samples struct {
	// Array holds them, Axis is that of time; all other axes together are channels.
	Array *zarr.Array
	Axis  int
	// Target is where the array lies, as seen from the file of the object.
	Target Target
	// Unit is that of the samples when they are scaled: each times Scale, and times the
	// factor of its channel where there are such, plus Offset.
	Unit          string
	Scale, Offset float64
	Factors       []float64
	// Start is the time of the first sample in seconds, and Rate how many there are in
	// one. Where times are listed, Rate is 0 and Times has them.
	Start, Rate float64
	Times       *coordinates.Line
	// Zero is the date of second 0, as ISO 8601 spells it; "" if it is not known.
	Zero string
	// Names gives what channels are called, nil if they have no names.
	Names func(ctx context.Context) ([]string, error)
}

// Sampled is an object of a convention that may be samples over time.
type Sampled interface {
	// Samples gives them, nil if the object is something else. None are read.
	Samples(ctx context.Context) (*Samples, error)
}

// Timed is an object of a file that tells when things happened.
type Timed interface {
	// Zero is the date that its seconds count from, as ISO 8601 spells it; "" if the
	// file does not say.
	Zero(ctx context.Context) string
	// Bands are the tables of the file whose rows last from one time to another.
	Bands(ctx context.Context) []Band
}

// Band is such a table.
type Band struct {
	Path, Name string
	Rows       int
}
