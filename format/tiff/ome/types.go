package ome

// pixelTypes pairs OME's names of pixel types with those of Zarr.
var pixelTypes = [][2]string{
	{"int8", "int8"}, {"int16", "int16"}, {"int32", "int32"},
	{"uint8", "uint8"}, {"uint16", "uint16"}, {"uint32", "uint32"},
	{"float", "float32"}, {"double", "float64"},
	{"complex", "complex64"}, {"double-complex", "complex128"}, {"bit", "bool"},
}

// PixelType is OME's name of a Zarr data type; ok is false for those that
// OME-XML cannot say, such as uint64 and float16.
func PixelType(dataType string) (name string, ok bool) {
	for _, p := range pixelTypes {
		if p[1] == dataType {
			return p[0], true
		}
	}
	return "", false
}

// DataType is the Zarr data type of an image; ok is false if OME-XML has no
// such type.
func (img *Image) DataType() (name string, ok bool) {
	for _, p := range pixelTypes {
		if p[0] == img.Type {
			return p[1], true
		}
	}
	return "", false
}

// lengthUnits and timeUnits are all that the schema of June 2016 allows.
var lengthUnits = []string{"Ym", "Zm", "Em", "Pm", "Tm", "Gm", "Mm", "km", "hm", "dam", "m", "dm", "cm", "mm", "µm", "nm", "pm",
	"fm", "am", "zm", "ym", "Å", "thou", "li", "in", "ft", "yd", "mi", "ua", "ly", "pc", "pt", "pixel", "reference frame"}

var timeUnits = []string{"Ys", "Zs", "Es", "Ps", "Ts", "Gs", "Ms", "ks", "hs", "das", "s", "ds", "cs", "ms", "µs", "ns", "ps",
	"fs", "as", "zs", "ys", "min", "h", "d"}
