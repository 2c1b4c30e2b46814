// Package rows holds what is shown row by row: tables, whose cells are JSON, and
// samples over time, which may also be drawn. They are read in blocks, so that a table
// may be larger than memory.
package rows

import (
	"context"
	"fmt"
)

// Span is evenly spaced positions along an axis.
type Span struct{ Start, Step, Count int }

// Part is some of them.
func (s Span) Part(from, count int) Span { return Span{s.Start + from*s.Step, s.Step, count} }

// Positions lists them.
func (s Span) Positions() []int {
	out := make([]int, s.Count)
	for i := range out {
		out[i] = s.Start + i*s.Step
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
}

// Rows are read in blocks of about blockBytes.
const (
	blockBytes = 16 << 20
	blockRows  = 1 << 12
)

// Each reads rows and gives their cells in JSON, which are good until the next.
func (r *Set) Each(ctx context.Context, s Span, f func(cells [][]byte) error) error {
	size := 1
	for _, field := range r.Fields {
		size += field.Bytes
	}
	cells := make([][]byte, len(r.Fields))
	for from := 0; from < s.Count; {
		block := s.Part(from, min(s.Count-from, max(1, min(blockRows, blockBytes/size))))
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
					return fmt.Errorf("column %s: row %d: %w", r.Fields[k].Name, block.Start+i*block.Step, err)
				}
			}
			if err := f(cells); err != nil {
				return err
			}
		}
	}
	return nil
}
