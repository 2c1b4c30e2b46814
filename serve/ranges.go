package serve

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// span is a part of a value: n bytes from off.
type span struct{ off, n int64 }

// wanted is one part that a Range header names, before the size of the value is known.
type wanted struct {
	first, last int64 // inclusive; last -1: to the end
	suffix      int64 // the last so many bytes, where first is -1
}

var (
	errRange      = errors.New("none of the ranges lies inside the value")
	errRangeForm  = errors.New("the header Range is not of the form bytes=first-last")
	errManyRanges = errors.New("too many ranges in one request")
)

// parseRanges reads a Range header. A unit other than bytes is to be taken for no header:
// ok is false.
func parseRanges(header string, most int) (out []wanted, ok bool, err error) {
	rest, ok := cutUnit(header)
	if !ok {
		return nil, false, nil
	}
	if strings.Count(rest, ",") >= most {
		return nil, true, errManyRanges
	}
	for part := range strings.SplitSeq(rest, ",") {
		part = strings.Trim(part, " \t")
		if part == "" {
			continue
		}
		from, to, dash := strings.Cut(part, "-")
		if !dash || from == "" && to == "" {
			return nil, true, errRangeForm
		}
		w := wanted{first: -1, last: -1}
		if from != "" {
			if w.first, ok = position(from); !ok {
				return nil, true, errRangeForm
			}
		}
		if to != "" {
			n, ok := position(to)
			if !ok || from != "" && n < w.first {
				return nil, true, errRangeForm
			}
			if from == "" {
				w.suffix = n
			} else {
				w.last = n
			}
		}
		out = append(out, w)
	}
	if len(out) == 0 {
		return nil, true, errRangeForm
	}
	return out, true, nil
}

func cutUnit(header string) (string, bool) {
	unit, rest, ok := strings.Cut(header, "=")
	return rest, ok && strings.EqualFold(strings.TrimSpace(unit), "bytes")
}

// position reads digits; more than fit stand for a place that no value reaches.
func position(s string) (int64, bool) {
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	return n, true
}

// resolve gives the parts of a value of the given size that are meant. Where together they
// are more than the value, the whole of it serves better: whole is true.
func resolve(ranges []wanted, size int64) (spans []span, whole bool, err error) {
	var sum int64
	for _, w := range ranges {
		s := span{w.first, size - w.first}
		switch {
		case w.first < 0:
			n := min(w.suffix, size)
			s = span{size - n, n}
		case w.last >= 0 && w.last < size:
			s.n = w.last - w.first + 1
		}
		if s.n <= 0 || s.off >= size {
			continue
		}
		spans, sum = append(spans, s), sum+s.n
		if sum > size {
			return nil, true, nil
		}
	}
	if len(spans) == 0 {
		return nil, false, errRange
	}
	return spans, false, nil
}
