package jpeg

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/thorough"
)

// testdata/cut.txt has what libtiff 4.5.0 with libjpeg-turbo 2.1.5 makes of the
// golden streams when they are cut: a stream's name, and lengths with the first
// bytes of the SHA-256 of the planes, or "error".
func TestCutStreamsAreThoseOfLibtiff(t *testing.T) {
	table, err := os.ReadFile("testdata/cut.txt")
	if err != nil {
		t.Fatal(err)
	}
	streams := map[string]golden{}
	for _, g := range readGolden(t) {
		streams[g.name] = g
	}
	withKernels(t, func(t *testing.T) {
		var d Decoder
		kinds := map[string]int{}
		for line := range strings.Lines(string(table)) {
			fields := strings.Fields(line)
			g := streams[fields[0]]
			for i, field := range fields[1:] {
				if i%thorough.Step(5) != 0 {
					continue
				}
				var n int
				at, want, _ := strings.Cut(field, ":")
				if n, err = strconv.Atoi(at); err != nil {
					t.Fatalf("%q: %v", field, err)
				}
				p := g.room()
				c, err := d.Decode(p, g.src[:n], g.options())
				got := fmt.Sprintf("%x", sha256.Sum256(p.samples(g.width, g.height)))[:8]
				var cut *CutError
				if err != nil && !errors.As(err, &cut) {
					got = "error"
				}
				if got != want {
					t.Errorf("%s cut after %d of %d bytes: %s, want %s (%v)", g.note, n, len(g.src), got, want, err)
				}
				if cut != nil {
					kinds[fmt.Sprint(c.Progressive, c.Arithmetic)]++
				}
			}
		}
		for _, k := range []string{"false false", "false true", "true false", "true true"} {
			if kinds[k] < 100/thorough.Step(5) {
				t.Errorf("progressive, arithmetic %s: only %d streams that end early", k, kinds[k])
			}
		}
	})
}

// A stream that ends with an end-of-image marker too early is as one that is cut.
func TestAnEarlyEndMarker(t *testing.T) {
	for _, g := range readGolden(t) {
		c, err := ReadConfig(g.src)
		if err != nil {
			t.Fatal(err)
		}
		if c.Arithmetic {
			continue // zeros may be left out before a marker
		}
		n := len(g.src) * 4 / 5
		for g.src[n-1] == 0xff {
			n--
		}
		var d Decoder
		a, b := g.room(), g.room()
		_, err = d.Decode(a, g.src[:n], g.options())
		_, again := d.Decode(b, append(bytes.Clone(g.src[:n]), 0xff, markerEOI), g.options())
		var cut, early *CutError
		if errors.As(err, &cut) != errors.As(again, &early) || cut != nil && (*cut != *early || !bytes.Equal(a.samples(g.width, g.height), b.samples(g.width, g.height))) {
			t.Errorf("%s: %v cut, %v with a marker", g.note, err, again)
		}
	}
}

// Rows above those that are made up are as they were written.
func TestRowsBeforeTheCutAreWhole(t *testing.T) {
	above := 0
	for i, g := range readGolden(t) {
		if i%4 != 0 || len(g.src) > 2000 {
			continue
		}
		var d Decoder
		whole := g.room()
		if _, err := d.Decode(whole, g.src, g.options()); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(g.src); n += thorough.Step(12) {
			p := g.room()
			_, err := d.Decode(p, g.src[:n], g.options())
			var cut *CutError
			if !errors.As(err, &cut) {
				continue
			}
			above += cut.Row
			if cut.Row < 0 || cut.Row >= g.height || !bytes.Equal(p.samples(g.width, cut.Row), whole.samples(g.width, cut.Row)) {
				t.Errorf("%s cut after %d of %d bytes: rows before %d differ", g.note, n, len(g.src), cut.Row)
			}
		}
	}
	if above < 10000/thorough.Step(12) {
		t.Errorf("only %d rows were compared", above)
	}
}
