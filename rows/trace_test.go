package rows

import (
	"strings"
	"testing"
)

func TestTracesAreDrawnInBlocks(t *testing.T) {
	tr := NewTrace(8)
	for i, v := range []float64{0, 1, 2, 3} {
		tr.Add(2*i+1, v)
	}
	low, high, ok := tr.Bounds()
	if low != 0 || high != 3 || !ok {
		t.Errorf("bounds %v to %v, %v", low, high, ok)
	}
	tr.Join()
	got := strings.Join(tr.Draw(low, high, 2), "\n")
	if want := "  ▗▟\n▗▟▀ "; got != want {
		t.Errorf("drawn as\n%s\nwant\n%s", got, want)
	}
}
