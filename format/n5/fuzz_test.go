package n5_test

import (
	"testing"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/n5"
	"github.com/omnizarr/zarr/internal/fuzzlong"
	"github.com/omnizarr/zarr/store"
)

// Any attributes.json gives a node or an error; what a node says can be stored, and
// says the same again.
func FuzzAttributes(f *testing.F) {
	f.Add([]byte(dataset("uint16", `{"type":"zstd","level":3}`)), false)
	f.Add([]byte(dataset("string", `{"type":"lz4"}`)), true)
	f.Add([]byte(dataset("object", `{"type":"gzip","useZlib":true}`)), true)
	f.Add([]byte(`{"dimensions":[7,6,5],"blockSize":[4,3,2],"dataType":"int16","compression":{"type":"blosc","cname":"lz4","clevel":5,"shuffle":-1,"blocksize":0,"typesize":2,"nthreads":1},"axes":["x","y","z"],"units":["nm","nm","nm"],"resolution":[4,4,40]}`), true)
	f.Add([]byte(`{"dimensions":[7],"dataType":"int8","compressionType":"gzip","omnizarr_attributes":{"dimensions":1}}`), false)
	f.Add([]byte(`{"n5":"4.0.0","scales":[[1,1,1],[2,2,1]],"pixelResolution":{"unit":"um","dimensions":[0.1,0.1,0.5]}}`), true)
	f.Add([]byte(`{"multiscales":[{"datasets":[{"path":"s0","transform":{"axes":["z","y","x"],"scale":[8,4,4],"translate":[0,0,0],"units":["nm","nm","nm"]}}]}]}`), false)
	fuzzlong.Fuzz(f, func(t *testing.T, text []byte, reversed bool) {
		s := inMemory(t, map[string]string{"a/attributes.json": string(text)})
		opts := []zarr.Option{zarr.As("n5")}
		if reversed {
			opts = append(opts, zarr.With(n5.Reversed))
		}
		n, err := zarr.OpenStore(ctx, s, "a", opts...)
		if err != nil {
			return
		}
		first := value(n.Store(), "a/zarr.json")
		if _, err := n.Store().Put(ctx, "a/zarr.json", []byte(first), store.PutOptions{}); err != nil {
			return // such as a compression that cannot be written
		}
		again := value(n.Store(), "a/zarr.json")
		if len(again) != len(first) { // attributes may come in another order
			t.Errorf("%s\nbecame\n%s\nfrom %s\nto %s", first, again, text, value(s, "a/attributes.json"))
		}
		_, err = n.Store().Put(ctx, "a/zarr.json", []byte(again), store.PutOptions{})
		if third := value(n.Store(), "a/zarr.json"); err != nil || third != again {
			t.Errorf("%s\nbecame\n%s, %v", again, third, err)
		}
	})
}
