// Package virtual writes copies that hold no chunks: only metadata, and where in
// the files of the source the chunks are.
package virtual

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/refs"
)

// Options say how Write works; the zero value is fine.
type Options struct {
	// Overwrite lets the copy take the place of nodes that are there.
	Overwrite bool
	// Inline bounds the bytes of chunks that are put into the manifests because
	// they are no parts of files, or cannot be read as they are. The default is
	// 16 MiB.
	Inline   int64
	Progress func(job.Progress) // called after every array
	// Translators give arrays codecs that Python has, in a manifest for everything;
	// other codecs stay as they are.
	Translators []Translator
	// Note is called with what somebody who reads the copy has to know.
	Note func(text string)
	// Locate says how the URL of the copy becomes a store.
	Locate locate.Options
	// Open are options for the node that is in the place of the copy.
	Open []zarr.Option
}

// already is noted where nothing is to be done.
const already = "nothing to do: the copy is there already, and source and copy are as they were"

const defaultInline = 16 << 20

// Write writes a hierarchy whose chunks are references to the files that the
// source's chunks lie in. The source is an array or a group in any store that
// knows where its values lie: folders, archives, web servers, TIFF files.
//
// A URL that ends in ".json" becomes one manifest for everything, which fsspec
// shows as a store: metadata is Zarr v3, codecs are such as Python has as far as
// there are translators, names of files are absolute. All else becomes a Zarr v3 hierarchy with a manifest beside
// the document of every array. There the names of files are relative to the
// manifest where both are on the same volume, and codecs stay as they are; the
// documents name a storage transformer, so that readers which do not know it
// refuse instead of finding no chunks.
func Write(ctx context.Context, src zarr.Node, url string, opts Options) error {
	if opts.Inline <= 0 {
		opts.Inline = defaultInline
	}
	if err := landing.Apart(src, landing.Place{URL: url}); err != nil {
		return err
	}
	groups, arrays, err := job.Nodes(ctx, src)
	if err != nil {
		return err
	}
	v := &virtual{src: src, groups: groups, arrays: arrays, opts: opts, track: job.NewTracker(opts.Progress)}
	docs, lost, err := copying.Zarr3().Documents(arrays)
	if err != nil {
		return err
	}
	v.docs = docs
	said, err := copying.Zarr3().Groups(groups)
	if err != nil {
		return err
	}
	said.Name(docs)
	v.said = said.Groups
	for _, text := range append(lost, said.Notes...) {
		v.note("%s", text)
	}
	foreign, err := copying.FindForeign(ctx, src)
	if err != nil {
		return err
	}
	if left := slices.Concat(foreign.Left, foreign.Files); len(left) > 0 {
		v.note("not copied: %s; a copy without --virtual takes files along", words.Some(left))
	}
	v.track.Add(int64(len(arrays)))
	for _, path := range job.Paths(arrays) {
		// What cannot be referred to shows before anything is written.
		for _, err := range v.chunks(ctx, arrays[path]) {
			if err != nil {
				return err
			}
			break
		}
	}
	v.used, v.made = 0, 0
	if strings.HasSuffix(strings.ToLower(url), ".json") {
		err = v.file(ctx, url)
	} else {
		err = v.folder(ctx, url)
	}
	if err == nil {
		v.tellStored()
	}
	return err
}

// virtual is the work of Write.
type virtual struct {
	src    zarr.Node
	groups map[string]*zarr.Group
	arrays map[string]*zarr.Array
	docs   map[string]*meta.Array // of arrays, in the terms of the copy
	said   map[string]*meta.Group // the same of groups
	opts   Options
	track  *job.Tracker
	used   int64 // bytes of chunks in manifests
	made   int   // chunks of the array there that have no place in a file
	notes  []string
	within []within
}

// within are chunks of arrays that lie in the copy itself, all for one reason.
type within struct {
	why    string
	paths  []string
	chunks int
	bytes  int64
}

