package tiff

import (
	"context"
	"fmt"
	"slices"

	"github.com/omnizarr/zarr/format/ngff"
	"github.com/omnizarr/zarr/format/tiff/tag"
	"github.com/omnizarr/zarr/meta"
)

// series is one image: planes in some dimensions, in one or several resolutions.
type series struct {
	name   string
	how    string // what told which pages belong together: "ome", "imagej", "shaped" or "pages"
	axes   []axis // of the planes, the slowest first, without those inside a plane
	levels []level
	space  [2]axis // y and x, without lengths, for their scale and unit
	sample byte    // the letter of the axis of samples, 's' unless the file says so
	// channels are how they are called and shown, nil if it is not known before tags are
	// read.
	channels []ngff.Channel
	more     []meta.Member // attributes that the description has
	bare     bool          // a directory as it is: with an axis of samples also where there is one
	err      error         // why there is no image: of a page that cannot be read
}

// axis is a dimension of an image.
type axis struct {
	letter byte // as in "tczyx"
	length int
	scale  float64 // distance of neighbours, 0 if unknown
	unit   string
}

// lower gives the letter of an axis as it is used here, q for what is none.
func lower(c byte) byte {
	if c |= 0x20; 'a' <= c && c <= 'z' {
		return c
	}
	return 'q'
}

// level is an image in one resolution.
type level struct {
	kind  *kind
	pages []int32 // the page of every plane, -1 where there is none
	sub   int     // planes are this SubIFD of the pages, or the pages themselves if negative
	// stride is the distance of planes in the file where the first page alone has
	// a directory, as ImageJ writes large stacks.
	stride uint64

	shape, chunks, grid []int // of the array; see settle
}

// group finds out which pages belong together.
func (f *File) group(ctx context.Context) ([]*series, error) {
	if len(f.pages.kinds) == 0 { // none is an image
		return nil, f.bad[0]
	}
	text, err := f.description(ctx, 0)
	if err != nil {
		return nil, err
	}
	for _, g := range []func(context.Context, string) ([]*series, error){f.shaped, f.ome, f.imageJ} {
		if out, err := g(ctx, text); out != nil || err != nil {
			return out, err
		}
	}
	return f.alike(ctx)
}

// alike groups pages of one kind, and takes images that are smaller versions of
// others for levels of those.
func (f *File) alike(ctx context.Context) ([]*series, error) {
	var out []*series
	count := map[*kind]int{} // nil for what is no image
	for _, p := range f.pages.from(0) {
		count[p.kind]++
	}
	if len(count)+count[nil] > maxImages {
		return []*series{{err: fmt.Errorf("the file has %d directories that make more than %d images: nothing says which of them belong together; they can be read one by one, below %q", f.pages.n, maxImages, directories)}}, nil
	}
	byKind := map[*kind]*series{}
	for i, p := range f.pages.from(0) {
		if p.kind == nil {
			out = append(out, &series{err: f.bad[i]})
			continue
		}
		s := byKind[p.kind]
		if s == nil {
			s = &series{how: "pages", levels: []level{{kind: p.kind, sub: -1, pages: make([]int32, 0, count[p.kind])}}}
			byKind[p.kind] = s
			out = append(out, s)
		}
		s.levels[0].pages = append(s.levels[0].pages, int32(i))
	}
	var all []*series
	for _, s := range out {
		all = append(all, s)
		if s.err != nil {
			continue
		}
		if n := len(s.levels[0].pages); n > 1 {
			s.axes = []axis{{letter: 'i', length: n}}
		}
		others, err := f.addSubIFDs(ctx, s)
		if err != nil {
			return nil, err
		}
		for _, l := range others {
			all = append(all, &series{how: s.how, axes: s.axes, levels: []level{l}})
		}
	}
	return f.pyramids(all, false), nil
}

