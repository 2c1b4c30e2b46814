package pad_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// TestPartsOfAShortChunkNameTheCodec reads parts of a chunk of which most is gone: whatever
// is asked for, the error tells through which codec the bytes came.
func TestPartsOfAShortChunkNameTheCodec(t *testing.T) {
	for codecs, want := range map[string]string{
		`["bytes",{"name":"pad","configuration":{"location":"start","nbytes":8}}]`:                                             "codec pad: ",
		`["bytes",{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":1,"blocksize":0}}]`: "codec blosc: ",
	} {
		s := mem.New()
		a, err := zarr.CreateArrayIn(t.Context(), s, "a", zarr.ArraySpec{Shape: []int{100}, Chunks: []int{100}, DataType: "uint8", Codecs: json.RawMessage(codecs)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Put(t.Context(), "a/c/0", make([]byte, 20), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"0:4", "50:60", ":"} {
			_, err := zarr.Read[uint8](t.Context(), a, zarr.Slice(part))
			if err == nil || strings.Count(err.Error(), want) != 1 {
				t.Errorf("%s of %s: %v", part, codecs, err)
			}
		}
	}
}
