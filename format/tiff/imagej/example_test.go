package imagej_test

import (
	"fmt"

	"github.com/omnizarr/zarr/format/tiff/imagej"
)

func ExampleParse() {
	info, err := imagej.Parse("ImageJ=1.53t\nimages=12\nchannels=2\nslices=3\nframes=2\nhyperstack=true\nunit=um\nspacing=0.5\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	stack, err := info.Stack(1, false, 12)
	fmt.Println(stack.Axes, stack.Shape, stack.Pages(), err)
	fmt.Println(info.Spacing, info.Unit)
	// Output:
	// TZC [2 3 2] 12 <nil>
	// 0.5 um
}

func ExampleParseShaped() {
	s, err := imagej.ParseShaped(`{"shape": [5, 256, 512], "axes": "ZYX"}`)
	fmt.Println(s.Axes, s.Shape, err)
	// Output: ZYX [5 256 512] <nil>
}
