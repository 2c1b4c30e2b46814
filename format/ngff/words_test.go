package ngff_test

import (
	"testing"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/internal/wrongjson"
)

func TestErrorsSpeakOfDocuments(t *testing.T) {
	const doc = `{"version":"0.5","multiscales":[{"name":"image","type":"gaussian","axes":[{"name":"y","type":"space","unit":"micrometer"},{"name":"x","type":"space"}],` +
		`"datasets":[{"path":"0","coordinateTransformations":[{"type":"scale","scale":[1,0.5]},{"type":"translation","translation":[0,2]}]}],` +
		`"coordinateTransformations":[{"type":"scale","scale":[2,2]}]}]}`
	if _, err := ngff.Parse([]byte(doc)); err != nil {
		t.Fatal(err)
	}
	for v := range wrongjson.Variants(doc) {
		_, err := ngff.Parse(v.Doc)
		wrongjson.Check(t, v, err)
	}
}
