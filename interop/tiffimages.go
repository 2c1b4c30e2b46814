package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/format/tiff/export"
	"github.com/omnizarr/zarr/job/copying"
)

// imageCase is a TIFF file made of Zarr arrays.
type imageCase struct {
	name    string
	sources []spec // arrays; several are images, or with a group the levels of one
	group   string // attributes of the group of a pyramid
	axes    string // of every image as tifffile must call them; "" if they are the names of the axes
	format  export.Format
	options copying.Options
	crs     int       // EPSG code that the file must have
	place   []float64 // transform that the file must have, as GDAL has it
}

const (
	inUTM = `{"proj:code":"EPSG:32633","spatial:dimensions":["y","x"],"spatial:transform":[10,0,399960,0,-10,5500020]}`
	// The same, and more, as Omnizarr shows GeoTIFF tags.
	inKeys = `{"geotiff":{"KeyDirectoryVersion":1,"KeyRevision":1,"KeyRevisionMinor":0,"GTModelTypeGeoKey":2,"GTRasterTypeGeoKey":1,` +
		`"GeodeticCRSGeoKey":4326,"ModelPixelScale":[0.25,0.5,0],"ModelTiepoint":[0,0,0,-20,60,0]},` +
		`"gdal_metadata":[{"name":"AREA_OR_POINT","value":"Area"},{"name":"mission","value":"<a&b>"}]}`
)

var (
	utm = []float64{10, 0, 399960, 0, -10, 5500020}
	wgs = []float64{0.25, 0, -20, 0, -0.5, 60}
)

// imageCases is everything that is copied to TIFF files.
func imageCases() []imageCase {
	return slices.Concat(imageTypes(), imageLayouts(), pyramidCases(), cogCases())
}

func named(letters string) []string { return strings.Split(letters, "") }

// imageTypes are all types, in all compressions that have them.
func imageTypes() (out []imageCase) {
	types := []string{"bool"}
	for _, s := range sampleFormats {
		types = append(types, s.typ)
	}
	for _, typ := range types {
		for _, compression := range export.Compressions() {
			if compression == "jpeg" && typ != "uint8" {
				continue
			}
			for _, letters := range []string{"yx", "syx"} {
				shape := []int{3, 75, 90}[3-len(letters):]
				out = append(out, imageCase{
					name: fmt.Sprintf("type/%s/%s-%s", typ, compression, letters),
					sources: []spec{{name: "a", typ: `"` + typ + `"`, fill: zero(typ), shape: shape, chunks: []int{3, 40, 32}[3-len(letters):],
						names: named(letters), values: smooth(compression)}},
					format: export.Format{Compression: compression}, options: copying.Options{Chunks: []int{32, 48}},
				})
			}
		}
	}
	return out
}

// atMost is the shape of a chunk.
func atMost(n int, shape []int) []int {
	out := slices.Clone(shape)
	for i := range out {
		out[i] = min(out[i], n)
	}
	return out
}

// zero is how metadata spells it.
func zero(typ string) string {
	switch {
	case typ == "bool":
		return "false"
	case strings.HasPrefix(typ, "complex"):
		return "[0,0]"
	}
	return "0"
}

// smooth are the values of images that lose something.
func smooth(compression string) string {
	if compression == "jpeg" {
		return "small"
	}
	return "any"
}

