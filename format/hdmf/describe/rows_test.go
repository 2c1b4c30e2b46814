package describe

import (
	"fmt"
	"slices"
	"testing"
)

// TestSlicesOfRowsAreNumPys compares with the rules of Python's slices, spelled out
// position by position.
func TestSlicesOfRowsAreNumPys(t *testing.T) {
	model := func(start, stop, step *int, n int) (out []int) {
		k := 1
		if step != nil {
			k = *step
		}
		from, to := 0, n
		if k < 0 {
			from, to = n-1, -1
		}
		wrap := func(v int) int {
			if v < 0 {
				v += n
			}
			if k < 0 {
				return min(max(v, -1), n-1)
			}
			return min(max(v, 0), n)
		}
		if start != nil {
			from = wrap(*start)
		}
		if stop != nil {
			to = wrap(*stop)
		}
		for i := from; k > 0 && i < to || k < 0 && i > to; i += k {
			out = append(out, i)
		}
		return out
	}
	values := []*int{nil}
	for _, v := range []int{-9, -4, -1, 0, 2, 4, 9} {
		values = append(values, &v)
	}
	text := func(v *int) string {
		if v == nil {
			return ""
		}
		return fmt.Sprint(*v)
	}
	for n := range 6 {
		for _, start := range values {
			for _, stop := range values {
				for _, step := range values {
					if step != nil && *step == 0 {
						continue
					}
					s := text(start) + ":" + text(stop) + ":" + text(step)
					got, err := spansOf(t.Context(), s, nil, n)
					if want := model(start, stop, step, n); err != nil || !slices.Equal(got[0].Positions(), want) {
						t.Fatalf("%s of %d is %v, %v, want %v", s, n, got, err, want)
					}
				}
			}
		}
	}
	for _, bad := range []string{"5", "-6", "x", "1:2:3:4", "::0", "1.5"} {
		if got, err := spansOf(t.Context(), bad, nil, 5); err == nil {
			t.Errorf("%s of 5 is %v", bad, got)
		}
	}
	for s, want := range map[string][]int{"": {0, 1, 2}, "-1": {2}, "1": {1}} {
		if got, err := spansOf(t.Context(), s, nil, 3); err != nil || !slices.Equal(got[0].Positions(), want) {
			t.Errorf("%q of 3 is %v, %v", s, got, err)
		}
	}
}
