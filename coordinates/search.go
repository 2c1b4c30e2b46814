package coordinates

import (
	"context"
	"fmt"
	"math"
	"sort"
)

// wholeMost is how many coordinates are read at once. A line of no more is read
// whole, so that it is known whether it is in order.
const wholeMost = 1 << 16

// order is how coordinates follow each other.
type order int8

const (
	unordered  order = 0
	ascending  order = 1
	descending order = -1
)

// points are coordinates of one kind. distance is how far two are apart, compare
// which is less; texts have no distance.
type points[T any] struct {
	n        int
	read     func(ctx context.Context, start, stop int) ([]T, error)
	compare  func(x, y T) int
	distance func(x, y T) float64

	whole []T // all of them, if they are few
	seen  map[int]T
	order order
}

// look finds out how the coordinates are ordered: of few by looking at all, of many
// by the ends, and what is read of them later is checked against that.
func (p *points[T]) look(ctx context.Context) error {
	var err error
	if p.n <= wholeMost {
		if p.whole, err = p.get(ctx, 0, p.n); err != nil {
			return err
		}
		p.order = orderOf(p.whole, p.compare)
		return nil
	}
	p.seen = map[int]T{}
	first, err := p.at(ctx, 0)
	if err != nil {
		return err
	}
	last, err := p.at(ctx, p.n-1)
	if err != nil {
		return err
	}
	p.order = order(sign(p.compare(last, first)))
	return nil
}

func sign(n int) int { return min(max(n, -1), 1) }

// orderOf is that of a list; equal neighbours are in order. NaN is in no order.
func orderOf[T any](list []T, compare func(x, y T) int) order {
	up, down := true, true
	for i := range list {
		if compare(list[i], list[i]) != 0 {
			return unordered
		}
		if i > 0 {
			c := compare(list[i-1], list[i])
			up, down = up && c <= 0, down && c >= 0
		}
	}
	switch {
	case up:
		return ascending
	case down:
		return descending
	}
	return unordered
}

// get reads coordinates and checks that there are as many as were asked for.
func (p *points[T]) get(ctx context.Context, start, stop int) ([]T, error) {
	list, err := p.read(ctx, start, stop)
	if err == nil && len(list) != stop-start {
		err = fmt.Errorf("%d coordinates from %d to %d", len(list), start, stop)
	}
	return list, err
}

func (p *points[T]) at(ctx context.Context, i int) (v T, err error) {
	if p.whole != nil {
		return p.whole[i], nil
	}
	if v, ok := p.seen[i]; ok {
		return v, nil
	}
	list, err := p.get(ctx, i, i+1)
	if err != nil {
		return v, err
	}
	p.seen[i] = list[0]
	return list[0], nil
}

// holds reports whether everything that was read is in the order that the ends
// promise.
func (p *points[T]) holds() bool {
	if p.whole != nil || p.order == unordered {
		return p.order != unordered
	}
	at := make([]int, 0, len(p.seen))
	for i := range p.seen {
		at = append(at, i)
	}
	sort.Ints(at)
	list := make([]T, len(at))
	for k, i := range at {
		list[k] = p.seen[i]
	}
	return orderOf(list, p.compare) == p.order
}

// first is the least position whose coordinate is not before v in the order of the
// line, or with after, the least that is behind v. The line is in order.
func (p *points[T]) first(ctx context.Context, v T, after bool) (int, error) {
	var failed error
	i := sort.Search(p.n, func(i int) bool {
		if failed != nil {
			return true
		}
		x, err := p.at(ctx, i)
		if err != nil {
			failed = err
			return true
		}
		c := p.compare(x, v) * int(p.order)
		return c > 0 || c == 0 && !after
	})
	return i, failed
}

// nearest is the position of the coordinate that is nearest to v, the first of
// those that are equally near; -1 if there is none.
func (p *points[T]) nearest(ctx context.Context, v T, exact bool) (int, error) {
	if p.order != unordered {
		i, err := p.nearestInOrder(ctx, v)
		if err != nil {
			return 0, err
		}
		if p.holds() {
			return p.fits(ctx, i, v, exact)
		}
	}
	best, least := -1, math.Inf(1)
	for start := 0; start < p.n; start += wholeMost {
		stop := min(start+wholeMost, p.n)
		list, err := p.get(ctx, start, stop)
		if err != nil {
			return 0, err
		}
		for k, x := range list {
			switch {
			case p.compare(x, v) == 0:
				return start + k, nil
			case !exact && p.distance != nil:
				if d := p.distance(x, v); d < least {
					best, least = start+k, d
				}
			}
		}
	}
	return best, nil
}

func (p *points[T]) nearestInOrder(ctx context.Context, v T) (int, error) {
	i, err := p.first(ctx, v, false)
	if err != nil || p.distance == nil || i == 0 {
		return min(i, p.n-1), err
	}
	if i == p.n {
		// The first of those that are equal to the last.
		last, err := p.at(ctx, p.n-1)
		if err != nil {
			return 0, err
		}
		return p.first(ctx, last, false)
	}
	before, err := p.at(ctx, i-1)
	if err != nil {
		return 0, err
	}
	here, err := p.at(ctx, i)
	if err != nil {
		return 0, err
	}
	if p.distance(before, v) <= p.distance(here, v) {
		return p.first(ctx, before, false)
	}
	return i, nil
}

// fits gives a position if its coordinate may stand for v: it is equal, or v lies
// no further outside than half the distance between the last two.
func (p *points[T]) fits(ctx context.Context, i int, v T, exact bool) (int, error) {
	x, err := p.at(ctx, i)
	if err != nil {
		return 0, err
	}
	if p.compare(x, v) == 0 {
		return i, nil
	}
	if exact || p.distance == nil {
		return -1, nil
	}
	inner := -1 // the neighbour of an end
	switch c := p.compare(v, x) * int(p.order); {
	case i == 0 && c < 0:
		inner = min(1, p.n-1)
	case c > 0:
		last, err := p.at(ctx, p.n-1)
		if err != nil {
			return 0, err
		}
		if p.compare(last, x) == 0 {
			inner = max(p.n-2, 0)
		}
	}
	if inner < 0 {
		return i, nil
	}
	next, err := p.at(ctx, inner)
	if err != nil {
		return 0, err
	}
	// A little more, since halves of decimal fractions are rounded.
	if p.distance(x, v) > p.distance(x, next)/2*(1+1e-9) {
		return -1, nil
	}
	return i, nil
}

// between gives the positions from start up to stop whose coordinates lie from low
// to high, both included; either may be left open.
func (p *points[T]) between(ctx context.Context, low, high *T) (start, stop int, err error) {
	if p.order == unordered {
		return 0, 0, errUnordered
	}
	from, to := low, high
	if p.order == descending {
		from, to = high, low
	}
	stop = p.n
	if from != nil {
		if start, err = p.first(ctx, *from, false); err != nil {
			return 0, 0, err
		}
	}
	if to != nil {
		if stop, err = p.first(ctx, *to, true); err != nil {
			return 0, 0, err
		}
	}
	if !p.holds() {
		return 0, 0, errUnordered
	}
	return start, max(stop, start), nil
}
