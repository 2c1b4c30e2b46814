package codectest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/codec"
)

// Vector is a chunk that libhdf5 wrote by a filter with parameters, and the digest of
// the bytes that it reads.
type Vector struct {
	Name   string
	Values []uint32
	Size   int
	Chunk  []byte
	SHA256 string
}

// Vectors reads those of a file.
func Vectors(t testing.TB, file string) []Vector {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []Vector
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	return list
}

// RunVectors checks that chunks are read as libhdf5 reads them, into the memory of the
// caller, and that more than there may be is an error.
func RunVectors(t *testing.T, list []Vector, bind func(values ...uint32) codec.BytesFilter) {
	t.Helper()
	for _, v := range list {
		f := bind(v.Values...)
		dst := append(make([]byte, 0, 3+v.Size), "pre"...)
		for i := range dst[3:cap(dst)] {
			dst[3:cap(dst)][i] = 0xaa // what was there before
		}
		out, err := f.Decode(nil, dst, v.Chunk, v.Size)
		if err != nil {
			t.Errorf("%s: %v", v.Name, err)
			continue
		}
		if sum := sha256.Sum256(out[3:]); hex.EncodeToString(sum[:]) != v.SHA256 || string(out[:3]) != "pre" {
			t.Errorf("%s: %d bytes differ: %.40x", v.Name, len(out)-3, out[3:])
		} else if &out[0] != &dst[0] {
			t.Errorf("%s: other memory than the caller's", v.Name)
		}
		if _, err := f.Decode(nil, nil, v.Chunk, v.Size-1); err == nil || !strings.Contains(err.Error(), "possible") {
			t.Errorf("%s: more than the limit: %v", v.Name, err)
		}
	}
}
