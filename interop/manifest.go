package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/omnizarr/zarr/dtype"
	"github.com/omnizarr/zarr/nd"
)

// manifest tells a reader what it must find.
type manifest struct {
	Cases []entry `json:"cases"`
}

// entry is one array. Its digest is the SHA-256 of the elements in C order as
// they lie in memory: little-endian, one byte for types below eight bits; for
// values of any length, each behind its length in four bytes.
type entry struct {
	Name           string          `json:"name"`
	Path           string          `json:"path"`
	Type           string          `json:"type,omitempty"`
	Shape          []int           `json:"shape,omitempty"`
	SHA256         string          `json:"sha256"`
	Attributes     json.RawMessage `json:"attributes,omitempty"`
	DimensionNames []*string       `json:"dimension_names,omitempty"`
	// Group is the path of a group with consolidated metadata, the only place
	// where the array is described.
	Group string `json:"group,omitempty"`
}

func (m manifest) save(path string) error {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}

func loadManifest(path string) (m manifest, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	return m, err
}

func manifestIn(dir string) string { return filepath.Join(dir, "manifest.json") }

// digest is the SHA-256 of the elements of a contiguous view.
func digest(t dtype.Type, v nd.View) string {
	h := sha256.New()
	if dtype.IsReference(t) {
		blobs := v.Heap.Blobs()
		v.Each(func(elem []byte) {
			b := blobs.Value(elem)
			h.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(b))))
			h.Write(b)
		})
	} else {
		v.Each(func(elem []byte) { h.Write(elem) })
	}
	return hex.EncodeToString(h.Sum(nil))
}

// result is one line of a results file; an empty error means that the array was
// read and is as it should be.
type result struct {
	Case  string `json:"case"`
	Error string `json:"error"`
}

// saveResults writes a results file: a line of JSON for every case.
func saveResults(path string, results []result) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(f)
	for _, r := range results {
		if err := enc.Encode(r); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}
