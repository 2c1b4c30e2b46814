package zarr

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/omnizarr/zarr/format/tiff"
	"github.com/omnizarr/zarr/locate"
	"github.com/omnizarr/zarr/store"
)

// Find finds the store that a URL names, and the node in it, as Open does, and
// opens neither: for those who look at documents themselves. A file of another
// format is a store then. The caller must Close the location.
func Find(ctx context.Context, url string, opts ...Option) (locate.Location, error) {
	return find(ctx, url, newOptions(opts))
}

func find(ctx context.Context, url string, o *options) (locate.Location, error) {
	opt := o.locate
	opt.AllowFile = true
	where, err := locate.Open(ctx, url, opt)
	if err != nil {
		return locate.Location{}, failedOpen(url, err)
	}
	if !where.File && !opt.Create {
		where = fileIn(ctx, where)
	}
	if !where.File {
		return where, nil
	}
	inside, err := openFile(ctx, where, o)
	if err != nil {
		where.Discard()
		return locate.Location{}, failedOpen(store.JoinURL(where.Store.URL(), where.Path), err)
	}
	return inside, nil
}

// fileIn looks whether the path in a store leads into a file, going by its name
// and by whether there is a value.
func fileIn(ctx context.Context, where locate.Location) locate.Location {
	at := 0
	for part := range strings.SplitSeq(where.Path, "/") {
		at += len(part)
		if locate.IsFileName(part) {
			if head, err := readHead(ctx, where.Store, where.Path[:at]); err == nil && tiff.IsTIFF(head) {
				where.File, where.Inner, where.Path = true, strings.TrimPrefix(where.Path[at:], "/"), where.Path[:at]
			}
			break
		}
		at++
	}
	return where
}

// readHead reads the first bytes of a value, fewer if it has fewer.
func readHead(ctx context.Context, s store.Reader, key string) ([]byte, error) {
	const most = 8
	head, _, err := s.Get(ctx, key, store.Part(0, most), nil)
	if errors.Is(err, store.ErrRange) {
		head, _, err = s.Get(ctx, key, store.UpTo(most), nil)
	}
	return head, err
}

// openFile makes a store of a file, by its name or by what its first bytes say it
// is. One that is called like a TIFF file is opened as such at once, which tells
// what it is as well, and takes a request less where each takes its time.
func openFile(ctx context.Context, where locate.Location, o *options) (locate.Location, error) {
	if where.Format != tiff.Format && !locate.IsFileName(where.Path) {
		head, err := readHead(ctx, where.Store, where.Path)
		switch {
		case err != nil:
			return locate.Location{}, unnamed(err)
		case tiff.IsTIFF(head):
		case where.Format == "" && isManifest(head):
			return openManifest(ctx, where, o)
		default:
			return locate.Location{}, errNoFormat
		}
	}
	if where.Format != "" && where.Format != tiff.Format {
		return locate.Location{}, mark(ErrFormat, fmt.Errorf("a file, no store of format %s", where.Format))
	}
	f, err := tiff.Open(ctx, where.Store, where.Path)
	if err != nil {
		return locate.Location{}, unnamed(err)
	}
	return where.Within(f.Store(), tiff.Format), nil
}

// unnamed drops the name of the file, which the caller knows.
func unnamed(err error) error {
	var known *store.KeyError
	if errors.As(err, &known) {
		return known.Err
	}
	return err
}
