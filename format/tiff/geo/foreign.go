package geo

import (
	"strconv"
	"strings"

	"github.com/omnizarr/zarr/meta"
)

// Attributes of other programs: "_CRS" of GDAL, and "crs_wkt", "spatial_ref" and
// "GeoTransform", which xarray with rioxarray, and GDAL in netCDF, write. Those
// that are not understood are left alone, for nobody promised that they mean this;
// systems without a code of EPSG are among them.

// foreignCode sets the keys for the coordinate system.
func (i *Info) foreignCode(a *meta.Attributes) {
	var crs struct {
		URL string `json:"url"`
		WKT string `json:"wkt"`
	}
	_, _ = a.Get("_CRS", &crs)
	code := ""
	if strings.Contains(crs.URL, "/EPSG/") {
		code = crs.URL[strings.LastIndexByte(crs.URL, '/')+1:]
	}
	texts := []string{crs.WKT}
	for _, name := range []string{"proj:wkt2", "crs_wkt", "spatial_ref"} {
		var text string
		_, _ = a.Get(name, &text)
		texts = append(texts, text)
	}
	for _, text := range texts {
		if code == "" {
			code = wktCode(text)
		}
	}
	_ = i.setCode(code)
}

// foreignTransform reads where pixels are; nil if that is not said.
func foreignTransform(a *meta.Attributes) *Transform {
	var text string
	_, _ = a.Get("GeoTransform", &text)
	numbers := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' })
	if len(numbers) != 6 {
		return nil
	}
	var t Transform
	for k, s := range numbers {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || v-v != 0 {
			return nil
		}
		t[k] = v
	}
	return &t
}

// wktCode finds the code of EPSG that well-known text, of version 1 or 2, has for
// the whole of itself: in AUTHORITY or ID directly inside the outer brackets.
func wktCode(text string) string {
	depth, quoted := 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '(':
			depth++
		case c == ']' || c == ')':
			depth--
		case depth == 1 && c == ',':
			rest := strings.TrimSpace(text[i+1:])
			for _, word := range []string{"AUTHORITY", "ID"} {
				inner, ok := strings.CutPrefix(rest, word)
				if inner = strings.TrimSpace(inner); !ok || len(inner) == 0 || inner[0] != '[' && inner[0] != '(' {
					continue
				}
				end := strings.IndexAny(inner, "])")
				if end < 0 {
					continue
				}
				name, code, _ := strings.Cut(inner[1:end], ",")
				if strings.Trim(name, `" `) == "EPSG" {
					code, _, _ = strings.Cut(code, ",")
					return strings.Trim(code, `" `)
				}
			}
		}
	}
	return ""
}