// imageLayouts are axes of all kinds, and what is said about images.
func imageLayouts() (out []imageCase) {
	add := func(name, typ, letters string, shape []int, change func(*imageCase)) {
		c := imageCase{name: "layout/" + name, sources: []spec{{name: "a", typ: `"` + typ + `"`, fill: zero(typ), shape: shape, chunks: atMost(32, shape)}},
			options: copying.Options{Chunks: []int{32, 32}}}
		if letters != "" {
			c.sources[0].names = named(letters)
		}
		if change != nil {
			change(&c)
		}
		out = append(out, c)
	}
	plain := func(axes string) func(*imageCase) { return func(c *imageCase) { c.axes = axes } }
	attributes := func(text string) func(*imageCase) {
		return func(c *imageCase) { c.sources[0].attributes = text }
	}
	add("2-d", "uint16", "", []int{50, 70}, plain("YX"))
	add("row", "uint16", "", []int{70}, nil)
	add("pages", "uint16", "", []int{5, 50, 70}, plain("IYX"))
	add("4-d", "uint16", "", []int{2, 3, 50, 70}, plain("QQYX"))
	add("5-d", "float32", "", []int{2, 1, 3, 20, 30}, plain("QQQYX"))
	add("rgb", "uint8", "syx", []int{3, 50, 70}, plain("YXS"))
	add("rgb-last", "uint8", "yxs", []int{50, 70, 3}, plain("YXS"))
	add("channels-last", "uint8", "yxc", []int{50, 70, 3}, plain("YXS"))
	add("rgba", "uint16", "syx", []int{4, 50, 70}, plain("YXS"))
	add("bands", "float32", "syx", []int{7, 50, 70}, plain("YXS"))
	add("zyx", "uint16", "zyx", []int{5, 50, 70}, plain("ZYX"))
	add("zyx-complex", "complex64", "zyx", []int{5, 50, 70}, plain("ZYX"))
	add("tczyx", "uint16", "tczyx", []int{2, 3, 4, 50, 70}, plain("TCZYX"))
	add("zctyx", "int16", "zctyx", []int{2, 3, 4, 50, 70}, plain("ZCTYX"))
	add("tczyx-f16", "float16", "tczyx", []int{2, 3, 4, 20, 30}, plain("TCZYX"))
	add("zsyx", "uint8", "zsyx", []int{4, 3, 50, 70}, plain("ZYXS"))
	add("bigtiff", "uint16", "tzyx", []int{2, 3, 50, 70}, func(c *imageCase) {
		c.axes, c.format.BigTIFF = "TZYX", true
	})
	add("converted", "uint16", "yx", []int{50, 70}, func(c *imageCase) {
		c.options.DataType, c.sources[0].values = "float32", "small"
	})
	add("geo", "int16", "yx", []int{50, 70}, func(c *imageCase) {
		attributes(inUTM)(c)
		c.crs, c.place, c.sources[0].fill = 32633, utm, "-9999"
	})
	add("geo-bands", "float32", "syx", []int{5, 50, 70}, func(c *imageCase) {
		attributes(inUTM)(c)
		c.crs, c.place, c.sources[0].fill, c.sources[0].values = 32633, utm, `"NaN"`, "normal"
		c.axes = "YXS"
	})
	add("geo-keys", "uint8", "syx", []int{3, 50, 70}, func(c *imageCase) {
		attributes(inKeys)(c)
		c.crs, c.place, c.axes = 4326, wgs, "YXS"
	})
	for _, f := range []struct{ typ, fill string }{{"uint8", "255"}, {"int32", "-2147483648"}, {"float32", "-3.4028234663852886e+38"}, {"float64", `"-Infinity"`}, {"uint64", "18446744073709551615"}} {
		add("fill-"+f.typ, f.typ, "yx", []int{50, 70}, func(c *imageCase) { c.sources[0].fill = f.fill })
	}
	add("fill-stack", "uint16", "zyx", []int{4, 50, 70}, func(c *imageCase) { c.sources[0].fill = "7" })
	add("fill-pages", "int64", "", []int{4, 50, 70}, func(c *imageCase) { c.axes, c.sources[0].fill = "IYX", "7" })
	add("several", "uint8", "yx", []int{50, 70}, func(c *imageCase) {
		c.sources = append(c.sources, spec{name: "b", typ: `"uint16"`, fill: "0", shape: []int{3, 40, 20}, chunks: []int{1, 16, 16}, names: named("zyx")},
			spec{name: "c", typ: `"uint8"`, fill: "0", shape: []int{3, 20, 30}, chunks: []int{3, 16, 16}, names: named("syx")})
	})
	return out
}

// multiscales is the attribute of a group with levels "0", "1", ... each half of
// the one before.
func multiscales(letters string, scale []float64, levels int) string {
	units := map[rune]string{'t': `,"type":"time","unit":"second"`, 'c': `,"type":"channel"`, 's': `,"type":"channel"`,
		'z': `,"type":"space","unit":"micrometer"`, 'y': `,"type":"space","unit":"micrometer"`, 'x': `,"type":"space","unit":"micrometer"`}
	var axes, sets []string
	for _, c := range letters {
		axes = append(axes, fmt.Sprintf(`{"name":"%c"%s}`, c, units[c]))
	}
	for i := range levels {
		var s []string
		for j, c := range letters {
			v := scale[j]
			if c == 'y' || c == 'x' {
				v *= float64(int(1) << i)
			}
			s = append(s, fmt.Sprint(v))
		}
		sets = append(sets, fmt.Sprintf(`{"path":"%d","coordinateTransformations":[{"type":"scale","scale":[%s]}]}`, i, strings.Join(s, ",")))
	}
	return fmt.Sprintf(`{"ome":{"version":"0.5","multiscales":[{"name":"picture","axes":[%s],"datasets":[%s]}]}}`,
		strings.Join(axes, ","), strings.Join(sets, ","))
}

