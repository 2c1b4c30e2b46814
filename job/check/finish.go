package check

import (
	"context"
	"path"
	"strings"

	"github.com/omnizarr/zarr"
)

// Finisher knows what writers of a format leave in a hierarchy besides its nodes while
// they are at work, or when they are interrupted.
type Finisher interface {
	// Rests finds it. It passes over what it does not know, and changes nothing.
	Rests(ctx context.Context, root zarr.Node) ([]Rest, error)
	// Finish brings the work of one who was interrupted to its end, at a URL. What
	// counts is put into its place, what does not is removed. It is an error if somebody
	// is at work.
	Finish(ctx context.Context, url string, open []zarr.Option) error
}

// Rest is something that a writer has left.
type Rest struct {
	Path string // of the node below root, "/" for root
	// Key is that of a value below the node, or a pattern of path.Match for several; it
	// ends with a slash if it is all of a folder.
	Key  string
	Text string // what it is, and what is to be done
	// Lacking says that readers lack something until it is finished.
	Lacking bool
}

// rests tells of what writers left. Strays are not told again.
func (v *verifier) rests(ctx context.Context, root zarr.Node) (known []Rest, err error) {
	for _, f := range v.opts.Finishers {
		rests, err := f.Rests(ctx, root)
		if err != nil {
			return nil, err
		}
		for _, r := range rests {
			p := Problem{Path: r.Path, Key: r.Key, Problem: r.Text, Cause: Unfinished}
			v.mu.Lock()
			if r.Lacking {
				v.report.Problems = append(v.report.Problems, p)
			} else {
				v.report.Notes = append(v.report.Notes, p)
			}
			v.mu.Unlock()
		}
		known = append(known, rests...)
	}
	return known, nil
}

// is says whether a value below a node, or a folder with a slash behind its name, is of
// what was left.
func (r Rest) is(at, name string) bool {
	ok, err := path.Match(r.Key, name)
	return r.Path == at && ok && err == nil && strings.HasSuffix(r.Key, "/") == strings.HasSuffix(name, "/")
}
