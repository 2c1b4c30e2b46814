package main

import (
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/internal/strictjson"
)

// printJSON writes v as indented JSON.
func (a *app) printJSON(v any) error {
	raw, err := strictjson.Marshal(v, false)
	if err != nil {
		return err
	}
	_, err = a.out.Write(append(strictjson.Indent(nil, raw), '\n'))
	return err
}

// times writes a shape as people do: 480 × 640.
func times(shape []int) string {
	if len(shape) == 0 {
		return "scalar"
	}
	parts := make([]string, len(shape))
	for i, n := range shape {
		parts[i] = fmt.Sprint(n)
	}
	return strings.Join(parts, " × ")
}

// size writes a number of bytes with its unit.
func size(bytes float64) string {
	if bytes < 1024 {
		return fmt.Sprintf("%.0f B", bytes)
	}
	for _, unit := range []string{"KiB", "MiB", "GiB", "TiB", "PiB"} {
		if bytes /= 1024; bytes < 1024 {
			return fmt.Sprintf("%.4g %s", bytes, unit)
		}
	}
	return fmt.Sprintf("%.4g EiB", bytes/1024)
}

// cutText shortens text to n characters.
func cutText(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// counted is a number with its noun: "1 array", "2 arrays".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
