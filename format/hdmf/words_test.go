package hdmf_test

import (
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/internal/wrongjson"
)

func TestErrorsSpeakOfDocuments(t *testing.T) {
	for _, doc := range []string{
		`{"source":".","path":"/g","object_id":"x","source_object_id":"y"}`,
		`{"source":".","path":"/g","region":[{"start":0,"stop":4,"step":3},{"indices":[4,0]}]}`,
	} {
		for v := range wrongjson.Variants(doc) {
			_, err := hdmf.ParseReference(v.Doc)
			wrongjson.Check(t, v, err)
		}
	}
	// Attributes of a file, a table's column among them.
	const attrs = `{"zarr_dtype":[{"name":"a","dtype":"int"},{"name":"b","dtype":"object"}],"neurodata_type":"VectorData","namespace":"core","object_id":"x",` +
		`"zarr_link":[{"name":"l","source":".","path":"/g","object_id":"y","source_object_id":"z"}],"target":{"zarr_dtype":"object","value":{"source":".","path":"/g"}}}`
	for v := range wrongjson.Variants(attrs) {
		values := map[string]string{".zgroup": `{"zarr_format":2}`, "g/.zgroup": `{"zarr_format":2}`, "g/.zattrs": attrs, ".zattrs": `{".specloc":"specifications"}`}
		objectArray(values, "d", `"object"`, `{"source":".","path":"/g"}`)
		if v.Doc[0] != '{' {
			continue // no attributes at all, which Zarr refuses
		}
		values["d/.zattrs"], values["g/.zattrs"] = string(v.Doc), string(v.Doc)
		f := byHand(t, values)
		for _, path := range []string{"/g", "/d"} {
			o, err := f.Object(ctx, path)
			if err == nil {
				if d, ok := o.(*hdmf.Dataset); ok {
					_, err = d.Read(ctx, zarr.All())
				}
			}
			wrongjson.Check(t, v, err)
		}
	}
}
