package copying_test

import (
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/jobtest"
	"github.com/omnizarr/zarr/store/mem"
)

func TestSummaryCountsWhatWasDone(t *testing.T) {
	s := mem.New()
	a, err := zarr.CreateArrayIn(ctx, s, "", zarr.ArraySpec{Shape: []int{64, 64}, Chunks: []int{16, 16}, DataType: "uint16", Codecs: []byte(`[{"name": "bytes", "configuration": {"endian": "little"}}]`)})
	jobtest.Check(t, err)
	data := make([]uint16, 32*64) // the lower half is not stored
	for i := range data {
		data[i] = uint16(i + 1)
	}
	jobtest.Check(t, zarr.Write(ctx, a, zarr.Box([]int{0, 0}, []int{32, 64}), data))
	for _, verify := range []bool{false, true} { // what is read to compare is no part of the copy
		sum, err := copying.Into(ctx, a, mem.New(), "", copying.Options{Chunks: []int{8, 32}, Verify: verify})
		jobtest.Check(t, err)
		if sum.Arrays != 1 || sum.Chunks != 8 || sum.Read != 4096 || sum.Written != 4096 || sum.Elements != 4096 || sum.Seconds <= 0 {
			t.Errorf("verify %v: %+v", verify, sum)
		}
		if text := sum.String(); !strings.HasPrefix(text, "1 array, 8 chunks, 4 KiB in, 4 KiB out, ratio 1, ") {
			t.Error(verify, text)
		}
	}
}

func TestSummaryInWords(t *testing.T) {
	sum := copying.Summary{
		Arrays: 3, Chunks: 4096, Passed: 4000, Read: 1 << 30, Written: 1 << 29, Seconds: 3.44, Resumed: 1,
		Files: []string{"README"}, NotCopied: []string{"a", "b", "c", "d", "e", "f"},
	}
	const want = "3 arrays, 4,096 chunks (4,000 as bytes), 1 block done before, 1 other file, 1 GiB in, 512 MiB out, ratio 2, 3.4 s; not copied: a, b, c, d, e and 1 more"
	if got := sum.String(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := (copying.Summary{Already: true}).String(); !strings.HasPrefix(got, "nothing to do") {
		t.Error(got)
	}
}
