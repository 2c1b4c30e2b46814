// Package rows holds what is shown row by row: tables, whose cells are JSON, and
// samples over time, which may also be drawn. They are read in blocks, so that a table
// may be larger than memory.
package rows

import (
	"context"
	"fmt"
)

// Span is evenly spaced positions along an axis, or those of a list.
type Span struct {
	Start, Step, Count int
	list               *func(i int) int // that Start and Step are of; nil: they are positions
}

// Listed is positions in any order. The list must not be changed.
func Listed(at []int) Span { return Chosen(len(at), func(i int) int { return at[i] }) }

// Chosen is so many positions in any order.
func Chosen(count int, at func(i int) int) Span { return Span{Step: 1, Count: count, list: &at} }

// Part is some of them.
func (s Span) Part(from, count int) Span {
	s.Start, s.Count = s.Start+from*s.Step, count
	return s
}

// At is one of them.
func (s Span) At(i int) int {
	if i = s.Start + i*s.Step; s.list != nil {
		return (*s.list)(i)
	}
	return i
}

// IsRun reports whether each follows the one before.
func (s Span) IsRun() bool { return s.list == nil && s.Step == 1 }

// IsListed reports whether they are those of a list, and need not be even.
func (s Span) IsListed() bool { return s.list != nil }

// Positions lists them.
func (s Span) Positions() []int {
	out := make([]int, s.Count)
	for i := range out {
		out[i] = s.At(i)
	}
	return out
}

// Cells appends the JSON of a cell of a column, by the number of its row in the span
// that was read.
type Cells func(dst []byte, i int) ([]byte, error)

// Field is a column.
type Field struct {
	Name   string
	Bytes  int // about, in a row
	Digits int // of numbers for people; 0 is 6
	Read   func(ctx context.Context, s Span) (Cells, error)

	// Type is what values are, such as "float64" or "text"; "" if nothing is said.
	Type, Unit, Description string
	Path                    string // of the array that has the values, in its file; may be empty
	Ragged                  bool   // cells are lists of any length
	Refers                  bool   // cells lead elsewhere
	// Numbers and Texts are Read for cells that are one number, or one text, each; nil
	// for others. What is missing is NaN, or "".
	Numbers func(ctx context.Context, s Span) ([]float64, error)
	Texts   func(ctx context.Context, s Span) ([]string, error)
	// Lists is Read for cells that are lists of numbers: that of row i are those from
	// offsets[i] up to, not including, offsets[i+1]. With parts, only those of list i are
	// read from parts[i][0] up to, not including, parts[i][1]. Lengths says how many each
	// has and reads none. Nil for others.
	Lists   func(ctx context.Context, s Span, parts [][2]int) (values []float64, offsets []int, err error)
	Lengths func(ctx context.Context, s Span) ([]int, error)
	// Show is Read for those who look: of a list there is {"list": how many, "values":
	// [the first most]}, what leads elsewhere is a Ref. Nil
	// where Read gives what is simple enough.
	Show func(ctx context.Context, s Span, most int) (Cells, error)
}

// Set is a table, or a part of one.
type Set struct {
	Fields []Field
	Rows   Span
	Note   string // for people
	// Notes say what is wrong with the table and does not keep rows from being read.
	Notes []string
	// Curves are the same as curves, nil if it is no table of samples.
	Curves *Curves
	// Events are what a column of lists of times has, drawn as ticks; nil if there is
	// none.
	Events *Curves
	// Bands says that rows last from one time to another; nil if they do not.
	Bands *Bands
}

// Bands names the columns that say when rows begin and end, and what they are called;
// Label is empty if nothing says it.
type Bands struct{ Start, Stop, Label string }

// Field finds a column, nil if there is none.
func (r *Set) Field(name string) *Field {
	for i := range r.Fields {
		if r.Fields[i].Name == name {
			return &r.Fields[i]
		}
	}
	return nil
}

// Rows are read in blocks of about blockBytes.
const (
	blockBytes = 16 << 20
	blockRows  = 1 << 12
	listedRows = 1 << 16 // of positions in any order, each of which may need a chunk
	// listedBlocks is how often all chunks are read for positions in any order, at most as
	// far as blockBytes allow.
	listedBlocks = 64
)

// Each reads rows and gives their cells in JSON, which are good until the next.
func (r *Set) Each(ctx context.Context, s Span, f func(cells [][]byte) error) error {
	size := 1
	for _, field := range r.Fields {
		size += field.Bytes
	}
	most := blockRows
	if s.IsListed() {
		most = max(listedRows, s.Count/listedBlocks)
	}
	cells := make([][]byte, len(r.Fields))
	for from := 0; from < s.Count; {
		block := s.Part(from, min(s.Count-from, max(1, min(most, blockBytes/size))))
		from += block.Count
		appends := make([]Cells, len(r.Fields))
		for k, field := range r.Fields {
			var err error
			if appends[k], err = field.Read(ctx, block); err != nil {
				return err
			}
		}
		for i := range block.Count {
			for k := range r.Fields {
				var err error
				if cells[k], err = appends[k](cells[k][:0], i); err != nil {
					return fmt.Errorf("column %s: row %d: %w", r.Fields[k].Name, block.At(i), err)
				}
			}
			if err := f(cells); err != nil {
				return err
			}
		}
	}
	return nil
}
