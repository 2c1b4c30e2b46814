package tiff

import (
	"context"
	"fmt"
	"strconv"

	"github.com/omnizarr/zarr/format/tiff/tag"
)

// Survey is what a look at all directories of a file finds, also at those that no
// image needs.
type Survey struct {
	// Faults are directories that cannot be read, and where the chain is broken.
	Faults []Fault
	// Apart are the paths of directories that can be read and are part of no image.
	Apart []string
}

// Fault is what is wrong with a directory.
type Fault struct {
	Path    string // of the directory, such as "ifd/3" or, of a SubIFD, "ifd/3/0"
	Problem string
}

// maxFaults is after how many a survey ends: a file that is mostly broken need not be
// told of to its end.
const maxFaults = 1000

// Survey reads every directory and SubIFD.
func (f *File) Survey(ctx context.Context) (Survey, error) {
	used := map[int][]bool{} // pages, or their SubIFDs by number
	for _, s := range f.series {
		for _, l := range s.levels {
			if used[l.sub] == nil {
				used[l.sub] = make([]bool, f.pages.n)
			}
			for _, n := range l.pages {
				if n >= 0 {
					used[l.sub][n] = true
				}
			}
		}
	}
	var out Survey
	see := func(n, sub int, err error) {
		path := directories + "/" + strconv.Itoa(n)
		if sub >= 0 {
			path += "/" + strconv.Itoa(sub)
		}
		switch {
		case err != nil:
			out.Faults = append(out.Faults, Fault{path, err.Error()})
		case used[sub] == nil || !used[sub][n]:
			out.Apart = append(out.Apart, path)
		}
	}
	f.mu.Lock()
	f.src.setBudget()
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.src.settle()
		f.mu.Unlock()
	}()
	for n, p := range f.pages.from(0) {
		if p.kind == nil {
			q, err := f.page(ctx, n, -1)
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			if err == nil {
				err = q.err
			}
			p.err = err
		}
		see(n, -1, p.err)
		if n == f.pages.n-1 && f.cut != nil {
			see(n, -1, f.cut)
		}
		f.mu.Lock()
		badSub := f.badSubs[p.offset]
		f.mu.Unlock()
		if badSub != nil {
			see(n, -1, badSub)
		}
		if len(out.Faults) > maxFaults {
			return out, nil
		}
		for i := range int(min(p.sub.count, maxPages)) {
			if err := ctx.Err(); err != nil {
				return out, err
			}
			q, err := f.page(ctx, n, i)
			if err == nil && q.err != nil {
				err = fmt.Errorf("tag %d (SubIFDs) of IFD %d: %w", tag.SubIFDs, n, q.err)
			}
			if see(n, i, err); len(out.Faults) > maxFaults {
				return out, nil
			}
		}
	}
	return out, ctx.Err()
}

// File is the file that the store shows.
func (s *Store) File() *File { return s.f }
