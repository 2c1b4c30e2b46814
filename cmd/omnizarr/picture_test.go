package main

import (
	"strings"
	"testing"
)

// slope is dark on the left and bright on the right.
var slope = picture{width: 8, height: 8, at: func(x, _ int) float64 { return float64(x) / 7 }}

func TestPictureInCharacters(t *testing.T) {
	var b strings.Builder
	if err := slope.draw(&b, 8, false); err != nil {
		t.Fatal(err)
	}
	if want := strings.Repeat("   .:=+#%@\n", 4); b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestPictureInColour(t *testing.T) {
	var b strings.Builder
	if err := slope.draw(&b, 4, true); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 3 || strings.Count(lines[0], "▀") != 4 || !strings.HasSuffix(lines[0], "\x1b[0m") {
		t.Errorf("got %q", lines)
	}
}

func TestPalette(t *testing.T) {
	for v, want := range map[float64][3]uint8{-1: {6, 8, 30}, 0: {6, 8, 30}, 0.1: {25, 13, 61}, 1: {252, 253, 191}, 2: {252, 253, 191}} {
		if got := palette(v); got != want {
			t.Errorf("palette(%v) = %v, want %v", v, got, want)
		}
	}
}

func TestSizes(t *testing.T) {
	for n, want := range map[float64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1 << 30: "1 GiB", 3 << 60: "3 EiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%v) = %s, want %s", n, got, want)
		}
	}
}
