package convention_test

import (
	"fmt"

	"github.com/omnizarr/zarr/format/n5/convention"
	"github.com/omnizarr/zarr/meta"
)

// A pyramid as n5-viewer writes it.
func Example() {
	levels := map[string]string{
		"s0": `{"dimensions":[512,512,100],"pixelResolution":{"unit":"um","dimensions":[0.5,0.5,2]}}`,
		"s1": `{"dimensions":[256,256,100],"pixelResolution":{"unit":"um","dimensions":[0.5,0.5,2]},"downsamplingFactors":[2,2,1]}`,
	}
	m, err := convention.Multiscales("c0", nil, func(rel string) (*meta.Attributes, error) {
		if text, ok := levels[rel]; ok {
			return meta.ParseAttributes([]byte(text))
		}
		return nil, nil
	})
	if err != nil || m == nil {
		fmt.Println("no image", err)
		return
	}
	convention.Reverse(m)
	for _, a := range m.Axes {
		fmt.Println(a.Name, a.Type, a.Unit)
	}
	for _, l := range m.Levels {
		fmt.Println(l.Path, l.Scale, l.Translation)
	}
	// Output:
	// z space micrometer
	// y space micrometer
	// x space micrometer
	// s0 [2 0.5 0.5] []
	// s1 [2 1 1] [0 0.25 0.25]
}