// stored counts chunks of an array that lie in the copy itself. A file of HDF5 may have
// hundreds of arrays of text, of which single notes would hide all others.
func (v *virtual) stored(why, path string, chunks int, bytes int64) {
	i := slices.IndexFunc(v.within, func(w within) bool { return w.why == why })
	if i < 0 {
		i = len(v.within)
		v.within = append(v.within, within{why: why})
	}
	w := &v.within[i]
	w.paths, w.chunks, w.bytes = append(w.paths, path), w.chunks+chunks, w.bytes+bytes
}

// tellStored notes what was counted.
func (v *virtual) tellStored() {
	for _, w := range v.within {
		text := "one chunk is stored"
		if w.chunks != 1 {
			text = words.Grouped(int64(w.chunks)) + " chunks are stored"
		}
		v.note("%s: %s in the copy, since %s: %s", words.Some(w.paths), text, w.why, words.Bytes(float64(w.bytes)))
	}
}

// item is a reference with its key.
type item struct {
	key string
	ref refs.Reference
}

// note tells something once.
func (v *virtual) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if v.opts.Note != nil && !slices.Contains(v.notes, text) {
		v.notes = append(v.notes, text)
		v.opts.Note(text)
	}
}

// file writes one manifest for the whole hierarchy.
func (v *virtual) file(ctx context.Context, url string) error {
	dir, name := splitName(url)
	opt := v.opts.Locate
	opt.Create = true
	where, err := locate.Open(ctx, dir, opt)
	if err != nil {
		return err
	}
	if where.Path != "" {
		name = where.Path + "/" + name
	}
	err = v.put(ctx, where.Store, name)
	if err != nil {
		where.Discard()
		return err
	}
	return where.Close()
}

// splitName cuts the last name off a path or URL.
func splitName(name string) (dir, last string) {
	if strings.Contains(name, "://") {
		dir, last = path.Split(name)
		if plain, err := url.PathUnescape(last); err == nil {
			last = plain
		}
		return dir, last
	}
	dir, last = filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	return dir, last
}

func (v *virtual) put(ctx context.Context, dst store.Store, key string) error {
	fail := func(err error) error {
		return &zarr.Error{Op: "copy to", URL: store.JoinURL(dst.URL(), key), Err: err}
	}
	var all []item
	add := func(path string, doc meta.Node, chunks []item) error {
		text, err := doc.Marshal()
		if err != nil {
			return fail(fmt.Errorf("%s: %w", path, err))
		}
		prefix := ""
		if path != "/" {
			prefix = path[1:] + "/"
		}
		all = append(all, item{prefix + job.Document, refs.Reference{Data: text}})
		for _, c := range chunks {
			all = append(all, item{prefix + c.key, c.ref})
		}
		return nil
	}
	for _, path := range job.Paths(v.groups) {
		doc := &meta.Group{Attributes: v.said[path].Attributes}
		if err := add(path, doc, nil); err != nil {
			return err
		}
	}
	for _, path := range job.Paths(v.arrays) {
		doc, chunks, err := v.portable(ctx, path, v.arrays[path])
		if err != nil {
			return err
		}
		for i := range chunks {
			chunks[i].ref.URL = absolute(chunks[i].ref.URL)
		}
		if err := add(path, doc, chunks); err != nil {
			return err
		}
		v.track.Done(path, 1, 0)
	}
	text, err := manifest(all)
	if err != nil {
		return fail(err)
	}
	old, _, err := dst.Get(ctx, key, store.UpTo(refs.MaxBytes), nil)
	switch {
	case err == nil && bytes.Equal(old, text):
		v.note(already)
		return nil
	case err == nil && v.opts.Overwrite:
		if _, err := refs.Parse(old); err != nil {
			if err := landing.Free(old, "manifest of references", `{"version":1,"refs":`); err != nil {
				return fail(err)
			}
		}
	}
	_, err = dst.Put(ctx, key, text, store.PutOptions{IfAbsent: !v.opts.Overwrite})
	if errors.Is(err, store.ErrPrecondition) {
		err = fail(fmt.Errorf("%w; --overwrite replaces it", landing.ErrNotEmpty))
	}
	return err
}

