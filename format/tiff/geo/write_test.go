package geo

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/meta"
)

func parseAttributes(t *testing.T, text string) *meta.Attributes {
	a, err := meta.ParseAttributes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Without "geotiff", the conventions say enough.
func TestFromConventions(t *testing.T) {
	for text, want := range map[string][]tag.Field{
		`{}`: nil,
		`{"proj:code": "EPSG:32633", "spatial:transform": [10, 0, 500, 0, -20, 1000]}`: {
			tag.Doubles(tag.ModelPixelScale, 10, 20, 0), tag.Doubles(tag.ModelTiepoint, 0, 0, 0, 500, 1000, 0),
			tag.Shorts(tag.GeoKeyDirectory, 1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32633)},
		`{"proj:code": "EPSG:4326", "spatial:transform": [1, 0.5, 2, 0.25, -1, 3], "spatial:registration": "node"}`: {
			tag.Doubles(tag.ModelTransformation, 1, 0.5, 0, 2, 0.25, -1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1),
			tag.Shorts(tag.GeoKeyDirectory, 1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 2, 2048, 0, 1, 4326)},
		`{"proj:code": null, "gdal_metadata": [{"name": "a", "value": "<b>", "sample": 2}]}`: {
			tag.Text(tag.GDALMetadata, "<GDALMetadata>\n  <Item name=\"a\" sample=\"2\">&amp;lt;b&amp;gt;</Item>\n</GDALMetadata>\n")},
		`{"geotiff": {"ProjectedCRSGeoKey": 3857, "GeogCitationGeoKey": "a", "GeogSemiMajorAxisGeoKey": 5, "50000": [1, 2.5], "50001": [7, 8], "GDAL_NODATA": "0"}, "proj:code": "EPSG:1"}`: {
			tag.Shorts(tag.GeoKeyDirectory, 1, 1, 0, 5, 2049, 34737, 2, 0, 2057, 34736, 1, 0, 3072, 0, 1, 3857, 50000, 34736, 2, 1, 50001, 34735, 2, 24, 7, 8),
			tag.Doubles(tag.GeoDoubleParams, 5, 1, 2.5), tag.Text(tag.GeoASCIIParams, "a|"), tag.Text(tag.GDALNoData, "0")},
	} {
		got, err := FromAttributes(parseAttributes(t, text))
		if err != nil || !slices.EqualFunc(got, want, func(a, b tag.Field) bool { return a.ID == b.ID && a.Type == b.Type && string(a.Raw) == string(b.Raw) }) {
			t.Errorf("%s: %v, %v\nwant %v", text, got, err, want)
		}
	}
	if got, err := FromAttributes(nil); got != nil || err != nil {
		t.Error(got, err)
	}
}

func TestFromAttributesErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"proj:code": 5}`:                                                        `"proj:code": must be a string, not a number`,
		`{"proj:code": "ESRI:54009"}`:                                             `"proj:code": "ESRI:54009" cannot be written: GeoTIFF takes codes of EPSG from 1024 to 32766`,
		`{"proj:code": "EPSG:102100"}`:                                            `"proj:code": "EPSG:102100" cannot be written: GeoTIFF takes codes of EPSG from 1024 to 32766`,
		`{"spatial:transform": [1, 2]}`:                                           `"spatial:transform": 2 numbers, not 6`,
		`{"spatial:transform": [1, 2, 3, 4, 5, 6, 7]}`:                            `"spatial:transform"[6]: more than 6 numbers`,
		`{"spatial:transform": [1, 2, 3, 4, 5, NaN]}`:                             `"spatial:transform"[5]: must be a number, not NaN`,
		`{"geotiff": 5}`:                                                          "geotiff: must be an object, not a number",
		`{"geotiff": {"a": 5}}`:                                                   "geotiff.a: there is no such key",
		`{"geotiff": {"GTModelTypeGeoKey": "a"}}`:                                 `geotiff.GTModelTypeGeoKey: must be a number, not "a"`,
		`{"geotiff": {"GTModelTypeGeoKey": 70000}}`:                               "geotiff.GTModelTypeGeoKey: must be integers between 0 and 65535, not 70000",
		`{"geotiff": {"GTModelTypeGeoKey": []}}`:                                  "geotiff.GTModelTypeGeoKey: there is no value",
		`{"geotiff": {"GTCitationGeoKey": 1}}`:                                    "geotiff.GTCitationGeoKey: must be a string, not a number",
		`{"geotiff": {"KeyRevision": -1}}`:                                        "geotiff.KeyRevision: -1 is not between 0 and 65535",
		`{"geotiff": {"ModelTiepoint": [1, 2]}}`:                                  "GeoTIFF: tag 33922 (ModelTiepoint) cannot be [1 2]",
		`{"geotiff": {"3072": 1, "ProjectedCRSGeoKey": 2}}`:                       "GeoTIFF: key 3072 (ProjectedCSTypeGeoKey) is there twice",
		`{"gdal_metadata": [{"value": "a"}]}`:                                     "GeoTIFF: an item of the GDAL metadata has no name",
		`{"geotiff": {"GTCitationGeoKey": "` + strings.Repeat("a", 70000) + `"}}`: "GeoTIFF: key 1026 (GTCitationGeoKey): 70001 values from 0 on are too many",
	} {
		if _, err := FromAttributes(parseAttributes(t, text)); err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

func TestGeodetic(t *testing.T) {
	for code, want := range map[int]bool{4326: true, 4258: true, 4269: true, 4979: true, 3857: false, 32633: false, 25832: false, 4087: false, 2056: false, 27700: false, 7844: true, 10673: true, 1: false, 65535: false} {
		if isGeodetic(code) != want {
			t.Error(code, !want)
		}
	}
}

func TestFillValue(t *testing.T) {
	for _, c := range []struct{ text, dataType, want string }{
		{"-9999", "int16", "-9999"}, {"-9999.0", "int32", "-9999"}, {" 255 ", "uint8", "255"}, {"2.55e2", "uint8", "255"}, {"+7", "int8", "7"},
		{"256", "uint8", ""}, {"-1", "uint8", ""}, {"nan", "int16", ""}, {"0.5", "int16", ""}, {"-0", "uint8", "0"}, {"", "int8", ""},
		{"9223372036854775807", "int64", "9223372036854775807"}, {"18446744073709551615", "uint64", "18446744073709551615"},
		{"18446744073709551616", "uint64", ""}, {"1e400", "int64", ""}, {"1e19", "int64", ""},
		{"nan", "float32", `"NaN"`}, {"-inf", "float64", `"-Infinity"`}, {"INF", "float64", `"Infinity"`}, {"-9999", "float32", "-9999"},
		{"-3.4028234663852886e+38", "float32", "-3.4028235e+38"}, {"-1.7976931348623157e+308", "float32", ""}, {"1e400", "float64", ""},
		{"-1.7976931348623157e+308", "float64", "-1.7976931348623157e+308"}, {"70000", "float16", ""}, {"65504", "float16", "65504"},
		{"0.1", "float64", "0.1"}, {"-1", "complex64", "[-1,0]"}, {"nan", "complex128", `["NaN",0]`}, {"1", "bool", "true"}, {"2", "bool", ""},
		{"abc", "float32", ""}, {"1", "string", ""}, {"1", "int", ""}, {"1", "float8", ""},
	} {
		got, err := FillValue(c.text, c.dataType)
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q %s: %s, %v, want %s", c.text, c.dataType, got, err, c.want)
		}
	}
}

func TestNoData(t *testing.T) {
	for _, c := range []struct{ fill, dataType, want string }{
		{"-9999", "int16", "-9999"}, {`"NaN"`, "float32", "nan"}, {`"Infinity"`, "float64", "inf"}, {`"-Infinity"`, "float64", "-inf"},
		{"1.5e3", "float64", "1.5e3"}, {`"0x7fc00000"`, "float32", "nan"}, {`"0x3ff8000000000000"`, "float64", "1.5"}, {`"0xff800000"`, "float32", "-inf"},
		{"true", "bool", "1"}, {"[5,0]", "complex64", "5"}, {"[5,1]", "complex64", ""}, {`"a"`, "string", ""}, {"null", "int8", ""}, {`"0x00"`, "uint8", ""},
	} {
		got, err := NoData(json.RawMessage(c.fill), c.dataType)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s %s: %q, %v, want %s", c.fill, c.dataType, got, err, c.want)
		}
	}
}
