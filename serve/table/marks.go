package table

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/omnizarr/zarr/internal/numeric"
	"github.com/omnizarr/zarr/rows"
)

const (
	// marked is how many rows have their marks found at once.
	marked = 64
	// every is how many events are between two marks.
	every = 256
)

// marks say where in a list of times which are, so that few need be read to see some.
type marks struct {
	n           int       // times in the list
	least, most float64   // of those that are finite; the least is the greater if there are none
	at          []float64 // the first time, and every so many the next; nil if they are in no order
}

// marks finds those of the k-th group of rows, by reading their lists once.
func (t *Table) marks(ctx context.Context, f *rows.Field, k int) ([]marks, error) {
	span := rows.Span{Start: k * marked, Step: 1, Count: min(marked, t.Rows()-k*marked)}
	raw, err := t.kept(ctx, fmt.Sprintf("marks %q %d", f.Name, k), func(ctx context.Context) ([]byte, error) {
		var out []float64
		err := t.lists(ctx, f, span, nil, func(_ int, times []float64) {
			least, most := math.Inf(1), math.Inf(-1)
			for _, x := range times {
				if x-x == 0 {
					least, most = min(least, x), max(most, x)
				}
			}
			head := len(out)
			out = append(out, float64(len(times)), least, most, 0)
			if !slices.ContainsFunc(times, func(x float64) bool { return x != x }) && slices.IsSorted(times) {
				for i := 0; i < len(times); i += every {
					out = append(out, times[i])
				}
			}
			out[head+3] = float64(len(out) - head - 4)
		})
		return numeric.Bytes(out), err
	})
	if err != nil {
		return nil, err
	}
	list := numeric.Slice[float64](raw)
	out := make([]marks, 0, span.Count)
	for range span.Count {
		m := marks{n: int(list[0]), least: list[1], most: list[2]}
		if n := int(list[3]); n > 0 {
			m.at = list[4 : 4+n]
		}
		out = append(out, m)
		list = list[4+int(list[3]):]
	}
	return out, nil
}

// part is which entries of the list may be between two times.
func (m marks) part(from, to float64) [2]int {
	if m.at == nil {
		return [2]int{0, m.n}
	}
	first := max(sort.SearchFloat64s(m.at, from)-1, 0)
	last := sort.Search(len(m.at), func(i int) bool { return m.at[i] > to })
	return [2]int{first * every, max(min(last*every, m.n), first*every)}
}

// within reads of the lists of rows what may be between two times.
func (t *Table) within(ctx context.Context, f *rows.Field, span rows.Span, from, to float64, give func(i int, values []float64)) error {
	parts := make([][2]int, span.Count)
	groups := map[int][]marks{}
	for i := range parts {
		row := span.At(i)
		group, ok := groups[row/marked]
		if !ok {
			var err error
			if group, err = t.marks(ctx, f, row/marked); err != nil {
				return err
			}
			groups[row/marked] = group
		}
		parts[i] = group[row%marked].part(from, to)
	}
	return t.lists(ctx, f, span, parts, give)
}

// lists reads lists, or parts of them, several at once as long as they are short.
func (t *Table) lists(ctx context.Context, f *rows.Field, span rows.Span, parts [][2]int, give func(i int, values []float64)) error {
	if parts == nil {
		lengths, err := f.Lengths(ctx, span)
		if err != nil {
			return err
		}
		for _, n := range lengths {
			parts = append(parts, [2]int{0, n})
		}
	}
	total := 0
	for _, p := range parts {
		if total += p[1] - p[0]; total > mostEvents {
			return fmt.Errorf("more than %d events: %w, ask for fewer rows, or a shorter time", mostEvents, ErrTooLarge)
		}
	}
	for from := 0; from < span.Count; {
		n, count := 0, 0
		for from+count < span.Count && (count == 0 || n+parts[from+count][1]-parts[from+count][0] <= someEvents) {
			n += parts[from+count][1] - parts[from+count][0]
			count++
		}
		values, offsets, err := f.Lists(ctx, span.Part(from, count), parts[from:from+count])
		if err != nil {
			return err
		}
		for i := range count {
			give(from+i, values[offsets[i]:offsets[i+1]])
		}
		from += count
	}
	return nil
}
