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
	used := map[[2]int]bool{}
	for _, s := range f.series {
		for _, l := range s.levels {
			for _, n := range l.pages {
				used[[2]int{int(n), l.sub}] = true
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
		case !used[[2]int{n, sub}]:
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
	for n, p := range f.pages {
		see(n, -1, p.err)
		if n == len(f.pages)-1 && f.cut != nil {
			see(n, -1, f.cut)
		}
		if err := f.badSubs[p.offset]; err != nil {
			see(n, -1, err)
		}
		if p.sub == nil {
			continue
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
