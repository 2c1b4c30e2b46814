package jpeg

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// golden is a stream with what libjpeg-turbo 2.1.5 makes of it on a processor
// with AVX2, set up as libtiff 4.5.0 does it. Streams are by the same library;
// some were changed by hand, those with impossible coefficients were written
// coefficient by coefficient.
type golden struct {
	name          string
	src, tables   []byte
	rgb           bool
	width, height int
	n             int
	sum           string // SHA-256 of the planes, one after the other
	note          string
}

// readGolden gives what is in testdata/golden.zip, which is read once: nobody changes it.
func readGolden(t testing.TB) []golden {
	t.Helper()
	all, err := goldens()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Lines of index.txt are: name, 1 for RGB, width, height, components, sum, and how
// the stream was made.
var goldens = sync.OnceValues(func() ([]golden, error) {
	z, err := zip.OpenReader("testdata/golden.zip")
	if err != nil {
		return nil, err
	}
	defer z.Close()
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files[f.Name] = b
	}
	var all []golden
	for line := range strings.Lines(string(files["index.txt"])) {
		var g golden
		var rgb int
		if _, err := fmt.Sscan(line, &g.name, &rgb, &g.width, &g.height, &g.n, &g.sum); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		g.rgb = rgb == 1
		g.src, g.tables = files[g.name+".jpg"], files[g.name+".tables"]
		g.note = strings.TrimSpace(line)
		all = append(all, g)
	}
	if len(all) < 150 {
		return nil, fmt.Errorf("only %d streams", len(all))
	}
	return all, nil
})

// find gives the stream of that name.
func find(t testing.TB, name string) golden {
	t.Helper()
	for _, g := range readGolden(t) {
		if g.name == name {
			return g
		}
	}
	t.Fatalf("no stream %s", name)
	return golden{}
}

// newPlanes makes room for n components, with something between the rows.
func newPlanes(width, height, n, gap int) Planes {
	p := Planes{Stride: width + gap, Width: width, Height: height}
	for range n {
		p.Data = append(p.Data, bytes.Repeat([]byte{0xa5}, (width+gap)*height))
	}
	return p
}

// samples gives the planes without what is between their rows.
func (p *Planes) samples(width, height int) []byte {
	var all []byte
	for _, d := range p.Data {
		for y := range height {
			all = append(all, d[y*p.Stride:][:width]...)
		}
	}
	return all
}

// options are those that the stream is decoded with.
func (g *golden) options() DecodeOptions {
	return DecodeOptions{Tables: g.tables, RGB: g.rgb}
}

// room is exactly what the stream needs.
func (g *golden) room() Planes { return newPlanes(g.width, g.height, g.n, 0) }

func TestSamplesAreThoseOfLibjpeg(t *testing.T) {
	all := readGolden(t)
	withKernels(t, func(t *testing.T) {
		var d Decoder
		for _, g := range all {
			p := g.room()
			c, err := d.Decode(p, g.src, g.options())
			if err != nil {
				t.Errorf("%s: %v", g.note, err)
				continue
			}
			if got := fmt.Sprintf("%x", sha256.Sum256(p.samples(g.width, g.height))); got != g.sum {
				t.Errorf("%s: other samples", g.note)
			}
			want, err := ReadConfig(g.src)
			if err != nil || c != want || c.Width != g.width || c.Height != g.height || c.Components != g.n || c.Precision != 8 {
				t.Errorf("%s: config %+v, ReadConfig %+v, %v", g.note, c, want, err)
			}
		}
	})
}

func TestASmallerImageIsWrittenToTheTopLeft(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		var d Decoder
		for _, g := range readGolden(t) {
			p := newPlanes(g.width+3, g.height+2, g.n, 5)
			if _, err := d.Decode(p, g.src, g.options()); err != nil {
				t.Fatalf("%s: %v", g.note, err)
			}
			if got := fmt.Sprintf("%x", sha256.Sum256(p.samples(g.width, g.height))); got != g.sum {
				t.Errorf("%s: other samples", g.note)
			}
			for c, plane := range p.Data {
				for i, v := range plane {
					if inside := i%p.Stride < g.width && i/p.Stride < g.height; !inside && v != 0xa5 {
						t.Fatalf("%s: component %d was written at %d, %d", g.note, c, i%p.Stride, i/p.Stride)
					}
				}
			}
		}
	})
}

func TestTheRoomMayEndWithTheLastRow(t *testing.T) {
	g := find(t, "plain")
	p := newPlanes(g.width, g.height, g.n, 9)
	for i := range p.Data {
		p.Data[i] = p.Data[i][:(g.height-1)*p.Stride+g.width]
	}
	var d Decoder
	if _, err := d.Decode(p, g.src, g.options()); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(p.samples(g.width, g.height))); got != g.sum {
		t.Error("other samples")
	}
}