// pyramidCases have several resolutions: those of the source, or new ones.
func pyramidCases() (out []imageCase) {
	levels := func(typ, letters string, shape []int, n int) (all []spec) {
		for i := range n {
			s := slices.Clone(shape)
			for j, c := range letters {
				if c == 'y' || c == 'x' {
					s[j] = (s[j] + 1<<i - 1) >> i
				}
			}
			all = append(all, spec{name: fmt.Sprint(i), typ: `"` + typ + `"`, fill: "0", shape: s, chunks: atMost(64, s), names: named(letters)})
		}
		return all
	}
	for _, format := range []string{"tiff", "cog"} {
		made, options := export.Format{COG: format == "cog"}, copying.Options{Chunks: []int{64, 64}}
		out = append(out,
			imageCase{name: "pyramid/yx-" + format, sources: levels("uint16", "yx", []int{201, 310}, 3), group: multiscales("yx", []float64{0.5, 0.25}, 3), format: made, options: options},
			imageCase{name: "pyramid/rgb-" + format, sources: levels("uint8", "syx", []int{3, 201, 310}, 3), axes: "YXS",
				group: multiscales("syx", []float64{1, 0.5, 0.25}, 3), format: made, options: options})
	}
	out = append(out, imageCase{name: "pyramid/tczyx", sources: levels("uint16", "tczyx", []int{2, 3, 2, 101, 130}, 2),
		group:   multiscales("tczyx", []float64{0.5, 1, 2, 0.5, 0.25}, 2),
		options: copying.Options{Chunks: []int{32, 32}}})
	for _, s := range sampleFormats {
		values := "small"
		if strings.HasPrefix(s.typ, "complex") {
			values = "any"
		}
		out = append(out, imageCase{name: "made/" + s.typ, sources: []spec{{name: "a", typ: `"` + s.typ + `"`, fill: zero(s.typ), shape: []int{201, 310},
			chunks: []int{64, 64}, names: named("yx"), values: values}},
			format: export.Format{Overviews: true}})
	}
	// What OME-XML has no type for is described in tifffile's way, also in its levels.
	stack := imageCase{name: "made/stack", sources: levels("uint64", "tczyx", []int{2, 3, 2, 101, 130}, 1),
		format: export.Format{Overviews: true}}
	stack.sources[0].values = "small"
	// Levels of a line end where it cannot be halved any more.
	line := imageCase{name: "made/line", sources: levels("uint16", "yx", []int{3, 900}, 1), format: export.Format{COG: true}, options: copying.Options{Chunks: []int{64, 64}}}
	return append(out, stack, line)
}

// cogCases are GeoTIFFs laid out for reading over a network.
func cogCases() (out []imageCase) {
	add := func(name, typ, fill, letters string, shape []int, o export.Format, tile int) {
		o.COG = true
		c := imageCase{name: "cog/" + name, crs: 32633, place: utm, format: o,
			sources: []spec{{name: "a", typ: `"` + typ + `"`, fill: fill, shape: shape, chunks: []int{3, 128, 128}[3-len(shape):], names: named(letters), attributes: inUTM,
				values: "small"}}}
		if tile > 0 {
			c.options.Chunks = []int{tile, tile}
		}
		if letters == "syx" {
			c.axes = "YXS"
		}
		out = append(out, c)
	}
	for _, compression := range export.Compressions() {
		add("uint8-"+compression, "uint8", "0", "yx", []int{301, 410}, export.Format{Compression: compression}, 64)
		add("rgb-"+compression, "uint8", "0", "syx", []int{3, 301, 410}, export.Format{Compression: compression}, 128)
	}
	add("default", "uint16", "0", "yx", []int{1100, 1300}, export.Format{}, 0)
	add("small", "uint16", "0", "yx", []int{30, 40}, export.Format{}, 0)
	add("nodata", "int16", "-9999", "yx", []int{301, 410}, export.Format{}, 64)
	add("nan", "float32", `"NaN"`, "yx", []int{301, 410}, export.Format{}, 64)
	add("bands", "float64", "0", "syx", []int{3, 301, 410}, export.Format{Compression: "zstd"}, 64)
	add("bigtiff", "uint8", "0", "yx", []int{301, 410}, export.Format{BigTIFF: true}, 64)
	// Lengths that can be halved, for GDAL to make the same levels.
	for _, typ := range []string{"uint8", "int16", "uint16", "int32", "float32", "float64"} {
		for _, how := range []string{"average", "nearest", "mode"} {
			add("half-"+typ+"-"+how, typ, "0", "yx", []int{256, 384}, export.Format{Resampling: how}, 64)
			add("half-"+typ+"-"+how+"-nodata", typ, "200", "yx", []int{256, 384}, export.Format{Resampling: how}, 64)
		}
	}
	// Averages that equal nodata by chance, which GDAL changes in bytes and uint16 only.
	add("half-chance", "uint8", "17", "yx", []int{256, 384}, export.Format{}, 64)
	add("half-nan", "float32", `"NaN"`, "yx", []int{256, 384}, export.Format{}, 64)
	return out
}
