package tiff

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"sort"
	"sync"

	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/store"
)

// File is an open TIFF file. Its methods may be called by several goroutines.
type File struct {
	url  string
	in   store.Reader // the store that the file is in
	key  string       // of the file there
	obj  store.Object
	form form

	mu      sync.Mutex // guards what is below, which reading directories changes
	src     *source
	entries []entry // room for a directory
	kinds   map[kind]*kind
	last    *kind           // that a page had
	subs    map[[2]int]page // SubIFDs that were read
	index   tileIndex

	pages   chain
	series  []*series
	cut     error            // why the chain of pages ends where it should not
	bad     map[int]error    // what is wrong with pages, of as many as there may be images
	badSubs map[uint64]error // what is wrong with the SubIFDs of a page, by its offset
	badSub  error            // that of the page that is being read
}

// Open opens the TIFF file that is a value of a store. It reads the directories
// and nothing else. The caller must Close it.
func Open(ctx context.Context, s store.Reader, key string) (*File, error) {
	obj, err := store.Open(ctx, s, key)
	if err != nil {
		return nil, err
	}
	f := &File{
		url: store.JoinURL(s.URL(), key), in: s, key: key, obj: obj,
		kinds: map[kind]*kind{}, subs: map[[2]int]page{}, bad: map[int]error{}, badSubs: map[uint64]error{},
	}
	if err := f.open(ctx); err != nil {
		obj.Close()
		return nil, store.WrapError("open", s.URL(), key, store.Damaged(err))
	}
	return f, nil
}

func (f *File) open(ctx context.Context) (err error) {
	if f.src, err = newSource(ctx, f.obj); err != nil {
		return err
	}
	var first uint64
	if f.form, first, err = readHeader(f.src.head(16)); err != nil {
		return err
	}
	f.src.setBudget()
	if err := f.readPages(ctx, first); err != nil {
		return err
	}
	f.src.setBudget()
	if f.series, err = f.group(ctx); err != nil {
		return err
	}
	for _, s := range f.series {
		s.settle()
	}
	f.src.settle()
	return nil
}

const (
	// maxPages bounds the directories of a file. Those of the largest stacks
	// have some hundred thousands.
	maxPages = 1 << 22
	// maxImages is how many images directories may be that nothing says how to group:
	// pages that are not alike, and such as are no image.
	maxImages = 1 << 15
	// maxSubs is how many SubIFDs are kept.
	maxSubs = 1 << 16
)

// readPages reads the chain of directories. A chain that leads back into itself
// ends there, one that leads out of the file in a page that says so.
func (f *File) readPages(ctx context.Context, first uint64) error {
	mark, marked := first, 0 // a page that a chain in a circle comes back to, and its number
	for off := first; off != 0; {
		n := f.pages.n
		switch {
		case n > marked && off == mark:
			f.cutCircle(marked, n-marked)
			return nil
		case n == maxPages:
			return fmt.Errorf("more than %d directories", maxPages)
		case n&(n-1) == 0: // at greater and greater distances, so that any circle has one
			mark, marked = off, n
		}
		p, next, err := f.readPage(ctx, off)
		if err != nil {
			if n == 0 || ctx.Err() != nil {
				return err
			}
			p, next = page{offset: off, err: fmt.Errorf("the chain of directories is broken: behind IFD %d comes no directory: %w", n-1, err)}, 0
			f.bad[n] = p.err
		}
		if p.err != nil && len(f.bad) < maxImages {
			f.bad[n] = p.err
		}
		f.pages.add(&p)
		off = next
	}
	f.pages.close()
	f.pages.numbers = nil
	return nil
}