// manifest writes references in the order of their keys.
func manifest(items []item) ([]byte, error) {
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.key, b.key) })
	var out bytes.Buffer
	w := refs.NewWriter(&out)
	for _, i := range items {
		if err := w.Add(i.key, i.ref); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	if err == nil && out.Len() > refs.MaxBytes {
		err = fmt.Errorf("%d references make a manifest of %d bytes, more than the %d that are read again", len(items), out.Len(), refs.MaxBytes)
	}
	return out.Bytes(), err
}

// folder writes a Zarr hierarchy with manifests.
func (v *virtual) folder(ctx context.Context, url string) error {
	l, err := landing.Begin(ctx, landing.Place{URL: url}, landing.Copy{Source: v.src, Request: "virtual", Overwrite: v.opts.Overwrite, Open: append([]zarr.Option{zarr.Locate(v.opts.Locate)}, v.opts.Open...)})
	if err != nil {
		return err
	}
	if err := v.nodes(ctx, l); err != nil {
		return l.Abandon(err)
	}
	return l.Finish(ctx)
}

// nodes makes the documents and manifests.
func (v *virtual) nodes(ctx context.Context, l *landing.Landing) error {
	docs, manifests := map[string]meta.Node{}, map[string][]byte{}
	for path, g := range v.said {
		docs[path] = &meta.Group{Attributes: g.Attributes}
	}
	key := func(path, name string) string {
		return strings.TrimPrefix(l.Path()+strings.TrimSuffix(path, "/")+"/"+name, "/")
	}
	put := func(path, name string, text []byte) error {
		_, err := l.Store().Put(ctx, key(path, name), text, store.PutOptions{})
		return err
	}
	home, told := siteOf(l.URL()).up(), false
	for _, path := range job.Paths(v.arrays) {
		a := v.arrays[path]
		items, err := v.collect(ctx, path, a)
		if err != nil {
			return err
		}
		base := siteOf(store.JoinURL(l.URL(), strings.Trim(path, "/")))
		last, name := "", ""
		for i := range items {
			if file := items[i].ref.URL; file != last { // mostly they are all the same
				last, name = file, base.relative(file)
				if !told && !home.holds(file) {
					told = true
					v.note("the copy refers to files outside %s, such as %s: reading it needs --allow", home, absolute(file))
				}
			}
			items[i].ref.URL = name
		}
		m := v.docs[path].Clone()
		m.Keys, _ = forward(m.Keys)
		m.Transformers = nil
		plain, err := m.Marshal()
		if err != nil {
			return &zarr.Error{Op: "copy", URL: a.URL(), Err: err}
		}
		if manifests[path], err = manifest(append(items, item{job.Document, refs.Reference{Data: plain}})); err != nil {
			return err
		}
		m.Transformers = []meta.Extension{{Name: refs.Transformer, Configuration: fmt.Appendf(nil, `{"manifest":%q}`, refs.ManifestName)}}
		docs[path] = m
		v.track.Done(path, 1, 0)
	}
	if root, ok := docs["/"].(*meta.Group); ok && len(v.arrays) > 1 {
		below := map[string]meta.Node{}
		for path, doc := range docs {
			if path != "/" {
				below[path[1:]] = doc
			}
		}
		var err error
		if root.Consolidated, err = meta.NewConsolidated(below); err != nil {
			return err
		}
	}
	for _, path := range job.Paths(docs) {
		text, err := docs[path].Marshal()
		if err == nil {
			err = put(path, job.Document, text)
		}
		if err != nil {
			return &zarr.Error{Op: "copy to", URL: store.JoinURL(l.URL(), strings.Trim(path, "/")), Err: err}
		}
	}
	if err := l.Start(ctx); err != nil {
		return err
	}
	if l.Already() {
		v.note(already)
		return nil
	}
	for _, path := range job.Paths(manifests) {
		if err := put(path, refs.ManifestName, manifests[path]); err != nil {
			return err
		}
	}
	return nil
}
