package jobs

import (
	"encoding/json"
	"testing"

	"github.com/omnizarr/zarr/codec/tifftile"
	"github.com/omnizarr/zarr/meta"
)

func TestTilesInWords(t *testing.T) {
	for config, want := range map[string]string{
		`{"compression": 8, "predictor": 2}`: "TIFF tiles, Deflate of differences",
		`{}`:                                 "TIFF tiles, uncompressed",
		`{"compression": 1}`:                 "TIFF tiles, uncompressed",
		`{"compression": 4711}`:              "TIFF tiles, compression 4711",
	} {
		if got, ok := new(Kind).CodecWords([]meta.Extension{{Name: tifftile.Name, Configuration: json.RawMessage(config)}}, nil); !ok || got != want {
			t.Errorf("%s: %q, want %q", config, got, want)
		}
	}
	if _, ok := new(Kind).CodecWords([]meta.Extension{{Name: "bytes"}}, nil); ok {
		t.Error("bytes are tiles")
	}
}
