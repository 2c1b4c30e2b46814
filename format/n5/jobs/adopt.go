// Package jobs holds what can be done with N5 beyond reading and writing it:
// copies are made in it, and a container becomes Zarr v3 too where it is.
package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	codec "github.com/omnizarr/zarr/codec/n5"
	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/meta"
	"github.com/omnizarr/zarr/store"
	"github.com/omnizarr/zarr/store/mem"
)

// AdoptOptions say how Adopt works; the zero value is fine.
type AdoptOptions struct {
	// With is what reads the blocks: "n5_default", which is the default, or "pad"
	// or "offset", which skip the headers. The latter are for datasets of numbers
	// of which every block that is stored is whole.
	With string
	// Overwrite replaces every zarr.json that says something else.
	Overwrite bool
	Workers   int                // headers of blocks at once; default: the number of processors
	Progress  func(job.Progress) // called after every header
	// Open are options for the nodes.
	Open []zarr.Option
}

// Adoption is what Adopt did.
type Adoption struct {
	With   string `json:"with"`
	Groups int    `json:"groups"` // in all
	Arrays int    `json:"arrays"` // in all
	// Written are the paths of the nodes that got a zarr.json, Already those that
	// had one which says the same, both from "/", the node that was given.
	Written []string `json:"written"`
	Already []string `json:"already"`
	// Own are the codecs that nobody else has, by the paths of the arrays which
	// need them.
	Own map[string]string `json:"own"`
}

// Lines tells it to people.
func (r Adoption) Lines() []string {
	lines := []string{fmt.Sprintf("✓ %s and %s are Zarr v3 too, read with %s: %d got a zarr.json, %d had it",
		words.Counted(r.Groups, "group"), words.Counted(r.Arrays, "array"), r.With, len(r.Written), len(r.Already))}
	needing := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(r.Own)) {
		needing[r.Own[path]] = append(needing[r.Own[path]], path)
	}
	for _, name := range slices.Sorted(maps.Keys(needing)) {
		lines = append(lines, fmt.Sprintf("  only Omnizarr has the codec %s of %s", name, words.Cut(strings.Join(needing[name], ", "), 200)))
	}
	return lines
}

// AdoptWith are the values of AdoptOptions.With.
func AdoptWith() []string { return []string{codec.Name, padCodec, offsetCodec} }

// ErrNotAdopted is wrapped by errors about what cannot be adopted.
var ErrNotAdopted = errors.New("cannot be adopted")

// Adopt makes a Zarr v3 hierarchy of an N5 container, or of a group or dataset in
// one, without changing anything that is there: it writes a zarr.json beside
// every attributes.json, and into groups that have none. Blocks are read where
// they are. Programs for N5 see what they saw before; changes that they make to
// attributes.json need another Adopt.
//
// All is checked before anything is written; if a node cannot be adopted or has
// a zarr.json that says something else, the error names it. The node itself is
// written last, so that an interruption leaves a container of N5.
func Adopt(ctx context.Context, s store.Store, at string, opts AdoptOptions) (Adoption, error) {
	if opts.With == "" {
		opts.With = codec.Name
	}
	if !slices.Contains(AdoptWith(), opts.With) {
		return Adoption{}, fmt.Errorf("blocks cannot be adopted with %s, only with %s", opts.With, strings.Join(AdoptWith(), ", "))
	}
	var err error
	if opts.Workers, _, err = job.Limits(opts.Workers, 0); err != nil {
		return Adoption{}, fmt.Errorf("adopt: %w", err)
	}
	a := &adopter{store: translate.Raw(s), opts: opts, docs: map[string]meta.Node{}}
	a.report = Adoption{With: opts.With, Written: []string{}, Already: []string{}, Own: map[string]string{}}
	if err := a.collect(ctx, strings.Trim(at, "/")); err != nil {
		return a.report, err
	}
	if err := a.compare(ctx); err != nil {
		return a.report, err
	}
	return a.report, a.write(ctx)
}

type adopter struct {
	store  store.Store // without translation
	opts   AdoptOptions
	root   zarr.Node
	docs   map[string]meta.Node // the documents of all nodes, by path below root
	todo   []string             // paths of those that must be written, in order
	report Adoption
}

func (a *adopter) fail(url string, err error) error {
	return &zarr.Error{Op: "adopt", URL: url, Err: err}
}

