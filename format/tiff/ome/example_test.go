package ome_test

import (
	"fmt"

	"github.com/omnizarr/zarr/format/tiff/ome"
)

func ExampleParse() {
	md, err := ome.Parse(`<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0" Name="cells">
		<Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint16" SizeX="512" SizeY="256" SizeZ="5" SizeC="2" SizeT="3" PhysicalSizeX="0.29">
		<TiffData IFD="0" PlaneCount="30"/></Pixels></Image></OME>`)
	if err != nil {
		fmt.Println(err)
		return
	}
	img := md.Images[0]
	fmt.Println(img.Name, img.Axes(), img.Shape(), img.PhysicalX)
	for _, r := range img.Planes() {
		fmt.Printf("planes %d to %d are in the directories from %d on\n", r.First, r.First+r.Count-1, r.IFD)
	}
	// Output:
	// cells TCZ [3 2 5] {0.29 µm}
	// planes 0 to 29 are in the directories from 0 on
}

func ExampleMarshal() {
	text, err := ome.Marshal(&ome.Metadata{Images: []ome.Image{{
		DimensionOrder: "XYZCT", Type: "uint8", SizeX: 512, SizeY: 256, SizeZ: 5, SizeC: 1, SizeT: 1, Samples: 1,
		Data: []ome.TiffData{{PlaneCount: 5}},
	}}})
	fmt.Println(ome.IsOME(string(text)), err)
	// Output: true <nil>
}
