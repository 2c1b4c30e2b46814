package write

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/omnizarr/zarr"
	"github.com/omnizarr/zarr/format/hdmf"
	"github.com/omnizarr/zarr/format/std"
	"github.com/omnizarr/zarr/internal/words"
	"github.com/omnizarr/zarr/job"
	"github.com/omnizarr/zarr/job/copying"
	"github.com/omnizarr/zarr/job/landing"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// set is the files that a copy is made of: the one that was asked for, and behind it
// those that it refers to, if they are copied too.
type set struct {
	opts  Options
	files []*member
	notes []string // what is to be said of files that are not in it
}

// member is a file, and where its copy goes.
type member struct {
	file    *hdmf.File
	sources []string // by which it refers to others
	url     string
	here    string // the identity of the place
	place   string // as zarr.Place names it, "" if nobody can refer to it
}

// maxTogether bounds the files of a set.
const maxTogether = 1000

// gather finds the files that are to be copied, and their places.
func gather(ctx context.Context, dst string, src *hdmf.File, opts Options) (*set, error) {
	if err := checkOptions(&opts); err != nil {
		return nil, unread(src, "/", err)
	}
	if err := landing.Apart(src.Zarr(), landing.Place{URL: dst}); err != nil {
		return nil, err
	}
	s := &set{opts: opts, files: []*member{{file: src}}}
	s.files[0].goes(dst)
	if err := s.follow(ctx); err != nil {
		return nil, err
	}
	if err := s.put(ctx); err != nil {
		return nil, &zarr.Error{Op: "copy", URL: src.URL(), Err: err}
	}
	if opts.Overwrite {
		return s, s.survey(ctx)
	}
	return s, nil
}

// goes says where the copy of a file goes.
func (m *member) goes(url string) {
	m.url, m.here = url, locate.Identity(url)
	m.place = realPlace(m.here)
}

// placeOf is the place of the copy of a file, "" if it is not copied.
func (s *set) placeOf(f *hdmf.File) string {
	for _, m := range s.files {
		if m.file == f {
			return m.place
		}
	}
	return ""
}

// follow finds the files that the source refers to, and with WithLinks those that they
// refer to, each once.
func (s *set) follow(ctx context.Context) (err error) {
	var other, lost []string
	for i := 0; i < len(s.files); i++ {
		m := s.files[i]
		if m.sources, err = sourcesOf(ctx, m.file); err != nil {
			return err
		}
		for _, name := range m.sources {
			f, err := m.file.Source(ctx, name)
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case err != nil && s.opts.WithLinks:
				lost = append(lost, why(err))
			case err != nil || slices.ContainsFunc(s.files, func(m *member) bool { return m.file == f }):
			case !s.opts.WithLinks:
				if f.Layout() != s.opts.Layout {
					other = append(other, nameOf(ctx, f))
				}
			case slices.ContainsFunc(s.files, func(m *member) bool { return store.Overlap(identity(m.file.Zarr()), identity(f.Zarr())) }):
				lost = append(lost, nameOf(ctx, f)+" lies in or around another of the files")
			case len(s.files) == maxTogether:
				return unread(m.file, "/", fmt.Errorf("refers to more than %d files, one by another", maxTogether))
			default:
				s.files = append(s.files, &member{file: f})
			}
		}
	}
	// In which order they were found is of no account.
	slices.SortFunc(s.files[1:], func(a, b *member) int { return strings.Compare(nameOf(ctx, a.file), nameOf(ctx, b.file)) })
	if other != nil {
		s.notes = append(s.notes, "links or references lead to files of the other layout, into which hdmf-zarr cannot follow from this one; --with-links copies them too: "+words.Some(distinct(other)))
	}
	for _, text := range distinct(lost) {
		s.notes = append(s.notes, "not copied, though referred to: "+text)
	}
	return nil
}

