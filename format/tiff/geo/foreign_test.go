package geo_test

import (
	"fmt"
	"testing"

	"github.com/omnizarr/zarr/format/tiff/geo"
	"github.com/omnizarr/zarr/meta"
)

// The text is what GDAL 3.6 and PROJ 9.1 write, shortened.
const (
	wkt1 = `PROJCS[\"WGS 84 / UTM zone 33N\",GEOGCS[\"WGS 84\",DATUM[\"WGS_1984\",AUTHORITY[\"EPSG\",\"6326\"]],AUTHORITY[\"EPSG\",\"4326\"]],` +
		`UNIT[\"metre\",1,AUTHORITY[\"EPSG\",\"9001\"]],AUTHORITY[\"EPSG\",\"32633\"]]`
	wkt2 = `GEOGCRS[\"WGS 84, (a] name\",DATUM[\"World Geodetic System 1984\",ELLIPSOID[\"WGS 84\",6378137,298.257223563]],CS[ellipsoidal,2],\n    ID[\"EPSG\",4326]]`
)

func TestAttributesOfOtherPrograms(t *testing.T) {
	for attrs, want := range map[string]string{
		`{"crs_wkt": "` + wkt1 + `"}`:                                                          "32633 [] false",
		`{"spatial_ref": "` + wkt2 + `"}`:                                                      "4326 [] false",
		`{"proj:wkt2": "` + wkt2 + `", "spatial:transform": [2, 0, 5, 0, -2, 6]}`:              "4326 [5 2 0 6 0 -2] true",
		`{"_CRS": {"url": "http://www.opengis.net/def/crs/EPSG/0/32631"}}`:                     "32631 [] false",
		`{"_CRS": {"wkt": "` + wkt1 + `"}, "GeoTransform": "500000.0 20.0 0.0 5e6 0.0 -20.0"}`: "32633 [500000 20 0 5e+06 0 -20] true",
		`{"proj:code": "EPSG:3857", "crs_wkt": "` + wkt1 + `"}`:                                "3857 [] false",
		`{"GeoTransform": "1 2 3 4 5"}`:                                                        "0 [] false",
		`{"GeoTransform": "1 2 3 4 5 inf"}`:                                                    "0 [] false",
		`{"GeoTransform": [1, 2]}`:                                                             "0 [] false",
		`{"crs_wkt": "LOCAL_CS[\"none\"]"}`:                                                    "0 [] false",
		`{"crs_wkt": "GEOGCS[\"x\",AUTHORITY[\"ESRI\",\"104000\"]]"}`:                          "0 [] false",
		`{"crs_wkt": "GEOGCS[\"x\",AUTHORITY["}`:                                               "0 [] false",
		`{"crs_wkt": 7, "spatial_ref": {"a": 1}, "_CRS": "EPSG:4326"}`:                         "0 [] false",
	} {
		a, err := meta.ParseAttributes([]byte(attrs))
		if err != nil {
			t.Fatal(err)
		}
		fields, err := geo.FromAttributes(a)
		if err != nil {
			t.Errorf("%s: %v", attrs, err)
			continue
		}
		got := "0 [] false"
		if info, err := geo.Parse(fields); err != nil {
			t.Error(err)
		} else if info != nil {
			code, _ := info.EPSG()
			place, ok := info.Transform()
			got = fmt.Sprint(code, " [] false")
			if ok {
				got = fmt.Sprint(code, " ", place, " ", ok)
			}
		}
		if got != want {
			t.Errorf("%s\ngot %s, want %s", attrs, got, want)
		}
	}
}