// cutCircle ends the chain where it leads back into itself, of which it is known that
// a page is followed by itself after some others.
func (f *File) cutCircle(n, length int) {
	first := sort.Search(n, func(i int) bool { return f.pages.at(i).offset == f.pages.at(i+length).offset })
	f.pages.cut(first + length)
	last := f.pages.n - 1
	maps.DeleteFunc(f.bad, func(n int, _ error) bool { return n > last })
	f.cut = fmt.Errorf("the chain of directories is broken: behind IFD %d, at offset %d, comes IFD %d at offset %d again", last, f.pages.at(last).offset, first, f.pages.at(first).offset)
}

// Close gives up the file.
func (f *File) Close() error { return f.obj.Close() }

// URL names the file for people.
func (f *File) URL() string { return f.url }

// Len is the number of image file directories in the main chain.
func (f *File) Len() int { return f.pages.n }

// IsBig reports whether the file is a BigTIFF.
func (f *File) IsBig() bool { return f.form.big }

func (f *File) bigEndian() bool { return f.form.order == binary.BigEndian }

// page gives directory n of the main chain, or if sub is not negative its SubIFD
// of this number.
func (f *File) page(ctx context.Context, n, sub int) (page, error) {
	if n < 0 || n >= f.pages.n {
		return page{}, fmt.Errorf("IFD %d: the file has %d: %w", n, f.pages.n, store.ErrNotExist)
	}
	p := f.pages.at(n)
	if sub < 0 && p.kind != nil {
		return p, nil
	}
	if p.err = f.bad[n]; sub < 0 && p.err != nil {
		return p, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if sub < 0 { // one of so many that nothing is known of it any more
		p, _, err := f.readPage(ctx, p.offset)
		return p, err
	}
	if uint64(sub) >= p.sub.count {
		return page{}, fmt.Errorf("IFD %d has no SubIFD %d: %w", n, sub, store.ErrNotExist)
	}
	if p, ok := f.subs[[2]int{n, sub}]; ok {
		return p, nil
	}
	off, err := f.integer(ctx, &p.sub, uint64(sub))
	if err == nil {
		p, _, err = f.readPage(ctx, off)
	}
	if err != nil {
		return page{}, fmt.Errorf("tag %d (SubIFDs) of IFD %d: %w", tag.SubIFDs, n, err)
	}
	if len(f.subs) >= maxSubs {
		clear(f.subs)
	}
	f.subs[[2]int{n, sub}] = p
	return p, nil
}

// integer reads value i of a table.
func (f *File) integer(ctx context.Context, t *table, i uint64) (uint64, error) {
	if t.one {
		return t.at, nil
	}
	size := uint64(t.typ.Size())
	b, err := f.src.read(ctx, t.at+i*size, int(size))
	if err != nil {
		return 0, err
	}
	return tag.Field{ID: t.id, Type: t.typ, Raw: b, Big: f.bigEndian()}.Uint(0)
}

// Fields reads all tags of directory n of the main chain, or of its SubIFD if
// sub is not negative. Tags are without values if these are not in the file or
// have a type that does not exist, and if together with those before they have
// more than limit bytes.
func (f *File) Fields(ctx context.Context, n, sub, limit int) ([]tag.Field, error) {
	return f.fields(ctx, n, sub, limit, nil)
}

// fields is Fields without the values of tags that are skipped.
func (f *File) fields(ctx context.Context, n, sub, limit int, skip func(tag.ID) bool) ([]tag.Field, error) {
	p, err := f.page(ctx, n, sub)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, _, err := f.src.directory(ctx, f.form, p.offset, nil)
	if err != nil {
		return nil, err
	}
	out := make([]tag.Field, len(entries))
	for i := range entries {
		e := &entries[i]
		out[i] = tag.Field{ID: e.id, Type: e.typ, Big: f.bigEndian()}
		size, ok := e.bytes()
		if !ok || size > uint64(limit) || !f.src.fits(e.at, size) || skip != nil && skip(e.id) {
			continue
		}
		if out[i], err = f.src.field(ctx, f.form, e, limit); err != nil {
			return nil, err
		}
		limit -= len(out[i].Raw)
	}
	return out, nil
}