func distinct(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// nameOf names a file for people, and by its place if it has one.
func nameOf(ctx context.Context, f *hdmf.File) string {
	if at := placeOf(ctx, f); at != "" {
		return filepath.FromSlash(at)
	}
	return f.URL()
}

// why is the reason of an error, whose place the caller knows.
func why(err error) string {
	if known, ok := errors.AsType[*zarr.Error](err); ok {
		err = known.Err
	}
	return words.OneLine(err.Error())
}

// put gives the copies of linked files places: beside that of the source, as they lie
// beside the source themselves. Names do not depend on what has been copied already, so
// that a copy that was interrupted finds what it left.
func (s *set) put(ctx context.Context) error {
	if len(s.files) == 1 {
		return nil
	}
	main := s.files[0]
	folder, _, ok := locate.Folder(main.url, std.Registry())
	if !ok {
		return errors.New("linked files are copied beside the copy (--with-links), which has to be a folder on this machine then")
	}
	taken := []string{main.here}
	for _, m := range s.files {
		taken = append(taken, identity(m.file.Zarr()))
		if m != main && store.Overlap(main.here, identity(m.file.Zarr())) {
			return fmt.Errorf("the copy would lie in or around %s, which is copied too", nameOf(ctx, m.file))
		}
	}
	from := placeOf(ctx, main.file)
	for _, m := range s.files[1:] {
		name, outside := named(from, placeOf(ctx, m.file))
		url, err := s.free(filepath.Join(filepath.Dir(folder), filepath.FromSlash(name)), taken)
		if err != nil {
			return err
		}
		m.goes(url)
		taken = append(taken, m.here)
		if outside {
			s.notes = append(s.notes, fmt.Sprintf("%s does not lie in the folder of the source; its copy is %s", nameOf(ctx, m.file), url))
		}
	}
	return nil
}

// named gives the path that a file has in the folder around another. One that lies
// outside of it has the path that it has where the two part, or its name.
func named(from, to string) (name string, outside bool) {
	rel := relative(from, to)
	if strings.Contains(rel, "://") || path.IsAbs(rel) || filepath.IsAbs(rel) {
		return path.Base(strings.TrimSuffix(rel, "/")), true
	}
	ups := 0
	for strings.HasPrefix(rel, "../") {
		rel = rel[len("../"):]
		ups++
	}
	return rel, ups != 1
}

// free gives a name like the one that is wanted for a folder that neither lies in nor
// around what is taken.
func (s *set) free(want string, taken []string) (string, error) {
	const most = 1000
	stem, end := want, ""
	for _, ending := range []string{".zarr", ".nwb"} {
		if rest, ok := strings.CutSuffix(stem, ending); ok {
			stem, end = rest, ending+end
		}
	}
	format := (&target{form: form{layout: s.opts.Layout}}).format()
	try := want
	for i := 1; i <= most; i++ {
		_, _, ok := locate.Folder(try, std.Registry())
		here := locate.Identity(try)
		if ok && !slices.ContainsFunc(taken, func(other string) bool { return store.Overlap(here, other) }) {
			return try, nil
		}
		if try = stem + "-" + format + end; i > 1 {
			try = fmt.Sprintf("%s-%s-%d%s", stem, format, i, end)
		}
	}
	return "", fmt.Errorf("there is no name like %s for a folder", want)
}

// copy copies all files. Chunks of all are there before the first of the copies
// appears, and that of the source is the last: as long as it is unfinished, the same
// copy again goes on with those that are.
func (s *set) copy(ctx context.Context) (sum copying.Summary, err error) {
	var all []*copier
	left := func(err error) error {
		for _, c := range all {
			err = c.landing.Abandon(err)
		}
		return err
	}
	for _, m := range s.files {
		c, err := s.begin(ctx, m)
		if err != nil {
			return sum, left(err)
		}
		all = append(all, c)
	}
	if err := s.checkFitting(all); err != nil {
		return sum, left(unread(s.files[0].file, "/", err))
	}
	if s.opts.Laid.Spread != nil {
		if len(all) > 1 {
			return sum, left(fmt.Errorf("copy: %w: files that refer to each other are copied together by one process", landing.ErrAlone))
		}
		finish := false
		if sum, finish, err = all[0].spread(ctx); err != nil || !finish {
			return sum, left(err)
		}
	} else {
		if err := start(ctx, all); err != nil {
			return sum, err
		}
		if sum, err = s.run(ctx, all); err != nil {
			return sum, left(err)
		}
	}
	s.tell(ctx, all, &sum)
	for len(all) > 0 {
		last := all[len(all)-1]
		all = all[:len(all)-1]
		if err := last.landing.Finish(ctx); err != nil {
			return sum, left(err)
		}
	}
	return sum, nil
}

// start begins all copies in their places. If one cannot be begun, none was.
func start(ctx context.Context, all []*copier) error {
	for i, c := range all {
		err := c.landing.Start(ctx)
		if err == nil {
			continue
		}
		for k, other := range all {
			if k < i {
				err = other.landing.Withdraw(err)
			} else {
				err = other.landing.Abandon(err)
			}
		}
		return err
	}
	return nil
}

// run fills the arrays of all copies.
func (s *set) run(ctx context.Context, all []*copier) (sum copying.Summary, err error) {
	sum.Already = true
	var before, now job.Progress
	for _, c := range slices.Backward(all) {
		if c.landing.Already() {
			continue
		}
		sum.Already = false
		if tell := s.opts.Laid.Progress; tell != nil {
			c.opts.Laid.Progress = func(p job.Progress) {
				p.Done, p.Total, p.Bytes = p.Done+before.Done, p.Total+before.Total, p.Bytes+before.Bytes
				now = p
				tell(p)
			}
		}
		one, err := c.run(ctx)
		if sum.Add(one); err != nil {
			return sum, err
		}
		before = now
	}
	return sum, nil
}
