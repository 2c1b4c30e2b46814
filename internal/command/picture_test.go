package command

import (
	"testing"
)

func TestSizes(t *testing.T) {
	for n, want := range map[float64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1 << 30: "1 GiB", 3 << 60: "3 EiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%v) = %s, want %s", n, got, want)
		}
	}
}
