// Package refs keeps values that lie in other files: a manifest says for every
// key which part of which file its value is, or has the value itself.
//
// The manifest is the JSON that kerchunk made common, version 1:
//
//	{"version": 1, "refs": {
//		"zarr.json": "{...}",
//		"c/0/0": ["scan.tif", 8, 2304],
//		"c/0/1": ["tile.raw"],
//		"c/0/2": "base64:AAEC"
//	}}
//
// A reference is text, bytes in base64, a whole file, or length bytes of a file
// from an offset. Templates are replaced; generated references ("gen") are
// refused. Nobody has vouched for a manifest: which files it may name is for
// Files to say, and parts are checked against the files' sizes.
package refs

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/omnizarr/zarr/store"
)

// Transformer is the name of the storage transformer of an array whose chunks are
// references. Its configuration has the name of the manifest, which lies in the
// folder of the array.
const Transformer = "omnizarr.references"

// ManifestName is what manifests are called unless something else is said.
const ManifestName = "references.json"

// MaxBytes is the length of the longest manifest that Parse takes.
const MaxBytes = 1 << 30

// Reference says where a value is.
type Reference struct {
	// URL names the file as the manifest spells it: a URL, or a path relative to
	// the folder of the manifest. It is "" for a value that the manifest has.
	URL    string
	Offset int64 // of the first byte
	Length int64 // -1: the whole file
	Data   []byte
}

// Manifest is a list of references in the order of their keys. It is not
// changed after Parse.
type Manifest struct {
	text    []byte   // keys and values, one after the other
	files   []string // each once
	entries []entry
}

// entry is a reference in a few bytes: there may be millions.
type entry struct {
	key, keyLen uint32 // in text
	file        int32  // in files; -1: off and length are a part of text
	off, length int64
}

// Len is how many references there are.
func (m *Manifest) Len() int { return len(m.entries) }

func (m *Manifest) key(i int) []byte {
	e := &m.entries[i]
	return m.text[e.key : e.key+e.keyLen]
}

// search finds the first key that is not below the given one.
func (m *Manifest) search(key string) (int, bool) {
	return slices.BinarySearchFunc(m.entries, key, func(e entry, key string) int {
		return cmp.Compare(string(m.text[e.key:e.key+e.keyLen]), key)
	})
}

// Find gives the reference of a key.
func (m *Manifest) Find(key string) (Reference, bool) {
	i, ok := m.search(key)
	if !ok {
		return Reference{}, false
	}
	return m.at(i), true
}

func (m *Manifest) at(i int) Reference {
	e := &m.entries[i]
	if e.file < 0 {
		return Reference{Data: m.text[e.off : e.off+e.length : e.off+e.length], Length: e.length}
	}
	return Reference{URL: m.files[e.file], Offset: e.off, Length: e.length}
}

// All yields the references in the order of their keys.
func (m *Manifest) All() iter.Seq2[string, Reference] {
	return func(yield func(string, Reference) bool) {
		for i := range m.entries {
			if !yield(string(m.key(i)), m.at(i)) {
				return
			}
		}
	}
}

// Load reads the manifest that is a value of a store. An error names it.
func Load(ctx context.Context, s store.Reader, key string) (*Manifest, error) {
	text, _, err := s.Get(ctx, key, store.UpTo(MaxBytes), nil)
	if known, ok := errors.AsType[*store.KeyError](err); ok {
		err = known.Err
	}
	var m *Manifest
	if err == nil {
		m, err = Parse(text)
		err = store.Damaged(err)
	}
	if err != nil {
		return nil, fmt.Errorf("manifest %s: %w", key, err)
	}
	return m, nil
}

// Parse reads a manifest. It keeps nothing of text.
func Parse(text []byte) (*Manifest, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%d bytes long, at most %d are allowed", len(text), MaxBytes)
	}
	p := parser{scanner: scanner{data: text}, m: &Manifest{}, known: map[string]int32{}}
	if err := p.document(); err != nil {
		return nil, err
	}
	return p.m, p.m.sort()
}

// sort puts the references in order, as most manifests have them already.
func (m *Manifest) sort() error {
	compare := func(a, b entry) int {
		return cmp.Compare(string(m.text[a.key:a.key+a.keyLen]), string(m.text[b.key:b.key+b.keyLen]))
	}
	if !slices.IsSortedFunc(m.entries, compare) {
		slices.SortFunc(m.entries, compare)
	}
	for i := 1; i < len(m.entries); i++ {
		if string(m.key(i)) == string(m.key(i-1)) {
			return fmt.Errorf("refs: key %q is there twice", m.key(i))
		}
	}
	return nil
}

// inlinePrefix marks bytes that are no text.
const inlinePrefix = "base64:"

// add notes a reference.
func (p *parser) add(key []byte, r Reference) error {
	if err := store.CheckKey(string(key)); err != nil {
		return fmt.Errorf("refs: %w", err)
	}
	m := p.m
	e := entry{key: uint32(len(m.text)), keyLen: uint32(len(key)), file: -1, off: r.Offset, length: r.Length}
	m.text = append(m.text, key...)
	if r.URL == "" {
		e.off, e.length = int64(len(m.text)), int64(len(r.Data))
		m.text = append(m.text, r.Data...)
	} else if file, ok := p.known[r.URL]; ok {
		e.file = file
	} else {
		e.file = int32(len(m.files))
		m.files = append(m.files, r.URL)
		p.known[r.URL] = e.file
	}
	m.entries = append(m.entries, e)
	return nil
}

// inline gives the bytes that a string in a manifest stands for.
func inline(text string) ([]byte, error) {
	coded, ok := strings.CutPrefix(text, inlinePrefix)
	if !ok {
		return []byte(text), nil
	}
	data, err := base64.StdEncoding.DecodeString(coded)
	if err != nil {
		return nil, fmt.Errorf("not base64: %w", err)
	}
	return data, nil
}