// collect makes the documents of all nodes, and checks that they can be used.
func (a *adopter) collect(ctx context.Context, at string) error {
	var err error
	if a.root, err = zarr.OpenStore(ctx, a.store, at, append(slices.Clone(a.opts.Open), zarr.As("n5"))...); err != nil {
		return err
	}
	groups, arrays, err := job.Nodes(ctx, a.root)
	if err != nil {
		return err
	}
	if len(arrays) == 0 {
		return a.fail(a.root.URL(), fmt.Errorf("%w: there is no dataset of N5", ErrNotAdopted))
	}
	a.report.Groups, a.report.Arrays = len(groups), len(arrays)
	for p, g := range groups {
		a.docs[p] = g.Metadata()
	}
	for _, p := range job.Paths(arrays) {
		doc, err := a.document(ctx, arrays[p])
		if err != nil {
			return a.fail(arrays[p].URL(), fmt.Errorf("%w: %w", ErrNotAdopted, err))
		}
		if name := ownCodec(doc.Codecs); name != "" {
			a.report.Own[p] = name
		}
		a.docs[p] = doc
	}
	if a.opts.With == codec.Name {
		return nil
	}
	return a.headers(ctx, arrays)
}

// document is that of a dataset, which is tried out.
func (a *adopter) document(ctx context.Context, arr *zarr.Array) (*meta.Array, error) {
	doc := arr.Metadata().Clone()
	if err := job.CodecError(arr); err != nil {
		return nil, err
	}
	if a.opts.With != codec.Name {
		var err error
		if doc.Codecs, err = headless(doc, a.opts.With); err != nil {
			return nil, err
		}
	}
	text, err := doc.Marshal()
	if err != nil {
		return nil, err
	}
	s := mem.New()
	if _, err := s.Put(ctx, job.Document, text, store.PutOptions{}); err != nil {
		return nil, err
	}
	n, err := zarr.OpenStore(ctx, s, "", append(slices.Clone(a.opts.Open), zarr.As("zarr3"))...)
	if err == nil {
		err = job.CodecError(n.(*zarr.Array))
	}
	if err != nil {
		_, why := job.Reason(err)
		return nil, errors.New(why)
	}
	return doc, nil
}

// compare finds the nodes whose zarr.json must be written, and those which have
// another one.
func (a *adopter) compare(ctx context.Context) error {
	var first error
	others := 0
	for _, p := range job.Paths(a.docs) {
		same, err := a.same(ctx, p)
		switch {
		case err != nil && first != nil:
			others++
		case err != nil:
			first = a.fail(store.JoinURL(a.root.URL(), p[1:]), err)
		case same:
			a.report.Already = append(a.report.Already, p)
		default:
			a.todo = append(a.todo, p)
		}
	}
	if others > 0 {
		return fmt.Errorf("%w (one of %d such nodes)", first, others+1)
	}
	return first
}

// key is that of a document beside the node at a path below the root.
func (a *adopter) key(p, name string) string { return path.Join(a.root.Path(), p[1:], name) }

// same reports whether a node has its zarr.json already; another document that
// Zarr goes by is an error.
func (a *adopter) same(ctx context.Context, p string) (bool, error) {
	text, _, err := a.store.Get(ctx, a.key(p, job.Document), store.UpTo(meta.MaxBytes), nil)
	switch {
	case err == nil:
		old, err := meta.Parse(text, meta.Registry{})
		if err == nil {
			if same, err := meta.Same(old, a.docs[p]); err == nil && same {
				return true, nil
			}
		}
	case !errors.Is(err, store.ErrNotExist) && !a.opts.Overwrite:
		return false, err
	case errors.Is(err, store.ErrNotExist):
		for _, name := range []string{".zarray", ".zgroup"} {
			if _, _, err := a.store.Get(ctx, a.key(p, name), store.Part(0, 0), nil); err == nil {
				return false, fmt.Errorf("%w: there is a %s", ErrNotAdopted, name)
			}
		}
		return false, nil
	}
	if a.opts.Overwrite {
		return false, nil
	}
	return false, fmt.Errorf("%w: there is a %s that says something else", ErrNotAdopted, job.Document)
}

// write stores the documents, those of groups behind what they hold.
func (a *adopter) write(ctx context.Context) error {
	for _, p := range slices.Backward(a.todo) {
		text, err := a.docs[p].Marshal()
		if err == nil {
			_, err = a.store.Put(ctx, a.key(p, job.Document), text, store.PutOptions{IfAbsent: !a.opts.Overwrite})
		}
		if err != nil {
			return a.fail(store.JoinURL(a.root.URL(), p[1:]), err)
		}
	}
	a.report.Written = append(a.report.Written, a.todo...)
	return nil
}

// ownPrefix is what the names of codecs begin with that nobody else has.
const ownPrefix = "omnizarr."

// ownCodec is the first codec of a list that nobody else has, also of those in
// blocks.
func ownCodec(codecs []meta.Extension) string {
	for _, c := range codecs {
		if strings.HasPrefix(c.Name, ownPrefix) {
			return c.Name
		}
	}
	if behind, _ := bytesCodecs(codecs, 0); len(behind) > 0 && len(codecs) == 1 && isBlock(codecs[0].Name) {
		return ownCodec(behind)
	}
	return ""
}
