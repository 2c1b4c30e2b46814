package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
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
// values of any length, each behind its length in four bytes. Objects are JSON
// without white space, members in the order of their names.
type entry struct {
	Name           string          `json:"name"`
	Path           string          `json:"path"`
	Type           string          `json:"type,omitempty"`
	Shape          []int           `json:"shape,omitempty"`
	SHA256         string          `json:"sha256"`
	Attributes     json.RawMessage `json:"attributes,omitempty"`
	DimensionNames []*string       `json:"dimension_names,omitempty"`
	// Odd are attributes that JSON has no number for, by name: NaN and the like.
	Odd map[string]string `json:"odd,omitempty"`
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
	writeElements(h, t, v)
	return hex.EncodeToString(h.Sum(nil))
}

// writeElements writes what digests are made of.
func writeElements(w io.Writer, t dtype.Type, v nd.View) {
	if !dtype.IsReference(t) {
		v.Each(func(elem []byte) { w.Write(elem) })
		return
	}
	blobs := v.Heap.Blobs()
	v.Each(func(elem []byte) {
		b := blobs.Value(elem)
		if t.Kind() == dtype.Object {
			b = canonical(b)
		}
		w.Write(appendBlob(nil, b))
	})
}

// canonical spells a JSON value as digests have it.
func canonical(text []byte) []byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if len(text) > 0 && d.Decode(&v) != nil {
		return text
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return text
	}
	return bytes.TrimSpace(out.Bytes())
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
