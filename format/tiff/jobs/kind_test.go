package jobs_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/jobs"
	"github.com/omnizarr/zarr/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func Example() {
	k := &jobs.Kind{}
	flags := flag.NewFlagSet("copy", flag.ContinueOnError)
	k.FormatFlags(flags)
	if err := flags.Parse([]string{"-compression", "fog"}); err != nil {
		fmt.Println(err)
		return
	}
	_, err := k.Format("cog")
	fmt.Println(k.Formats(), err)
	// Output: [tiff cog] --compression fog: must be one of none, lzw, deflate, zstd, packbits, lzma, jpeg
}
