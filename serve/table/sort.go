package table

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/omnizarr/zarr/rows"
)

// sorting lets one table after the other be sorted, which takes much memory.
var sorting = make(chan struct{}, 1)

const (
	// block is how many numbers are read at once.
	block = 1 << 20
	// mostText is how many bytes of texts are sorted.
	mostText = 256 << 20
)

// each calls f with the rows of an order block by block, each in the order of the table:
// first is the row that a block begins with, and at are the rows of it, counted from
// there; nil is all of them.
func (t *Table) each(ctx context.Context, o order, size int, f func(span rows.Span, at []uint32) error) error {
	var at []uint32
	next := 0
	for from := 0; from < t.Rows(); from += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		count := min(size, t.Rows()-from)
		at = at[:0]
		for ; o.rows != nil && next < o.n && o.at(next) < from+count; next++ {
			at = append(at, uint32(o.at(next)-from))
		}
		if o.rows != nil && len(at) == 0 {
			continue
		}
		here := at
		if o.rows == nil {
			here = nil
		}
		if err := f(rows.Span{Start: from, Step: 1, Count: count}, here); err != nil {
			return err
		}
	}
	return nil
}

// sorted sorts the rows of an order, which is that of the table, by a column. What is
// missing comes last; rows that are equal stay as they were.
func (t *Table) sorted(ctx context.Context, o order, f *rows.Field, down bool) ([]byte, error) {
	select {
	case sorting <- struct{}{}:
		defer func() { <-sorting }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if f.Numbers == nil && f.Texts != nil {
		return t.sortedTexts(ctx, o, f, down)
	}
	keys, at := make([]uint64, 0, o.n), make([]uint32, 0, o.n)
	err := t.each(ctx, o, block, func(span rows.Span, here []uint32) error {
		values, err := numbers(ctx, f, span)
		if err != nil {
			return err
		}
		add := func(i int) {
			keys = append(keys, key(values[i], down))
			at = append(at, uint32(span.Start+i))
		}
		if here == nil {
			for i := range values {
				add(i)
			}
		}
		for _, i := range here {
			add(int(i))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list(radix(ctx, keys, at)), ctx.Err()
}

// numbers are what rows are sorted and chosen by: numbers, or how long lists are.
func numbers(ctx context.Context, f *rows.Field, span rows.Span) ([]float64, error) {
	if f.Numbers != nil {
		return f.Numbers(ctx, span)
	}
	lengths, err := f.Lengths(ctx, span)
	out := make([]float64, len(lengths))
	for i, n := range lengths {
		out[i] = float64(n)
	}
	return out, err
}

// key is a number whose order is that of floats; NaN is the greatest.
func key(x float64, down bool) uint64 {
	if x != x {
		return math.MaxUint64
	}
	bits := math.Float64bits(x + 0) // -0 is 0
	if bits>>63 != 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	if down {
		bits = ^bits
	}
	return bits
}

// digit is how many bits are sorted by at once.
const digit = 16

// radix sorts rows by their keys; rows with the same stay as they were. It stops when the
// context ends, in no order.
func radix(ctx context.Context, keys []uint64, at []uint32) []uint32 {
	moreKeys, moreAt := make([]uint64, len(keys)), make([]uint32, len(at))
	counts := make([]int, 1<<digit)
	for shift := 0; shift < 64 && ctx.Err() == nil; shift += digit {
		clear(counts)
		for _, k := range keys {
			counts[k>>shift&(1<<digit-1)]++
		}
		if slices.Contains(counts, len(keys)) { // all are the same here
			continue
		}
		sum := 0
		for i, n := range counts {
			counts[i], sum = sum, sum+n
		}
		for i, k := range keys {
			to := &counts[k>>shift&(1<<digit-1)]
			moreKeys[*to], moreAt[*to] = k, at[i]
			*to++
		}
		keys, moreKeys, at, moreAt = moreKeys, keys, moreAt, at
	}
	return at
}

// sortedTexts is sorted for a column of texts; empty ones come last.
func (t *Table) sortedTexts(ctx context.Context, o order, f *rows.Field, down bool) ([]byte, error) {
	type entry struct {
		text string
		row  uint32
	}
	all := make([]entry, 0, o.n)
	size := 0
	same := map[string]string{} // of few, one copy is enough
	err := t.each(ctx, o, textBlock, func(span rows.Span, here []uint32) error {
		texts, err := f.Texts(ctx, span)
		if err != nil {
			return err
		}
		add := func(i int) {
			text, ok := same[texts[i]]
			if !ok {
				text = texts[i]
				if size += len(text); len(same) < mostSame {
					same[text] = text
				}
			}
			all = append(all, entry{text, uint32(span.Start + i)})
		}
		if here == nil {
			for i := range texts {
				add(i)
			}
		}
		for _, i := range here {
			add(int(i))
		}
		if size > mostText {
			return fmt.Errorf("sorting by %s, which has more than %d MiB of text, %w", f.Name, mostText>>20, ErrTooMuch)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(x, y entry) int {
		switch {
		case x.text == "" || y.text == "":
			return cmp.Compare(len(y.text), 0) - cmp.Compare(len(x.text), 0)
		case down:
			return cmp.Compare(y.text, x.text)
		}
		return cmp.Compare(x.text, y.text)
	})
	at := make([]uint32, len(all))
	for i, e := range all {
		at[i] = e.row
	}
	return list(at), nil
}

const (
	// textBlock is how many texts are read at once.
	textBlock = 1 << 16
	// mostSame is how many different texts are remembered.
	mostSame = 1 << 16
)