// pyramids makes smaller versions levels of the image before them: all that
// can be, or those that say so themselves.
func (f *File) pyramids(in []*series, marked bool) []*series {
	var out []*series
	used := map[*series]bool{}
	for i, s := range in {
		if used[s] {
			continue
		}
		out = append(out, s)
		if s.err != nil || len(s.levels) > 1 || s.levels[0].sub >= 0 {
			continue
		}
		factor := 0
		// Levels are close to each other, unless there are no levels.
		for _, t := range in[i+1 : min(len(in), i+1+4*maxLevels)] {
			if t.err != nil || used[t] || len(t.levels) > 1 || len(s.levels[0].pages) != len(t.levels[0].pages) {
				continue
			}
			if first := t.levels[0].pages[0]; marked && (first < 0 || !f.pages.at(int(first)).reduced) {
				continue
			}
			if n := s.below(t.levels[0].kind, factor); n > 0 {
				factor, used[t] = n, true
				s.levels = append(s.levels, t.levels[0])
			}
		}
	}
	return out
}

// below reports whether an image of kind k can be the next level, and by which
// factor it is smaller: the one given, or if that is 0 any of 2, 3 and 4.
func (s *series) below(k *kind, factor int) int {
	last := s.levels[len(s.levels)-1].kind
	if k.samples != last.samples || k.planar != last.planar || k.bits != last.bits || k.format != last.format {
		return 0
	}
	for n := 2; n <= 4; n++ {
		if (factor == 0 || n == factor) && fraction(last.height, k.height, n) && fraction(last.width, k.width, n) {
			return n
		}
	}
	return 0
}

// fraction reports whether part is whole divided by n, rounded either way.
func fraction(whole, part, n int) bool {
	return n <= whole && (whole/n == part || (whole+n-1)/n == part)
}

// addSubIFDs adds the SubIFDs of an image's pages that are smaller versions of
// it, and gives those that are something else. Those of the first page stand for
// the others, which are looked at when they are read. What cannot be read is
// left out; it can be reached by its number.
func (f *File) addSubIFDs(ctx context.Context, s *series) (others []level, err error) {
	full := s.levels[0]
	at := slices.IndexFunc(full.pages, func(n int32) bool { return n >= 0 })
	if at < 0 || full.stride != 0 {
		return nil, nil
	}
	first := int(full.pages[at])
	whole := f.pages.at(first)
	factor := 0
	for i := range int(min(whole.sub.count, maxLevels)) {
		p, err := f.page(ctx, first, i)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || p.err != nil || p.offset == whole.offset {
			continue
		}
		l := level{kind: p.kind, pages: full.pages, sub: i}
		n := s.below(p.kind, factor)
		switch {
		case s.how != "pages" && s.smaller(p.kind):
			s.levels = append(s.levels, l)
		case s.how == "pages" && n > 0:
			factor = n
			s.levels = append(s.levels, l)
		default:
			others = append(others, l)
		}
	}
	return others, nil
}

// maxLevels is how many SubIFDs of a page are looked at.
const maxLevels = 64

// smaller reports whether an image of kind k can be a level, whatever its factor,
// of an image that says itself that its SubIFDs are levels.
func (s *series) smaller(k *kind) bool {
	last := s.levels[len(s.levels)-1].kind
	return k.samples == last.samples && k.planar == last.planar && k.bits == last.bits && k.format == last.format &&
		k.height <= last.height && k.width <= last.width
}

// description reads the ImageDescription of a page, "" if there is none.
func (f *File) description(ctx context.Context, n int) (string, error) {
	p := f.pages.at(n)
	if p.kind == nil {
		return "", nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, _, err := f.src.directory(ctx, f.form, p.offset, f.entries)
	if err != nil {
		return "", err
	}
	f.entries = entries
	d := fields{f: f, ctx: ctx, entries: entries}
	e := d.find(tag.ImageDescription)
	if e == nil {
		return "", nil
	}
	if size, ok := e.bytes(); !ok || size > maxDescription || !f.src.fits(e.at, size) {
		return "", nil // no text that anything could be read from
	}
	x, err := f.src.field(ctx, f.form, e, maxDescription)
	if err != nil {
		return "", err
	}
	return x.Text(), nil
}

// maxDescription bounds the text that describes an image: OME-XML of the
// largest screens has some tens of megabytes.
const maxDescription = 128 << 20
