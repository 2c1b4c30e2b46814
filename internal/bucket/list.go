package bucket

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/omnizarr/zarr/store"
)

// Page is a part of a listing, with the names that the bucket has: keys with the prefix of
// the store. A prefix in a listing without delimiter is a folder that has a name of its
// own.
type Page struct {
	Entries []store.Entry
	Next    string // where the next one begins, "" if this is the last
}

// Pager gives the page of what lies below prefix that begins at a mark, "" for the first.
type Pager func(ctx context.Context, prefix, delimiter, mark string) (Page, error)

// next is a page, which must lead further than its begin.
func (p Pager) next(ctx context.Context, prefix, delimiter, mark string) (Page, error) {
	got, err := p(ctx, prefix, delimiter, mark)
	if err == nil && got.Next != "" && got.Next == mark {
		err = errors.New("the listing goes round in circles")
	}
	return got, err
}

// Unlisted remembers that a bucket may be read by everybody, and listed by nobody: it is
// like a web server then. Nothing is written there, since nobody could see what it would
// replace.
type Unlisted struct{ known atomic.Bool }

// Refused says that a listing was refused to somebody who gave no credentials.
func (u *Unlisted) Refused(err error) error {
	u.known.Store(true)
	return fmt.Errorf("%w: %w", store.ErrNoList, err)
}

// Writable is an error for such a bucket.
func (u *Unlisted) Writable() error {
	if u.known.Load() {
		return fmt.Errorf("%w: it may not be listed without credentials", store.ErrReadOnly)
	}
	return nil
}

// errUnasked says that a listing is about something else.
var errUnasked = errors.New("server lists a name that was not asked for")

// List makes a listing of pages, of which each is about names behind those of the page
// before. base is what the names of all keys begin with, and url names the store. Names
// that are no keys, such as those that end in a slash, by which some programs show
// folders, are passed over.
func List(ctx context.Context, url, base, prefix, delimiter string, page Pager) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		failed := func(err error) { yield(store.Entry{}, store.WrapError("list", url, prefix, err)) }
		if err := store.CheckList(prefix, delimiter); err != nil {
			failed(err)
			return
		}
		last := ""
		for mark, more := "", true; more; {
			if err := ctx.Err(); err != nil {
				failed(err)
				return
			}
			got, err := page.next(ctx, base+prefix, delimiter, mark)
			if err != nil {
				failed(err)
				return
			}
			mark, more = got.Next, got.Next != ""
			slices.SortFunc(got.Entries, func(a, b store.Entry) int { return strings.Compare(a.Key, b.Key) })
			for _, e := range got.Entries {
				key, ok := strings.CutPrefix(e.Key, base)
				switch {
				case !ok || !strings.HasPrefix(key, prefix):
					failed(errUnasked)
					return
				case key == last || !isKey(key, e.IsPrefix) || e.IsPrefix && delimiter == "":
					continue
				case key < last && !store.IsNamesOnly(ctx):
					failed(errors.New("server does not list in order"))
					return
				}
				e.Key, last = key, key
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

func isKey(key string, prefix bool) bool {
	if prefix {
		return store.CheckPrefix(key) == nil && key != ""
	}
	return store.CheckKey(key) == nil
}

// DeleteAll removes all that has a name with the prefix, given whole: so many batches at
// a time of so many names. What comes to lie there meanwhile may stay.
func DeleteAll(ctx context.Context, prefix string, page Pager, concurrency, batch int, remove func(ctx context.Context, some []store.Entry) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(concurrency)
	err := func() error {
		for mark, more := "", true; more; {
			got, err := page.next(ctx, prefix, "", mark)
			if err != nil {
				return err
			}
			mark, more = got.Next, got.Next != ""
			for _, e := range got.Entries {
				if !strings.HasPrefix(e.Key, prefix) {
					return errUnasked
				}
			}
			for some := range slices.Chunk(got.Entries, batch) {
				g.Go(func() error { return remove(ctx, some) })
			}
		}
		return nil
	}()
	if waited := g.Wait(); waited != nil {
		return waited
	}
	return err
}
