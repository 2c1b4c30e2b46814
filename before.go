package zarr

import (
	"context"
	"iter"
	pathpkg "path"

	"github.com/omnizarr/zarr/format/translate"
	"github.com/omnizarr/zarr/store"
)

// lookBefore asks for all that must be known before an array is made at a path: which
// node is there, whether a copy is being made, and what else lies in the folder. Where
// requests take their time all are made at once. done ends it.
func lookBefore(ctx context.Context, e *engine, path string) (looking context.Context, listed iter.Seq2[store.Entry, error], done func()) {
	looking, end := e.looking(ctx)
	ctx, cancel := context.WithCancel(ctx)
	listed, stop := translate.Raw(e.store).List(ctx, (&node{path: path}).prefix(), "/"), func() {}
	if translate.IsLooking(looking) && checkPath(path) == nil {
		expectNode(looking, e, path)
		listed, stop = begun(listed)
	}
	return looking, listed, func() {
		cancel()
		stop()
		end()
	}
}

// expectNode asks ahead for the documents that tell whether there is a node at a path.
func expectNode(looking context.Context, e *engine, path string) {
	if mixed, ok := e.store.(*translate.Store); ok {
		for _, name := range append(mixed.Names(), Unfinished) {
			translate.Expect(looking, pathpkg.Join(path, name))
		}
	}
}

// begun begins a listing now, which may be gone through once, before stop is called.
func begun(list iter.Seq2[store.Entry, error]) (later iter.Seq2[store.Entry, error], stop func()) {
	next, end := iter.Pull2(list)
	type item struct {
		entry store.Entry
		err   error
		ok    bool
	}
	first := make(chan item, 1)
	go func() {
		var i item
		i.entry, i.err, i.ok = next()
		first <- i
		close(first)
	}()
	later = func(yield func(store.Entry, error) bool) {
		for i := <-first; i.ok && yield(i.entry, i.err); {
			i.entry, i.err, i.ok = next()
		}
	}
	return later, func() {
		<-first // it is not at it any more
		end()
	}
}
