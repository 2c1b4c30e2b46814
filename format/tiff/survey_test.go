package tiff_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/format/tiff/tag"
)

// A survey names what is wrong with directories that opening passes over, by number
// and offset.
func TestSurvey(t *testing.T) {
	two := little().file(gray(8, 8, 0), gray(8, 8, 1))
	// Where the offset of the directory behind the last one stands.
	end := func(data []byte) []byte { return data[len(data)-4:] }
	first := slices.Clone(two[4:8])
	entries := int(binary.LittleEndian.Uint32(first))
	at := fmt.Sprint(binary.LittleEndian.Uint32(two[entries+2+12*int(binary.LittleEndian.Uint16(two[entries:])):])) // of the second directory
	loop := slices.Clone(two)
	copy(end(loop), first)
	out := slices.Clone(two)
	copy(end(out), long(1<<20))
	subs := little().file(gray(8, 8, 0, tag.Longs(tag.SubIFDs, 1<<20, 8)))
	lost := patched(little().file(gray(8, 8, 0, tag.Longs(tag.SubIFDs, 8, 8))), count(tag.SubIFDs, tag.Long, 2), count(tag.SubIFDs, tag.Long, 1<<30))
	second := gray(8, 8, 1)
	second.subs = []*picture{gray(4, 4, 2)}
	for name, c := range map[string]struct {
		data   []byte
		faults []string
		apart  []string
	}{
		"good":    {data: two},
		"apart":   {data: little().file(gray(8, 8, 0), second), apart: []string{"ifd/1/0"}},
		"loop":    {data: loop, faults: []string{"ifd/1: the chain of directories is broken: behind IFD 1, at offset " + at + ", comes IFD 0 at offset "}},
		"outside": {data: out, faults: []string{"ifd/2: the chain of directories is broken: behind IFD 1 comes no directory: IFD at offset 1048576: "}},
		"subs": {data: subs, faults: []string{
			"ifd/0/0: tag 330 (SubIFDs) of IFD 0: IFD at offset 1048576: ", "ifd/0/1: tag 330 (SubIFDs) of IFD 0: IFD at offset 8: "}},
		"lost": {data: lost, faults: []string{"ifd/0: tag 330 (SubIFDs): count 1073741824 at offset "}},
	} {
		f, err := tiff.Open(ctx, holding(t, "a.tif", c.data), "a.tif")
		check(t, err)
		got, err := f.Survey(ctx)
		check(t, err)
		check(t, f.Close())
		ok := len(got.Faults) == len(c.faults) && slices.Equal(got.Apart, c.apart)
		for i, g := range got.Faults {
			text := g.Path + ": " + g.Problem
			ok = ok && i < len(c.faults) && strings.HasPrefix(text, c.faults[i])
		}
		if !ok {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
